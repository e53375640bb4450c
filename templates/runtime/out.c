/* out=: what is offered to the op, and the copy where the op could not use it. What is written over: whether it may be. */
/* ---- out= --------------------------------------------------------------------------------------------- */

/* Whether elements of an array may share memory: where axes, from the smallest stride on, do not each step over all that
   the ones before reach. */
static int opw_folds(PyArrayObject *array)
{
    npy_intp strides[OPW_MAX_DIMS], dims[OPW_MAX_DIMS], reach = PyArray_ITEMSIZE(array);
    int i, j, n = 0;
    if (PyArray_IS_C_CONTIGUOUS(array))
        return 0;
    for (i = 0; i < PyArray_NDIM(array); i++) {
        npy_intp dim = PyArray_DIM(array, i), stride = PyArray_STRIDE(array, i);
        if (!dim)
            return 0;
        if (dim == 1)
            continue;
        stride = stride < 0 ? -stride : stride;
        for (j = n++; j > 0 && strides[j - 1] > stride; j--) {
            strides[j] = strides[j - 1];
            dims[j] = dims[j - 1];
        }
        strides[j] = stride;
        dims[j] = dim;
    }
    for (i = 0; i < n; i++) {
        if (strides[i] < reach)
            return 1;
        reach += strides[i] * (dims[i] - 1);
    }
    return 0;
}

/* Whether two arrays are two that own their memory: they have none in common. */
OPW_INLINE int opw_own_theirs(const PyArrayObject *a, const PyArrayObject *b)
{
    return a != b && (PyArray_FLAGS(a) & PyArray_FLAGS(b) & NPY_ARRAY_OWNDATA);
}

/* Whether an object may have memory of one that is written. Numbers and bytes are nobody's to share; what else has a buffer may. */
static int opw_touches(PyObject *object, PyObject *written)
{
    if (!object || !PyArray_Check(object))
        return object && PyObject_CheckBuffer(object) && !PyArray_CheckAnyScalar(object);
    if (PyArray_Check(written) && opw_own_theirs((PyArrayObject *)object, (PyArrayObject *)written))
        return 0;
    return opw_overlap(object, written);
}

/* Whether one of several variables may have memory of an object that is about to be written: how many, then of each the type
   and the slot. */
static int opw_any_touches(char *frame, const uint32_t *slots, PyObject *written)
{
    const opw_type *types = OPW_HEAD(frame)->program->types;
    uint32_t n = *slots++;
    for (; n; n--, slots += 2) {
        PyObject *object = OPW_PY(frame + slots[1]), *held = NULL;
        if (types[slots[0]].ndim >= 0)
            held = (PyObject *)OPW_ARRAY(frame + slots[1]);
        if (opw_touches(object, written) || (held != object && opw_touches(held, written)))
            return 1;
    }
    return 0;
}

PyObject *opw_offered(char *frame, const uint32_t *slots)
{
    PyObject *out = OPW_HEAD(frame)->out[slots[0]];
    const opw_result *result = &OPW_HEAD(frame)->program->result_table[slots[0]];
    if (!opw_accepts_out(result, out) || opw_any_touches(frame, slots + 1, out)) /* Python ran since it was accepted first */
        return NULL;
    return out;
}

int opw_separate(char *frame, const uint32_t *slots)
{
    PyArrayObject *array = OPW_ARRAY(frame + slots[0]);
    if (PyArray_CHKFLAGS(array, NPY_ARRAY_WRITEABLE) && !opw_folds(array) && !opw_any_touches(frame, slots + 1, (PyObject *)array))
        return 0;
    return opw_put_array(&OPW_ARRAY(frame + slots[0]), (PyArrayObject *)PyArray_NewCopy(array, NPY_KEEPORDER));
}

/* Whether two arrays share memory: exactly, as far as NumPy finds out soon. */
static int opw_share(PyObject *a, PyObject *b)
{
    PyObject *numpy, *answer;
    int shared;
    if (!opw_overlap(a, b))
        return 0;
    numpy = PyImport_ImportModule("numpy");
    answer = numpy ? PyObject_CallMethod(numpy, "shares_memory", "OOi", a, b, 100000) : NULL;
    Py_XDECREF(numpy);
    shared = answer != Py_False;
    Py_XDECREF(answer);
    PyErr_Clear(); /* too hard: they may */
    return shared;
}

/* "np.empty((3,), 'float64')": of the shape of what was given as far as the rule leaves it open; "None" where that does not say
   enough. A new str, or NULL. */
static PyObject *opw_remedy_of_out(const opw_rule *rule, PyObject *out)
{
    PyArrayObject *array = PyArray_Check(out) ? (PyArrayObject *)out : NULL;
    npy_intp dims[OPW_MAX_DIMS];
    PyObject *name, *shape = NULL, *text = NULL;
    int i, same = array && PyArray_NDIM(array) == rule->ndim;
    for (i = 0; i < rule->ndim; i++) {
        if (rule->shape[i] < 0 && !same)
            return PyUnicode_FromString("None");
        dims[i] = rule->shape[i] < 0 ? PyArray_DIM(array, i) : rule->shape[i];
    }
    if (array && !PyArray_CheckExact(out) && PyArray_TYPE(array) == rule->dtype->type_num && PyArray_ISBEHAVED(array) && !opw_misshapen(rule, array))
        return PyUnicode_FromString("out.view(np.ndarray)");
    if ((name = opw_dtype_name(rule->dtype)) && (shape = opw_shape_text(rule->ndim, dims, ",")))
        text = PyUnicode_FromFormat("np.empty(%U, %R)", shape, name);
    Py_XDECREF(name);
    Py_XDECREF(shape);
    return text;
}

/* Raises for an object that an array's rule does not allow as out=. */
static void opw_refuse_out_array(const opw_rule *rule, PyObject *where, PyObject *out)
{
    int sized = PyArray_CheckExact(out) && PyArray_NDIM((PyArrayObject *)out) == rule->ndim && opw_misshapen(rule, (PyArrayObject *)out);
    PyObject *expected = opw_expected(rule), *given = expected ? opw_describe(out, 1) : NULL;
    PyObject *remedy = given ? opw_remedy_of_out(rule, out) : NULL;
    if (remedy)
        PyErr_Format(sized ? PyExc_ValueError : PyExc_TypeError, "%U: expected %U, got %U; pass %U", where, expected, given, remedy);
    Py_XDECREF(expected);
    Py_XDECREF(given);
    Py_XDECREF(remedy);
}

/* Raises for an object that cannot be out= of a result, or of which nobody could say whether it can: then an exception is set. */
static void opw_refuse_out(opw_function *self, Py_ssize_t i, PyObject *out)
{
    PyObject *tuple = PyTuple_GET_ITEM(self->outs, i), *where;
    opw_rule rule;
    if (PyErr_Occurred())
        return;
    where = PyTuple_GET_SIZE(self->outs) == 1 ? PyUnicode_FromFormat("%U() out", self->name)
                                              : PyUnicode_FromFormat("%U() out[%zd]", self->name, i);
    if (where && PyUnicode_Check(tuple))
        PyErr_Format(PyExc_TypeError, "%U: an output of type %U cannot be written into a given object; pass None", where, tuple);
    else if (where && !opw_read_rule(tuple, &rule)) {
        opw_refuse_out_array(&rule, where, out);
        Py_DECREF(rule.dtype);
    }
    Py_XDECREF(where);
}

/* Checks one out= object and puts it where the call finds it. */
static int opw_take_out(opw_function *self, char *frame, Py_ssize_t i, PyObject *out)
{
    const opw_result *result = &self->code->program->result_table[i];
    Py_ssize_t j;
    if (out == Py_None)
        return 0;
    if (!opw_accepts_out(result, out)) {
        opw_refuse_out(self, i, out);
        return -1;
    }
    if (PyArray_Check(out) && opw_folds((PyArrayObject *)out)) {
        PyErr_Format(PyExc_ValueError, "%U() cannot write result %zd to an array whose elements share memory with one another: "
                     "pass one of its own, as np.empty makes it", self->name, i);
        return -1;
    }
    for (j = 0; j < i; j++)
        if (OPW_HEAD(frame)->out[j] && opw_share(OPW_HEAD(frame)->out[j], out)) {
            PyErr_Format(PyExc_ValueError, "%U() cannot write results %zd and %zd to arrays that share memory: pass two", self->name,
                         j, i);
            return -1;
        }
    Py_INCREF(out); /* the caller's list may change while the call runs */
    OPW_HEAD(frame)->out[i] = out;
    return 0;
}

static int opw_take_outs(opw_function *self, char *frame, PyObject *out)
{
    const opw_program *p = self->code->program;
    Py_ssize_t i, n = (Py_ssize_t)(p->results - p->updates);
    int is_list = PyList_Check(out) || PyTuple_Check(out);
    if (out == Py_None)
        return 0;
    if (p->single && !is_list && n == 1)
        return opw_take_out(self, frame, 0, out);
    if (!is_list || PySequence_Fast_GET_SIZE(out) != n) {
        if (is_list)
            PyErr_Format(PyExc_TypeError, "%U() got out= of length %zd, expected %zd: an array or None for each result",
                         self->name, PySequence_Fast_GET_SIZE(out), n);
        else
            PyErr_Format(PyExc_TypeError,
                         "%U() got %.200s as out=, expected a list of %zd: an array or None for each result", self->name,
                         Py_TYPE(out)->tp_name, n);
        return -1;
    }
    for (i = 0; i < n; i++)
        if (opw_take_out(self, frame, i, PySequence_Fast_GET_ITEM(out, i)))
            return -1;
    return 0;
}

static void opw_leave_outs(char *frame, const opw_program *p)
{
    uint32_t i;
    for (i = 0; i < p->results; i++)
        Py_CLEAR(OPW_HEAD(frame)->out[i]);
}

/* Gives each result that lies where another is to be copied to memory of its own. */
static int opw_set_results_apart(opw_function *self, char *frame)
{
    const opw_program *p = self->code->program;
    uint32_t i, j;
    if (p->results < 2)
        return 0;
    for (i = 0; i < p->results; i++) {
        PyObject **value = &OPW_PY(frame + self->code->result_offsets[i]), *copy;
        for (j = 0; j < p->results; j++) {
            PyObject *out = OPW_HEAD(frame)->out[j];
            if (j == i || !out || !*value || !opw_overlap(*value, out) || *value == OPW_HEAD(frame)->out[i])
                continue;
            copy = PyArray_NewCopy((PyArrayObject *)*value, NPY_KEEPORDER);
            if (!copy)
                return -1;
            Py_DECREF(*value); /* release the result that would be written over (owned) */
            *value = copy;
            break;
        }
    }
    return 0;
}

/* Copies a result that the op stored elsewhere into out. Returns out as a new reference. */
static PyObject *opw_copy_out(opw_function *self, Py_ssize_t i, PyObject *out, PyObject *value)
{
    PyArrayObject *to = (PyArrayObject *)out, *from = (PyArrayObject *)value;
    if (!PyArray_Check(value) || !PyArray_Check(out)) {
        PyErr_Format(PyExc_ValueError, "%U() has %.200s as result %zd, which cannot be copied to %.200s as out=: only arrays are "
                     "copied", self->name, Py_TYPE(value)->tp_name, i, Py_TYPE(out)->tp_name);
        return NULL;
    }
    if (PyArray_NDIM(to) != PyArray_NDIM(from) || !PyArray_CompareLists(PyArray_DIMS(to), PyArray_DIMS(from), PyArray_NDIM(to))) {
        PyObject *have = opw_attribute(out, "shape"), *want = have ? opw_attribute(value, "shape") : NULL;
        PyObject *name = want ? opw_dtype_name(PyArray_DESCR(to)) : NULL;
        if (name)
            PyErr_Format(PyExc_ValueError, "%U() got out= of shape %S, and result %zd has shape %S; pass np.empty(%S, %R)",
                         self->name, have, i, want, want, name);
        Py_XDECREF(name);
        Py_XDECREF(have);
        Py_XDECREF(want);
        return NULL;
    }
    if (PyArray_CopyInto(to, from) < 0)
        return NULL;
    Py_INCREF(out);
    return out;
}
