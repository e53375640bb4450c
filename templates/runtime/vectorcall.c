/* The callable's entry: a call by the table, or directly where it may work on what others hold for it (gen/lent.go). */
/* ---- calls without a walk ----------------------------------------------------------------------------------------- */

/* Where a call may work on what others hold for it, it takes and gives up nothing but what its steps make: of the table it needs
   those steps alone. alone: where that is one step that makes one result, most of what follows is left out by the compiler. */

/* An argument that is not what nearly every array is, as an array, borrowed from the caller; one that was converted is owned: in its
   place in owned, a bit for it in *made. NULL: an exception is set. */
__attribute__((noinline)) static PyObject *opw_other_argument(char *frame, const opw_code *code, uint32_t i, PyObject *value, PyObject **owned,
                                                             npy_uint64 *made)
{
    const opw_argument *argument = &code->program->argument_table[i];
    if (opw_accepts(argument, value))
        return value;
    if (!(value = opw_convert(frame, i, value)))
        return NULL;
    if (!opw_accepts(argument, value)) {
        opw_refuse(value, opw_label_of(code, argument->variable));
        return NULL;
    }
    owned[i] = value;
    *made |= (npy_uint64)1 << i;
    return value;
}

/* Puts the arguments into their slots. -1: an exception is set. */
OPW_INLINE int opw_take_arguments(char *frame, const opw_code *code, PyObject *const *args, PyObject **owned, npy_uint64 *made)
{
    const opw_quick *quick = code->quick, *end = quick + code->program->arguments;
    const uint32_t *offset = code->argument_offsets;
    for (; quick < end; quick++, offset++, args++) {
        PyObject *value = *args;
        if (!opw_is_quick(quick, 0, value) && !(value = opw_other_argument(frame, code, (uint32_t)(quick - code->quick), value, owned, made)))
            return -1;
        OPW_PY(frame + *offset) = value;
        OPW_ARRAY(frame + *offset) = (PyArrayObject *)value;
    }
    return 0;
}

/* Begins what the steps will make: nothing, or what the instance kept, of which py_<name> has a reference of its own. */
OPW_INLINE void opw_begin_made(char *frame, const opw_code *code, int alone)
{
    const opw_program *p = code->program;
    uint32_t i;
    for (i = 0; i < (alone ? 1 : p->results); i++) {
        OPW_PY(frame + code->result_offsets[i]) = Py_None;
        OPW_ARRAY(frame + code->result_offsets[i]) = NULL;
    }
    if (alone)
        return;
    if (code->scalars)
        opw_offer_kept_results(frame, code);
    for (i = 0; i < code->temporaries; i++) {
        OPW_PY(frame + code->temporary_offsets[i]) = Py_None;
        OPW_ARRAY(frame + code->temporary_offsets[i]) = NULL;
    }
    for (i = 0; i < p->kept; i++) {
        char *slot = frame + code->offsets[p->kept_variables[i]];
        PyObject *kept = opw_take_kept(frame, i);
        OPW_PY(slot) = kept ? kept : Py_None;
        OPW_ARRAY(slot) = (PyArrayObject *)kept;
        Py_INCREF(OPW_PY(slot));
    }
}

/* Gives up the temporaries, or keeps them for the next call. */
static inline void opw_leave_temporaries(char *frame, const opw_code *code, int keep)
{
    const opw_program *p = code->program;
    uint32_t i;
    for (i = 0; i < code->temporaries; i++)
        Py_XDECREF(OPW_ARRAY(frame + code->temporary_offsets[i])); /* release what a step made (owned) */
    for (i = p->kept; i-- > 0;) {
        char *slot = frame + code->offsets[p->kept_variables[i]];
        PyObject *made = (PyObject *)OPW_ARRAY(slot);
        Py_DECREF(OPW_PY(slot)); /* release what the instance had kept (owned) */
        if (made && keep)
            opw_keep(frame, i, made);
        else
            Py_XDECREF(made);
    }
}

/* Runs the steps that do the work. Non-zero: an exception is set. */
OPW_INLINE int opw_run_work(char *frame, const opw_code *code, int alone)
{
    uint32_t i, ran, seen;
    opw_before before = {0, 0};
    for (i = 0; i < (alone ? 1 : code->works); i++) {
        const opw_resolved *step = &code->steps[code->work_steps[i]];
        int status = 0;
        if (!alone && code->follow[i] > 1 && opw_may_go_together(frame, code, code->work_steps[i]) &&
            (ran = opw_run_together(frame, code, code->work_steps + i, code->follow[i], &seen, &status))) {
            before.ran = 1;
            i += ran - 1;
            continue;
        }
        status = alone ? opw_run_entry(frame, code, step) : opw_run_step(frame, code, step, &before);
        if (status) {
            opw_fail(frame, code, code->work_steps[i], status);
            return 1;
        }
    }
    return PyErr_Occurred() != NULL; /* a fragment set one and went on */
}

/* What the steps left as the call's result, whose references it takes. NULL: an exception is set. */
OPW_INLINE PyObject *opw_hand_over(char *frame, const opw_code *code, int alone)
{
    uint32_t i;
    PyObject *list;
    if (alone)
        return (PyObject *)OPW_ARRAY(frame + code->result_offsets[0]);
    if (code->program->single && !code->program->results)
        Py_RETURN_NONE;
    if (code->program->single)
        return opw_hand(frame, code, 0);
    if (!(list = PyList_New(code->program->results)))
        return NULL;
    for (i = 0; i < code->program->results; i++) {
        PyObject *value = opw_hand(frame, code, i);
        if (!value) {
            Py_DECREF(list);
            return NULL;
        }
        OPW_ARRAY(frame + code->result_offsets[i]) = NULL;
        PyList_SET_ITEM(list, i, value);
    }
    return list;
}

/* Drops what a call made that has failed. */
OPW_APART static void opw_drop_made(char *frame, const opw_code *code)
{
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    uint32_t i;
    OPW_FETCH(&type, &value, &traceback);
    for (i = 0; i < code->program->results; i++)
        Py_XDECREF(OPW_ARRAY(frame + code->result_offsets[i])); /* release what a step made (owned) */
    opw_leave_temporaries(frame, code, 0);
    OPW_RESTORE(type, value, traceback);
}

/* Sets up a frame for a call. */
static inline void opw_begin(opw_function *self, char *frame)
{
    const opw_code *code = self->code;
    OPW_HEAD(frame)->self = self;
    OPW_HEAD(frame)->program = code->program;
    OPW_HEAD(frame)->structs = self->structs;
    if (self->constants)
        memcpy(frame + code->constants_begin, self->constants + code->constants_begin,
               code->constants_end - code->constants_begin);
    if (self->remark)
        opw_forget_floats(code->wide);
}

OPW_INLINE PyObject *opw_call_working(opw_function *self, PyObject *const *args, int alone)
{
    union { char bytes[OPW_DIRECT_FRAME]; void *align; double align_double; } small;
    const opw_code *code = self->code;
    char *frame = small.bytes;
    PyObject *result = NULL, *owned[OPW_DIRECT_ARGUMENTS];
    npy_uint64 made = 0;
    opw_begin(self, frame);
    if (!opw_take_arguments(frame, code, args, owned, &made)) {
        opw_begin_made(frame, code, alone);
        if (opw_run_work(frame, code, alone) || (self->remark && opw_met_floats(code->wide) && opw_remark(self, frame)) ||
            !(result = opw_hand_over(frame, code, alone)))
            opw_drop_made(frame, code);
        else if (!alone)
            opw_leave_temporaries(frame, code, 1);
    }
    if (made)
        opw_release_made(owned, made);
    return result;
}

static PyObject *opw_call_directly(opw_function *self, PyObject *const *args) { return opw_call_working(self, args, 0); }
__attribute__((noinline)) static PyObject *opw_call_alone(opw_function *self, PyObject *const *args) { return opw_call_working(self, args, 1); }

/* ---- the entry ---------------------------------------------------------------------------------------------------- */

static PyObject *opw_call_in(opw_function *self, char *frame, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    const opw_program *p = self->code->program;
    PyObject *out = NULL, *result = NULL;
    uint32_t i;

    opw_begin(self, frame);
    for (i = 0; i < p->results + p->updates; i++)
        OPW_HEAD(frame)->out[i] = NULL;
    if (opw_bind(self, frame, args, given, names, &out))
        return NULL;
    if (!out)
        return opw_run(self, frame, NULL);
    if (!opw_take_outs(self, frame, out))
        result = opw_run(self, frame, out);
    opw_leave_outs(frame, p);
    return result;
}

/* Frames up to this size lie on the stack. */
#define OPW_SMALL_FRAME 4096

/* A call by the table. Apart from the entry, whose own frame a call without a walk would set up in vain. */
__attribute__((noinline)) static PyObject *opw_call(opw_function *self, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    union { char bytes[OPW_SMALL_FRAME]; void *align; double align_double; } small;
    char *frame = small.bytes;
    PyObject *result = NULL;

    if (self->code->frame_size > sizeof(small) && !(frame = (char *)PyMem_Malloc(self->code->frame_size)))
        return PyErr_NoMemory();
    if (!self->turns || !opw_lock(self)) {
        result = opw_call_in(self, frame, args, given, names);
        if (self->turns)
            opw_unlock(self, PyTuple_GET_SIZE(self->turns));
    }
    if (frame != small.bytes)
        PyMem_Free(frame);
    return result;
}

/* What a call does that no shorter way is for. */
__attribute__((noinline)) static PyObject *opw_call_otherwise(opw_function *self, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    if (self->code->direct && given == (Py_ssize_t)self->code->program->arguments && !names)
        return opw_call_directly(self, args);
    return opw_call(self, args, given, names);
}

static PyObject *opw_vectorcall(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *names)
{
    opw_function *self = (opw_function *)callable;
    Py_ssize_t given = PyVectorcall_NARGS(nargsf);
    PyObject *result = NULL;
    if (self->code->alone && given == (Py_ssize_t)self->code->program->arguments && !names)
        return opw_call_alone(self, args);
    if (self->code->lane && opw_take_lane(self, args, given, names, &result))
        return result;
    return opw_call_otherwise(self, args, given, names);
}

/* The entry of functions that are made for several threads. */
static PyObject *opw_call_on_threads(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *names)
{
    int before = opw_threads;
    PyObject *result;
    opw_threads = ((opw_function *)callable)->threads;
    result = OPW_ENTRY(callable, args, nargsf, names);
    opw_threads = before;
    return result;
}
