/* From a function's tables to offsets. */
/* ---- code ------------------------------------------------------------------------------------------------- */

/* Lays out the frame: head, the constants together, then the rest. */
static int opw_lay_out(opw_code *code)
{
    const opw_program *p = code->program;
    size_t at = sizeof(opw_head) + sizeof(PyObject *) * (p->results + p->updates);
    uint32_t i;

    code->constants_begin = at;
    for (i = 0; i < p->constants; i++) {
        uint32_t variable = p->constant_variables[i];
        code->offsets[variable] = (uint32_t)at;
        at += p->types[p->variable_types[variable]].size();
    }
    code->constants_end = at;
    for (i = 0; i < p->variables && at < UINT32_MAX; i++) {
        if (code->offsets[i])
            continue;
        code->offsets[i] = (uint32_t)at;
        at += p->types[p->variable_types[i]].size();
    }
    code->frame_size = at;
    if (at < UINT32_MAX)
        return 0;
    PyErr_SetString(PyExc_MemoryError, "the function's variables need more than 4 GiB of C state");
    return -1;
}

/* Whether a step is a loop of the engine's. */
static int opw_is_loop(const opw_step *step)
{
    return step->run == opw_run_stores || step->run == opw_run_folds || step->run == opw_run_group;
}

/* Whether a call holds nothing but arrays, of which the caller and the instance have all that no loop makes, and loops all that
   is returned. */
static int opw_holds_arrays_alone(const opw_code *code)
{
    const opw_program *p = code->program;
    uint32_t i;
    if (code->frame_size > OPW_DIRECT_FRAME || p->arguments > 64 || p->cells || p->updates || p->performs || p->structs || p->kept ||
        p->variables != p->arguments + p->constants + p->results)
        return 0;
    for (i = 0; i < p->variables; i++)
        if (!p->types[p->variable_types[i]].plain)
            return 0;
    for (i = 0; i < p->arguments; i++)
        if (!p->argument_table[i].accept)
            return 0;
    return 1;
}

/* Finds the loops that are all of a call's work, if nothing else is. */
static void opw_find_loops(opw_code *code)
{
    const opw_step *steps = code->program->step_table;
    uint32_t i, n = 0;
    for (i = 0; i < code->program->steps; i++) {
        if (opw_is_loop(&steps[i]))
            code->loop_steps[n++] = i;
        else if (steps[i].node >= 0 || steps[i].run == opw_separate)
            return;
    }
    if (opw_holds_arrays_alone(code))
        code->loops = n;
}

/* Fills a code of zeros; what is there also after a failure, opw_drop_code drops. */
static int opw_resolve(opw_code *code, const opw_program *p)
{
    uint32_t i;
    code->program = p;
    code->offsets = (uint32_t *)PyMem_Calloc(p->variables + 1, sizeof(uint32_t));
    code->slots = (uint32_t *)PyMem_Calloc(p->slots + 1, sizeof(uint32_t));
    code->steps = (opw_resolved *)PyMem_Calloc(p->steps + 1, sizeof(opw_resolved));
    code->argument_offsets = (uint32_t *)PyMem_Calloc(p->arguments + 1, sizeof(uint32_t));
    code->result_offsets = (uint32_t *)PyMem_Calloc(p->results + 1, sizeof(uint32_t));
    code->keywords = (PyObject **)PyMem_Calloc(p->arguments + 1, sizeof(PyObject *));
    code->loop_steps = (uint32_t *)PyMem_Calloc(p->steps + 1, sizeof(uint32_t));
    if (!code->offsets || !code->slots || !code->keywords || !code->steps || !code->argument_offsets || !code->result_offsets ||
        !code->loop_steps) {
        PyErr_NoMemory();
        return -1;
    }
    if (opw_lay_out(code))
        return -1;
    for (i = 0; i < p->steps; i++) {
        code->steps[i].run = p->step_table[i].run;
        code->steps[i].undo = p->step_table[i].undo;
        code->steps[i].slots = code->slots + p->step_table[i].slots;
    }
    for (i = 0; i < p->arguments; i++)
        code->argument_offsets[i] = code->offsets[p->argument_table[i].variable];
    for (i = 0; i < p->results; i++)
        code->result_offsets[i] = code->offsets[p->result_table[i].variable];
    for (i = 0; i < p->slots; i++)
        code->slots[i] = p->slot_table[i] < 0 ? (uint32_t)(-1 - p->slot_table[i]) : code->offsets[p->slot_table[i]];
    for (i = 0; i < p->arguments; i++)
        if (p->argument_table[i].name && !(code->keywords[i] = PyUnicode_InternFromString(p->argument_table[i].name)))
            return -1;
    opw_find_loops(code);
    for (i = 0; i < p->variables; i++)
        code->wide |= p->types[p->variable_types[i]].number == NPY_LONGDOUBLE || p->types[p->variable_types[i]].number == NPY_CLONGDOUBLE;
    code->keywords[p->arguments - p->cells] = PyUnicode_InternFromString("out");
    return code->keywords[p->arguments - p->cells] ? 0 : -1;
}

static void opw_drop_code(opw_code *code)
{
    uint32_t i;
    for (i = 0; code->keywords && i <= code->program->arguments; i++)
        Py_CLEAR(code->keywords[i]);
    PyMem_Free(code->offsets);
    PyMem_Free(code->slots);
    PyMem_Free(code->steps);
    PyMem_Free(code->argument_offsets);
    PyMem_Free(code->result_offsets);
    PyMem_Free(code->keywords);
    PyMem_Free(code->loop_steps);
}
