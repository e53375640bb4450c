/* make(): binds Python's objects to the module. */
/* ---- make ---------------------------------------------------------------------------------------------- */

/* Extracts the constants into memory that the instance keeps. */
static int opw_enter_constants(opw_function *self, PyObject *values)
{
    const opw_code *code = self->code;
    const opw_program *p = code->program;
    char *frame;
    uint32_t i;
    int failed;

    if (!p->constants && !p->structs)
        return 0;
    frame = (char *)PyMem_Calloc(1, code->constants_end);
    if (!frame) {
        PyErr_NoMemory();
        return -1;
    }
    OPW_HEAD(frame)->self = self;
    OPW_HEAD(frame)->program = p;
    for (i = 0; i < p->constants; i++) {
        uint32_t variable = p->constant_variables[i];
        const opw_type *type = &p->types[p->variable_types[variable]];
        PyObject *value = PyTuple_GET_ITEM(values, i);
        Py_INCREF(value);
        OPW_PY(opw_slot(frame, code, variable)) = value;
        failed = type->adopt(frame, &code->offsets[variable]);
        if (failed || PyErr_Occurred() || opw_check_taken(type, opw_slot(frame, code, variable))) {
            PyObject *kind = NULL, *error = NULL, *traceback = NULL;
            if (!PyErr_Occurred())
                PyErr_Format(PyExc_RuntimeError, "%U(): %s.c_extract failed on a constant without setting an exception; "
                             "set one, as by PyErr_SetString, before fail", self->name, type->label);
            OPW_FETCH(&kind, &error, &traceback);
            opw_leave_constants(self, frame, i + (failed >= 0));
            OPW_RESTORE(kind, error, traceback);
            PyMem_Free(frame);
            return -1;
        }
    }
    self->constants = frame;
    return 0;
}

/* Rules are tuples; None where an argument has none, a str where a result has none. */
static int opw_check_rules(PyObject *rules, PyObject *outs)
{
    Py_ssize_t i;
    for (i = 0; i < PyTuple_GET_SIZE(rules); i++)
        if (PyTuple_GET_ITEM(rules, i) != Py_None && !PyTuple_Check(PyTuple_GET_ITEM(rules, i))) {
            PyErr_Format(PyExc_TypeError, "make() got %.200s as rule %zd, expected a tuple or None",
                         Py_TYPE(PyTuple_GET_ITEM(rules, i))->tp_name, i);
            return -1;
        }
    for (i = 0; i < PyTuple_GET_SIZE(outs); i++)
        if (!PyUnicode_Check(PyTuple_GET_ITEM(outs, i)) && !PyTuple_Check(PyTuple_GET_ITEM(outs, i))) {
            PyErr_Format(PyExc_TypeError, "make() got %.200s as out %zd, expected a tuple or a str",
                         Py_TYPE(PyTuple_GET_ITEM(outs, i))->tp_name, i);
            return -1;
        }
    return 0;
}

static int opw_check_make(const opw_program *p, PyObject *rules, PyObject *outs, PyObject *performs, PyObject *constants,
                          PyObject *defaults, PyObject *cells)
{
    Py_ssize_t i, arguments = (Py_ssize_t)(p->arguments - p->cells), results = (Py_ssize_t)(p->results - p->updates);
    for (i = 0; i < PyTuple_GET_SIZE(cells); i++)
        if (!PyList_Check(PyTuple_GET_ITEM(cells, i))) {
            PyErr_Format(PyExc_TypeError, "make() got %.200s as cell %zd, expected a list of one",
                         Py_TYPE(PyTuple_GET_ITEM(cells, i))->tp_name, i);
            return -1;
        }
    if (PyTuple_GET_SIZE(rules) == arguments && PyTuple_GET_SIZE(outs) == results &&
        PyTuple_GET_SIZE(performs) == (Py_ssize_t)p->performs && PyTuple_GET_SIZE(constants) == (Py_ssize_t)p->constants &&
        PyTuple_GET_SIZE(defaults) == arguments && PyTuple_GET_SIZE(cells) == (Py_ssize_t)p->cells)
        return 0;
    PyErr_Format(PyExc_ValueError, "make() got %zd rules, %zd outs, %zd performs, %zd constants, %zd defaults and %zd cells, expected "
                 "%zd, %zd, %u, %u, %zd and %u", PyTuple_GET_SIZE(rules), PyTuple_GET_SIZE(outs), PyTuple_GET_SIZE(performs),
                 PyTuple_GET_SIZE(constants), PyTuple_GET_SIZE(defaults), PyTuple_GET_SIZE(cells), arguments, results,
                 (unsigned int)p->performs, (unsigned int)p->constants, arguments, (unsigned int)p->cells);
    return -1;
}

/* The function at a position of the module's; NULL: an exception is set. */
static const opw_code *opw_code_at(const opw_state *state, Py_ssize_t position)
{
    if (position >= 0 && position < (Py_ssize_t)state->unit->functions)
        return &state->codes[position];
    PyErr_Format(PyExc_ValueError, "make() got %zd as function, the module has %u", position,
                 (unsigned int)state->unit->functions);
    return NULL;
}

/* Non-zero: an exception is set. */
static int opw_take_threads(int threads)
{
    opw_pool_run found;
    if (threads < 1)
        PyErr_Format(PyExc_ValueError, "make() got %d as threads, expected a number from 1 on", threads);
    if (threads <= 1)
        return threads - 1;
    if ((found = opw_find_pool())) /* the process has one; other instances may be at work with it */
        opw_pool = found;
    return found ? 0 : -1;
}

static PyObject *opw_make(PyObject *module, PyObject *args)
{
    const opw_state *state = (const opw_state *)PyModule_GetState(module);
    const opw_code *code;
    Py_ssize_t position;
    PyObject *name, *rules, *convert, *outs, *performs, *constants, *defaults, *cells, *failed, *unlike, *remark = Py_None;
    PyObject *takes = Py_None, *gives = Py_None;
    int threads = 1;
    opw_function *self;

    if (!PyArg_ParseTuple(args, "nUO!OO!O!O!O!O!OO|OiOO:make", &position, &name, &PyTuple_Type, &rules, &convert, &PyTuple_Type,
                          &outs, &PyTuple_Type, &performs, &PyTuple_Type, &constants, &PyTuple_Type, &defaults, &PyTuple_Type,
                          &cells, &failed, &unlike, &remark, &threads, &takes, &gives) ||
        !(code = opw_code_at(state, position)) || opw_check_rules(rules, outs) ||
        opw_check_make(code->program, rules, outs, performs, constants, defaults, cells) ||
        (takes != Py_None && (opw_check_cells("takes", takes, PyTuple_GET_SIZE(rules)) || opw_check_cells("gives", gives, PyTuple_GET_SIZE(outs)))) ||
        opw_take_threads(threads))
        return NULL;
    self = PyObject_GC_New(opw_function, state->type);
    if (!self)
        return NULL;
    self->vectorcall = takes != Py_None ? opw_cells_call : threads > 1 ? opw_call_on_threads : OPW_ENTRY;
    self->threads = threads;
    self->takes = self->gives = NULL;
    Py_INCREF(module);
    self->module = module;
    self->code = code;
    self->dict = self->weakrefs = NULL;
    self->constants = NULL;
    self->kept = NULL;
    self->ready = NULL;
    self->structs = NULL;
    self->turns = NULL;
#ifdef OPW_PROFILE
    self->costs = NULL;
#endif
#ifdef OPW_ACCOUNT
    self->book = NULL;
#endif
    Py_INCREF(name);
    self->name = name;
    Py_INCREF(rules);
    self->rules = rules;
    Py_INCREF(convert);
    self->convert = convert;
    Py_INCREF(outs);
    self->outs = outs;
    Py_INCREF(performs);
    self->performs = performs;
    Py_INCREF(defaults);
    self->defaults = defaults;
    Py_INCREF(cells);
    self->cells = cells;
    if (takes != Py_None) {
        Py_INCREF(takes);
        self->takes = takes;
        Py_INCREF(gives);
        self->gives = gives;
    }
    Py_INCREF(failed);
    self->failed = failed;
    Py_INCREF(unlike);
    self->unlike = unlike;
    self->remark = remark == Py_None ? NULL : remark;
    Py_XINCREF(self->remark);
    PyObject_GC_Track((PyObject *)self);
    if (opw_make_costs(self) || opw_make_book(self) || opw_make_turns(self) || opw_make_kept(self) || opw_enter_constants(self, constants) || opw_make_structs(self)) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}
