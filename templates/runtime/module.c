/* The module: its functions, and make() for one. */
/* ---- the module ---------------------------------------------------------------------------------------- */

static int opw_fill_state(PyObject *module, opw_state *state, const opw_unit *unit)
{
    uint32_t i;
    state->codes = (opw_code *)PyMem_Calloc(unit->functions, sizeof(opw_code));
    if (!state->codes) {
        PyErr_NoMemory();
        return -1;
    }
    state->unit = unit;
    for (i = 0; i < unit->functions; i++)
        if (opw_resolve(&state->codes[i], &unit->function_table[i]))
            return -1;
    state->type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &opw_function_spec, NULL);
    if (!state->type && !PyErr_Occurred()) /* CPython says nothing where it has no memory for the type's name */
        PyErr_NoMemory();
    return state->type ? 0 : -1;
}

static int opw_module_traverse(PyObject *module, visitproc visit, void *arg)
{
    Py_VISIT(((opw_state *)PyModule_GetState(module))->type);
    return 0;
}

static int opw_module_clear(PyObject *module)
{
    Py_CLEAR(((opw_state *)PyModule_GetState(module))->type);
    return 0;
}

static void opw_module_free(void *module)
{
    opw_state *state = (opw_state *)PyModule_GetState((PyObject *)module);
    uint32_t i;
    if (!state)
        return;
    for (i = 0; state->unit && i < state->unit->functions; i++)
        opw_drop_code(&state->codes[i]);
    PyMem_Free(state->codes);
    Py_CLEAR(state->type);
}

static PyMethodDef opw_module_methods[] = {
    {"make", opw_make, METH_VARARGS, "make(function, name, rules, convert, outs, performs, constants, defaults, cells, failed, unlike, remark=None, threads=1, takes=None, gives=None) -> Function"},
    OPW_FAULT_METHODS
    {NULL, NULL, 0, NULL},
};
