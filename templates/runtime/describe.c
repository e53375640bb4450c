/* What is said of a value that is not what a rule wants, and of what the rule wants: at most 25 words with what to pass. Each
   function gives a new str, or NULL. */
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

/* Puts b behind a. Takes both; NULL where one is. */
static PyObject *opw_joined(PyObject *a, PyObject *b)
{
    PyObject *both = a && b ? PyUnicode_Concat(a, b) : NULL;
    Py_XDECREF(a);
    Py_XDECREF(b);
    return both;
}

/* "fields a, b, c, ...": of a structured dtype, whose name is that of its bytes. */
static PyObject *opw_fields(PyObject *names)
{
    Py_ssize_t i, n = PyTuple_GET_SIZE(names);
    PyObject *text = PyUnicode_FromString("fields");
    for (i = 0; i < n && i < 3; i++)
        text = opw_joined(text, PyUnicode_FromFormat(i ? ", %U" : " %U", PyTuple_GET_ITEM(names, i)));
    return n > 3 ? opw_joined(text, PyUnicode_FromString(", ...")) : text;
}

/* The names of a structured dtype's fields, borrowed; NULL: it is none. */
static PyObject *opw_field_names(PyArray_Descr *dtype) { return dtype->type_num == NPY_VOID ? PyDataType_NAMES(dtype) : NULL; }

/* NumPy's name, but longdouble and clongdouble whatever their width, and the fields' where there are any. */
static PyObject *opw_dtype_name(PyArray_Descr *dtype)
{
    PyObject *fields = opw_field_names(dtype);
    if (fields)
        return opw_fields(fields);
    if (dtype->type_num == NPY_LONGDOUBLE || dtype->type_num == NPY_CLONGDOUBLE)
        return PyUnicode_FromString(dtype->type_num == NPY_LONGDOUBLE ? "longdouble" : "clongdouble");
    return opw_attribute((PyObject *)dtype, "name");
}

/* "(3, ?)": a size of -1 is unknown. between: ", ", or without a blank. */
static PyObject *opw_shape_text(int ndim, const npy_intp *dims, const char *between)
{
    PyObject *text = PyUnicode_FromString("(");
    int i;
    for (i = 0; i < ndim; i++) {
        const char *after = i < ndim - 1 ? between : ndim == 1 ? "," : "";
        text = opw_joined(text, dims[i] < 0 ? PyUnicode_FromFormat("?%s", after)
                                            : PyUnicode_FromFormat("%zd%s", (Py_ssize_t)dims[i], after));
    }
    return opw_joined(text, PyUnicode_FromString(")"));
}

/* "of shape (3, ?)", or, where that would be long, "of 4 dimensions". */
static PyObject *opw_of_shape(int ndim, const npy_intp *dims)
{
    return ndim > 3 ? PyUnicode_FromFormat("of %d dimensions", ndim) : opw_joined(PyUnicode_FromString("of shape "), opw_shape_text(ndim, dims, ", "));
}

/* What a rule wants, in the terms of opw_describe. */
static PyObject *opw_expected(const opw_rule *rule)
{
    PyObject *name = opw_dtype_name(rule->dtype), *shape = name ? opw_of_shape(rule->ndim, rule->shape) : NULL, *text = NULL;
    if (shape)
        text = PyUnicode_FromFormat("%s%U %U", rule->writeable ? "writeable " : "", name, shape);
    Py_XDECREF(name);
    Py_XDECREF(shape);
    return text;
}

static PyObject *opw_numpy_ma; /* "numpy.ma", for the process */

/* Whether an array has a mask, which loops would not see. -1: an exception is set. */
static int opw_is_masked(PyObject *array)
{
    PyObject *module, *kind;
    int masked = -1;
    if (PyArray_CheckExact(array))
        return 0;
    if (!(module = PyImport_GetModule(opw_numpy_ma))) /* not loaded: nobody has made one */
        return PyErr_Occurred() ? -1 : 0;
    if ((kind = opw_attribute(module, "MaskedArray"))) {
        masked = PyObject_IsInstance(array, kind);
        Py_DECREF(kind);
    }
    Py_DECREF(module);
    return masked;
}

/* A class's name without that of its module. */
static const char *opw_short_name(PyTypeObject *type)
{
    const char *dot = strrchr(type->tp_name, '.');
    return dot ? dot + 1 : type->tp_name;
}

/* Of an array what decides whether it fits. written: whether it is to be written into. */
static PyObject *opw_describe_array(PyArrayObject *array, int written)
{
    int masked = opw_is_masked((PyObject *)array);
    PyObject *kind = masked < 0                              ? NULL
                     : PyArray_CheckExact((PyObject *)array) ? PyUnicode_FromString("")
                     : masked                                ? PyUnicode_FromString("masked ")
                                                             : PyUnicode_FromFormat("%s ", opw_short_name(Py_TYPE(array)));
    PyObject *name = kind ? opw_dtype_name(PyArray_DESCR(array)) : NULL;
    PyObject *shape = name ? opw_of_shape(PyArray_NDIM(array), PyArray_DIMS(array)) : NULL, *text = NULL;
    if (shape)
        text = PyUnicode_FromFormat("%U%U %U%s%s%s", kind, name, shape, PyArray_ISALIGNED(array) ? "" : ", misaligned",
                                    PyArray_ISNOTSWAPPED(array) ? "" : ", byte-swapped",
                                    written && !PyArray_ISWRITEABLE(array) ? ", read-only" : "");
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

#define OPW_SHOWN 24 /* characters of an object, so that a message stays short */

/* Of an array what decides whether it fits; of another object its kind and how Python writes it, cut where that is long. */
static PyObject *opw_describe(PyObject *value, int written)
{
    PyObject *kind, *shown, *text = NULL;
    if (value == Py_None)
        return PyUnicode_FromString("None");
    if (PyArray_Check(value))
        return opw_describe_array((PyArrayObject *)value, written);
    kind = opw_attribute((PyObject *)Py_TYPE(value), "__name__");
    shown = kind ? opw_shown(value) : NULL;
    if (shown && PyUnicode_GET_LENGTH(shown) > OPW_SHOWN) {
        PyObject *begin = PyUnicode_Substring(shown, 0, OPW_SHOWN - 3);
        Py_DECREF(shown);
        shown = opw_joined(begin, PyUnicode_FromString("..."));
    }
    if (shown)
        text = PyUnicode_FromFormat("%U %U", kind, shown);
    Py_XDECREF(kind);
    Py_XDECREF(shown);
    return text;
}

/* Refuses a value, for a reason, which may be "", and with what to do about it, which is taken, and may be NULL: then an exception
   is set already. Returns NULL. */
static PyObject *opw_refused_as(PyObject *kind, const opw_rule *rule, PyObject *value, const char *reason, PyObject *remedy)
{
    PyObject *expected = remedy ? opw_expected(rule) : NULL, *given = expected ? opw_describe(value, rule->writeable) : NULL;
    if (given)
        PyErr_Format(kind, "expected %U, got %U%s%s; pass %U", expected, given, *reason ? ": " : "", reason, remedy);
    Py_XDECREF(remedy);
    Py_XDECREF(expected);
    Py_XDECREF(given);
    return NULL;
}

static PyObject *opw_refused(const opw_rule *rule, PyObject *value, const char *reason, PyObject *remedy)
{
    return opw_refused_as(PyExc_TypeError, rule, value, reason, remedy);
}
