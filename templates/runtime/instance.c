/* The instance, what all instances of a function share, and the small things that the rest of the runtime shares. */
#include <pthread.h>               /* pthread_atfork */
#include <unistd.h>                /* getpid */

/* ---- code and instance ----------------------------------------------------------------------------------------- */

/* What most calls do not reach: it stays out of those that reach it. */
#define OPW_APART __attribute__((noinline, cold))
/* Frames of calls without a walk are no larger: they lie on the stack. */
#define OPW_DIRECT_FRAME 2048
#define OPW_DIRECT_ARGUMENTS 64 /* as many as a word has bits */

/* An entry of the table of steps with its slots at hand. */
typedef struct {
    opw_run_fn run;
    opw_undo_fn undo;
    const uint32_t *slots;
} opw_resolved;

/* What nearly every array is that is given for a variable: of NumPy's own dtype, and exactly an ndarray. */
typedef struct {
    PyArray_Descr *dtype;  /* NULL: there is more to look at */
    int ndim, flags;       /* those that it must have */
    const npy_intp *sizes; /* as opw_fit's */
} opw_quick;

/* An input of a loop of stores. */
typedef struct {
    opw_quick quick;
    int32_t from; /* the argument; or the offset of a constant */
    int input;    /* which of the loop's it is */
} opw_taken_input;

/* A call that is one loop of stores over arguments and constants. What does not depend on the call is found beforehand. */
typedef struct {
    const opw_loop *loop;
    int ndim;           /* of what has dimensions */
    int pure, twice;    /* the loop computes and does nothing else: it sets no exception; and it may run twice */
    int plain;          /* such a loop, of vectors of any length and constant numbers, with one result: nothing else is looked for */
    int how;            /* the way that its operands lie, where it has text for that (opw_lies_fn): */
    npy_intp few;       /* fewer elements than that are run straight away; */
    npy_intp lined;     /* and of these so many from a line on, which has 2^(6 - shift) elements of the first output */
    int shift;
    npy_uint64 shaped;  /* a bit for each input that has dimensions */
    int arguments, constants;
    opw_taken_input inputs[OPW_MAX_OPERANDS]; /* arguments in their order, then constants */
    opw_quick out;                /* what out= may be, where there is one result */
    int32_t to[OPW_MAX_OPERANDS]; /* of each output the result */
    npy_intp strides[OPW_MAX_OPERANDS];
    npy_intp widest; /* of all operands' elements, in bytes */
} opw_lane;

/* Where the storage of what a group's parts leave for one another is kept between calls: the first of it, and a bit for each that is; what
   a part may write a result over is nobody's to keep. */
typedef struct {
    uint32_t first;
    npy_uint64 stays;
} opw_spare;

/* What all instances of one function share: its program, and what follows from that once the sizes are known. */
typedef struct {
    const opw_program *program;
    uint32_t *offsets;  /* of each variable's slot in a frame */
    uint32_t *argument_offsets, *result_offsets; /* the same, found at once */
    uint32_t *slots;    /* the table of slots with variables resolved */
    opw_resolved *steps;
    PyObject **keywords; /* interned, one an argument, then "out"; NULL: positional only */
    size_t constants_begin, constants_end, frame_size;
    int wide;           /* there are long doubles */
    int mixed;          /* there are loops, and nodes that are none */
    int scalars;        /* there are results that become scalars */
    int direct;         /* its calls need no more of the table than the steps that do the work: */
    opw_quick *quick;   /* of each argument */
    int alone;          /* the same, of one step and one result, which the caller gets as it is; nothing else is made */
    uint32_t *work_steps, works;
    uint32_t *follow;   /* of each of these: how many from there on may run slab by slab, one after the other: loops */
    const opw_chain **chains; /* of each entry of the table the chain that begins there, or NULL; NULL: there are none */
    uint32_t *entries, *next; /* the numbers of all entries of the table; the same of them: loops, and what takes out= for these */
    uint32_t *temporary_offsets, temporaries; /* those that are not kept */
    opw_lane *lane;     /* NULL: that is not one loop */
    opw_spare *spares;  /* of each group of the program's table */
    uint32_t kept;      /* how many arrays an instance may keep: temporaries, results that become scalars, then these */
} opw_code;

/* The module's state. */
typedef struct {
    const opw_unit *unit;
    opw_code *codes; /* one a function */
    PyTypeObject *type;
} opw_state;

typedef struct opw_cost opw_cost;

/* What converts an argument: its rule, and an array for the next number. */
typedef struct {
    opw_rule rule;
    PyArrayObject *spare;
} opw_ready;

struct opw_function {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *module;          /* held to the end, and longer than the type holds it when garbage is collected */
    const opw_code *code;      /* the module's */
    PyObject *dict, *weakrefs;
    PyObject *name;            /* str */
    PyObject *rules;           /* tuple: one of argument.c's an argument, or None: the type has a filter of its own */
    opw_ready **ready;         /* of each argument that had to be converted its rule, read; NULL entries: none yet */
    PyObject *convert;         /* (index, value) -> what the input's type accepts, where there is no rule */
    PyObject *outs;            /* tuple: of each result that the caller gets the rule for an out=, or a str: its type, which takes none */
    PyObject *performs;        /* tuple of callables */
    PyObject *defaults;        /* tuple: None or (value,) an argument */
    PyObject *cells;           /* tuple: a list of one for each shared value */
    PyObject *takes, *gives;   /* tuples: a list of one for each argument, and each result, of a function that is called without any; NULL */
    PyObject *failed;          /* (step, inputs, exception): says more in the exception */
    PyObject *unlike;          /* (step, position, value): raises where an op left what its type does not allow */
    PyObject *remark;          /* (status word, values read, the function): says what np.errstate wants said; NULL: nothing is */
    char *constants;           /* the part of a frame up to constants_end; NULL: none needed */
    PyObject **kept;           /* storage of temporaries from earlier runs, then of results that became scalars; NULL entries: none, or in use */
    void **structs;            /* the state of ops that keep some */
    int threads;               /* on how many long loops run, at most */
    PyObject *turns;           /* tuple of opw_turn in capsules that a call holds, in the order in which it takes them; NULL: none */
#ifdef OPW_PROFILE
    opw_cost *costs;           /* of each entry of the table, then of all calls */
#endif
#ifdef OPW_ACCOUNT
    struct opw_book *book;     /* what was found of references and memory */
#endif
};

/* Whose turn it is, with an instance's state or with a shared value: one thread's at a time. */
typedef struct {
    PyThread_type_lock lock;
    unsigned long owner; /* the thread that holds it */
    int held;
    pid_t process;       /* that the thread is of: after a fork nobody gives it back */
} opw_turn;

#define OPW_TURN "opweld.turn.1" /* one layout for all modules of a process */

static pid_t opw_process;      /* this one */
PyArray_Descr *opw_dtypes[OPW_DTYPES];

/* An exception's args with its place before what they say; NULL: they stay, or an exception is set. */
static PyObject *opw_placed(PyObject *args, PyObject *place)
{
    Py_ssize_t i, n = PyTuple_Check(args) ? PyTuple_GET_SIZE(args) : -1;
    PyObject *placed, *first;
    if (n < 0 || (n && !PyUnicode_Check(PyTuple_GET_ITEM(args, 0))) || !(placed = PyTuple_New(n ? n : 1)))
        return NULL;
    first = n ? PyUnicode_FromFormat("%U: %U", place, PyTuple_GET_ITEM(args, 0)) : PyUnicode_FromFormat("%U", place);
    if (!first) {
        Py_DECREF(placed);
        return NULL;
    }
    PyTuple_SET_ITEM(placed, 0, first);
    for (i = 1; i < n; i++) {
        Py_INCREF(PyTuple_GET_ITEM(args, i));
        PyTuple_SET_ITEM(placed, i, PyTuple_GET_ITEM(args, i));
    }
    return placed;
}

/* Says in the exception that is set which argument it is of; its class stays. */
static void opw_say_argument(opw_function *self, uint32_t index)
{
    PyObject *type = NULL, *value = NULL, *traceback = NULL, *key = self->code->keywords[index], *place, *args, *placed;
    if (!PyErr_ExceptionMatches(PyExc_Exception))
        return;
    OPW_FETCH(&type, &value, &traceback);
#if PY_VERSION_HEX < 0x030C0000
    PyErr_NormalizeException(&type, &value, &traceback);
#endif
    place = key ? PyUnicode_FromFormat("%U() argument %R", self->name, key)
                : PyUnicode_FromFormat("%U() argument %u", self->name, (unsigned int)index + 1);
    args = place ? opw_attribute(value, "args") : NULL;
    placed = args ? opw_placed(args, place) : NULL;
    if (placed)
        (void)PyObject_SetAttrString(value, "args", placed);
    PyErr_Clear(); /* it stays as it is */
    Py_XDECREF(placed);
    Py_XDECREF(args);
    Py_XDECREF(place);
    OPW_RESTORE(type, value, traceback);
}

/* An argument's rule, read when it is first asked for. NULL: an exception is set. */
static opw_ready *opw_ready_of(opw_function *self, uint32_t index, PyObject *tuple)
{
    opw_ready *ready;
    if (!self->ready &&
        !(self->ready = (opw_ready **)PyMem_Calloc((size_t)PyTuple_GET_SIZE(self->rules), sizeof(opw_ready *)))) {
        PyErr_NoMemory();
        return NULL;
    }
    if (self->ready[index])
        return self->ready[index];
    if (!(ready = (opw_ready *)PyMem_Calloc(1, sizeof(opw_ready)))) {
        PyErr_NoMemory();
        return NULL;
    }
    if (opw_read_rule(tuple, &ready->rule)) {
        PyMem_Free(ready);
        return NULL;
    }
    return self->ready[index] = ready;
}

static void opw_drop_ready(opw_function *self)
{
    Py_ssize_t i;
    for (i = 0; self->ready && i < PyTuple_GET_SIZE(self->rules); i++)
        if (self->ready[i]) {
            Py_DECREF(self->ready[i]->rule.dtype);
            Py_XDECREF(self->ready[i]->spare);
            PyMem_Free(self->ready[i]);
        }
    PyMem_Free(self->ready);
}

PyObject *opw_convert(char *frame, uint32_t index, PyObject *value)
{
    opw_function *self = OPW_HEAD(frame)->self;
    PyObject *rule = index < PyTuple_GET_SIZE(self->rules) ? PyTuple_GET_ITEM(self->rules, index) : Py_None, *found;
    opw_ready *ready;
    if (PyErr_Occurred()) /* a fragment set one and went on: Python must not run */
        return NULL;
    if (rule == Py_None)
        return PyObject_CallFunction(self->convert, "IO", (unsigned int)index, value);
    ready = opw_ready_of(self, index, rule);
    found = ready ? opw_filter(value, &ready->rule, &ready->spare) : NULL;
    if (!found)
        opw_say_argument(self, index);
    return found;
}

/* Remembers the value of a cell that the call updates. */
static void opw_note_read(char *frame, const opw_program *p, int cell, PyObject *value)
{
    uint32_t k, first = p->results - p->updates;
    for (k = 0; k < p->updates; k++)
        if (p->result_table[first + k].update == cell) {
            Py_INCREF(value);
            OPW_HEAD(frame)->out[p->results + k] = value;
        }
}

PyObject *opw_cell(char *frame, uint32_t index)
{
    opw_function *self = OPW_HEAD(frame)->self;
    const opw_program *p = self->code->program;
    PyObject *cell = PyTuple_GET_ITEM(self->cells, index - (p->arguments - p->cells));
    if (PyList_GET_SIZE(cell) == 1) {
        if (p->updates)
            opw_note_read(frame, p, (int)(index - (p->arguments - p->cells)), PyList_GET_ITEM(cell, 0));
        return PyList_GET_ITEM(cell, 0);
    }
    PyErr_Format(PyExc_RuntimeError, "%U(): the cell of a shared value holds %zd objects, not one", self->name,
                 PyList_GET_SIZE(cell));
    return NULL;
}

/* Tells Python of a value that an op left, or NULL: output `position` of a step; step -1: result `position`; step -2 - n:
   input `position` of perform n. Non-zero: an exception is set; else the type allows the value. */
static int opw_tell(opw_function *self, int step, Py_ssize_t position, PyObject *value)
{
    PyObject *none = PyErr_Occurred() ? NULL : PyObject_CallFunction(self->unlike, "inO", step, position, value ? value : Py_None);
    Py_XDECREF(none);
    return !none;
}

/* A defect of a fragment. */
static void opw_silent(opw_function *self, const char *label)
{
    PyErr_Format(PyExc_RuntimeError, "%U(): %s failed without setting an exception; set one, as by PyErr_SetString, before fail",
                 self->name, label);
}

/* A defect of the filter. */
int opw_refuse(PyObject *value, const char *label)
{
    PyErr_Format(PyExc_TypeError, "%s.filter returned %.200s, for which the type's own c_accept is false", label,
                 Py_TYPE(value)->tp_name);
    Py_DECREF(value);
    return -1;
}
