/* From one dtype to another, without a warning, and whether that kept every value. */
/* ---- casts -------------------------------------------------------------------------------------------------------- */

#include "raised.h"

/* Keeps warnings of floating point away: numpy.errstate(all="ignore"), entered. NULL: an exception is set. */
static PyObject *opw_hush(void)
{
    PyObject *numpy = PyImport_ImportModule("numpy"), *kind = NULL, *none = NULL, *all = NULL, *state = NULL, *entered = NULL;
    if (numpy && (kind = opw_attribute(numpy, "errstate")) && (none = PyTuple_New(0)) &&
        (all = Py_BuildValue("{ss}", "all", "ignore")) && (state = PyObject_Call(kind, none, all)) &&
        !(entered = opw_call_method(state, "__enter__")))
        Py_CLEAR(state);
    Py_XDECREF(entered);
    Py_XDECREF(all);
    Py_XDECREF(none);
    Py_XDECREF(kind);
    Py_XDECREF(numpy);
    return state;
}

/* Ends that; takes the reference. An exception that is set stays. Non-zero: one is set. */
static int opw_unhush(PyObject *state)
{
    PyObject *type = NULL, *value = NULL, *traceback = NULL, *leave, *left;
    int failed = PyErr_Occurred() != NULL;
    OPW_FETCH(&type, &value, &traceback);
    leave = opw_attribute(state, "__exit__");
    left = leave ? PyObject_CallFunctionObjArgs(leave, Py_None, Py_None, Py_None, NULL) : NULL;
    Py_XDECREF(leave);
    Py_DECREF(state);
    if (!left && !failed)
        return -1;
    Py_XDECREF(left);
    OPW_RESTORE(type, value, traceback);
    return failed;
}

/* Whether a cast can make NumPy speak of floating point. */
static int opw_can_warn(PyArray_Descr *from, PyArray_Descr *to)
{
    return from->type_num != to->type_num &&
           (from->kind == 'f' || from->kind == 'c' || from->kind == 'O' || to->type_num == NPY_HALF);
}

/* A copy of another dtype whose elements lie in the same order; of complex numbers that must become real the real part. */
static PyArrayObject *opw_cast(PyArrayObject *array, PyArray_Descr *dtype)
{
    PyArrayObject *part, *made;
    PyObject *hush = NULL;
    int failed;

    if (PyArray_DESCR(array)->kind == 'c' && dtype->kind != 'c')
        part = (PyArrayObject *)opw_attribute((PyObject *)array, "real");
    else
        part = array, Py_INCREF(array);
    if (!part)
        return NULL;
    Py_INCREF(dtype); /* NumPy takes it */
    made = (PyArrayObject *)PyArray_NewLikeArray(part, NPY_KEEPORDER, dtype, 0);
    failed = !made || (opw_can_warn(PyArray_DESCR(part), dtype) && !(hush = opw_hush())) || PyArray_CopyInto(made, part) < 0;
    if (hush && opw_unhush(hush))
        failed = 1;
    Py_DECREF(part);
    if (failed)
        Py_CLEAR(made);
    return made;
}

/* a == b as Python says it, also of one object with itself. -1: an exception is set. */
static int opw_equal(PyObject *a, PyObject *b)
{
    PyObject *answer = PyObject_RichCompare(a, b, Py_EQ);
    int equal = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    return equal;
}

/* Whether two numbers are equal, or both nan. -1: an exception is set. */
static int opw_same_item(PyObject *a, PyObject *b)
{
    int same = opw_equal(a, b), nan;
    if (same)
        return same;
    nan = opw_equal(a, a);
    if (nan)
        return nan < 0 ? -1 : 0;
    nan = opw_equal(b, b);
    return nan < 0 ? -1 : !nan;
}

/* An element as Python's integer, of a complex number the real part. Takes the reference. NULL: an exception is set. */
static PyObject *opw_whole(PyObject *item)
{
    PyObject *real = item ? opw_attribute(item, "real") : NULL, *whole = real ? PyNumber_Long(real) : NULL;
    Py_XDECREF(real);
    Py_XDECREF(item);
    return whole;
}

/* Whether each pair of elements is the same number, as Python compares those: exactly; where whole is asked for, what was made
   is compared as an integer. -1: an exception is set. */
static int opw_same_items(PyArrayObject *given, PyArrayObject *made, int whole)
{
    PyArrayIterObject *a = (PyArrayIterObject *)PyArray_IterNew((PyObject *)given);
    PyArrayIterObject *b = (PyArrayIterObject *)PyArray_IterNew((PyObject *)made);
    int same = a && b ? 1 : -1;
    while (same == 1 && PyArray_ITER_NOTDONE(a)) {
        PyObject *one = PyArray_GETITEM(given, (char *)PyArray_ITER_DATA(a));
        PyObject *other = one ? PyArray_GETITEM(made, (char *)PyArray_ITER_DATA(b)) : NULL;
        if (whole)
            other = opw_whole(other);
        same = other ? opw_same_item(one, other) : -1;
        Py_XDECREF(one);
        Py_XDECREF(other);
        PyArray_ITER_NEXT(a);
        PyArray_ITER_NEXT(b);
    }
    Py_XDECREF(a);
    Py_XDECREF(b);
    return same;
}

/* Whether NumPy's comparison of two arrays goes by a dtype that does not hold all values of both. */
static int opw_compares_roughly(PyArrayObject *a, PyArrayObject *b)
{
    char one = PyArray_DESCR(a)->kind, other = PyArray_DESCR(b)->kind;
    int wide = ((one == 'i' || one == 'u') && PyArray_ITEMSIZE(a) == 8) || ((other == 'i' || other == 'u') && PyArray_ITEMSIZE(b) == 8);
    return wide && one != other && one != 'b' && other != 'b';
}

/* Whether a conversion kept every value. -1: an exception is set. */
static int opw_same_values(PyArrayObject *given, PyArrayObject *made)
{
    PyObject *equal, *all;
    int same;
    if (PyArray_EquivTypes(PyArray_DESCR(given), PyArray_DESCR(made)))
        return 1;
    if (opw_compares_roughly(given, made) || PyArray_SIZE(given) < 8)
        return opw_same_items(given, made, 0);
    equal = PyObject_RichCompare((PyObject *)given, (PyObject *)made, Py_EQ);
    all = equal ? opw_call_method(equal, "all") : NULL;
    same = all ? PyObject_IsTrue(all) : -1;
    Py_XDECREF(equal);
    Py_XDECREF(all);
    return same ? same : opw_same_items(given, made, 0); /* nan */
}
