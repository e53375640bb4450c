/* A step that calls Python. */
/* ---- perform ----------------------------------------------------------------------------------------- */

/* Leaves the first outputs, last first. */
static void opw_perform_leave(char *frame, const uint32_t *slots, Py_ssize_t entered)
{
    const opw_type *types = OPW_HEAD(frame)->program->types;
    const uint32_t *outputs = slots + 3 + slots[1];
    while (entered-- > 0)
        types[outputs[2 * entered]].leave(frame, outputs + 2 * entered + 1);
}

void opw_perform_undo(char *frame, const uint32_t *slots)
{
    opw_perform_leave(frame, slots, (Py_ssize_t)slots[2]);
}

/* Whether a type's c_extract took the array that the type promises; arguments that c_accept let through are not asked. */
static int opw_check_taken(const opw_type *type, char *slot)
{
    if (type->ndim < 0 || opw_is(OPW_ARRAY(slot), type->number, type->ndim))
        return 0;
    return opw_not_taken(type->label, (PyObject *)OPW_ARRAY(slot), type->number, type->ndim);
}

/* Gives the members of result to the outputs' slots and extracts them. All or none are entered. */
static int opw_perform_adopt(char *frame, const uint32_t *slots, PyObject *result)
{
    const opw_type *types = OPW_HEAD(frame)->program->types, *type;
    const uint32_t *outputs = slots + 3 + slots[1];
    Py_ssize_t i, n = (Py_ssize_t)slots[2];
    int failed;

    if (!PyTuple_Check(result) || PyTuple_GET_SIZE(result) != n) {
        PyErr_Format(PyExc_SystemError, "a perform gave %.200s, expected a tuple of %zd", Py_TYPE(result)->tp_name, n);
        return -1;
    }
    for (i = 0; i < n; i++) {
        const uint32_t *slot = outputs + 2 * i + 1;
        PyObject *value = PyTuple_GET_ITEM(result, i);
        Py_INCREF(value);
        OPW_PY(frame + slot[0]) = value;
        type = &types[slot[-1]];
        failed = type->adopt(frame, slot);
        if (failed || opw_check_taken(type, frame + slot[0])) {
            opw_perform_leave(frame, slots, i + (failed >= 0));
            return -1;
        }
    }
    return 0;
}

int opw_perform(char *frame, const uint32_t *slots)
{
    opw_function *self = OPW_HEAD(frame)->self;
    Py_ssize_t i, n = (Py_ssize_t)slots[1];
    PyObject *result, *arguments = PyTuple_New(n);
    int failed;

    if (!arguments || PyErr_Occurred()) { /* a fragment set one and went on: Python must not run */
        Py_XDECREF(arguments);
        return -1;
    }
    for (i = 0; i < n; i++) {
        PyObject *value = OPW_PY(frame + slots[3 + i]);
        if (!value)
            PyErr_Format(PyExc_RuntimeError, "%U(): c_sync left no object in py_<name> for input %zd of a perform, and "
                         "set no exception", self->name, i);
        if (!value || (value == Py_None && opw_tell(self, -2 - (int)slots[0], i, NULL))) {
            Py_DECREF(arguments);
            return -1;
        }
        Py_INCREF(value);
        PyTuple_SET_ITEM(arguments, i, value);
    }
    result = PyObject_CallObject(PyTuple_GET_ITEM(self->performs, slots[0]), arguments);
    Py_DECREF(arguments);
    if (!result)
        return -1;
    failed = opw_perform_adopt(frame, slots, result);
    Py_DECREF(result);
    return failed;
}
