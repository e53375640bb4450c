/* What was found, for Python. */
/* ---- the function ---- */

static int opw_make_book(opw_function *self)
{
    self->book = (struct opw_book *)calloc(1, sizeof(struct opw_book));
    if (!self->book)
        PyErr_NoMemory();
    return self->book ? 0 : -1;
}

static void opw_drop_book(opw_function *self)
{
    if (self->book)
        free(self->book->findings);
    free(self->book);
    opw_forget_claims(self);
}

static PyObject *opw_told_of(const opw_finding *f)
{
    return Py_BuildValue("sizzizzizKK", f->rule, (int)f->place, f->at.what, f->at.file, f->at.line, f->other.what, f->other.file,
                         f->other.line, *f->type ? f->type : NULL, f->count, f->size);
}

/* f._accounts(): what was found so far: rule, node or -1 - type, what was called, file, line; what else, file, line; the object's type, or None:
   memory; how often; bytes. */
static PyObject *opw_function_accounts(PyObject *object, PyObject *unused)
{
    const struct opw_book *book = ((const opw_function *)object)->book;
    PyObject *list = PyList_New(0), *row;
    size_t i;
    int failed = !list;
    (void)unused;
    for (i = 0; !failed && i < book->count; i++) {
        row = opw_told_of(&book->findings[i]);
        failed = !row || PyList_Append(list, row);
        Py_XDECREF(row);
    }
    if (failed)
        Py_CLEAR(list);
    return list;
}

/* f._forget_accounts(): as if nothing had been found. */
static PyObject *opw_function_forget_accounts(PyObject *object, PyObject *unused)
{
    ((opw_function *)object)->book->count = 0;
    (void)unused;
    Py_RETURN_NONE;
}

/* Has what was found said, by f.account.say(). Non-zero: an exception is set. */
static int opw_say_accounts(opw_function *self)
{
    PyObject *account, *none;
    self->book->fresh = 0;
    if (!(account = opw_attribute((PyObject *)self, "account"))) {
        PyErr_Clear(); /* nobody listens */
        return 0;
    }
    none = opw_call_method(account, "say");
    Py_DECREF(account);
    Py_XDECREF(none);
    return !none;
}

/* The callable's entry; what a call has found is said when it is over. */
static PyObject *opw_accounted_call(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *names)
{
    opw_function *self = (opw_function *)callable;
    PyObject *type = NULL, *value = NULL, *traceback = NULL, *result;
    if (self->book->gone)
        return PyErr_Format(PyExc_RuntimeError, "%U() is garbage, and has given up its constants", self->name);
    result = opw_vectorcall(callable, args, nargsf, names);
    if (!self->book->fresh)
        return result;
    OPW_FETCH(&type, &value, &traceback);
    if (opw_say_accounts(self) && result)
        Py_CLEAR(result);
    else {
        if (!result)
            PyErr_Clear(); /* the call's own exception says more */
        OPW_RESTORE(type, value, traceback);
    }
    return result;
}

static void opw_leave_instance(opw_function *self);

/* The function goes: the last texts run while there is still who says what they lose. */
static void opw_function_finalize(PyObject *object)
{
    opw_function *self = (opw_function *)object;
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    OPW_FETCH(&type, &value, &traceback);
    opw_leave_instance(self);
    if (self->book) {
        self->book->gone = 1;
        if (self->book->fresh && opw_say_accounts(self))
            PyErr_WriteUnraisable(self->name);
    }
    OPW_RESTORE(type, value, traceback);
}
