/* A call of a short form: from arguments to the function for their dtypes, and from what that gives to what is returned. */
/* ---- keys --------------------------------------------------------------------------------------------------------- */

static inline unsigned opw_code_of(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    if (type == &PyArray_Type) {
        int number = PyArray_TYPE((PyArrayObject *)value);
        return number < OPW_FLOAT - 1 && number != NPY_OBJECT ? (unsigned)number + 1 : OPW_NOT_KEYED;
    }
    if (type == &PyFloat_Type)
        return OPW_FLOAT;
    if (type == &PyLong_Type)
        return OPW_INT;
    if (type == &PyBool_Type)
        return OPW_BOOL;
    if (type == &PyComplex_Type)
        return OPW_COMPLEX;
    if (type == &PyDoubleArrType_Type)
        return NPY_DOUBLE + 1;
    if (type == &PyFloatArrType_Type)
        return NPY_FLOAT + 1;
    if (type == &PyLongArrType_Type)
        return NPY_LONG + 1;
    if (type == &PyIntArrType_Type)
        return NPY_INT + 1;
    return OPW_NOT_KEYED;
}

/* The key of a call; 0: it has none. */
static inline uint64_t opw_key_of(PyObject *const *values, Py_ssize_t n)
{
    uint64_t key = 1;
    Py_ssize_t i;
    if (n > OPW_KEYED)
        return 0;
    for (i = 0; i < n; i++) {
        unsigned code = opw_code_of(values[i]);
        if (!code)
            return 0;
        key = key << OPW_BITS | code;
    }
    return key;
}

/* ---- arguments ---------------------------------------------------------------------------------------------------- */

static int opw_refuse_count(opw_cop *self, Py_ssize_t given)
{
    Py_ssize_t n = PyTuple_GET_SIZE(self->names);
    PyErr_Format(PyExc_TypeError, "%U() takes %zd argument%s, got %zd", self->name, n, n == 1 ? "" : "s", given);
    return -1;
}

/* Puts an argument by name into its place. */
static int opw_take_named(opw_cop *self, PyObject *name, PyObject *value, PyObject **bound, PyObject **out)
{
    Py_ssize_t i, n = PyTuple_GET_SIZE(self->names);
    for (i = 0; i < n; i++) {
        PyObject *own = PyTuple_GET_ITEM(self->names, i);
        int same = own == name ? 1 : PyObject_RichCompareBool(own, name, Py_EQ);
        if (same < 0)
            return -1;
        if (!same)
            continue;
        if (bound[i]) {
            PyErr_Format(PyExc_TypeError, "%U() got two values for argument %R", self->name, name);
            return -1;
        }
        bound[i] = value;
        return 0;
    }
    if (PyUnicode_CompareWithASCIIString(name, "out") == 0) {
        *out = value;
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "%U() has no argument %R; it has %R", self->name, name, self->names);
    return -1;
}

/* Arguments in order, borrowed. -1: an exception is set. */
static int opw_bind(opw_cop *self, PyObject *const *args, Py_ssize_t given, PyObject *keywords, PyObject **bound, PyObject **out)
{
    Py_ssize_t i, n = PyTuple_GET_SIZE(self->names), optional = PyTuple_GET_SIZE(self->defaults);
    if (given > n)
        return opw_refuse_count(self, given);
    for (i = 0; i < n; i++)
        bound[i] = i < given ? args[i] : NULL;
    for (i = 0; keywords && i < PyTuple_GET_SIZE(keywords); i++)
        if (opw_take_named(self, PyTuple_GET_ITEM(keywords, i), args[given + i], bound, out))
            return -1;
    for (i = 0; i < n; i++) {
        if (!bound[i] && i >= n - optional)
            bound[i] = PyTuple_GET_ITEM(self->defaults, i - (n - optional));
        if (!bound[i]) {
            PyErr_Format(PyExc_TypeError, "%U() is missing argument %R", self->name, PyTuple_GET_ITEM(self->names, i));
            return -1;
        }
    }
    return 0;
}

/* ---- calls -------------------------------------------------------------------------------------------------------- */

/* Has the frames of opweld's own left out of the traceback of the exception that is set, where it is the user's. */
static void opw_shorten(opw_cop *self)
{
    PyObject *value, *none;
#if PY_VERSION_HEX >= 0x030C0000
    value = PyErr_GetRaisedException();
#else
    PyObject *type, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback)
        (void)PyException_SetTraceback(value, traceback);
    Py_XDECREF(traceback);
#endif
    if (!(none = PyObject_CallMethod(self->form, "shorten", "O", value)))
        PyErr_WriteUnraisable(self->form);
    Py_XDECREF(none);
#if PY_VERSION_HEX >= 0x030C0000
    PyErr_SetRaisedException(value);
#else
    PyErr_Restore(type, value, PyException_GetTraceback(value));
#endif
}

/* A call that Python looks at. */
static PyObject *opw_ask(opw_cop *self, uint64_t key, PyObject *const *bound, PyObject *out)
{
    Py_ssize_t i, n = PyTuple_GET_SIZE(self->names);
    PyObject *values = PyTuple_New(n), *result;
    if (!values)
        return NULL;
    for (i = 0; i < n; i++) {
        Py_INCREF(bound[i]);
        PyTuple_SET_ITEM(values, i, bound[i]);
    }
    result = PyObject_CallMethod(self->form, "meet", "OKOO", (PyObject *)self, (unsigned long long)key, values, out ? out : Py_None);
    Py_DECREF(values);
    if (!result)
        opw_shorten(self);
    return result;
}

/* Whether two inputs that are written into may have memory in common: Python finds out. */
static int opw_tied(opw_cop *self, PyObject *const *bound)
{
    Py_ssize_t i, j, n = PyTuple_GET_SIZE(self->changed);
    for (i = 1; i < n; i++)
        for (j = 0; j < i; j++) {
            PyObject *one = bound[PyLong_AsSsize_t(PyTuple_GET_ITEM(self->changed, i))];
            if (opw_overlap(one, bound[PyLong_AsSsize_t(PyTuple_GET_ITEM(self->changed, j))]))
                return 1;
        }
    return 0;
}

/* Brings what a function has made of the inputs that are written into back to where it was not made. */
static int opw_give_back(opw_cop *self, PyObject *list, PyObject *const *bound)
{
    Py_ssize_t i;
    for (i = 0; i < PyTuple_GET_SIZE(self->changed); i++) {
        PyObject *given = bound[PyLong_AsSsize_t(PyTuple_GET_ITEM(self->changed, i))], *made = PyList_GET_ITEM(list, self->outputs + i);
        if (made != given && PyArray_CopyInto((PyArrayObject *)given, (PyArrayObject *)made))
            return -1;
    }
    return 0;
}

/* The first outputs of a list, as a tuple. */
static PyObject *opw_tuple(PyObject *list, Py_ssize_t n)
{
    PyObject *tuple = PyTuple_New(n);
    Py_ssize_t i;
    for (i = 0; tuple && i < n; i++) {
        PyObject *item = PyList_GET_ITEM(list, i);
        Py_INCREF(item);
        PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

/* What is returned of what a function gives, whose reference it takes: its one output, or a tuple; None where all is in place. */
static PyObject *opw_results(opw_cop *self, PyObject *made, PyObject *const *bound)
{
    PyObject *result = NULL;
    if (!PyTuple_GET_SIZE(self->changed) && self->outputs == 1)
        return made;
    if (!opw_give_back(self, made, bound)) {
        if (self->outputs > 1)
            result = opw_tuple(made, self->outputs);
        else if (self->outputs)
            result = PyList_GET_ITEM(made, 0), Py_INCREF(result);
        else
            result = Py_None, Py_INCREF(result);
    }
    Py_DECREF(made);
    return result;
}

#define OPW_STACK 32

static PyObject *opw_cop_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *keywords)
{
    opw_cop *self = (opw_cop *)object;
    Py_ssize_t i, given = PyVectorcall_NARGS(nargsf), n = PyTuple_GET_SIZE(self->names);
    PyObject *few[OPW_STACK], **several = few, *out = NULL, *result = NULL;
    PyObject *const *bound = args;
    uint64_t key;
    if (given != n || keywords) {
        if (n > OPW_STACK && !(several = (PyObject **)PyMem_Malloc((size_t)n * sizeof(PyObject *))))
            return PyErr_NoMemory();
        if (opw_bind(self, args, given, keywords, several, &out))
            goto done;
        bound = several;
    }
    key = out || opw_tied(self, bound) ? 0 : opw_key_of(bound, n);
    for (i = 0; key && i < self->count; i++) {
        PyObject *function = self->met[i].function;
        if (self->met[i].key != key)
            continue;
        Py_INCREF(function); /* while it runs another may take its place */
        result = PyObject_Vectorcall(function, bound, (size_t)n, NULL);
        Py_DECREF(function);
        if (result)
            result = opw_results(self, result, bound);
        goto done;
    }
    result = opw_ask(self, key, bound, out);
done:
    if (several != few)
        PyMem_Free(several);
    return result;
}
