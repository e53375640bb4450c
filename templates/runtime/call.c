/* One call with bound arguments: walk the table, collect, undo. */
/* ---- the call ------------------------------------------------------------------------------------------ */

/* The group that a step runs, and where its arrays are; NULL: it runs none. */
static const opw_group *opw_group_of(const opw_code *code, char *frame, uint32_t reached, opw_places *places)
{
    const opw_resolved *step = &code->steps[reached];
    *places = opw_in_slots(frame, step->slots + 1);
    return step->run == opw_run_group ? &code->program->group_table[*step->slots] : NULL;
}

/* The arrays that a step reads, None for what is none. A new tuple, or NULL. */
static PyObject *opw_step_inputs(const opw_code *code, char *frame, const opw_step *step)
{
    const opw_program *p = code->program;
    PyObject *inputs = PyTuple_New((Py_ssize_t)step->inputs);
    uint32_t i;
    for (i = 0; inputs && i < step->inputs; i++) {
        uint32_t variable = (uint32_t)p->slot_table[step->reads + i];
        char *slot = opw_slot(frame, code, variable);
        PyObject *value = p->types[p->variable_types[variable]].ndim >= 0 ? (PyObject *)OPW_ARRAY(slot) : OPW_PY(slot);
        if (!value) /* given up, to be replaced: what it was */
            value = OPW_PY(slot);
        if (!value || !PyArray_Check(value))
            value = Py_None;
        Py_INCREF(value);
        PyTuple_SET_ITEM(inputs, (Py_ssize_t)i, value);
    }
    return inputs;
}

/* Whether there is memory to run some Python: CPython 3.11 ends the process where it unwinds without any. */
static int opw_has_memory(void)
{
    void *some = PyMem_Malloc(1 << 14);
    PyMem_Free(some);
    return some != NULL;
}

/* Has the node that failed, and what on, said in the exception that is set; it stays the same exception. status: of a group's
   step, it names the member. */
static void opw_explain(opw_function *self, char *frame, uint32_t reached, int status)
{
    const opw_step *step = &self->code->program->step_table[reached];
    PyObject *type = NULL, *value = NULL, *traceback = NULL, *inputs, *none = NULL;
    opw_places places;
    const opw_group *group = opw_group_of(self->code, frame, reached, &places);
    int node = step->node;
    if (node < 0 || self->failed == Py_None || !opw_has_memory())
        return;
    OPW_FETCH(&type, &value, &traceback);
#if PY_VERSION_HEX < 0x030C0000
    PyErr_NormalizeException(&type, &value, &traceback);
#endif
    inputs = group ? opw_member_inputs(self->code->program, group, places, status, &node) : opw_step_inputs(self->code, frame, step);
    if (inputs)
        none = PyObject_CallFunction(self->failed, "iOO", node, inputs, value);
    if (!none)
        PyErr_WriteUnraisable(self->name);
    Py_XDECREF(none);
    Py_XDECREF(inputs);
    OPW_RESTORE(type, value, traceback);
}

/* Says which of a step's outputs, or of the inputs that it replaced, is not what its type promises. An exception that is set
   stays. */
static void opw_find_unlike(opw_function *self, char *frame, const opw_step *step)
{
    const opw_program *p = self->code->program;
    uint32_t i, inputs = step->inputs;
    for (i = 0; i < inputs + step->outputs; i++) {
        uint32_t variable = (uint32_t)p->slot_table[step->reads + i];
        const opw_type *type = &p->types[p->variable_types[variable]];
        PyObject *left = (PyObject *)OPW_ARRAY(opw_slot(frame, self->code, variable));
        Py_ssize_t position = i < inputs ? -1 - (Py_ssize_t)i : (Py_ssize_t)(i - inputs);
        if (type->ndim >= 0 && !opw_is(left, type->number, type->ndim) && opw_tell(self, (int)step->node, position, left))
            return;
    }
}

/* Sees to it that there is an exception of a step that failed, and that it says which node that was. */
OPW_APART static void opw_fail(char *frame, const opw_code *code, uint32_t reached, int status)
{
    opw_function *self = OPW_HEAD(frame)->self;
    const opw_step *step = &code->program->step_table[reached];
    if (status == OPW_UNLIKE && step->run != opw_run_group && !PyErr_Occurred())
        opw_find_unlike(self, frame, step);
    if (!PyErr_Occurred())
        opw_silent(self, step->label);
    opw_explain(self, frame, reached, status);
}

/* What loops left in the status word is there afterwards too, whatever other C, Python and NumPy do to it that come between them. Reading
   it waits for all that is being computed: it is read before what may clear it, where something ran before that. */
typedef struct {
    int ran, met;
} opw_before;

/* Runs an entry. */
static inline int opw_run_step(char *frame, const opw_code *code, const opw_resolved *step, opw_before *before)
{
    const int other = code->mixed && !opw_is_loop(step->run) && OPW_HEAD(frame)->self->remark;
    int status;
    if (other && before->ran)
        before->met |= opw_met_floats(code->wide);
    status = opw_run_entry(frame, code, step);
    if (other && before->met)
        opw_meet_floats(before->met);
    before->ran = 1;
    return status;
}

/* Runs the table from its start; returns how many entries were reached, and in *failed whether one failed. */
static uint32_t opw_walk(char *frame, const opw_code *code, int *failed)
{
    const uint32_t end = code->program->steps;
    uint32_t i, ran, seen, done = 0; /* done: up to there outputs have taken what out= gives */
    opw_before before = {0, 0};
    for (i = 0; i < end; i++) {
        const opw_resolved *step = &code->steps[i];
        int status = 0;
        if (i < done && step->undo)
            continue;
        if (i >= done && code->next[i] > 1 && !step->undo && opw_may_go_together(frame, code, i)) {
            ran = opw_run_together(frame, code, code->entries + i, code->next[i], &seen, &status);
            done = i + seen;
            if (ran) {
                before.ran = 1;
                i += ran - 1;
                continue;
            }
            if (status) { /* the last of these; with -1 it holds nothing */
                i = done - 1;
                done -= status < 0;
            }
        }
        if (!status)
            status = opw_run_step(frame, code, step, &before);
        if (!status)
            continue;
        opw_fail(frame, code, i, status);
        *failed = 1;
        i += status > 0;
        return i < done ? done : i;
    }
    return end;
}

static void opw_undo(char *frame, const opw_code *code, uint32_t reached)
{
    const opw_resolved *step = code->steps + reached;
    while (step-- > code->steps)
        if (step->undo)
            step->undo(frame, step->slots);
}

/* Undoes what was reached, last first. The exception that is set stays as it is. */
static void opw_undo_failed(char *frame, const opw_code *code, uint32_t reached)
{
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    OPW_FETCH(&type, &value, &traceback);
    opw_undo(frame, code, reached);
    OPW_RESTORE(type, value, traceback);
}

/* One result as a new reference. */
static PyObject *opw_result_of(opw_function *self, char *frame, Py_ssize_t i)
{
    PyObject *value = OPW_PY(frame + self->code->result_offsets[i]);
    PyObject *out = OPW_HEAD(frame)->out[i];
    if (!value) {
        const opw_program *p = self->code->program;
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_RuntimeError, "%U(): %s.c_sync left no object in py_<name> for result %zd, and set no exception",
                         self->name, p->types[p->variable_types[p->result_table[i].variable]].label, i);
        return NULL;
    }
    if (value == Py_None && opw_tell(self, -1, i, NULL))
        return NULL;
    if (out && out != value)
        return opw_copy_out(self, i, out, value);
    Py_INCREF(value);
    return out ? value : opw_returned(self->code->program, i, value);
}

static PyObject *opw_collect(opw_function *self, char *frame)
{
    const opw_program *p = self->code->program;
    PyObject *list;
    Py_ssize_t i, n = (Py_ssize_t)(p->results - p->updates);
    if (p->single) {
        if (n)
            return opw_result_of(self, frame, 0);
        Py_RETURN_NONE;
    }
    list = PyList_New(n);
    for (i = 0; list && i < n; i++) {
        PyObject *value = opw_result_of(self, frame, i);
        if (value)
            PyList_SET_ITEM(list, i, value);
        else
            Py_CLEAR(list);
    }
    return list;
}

/* Takes the new shared values out of the frame; they wait where out= objects do. Non-zero: one is missing. */
static int opw_collect_updates(opw_function *self, char *frame)
{
    const opw_program *p = self->code->program;
    Py_ssize_t i;
    for (i = (Py_ssize_t)(p->results - p->updates); i < (Py_ssize_t)p->results; i++) {
        PyObject *value = opw_result_of(self, frame, i);
        if (!value)
            return -1;
        OPW_HEAD(frame)->out[i] = value;
    }
    return 0;
}

/* Puts the new shared values into their cells, or drops them. Nothing here can fail: all are stored or none, and what stood
   there is released when all are. A value that was set while the call ran stays: the call counts as one before it. */
static void opw_store_updates(opw_function *self, char *frame, int succeeded)
{
    const opw_program *p = self->code->program;
    PyObject **out = OPW_HEAD(frame)->out, **read = out + p->results;
    Py_ssize_t i, k, first = (Py_ssize_t)(p->results - p->updates);
    for (i = first, k = 0; succeeded && i < (Py_ssize_t)p->results; i++, k++) {
        PyObject *cell = PyTuple_GET_ITEM(self->cells, p->result_table[i].update);
        if (out[i] && PyList_GET_SIZE(cell) == 1 && PyList_GET_ITEM(cell, 0) == read[k]) {
            PyList_SET_ITEM(cell, 0, out[i]);
            out[i] = read[k]; /* the earlier value: the cell's reference */
        }
    }
    for (i = first, k = 0; i < (Py_ssize_t)p->results; i++, k++) {
        Py_CLEAR(out[i]);
        Py_CLEAR(read[k]);
    }
}

/* Walks the table over bound arguments, and back. */
static PyObject *opw_run(opw_function *self, char *frame, PyObject *out)
{
    const opw_code *code = self->code;
    PyObject *result = NULL;
    int failed = 0;
    uint32_t reached = opw_walk(frame, code, &failed);

    if (out && PyErr_Occurred()) /* a fragment set one and went on: nothing is copied */
        failed = 1;
    if (!failed && (!out || !opw_set_results_apart(self, frame)))
        result = opw_collect(self, frame);
    if (result && code->program->updates && opw_collect_updates(self, frame))
        Py_CLEAR(result);
    if (result && self->remark && opw_met_floats(code->wide) && opw_remark(self, frame))
        Py_CLEAR(result);
    OPW_HEAD(frame)->keeping = result != NULL;
    if (!result) {
        opw_undo_failed(frame, code, reached);
        if (code->program->updates)
            opw_store_updates(self, frame, 0);
        return NULL;
    }
    opw_undo(frame, code, reached);
    if (PyErr_Occurred()) /* a fragment set one and went on */
        Py_CLEAR(result);
    if (code->program->updates)
        opw_store_updates(self, frame, result != NULL);
    return result;
}
