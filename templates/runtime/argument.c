/* TensorType's rule: which values are arrays of a dtype and a shape, which become one, and what is said of all others. It stands
   in every module, and in opweld._argument, through which Python asks. */
#include "describe.c"
#include "cast.c"
#include "remedy.c"
/* ---- arguments that become arrays -------------------------------------------------------------------------------- */

/* A rule is a tuple: type number, shape (None: any size), strict, allow_downcast (None, True or False), writeable, what advice calls
   the value, an object whose floatX names the dtype that Python's floats may be rounded to, or None; and, where it is there and
   true, that Python's numbers are weak. */
static int opw_read_rule(PyObject *tuple, opw_rule *rule)
{
    PyObject *shape, *downcast;
    int number, i;
    rule->weak = 0;
    if (!PyArg_ParseTuple(tuple, "iO!pOpUO|p:rule", &number, &PyTuple_Type, &shape, &rule->strict, &downcast, &rule->writeable,
                          &rule->name, &rule->config, &rule->weak))
        return -1;
    if (PyTuple_GET_SIZE(shape) > OPW_MAX_DIMS) {
        PyErr_SetString(PyExc_ValueError, "a rule has more dimensions than NumPy");
        return -1;
    }
    rule->ndim = (int)PyTuple_GET_SIZE(shape);
    for (i = 0; i < rule->ndim; i++) {
        PyObject *size = PyTuple_GET_ITEM(shape, i);
        rule->shape[i] = size == Py_None ? -1 : PyLong_AsSsize_t(size);
        if (rule->shape[i] == -1 && PyErr_Occurred())
            return -1;
    }
    rule->downcast = downcast == Py_None ? -1 : PyObject_IsTrue(downcast);
    if (rule->downcast < 0 && downcast != Py_None)
        return -1;
    rule->dtype = PyArray_DescrFromType(number);
    return rule->dtype ? 0 : -1;
}

/* ---- from arrays ---- */

/* Why a value is not converted: the call is strict, or writes into the argument; else "". */
static const char *opw_unconverted(const opw_rule *rule)
{
    return rule->strict ? "strict converts nothing" : rule->writeable ? "in place" : "";
}

/* An array that a rule does not allow, for its shape or for its dtype. */
static PyObject *opw_refuse_array(const opw_rule *rule, PyObject *value, const char *reason)
{
    if (!opw_is_number(PyArray_DESCR((PyArrayObject *)value)->kind))
        return opw_refused(rule, value, "not numeric", opw_remedy_of_others(rule, value, (PyArrayObject *)value));
    return opw_refused(rule, value, reason, opw_remedy_of_array(rule, (PyArrayObject *)value));
}

/* An array of the rule's shape, of class ndarray; value is what it is a view of. */
static PyObject *opw_from_shaped(const opw_rule *rule, PyObject *value, PyArrayObject *array)
{
    PyArray_Descr *have = PyArray_DESCR(array), *wanted = rule->dtype;
    if (have->type_num != wanted->type_num && have->kind == wanted->kind && PyArray_ISNOTSWAPPED(array) &&
        PyArray_ITEMSIZE(array) == PyDataType_ELSIZE(wanted)) { /* long long spelled long: the same bytes */
        PyObject *spelled, *found;
        Py_INCREF(wanted); /* NumPy takes it */
        spelled = PyArray_View(array, wanted, NULL);
        found = spelled ? opw_from_shaped(rule, value, (PyArrayObject *)spelled) : NULL;
        Py_XDECREF(spelled);
        return found;
    }
    if (have->type_num == wanted->type_num && PyArray_ISNOTSWAPPED(array) && PyArray_ISALIGNED(array)) {
        if (rule->writeable && !PyArray_ISWRITEABLE(array))
            return opw_refuse_array(rule, value, "");
        Py_INCREF(array);
        return (PyObject *)array;
    }
    if (rule->strict || rule->writeable)
        return opw_refuse_array(rule, value, opw_unconverted(rule));
    if (have->type_num != wanted->type_num && !PyArray_CanCastTypeTo(have, wanted, NPY_SAFE_CASTING) &&
        !(rule->downcast > 0 && opw_is_number(have->kind)))
        return opw_refuse_array(rule, value, "");
    return (PyObject *)opw_cast(array, wanted);
}

static PyObject *opw_from_array(const opw_rule *rule, PyObject *value)
{
    PyObject *array, *found;
    int masked = opw_is_masked(value);
    if (masked)
        return masked < 0 ? NULL : opw_refuse_array(rule, value, "");
    if (PyArray_CheckExact(value))
        array = value, Py_INCREF(value);
    else
        array = PyArray_View((PyArrayObject *)value, NULL, &PyArray_Type);
    if (!array)
        found = NULL;
    else if (opw_misshapen(rule, (PyArrayObject *)array))
        found = opw_refuse_array(rule, value, "");
    else
        found = opw_from_shaped(rule, value, (PyArrayObject *)array);
    Py_XDECREF(array);
    return found;
}

#include "number.c"

/* ---- from lists and what else NumPy takes ---- */

/* Whether an object has an attribute; *attribute is it. -1: an exception is set. */
static int opw_has(PyObject *object, const char *name, PyObject **attribute)
{
    *attribute = opw_attribute(object, name);
    if (*attribute)
        return 1;
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
        return -1;
    PyErr_Clear();
    return 0;
}

/* Whether a value is a variable of a graph: it has an owner, and a type with a filter. -1: an exception is set. */
static int opw_is_variable(PyObject *value)
{
    PyObject *owner = NULL, *type = NULL, *filter = NULL;
    int has;
    if (PyArray_IsAnyScalar(value) || PyList_CheckExact(value) || PyTuple_CheckExact(value))
        return 0;
    has = opw_has(value, "owner", &owner);
    if (has > 0)
        has = opw_has(value, "type", &type);
    if (has > 0)
        has = opw_has(type, "filter", &filter);
    Py_XDECREF(owner);
    Py_XDECREF(type);
    Py_XDECREF(filter);
    return has;
}

/* Refuses a value; the exception that is set is the cause. */
static void opw_refuse_because(const opw_rule *rule, PyObject *value, const char *reason, PyObject *remedy)
{
    PyObject *type = NULL, *cause = NULL, *traceback = NULL, *error = NULL;
    OPW_FETCH(&type, &cause, &traceback);
#if PY_VERSION_HEX < 0x030C0000
    PyErr_NormalizeException(&type, &cause, &traceback);
#endif
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    (void)opw_refused(rule, value, reason, remedy);
    OPW_FETCH(&type, &error, &traceback);
#if PY_VERSION_HEX < 0x030C0000
    PyErr_NormalizeException(&type, &error, &traceback);
#endif
    if (error)
        PyException_SetCause(error, cause); /* takes it */
    else
        Py_XDECREF(cause);
    OPW_RESTORE(type, error, traceback);
}

/* What NumPy makes of a value. NULL: an exception is set. */
static PyArrayObject *opw_as_array(const opw_rule *rule, PyObject *value)
{
    PyArrayObject *array = (PyArrayObject *)PyArray_FromAny(value, NULL, 0, 0, NPY_ARRAY_ENSUREARRAY, NULL);
    const char *remedy;
    if (array || !(PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError) ||
                   PyErr_ExceptionMatches(PyExc_OverflowError)))
        return array;
    remedy = PyErr_ExceptionMatches(PyExc_ValueError) ? "rows of one length" : "numbers";
    opw_refuse_because(rule, value, "NumPy refuses it", PyUnicode_FromString(remedy));
    return NULL;
}

/* Whether an array holds integers of Python's, and nothing else: one is beyond 64 bits. -1: an exception is set. */
static int opw_is_long(PyArrayObject *array)
{
    PyArrayIterObject *at;
    int all = PyArray_DESCR(array)->kind == 'O' && PyArray_SIZE(array) > 0;
    if (!all)
        return 0;
    if (!(at = (PyArrayIterObject *)PyArray_IterNew((PyObject *)array)))
        return -1;
    while (all && PyArray_ITER_NOTDONE(at)) {
        PyObject *item = *(PyObject **)PyArray_ITER_DATA(at);
        all = item && PyLong_Check(item);
        PyArray_ITER_NEXT(at);
    }
    Py_DECREF(at);
    return all;
}

/* Integers beyond 64 bits: floats and complex numbers may keep them. */
static PyObject *opw_from_long(const opw_rule *rule, PyObject *value, PyArrayObject *array)
{
    PyArrayObject *made = NULL;
    int same = 0;
    if (rule->dtype->kind == 'f' || rule->dtype->kind == 'c') {
        made = opw_cast(array, rule->dtype);
        same = made ? opw_same_items(array, made, 1) : -1;
        if (same < 0 && PyErr_ExceptionMatches(PyExc_OverflowError)) { /* there, or of an infinity */
            PyErr_Clear();
            same = 0;
        }
    }
    if (same > 0)
        return (PyObject *)made;
    Py_XDECREF(made);
    return same < 0 ? NULL : opw_refuse_size(rule, value);
}

/* An array that NumPy has made of a value, or that the value holds. */
static PyObject *opw_from_made(const opw_rule *rule, PyObject *value, PyArrayObject *array)
{
    char from = PyArray_DESCR(array)->kind, to = rule->dtype->kind;
    PyArrayObject *made;
    int held;
    if (PyArray_TYPE(array) == rule->dtype->type_num && PyArray_ISBEHAVED(array) && Py_REFCNT(array) == 1 &&
        PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA)) { /* nobody else has it */
        Py_INCREF(array);
        return (PyObject *)array;
    }
    if (!(made = opw_cast(array, rule->dtype)))
        return NULL;
    held = rule->downcast > 0 ? 1 : opw_same_values(array, made);
    if (!held && PyFloat_CheckExact(value))
        held = opw_rounds_floats(rule);
    if (held > 0)
        return (PyObject *)made;
    Py_DECREF(made);
    if (held < 0)
        return NULL;
    if ((from == 'i' || from == 'u') && (to == 'i' || to == 'u'))
        return opw_refuse_size(rule, value);
    return opw_refused(rule, value, "its value would change", opw_remedy_of_list(rule, array));
}

static PyObject *opw_from_other(const opw_rule *rule, PyObject *value, PyArrayObject **spare)
{
    PyObject *found = NULL;
    PyArrayObject *array;
    int is_long;
    if (!rule->ndim && !rule->strict && !rule->writeable && ((found = opw_from_number(rule, value, spare)) || PyErr_Occurred()))
        return found;
    switch (opw_is_variable(value)) {
    case -1: return NULL;
    case 1: return opw_refused(rule, value, "it is a variable of a graph", PyUnicode_FromString("a value"));
    default: break;
    }
    if (!(array = opw_as_array(rule, value)))
        return NULL;
    is_long = opw_is_long(array);
    if (is_long < 0)
        found = NULL;
    else if (!is_long && !opw_is_number(PyArray_DESCR(array)->kind))
        found = opw_refused(rule, value, "not numeric", opw_remedy_of_others(rule, value, array));
    else if (rule->strict || rule->writeable || opw_misshapen(rule, array))
        found = opw_refused(rule, value, opw_unconverted(rule), is_long ? opw_remedy_of_others(rule, value, array)
                                                                        : opw_remedy_of_list(rule, array));
    else
        found = is_long ? opw_from_long(rule, value, array) : opw_from_made(rule, value, array);
    Py_DECREF(array);
    return found;
}

/* A value as an array that a rule allows, itself where it is one; NULL: an exception says what was expected, what came, why that
   does not do, and what to call. spare: where an array for numbers is kept from one time to the next, or NULL. */
static PyObject *opw_filter(PyObject *value, const opw_rule *rule, PyArrayObject **spare)
{
    PyObject *found = PyArray_Check(value) ? opw_from_array(rule, value) : opw_from_other(rule, value, spare);
    if (!found && !PyErr_Occurred()) /* NumPy does not always say that it has no memory */
        PyErr_NoMemory();
    return found;
}
