/* PyTensor's cutils_ext: a machine in Python calls thunks in C by it. */

#section support_code
/* Calls the function that a capsule holds, with its context. */
static PyObject *run_cthunk(PyObject *self, PyObject *capsule)
{
    int (*run)(void *);
    (void)self;
    if (!PyCapsule_CheckExact(capsule)) {
        PyErr_SetString(PyExc_ValueError, "Argument to run_cthunk must be a PyCObject.");
        return NULL;
    }
    if ((*(void **)&run = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule))) == NULL) return NULL;
    return PyLong_FromLong(run(PyCapsule_GetContext(capsule)));
}

static PyMethodDef cutils_methods[] = {
    {"run_cthunk", run_cthunk, METH_O, "Run an pytensor cthunk."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef cutils_module = {PyModuleDef_HEAD_INIT, "cutils_ext", NULL, -1, cutils_methods, NULL, NULL, NULL, NULL};

static PyObject *PyInit_cutils_ext(void)
{
    return PyModule_Create(&cutils_module);
}
