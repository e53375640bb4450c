/* opweld._threads: the pool of threads that loops of all modules and ufuncs share, and whether threads can be started. Built with the
   package, once a CPython; loaded by who first asks for more threads than one, or builds. It needs no NumPy. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "pool.c"
#include "startable.c"

static PyMethodDef opw_threads_methods[] = {
    {"startable", opw_py_startable, METH_O, "startable(number) -> int: how many threads of so many can be started now"},
    {NULL, NULL, 0, NULL},
};

static int opw_threads_exec(PyObject *module)
{
    static int open;
    static opw_pool_run run = opw_run_in_pool;
    PyObject *capsule = PyCapsule_New((void *)&run, OPW_POOL, NULL);
    int failed = !capsule || PyModule_AddObjectRef(module, "pool", capsule) < 0;
    Py_XDECREF(capsule);
    if (!failed && !open && !(open = !opw_open_pool())) {
        PyErr_NoMemory();
        return -1;
    }
    return failed ? -1 : 0;
}

static PyModuleDef_Slot opw_threads_slots[] = {
    {Py_mod_exec, (void *)opw_threads_exec},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

static struct PyModuleDef opw_threads_module = {
    PyModuleDef_HEAD_INIT, "opweld._threads", NULL, 0, opw_threads_methods, opw_threads_slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__threads(void)
{
    return PyModuleDef_Init(&opw_threads_module);
}
