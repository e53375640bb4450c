/* The module's entry. Runs once an import. */
/* ---- the module's entry ------------------------------------------------------------------------------------------ */

/* What holds for the process, whatever the function. */
static void opw_forked(void) { opw_process = getpid(); }

static int opw_prepare(void)
{
    PyArray_Descr *dtype;
    PyObject *name;
    int number;
    if (!opw_process && pthread_atfork(NULL, NULL, opw_forked)) {
        PyErr_NoMemory();
        return -1;
    }
    opw_forked();
    if (PyArray_ImportNumPyAPI() < 0 || !(name = PyUnicode_InternFromString("numpy.ma")))
        return -1;
    Py_XDECREF(opw_numpy_ma); /* release what an earlier load left (owned) */
    opw_numpy_ma = name;
    for (number = 0; number < OPW_DTYPES; number++) {
        if (!(dtype = PyArray_DescrFromType(number)))
            return -1;
        Py_XDECREF(opw_dtypes[number]); /* release what an earlier load left (owned) */
        opw_dtypes[number] = dtype;
    }
    return 0;
}

static int opw_exec(PyObject *module)
{
    const opw_init *init;
    if (opw_prepare())
        return -1;
    for (init = opw_the_unit.init_table; init->run; init++) {
        if (PyModule_AddStringConstant(module, "initialising", init->label)) /* Python names it where it fails */
            return -1;
        if (init->run() && !PyErr_Occurred())
            continue;
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ImportError, "it failed without setting an exception; set one before return NULL");
        return -1;
    }
    return opw_fill_state(module, (opw_state *)PyModule_GetState(module), &opw_the_unit);
}

static PyModuleDef_Slot opw_module_slots[] = {
    {Py_mod_exec, (void *)opw_exec},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_USED}, /* whatever the fragments say: what an instance keeps and cells are not locked */
#endif
    {0, NULL},
};

static struct PyModuleDef opw_module = {
    PyModuleDef_HEAD_INIT, "opweld_module", NULL, sizeof(opw_state), opw_module_methods, opw_module_slots,
    opw_module_traverse, opw_module_clear, opw_module_free,
};

PyObject *opw_enter_module(void)
{
    return PyModuleDef_Init(&opw_module);
}
