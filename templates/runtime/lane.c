/* A call that is one loop, where its arguments are as nearly all are. */
/* ---- lanes -------------------------------------------------------------------------------------------------------- */

/* No frame is laid out: the operands are the arguments and the instance's constants. Only what is usual goes here: arrays that
   are taken as they are, and numbers; in C order, of one shape or none, of loops whose shapes need no second way. Whatever else
   comes, an error too, is left to the other ways, before anything is done that could be seen; what fails in the loop, they do
   again, and say. */

/* The operands of a loop in a lane. */
typedef struct {
    char *p[OPW_MAX_OPERANDS];
    npy_intp n;
    const npy_intp *dims; /* of what has dimensions */
    PyObject *const *given; /* the arguments */
    PyObject *converted[OPW_DIRECT_ARGUMENTS]; /* owned: of those of `made`, a bit for each, what stands for them */
    npy_uint64 made;
    npy_bool truths[OPW_MAX_OPERANDS]; /* of each output that is a scalar of bool; it has no object before it is known */
} opw_usual;

/* An argument, as what the loop reads, borrowed. */
OPW_INLINE PyObject *opw_in_lane_of(const opw_usual *o, uint32_t i) { return o->made >> i & 1 ? o->converted[i] : o->given[i]; }

/* A number, or NumPy's scalar, as an array: a new reference. NULL: it is left to the other ways. */
static PyObject *opw_number_in_lane(opw_function *self, int32_t i, PyObject *value)
{
    opw_ready *ready = self->ready ? self->ready[i] : NULL;
    PyObject *array = ready ? opw_from_number(&ready->rule, value, &ready->spare) : NULL;
    if (array && !opw_accepts(&self->code->program->argument_table[i], array))
        Py_CLEAR(array);
    if (!array)
        PyErr_Clear();
    return array;
}

/* Gives up those arguments that are conversions, a bit for each. */
OPW_APART static void opw_release_made(PyObject *const *args, npy_uint64 made)
{
    for (; made; args++, made >>= 1)
        if (made & 1)
            Py_DECREF(*args); /* release what an argument was converted to (owned) */
}

/* What of a lane is known while this is compiled, for the loops over operands and much that is asked to be left out. */
typedef struct { int arguments, outputs, plain; } opw_lane_kind;

/* How many dimensions there are. */
OPW_INLINE int opw_ndim_of(const opw_lane *lane, opw_lane_kind kind) { return kind.plain ? 1 : lane->ndim; }

/* Whether an object, borrowed, is what nearly every array is. plain: that is a vector of any length. */
OPW_INLINE int opw_is_quick(const opw_quick *quick, int plain, PyObject *object)
{
    PyArrayObject *array = (PyArrayObject *)object;
    return OPW_MOSTLY(PyArray_CheckExact(object)) && OPW_MOSTLY(PyArray_DESCR(array) == quick->dtype) &&
           OPW_MOSTLY(PyArray_NDIM(array) == (plain ? 1 : quick->ndim)) && OPW_MOSTLY(!(~PyArray_FLAGS(array) & quick->flags)) &&
           (plain || OPW_MOSTLY(!quick->sizes) || opw_has_sizes(quick->sizes, array));
}

/* An argument that is not what nearly all are, borrowed. NULL: it is left to the other ways. */
__attribute__((noinline)) static PyObject *opw_other_in_lane(opw_function *self, const opw_taken_input *taken, PyObject *value, opw_usual *o)
{
    int32_t from = taken->from;
    if (!opw_accepts(&self->code->program->argument_table[from], value)) {
        if (!(value = opw_number_in_lane(self, from, value)))
            return NULL;
        o->converted[from] = value;
        o->made |= (npy_uint64)1 << from;
    }
    return PyArray_NDIM((PyArrayObject *)value) == taken->quick.ndim && PyArray_IS_C_CONTIGUOUS((PyArrayObject *)value) ? value : NULL;
}

/* Whether lengths are the same, of one dimension or more. */
OPW_INLINE int opw_same_lengths(int ndim, const npy_intp *dims, const npy_intp *others)
{
    int i;
    for (i = 1; OPW_MOSTLY(*dims == *others); i++, dims++, others++)
        if (OPW_MOSTLY(i >= ndim))
            return 1;
    return 0;
}

/* Takes an array as an input; *dims: the lengths of those before it, NULL: they have none. 0: it is not as long as they are. */
OPW_INLINE int opw_take_input(int ndim, int is_number, const opw_taken_input *taken, PyArrayObject *array, char **p, const npy_intp **dims)
{
    p[taken->input] = PyArray_BYTES(array);
    if (is_number)
        return 1;
    if (*dims)
        return opw_same_lengths(ndim, *dims, PyArray_DIMS(array));
    *dims = PyArray_DIMS(array);
    return 1;
}

/* Whether the arguments are what a lane is for; sets all but what the outputs are. */
OPW_INLINE int opw_enter_lane(opw_function *self, const opw_lane *lane, PyObject *const *args, opw_lane_kind kind, opw_usual *o)
{
    const opw_taken_input *taken = lane->inputs;
    const int ndim = opw_ndim_of(lane, kind);
    const npy_intp *dims = NULL;
    npy_intp n;
    int i;
    o->given = args;
#pragma GCC unroll 2
    for (i = 0; i < kind.arguments; i++, taken++) {
        PyObject *value = args[i];
        if (!opw_is_quick(&taken->quick, kind.plain, value) && !(value = opw_other_in_lane(self, taken, value, o)))
            return 0;
        if (!opw_take_input(ndim, !kind.plain && !taken->quick.ndim, taken, (PyArrayObject *)value, o->p, &dims))
            return 0;
    }
    for (i = 0; i < lane->constants; i++, taken++) {
        PyArrayObject *array = OPW_ARRAY(self->constants + taken->from);
        const int is_number = kind.plain || !taken->quick.ndim;
        if ((!is_number && !PyArray_IS_C_CONTIGUOUS(array)) || !opw_take_input(ndim, is_number, taken, array, o->p, &dims))
            return 0;
    }
    for (n = kind.plain || dims ? dims[0] : 1, i = 1; i < ndim; i++)
        n *= dims[i];
    o->dims = dims;
    o->n = n;
    return 1;
}

/* Whether the one result may be written into what was given for it. All lies close, in no more bytes than `reach`; what begins nearer to
   it than these, or is empty, the other ways look at. */
OPW_INLINE int opw_out_fits(const opw_lane *lane, opw_lane_kind kind, PyObject *out, const opw_usual *o)
{
    const npy_uintp reach = (npy_uintp)(o->n * lane->widest);
    const int ndim = opw_ndim_of(lane, kind);
    npy_uintp from;
    int i;
    if (!opw_is_quick(&lane->out, kind.plain, out) || (!kind.plain && lane->out.ndim != ndim) ||
        (ndim && !opw_same_lengths(ndim, o->dims, PyArray_DIMS((PyArrayObject *)out))))
        return 0;
    from = (npy_uintp)PyArray_BYTES((PyArrayObject *)out) - reach;
    for (i = 0; i < lane->loop->inputs; i++)
        if ((npy_uintp)o->p[i] - from - 1 < 2 * reach - 1)
            return 0;
    return 1;
}

/* Drops outputs; an exception that is set stays. */
OPW_APART static void opw_drop_outputs(PyObject **outputs, int made)
{
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    OPW_FETCH(&type, &value, &traceback);
    while (made-- > 0)
        Py_XDECREF(outputs[made]); /* release what a lane made (owned) */
    OPW_RESTORE(type, value, traceback);
}

/* The same where the call is left to the other ways: the exception will be met again. */
OPW_APART static int opw_leave_lane(PyObject **outputs, int made)
{
    opw_drop_outputs(outputs, made);
    PyErr_Clear();
    return 0;
}

/* Makes the outputs, or takes the one that is given. Returns how many there are now. */
OPW_INLINE int opw_make_outputs(const opw_lane *lane, opw_lane_kind kind, PyObject *out, int scalars, PyObject **outputs, opw_usual *o)
{
    const int ndim = opw_ndim_of(lane, kind);
    int i;
    for (i = 0; i < kind.outputs; i++) {
        int operand = lane->loop->inputs + i, type = lane->loop->types[operand];
        if (out) {
            Py_INCREF(out);
            outputs[i] = out;
        } else if (scalars && !ndim) {
            if ((outputs[i] = type == NPY_BOOL ? NULL : opw_new_scalar(type)))
                o->p[operand] = (char *)OPW_SCALAR_VALUE(outputs[i]);
            else if (type == NPY_BOOL)
                o->p[operand] = (char *)&o->truths[i];
            else
                break;
            continue;
        } else {
            Py_INCREF(opw_dtypes[type]); /* NumPy takes it */
            outputs[i] = PyArray_NewFromDescr(&PyArray_Type, opw_dtypes[type], ndim, (npy_intp *)o->dims, NULL, NULL, 0, NULL);
            if (!outputs[i])
                break;
        }
        o->p[operand] = PyArray_BYTES((PyArrayObject *)outputs[i]);
    }
    return i;
}

/* What np.errstate wants said of a call that has succeeded. Non-zero: an exception is set. */
OPW_APART static int opw_remark_of(opw_function *self, const opw_usual *o)
{
    union { char bytes[OPW_DIRECT_FRAME]; void *align; double align_double; } small;
    uint32_t i;
    for (i = 0; i < self->code->program->arguments; i++)
        OPW_PY(opw_argument_slot(small.bytes, self->code, (Py_ssize_t)i)) = opw_in_lane_of(o, i);
    return opw_remark(self, small.bytes);
}

/* So many elements are sooner computed twice than the status word is read twice. */
#define OPW_TWICE 1024

/* Whether a loop that computes and does nothing else has met anything of floating point, where the word may say what was met before:
   it is run again. Non-zero also where that fails. */
OPW_APART static int opw_meets_again(opw_function *self, opw_usual *o)
{
    const opw_lane *lane = self->code->lane;
    opw_forget_floats(0);
    return opw_run_lane_loop(self, lane, o->n, o->p) || opw_met_floats(0);
}

/* The outputs as the call's result, whose references it takes. NULL: an exception is set. */
OPW_INLINE PyObject *opw_results_of(const opw_code *code, opw_lane_kind kind, PyObject **outputs)
{
    PyObject *list;
    uint32_t i;
    if (kind.plain || code->program->single)
        return outputs[0];
    if ((list = PyList_New((Py_ssize_t)code->program->results)))
        for (i = 0; i < code->program->results; i++)
            PyList_SET_ITEM(list, code->lane->to[i], outputs[i]);
    return list;
}

/* Gives the outputs that have no scalar of their own one of NumPy's two of bool. */
OPW_INLINE void opw_choose_truths(int n, PyObject **outputs, const opw_usual *o)
{
    int i;
    for (i = 0; i < n; i++)
        if (!outputs[i]) {
            outputs[i] = PyArrayScalar_FromLong(o->truths[i]);
            Py_INCREF(outputs[i]);
        }
}

/* What comes after the arguments are in: 0: the call is left to the other ways. */
OPW_INLINE int opw_run_lane(opw_function *self, const opw_lane *lane, opw_lane_kind kind, PyObject *out, PyObject **result, opw_usual *o)
{
    const opw_code *code = self->code;
    const int may = kind.plain || lane->twice, twice = may && o->n <= OPW_TWICE, wide = may ? 0 : code->wide;
    PyObject *outputs[OPW_MAX_OPERANDS];
    int made;
    if (out && !opw_out_fits(lane, kind, out, o))
        return 0;
    if ((made = opw_make_outputs(lane, kind, out, code->scalars, outputs, o)) < kind.outputs)
        return opw_leave_lane(outputs, made);
    if (self->remark && !twice)
        opw_forget_floats(wide);
    if (opw_run_lane_loop(self, lane, o->n, o->p) || (!may && !lane->pure && PyErr_Occurred()))
        return opw_leave_lane(outputs, made);
    *result = NULL;
    if (!self->remark || !opw_met_floats(wide) || (twice && !opw_meets_again(self, o)) || !opw_remark_of(self, o)) {
        if (!kind.plain && code->scalars)
            opw_choose_truths(kind.outputs, outputs, o);
        *result = opw_results_of(code, kind, outputs);
    }
    if (!*result)
        opw_drop_outputs(outputs, made);
    return 1;
}

/* Calls a function of such a lane; 0: the call is left to the other ways. out: NULL, or what is given for the result. */
OPW_INLINE int opw_in_lane(opw_function *self, PyObject *const *args, PyObject *out, PyObject **result, opw_lane_kind kind)
{
    const opw_lane *lane = self->code->lane;
    opw_usual o;
    int done;
    o.made = 0;
    done = opw_enter_lane(self, lane, args, kind, &o) && opw_run_lane(self, lane, kind, out, result, &o);
    if (o.made)
        opw_release_made(o.converted, o.made);
    return done;
}

/* Calls in the lane; 0: the call is left to the other ways. */
OPW_INLINE int opw_take_lane(opw_function *self, PyObject *const *args, Py_ssize_t given, PyObject *names, PyObject **result)
{
    const opw_lane *lane = self->code->lane;
    PyObject *out = NULL;
    if (given != lane->arguments)
        return 0;
    if (names) {
        if (PyTuple_GET_SIZE(names) != 1 || PyTuple_GET_ITEM(names, 0) != self->code->keywords[given])
            return 0;
        out = args[given];
    }
    if (lane->plain && lane->arguments == 2)
        return opw_in_lane(self, args, out, result, (opw_lane_kind){2, 1, 1});
    if (lane->plain && lane->arguments == 1)
        return opw_in_lane(self, args, out, result, (opw_lane_kind){1, 1, 1});
    if (lane->arguments == 2 && lane->loop->outputs == 1)
        return opw_in_lane(self, args, out, result, (opw_lane_kind){2, 1, 0});
    if (lane->arguments == 1 && lane->loop->outputs == 1)
        return opw_in_lane(self, args, out, result, (opw_lane_kind){1, 1, 0});
    return opw_in_lane(self, args, out, result, (opw_lane_kind){lane->arguments, lane->loop->outputs, 0});
}
