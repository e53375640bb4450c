/* The module's state: from the tables to offsets. */
/* ---- the module ---------------------------------------------------------------------------------------- */

/* Lays out the frame: head, the constants together, then the rest. */
static int opw_lay_out(opw_state *state)
{
    const opw_program *p = state->program;
    size_t at = sizeof(opw_head) + sizeof(PyObject *) * (p->results + p->updates);
    uint32_t i;

    state->constants_begin = at;
    for (i = 0; i < p->constants; i++) {
        uint32_t variable = p->constant_variables[i];
        state->offsets[variable] = (uint32_t)at;
        at += p->types[p->variable_types[variable]].size();
    }
    state->constants_end = at;
    for (i = 0; i < p->variables && at < UINT32_MAX; i++) {
        if (state->offsets[i])
            continue;
        state->offsets[i] = (uint32_t)at;
        at += p->types[p->variable_types[i]].size();
    }
    state->frame_size = at;
    if (at < UINT32_MAX)
        return 0;
    PyErr_SetString(PyExc_MemoryError, "the function's variables need more than 4 GiB of C state");
    return -1;
}

static int opw_fill_state(PyObject *module, opw_state *state, const opw_program *p)
{
    uint32_t i;
    state->program = p;
    state->offsets = (uint32_t *)PyMem_Calloc(p->variables + 1, sizeof(uint32_t));
    state->slots = (uint32_t *)PyMem_Calloc(p->slots + 1, sizeof(uint32_t));
    state->steps = (opw_resolved *)PyMem_Calloc(p->steps + 1, sizeof(opw_resolved));
    state->argument_offsets = (uint32_t *)PyMem_Calloc(p->arguments + 1, sizeof(uint32_t));
    state->result_offsets = (uint32_t *)PyMem_Calloc(p->results + 1, sizeof(uint32_t));
    state->keywords = (PyObject **)PyMem_Calloc(p->arguments + 1, sizeof(PyObject *));
    if (!state->offsets || !state->slots || !state->keywords || !state->steps || !state->argument_offsets || !state->result_offsets) {
        PyErr_NoMemory();
        return -1;
    }
    if (opw_lay_out(state))
        return -1;
    for (i = 0; i < p->steps; i++) {
        state->steps[i].run = p->step_table[i].run;
        state->steps[i].undo = p->step_table[i].undo;
        state->steps[i].slots = state->slots + p->step_table[i].slots;
    }
    for (i = 0; i < p->arguments; i++)
        state->argument_offsets[i] = state->offsets[p->argument_table[i].variable];
    for (i = 0; i < p->results; i++)
        state->result_offsets[i] = state->offsets[p->result_table[i].variable];
    for (i = 0; i < p->slots; i++)
        state->slots[i] = p->slot_table[i] < 0 ? (uint32_t)(-1 - p->slot_table[i]) : state->offsets[p->slot_table[i]];
    for (i = 0; i < p->arguments; i++)
        if (p->argument_table[i].name && !(state->keywords[i] = PyUnicode_InternFromString(p->argument_table[i].name)))
            return -1;
    if (!(state->keywords[p->arguments - p->cells] = PyUnicode_InternFromString("out")))
        return -1;
    state->type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &opw_function_spec, NULL);
    return state->type ? PyModule_AddIntConstant(module, "performs", (long)p->performs) : -1;
}

static int opw_module_traverse(PyObject *module, visitproc visit, void *arg)
{
    Py_VISIT(((opw_state *)PyModule_GetState(module))->type);
    return 0;
}

static int opw_module_clear(PyObject *module)
{
    Py_CLEAR(((opw_state *)PyModule_GetState(module))->type);
    return 0;
}

static void opw_module_free(void *module)
{
    opw_state *state = (opw_state *)PyModule_GetState((PyObject *)module);
    uint32_t i;
    if (!state || !state->program)
        return;
    for (i = 0; state->keywords && i <= state->program->arguments; i++)
        Py_CLEAR(state->keywords[i]);
    Py_CLEAR(state->type);
    PyMem_Free(state->offsets);
    PyMem_Free(state->slots);
    PyMem_Free(state->steps);
    PyMem_Free(state->argument_offsets);
    PyMem_Free(state->result_offsets);
    PyMem_Free(state->keywords);
}

static PyMethodDef opw_module_methods[] = {
    {"make", opw_make, METH_VARARGS, "make(name, convert, reject_out, performs, constants, defaults, cells, failed, unlike) -> Function"},
    {NULL, NULL, 0, NULL},
};
