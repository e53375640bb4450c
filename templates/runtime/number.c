/* From one number, Python's or NumPy's, to an array without dimensions. */
#include <float.h>                 /* FLT_MAX */
#include <limits.h>                /* LLONG_MIN */
/* ---- numbers as arguments ----------------------------------------------------------------------------------------- */

/* Whether Python's floats may be rounded to the rule's dtype. -1: an exception is set. */
static int opw_rounds_floats(const opw_rule *rule)
{
    PyObject *wanted, *have;
    int same;
    if (rule->downcast >= 0 || rule->config == Py_None)
        return rule->downcast > 0;
    wanted = opw_attribute(rule->config, "floatX");
    have = wanted ? opw_dtype_name(rule->dtype) : NULL;
    same = have ? PyObject_RichCompareBool(wanted, have, Py_EQ) : -1;
    Py_XDECREF(wanted);
    Py_XDECREF(have);
    return same;
}

/* Whether all of Python's integers and floats may be rounded to the rule's dtype. */
static int opw_is_weak(const opw_rule *rule)
{
    return rule->weak && (rule->dtype->kind == 'f' || rule->dtype->kind == 'c');
}

/* Whether one of Python's numbers that C does not have may be: a huge integer, a complex number. */
static int opw_is_weak_object(const opw_rule *rule, PyObject *value)
{
    return opw_is_weak(rule) && (PyLong_CheckExact(value) || (PyComplex_CheckExact(value) && rule->dtype->kind == 'c'));
}

/* A number as C has it. */
typedef struct {
    int whole;       /* it is `integer`; else it is `real` */
    long long integer;
    double real;
    int pythons;     /* one of Python's own: it may be weak */
} opw_number;

/* What one of NumPy's integers, floats or bools holds, by the class of the scalar itself. Zero: it is none of these, or more than
   a long long or a double holds. */
static int opw_read_scalar(PyObject *value, opw_number *number)
{
    PyTypeObject *kind = Py_TYPE(value);
#define OPW_INTEGER(Class) if (kind == &Py##Class##ArrType_Type) \
        return number->whole = 1, number->integer = (long long)PyArrayScalar_VAL(value, Class), 1
    number->pythons = 0;
    number->whole = 0;
    if (kind == &PyDoubleArrType_Type)
        return number->real = PyArrayScalar_VAL(value, Double), 1;
    if (kind == &PyFloatArrType_Type)
        return number->real = (double)PyArrayScalar_VAL(value, Float), 1;
    OPW_INTEGER(Long);
    OPW_INTEGER(Int);
    OPW_INTEGER(Bool);
    OPW_INTEGER(UByte);
    OPW_INTEGER(Byte);
    OPW_INTEGER(Short);
    OPW_INTEGER(UShort);
    OPW_INTEGER(UInt);
    OPW_INTEGER(LongLong);
#undef OPW_INTEGER
    return 0;
}

/* The same of any number. */
static int opw_read_number(PyObject *value, opw_number *number)
{
    int beyond = 0;
    number->pythons = 1;
    number->whole = !PyFloat_CheckExact(value);
    if (!number->whole)
        number->real = PyFloat_AS_DOUBLE(value);
    else if (PyLong_CheckExact(value) || PyBool_Check(value))
        number->integer = PyLong_AsLongLongAndOverflow(value, &beyond);
    else
        return opw_read_scalar(value, number);
    return !beyond;
}

/* Whether an integer is a value of a dtype, without a doubt. */
static int opw_holds_integer(int dtype, long long value)
{
    long long size = value == LLONG_MIN ? LLONG_MAX : value < 0 ? -value : value;
    switch (dtype) {
    case NPY_BOOL: return value == 0 || value == 1;
    case NPY_INT8: return value == (npy_int8)value;
    case NPY_UINT8: return value == (npy_uint8)value;
    case NPY_INT16: return value == (npy_int16)value;
    case NPY_UINT16: return value == (npy_uint16)value;
    case NPY_INT32: return value == (npy_int32)value;
    case NPY_UINT32: return value == (npy_uint32)value;
    case NPY_INT64: return 1;
    case NPY_UINT64: return value >= 0;
    case NPY_HALF: return size <= 1 << 11;
    case NPY_FLOAT: case NPY_CFLOAT: return size <= 1 << 24;
    case NPY_DOUBLE: case NPY_CDOUBLE: case NPY_LONGDOUBLE: case NPY_CLONGDOUBLE: return size <= 1LL << 53;
    default: return 0;
    }
}

/* Whether a float is a value of the rule's dtype, or may be rounded to one. -1: an exception is set. */
static int opw_holds_float(const opw_rule *rule, const opw_number *number)
{
    switch (rule->dtype->type_num) {
    case NPY_DOUBLE: case NPY_CDOUBLE: case NPY_LONGDOUBLE: case NPY_CLONGDOUBLE: return 1;
    case NPY_FLOAT:
        if (!(fabs(number->real) <= (double)FLT_MAX))
            return !isfinite(number->real);
        return (double)(float)number->real == number->real ? 1 : number->pythons ? opw_rounds_floats(rule) : 0;
    default: return 0;
    }
}

/* Whether a number is a value of the rule's dtype, or becomes one: 0 where more must be known. -1: an exception is set. */
static int opw_holds(const opw_rule *rule, const opw_number *number)
{
    if (number->pythons && opw_is_weak(rule))
        return 1;
    return number->whole ? opw_holds_integer(rule->dtype->type_num, number->integer) : opw_holds_float(rule, number);
}

/* Writes a number that a dtype holds. Zero: it is not one of the dtypes for which that takes no more than a move. */
static int opw_put_number(int dtype, void *at, const opw_number *number)
{
    double real = number->whole ? (double)number->integer : number->real;
    switch (dtype) {
    case NPY_BOOL: *(npy_bool *)at = number->integer != 0; return 1;
    case NPY_INT8: *(npy_int8 *)at = (npy_int8)number->integer; return 1;
    case NPY_UINT8: *(npy_uint8 *)at = (npy_uint8)number->integer; return 1;
    case NPY_INT16: *(npy_int16 *)at = (npy_int16)number->integer; return 1;
    case NPY_UINT16: *(npy_uint16 *)at = (npy_uint16)number->integer; return 1;
    case NPY_INT32: *(npy_int32 *)at = (npy_int32)number->integer; return 1;
    case NPY_UINT32: *(npy_uint32 *)at = (npy_uint32)number->integer; return 1;
    case NPY_INT64: *(npy_int64 *)at = number->integer; return 1;
    case NPY_UINT64: *(npy_uint64 *)at = (npy_uint64)number->integer; return 1;
    case NPY_DOUBLE: *(npy_double *)at = real; return 1;
    case NPY_FLOAT:
        if (!(fabs(real) <= (double)FLT_MAX)) /* NumPy warns of what becomes infinite */
            return 0;
        *(npy_float *)at = (npy_float)real;
        return 1;
    default: return 0;
    }
}

/* An array without dimensions, to be written: the spare one where only its place has it and nobody has changed what it is, else
   a new one, which then lies in that place. */
static PyArrayObject *opw_number_array(const opw_rule *rule, PyArrayObject **spare)
{
    PyArrayObject *array = spare ? *spare : NULL;
    if (array && Py_REFCNT(array) == 1 && PyArray_DESCR(array) == rule->dtype && !PyArray_NDIM(array) &&
        PyArray_CHKFLAGS(array, NPY_ARRAY_BEHAVED | NPY_ARRAY_OWNDATA)) {
        Py_INCREF(array);
        return array;
    }
    Py_INCREF(rule->dtype); /* NumPy takes it */
    array = (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, rule->dtype, 0, NULL, NULL, NULL, 0, NULL);
    if (array && spare) {
        Py_CLEAR(*spare);
        Py_INCREF(array);
        *spare = array;
    }
    return array;
}

/* Has NumPy write a number. Non-zero: an exception is set. */
static int opw_set_number(const opw_rule *rule, PyArrayObject *array, PyObject *value)
{
    if (!PyArray_SETITEM(array, PyArray_BYTES(array), value))
        return 0;
    if (PyLong_CheckExact(value) && PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        (void)opw_refuse_size(rule, value);
    }
    return -1;
}

/* A number as an array, where no more needs to be known. NULL without an exception: more does. */
static PyObject *opw_from_number(const opw_rule *rule, PyObject *value, PyArrayObject **spare)
{
    opw_number number = {0, 0, 0.0, 0};
    PyArrayObject *made;
    int known = opw_read_number(value, &number);
    int held = known ? opw_holds(rule, &number) : opw_is_weak_object(rule, value);
    if (held <= 0)
        return NULL;
    made = opw_number_array(rule, spare);
    if (made && !(known && opw_put_number(rule->dtype->type_num, PyArray_DATA(made), &number)) && opw_set_number(rule, made, value))
        Py_CLEAR(made);
    return (PyObject *)made;
}

