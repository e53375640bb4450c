/* A call that is one loop, where its arguments are as nearly all are. */
/* ---- lanes -------------------------------------------------------------------------------------------------------- */

/* No frame is laid out: the operands are the arguments and the instance's constants. Only what is usual goes here: arrays that
   are taken as they are, and numbers; in C order, of one shape or none, of loops whose shapes need no second way. Whatever else
   comes, an error too, is left to the other ways, before anything is done that could be seen; what fails in the loop, they do
   again, and say. */

/* The operands of a loop in a lane. */
typedef struct {
    char *p[OPW_MAX_OPERANDS];
    npy_intp s[OPW_MAX_OPERANDS], n;
    npy_uint64 shaped;  /* a bit for each input that has dimensions */
    PyArrayObject *like; /* one of those; NULL: there is none */
    PyObject *args[OPW_MAX_OPERANDS]; /* borrowed, but for those of `made`, a bit for each */
    npy_uint64 made;
    npy_bool truths[OPW_MAX_OPERANDS]; /* of each output that is a scalar of bool; it has no object before it is known */
} opw_usual;

/* A number, or NumPy's scalar, as an array: a new reference. NULL: it is left to the other ways. */
OPW_APART static PyObject *opw_number_in_lane(opw_function *self, int i, PyObject *value)
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

/* Whether the arguments are what a lane is for; sets all but what the outputs are. */
OPW_INLINE int opw_enter_lane(opw_function *self, PyObject *const *args, int inputs, opw_usual *o)
{
    const opw_lane *lane = self->code->lane;
    const opw_loop *work = lane->loop;
    const opw_argument *table = self->code->program->argument_table;
    int i, n = (int)self->code->program->arguments;
    o->like = NULL;
    o->shaped = 0;
    for (i = 0; i < n; i++) {
        PyObject *value = args[i];
        if (!opw_accepts(&table[i], value)) {
            if (!(value = opw_number_in_lane(self, i, value)))
                return 0;
            o->made |= (npy_uint64)1 << i;
        }
        o->args[i] = value;
    }
    for (i = 0; i < inputs; i++) {
        int32_t from = lane->from[i];
        PyArrayObject *array = from >= 0 ? (PyArrayObject *)o->args[from] : OPW_ARRAY(self->constants + (-1 - from));
        o->p[i] = PyArray_BYTES(array);
        o->s[i] = 0;
        if (!PyArray_NDIM(array))
            continue;
        if (!PyArray_IS_C_CONTIGUOUS(array) ||
            (o->like && !opw_has_dims(array, PyArray_NDIM(o->like), PyArray_DIMS(o->like))))
            return 0;
        o->like = array;
        o->s[i] = work->sizes[i];
        o->shaped |= (npy_uint64)1 << i;
    }
    o->n = 1;
    for (i = 0; o->like && i < PyArray_NDIM(o->like); i++)
        o->n *= PyArray_DIM(o->like, i);
    for (i = 0; lane->group && o->shaped && i < (int)lane->group->masks; i++)
        if (!(lane->group->mask_table[i] & o->shaped))
            return 0;
    return 1;
}

OPW_INLINE int opw_may_share(PyArrayObject *array, PyArrayObject *out)
{
    return !opw_own_theirs(array, out) && opw_touches((PyObject *)array, (PyObject *)out);
}

/* Whether the one result may be written into what was given for it. */
static int opw_out_fits(opw_function *self, PyObject *out, const opw_usual *o)
{
    const opw_program *p = self->code->program;
    uint32_t i;
    if (!p->single || p->results != 1 || !opw_accepts_out(&p->result_table[0], out) ||
        !PyArray_IS_C_CONTIGUOUS((PyArrayObject *)out) ||
        !opw_has_dims((PyArrayObject *)out, o->like ? PyArray_NDIM(o->like) : 0, o->like ? PyArray_DIMS(o->like) : NULL))
        return 0;
    for (i = 0; i < p->arguments; i++)
        if (opw_may_share((PyArrayObject *)o->args[i], (PyArrayObject *)out))
            return 0;
    for (i = 0; i < p->constants; i++)
        if (opw_may_share(OPW_ARRAY(self->constants + self->code->offsets[p->constant_variables[i]]), (PyArrayObject *)out))
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
OPW_INLINE int opw_make_outputs(const opw_loop *work, PyObject *out, int scalars, int inputs, int n, PyObject **outputs, opw_usual *o)
{
    int i;
    for (i = 0; i < n; i++) {
        int operand = inputs + i, type = work->types[operand];
        o->s[operand] = work->sizes[operand];
        if (out) {
            Py_INCREF(out);
            outputs[i] = out;
        } else if (scalars && !o->like) {
            if ((outputs[i] = type == NPY_BOOL ? NULL : opw_new_scalar(type)))
                o->p[operand] = (char *)OPW_SCALAR_VALUE(outputs[i]);
            else if (type == NPY_BOOL)
                o->p[operand] = (char *)&o->truths[i];
            else
                break;
            continue;
        } else {
            Py_INCREF(opw_dtypes[type]); /* NumPy takes it */
            outputs[i] = PyArray_NewFromDescr(&PyArray_Type, opw_dtypes[type], o->like ? PyArray_NDIM(o->like) : 0,
                                              o->like ? PyArray_DIMS(o->like) : NULL, NULL, NULL, 0, NULL);
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
        OPW_PY(opw_argument_slot(small.bytes, self->code, (Py_ssize_t)i)) = o->args[i];
    return opw_remark(self, small.bytes);
}

/* So many elements are sooner computed twice than the status word is read twice. */
#define OPW_TWICE 1024

/* Whether a loop that computes and does nothing else has met anything of floating point, where the word may say what was met before:
   it is run again. Non-zero also where that fails. */
OPW_APART static int opw_meets_again(opw_function *self, opw_usual *o)
{
    opw_forget_floats(0);
    return opw_run_lane_loop(self, self->code->lane->loop, o->n, o->shaped, o->p, o->s) || opw_met_floats(0);
}

/* The outputs as the call's result, whose references it takes. NULL: an exception is set. */
OPW_INLINE PyObject *opw_results_of(const opw_code *code, PyObject **outputs)
{
    PyObject *list;
    uint32_t i;
    if (code->program->single)
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
OPW_INLINE int opw_run_lane(opw_function *self, PyObject *out, PyObject **result, int inputs, int n, opw_usual *o)
{
    const opw_code *code = self->code;
    const opw_loop *work = code->lane->loop;
    const int twice = o->n <= OPW_TWICE && work->worth && !work->raises && !code->wide;
    PyObject *outputs[OPW_MAX_OPERANDS];
    int made;
    if (out && !opw_out_fits(self, out, o))
        return 0;
    if ((made = opw_make_outputs(work, out, code->scalars, inputs, n, outputs, o)) < n)
        return opw_leave_lane(outputs, made);
    if (self->remark && !twice)
        opw_forget_floats(code->wide);
    if (opw_run_lane_loop(self, work, o->n, o->shaped, o->p, o->s) || PyErr_Occurred())
        return opw_leave_lane(outputs, made);
    *result = NULL;
    if (!self->remark || !opw_met_floats(code->wide) || (twice && !opw_meets_again(self, o)) || !opw_remark_of(self, o)) {
        opw_choose_truths(n, outputs, o);
        *result = opw_results_of(code, outputs);
    }
    if (!*result)
        opw_drop_outputs(outputs, made);
    return 1;
}

/* Calls a function of so many inputs and outputs; 0: the call is left to the other ways. out: NULL, or what is given for the
   result. */
OPW_INLINE int opw_in_lane(opw_function *self, PyObject *const *args, PyObject *out, PyObject **result, int inputs, int n)
{
    opw_usual o;
    int done;
    o.made = 0;
    done = opw_enter_lane(self, args, inputs, &o) && opw_run_lane(self, out, result, inputs, n, &o);
    if (o.made)
        opw_release_made(o.args, o.made);
    return done;
}

/* Calls in the lane; 0: the call is left to the other ways. Where the numbers are known, the compiler leaves out the loops over
   operands. */
static int opw_take_lane(opw_function *self, PyObject *const *args, Py_ssize_t given, PyObject *names, PyObject **result)
{
    const opw_code *code = self->code;
    const opw_loop *work = code->lane->loop;
    PyObject *out = NULL;
    if (given != (Py_ssize_t)code->program->arguments)
        return 0;
    if (names) {
        if (PyTuple_GET_SIZE(names) != 1 || PyTuple_GET_ITEM(names, 0) != code->keywords[given])
            return 0;
        out = args[given];
    }
    if (work->inputs == 1 && work->outputs == 1)
        return opw_in_lane(self, args, out, result, 1, 1);
    if (work->inputs == 2 && work->outputs == 1)
        return opw_in_lane(self, args, out, result, 2, 1);
    return opw_in_lane(self, args, out, result, work->inputs, work->outputs);
}
