/* The callable's entry: a call by the table, or directly where the work is loops alone. */
/* ---- calls without a walk ----------------------------------------------------------------------------------------- */

/* Where all variables are arrays, of types that do no more than hold a reference to one, and all work is loops, a call takes and
   gives up nothing but what the loops leave: the caller holds the arguments, the instance the constants, and what is made is the
   result. It needs none of the entries of the table that are not loops. */

/* The arguments as arrays, borrowed from the caller; those that were converted are owned, a bit for each in *made. -1: an
   exception is set. */
static int opw_take_arguments(char *frame, const opw_code *code, PyObject *const *args, uint64_t *made)
{
    const opw_argument *table = code->program->argument_table;
    uint32_t i, n = code->program->arguments;
    for (i = 0; i < n; i++) {
        char *slot = opw_argument_slot(frame, code, i);
        PyObject *value = args[i];
        if (!table[i].accept(value)) {
            if (!(value = opw_convert(frame, i, value)))
                return -1;
            if (!table[i].accept(value))
                return opw_refuse(value, opw_label_of(code, table[i].variable));
            *made |= (uint64_t)1 << i;
        }
        OPW_PY(slot) = value;
        OPW_ARRAY(slot) = (PyArrayObject *)value;
    }
    return 0;
}

OPW_APART static void opw_release_arguments(char *frame, const opw_code *code, uint64_t made)
{
    uint32_t i;
    for (i = 0; made; i++, made >>= 1)
        if (made & 1)
            Py_DECREF(OPW_PY(opw_argument_slot(frame, code, i))); /* release what the argument was converted to (owned) */
}

/* Runs the loops. Non-zero: an exception is set. */
static int opw_run_loops(char *frame, const opw_code *code)
{
    uint32_t i;
    for (i = 0; i < code->loops; i++) {
        const opw_resolved *step = &code->steps[code->loop_steps[i]];
        int status = step->run(frame, step->slots);
        if (status) {
            opw_fail(frame, code, code->loop_steps[i], status);
            return 1;
        }
    }
    return PyErr_Occurred() != NULL; /* a fragment set one and went on */
}

/* What the loops left as the call's result, whose references it takes. NULL: an exception is set. */
static PyObject *opw_hand_over(char *frame, const opw_code *code)
{
    uint32_t i;
    PyObject *list;
    if (code->program->single)
        return (PyObject *)OPW_ARRAY(frame + code->result_offsets[0]);
    if (!(list = PyList_New(code->program->results)))
        return NULL;
    for (i = 0; i < code->program->results; i++)
        PyList_SET_ITEM(list, i, (PyObject *)OPW_ARRAY(frame + code->result_offsets[i]));
    return list;
}

OPW_APART static void opw_drop_results(char *frame, const opw_code *code)
{
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    uint32_t i;
    OPW_FETCH(&type, &value, &traceback);
    for (i = 0; i < code->program->results; i++)
        Py_XDECREF(OPW_ARRAY(frame + code->result_offsets[i])); /* release what a loop made (owned) */
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

static PyObject *opw_call_directly(opw_function *self, PyObject *const *args)
{
    union { char bytes[OPW_DIRECT_FRAME]; void *align; double align_double; } small;
    const opw_code *code = self->code;
    char *frame = small.bytes;
    PyObject *result = NULL;
    uint64_t made = 0;
    uint32_t i;
    opw_begin(self, frame);
    if (!opw_take_arguments(frame, code, args, &made)) {
        for (i = 0; i < code->program->results; i++) {
            OPW_PY(frame + code->result_offsets[i]) = NULL;
            OPW_ARRAY(frame + code->result_offsets[i]) = NULL;
        }
        if (opw_run_loops(frame, code) || (self->remark && opw_met_floats(code->wide) && opw_remark(self, frame)) ||
            !(result = opw_hand_over(frame, code)))
            opw_drop_results(frame, code);
    }
    if (made)
        opw_release_arguments(frame, code, made);
    return result;
}

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

static PyObject *opw_vectorcall(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *names)
{
    opw_function *self = (opw_function *)callable;
    Py_ssize_t given = PyVectorcall_NARGS(nargsf);
    if (self->code->loops && given == (Py_ssize_t)self->code->program->arguments && !names)
        return opw_call_directly(self, args);
    return opw_call(self, args, given, names);
}
