/* What an instance keeps between runs: storage of temporaries, and the state of ops; whose turn it is. */
/* ---- what an instance keeps --------------------------------------------------------------------------------------- */

/* Storage above this size is given back, not kept. */
#define OPW_KEEP_BYTES ((npy_intp)1 << 24)

PyObject *opw_take_kept(char *frame, uint32_t index)
{
    PyObject **kept = &OPW_HEAD(frame)->self->kept[index], *object = *kept;
    *kept = NULL; /* a call that overlaps finds none */
    return object;
}

/* The bytes of an array that owns its memory: its outermost axis spans them all. */
static npy_intp opw_span(PyArrayObject *array)
{
    npy_intp span = 0, reach;
    int i;
    for (i = 0; i < PyArray_NDIM(array); i++) {
        reach = PyArray_DIM(array, i) * PyArray_STRIDE(array, i);
        if (reach > span)
            span = reach;
    }
    return span;
}

void opw_keep(char *frame, uint32_t index, PyObject *object)
{
    PyObject **kept = &OPW_HEAD(frame)->self->kept[index];
    if (!*kept && Py_REFCNT(object) == 1 && PyArray_Check(object) && !PyArray_BASE((PyArrayObject *)object) &&
        PyArray_CHKFLAGS((PyArrayObject *)object, NPY_ARRAY_OWNDATA) &&
        opw_span((PyArrayObject *)object) <= OPW_KEEP_BYTES)
        *kept = object; /* nobody else knows it */
    else
        Py_DECREF(object);
}

PyObject *opw_storage(PyObject *object)
{
    PyObject *list = PyList_New(1);
    if (!list)
        return NULL;
    if (!object)
        object = Py_None;
    Py_INCREF(object);
    PyList_SET_ITEM(list, 0, object);
    return list;
}

static int opw_make_kept(opw_function *self)
{
    uint32_t n = self->code->kept;
    if (n && !(self->kept = (PyObject **)PyMem_Calloc(n, sizeof(PyObject *)))) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static void opw_drop_kept(opw_function *self)
{
    uint32_t i;
    for (i = 0; self->kept && i < self->code->kept; i++)
        Py_CLEAR(self->kept[i]);
    PyMem_Free(self->kept);
}

/* Makes the state of each op that keeps some. Those made are dropped with the instance, also after a failure. */
static int opw_make_structs(opw_function *self)
{
    const opw_program *p = self->code->program;
    uint32_t i;
    if (!p->structs)
        return 0;
    self->structs = (void **)PyMem_Calloc(p->structs, sizeof(void *));
    if (!self->structs) {
        PyErr_NoMemory();
        return -1;
    }
    for (i = 0; i < p->structs; i++) {
        const opw_struct *s = &p->struct_table[i];
        self->structs[i] = s->make(self->constants, self->code->slots + s->slots);
        if (self->structs[i])
            continue;
        if (!PyErr_Occurred())
            opw_silent(self, s->label);
        return -1;
    }
    return 0;
}

/* Drops it, last first. An exception that is set stays. */
static void opw_drop_structs(opw_function *self)
{
    const opw_program *p = self->code->program;
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    uint32_t i = self->structs ? p->structs : 0;
    OPW_FETCH(&type, &value, &traceback);
    while (i-- > 0)
        if (self->structs[i])
            p->struct_table[i].drop(self->structs[i]);
    OPW_RESTORE(type, value, traceback);
    PyMem_Free(self->structs);
    self->structs = NULL;
}

/* ---- turns: calls of an instance with state, and calls that update a shared value, one after the other ---- */

static void opw_drop_turn(PyObject *capsule)
{
    opw_turn *turn = (opw_turn *)PyCapsule_GetPointer(capsule, OPW_TURN); /* opweld-check: off: it is our own */
    PyThread_free_lock(turn->lock);
    PyMem_Free(turn);
}

static PyObject *opw_new_turn(void)
{
    opw_turn *turn = (opw_turn *)PyMem_Calloc(1, sizeof(opw_turn));
    PyObject *capsule = NULL;
    if (turn && (turn->lock = PyThread_allocate_lock()))
        capsule = PyCapsule_New(turn, OPW_TURN, opw_drop_turn);
    else
        PyErr_NoMemory();
    if (!capsule && turn) {
        if (turn->lock)
            PyThread_free_lock(turn->lock);
        PyMem_Free(turn);
    }
    return capsule;
}

static opw_turn *opw_turn_at(opw_function *self, Py_ssize_t i)
{
    return (opw_turn *)PyCapsule_GetPointer(PyTuple_GET_ITEM(self->turns, i), OPW_TURN); /* opweld-check: off: it is our own */
}

/* The turn of a shared value, which all functions that update it share: an attribute of its cell. */
static PyObject *opw_turn_of(PyObject *cell)
{
    PyObject *turn = opw_attribute(cell, "turn");
    if (turn != Py_None)
        return turn;
    Py_DECREF(turn);
    turn = opw_new_turn();
    if (turn && PyObject_SetAttrString(cell, "turn", turn))
        Py_CLEAR(turn);
    return turn;
}

/* Collects the turns of an instance: of its own state first, then those of the values that it updates, by address, so that
   no two calls wait for each other. */
static int opw_make_turns(opw_function *self)
{
    const opw_program *p = self->code->program;
    Py_ssize_t i, j, n = 0, first = (Py_ssize_t)(p->results - p->updates);
    if (!p->structs && !p->updates)
        return 0;
    self->turns = PyTuple_New((p->structs ? 1 : 0) + (Py_ssize_t)p->updates);
    if (!self->turns)
        return -1;
    if (p->structs) {
        PyObject *own = opw_new_turn();
        if (!own)
            return -1;
        PyTuple_SET_ITEM(self->turns, n++, own);
    }
    for (i = 0; i < (Py_ssize_t)p->updates; i++) {
        PyObject *turn = opw_turn_of(PyTuple_GET_ITEM(self->cells, p->result_table[first + i].update));
        if (!turn)
            return -1;
        for (j = n++; j > (p->structs ? 1 : 0) && PyTuple_GET_ITEM(self->turns, j - 1) > turn; j--)
            PyTuple_SET_ITEM(self->turns, j, PyTuple_GET_ITEM(self->turns, j - 1));
        PyTuple_SET_ITEM(self->turns, j, turn);
    }
    return 0;
}

static void opw_give_turn(opw_turn *turn)
{
    turn->held = 0;
    PyThread_release_lock(turn->lock);
}

/* Takes one turn. A call from within a call would wait for itself. */
static int opw_take_turn(opw_function *self, opw_turn *turn, int own)
{
    unsigned long me = PyThread_get_thread_ident();
    if (turn->held && turn->process != opw_process) { /* a thread that was not forked held it */
        PyThread_type_lock fresh = PyThread_allocate_lock();
        if (!fresh) {
            PyErr_NoMemory();
            return -1;
        }
        turn->lock = fresh;
        turn->held = 0;
    }
    if (turn->held && turn->owner == me) {
        if (own)
            PyErr_Format(PyExc_RuntimeError, "%U() was called from within a call of its own; an op in it keeps state, so its calls "
                         "cannot nest: make a second function", self->name);
        else
            PyErr_Format(PyExc_RuntimeError, "%U() was called from within a call that updates one of the shared values that it "
                         "updates itself: such calls cannot nest", self->name);
        return -1;
    }
    if (!PyThread_acquire_lock(turn->lock, NOWAIT_LOCK)) {
        Py_BEGIN_ALLOW_THREADS
        PyThread_acquire_lock(turn->lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }
    turn->owner = me;
    turn->process = opw_process;
    turn->held = 1;
    return 0;
}

/* Gives the first n turns back, but those that a fork has made new meanwhile. */
static void opw_unlock(opw_function *self, Py_ssize_t n)
{
    while (n-- > 0) {
        opw_turn *turn = opw_turn_at(self, n);
        if (turn->held && turn->owner == PyThread_get_thread_ident())
            opw_give_turn(turn);
    }
}

/* Takes all turns, or none: then an exception is set. */
static int opw_lock(opw_function *self)
{
    Py_ssize_t i, n = PyTuple_GET_SIZE(self->turns);
    for (i = 0; i < n; i++)
        if (opw_take_turn(self, opw_turn_at(self, i), self->structs && i == 0)) {
            opw_unlock(self, i);
            return -1;
        }
    return 0;
}
