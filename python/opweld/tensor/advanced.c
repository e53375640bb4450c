/* Indexing with arrays: NumPy's own, by the tuple that stands between brackets. */

#section support_code
/* The tuple that NumPy takes between brackets; forms as in opw_subtensor, with v: an array, and e: an ellipsis. */
static PyObject* opw_key(const char* form, PyArrayObject** number)
{
    PyObject* key = PyTuple_New((Py_ssize_t)strlen(form));
    Py_ssize_t i;
    for (i = 0; key != NULL && form[i] != 0; i++) {
        PyObject* part;
        if (form[i] == 'n' || form[i] == 'e') {
            part = form[i] == 'n' ? Py_None : Py_Ellipsis;
            Py_INCREF(part);
        } else if (form[i] == 'i' || form[i] == 'v') {
            part = (PyObject*)*number++;
            Py_INCREF(part);
        } else {
            const int given = form[i] - '0';
            PyObject* start = given & 1 ? (PyObject*)*number++ : NULL;
            PyObject* stop = given & 2 ? (PyObject*)*number++ : NULL;
            PyObject* step = given & 4 ? (PyObject*)*number++ : NULL;
            part = PySlice_New(start, stop, step);
            if (part == NULL) {
                Py_DECREF(key);
                return NULL;
            }
        }
        PyTuple_SET_ITEM(key, i, part);
    }
    return key;
}

/* numpy.add.at */
static int opw_add_at(PyArrayObject* x, PyObject* key, PyArrayObject* y)
{
    PyObject *numpy = PyImport_ImportModule("numpy"), *add = NULL, *done = NULL;
    if (numpy != NULL) add = PyObject_GetAttrString(numpy, "add");
    if (add != NULL) done = PyObject_CallMethod(add, "at", "OOO", (PyObject*)x, key, (PyObject*)y);
    Py_XDECREF(done);
    Py_XDECREF(add);
    Py_XDECREF(numpy);
    return done == NULL ? -1 : 0;
}

/* x[key] */
static int opw_select(PyArrayObject** out, PyArrayObject* x, const char* form, PyArrayObject** number)
{
    PyObject *found, *key = opw_key(form, number);
    if (key == NULL) return -1;
    found = PyObject_GetItem((PyObject*)x, key);
    Py_DECREF(key);
    return opw_store(out, found);
}

/* x[key] = y, or else numpy.add.at(x, key, y) */
static int opw_put(PyArrayObject* x, const char* form, PyArrayObject** number, PyArrayObject* y, int sets)
{
    int failed;
    PyObject* key = opw_key(form, number);
    if (key == NULL) return -1;
    failed = sets ? PyObject_SetItem((PyObject*)x, key, (PyObject*)y) : opw_add_at(x, key, y);
    Py_DECREF(key);
    return failed;
}
