/* What is said of a value that is not what a rule wants, and of what the rule wants. Each function gives a new str, or NULL. */
/* ---- words for arguments ------------------------------------------------------------------------------------------ */

#define OPW_MAX_DIMS 64 /* NumPy's */

/* An attribute. CPython keeps names that it has looked for: one that is made anew each time would be kept each time. */
static PyObject *opw_attribute(PyObject *object, const char *name)
{
    PyObject *key = PyUnicode_InternFromString(name), *value = key ? PyObject_GetAttr(object, key) : NULL;
    Py_XDECREF(key);
    return value;
}

/* What a method without arguments gives. */
static PyObject *opw_call_method(PyObject *object, const char *name)
{
    PyObject *method = opw_attribute(object, name), *result = method ? PyObject_CallNoArgs(method) : NULL;
    Py_XDECREF(method);
    return result;
}

/* What an array must be to be an argument of a type: docs/contract.md calls it the rule of TensorType. */
typedef struct {
    PyArray_Descr *dtype; /* owned */
    int ndim, strict, downcast, writeable; /* downcast -1: None */
    int weak;         /* Python's numbers take the dtype, as beside NumPy's arrays (NEP 50) */
    npy_intp shape[OPW_MAX_DIMS]; /* -1: any */
    PyObject *name;   /* borrowed: what advice calls the value */
    PyObject *config; /* borrowed: its floatX; or None */
} opw_rule;

/* NumPy's name, but longdouble and clongdouble whatever their width. */
static PyObject *opw_dtype_name(PyArray_Descr *dtype)
{
    if (dtype->type_num == NPY_LONGDOUBLE || dtype->type_num == NPY_CLONGDOUBLE)
        return PyUnicode_FromString(dtype->type_num == NPY_LONGDOUBLE ? "longdouble" : "clongdouble");
    return opw_attribute((PyObject *)dtype, "name");
}

/* Puts b behind a. Takes both; NULL where one is. */
static PyObject *opw_joined(PyObject *a, PyObject *b)
{
    PyObject *both = a && b ? PyUnicode_Concat(a, b) : NULL;
    Py_XDECREF(a);
    Py_XDECREF(b);
    return both;
}

/* "(3, ?)": a size of -1 is unknown. */
static PyObject *opw_shape_text(int ndim, const npy_intp *dims)
{
    PyObject *text = PyUnicode_FromString("(");
    int i;
    for (i = 0; i < ndim; i++) {
        const char *after = i < ndim - 1 ? ", " : ndim == 1 ? "," : "";
        text = opw_joined(text, dims[i] < 0 ? PyUnicode_FromFormat("?%s", after)
                                            : PyUnicode_FromFormat("%zd%s", (Py_ssize_t)dims[i], after));
    }
    return opw_joined(text, PyUnicode_FromString(")"));
}

/* What a rule wants, in the terms of opw_describe. */
static PyObject *opw_expected(const opw_rule *rule)
{
    PyObject *name = opw_dtype_name(rule->dtype), *shape = opw_shape_text(rule->ndim, rule->shape), *text = NULL;
    if (name && shape)
        text = PyUnicode_FromFormat("ndarray of %U, ndim %d, shape %U, any order, aligned, native byte order%s", name, rule->ndim,
                                    shape, rule->writeable ? ", writeable" : "");
    Py_XDECREF(name);
    Py_XDECREF(shape);
    return text;
}

/* How an array's elements lie. */
static const char *opw_order_of(PyArrayObject *array)
{
    int c = PyArray_IS_C_CONTIGUOUS(array), f = PyArray_IS_F_CONTIGUOUS(array);
    return c && f ? "C and F order" : c ? "C order" : f ? "F order" : "strided";
}

static PyObject *opw_describe_array(PyArrayObject *array)
{
    PyObject *kind = PyArray_CheckExact((PyObject *)array) ? PyUnicode_FromString("ndarray")
                                                           : opw_attribute((PyObject *)Py_TYPE(array), "__name__");
    PyObject *name = opw_attribute((PyObject *)PyArray_DESCR(array), "name"), *text = NULL;
    PyObject *shape = opw_shape_text(PyArray_NDIM(array), PyArray_DIMS(array));
    if (kind && name && shape)
        text = PyUnicode_FromFormat("%U of %U, ndim %d, shape %U, %s, %s, %s, %s", kind, name, PyArray_NDIM(array), shape,
                                    opw_order_of(array), PyArray_ISALIGNED(array) ? "aligned" : "misaligned",
                                    PyArray_ISNOTSWAPPED(array) ? "native byte order" : "swapped byte order",
                                    PyArray_ISWRITEABLE(array) ? "writeable" : "read-only");
    Py_XDECREF(kind);
    Py_XDECREF(name);
    Py_XDECREF(shape);
    return text;
}

/* How Python writes an object; a variable of a graph by its name. */
static PyObject *opw_shown(PyObject *value)
{
    PyObject *owner = opw_attribute(value, "owner");
    PyErr_Clear();
    Py_XDECREF(owner);
    return owner ? PyObject_Str(value) : PyObject_Repr(value);
}

/* Of an array all that decides whether it fits; of another object its kind and how Python writes it, cut where that is long. */
static PyObject *opw_describe(PyObject *value)
{
    PyObject *kind, *shown, *text = NULL;
    if (value == Py_None)
        return PyUnicode_FromString("None");
    if (PyArray_Check(value))
        return opw_describe_array((PyArrayObject *)value);
    kind = opw_attribute((PyObject *)Py_TYPE(value), "__name__");
    shown = kind ? opw_shown(value) : NULL;
    if (shown && PyUnicode_GET_LENGTH(shown) > 40) {
        PyObject *begin = PyUnicode_Substring(shown, 0, 37);
        Py_DECREF(shown);
        shown = opw_joined(begin, PyUnicode_FromString("..."));
    }
    if (shown)
        text = PyUnicode_FromFormat("%U %U", kind, shown);
    Py_XDECREF(kind);
    Py_XDECREF(shown);
    return text;
}

/* Refuses a value for a reason, which is taken, and may be NULL: then an exception is set already. Returns NULL. */
static PyObject *opw_refused_as(PyObject *kind, const opw_rule *rule, PyObject *value, PyObject *reason)
{
    PyObject *expected = reason ? opw_expected(rule) : NULL, *given = expected ? opw_describe(value) : NULL;
    if (given)
        PyErr_Format(kind, "expected %U; got %U: %U", expected, given, reason);
    Py_XDECREF(reason);
    Py_XDECREF(expected);
    Py_XDECREF(given);
    return NULL;
}

static PyObject *opw_refused(const opw_rule *rule, PyObject *value, PyObject *reason)
{
    return opw_refused_as(PyExc_TypeError, rule, value, reason);
}

/* The same of an integer beyond what the dtype has. */
static PyObject *opw_refuse_size(const opw_rule *rule, PyObject *value)
{
    PyObject *name = opw_dtype_name(rule->dtype), *reason = name ? PyUnicode_FromFormat("it does not fit into %U", name) : NULL;
    int weak = rule->weak && PyLong_CheckExact(value) && rule->dtype->kind != 'b';
    Py_XDECREF(name);
    return opw_refused_as(weak ? PyExc_OverflowError : PyExc_TypeError, rule, value, reason);
}

/* "<begin>; call <name>.<call>": a reason with advice, where begin and call take no arguments. */
static PyObject *opw_advice(const opw_rule *rule, const char *begin, const char *call)
{
    return PyUnicode_FromFormat("%s; call %U.%s", begin, rule->name, call);
}

/* The same with a cast of the value: by a method, or by NumPy. */
static PyObject *opw_cast_advice(const opw_rule *rule, const char *begin, int method)
{
    PyObject *name = opw_dtype_name(rule->dtype), *text = NULL;
    if (name)
        text = PyUnicode_FromFormat(method ? "%s; call %U.astype(%R)" : "%s; call np.asarray(%U, %R)", begin, rule->name, name);
    Py_XDECREF(name);
    return text;
}

/* Why an array's dimensions do not fit; *reason NULL: they do. Non-zero: an exception is set. */
static int opw_misshapen(const opw_rule *rule, PyArrayObject *array, PyObject **reason)
{
    int i;
    *reason = NULL;
    if (PyArray_NDIM(array) != rule->ndim) {
        PyObject *ones = PyUnicode_FromString(rule->ndim ? "-1" : "()");
        for (i = 1; i < rule->ndim; i++)
            ones = opw_joined(ones, PyUnicode_FromString(", 1"));
        if (ones)
            *reason = PyUnicode_FromFormat("its number of dimensions differs; call %U.reshape(%U) or the like", rule->name, ones);
        Py_XDECREF(ones);
        return *reason ? 0 : -1;
    }
    for (i = 0; i < rule->ndim; i++)
        if (rule->shape[i] >= 0 && PyArray_DIM(array, i) != rule->shape[i]) {
            PyObject *shape = opw_shape_text(rule->ndim, rule->shape);
            if (shape)
                *reason = PyUnicode_FromFormat("its size along axis %d is %zd, not %zd; pass an array of shape %U", i,
                                               (Py_ssize_t)PyArray_DIM(array, i), (Py_ssize_t)rule->shape[i], shape);
            Py_XDECREF(shape);
            return *reason ? 0 : -1;
        }
    return 0;
}
