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

/* Lists what a direct call does. */
static void opw_find_work(opw_code *code)
{
    const opw_program *p = code->program;
    uint32_t i, loops = 0;
    code->direct = p->lent && code->frame_size <= OPW_DIRECT_FRAME && p->arguments <= OPW_DIRECT_ARGUMENTS;
    for (i = 0; i < p->steps; i++) {
        if (p->step_table[i].node >= 0)
            code->work_steps[code->works++] = i;
        loops += (uint32_t)opw_is_loop(p->step_table[i].run);
    }
    code->mixed = loops && loops < code->works;
    for (i = 0; i < p->steps; i++)
        code->entries[i] = i;
    opw_find_runs(p, code->work_steps, code->works, code->follow);
    opw_find_runs(p, code->entries, p->steps, code->next);
}

/* Lists the temporaries that a direct call gives up: variables that are neither somebody else's nor kept. Non-zero: no memory. */
static int opw_find_temporaries(opw_code *code)
{
    const opw_program *p = code->program;
    char *held = (char *)PyMem_Calloc(p->variables + 1, 1);
    uint32_t i;
    if (!held) {
        PyErr_NoMemory();
        return -1;
    }
    for (i = 0; i < p->arguments; i++)
        held[p->argument_table[i].variable] = 1;
    for (i = 0; i < p->results; i++)
        held[p->result_table[i].variable] = 1;
    for (i = 0; i < p->constants; i++)
        held[p->constant_variables[i]] = 1;
    for (i = 0; i < p->kept; i++)
        held[p->kept_variables[i]] = 1;
    for (i = 0; i < p->variables; i++)
        if (!held[i])
            code->temporary_offsets[code->temporaries++] = code->offsets[i];
    PyMem_Free(held);
    return 0;
}

/* What an array is that is taken as it is, with more flags. */
static opw_quick opw_quick_of(const opw_fit *fit, int flags)
{
    opw_quick quick = {NULL, -1, 0, NULL};
    if (fit) {
        quick.dtype = opw_dtypes[fit->number];
        quick.ndim = fit->ndim;
        quick.flags = flags | NPY_ARRAY_ALIGNED | (fit->writeable ? NPY_ARRAY_WRITEABLE : 0);
        quick.sizes = fit->sizes && *fit->sizes >= 0 ? fit->sizes : NULL;
    }
    return quick;
}

/* Adds the input of a lane that is a variable: the next argument, or a constant. 0: no input is. */
static int opw_add_lane_input(opw_lane *lane, const opw_program *p, const int32_t *variables, uint32_t variable, const opw_fit *fit, uint32_t from)
{
    opw_taken_input *taken = &lane->inputs[lane->arguments + lane->constants];
    const opw_type *type = &p->types[p->variable_types[variable]];
    for (taken->input = 0; taken->input < lane->loop->inputs && variables[taken->input] != (int32_t)variable; taken->input++)
        ;
    if (taken->input == lane->loop->inputs || type->ndim < 0 || (type->ndim && lane->ndim && type->ndim != lane->ndim))
        return 0;
    taken->from = (int32_t)from;
    taken->quick = opw_quick_of(fit, NPY_ARRAY_C_CONTIGUOUS);
    taken->quick.ndim = type->ndim;
    lane->strides[taken->input] = type->ndim ? lane->loop->sizes[taken->input] : 0;
    lane->shaped |= (npy_uint64)(type->ndim > 0) << taken->input;
    lane->ndim = type->ndim ? type->ndim : lane->ndim;
    return 1;
}

/* Fills in where the inputs of a lane come from, and what they are; 0: it cannot be one. All arguments are inputs, each of them once. */
static int opw_fill_lane_inputs(const opw_code *code, opw_lane *lane, const int32_t *variables)
{
    const opw_program *p = code->program;
    uint32_t i;
    lane->ndim = lane->arguments = lane->constants = 0;
    lane->shaped = 0;
    for (i = 0; i < p->arguments; i++, lane->arguments++)
        if (!opw_add_lane_input(lane, p, variables, p->argument_table[i].variable, p->argument_table[i].fit, i))
            return 0;
    for (i = 0; i < p->constants && lane->arguments + lane->constants < lane->loop->inputs; i++)
        lane->constants += opw_add_lane_input(lane, p, variables, p->constant_variables[i], NULL, code->offsets[p->constant_variables[i]]);
    return lane->arguments && lane->arguments + lane->constants == lane->loop->inputs;
}

/* Whether the inputs that have dimensions are enough of them: what a group's masks say. */
static int opw_is_shaped(const opw_group *group, npy_uint64 shaped)
{
    uint32_t i;
    for (i = 0; group && shaped && i < group->masks; i++)
        if (!(group->mask_table[i] & shaped))
            return 0;
    return 1;
}

/* Whether arguments and out= are vectors of any length, and constants numbers. */
static int opw_are_vectors(const opw_lane *lane)
{
    int i, are = lane->out.ndim == 1 && !lane->out.sizes;
    for (i = 0; i < lane->arguments + lane->constants; i++)
        are = are && lane->inputs[i].quick.ndim == (i < lane->arguments) && !lane->inputs[i].quick.sizes;
    return are;
}

/* Decides how a lane's loop is run. */
static void opw_plan_lane(opw_lane *lane)
{
    const opw_loop *work = lane->loop;
    const npy_intp size = work->sizes[work->inputs];
    lane->how = work->lies ? work->lies(lane->strides) : -1;
    lane->few = lane->how < 0 ? 0 : work->worth && work->worth < OPW_ASKING_RUN ? work->worth : OPW_ASKING_RUN;
    lane->lined = lane->twice ? OPW_LANE_LINED / size : OPW_ASKING_RUN;
    for (lane->shift = 0; size >> lane->shift > 1; lane->shift++)
        ;
}

/* Fills the lane of a step's loop, whose operands' variables are given; 0: it cannot be one. */
static int opw_fill_lane(const opw_code *code, opw_lane *lane, const opw_group *group, const int32_t *variables)
{
    const opw_program *p = code->program;
    const opw_loop *work = lane->loop;
    uint32_t i, k;
    if (work->fold || work->over || (uint32_t)work->outputs != p->results || p->arguments > (uint32_t)work->inputs || !opw_fill_lane_inputs(code, lane, variables) ||
        !opw_is_shaped(group, lane->shaped))
        return 0;
    lane->pure = work->worth && !work->raises;
    lane->twice = lane->pure && !code->wide;
    for (lane->widest = 0, k = 0; k < (uint32_t)(work->inputs + work->outputs); k++)
        lane->widest = work->sizes[k] > lane->widest ? work->sizes[k] : lane->widest;
    lane->out = opw_quick_of(p->single && p->results == 1 ? p->result_table[0].fit : NULL, NPY_ARRAY_C_CONTIGUOUS);
    for (k = 0; k < p->results; k++) {
        for (i = 0; i < p->results && (int32_t)p->result_table[i].variable != variables[(uint32_t)work->inputs + k]; i++)
            ;
        if (i == p->results)
            return 0;
        lane->to[k] = (int32_t)i;
        lane->strides[(uint32_t)work->inputs + k] = work->sizes[(uint32_t)work->inputs + k];
    }
    opw_plan_lane(lane);
    lane->plain = lane->twice && lane->ndim == 1 && p->single && p->results == 1 && opw_are_vectors(lane);
    return 1;
}

/* Finds the one loop that is all of a direct call's work, if it is one of stores. Non-zero: no memory. */
static int opw_find_lane(opw_code *code)
{
    const opw_program *p = code->program;
    const opw_step *step = code->works == 1 ? &p->step_table[code->work_steps[0]] : NULL;
    const opw_group *group;
    opw_lane lane;
    if (!code->direct || !step || (step->run != opw_run_stores && step->run != opw_run_group))
        return 0;
    group = step->run == opw_run_group ? &p->group_table[-1 - p->slot_table[step->slots]] : NULL;
    memset(&lane, 0, sizeof(lane)); /* operands that there are not have no strides (opw_run_close) */
    lane.loop = &p->loop_table[group ? (int32_t)group->main : -1 - p->slot_table[step->slots]];
    if ((group && group->views) || !opw_fill_lane(code, &lane, group, p->slot_table + step->slots + 1))
        return 0;
    if (!(code->lane = (opw_lane *)PyMem_Malloc(sizeof(lane)))) {
        PyErr_NoMemory();
        return -1;
    }
    *code->lane = lane;
    return 0;
}

/* Which of a group's temporaries no part writes a result over, a bit for each. */
static npy_uint64 opw_staying(const opw_program *p, const opw_group *group)
{
    npy_uint64 stays = ~(npy_uint64)0;
    uint32_t i;
    int k;
    for (i = 0; i < group->parts; i++) {
        const opw_loop *work = &p->loop_table[group->part_table[i].loop];
        for (k = 0; work->over && k < work->outputs; k++) {
            int32_t over = work->over[k] < 0 ? 0 : (int32_t)group->part_table[i].operands[work->over[k]];
            if (over < 0)
                stays &= ~((npy_uint64)1 << (-1 - over));
        }
    }
    return stays;
}

/* Counts what instances keep, and gives what groups need between parts its places there. Non-zero: no memory. */
static int opw_find_spares(opw_code *code)
{
    const opw_program *p = code->program;
    uint32_t i, groups = 0;
#define OPW_WHICH(i) ((uint32_t)(-1 - p->slot_table[p->step_table[i].slots])) /* the group of a step */
    for (i = 0; i < p->steps; i++)
        if (p->step_table[i].run == opw_run_group && OPW_WHICH(i) >= groups)
            groups = OPW_WHICH(i) + 1;
    if (!(code->spares = (opw_spare *)PyMem_Calloc(groups + 1, sizeof(opw_spare)))) {
        PyErr_NoMemory();
        return -1;
    }
    code->kept = p->kept + (code->scalars ? p->results : 0);
    for (i = 0; i < p->steps; i++)
        if (p->step_table[i].run == opw_run_group) {
            code->spares[OPW_WHICH(i)].first = code->kept;
            code->spares[OPW_WHICH(i)].stays = opw_staying(p, &p->group_table[OPW_WHICH(i)]);
            code->kept += p->group_table[OPW_WHICH(i)].temporaries;
        }
#undef OPW_WHICH
    return 0;
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
    code->quick = (opw_quick *)PyMem_Calloc(p->arguments + 1, sizeof(opw_quick));
    code->work_steps = (uint32_t *)PyMem_Calloc(p->steps + 1, sizeof(uint32_t));
    code->follow = (uint32_t *)PyMem_Calloc(p->steps + 1, sizeof(uint32_t));
    code->entries = (uint32_t *)PyMem_Calloc(p->steps + 1, sizeof(uint32_t));
    code->next = (uint32_t *)PyMem_Calloc(p->steps + 1, sizeof(uint32_t));
    code->temporary_offsets = (uint32_t *)PyMem_Calloc(p->variables + 1, sizeof(uint32_t));
    if (!code->offsets || !code->slots || !code->keywords || !code->steps || !code->argument_offsets || !code->result_offsets ||
        !code->quick || !code->work_steps || !code->follow || !code->entries || !code->next || !code->temporary_offsets) {
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
    for (i = 0; i < p->arguments; i++) {
        code->argument_offsets[i] = code->offsets[p->argument_table[i].variable];
        code->quick[i] = opw_quick_of(p->argument_table[i].fit, 0);
    }
    for (i = 0; i < p->results; i++) {
        code->result_offsets[i] = code->offsets[p->result_table[i].variable];
        code->scalars |= p->result_table[i].scalar;
    }
    for (i = 0; i < p->slots; i++)
        code->slots[i] = p->slot_table[i] < 0 ? (uint32_t)(-1 - p->slot_table[i]) : code->offsets[p->slot_table[i]];
    for (i = 0; i < p->arguments; i++)
        if (p->argument_table[i].name && !(code->keywords[i] = PyUnicode_InternFromString(p->argument_table[i].name)))
            return -1;
    for (i = 0; i < p->variables; i++)
        code->wide |= p->types[p->variable_types[i]].number == NPY_LONGDOUBLE || p->types[p->variable_types[i]].number == NPY_CLONGDOUBLE;
    opw_find_work(code);
    if (opw_find_temporaries(code) || opw_find_lane(code) || opw_find_spares(code) || opw_find_chains(code))
        return -1;
    code->alone = code->direct && !code->lane && code->works == 1 && p->results == 1 && p->single && !code->scalars && !p->kept &&
                  !code->temporaries;
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
    PyMem_Free(code->quick);
    PyMem_Free(code->work_steps);
    PyMem_Free(code->follow);
    PyMem_Free(code->entries);
    PyMem_Free(code->next);
    PyMem_Free(code->temporary_offsets);
    PyMem_Free(code->lane);
    PyMem_Free(code->spares);
    PyMem_Free((void *)code->chains);
}
