/* A function whose arguments and results lie in cells: it is called without arguments, by Python or through a capsule; or with
   arguments that stand for what lies in the first cells, and gives its results. */
/* ---- cells ------------------------------------------------------------------------------------------------------- */

#define OPW_FEW_CELLS 8 /* so many values lie on the stack */

/* Whether a cell is a list of one. */
static int opw_is_cell(opw_function *self, PyObject *cell)
{
    if (PyList_GET_SIZE(cell) == 1)
        return 1;
    PyErr_Format(PyExc_RuntimeError, "%U(): a cell holds %zd objects, not one", self->name, PyList_GET_SIZE(cell));
    return 0;
}

/* Puts a value into a cell; what lay there is given up after that. Non-zero: an exception is set. */
static int opw_put(opw_function *self, PyObject *cell, PyObject *value)
{
    PyObject *before;
    if (!opw_is_cell(self, cell))
        return -1;
    before = PyList_GET_ITEM(cell, 0);
    Py_INCREF(value);
    PyList_SET_ITEM(cell, 0, value);
    Py_XDECREF(before);
    return 0;
}

static int opw_put_results(opw_function *self, PyObject *result)
{
    Py_ssize_t i, n = PyTuple_GET_SIZE(self->gives);
    int failed = 0;
    if (self->code->program->single)
        return n ? opw_put(self, PyTuple_GET_ITEM(self->gives, 0), result) : 0;
    for (i = 0; !failed && i < n; i++)
        failed = opw_put(self, PyTuple_GET_ITEM(self->gives, i), PyList_GET_ITEM(result, i));
    return failed;
}

static PyObject *opw_call_on_values(opw_function *self, PyObject *const *values, Py_ssize_t n)
{
    return (self->threads > 1 ? opw_call_on_threads : OPW_ENTRY)((PyObject *)self, values, (size_t)n, NULL);
}

/* Calls with what is given, which stands for what lies in as many of the first cells, and what lies in the others, held while the
   call runs. A new reference; NULL: an exception is set. */
static PyObject *opw_call_on_cells(opw_function *self, PyObject *const *given, Py_ssize_t n)
{
    PyObject *few[OPW_FEW_CELLS] = {NULL}, **values = few, *result = NULL;
    Py_ssize_t i = 0, all = PyTuple_GET_SIZE(self->takes);
    if (all > OPW_FEW_CELLS && !(values = (PyObject **)PyMem_Malloc((size_t)all * sizeof(PyObject *))))
        return PyErr_NoMemory();
    for (; i < all && (i < n || opw_is_cell(self, PyTuple_GET_ITEM(self->takes, i))); i++) {
        values[i] = i < n ? given[i] : PyList_GET_ITEM(PyTuple_GET_ITEM(self->takes, i), 0);
        Py_INCREF(values[i]);
    }
    if (i == all)
        result = opw_call_on_values(self, values, all);
    while (i-- > 0)
        Py_DECREF(values[i]); /* release what was given, or lay in a cell (owned) */
    if (values != few)
        PyMem_Free(values);
    return result;
}

/* Calls with what lies in the cells, and puts what comes of it into the others. Non-zero: an exception is set; where the call failed
   no cell has changed. */
static int opw_run_cells(opw_function *self)
{
    PyObject *result = opw_call_on_cells(self, NULL, 0);
    int failed = !result || opw_put_results(self, result);
    Py_XDECREF(result);
    return failed;
}

static PyObject *opw_cells_call(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *names)
{
    opw_function *self = (opw_function *)callable;
    Py_ssize_t n = PyVectorcall_NARGS(nargsf), all = PyTuple_GET_SIZE(self->takes);
    if (n > all || (names && PyTuple_GET_SIZE(names))) {
        PyErr_Format(PyExc_TypeError, "%U() takes %zd arguments at most, for its first cells, and none by name", self->name, all);
        return NULL;
    }
    if (n)
        return n == all ? opw_call_on_values(self, args, n) : opw_call_on_cells(self, args, n);
    if (opw_run_cells(self))
        return NULL;
    Py_RETURN_NONE;
}

/* What a capsule's context points to. Whoever calls through a capsule finds the errors there: a list of type, value and traceback,
   into which a call that fails puts its exception. */
typedef struct {
    PyObject *errors;
    opw_function *function;
} opw_context;

static void opw_set_errors(PyObject *errors)
{
    PyObject *found[3] = {NULL, NULL, NULL};
    Py_ssize_t i;
    OPW_FETCH(&found[0], &found[1], &found[2]);
#if PY_VERSION_HEX >= 0x030C0000
    found[0] = (PyObject *)Py_TYPE(found[1]);
    Py_INCREF(found[0]);
    found[2] = PyException_GetTraceback(found[1]);
#else
    PyErr_NormalizeException(&found[0], &found[1], &found[2]);
#endif
    for (i = 0; i < 3; i++) {
        PyObject *before;
        if (!found[i]) {
            Py_INCREF(Py_None);
            found[i] = Py_None;
        }
        if (PyList_GET_SIZE(errors) <= i) {
            Py_DECREF(found[i]);
            continue;
        }
        before = PyList_GET_ITEM(errors, i);
        PyList_SET_ITEM(errors, i, found[i]);
        Py_XDECREF(before);
    }
}

/* What a capsule holds: 0: the call succeeded. */
static int opw_run_context(void *data)
{
    opw_context *context = (opw_context *)data;
    if (!opw_run_cells(context->function))
        return 0;
    opw_set_errors(context->errors);
    return 1;
}

static void opw_drop_context(PyObject *capsule)
{
    opw_context *context = (opw_context *)PyCapsule_GetContext(capsule); /* opweld-check: off: it is our own */
    if (!context)
        return;
    Py_DECREF(context->errors);
    Py_DECREF((PyObject *)context->function);
    PyMem_Free(context);
}

/* f.capsule(errors): what a virtual machine in C calls, int (*)(void *), with the capsule's context. */
static PyObject *opw_function_capsule(PyObject *object, PyObject *errors)
{
    opw_function *self = (opw_function *)object;
    opw_context *context;
    PyObject *capsule;
    if (!self->takes || !PyList_Check(errors) || PyList_GET_SIZE(errors) != 3) {
        PyErr_SetString(PyExc_TypeError, self->takes ? "capsule() takes a list of three" : "capsule() is for functions of cells");
        return NULL;
    }
    if (!(context = (opw_context *)PyMem_Malloc(sizeof(opw_context))))
        return PyErr_NoMemory();
    Py_INCREF(errors);
    context->errors = errors;
    Py_INCREF(object);
    context->function = self;
    capsule = PyCapsule_New((void *)opw_run_context, NULL, opw_drop_context);
    if (capsule && !PyCapsule_SetContext(capsule, context))
        return capsule;
    Py_XDECREF(capsule); /* it has no context yet, and drops none */
    Py_DECREF(object);
    Py_DECREF(errors);
    PyMem_Free(context);
    return NULL;
}

static int opw_check_cells(const char *what, PyObject *cells, Py_ssize_t wanted)
{
    Py_ssize_t i;
    if (!PyTuple_Check(cells) || PyTuple_GET_SIZE(cells) != wanted) {
        PyErr_Format(PyExc_ValueError, "make() got %s that are no tuple of %zd", what, wanted);
        return -1;
    }
    for (i = 0; i < wanted; i++)
        if (!PyList_Check(PyTuple_GET_ITEM(cells, i))) {
            PyErr_Format(PyExc_TypeError, "make() got %.200s among %s, expected a list of one", Py_TYPE(PyTuple_GET_ITEM(cells, i))->tp_name, what);
            return -1;
        }
    return 0;
}
