/* What the threads of the pool raise, brought to the thread that waits for them. */
/* ---- raised ------------------------------------------------------------------------------------------------------- */

#include "raised.h"

/* The exception of the first part that has raised one. */
typedef struct {
    npy_intp part;
    PyObject *kind, *value, *traceback; /* owned; NULL: none */
} opw_raised;

/* Makes this thread one of Python's, once, so that what is raised in it stays until it is taken. It does not hold the GIL. */
static void opw_be_known(void)
{
    if (!PyGILState_GetThisThreadState()) {
        (void)PyGILState_Ensure();
        (void)PyEval_SaveThread();
    }
}

/* Keeps the exception that a part has raised in this thread, unless an earlier one has. */
static void opw_keep_raised(opw_raised *raised, npy_intp part)
{
    PyGILState_STATE held = PyGILState_Ensure();
    PyObject *kind = NULL, *value = NULL, *traceback = NULL;
    if (PyErr_Occurred()) {
        int later = (raised->kind || raised->value) && raised->part < part;
        OPW_FETCH(&kind, &value, &traceback);
        Py_XDECREF(later ? kind : raised->kind);
        Py_XDECREF(later ? value : raised->value);
        Py_XDECREF(later ? traceback : raised->traceback);
        if (!later)
            raised->part = part, raised->kind = kind, raised->value = value, raised->traceback = traceback;
    }
    PyGILState_Release(held);
}

/* Sets what was kept, if anything was. The GIL is held. */
static void opw_raise_kept(opw_raised *raised)
{
    if (raised->kind || raised->value)
        OPW_RESTORE(raised->kind, raised->value, raised->traceback);
}
