/* opweld._argument: the rule of TensorType for Python, what crashes say, what the processor is, sums, which files have changed. Built with the package, once a CPython; loaded where it is first asked. */
#include "includes.h"
#include "argument.c"
#include "crash.c"
#include "guarded.c"
#include "lastwords.c"
#include "level.c"
#include "sha256.c"
#include "unchanged.c"

static PyObject *opw_py_filter(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    opw_rule rule;
    PyObject *found;
    (void)module;
    if (n != 2 || !PyTuple_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "filter() takes a value and a tuple, its rule");
        return NULL;
    }
    if (opw_read_rule(args[1], &rule))
        return NULL;
    found = opw_filter(args[0], &rule, NULL);
    Py_DECREF(rule.dtype);
    return found;
}

static PyObject *opw_py_describe(PyObject *module, PyObject *value)
{
    (void)module;
    return opw_describe(value, 0);
}

static PyObject *opw_py_expected(PyObject *module, PyObject *tuple)
{
    opw_rule rule;
    PyObject *text;
    (void)module;
    if (!PyTuple_Check(tuple)) {
        PyErr_SetString(PyExc_TypeError, "expected() takes a tuple, a rule");
        return NULL;
    }
    if (opw_read_rule(tuple, &rule))
        return NULL;
    text = opw_expected(&rule);
    Py_DECREF(rule.dtype);
    return text;
}

static PyMethodDef opw_argument_methods[] = {
    {"filter", (PyCFunction)(void (*)(void))opw_py_filter, METH_FASTCALL, "filter(value, rule) -> ndarray"},
    {"describe", opw_py_describe, METH_O, "describe(value) -> str: what decides whether a value fits"},
    {"expected", opw_py_expected, METH_O, "expected(rule) -> str: what a rule wants, in the terms of describe"},
    {"level", opw_py_level, METH_NOARGS, "level() -> int: 1 to 4, the level of x86-64 that processor and system have"},
    {"sha256", opw_py_sha256, METH_VARARGS,
     "sha256(data, plainly=False) -> str: SHA-256 in hexadecimal digits; plainly: without the processor's instructions for it"},
    {"unchanged", opw_py_unchanged, METH_VARARGS,
     "unchanged(files, at) -> int: which of the files, from that one on, is the first that has changed; their number: none"},
    {"watch", (PyCFunction)(void (*)(void))opw_py_watch, METH_FASTCALL,
     "watch(start, end, text): write a text, behind the signal's name, where what lies there crashes"},
    {"unkept", opw_py_unkept, METH_NOARGS, "unkept(): NumPy's arrays lie in memory that goes when they go"},
    {"guarded", opw_py_guarded, METH_VARARGS,
     "guarded(fill, pages): NumPy's arrays lie in memory that shows what is written beside them, full of a byte"},
    {"unguarded", opw_py_unguarded, METH_NOARGS,
     "unguarded() -> list: as before; what was written beside them, as (address, size, first, number)"},
    {"last_words", opw_py_last_words, METH_O,
     "last_words(file): write to a file's number where the process stood when a signal ends it"},
    {NULL, NULL, 0, NULL},
};

static int opw_argument_exec(PyObject *module)
{
    (void)module;
    return PyArray_ImportNumPyAPI() < 0 || !(opw_numpy_ma = PyUnicode_InternFromString("numpy.ma")) ? -1 : 0;
}

static PyModuleDef_Slot opw_argument_slots[] = {
    {Py_mod_exec, (void *)opw_argument_exec},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED}, /* nothing here changes once it is made */
#endif
    {0, NULL},
};

static struct PyModuleDef opw_argument_module = {
    PyModuleDef_HEAD_INIT, "opweld._argument", NULL, 0, opw_argument_methods, opw_argument_slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__argument(void)
{
    return PyModuleDef_Init(&opw_argument_module);
}
