/* From the vectorcall's arguments to borrowed references in the slots. */
/* ---- binding of arguments ---------------------------------------------------------------------------- */

static char *opw_slot(char *frame, const opw_code *code, uint32_t variable)
{
    return frame + code->offsets[variable];
}

static char *opw_argument_slot(char *frame, const opw_code *code, Py_ssize_t i)
{
    return frame + code->argument_offsets[i];
}

/* The label of a variable's type. */
static const char *opw_label_of(const opw_code *code, uint32_t variable)
{
    return code->program->types[code->program->variable_types[variable]].label;
}

/* The arguments that a caller gives; shared values come after them. */
static Py_ssize_t opw_arguments(const opw_program *p) { return (Py_ssize_t)(p->arguments - p->cells); }

/* The argument's position, the number of arguments for out=, -1: there is none of that name, -2: an exception is set.
   Keywords in a program's text are interned, so the first loop finds nearly all. */
static Py_ssize_t opw_keyword(const opw_code *code, PyObject *key)
{
    Py_ssize_t i, n = opw_arguments(code->program);
    for (i = n; i >= 0; i--)
        if (code->keywords[i] == key)
            return i;
    for (i = n; i >= 0; i--) {
        int same = code->keywords[i] ? PyObject_RichCompareBool(code->keywords[i], key, Py_EQ) : 0;
        if (same)
            return same < 0 ? -2 : i;
    }
    return -1;
}

static int opw_unknown_keyword(opw_function *self, PyObject *key)
{
    const opw_program *p = self->code->program;
    PyObject *known = PyUnicode_FromString("out");
    Py_ssize_t i, nameless = 0;
    for (i = opw_arguments(p); known && i-- > 0;)
        if (self->code->keywords[i]) {
            PyObject *longer = PyUnicode_FromFormat("%U, %U", self->code->keywords[i], known);
            Py_DECREF(known);
            known = longer;
        } else
            nameless++;
    if (known && nameless)
        PyErr_Format(PyExc_TypeError, "%U() got an unexpected keyword argument '%S'; it takes %U, and %zd by position only, "
                     "which have no name or share one: In(variable, name=...) names one", self->name, key, known, nameless);
    else if (known)
        PyErr_Format(PyExc_TypeError, "%U() got an unexpected keyword argument '%S'; it takes %U", self->name, key, known);
    Py_XDECREF(known);
    return -1;
}

/* Puts keyword arguments into their slots; *out is what came as out=. */
static int opw_bind_keywords(opw_function *self, char *frame, PyObject *const *values, PyObject *names, PyObject **out)
{
    const opw_code *code = self->code;
    Py_ssize_t k, n = PyTuple_GET_SIZE(names);
    for (k = 0; k < n; k++) {
        PyObject *key = PyTuple_GET_ITEM(names, k);
        Py_ssize_t i = opw_keyword(code, key);
        if (i == opw_arguments(code->program)) {
            *out = values[k];
            continue;
        }
        if (i < 0)
            return i == -1 ? opw_unknown_keyword(self, key) : -1;
        if (OPW_PY(opw_argument_slot(frame, code, i))) {
            PyErr_Format(PyExc_TypeError, "%U() got multiple values for argument '%S'", self->name, key);
            return -1;
        }
        OPW_PY(opw_argument_slot(frame, code, i)) = values[k];
    }
    return 0;
}

/* Fills what was not given from the defaults. */
static int opw_bind_defaults(opw_function *self, char *frame)
{
    const opw_code *code = self->code;
    const opw_program *p = code->program;
    Py_ssize_t i, n = opw_arguments(p);
    for (i = 0; i < n; i++) {
        PyObject *given = PyTuple_GET_ITEM(self->defaults, i);
        char *slot = opw_argument_slot(frame, code, i);
        if (OPW_PY(slot))
            continue;
        if (given != Py_None) {
            OPW_PY(slot) = PyTuple_GET_ITEM(given, 0);
            continue;
        }
        if (p->argument_table[i].name)
            PyErr_Format(PyExc_TypeError, "%U() missing required argument '%s' (position %zd)", self->name,
                         p->argument_table[i].name, i + 1);
        else
            PyErr_Format(PyExc_TypeError, "%U() missing required argument at position %zd", self->name, i + 1);
        return -1;
    }
    return 0;
}

static int opw_bind(opw_function *self, char *frame, PyObject *const *args, Py_ssize_t given, PyObject *names,
                    PyObject **out)
{
    const opw_code *code = self->code;
    Py_ssize_t i, n = opw_arguments(code->program);

    if (given > n) {
        PyErr_Format(PyExc_TypeError, "%U() takes %zd positional argument%s but %zd %s given", self->name, n,
                     n == 1 ? "" : "s", given, given == 1 ? "was" : "were");
        return -1;
    }
    for (i = 0; i < given; i++)
        OPW_PY(opw_argument_slot(frame, code, i)) = args[i];
    for (; i < n; i++)
        OPW_PY(opw_argument_slot(frame, code, i)) = NULL;
    if (names && opw_bind_keywords(self, frame, args + given, names, out))
        return -1;
    return given < n ? opw_bind_defaults(self, frame) : 0;
}
