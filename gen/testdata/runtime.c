/* opweld's runtime: binding of arguments, the walk of the table, the callable object, the module. */
#ifndef OPW_PRELUDE
#define OPW_PRELUDE
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#include <Python.h>                /* first: it sets feature macros */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>                /* offsetof */
#include <stdint.h>                /* uint32_t */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>                /* memcpy, memset */
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <numpy/npy_math.h>
#undef I                           /* of complex.h: a name that fragments use */

/* ---- frame and tables ------------------------------------------------------------------------------------------- */

#define OPW_SHARED __attribute__((visibility("hidden"))) /* between the objects of one module */
#define OPW_INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define OPW_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define OPW_INDEPENDENT _Pragma("GCC ivdep")
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A frame is the memory of one call (or of an instance's constants): a head, one place for each out= object, one slot
   for each variable. A slot is the reference py_<name>, then what the type declares, packed by OPW_ROOM. */
typedef struct opw_function opw_function;

typedef struct {
    opw_function *self; /* borrowed: the caller holds the callable */
    void **structs;     /* the instance's, one a step whose op keeps state */
    int keeping;        /* the call has succeeded: temporaries may be kept for the next */
    PyObject *out[1];   /* as many as there are results; owned while the call runs; NULL: none given. Then for each update the
                           value that the call has read from its cell; owned */
} opw_head;

#define OPW_HEAD(frame) ((opw_head *)(void *)(frame))
/* What a unit asks of a head, by names of the glue: users' macros stand before it. */
static inline PyObject *opw_given(const char *frame, uint32_t i) { return ((const opw_head *)(const void *)frame)->out[i]; }
static inline int opw_keeping(const char *frame) { return ((const opw_head *)(const void *)frame)->keeping; }
static inline void *opw_kept_struct(const char *frame, uint32_t i) { return ((const opw_head *)(const void *)frame)->structs[i]; }
#define OPW_PY(slot) (*(PyObject **)(void *)(slot))
#define OPW_ARRAY(slot) (*(PyArrayObject **)(void *)((slot) + sizeof(PyObject *))) /* of a type that declares one array */
#define OPW_ROOM(v) ((sizeof(v) + 7) & ~(size_t)7)

/* In C, between a slot and the locals that a declaration text declares. opw_at walks the slot. CLEAR: a local that nothing
   initialises. LOAD and SAVE: between slot and local. */
#define OPW_CLEAR(v) memset((void *)&(v), 0, sizeof(v))
#define OPW_LOAD(v) (memcpy((void *)&(v), opw_at, sizeof(v)), opw_at += OPW_ROOM(v))
#define OPW_SAVE(v) (memcpy(opw_at, (const void *)&(v), sizeof(v)), opw_at += OPW_ROOM(v))

/* 0: done. 1: failed, and to be undone like one that succeeded. -1: failed before it held anything. OPW_UNLIKE: as 1, for
   an op that stored what is not the array that its type promises. */
#define OPW_UNLIKE 2
#define OPW_DTYPES (NPY_HALF + 1) /* the last number that a type can have */
typedef int (*opw_run_fn)(char *frame, const uint32_t *slots);
typedef void (*opw_undo_fn)(char *frame, const uint32_t *slots);

/* One entry of the table that a call walks forwards, and backwards to undo what it reached. */
typedef struct {
    opw_run_fn run;
    opw_undo_fn undo;  /* NULL: holds nothing */
    uint32_t slots;    /* first of its entries in the table of slots */
    const char *label; /* the op or type, and the hook, for messages */
    int32_t node;      /* which of Program's steps; -1: none */
    uint32_t reads;    /* its inputs among the slots: the first, how many, and how many outputs come after them */
    uint32_t inputs, outputs;
} opw_step;

/* A piece of init code. */
typedef struct {
    PyObject *(*run)(void); /* NULL: failed */
    const char *label;      /* the op or type, and the hook, for messages */
} opw_init;

typedef struct {
    size_t (*size)(void);
    opw_run_fn adopt;  /* c_extract on an object that the slot owns already, and gives up with -1; NULL: never needed */
    opw_undo_fn leave; /* c_cleanup, then give up py_<name> */
    const char *label;
    int number, ndim;  /* of the one PyArrayObject* that it declares: what it promises; ndim -1: it declares something else */
} opw_type;

typedef struct {
    const char *name; /* keyword; NULL: positional only */
    uint32_t variable;
} opw_argument;

typedef struct {
    uint32_t variable;
    int (*accept)(PyObject *); /* may this array be out=; NULL: out= is refused */
    int update;                /* which of the cells takes it, instead of the caller; -1: none */
} opw_result;

/* The state that an op keeps for each instance, at one step. */
typedef struct {
    void *(*make)(char *frame, const uint32_t *slots); /* NULL: failed; frame holds the constants */
    void (*drop)(void *);
    uint32_t slots;
    const char *label;
} opw_struct;

/* ---- loops ---- */

#define OPW_MAX_OPERANDS 64

/* Computes n elements; p: where each input and output is; s: their strides in bytes. An output is an input's very memory,
   or apart from all. Non-zero: an exception is set. */
typedef int (*opw_inner_fn)(npy_intp n, char *const *p, const npy_intp *s);

/* An elementwise kernel. The tables have an entry for each input, then for each output. */
typedef struct {
    int inputs, outputs;
    opw_inner_fn inner;
    const int *types;        /* type numbers */
    const npy_intp *sizes;   /* of an element, in bytes */
    const int *inplace;      /* of an output: the input that it may be written over, or -1; NULL: none */
} opw_elementwise;
/* Runs the kernel whose place in the table is the first slot. */
OPW_SHARED int opw_run_elementwise(char *frame, const uint32_t *slots);

/* A reduction. fold: m accumulators, each of n elements, s and t bytes apart; n and m are at least 1. join: into acc what
   is in other. store: to elements t bytes apart. fold is given as many as `chunk` elements at once, none for no limit;
   what is longer is halved. Non-zero: an exception is set. */
typedef struct {
    int type;                /* number, of the output */
    npy_intp chunk[2];       /* m is 1; m is more */
    int keepdims;
    npy_uint64 axes;         /* a bit for each that goes */
    const char *name;
    int (*fold)(const char *p, npy_intp n, npy_intp s, npy_intp m, npy_intp t, void *acc);
    int (*join)(void *acc, const void *other, npy_intp m);
    void (*store)(const void *acc, npy_intp m, char *out, npy_intp t);
    void (*identity)(void *acc, npy_intp m); /* NULL: a reduction of nothing is an error */
} opw_reduce;
/* Runs the reduction whose place in the table is the first slot. */
OPW_SHARED int opw_run_reduce(char *frame, const uint32_t *slots);

/* An entry of the table of slots: a variable, or a number as -1 - n. */
typedef struct {
    const char *name;
    uint32_t variables, arguments, results, steps, slots, constants, performs, structs, kept;
    uint32_t cells, updates; /* of the arguments and the results the last ones: not the caller's */
    int single;
    const uint32_t *variable_types;
    const uint32_t *constant_variables;
    const opw_type *types;
    const opw_argument *argument_table;
    const opw_result *result_table;
    const opw_step *step_table;
    const int32_t *slot_table;
    const opw_init *init_table; /* ends with NULL */
    const opw_struct *struct_table;
    const opw_elementwise *elementwise_table;
    const opw_reduce *reduce_table;
} opw_program;

/* The unit defines the function as data; the runtime is the same for every function. The name carries a digest of this
   head: objects that disagree on it do not link, as where opweld is replaced on disk while a process has the older engine. */
#define opw_the_program opw_program_e72dbd7dc936
OPW_SHARED extern const opw_program opw_the_program;

/* Whether an object, or NULL, is an array as a type promises it. opw_fits: of one that is not exactly so; opw_dtypes: NumPy's
   own dtype of each number, which nearly every array has. */
OPW_SHARED extern PyArray_Descr *opw_dtypes[OPW_DTYPES];
OPW_SHARED int opw_fits(PyObject *object, int number, int ndim);
static inline int opw_is(const void *object, int number, int ndim)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (__builtin_expect(array && PyArray_CheckExact((PyObject *)array) && PyArray_DESCR(array) == opw_dtypes[number] &&
                         PyArray_NDIM(array) == ndim && PyArray_ISALIGNED(array), 1))
        return 1;
    return opw_fits((PyObject *)array, number, ndim);
}
/* Refuses what a type's own c_extract took. Sets an exception unless there is one, returns 1. */
OPW_SHARED int opw_not_taken(const char *label, PyObject *object, int number, int ndim);

/* Passes an argument through its type's filter. A new reference, or NULL. */
OPW_SHARED PyObject *opw_convert(char *frame, uint32_t index, PyObject *value);
/* What a type's filter returned is not what the type accepts. Takes the reference; sets an exception, returns -1. */
OPW_SHARED int opw_refuse(PyObject *value, const char *label);
/* Puts a copy into the first slot where the array there cannot be written over, or shares memory within itself or with one
   that comes after: how many, then of each the type and the slot. */
OPW_SHARED int opw_separate(char *frame, const uint32_t *slots);
/* The out= object of a result for its step to write into, borrowed; NULL: none, or something that is still wanted lies
   there. slots: which result, how many variables are wanted, then of each the type and the slot. */
OPW_SHARED PyObject *opw_offered(char *frame, const uint32_t *slots);
/* The object in a cell, borrowed, or NULL. */
OPW_SHARED PyObject *opw_cell(char *frame, uint32_t index);
/* A step that calls Python, and its undoing. slots: which of the instance's performs, number of inputs, number of
   outputs, the inputs' offsets, then for each output its type and its offset. */
OPW_SHARED int opw_perform(char *frame, const uint32_t *slots);
OPW_SHARED void opw_perform_undo(char *frame, const uint32_t *slots);
/* The object that the instance kept from an earlier run as a new reference, or NULL. Nobody else is given it. */
OPW_SHARED PyObject *opw_take_kept(char *frame, uint32_t index);
/* Keeps the object for the next run, or gives it up. Takes the reference. */
OPW_SHARED void opw_keep(char *frame, uint32_t index, PyObject *object);
/* storage_<name>: a new list of one, or NULL. */
OPW_SHARED PyObject *opw_storage(PyObject *object);

#ifdef __cplusplus
}

/* In C++ a declared variable that is more than bytes is an object of its own: made in place where its variable is entered,
   never copied or moved, deleted where it is left. Its slot points to it: a constant's slot is copied into each call's frame,
   and the object may point into itself, or need more than a slot's alignment. What is bytes is loaded and saved as in C. */
#include <new>                     /* bad_alloc */
#include <stdexcept>
#include <type_traits>
#include <utility>
#ifdef __GLIBCXX__                 /* a thread that is ended, as Python's at exit: no exception, and not to be kept */
#include <cxxabi.h>
#define OPW_UNWIND catch (abi::__forced_unwind &) { throw; }
#else
#define OPW_UNWIND
#endif

/* Makes an exception of Python's out of the C++ one that is being handled. */
__attribute__((unused)) static inline void opw_caught()
{
    if (PyErr_Occurred())
        return;
    try {
        throw;
    } catch (const std::bad_alloc &) {
        PyErr_NoMemory();
    } catch (const std::exception &error) {
        PyErr_Format(PyExc_RuntimeError, "C++ exception: %s", error.what());
    } catch (...) {
        PyErr_SetString(PyExc_RuntimeError, "C++ exception of an unknown type");
    }
}
template <class T>
struct opw_bytes : std::integral_constant<bool, std::is_trivially_copyable<T>::value && std::is_trivially_default_constructible<T>::value> {};

template <class T> static constexpr size_t opw_room() { return opw_bytes<T>::value ? (sizeof(T) + 7) & ~(size_t)7 : sizeof(void *); }

/* A type, as a value. */
template <class T> struct opw_class { typedef T opw_type_of; };

template <class T> struct opw_box { T value; };

/* A variable that is entered already: bytes. */
template <class T, bool = opw_bytes<T>::value> class opw_bound {
    T value;
public:
    explicit opw_bound(char *&at) { memcpy((void *)&value, at, sizeof(T)); at += opw_room<T>(); }
    T &opw_get() { return value; }
    void opw_save(char *&at) { memcpy(at, (const void *)&value, sizeof(T)); at += opw_room<T>(); }
};

/* The same: an object. */
template <class T> class opw_bound<T, false> {
    opw_box<T> *box;
public:
    explicit opw_bound(char *&at) : box(*(opw_box<T> **)(void *)at) { at += opw_room<T>(); }
    T &opw_get() { return box->value; }
    void opw_save(char *&at) { at += opw_room<T>(); }
    void drop() { delete box; }
};

template <class T> static inline void opw_drop(opw_bound<T, true> &) {}
template <class T> static inline void opw_drop(opw_bound<T, false> &v)
{
    try {
        v.drop();
    } OPW_UNWIND catch (...) {
        opw_caught();
    }
}

/* A variable that is being entered: bytes, of what its initialiser gives, or zero. */
template <class T, bool = opw_bytes<T>::value> class opw_made {
    T value;
public:
    explicit opw_made(char *&at) { memset((void *)&value, 0, sizeof(T)); at += opw_room<T>(); }
    template <class F> opw_made(char *&at, F make) : value(make()) { at += opw_room<T>(); }
    opw_made(char *&at, const T &from, int) { memcpy((void *)&value, (const void *)&from, sizeof(T)); at += opw_room<T>(); }
    T &opw_get() { return value; }
    void opw_keep() {}
    void opw_save(char *&at) { memcpy(at, (const void *)&value, sizeof(T)); at += opw_room<T>(); }
};

/* The same: an object, which is dropped unless all that its type declares could be made. */
template <class T> class opw_made<T, false> {
    char *slot;
    opw_box<T> *box, *mine;
public:
    explicit opw_made(char *&at) : slot(at), box(new opw_box<T>), mine(box) { at += opw_room<T>(); }
    template <class F> opw_made(char *&at, F make) : slot(at), box(new opw_box<T>{make()}), mine(box) { at += opw_room<T>(); }
    opw_made(char *&, const T &, int) { static_assert(sizeof(T) == 0, "c_declare: an array of objects takes no initialiser here: set them in c_init and c_extract"); }
    opw_made(const opw_made &) = delete;
    ~opw_made() { delete mine; }
    T &opw_get() { return box->value; }
    void opw_keep() { memcpy(slot, (const void *)&box, sizeof(box)); mine = nullptr; }
    void opw_save(char *&at) { at += opw_room<T>(); }
};

#endif


#endif
#if defined(__GNUC__)              /* a unit uses what it needs of the runtime, a fragment of what it is given */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wunused-local-typedefs"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* a loop that calls a function is asked for vectors in vain */
#endif
#endif
#include <pthread.h>               /* pthread_atfork */
#include <unistd.h>                /* getpid */

/* ---- state and instance ----------------------------------------------------------------------------------------- */

/* An entry of the table of steps with its slots at hand. */
typedef struct {
    opw_run_fn run;
    opw_undo_fn undo;
    const uint32_t *slots;
} opw_resolved;

/* The module's state: what follows from the tables once the sizes are known. */
typedef struct {
    const opw_program *program;
    PyTypeObject *type;
    uint32_t *offsets;  /* of each variable's slot in a frame */
    uint32_t *argument_offsets, *result_offsets; /* the same, found at once */
    uint32_t *slots;    /* the table of slots with variables resolved */
    opw_resolved *steps;
    PyObject **keywords; /* interned, one an argument, then "out"; NULL: positional only */
    size_t constants_begin, constants_end, frame_size;
} opw_state;

struct opw_function {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *module;          /* held to the end, and longer than the type holds it when garbage is collected */
    const opw_state *state;    /* the module's */
    PyObject *dict, *weakrefs;
    PyObject *name;            /* str */
    PyObject *convert;         /* (index, value) -> what the input's type accepts */
    PyObject *reject_out;      /* (position, value): raises */
    PyObject *performs;        /* tuple of callables */
    PyObject *defaults;        /* tuple: None or (value,) an argument */
    PyObject *cells;           /* tuple: a list of one for each shared value */
    PyObject *failed;          /* (step, inputs, exception): says more in the exception */
    PyObject *unlike;          /* (step, position, value): raises where an op left what its type does not allow */
    char *constants;           /* the part of a frame up to constants_end; NULL: none needed */
    PyObject **kept;           /* storage of temporaries from earlier runs; NULL entries: none, or in use */
    void **structs;            /* the state of ops that keep some */
    PyObject *turns;           /* tuple of opw_turn in capsules that a call holds, in the order in which it takes them; NULL: none */
};

/* Whose turn it is, with an instance's state or with a shared value: one thread's at a time. */
typedef struct {
    PyThread_type_lock lock;
    unsigned long owner; /* the thread that holds it */
    int held;
    pid_t process;       /* that the thread is of: after a fork nobody gives it back */
} opw_turn;

#define OPW_TURN "opweld.turn.1" /* one layout for all modules of a process */

static PyObject *opw_numpy_ma; /* "numpy.ma", for the process */
static pid_t opw_process;      /* this one */
PyArray_Descr *opw_dtypes[OPW_DTYPES];

/* An exception in flight, put aside and brought back. */
#if PY_VERSION_HEX >= 0x030C0000
#define OPW_FETCH(type, value, traceback) ((void)(type), (void)(traceback), *(value) = PyErr_GetRaisedException())
#define OPW_RESTORE(type, value, traceback) ((void)(type), (void)(traceback), PyErr_SetRaisedException(value))
#else
#define OPW_FETCH(type, value, traceback) PyErr_Fetch(type, value, traceback)
#define OPW_RESTORE(type, value, traceback) PyErr_Restore(type, value, traceback)
#endif

PyObject *opw_convert(char *frame, uint32_t index, PyObject *value)
{
    if (PyErr_Occurred()) /* a fragment set one and went on: Python must not run */
        return NULL;
    return PyObject_CallFunction(OPW_HEAD(frame)->self->convert, "IO", (unsigned int)index, value);
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
    const opw_program *p = self->state->program;
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
    uint32_t n = self->state->program->kept;
    if (n && !(self->kept = (PyObject **)PyMem_Calloc(n, sizeof(PyObject *)))) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static void opw_drop_kept(opw_function *self)
{
    uint32_t i;
    for (i = 0; self->kept && i < self->state->program->kept; i++)
        Py_CLEAR(self->kept[i]);
    PyMem_Free(self->kept);
}

/* Makes the state of each op that keeps some. Those made are dropped with the instance, also after a failure. */
static int opw_make_structs(opw_function *self)
{
    const opw_program *p = self->state->program;
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
        self->structs[i] = s->make(self->constants, self->state->slots + s->slots);
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
    const opw_program *p = self->state->program;
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    uint32_t i = self->structs ? p->structs : 0;
    OPW_FETCH(&type, &value, &traceback);
    while (i-- > 0)
        if (self->structs[i])
            p->struct_table[i].drop(self->structs[i]);
    OPW_RESTORE(type, value, traceback);
    PyMem_Free(self->structs);
}

/* ---- turns: calls of an instance with state, and calls that update a shared value, one after the other ---- */

static void opw_drop_turn(PyObject *capsule)
{
    opw_turn *turn = (opw_turn *)PyCapsule_GetPointer(capsule, OPW_TURN);
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
    return (opw_turn *)PyCapsule_GetPointer(PyTuple_GET_ITEM(self->turns, i), OPW_TURN);
}

/* The turn of a shared value, which all functions that update it share: an attribute of its cell. */
static PyObject *opw_turn_of(PyObject *cell)
{
    PyObject *turn = PyObject_GetAttrString(cell, "turn");
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
    const opw_program *p = self->state->program;
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
/* ---- perform ----------------------------------------------------------------------------------------- */

/* Leaves the first outputs, last first. */
static void opw_perform_leave(char *frame, const uint32_t *slots, Py_ssize_t entered)
{
    const opw_type *types = OPW_HEAD(frame)->self->state->program->types;
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
    const opw_type *types = OPW_HEAD(frame)->self->state->program->types, *type;
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

/* ---- binding of arguments ---------------------------------------------------------------------------- */

static char *opw_slot(char *frame, const opw_state *state, uint32_t variable)
{
    return frame + state->offsets[variable];
}

static char *opw_argument_slot(char *frame, const opw_state *state, Py_ssize_t i)
{
    return frame + state->argument_offsets[i];
}

/* The arguments that a caller gives; shared values come after them. */
static Py_ssize_t opw_arguments(const opw_program *p) { return (Py_ssize_t)(p->arguments - p->cells); }

/* The argument's position, the number of arguments for out=, -1: there is none of that name, -2: an exception is set.
   Keywords in a program's text are interned, so the first loop finds nearly all. */
static Py_ssize_t opw_keyword(const opw_state *state, PyObject *key)
{
    Py_ssize_t i, n = opw_arguments(state->program);
    for (i = n; i >= 0; i--)
        if (state->keywords[i] == key)
            return i;
    for (i = n; i >= 0; i--) {
        int same = state->keywords[i] ? PyObject_RichCompareBool(state->keywords[i], key, Py_EQ) : 0;
        if (same)
            return same < 0 ? -2 : i;
    }
    return -1;
}

static int opw_unknown_keyword(opw_function *self, PyObject *key)
{
    const opw_program *p = self->state->program;
    PyObject *known = PyUnicode_FromString("out");
    Py_ssize_t i, nameless = 0;
    for (i = opw_arguments(p); known && i-- > 0;)
        if (self->state->keywords[i]) {
            PyObject *longer = PyUnicode_FromFormat("%U, %U", self->state->keywords[i], known);
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
    const opw_state *state = self->state;
    Py_ssize_t k, n = PyTuple_GET_SIZE(names);
    for (k = 0; k < n; k++) {
        PyObject *key = PyTuple_GET_ITEM(names, k);
        Py_ssize_t i = opw_keyword(state, key);
        if (i == opw_arguments(state->program)) {
            *out = values[k];
            continue;
        }
        if (i < 0)
            return i == -1 ? opw_unknown_keyword(self, key) : -1;
        if (OPW_PY(opw_argument_slot(frame, state, i))) {
            PyErr_Format(PyExc_TypeError, "%U() got multiple values for argument '%S'", self->name, key);
            return -1;
        }
        OPW_PY(opw_argument_slot(frame, state, i)) = values[k];
    }
    return 0;
}

/* Fills what was not given from the defaults. */
static int opw_bind_defaults(opw_function *self, char *frame)
{
    const opw_state *state = self->state;
    const opw_program *p = state->program;
    Py_ssize_t i, n = opw_arguments(p);
    for (i = 0; i < n; i++) {
        PyObject *given = PyTuple_GET_ITEM(self->defaults, i);
        char *slot = opw_argument_slot(frame, state, i);
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
    const opw_state *state = self->state;
    Py_ssize_t i, n = opw_arguments(state->program);

    if (given > n) {
        PyErr_Format(PyExc_TypeError, "%U() takes %zd positional argument%s but %zd %s given", self->name, n,
                     n == 1 ? "" : "s", given, given == 1 ? "was" : "were");
        return -1;
    }
    for (i = 0; i < given; i++)
        OPW_PY(opw_argument_slot(frame, state, i)) = args[i];
    for (; i < n; i++)
        OPW_PY(opw_argument_slot(frame, state, i)) = NULL;
    if (names && opw_bind_keywords(self, frame, args + given, names, out))
        return -1;
    return given < n ? opw_bind_defaults(self, frame) : 0;
}

/* ---- arrays of loops --------------------------------------------------------------------------------------------- */

#define OPW_MAX_DIMS 64 /* NumPy's */

/* Axes of a loop, outermost first: of each its size, the array's axis that it was, and its stride for each operand. */
typedef struct {
    int n, operands;
    npy_intp dims[OPW_MAX_DIMS];
    int axis[OPW_MAX_DIMS];
    npy_intp strides[OPW_MAX_DIMS][OPW_MAX_OPERANDS];
} opw_axes;

static npy_intp opw_size(npy_intp stride) { return stride < 0 ? -stride : stride; }

/* Whether the strides of the first `deciding` operands say that axis a should lie inside of axis b: 1, 0, or -1 where none
   says anything. Where they differ, C order wins, as in NumPy. */
static int opw_inside(const opw_axes *axes, int deciding, int a, int b)
{
    int k, inside = -1;
    for (k = 0; k < deciding; k++) {
        npy_intp s = opw_size(axes->strides[a][k]), t = opw_size(axes->strides[b][k]);
        if (s && t && t <= s)
            return 0;
        if (s && t)
            inside = 1;
    }
    return inside;
}

static void opw_swap_axes(opw_axes *axes, int a, int b)
{
    npy_intp dim = axes->dims[a], stride;
    int axis = axes->axis[a], k;
    axes->dims[a] = axes->dims[b];
    axes->dims[b] = dim;
    axes->axis[a] = axes->axis[b];
    axes->axis[b] = axis;
    for (k = 0; k < axes->operands; k++) {
        stride = axes->strides[a][k];
        axes->strides[a][k] = axes->strides[b][k];
        axes->strides[b][k] = stride;
    }
}

/* Puts the axes into the order of memory, from the innermost on, each inside of those that have a say and lie outside of it;
   an axis of size 1 must have strides of 0, which say nothing. The order is NumPy's. */
static void opw_order_axes(opw_axes *axes, int deciding)
{
    int i, j;
    for (i = axes->n - 2; i >= 0; i--) {
        int place = i;
        for (j = i + 1; j < axes->n; j++) {
            int inside = opw_inside(axes, deciding, i, j);
            if (!inside)
                break;
            if (inside > 0)
                place = j;
        }
        for (j = i; j < place; j++)
            opw_swap_axes(axes, j, j + 1);
    }
}

/* Drops axes of size 1, and makes one axis of neighbours that lie in memory as one. */
static void opw_join_axes(opw_axes *axes)
{
    int i, k, n = 0;
    for (i = 0; i < axes->n; i++) {
        if (axes->dims[i] == 1)
            continue;
        for (k = 0; n && k < axes->operands; k++)
            if (axes->strides[n - 1][k] != axes->strides[i][k] * axes->dims[i])
                break;
        if (n && k == axes->operands)
            axes->dims[i] *= axes->dims[--n];
        if (n != i)
            opw_swap_axes(axes, n, i);
        n++;
    }
    axes->n = n;
}

/* Steps to the next position of the axes before `last`; zero: there is none. */
static int opw_next(const opw_axes *axes, int last, npy_intp *at, char **p)
{
    int i, k;
    for (i = last - 1; i >= 0; i--) {
        if (++at[i] < axes->dims[i]) {
            for (k = 0; k < axes->operands; k++)
                p[k] += axes->strides[i][k];
            return 1;
        }
        at[i] = 0;
        for (k = 0; k < axes->operands; k++)
            p[k] -= axes->strides[i][k] * (axes->dims[i] - 1);
    }
    return 0;
}

/* Whether an array has a mask, which loops would not see. */
static int opw_is_masked(PyObject *array)
{
    PyObject *module = PyImport_GetModule(opw_numpy_ma), *kind; /* not loaded: nobody has made one */
    int masked = 0;
    if (module && (kind = PyObject_GetAttrString(module, "MaskedArray"))) {
        masked = PyObject_IsInstance(array, kind);
        Py_DECREF(kind);
    }
    Py_XDECREF(module);
    return masked;
}

int opw_fits(PyObject *object, int number, int ndim)
{
    PyArrayObject *array = (PyArrayObject *)object;
    return object && PyArray_Check(object) && PyArray_NDIM(array) == ndim && PyArray_ISBEHAVED_RO(array) &&
           (PyArray_TYPE(array) == number || PyArray_EquivTypenums(PyArray_TYPE(array), number)) &&
           (PyArray_CheckExact(object) || !opw_is_masked(object));
}

int opw_not_taken(const char *label, PyObject *object, int number, int ndim)
{
    PyObject *dtype;
    if (PyErr_Occurred())
        return 1;
    dtype = (PyObject *)PyArray_DescrFromType(number);
    if (dtype && object && PyArray_Check(object))
        PyErr_Format(PyExc_TypeError, "%s.c_extract took an array of dtype %S and ndim %d, or one that is misaligned or masked; its "
                     "c_array promises dtype %S and ndim %d, aligned, in native byte order", label,
                     (PyObject *)PyArray_DESCR((PyArrayObject *)object), PyArray_NDIM((PyArrayObject *)object), dtype, ndim);
    else if (dtype)
        PyErr_Format(PyExc_TypeError, "%s.c_extract took %s; its c_array promises an array of dtype %S and ndim %d", label,
                     object ? Py_TYPE(object)->tp_name : "nothing", dtype, ndim);
    Py_XDECREF(dtype);
    return 1;
}

static int opw_same_dims(PyArrayObject *array, int ndim, const npy_intp *dims)
{
    int i;
    if (PyArray_NDIM(array) != ndim)
        return 0;
    for (i = 0; i < ndim; i++)
        if (PyArray_DIM(array, i) != dims[i])
            return 0;
    return 1;
}

/* Gives a slot another array. Takes the reference; NULL is an error. */
static int opw_put_array(char *slot, PyArrayObject *array)
{
    PyArrayObject *old = OPW_ARRAY(slot);
    if (!array)
        return -1;
    OPW_ARRAY(slot) = array;
    Py_XDECREF(old); /* release the storage that does not fit (owned) */
    return 0;
}

/* Makes the output in a slot an array of this shape: what is there, or a new one in C order. */
static int opw_fit_output(char *slot, int ndim, const npy_intp *dims, int type)
{
    PyArrayObject *array = OPW_ARRAY(slot);
    if (array && opw_same_dims(array, ndim, dims))
        return 0;
    return opw_put_array(slot, (PyArrayObject *)PyArray_SimpleNew(ndim, (npy_intp *)dims, type));
}

/* ---- out= --------------------------------------------------------------------------------------------- */

/* The first byte that an array can reach, and the one past the last; both NULL, nowhere, of an empty one. */
typedef struct { const char *low, *high; } opw_range;

static opw_range opw_range_of(PyArrayObject *array)
{
    const char *low = PyArray_BYTES(array), *high = low + PyArray_ITEMSIZE(array);
    const npy_intp *dims = PyArray_DIMS(array), *strides = PyArray_STRIDES(array);
    opw_range range = {NULL, NULL};
    int i;
    for (i = 0; i < PyArray_NDIM(array); i++) {
        npy_intp reach = (dims[i] - 1) * strides[i];
        if (!dims[i])
            return range;
        if (reach < 0)
            low += reach;
        else
            high += reach;
    }
    range.low = low;
    range.high = high;
    return range;
}

static int opw_overlap(PyObject *a, PyObject *b)
{
    opw_range one, other;
    if (!PyArray_Check(a) || !PyArray_Check(b))
        return 0;
    one = opw_range_of((PyArrayObject *)a);
    other = opw_range_of((PyArrayObject *)b);
    return one.low < other.high && other.low < one.high;
}

/* Whether elements of an array may share memory: where axes, from the smallest stride on, do not each step over all that
   the ones before reach. */
static int opw_folds(PyArrayObject *array)
{
    npy_intp strides[OPW_MAX_DIMS], dims[OPW_MAX_DIMS], reach = PyArray_ITEMSIZE(array);
    int i, j, n = 0;
    if (PyArray_IS_C_CONTIGUOUS(array))
        return 0;
    for (i = 0; i < PyArray_NDIM(array); i++) {
        npy_intp dim = PyArray_DIM(array, i), stride = PyArray_STRIDE(array, i);
        if (!dim)
            return 0;
        if (dim == 1)
            continue;
        stride = stride < 0 ? -stride : stride;
        for (j = n++; j > 0 && strides[j - 1] > stride; j--) {
            strides[j] = strides[j - 1];
            dims[j] = dims[j - 1];
        }
        strides[j] = stride;
        dims[j] = dim;
    }
    for (i = 0; i < n; i++) {
        if (strides[i] < reach)
            return 1;
        reach += strides[i] * (dims[i] - 1);
    }
    return 0;
}

/* Whether an object may have memory of one that is written: two arrays that own theirs have none in common. Numbers and bytes
   are nobody's to share; what else has a buffer may. */
static int opw_touches(PyObject *object, PyObject *written)
{
    if (!object || !PyArray_Check(object))
        return object && PyObject_CheckBuffer(object) && !PyArray_CheckAnyScalar(object);
    if (PyArray_Check(written) && object != written && PyArray_CHKFLAGS((PyArrayObject *)object, NPY_ARRAY_OWNDATA) &&
        PyArray_CHKFLAGS((PyArrayObject *)written, NPY_ARRAY_OWNDATA))
        return 0;
    return opw_overlap(object, written);
}

/* Whether one of several variables may have memory of an object that is about to be written: how many, then of each the type
   and the slot. */
static int opw_any_touches(char *frame, const uint32_t *slots, PyObject *written)
{
    const opw_type *types = OPW_HEAD(frame)->self->state->program->types;
    uint32_t n = *slots++;
    for (; n; n--, slots += 2) {
        PyObject *object = OPW_PY(frame + slots[1]), *held = NULL;
        if (types[slots[0]].ndim >= 0)
            held = (PyObject *)OPW_ARRAY(frame + slots[1]);
        if (opw_touches(object, written) || (held != object && opw_touches(held, written)))
            return 1;
    }
    return 0;
}

PyObject *opw_offered(char *frame, const uint32_t *slots)
{
    PyObject *out = OPW_HEAD(frame)->out[slots[0]];
    const opw_result *result = &OPW_HEAD(frame)->self->state->program->result_table[slots[0]];
    if (!result->accept(out) || opw_any_touches(frame, slots + 1, out)) /* Python ran since it was accepted first */
        return NULL;
    return out;
}

int opw_separate(char *frame, const uint32_t *slots)
{
    PyArrayObject *array = OPW_ARRAY(frame + slots[0]);
    if (PyArray_CHKFLAGS(array, NPY_ARRAY_WRITEABLE) && !opw_folds(array) && !opw_any_touches(frame, slots + 1, (PyObject *)array))
        return 0;
    return opw_put_array(frame + slots[0], (PyArrayObject *)PyArray_NewCopy(array, NPY_KEEPORDER)) ? 1 : 0;
}

/* Whether two arrays share memory: exactly, as far as NumPy finds out soon. */
static int opw_share(PyObject *a, PyObject *b)
{
    PyObject *numpy, *answer;
    int shared;
    if (!opw_overlap(a, b))
        return 0;
    numpy = PyImport_ImportModule("numpy");
    answer = numpy ? PyObject_CallMethod(numpy, "shares_memory", "OOi", a, b, 100000) : NULL;
    Py_XDECREF(numpy);
    shared = answer != Py_False;
    Py_XDECREF(answer);
    PyErr_Clear(); /* too hard: they may */
    return shared;
}

/* Checks one out= object and puts it where the call finds it. */
static int opw_take_out(opw_function *self, char *frame, Py_ssize_t i, PyObject *out)
{
    const opw_result *result = &self->state->program->result_table[i];
    Py_ssize_t j;
    if (out == Py_None)
        return 0;
    if (!result->accept || !result->accept(out)) {
        PyObject *none = PyObject_CallFunction(self->reject_out, "nO", i, out);
        Py_XDECREF(none);
        if (none)
            PyErr_Format(PyExc_TypeError, "%U() cannot write result %zd to this out=", self->name, i);
        return -1;
    }
    if (PyArray_Check(out) && opw_folds((PyArrayObject *)out)) {
        PyErr_Format(PyExc_ValueError, "%U() cannot write result %zd to an array whose elements share memory with one another: "
                     "pass one of its own, as np.empty makes it", self->name, i);
        return -1;
    }
    for (j = 0; j < i; j++)
        if (OPW_HEAD(frame)->out[j] && opw_share(OPW_HEAD(frame)->out[j], out)) {
            PyErr_Format(PyExc_ValueError, "%U() cannot write results %zd and %zd to arrays that share memory: pass two", self->name,
                         j, i);
            return -1;
        }
    Py_INCREF(out); /* the caller's list may change while the call runs */
    OPW_HEAD(frame)->out[i] = out;
    return 0;
}

static int opw_take_outs(opw_function *self, char *frame, PyObject *out)
{
    const opw_program *p = self->state->program;
    Py_ssize_t i, n = (Py_ssize_t)(p->results - p->updates);
    int is_list = PyList_Check(out) || PyTuple_Check(out);
    if (out == Py_None)
        return 0;
    if (p->single && !is_list && n == 1)
        return opw_take_out(self, frame, 0, out);
    if (!is_list || PySequence_Fast_GET_SIZE(out) != n) {
        if (is_list)
            PyErr_Format(PyExc_TypeError, "%U() got out= of length %zd, expected %zd: an array or None for each result",
                         self->name, PySequence_Fast_GET_SIZE(out), n);
        else
            PyErr_Format(PyExc_TypeError,
                         "%U() got %.200s as out=, expected a list of %zd: an array or None for each result", self->name,
                         Py_TYPE(out)->tp_name, n);
        return -1;
    }
    for (i = 0; i < n; i++)
        if (opw_take_out(self, frame, i, PySequence_Fast_GET_ITEM(out, i)))
            return -1;
    return 0;
}

static void opw_leave_outs(char *frame, const opw_program *p)
{
    uint32_t i;
    for (i = 0; i < p->results; i++)
        Py_CLEAR(OPW_HEAD(frame)->out[i]);
}

/* Gives each result that lies where another is to be copied to memory of its own. */
static int opw_set_results_apart(opw_function *self, char *frame)
{
    const opw_program *p = self->state->program;
    uint32_t i, j;
    for (i = 0; p->results > 1 && i < p->results; i++) {
        PyObject **value = &OPW_PY(frame + self->state->result_offsets[i]), *copy;
        for (j = 0; j < p->results; j++) {
            PyObject *out = OPW_HEAD(frame)->out[j];
            if (j == i || !out || !*value || !opw_overlap(*value, out) || *value == OPW_HEAD(frame)->out[i])
                continue;
            copy = PyArray_NewCopy((PyArrayObject *)*value, NPY_KEEPORDER);
            if (!copy)
                return -1;
            Py_DECREF(*value); /* release the result that would be written over (owned) */
            *value = copy;
            break;
        }
    }
    return 0;
}

/* Copies a result that the op stored elsewhere into out. Returns out as a new reference. */
static PyObject *opw_copy_out(opw_function *self, Py_ssize_t i, PyObject *out, PyObject *value)
{
    PyArrayObject *to = (PyArrayObject *)out, *from = (PyArrayObject *)value;
    if (!PyArray_Check(value) || !PyArray_Check(out)) {
        PyErr_Format(PyExc_ValueError, "%U() has %.200s as result %zd, which cannot be copied to %.200s as out=: only arrays are "
                     "copied", self->name, Py_TYPE(value)->tp_name, i, Py_TYPE(out)->tp_name);
        return NULL;
    }
    if (PyArray_NDIM(to) != PyArray_NDIM(from) || !PyArray_CompareLists(PyArray_DIMS(to), PyArray_DIMS(from), PyArray_NDIM(to))) {
        PyObject *have = PyObject_GetAttrString(out, "shape"), *want = PyObject_GetAttrString(value, "shape");
        if (have && want)
            PyErr_Format(PyExc_ValueError, "%U() got out= of shape %S, and result %zd has shape %S: pass an array of that "
                         "shape", self->name, have, i, want);
        Py_XDECREF(have);
        Py_XDECREF(want);
        return NULL;
    }
    if (PyArray_CopyInto(to, from) < 0)
        return NULL;
    Py_INCREF(out);
    return out;
}

/* ---- elementwise kernels ------------------------------------------------------------------------------------------ */

/* "(3,) (2,4) ": the shapes, as NumPy writes them in its message. A new reference, or NULL. */
static PyObject *opw_shapes(PyArrayObject **arrays, int n)
{
    PyObject *text = PyUnicode_FromString(""), *longer;
    int i, j, ndim;
    for (i = 0; i < n; i++) {
        ndim = PyArray_NDIM(arrays[i]);
        for (j = 0; text && j <= ndim; j++) {
            if (j < ndim)
                longer = PyUnicode_FromFormat(j ? "%U,%zd" : "%U(%zd", text, (Py_ssize_t)PyArray_DIM(arrays[i], j));
            else
                longer = PyUnicode_FromFormat(ndim > 1 ? "%U) " : ndim ? "%U,) " : "%U() ", text);
            Py_DECREF(text);
            text = longer;
        }
    }
    return text;
}

/* The shape that the inputs are broadcast to; its number of dimensions, or -1. */
static int opw_broadcast(PyArrayObject **arrays, int n, npy_intp *dims)
{
    int i, j, ndim = 0;
    for (i = 0; i < n; i++)
        if (PyArray_NDIM(arrays[i]) > ndim)
            ndim = PyArray_NDIM(arrays[i]);
    for (j = 0; j < ndim; j++)
        dims[j] = 1;
    for (i = 0; i < n; i++) {
        int own = PyArray_NDIM(arrays[i]);
        for (j = 0; j < own; j++) {
            npy_intp have = PyArray_DIM(arrays[i], j), *dim = &dims[ndim - own + j];
            if (have == 1 || have == *dim)
                continue;
            if (*dim != 1) {
                PyObject *shapes = opw_shapes(arrays, n);
                if (shapes)
                    PyErr_Format(PyExc_ValueError, "operands could not be broadcast together with shapes %U", shapes);
                Py_XDECREF(shapes);
                return -1;
            }
            *dim = have;
        }
    }
    return ndim;
}

/* Whether an output may be written over an input: of the same shape, writeable, no two elements in one place, and no other
   input partly there too. */
static int opw_may_overwrite(PyArrayObject **arrays, int inputs, int which, int ndim, const npy_intp *dims)
{
    PyArrayObject *array = arrays[which];
    int i;
    if (!opw_same_dims(array, ndim, dims) || !PyArray_CHKFLAGS(array, NPY_ARRAY_WRITEABLE) || opw_folds(array))
        return 0;
    for (i = 0; i < inputs; i++) {
        if (i == which || arrays[i] == array || !opw_overlap((PyObject *)arrays[i], (PyObject *)array))
            continue;
        if (PyArray_BYTES(arrays[i]) != PyArray_BYTES(array) || !opw_same_dims(arrays[i], ndim, dims) ||
            !PyArray_CompareLists(PyArray_STRIDES(arrays[i]), PyArray_STRIDES(array), ndim))
            return 0;
    }
    return 1;
}

/* The same of arrays that all have one shape, in C order, or no dimensions: n elements at p, s bytes apart. */
static int opw_may_overwrite_plain(const opw_elementwise *work, PyArrayObject **arrays, int which, npy_intp n, char *const *p,
                                   const npy_intp *s)
{
    int i;
    if ((n != 1 && !s[which]) || !PyArray_CHKFLAGS(arrays[which], NPY_ARRAY_WRITEABLE))
        return 0;
    for (i = 0; i < work->inputs; i++)
        if ((p[i] != p[which] || s[i] != s[which]) && p[i] < p[which] + n * work->sizes[which] &&
            p[which] < p[i] + (s[i] ? n : 1) * work->sizes[i])
            return 0;
    return 1;
}

/* Whether an output before output k is written there already: two arguments may be one array. */
static int opw_taken(char *frame, const uint32_t *slots, const opw_elementwise *work, int k, PyArrayObject *array)
{
    int j;
    for (j = 0; j < k; j++) {
        PyArrayObject *other = OPW_ARRAY(frame + slots[work->inputs + j]);
        if (other && opw_overlap((PyObject *)other, (PyObject *)array))
            return 1;
    }
    return 0;
}

/* Gives each output of an in-place kernel its input's array, where that may be. */
static void opw_overwrite(char *frame, const uint32_t *slots, const opw_elementwise *work, PyArrayObject **arrays, int ndim,
                          const npy_intp *dims)
{
    int k;
    for (k = 0; k < work->outputs; k++) {
        int which = work->inplace[k];
        if (which < 0 || !opw_may_overwrite(arrays, work->inputs, which, ndim, dims) ||
            opw_taken(frame, slots, work, k, arrays[which]))
            continue;
        Py_INCREF(arrays[which]);
        opw_put_array(frame + slots[work->inputs + k], arrays[which]);
    }
}

/* A new array whose axes lie in memory as those of the loop do. */
static PyArrayObject *opw_new_like(const opw_axes *axes, int ndim, const npy_intp *dims, int type, npy_intp size)
{
    npy_intp strides[OPW_MAX_DIMS];
    int i;
    for (i = axes->n - 1; i >= 0; i--) {
        strides[axes->axis[i]] = size;
        size *= axes->dims[i];
    }
    return (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(type), ndim, (npy_intp *)dims, strides,
                                                 NULL, 0, NULL);
}

/* Writes an array's strides, broadcast to ndim axes, into the loop's as those of one operand. */
static void opw_set_strides(opw_axes *axes, int operand, PyArrayObject *array, int ndim)
{
    int i, first = ndim - PyArray_NDIM(array);
    for (i = 0; i < axes->n; i++) {
        int own = axes->axis[i] - first;
        axes->strides[i][operand] = own < 0 || PyArray_DIM(array, own) == 1 ? 0 : PyArray_STRIDE(array, own);
    }
}

/* Any shapes and strides. */
static int opw_run_strided(char *frame, const uint32_t *slots, const opw_elementwise *work, PyArrayObject **arrays)
{
    npy_intp dims[OPW_MAX_DIMS], at[OPW_MAX_DIMS];
    char *p[OPW_MAX_OPERANDS];
    opw_axes axes;
    int i, k, ndim = opw_broadcast(arrays, work->inputs, dims);
    npy_intp total = 1;

    if (ndim < 0)
        return 1;
    for (i = 0; i < ndim; i++)
        total *= dims[i] != 0; /* only whether there is anything */
    if (work->inplace)
        opw_overwrite(frame, slots, work, arrays, ndim, dims);
    axes.n = ndim;
    axes.operands = work->inputs;
    for (i = 0; i < ndim; i++) {
        axes.dims[i] = dims[i];
        axes.axis[i] = i;
        at[i] = 0;
    }
    for (k = 0; k < work->inputs; k++)
        opw_set_strides(&axes, k, arrays[k], ndim);
    opw_order_axes(&axes, axes.operands);
    for (k = 0; k < work->outputs; k++) {
        int operand = work->inputs + k;
        char *slot = frame + slots[operand];
        PyArrayObject *array = OPW_ARRAY(slot);
        if (!array || !opw_same_dims(array, ndim, dims))
            if (opw_put_array(slot, opw_new_like(&axes, ndim, dims, work->types[operand], work->sizes[operand])))
                return 1;
        arrays[operand] = OPW_ARRAY(slot);
        opw_set_strides(&axes, operand, arrays[operand], ndim);
        axes.operands = operand + 1;
    }
    if (!total)
        return 0;
    opw_join_axes(&axes);
    for (k = 0; k < axes.operands; k++)
        p[k] = PyArray_BYTES(arrays[k]);
    if (!axes.n) {
        axes.n = 1;
        axes.dims[0] = 1;
        for (k = 0; k < axes.operands; k++)
            axes.strides[0][k] = 0;
    }
    do {
        if (work->inner(axes.dims[axes.n - 1], p, axes.strides[axes.n - 1]))
            return 1;
    } while (opw_next(&axes, axes.n - 1, at, p));
    return 0;
}

/* One shape, C order throughout, or no dimensions: one loop over all. */
int opw_run_elementwise(char *frame, const uint32_t *slots)
{
    const opw_elementwise *work = &opw_the_program.elementwise_table[*slots++];
    PyArrayObject *arrays[OPW_MAX_OPERANDS];
    char *p[OPW_MAX_OPERANDS];
    npy_intp s[OPW_MAX_OPERANDS], n = 1;
    const npy_intp *dims = NULL;
    int i, ndim = 0, plain = 1;

    for (i = 0; i < work->inputs; i++) {
        PyArrayObject *array = arrays[i] = OPW_ARRAY(frame + slots[i]);
        p[i] = PyArray_BYTES(array);
        s[i] = work->sizes[i];
        if (!PyArray_NDIM(array))
            s[i] = 0;
        else if (!PyArray_IS_C_CONTIGUOUS(array))
            plain = 0;
        else if (!dims)
            dims = PyArray_DIMS(array), ndim = PyArray_NDIM(array);
        else if (!opw_same_dims(array, ndim, dims))
            plain = 0;
    }
    if (!plain)
        return opw_run_strided(frame, slots, work, arrays);
    for (i = 0; i < ndim; i++)
        n *= dims[i];
    for (i = 0; i < work->outputs; i++) {
        int operand = work->inputs + i, over = work->inplace ? work->inplace[i] : -1;
        char *slot = frame + slots[operand];
        if (over >= 0 && PyArray_NDIM(arrays[over]) == ndim && opw_may_overwrite_plain(work, arrays, over, n, p, s) &&
            !opw_taken(frame, slots, work, i, arrays[over])) {
            Py_INCREF(arrays[over]);
            opw_put_array(slot, arrays[over]);
        } else if (opw_fit_output(slot, ndim, dims, work->types[operand]))
            return 1;
        if (!PyArray_IS_C_CONTIGUOUS(OPW_ARRAY(slot)))
            return opw_run_strided(frame, slots, work, arrays);
        p[operand] = PyArray_BYTES(OPW_ARRAY(slot));
        s[operand] = work->sizes[operand];
    }
    return n ? work->inner(n, p, s) : 0;
}

/* ---- reductions ---------------------------------------------------------------------------------------------------- */

#define OPW_COLUMNS 128 /* accumulators at once, where those lie closer in memory than what is folded */
#define OPW_MAX_ACCUMULATOR 32

/* What is folded: the axes that go, and m accumulators t bytes apart. */
typedef struct {
    const opw_reduce *work;
    const opw_axes *gone;
    npy_intp m, t;
} opw_folding;

/* Folds count positions of axis `axis` and all of those inside it. Recursion: as deep as there are axes, times the
   logarithm of their sizes. */
static int opw_fold(const opw_folding *f, int axis, const char *p, npy_intp count, void *acc)
{
    const opw_reduce *work = f->work;
    npy_intp stride = f->gone->strides[axis][0], chunk = work->chunk[f->m > 1], half;
    union { char bytes[OPW_COLUMNS * OPW_MAX_ACCUMULATOR]; npy_longdouble align; } other;
    int last = axis == f->gone->n - 1;

    if (last && (!chunk || count <= chunk))
        return work->fold(p, count, stride, f->m, f->t, acc);
    if (!last && count == 1)
        return opw_fold(f, axis + 1, p, f->gone->dims[axis + 1], acc);
    if (!chunk) { /* one after the other */
        npy_intp i;
        if (opw_fold(f, axis + 1, p, f->gone->dims[axis + 1], acc))
            return 1;
        for (i = 1; i < count; i++)
            if (opw_fold(f, axis + 1, p + i * stride, f->gone->dims[axis + 1], other.bytes) ||
                work->join(acc, other.bytes, f->m))
                return 1;
        return 0;
    }
    half = count / 2;
    if (last && f->m == 1)
        half -= half % 8;
    return opw_fold(f, axis, p, half, acc) || opw_fold(f, axis, p + half * stride, count - half, other.bytes) ||
           work->join(acc, other.bytes, f->m);
}

/* Parts the axes: operand 0 of each is the input, operand 1 of the kept ones the output. */
static void opw_part_axes(const opw_reduce *work, PyArrayObject *in, PyArrayObject *out, opw_axes *kept, opw_axes *gone)
{
    int i, j = 0;
    kept->n = gone->n = 0;
    kept->operands = 2;
    gone->operands = 1;
    for (i = 0; i < PyArray_NDIM(in); i++) {
        int goes = (int)(work->axes >> i & 1);
        opw_axes *axes = goes ? gone : kept;
        axes->dims[axes->n] = PyArray_DIM(in, i);
        axes->axis[axes->n] = i;
        axes->strides[axes->n][0] = PyArray_DIM(in, i) == 1 ? 0 : PyArray_STRIDE(in, i);
        if (!goes)
            axes->strides[axes->n][1] = PyArray_DIM(in, i) == 1 ? 0 : PyArray_STRIDE(out, j);
        axes->n++;
        j += !goes || work->keepdims;
    }
    opw_order_axes(kept, 1);
    opw_join_axes(kept);
    opw_order_axes(gone, 1);
    opw_join_axes(gone);
    if (!gone->n) { /* nothing but sizes of 1 */
        gone->n = 1;
        gone->dims[0] = 1;
        gone->strides[0][0] = 0;
    }
}

/* Fills the output; there is something to fold. */
static int opw_reduce_all(const opw_reduce *work, PyArrayObject *in, PyArrayObject *out)
{
    union { char bytes[OPW_COLUMNS * OPW_MAX_ACCUMULATOR]; npy_longdouble align; } acc;
    opw_axes kept, gone;
    opw_folding folding;
    npy_intp at[OPW_MAX_DIMS] = {0}, columns = 1, t = 0, u = 0, i;
    char *p[2];
    int outer;

    opw_part_axes(work, in, out, &kept, &gone);
    outer = kept.n;
    if (kept.n && opw_size(kept.strides[kept.n - 1][0]) < opw_size(gone.strides[gone.n - 1][0])) {
        outer--;
        columns = kept.dims[outer];
        t = kept.strides[outer][0];
        u = kept.strides[outer][1];
    }
    folding.work = work;
    folding.gone = &gone;
    folding.t = t;
    p[0] = PyArray_BYTES(in);
    p[1] = PyArray_BYTES(out);
    do {
        for (i = 0; i < columns; i += OPW_COLUMNS) {
            folding.m = columns - i < OPW_COLUMNS ? columns - i : OPW_COLUMNS;
            if (opw_fold(&folding, 0, p[0] + i * t, gone.dims[0], acc.bytes))
                return 1;
            work->store(acc.bytes, folding.m, p[1] + i * u, u);
        }
    } while (opw_next(&kept, outer, at, p));
    return 0;
}

/* Fills the output of a reduction of nothing, which is new. */
static int opw_reduce_nothing(const opw_reduce *work, PyArrayObject *in, PyArrayObject *out)
{
    union { char bytes[OPW_MAX_ACCUMULATOR]; npy_longdouble align; } acc;
    npy_intp i, n = PyArray_SIZE(out);
    for (i = 0; !work->identity && i < PyArray_NDIM(in); i++)
        if (!PyArray_DIM(in, i) && work->axes >> i & 1) { /* an error, as in NumPy, also where there is no result */
            PyErr_Format(PyExc_ValueError, "zero-size array to reduction operation %s which has no identity", work->name);
            return 1;
        }
    if (!n)
        return 0;
    work->identity(acc.bytes, 1);
    for (i = 0; i < n; i++)
        work->store(acc.bytes, 1, PyArray_BYTES(out) + i * PyArray_ITEMSIZE(out), 0);
    return 0;
}

int opw_run_reduce(char *frame, const uint32_t *slots)
{
    const opw_reduce *work = &opw_the_program.reduce_table[*slots++];
    PyArrayObject *in = OPW_ARRAY(frame + slots[0]);
    char *slot = frame + slots[1];
    npy_intp dims[OPW_MAX_DIMS];
    int i, ndim = 0;

    for (i = 0; i < PyArray_NDIM(in); i++)
        if (!(work->axes >> i & 1))
            dims[ndim++] = PyArray_DIM(in, i);
        else if (work->keepdims)
            dims[ndim++] = 1;
    if (OPW_ARRAY(slot) && !PyArray_IS_C_CONTIGUOUS(OPW_ARRAY(slot)) && !PyArray_SIZE(in) &&
        opw_put_array(slot, (PyArrayObject *)PyArray_SimpleNew(ndim, dims, work->type)))
        return 1;
    if (opw_fit_output(slot, ndim, dims, work->type))
        return 1;
    if (!PyArray_SIZE(in))
        return opw_reduce_nothing(work, in, OPW_ARRAY(slot));
    return opw_reduce_all(work, in, OPW_ARRAY(slot));
}

/* ---- the call ------------------------------------------------------------------------------------------ */

/* The arrays that a step reads, None for what is none. A new tuple, or NULL. */
static PyObject *opw_step_inputs(const opw_state *state, char *frame, const opw_step *step)
{
    const opw_program *p = state->program;
    PyObject *inputs = PyTuple_New((Py_ssize_t)step->inputs);
    uint32_t i;
    for (i = 0; inputs && i < step->inputs; i++) {
        uint32_t variable = (uint32_t)p->slot_table[step->reads + i];
        char *slot = opw_slot(frame, state, variable);
        PyObject *value = p->types[p->variable_types[variable]].ndim >= 0 ? (PyObject *)OPW_ARRAY(slot) : OPW_PY(slot);
        if (!value) /* given up, to be replaced: what it was */
            value = OPW_PY(slot);
        if (!value || !PyArray_Check(value))
            value = Py_None;
        Py_INCREF(value);
        PyTuple_SET_ITEM(inputs, (Py_ssize_t)i, value);
    }
    return inputs;
}

/* Whether there is memory to run some Python: CPython 3.11 ends the process where it unwinds without any. */
static int opw_has_memory(void)
{
    void *some = PyMem_Malloc(1 << 14);
    PyMem_Free(some);
    return some != NULL;
}

/* Has the node that failed, and what on, said in the exception that is set; it stays the same exception. */
static void opw_explain(opw_function *self, char *frame, uint32_t reached)
{
    const opw_step *step = &self->state->program->step_table[reached];
    PyObject *type = NULL, *value = NULL, *traceback = NULL, *inputs, *none = NULL;
    if (step->node < 0 || self->failed == Py_None || !opw_has_memory())
        return;
    OPW_FETCH(&type, &value, &traceback);
#if PY_VERSION_HEX < 0x030C0000
    PyErr_NormalizeException(&type, &value, &traceback);
#endif
    inputs = opw_step_inputs(self->state, frame, step);
    if (inputs)
        none = PyObject_CallFunction(self->failed, "iOO", (int)step->node, inputs, value);
    if (!none)
        PyErr_WriteUnraisable(self->name);
    Py_XDECREF(none);
    Py_XDECREF(inputs);
    OPW_RESTORE(type, value, traceback);
}

/* Says which of a step's outputs, or of the inputs that it replaced, is not what its type promises. An exception that is set
   stays. */
static void opw_find_unlike(opw_function *self, char *frame, const opw_step *step)
{
    const opw_program *p = self->state->program;
    uint32_t i, inputs = step->inputs;
    for (i = 0; i < inputs + step->outputs; i++) {
        uint32_t variable = (uint32_t)p->slot_table[step->reads + i];
        const opw_type *type = &p->types[p->variable_types[variable]];
        PyObject *left = (PyObject *)OPW_ARRAY(opw_slot(frame, self->state, variable));
        Py_ssize_t position = i < inputs ? -1 - (Py_ssize_t)i : (Py_ssize_t)(i - inputs);
        if (type->ndim >= 0 && !opw_is(left, type->number, type->ndim) && opw_tell(self, (int)step->node, position, left))
            return;
    }
}

/* Runs the table from its start; returns how many entries were reached, and in *failed whether one failed. */
static uint32_t opw_walk(char *frame, const opw_state *state, int *failed)
{
    const opw_resolved *begin = state->steps, *step = begin, *end = begin + state->program->steps;
    for (; step < end; step++) {
        int status = step->run(frame, step->slots);
        if (!status)
            continue;
        if (status == OPW_UNLIKE)
            opw_find_unlike(OPW_HEAD(frame)->self, frame, &state->program->step_table[step - begin]);
        if (!PyErr_Occurred())
            opw_silent(OPW_HEAD(frame)->self, state->program->step_table[step - begin].label);
        *failed = 1;
        opw_explain(OPW_HEAD(frame)->self, frame, (uint32_t)(step - begin));
        return (uint32_t)(step - begin) + (status > 0);
    }
    return (uint32_t)(end - begin);
}

static void opw_undo(char *frame, const opw_state *state, uint32_t reached)
{
    const opw_resolved *step = state->steps + reached;
    while (step-- > state->steps)
        if (step->undo)
            step->undo(frame, step->slots);
}

/* Undoes what was reached, last first. The exception that is set stays as it is. */
static void opw_undo_failed(char *frame, const opw_state *state, uint32_t reached)
{
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    OPW_FETCH(&type, &value, &traceback);
    opw_undo(frame, state, reached);
    OPW_RESTORE(type, value, traceback);
}

/* One result as a new reference. */
static PyObject *opw_result_of(opw_function *self, char *frame, Py_ssize_t i)
{
    PyObject *value = OPW_PY(frame + self->state->result_offsets[i]);
    PyObject *out = OPW_HEAD(frame)->out[i];
    if (!value) {
        const opw_program *p = self->state->program;
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_RuntimeError, "%U(): %s.c_sync left no object in py_<name> for result %zd, and set no exception",
                         self->name, p->types[p->variable_types[p->result_table[i].variable]].label, i);
        return NULL;
    }
    if (value == Py_None && opw_tell(self, -1, i, NULL))
        return NULL;
    if (out && out != value)
        return opw_copy_out(self, i, out, value);
    Py_INCREF(value);
    return value;
}

static PyObject *opw_collect(opw_function *self, char *frame)
{
    const opw_program *p = self->state->program;
    PyObject *list;
    Py_ssize_t i, n = (Py_ssize_t)(p->results - p->updates);
    if (p->single) {
        if (n)
            return opw_result_of(self, frame, 0);
        Py_RETURN_NONE;
    }
    list = PyList_New(n);
    for (i = 0; list && i < n; i++) {
        PyObject *value = opw_result_of(self, frame, i);
        if (value)
            PyList_SET_ITEM(list, i, value);
        else
            Py_CLEAR(list);
    }
    return list;
}

/* Takes the new shared values out of the frame; they wait where out= objects do. Non-zero: one is missing. */
static int opw_collect_updates(opw_function *self, char *frame)
{
    const opw_program *p = self->state->program;
    Py_ssize_t i;
    for (i = (Py_ssize_t)(p->results - p->updates); i < (Py_ssize_t)p->results; i++) {
        PyObject *value = opw_result_of(self, frame, i);
        if (!value)
            return -1;
        OPW_HEAD(frame)->out[i] = value;
    }
    return 0;
}

/* Puts the new shared values into their cells, or drops them. Nothing here can fail: all are stored or none, and what stood
   there is released when all are. A value that was set while the call ran stays: the call counts as one before it. */
static void opw_store_updates(opw_function *self, char *frame, int succeeded)
{
    const opw_program *p = self->state->program;
    PyObject **out = OPW_HEAD(frame)->out, **read = out + p->results;
    Py_ssize_t i, k, first = (Py_ssize_t)(p->results - p->updates);
    for (i = first, k = 0; succeeded && i < (Py_ssize_t)p->results; i++, k++) {
        PyObject *cell = PyTuple_GET_ITEM(self->cells, p->result_table[i].update);
        if (out[i] && PyList_GET_SIZE(cell) == 1 && PyList_GET_ITEM(cell, 0) == read[k]) {
            PyList_SET_ITEM(cell, 0, out[i]);
            out[i] = read[k]; /* the earlier value: the cell's reference */
        }
    }
    for (i = first, k = 0; i < (Py_ssize_t)p->results; i++, k++) {
        Py_CLEAR(out[i]);
        Py_CLEAR(read[k]);
    }
}

/* Walks the table over bound arguments, and back. */
static PyObject *opw_run(opw_function *self, char *frame, PyObject *out)
{
    const opw_state *state = self->state;
    PyObject *result = NULL;
    int failed = 0;
    uint32_t reached = opw_walk(frame, state, &failed);

    if (out && PyErr_Occurred()) /* a fragment set one and went on: nothing is copied */
        failed = 1;
    if (!failed && (!out || !opw_set_results_apart(self, frame)))
        result = opw_collect(self, frame);
    if (result && state->program->updates && opw_collect_updates(self, frame))
        Py_CLEAR(result);
    OPW_HEAD(frame)->keeping = result != NULL;
    if (!result) {
        opw_undo_failed(frame, state, reached);
        if (state->program->updates)
            opw_store_updates(self, frame, 0);
        return NULL;
    }
    opw_undo(frame, state, reached);
    if (PyErr_Occurred()) /* a fragment set one and went on */
        Py_CLEAR(result);
    if (state->program->updates)
        opw_store_updates(self, frame, result != NULL);
    return result;
}

static PyObject *opw_call_in(opw_function *self, char *frame, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    const opw_state *state = self->state;
    const opw_program *p = state->program;
    PyObject *out = NULL, *result = NULL;
    uint32_t i;

    OPW_HEAD(frame)->self = self;
    OPW_HEAD(frame)->structs = self->structs;
    if (self->constants)
        memcpy(frame + state->constants_begin, self->constants + state->constants_begin,
               state->constants_end - state->constants_begin);
    for (i = 0; i < p->results + p->updates; i++)
        OPW_HEAD(frame)->out[i] = NULL;
    if (opw_bind(self, frame, args, given, names, &out))
        return NULL;
    if (!out)
        return opw_run(self, frame, NULL);
    if (!opw_take_outs(self, frame, out))
        result = opw_run(self, frame, out);
    opw_leave_outs(frame, p);
    return result;
}

/* Frames up to this size lie on the stack. */
#define OPW_SMALL_FRAME 4096

static PyObject *opw_vectorcall(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *names)
{
    opw_function *self = (opw_function *)callable;
    union { char bytes[OPW_SMALL_FRAME]; void *align; double align_double; } small;
    char *frame = small.bytes;
    PyObject *result = NULL;

    if (self->state->frame_size > sizeof(small) && !(frame = (char *)PyMem_Malloc(self->state->frame_size)))
        return PyErr_NoMemory();
    if (!self->turns || !opw_lock(self)) {
        result = opw_call_in(self, frame, args, PyVectorcall_NARGS(nargsf), names);
        if (self->turns)
            opw_unlock(self, PyTuple_GET_SIZE(self->turns));
    }
    if (frame != small.bytes)
        PyMem_Free(frame);
    return result;
}

/* ---- the callable object ------------------------------------------------------------------------------- */

static int opw_function_traverse(PyObject *object, visitproc visit, void *arg)
{
    opw_function *self = (opw_function *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->module);
    Py_VISIT(self->dict);
    Py_VISIT(self->name);
    Py_VISIT(self->convert);
    Py_VISIT(self->reject_out);
    Py_VISIT(self->performs);
    Py_VISIT(self->defaults);
    Py_VISIT(self->cells);
    Py_VISIT(self->failed);
    Py_VISIT(self->unlike);
    return 0;
}

static int opw_function_clear(PyObject *object)
{
    Py_CLEAR(((opw_function *)object)->dict);
    return 0;
}

/* Leaves the first n constants of the instance, last first. */
static void opw_leave_constants(opw_function *self, char *frame, uint32_t n)
{
    const opw_state *state = self->state;
    const opw_program *p = state->program;
    while (n-- > 0) {
        uint32_t variable = p->constant_variables[n];
        p->types[p->variable_types[variable]].leave(frame, &state->offsets[variable]);
    }
}

static void opw_function_dealloc(PyObject *object)
{
    opw_function *self = (opw_function *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject *module = self->module, *kind = NULL, *error = NULL, *traceback = NULL;
    PyObject_GC_UnTrack(object);
    if (self->weakrefs)
        PyObject_ClearWeakRefs(object);
    opw_drop_structs(self);
    opw_drop_kept(self);
    if (self->constants) {
        OPW_FETCH(&kind, &error, &traceback);
        opw_leave_constants(self, self->constants, self->state->program->constants);
        if (PyErr_Occurred()) /* a c_cleanup set one: nobody is there to see it */
            PyErr_WriteUnraisable(self->name);
        OPW_RESTORE(kind, error, traceback);
        PyMem_Free(self->constants);
    }
    Py_CLEAR(self->dict);
    Py_CLEAR(self->name);
    Py_CLEAR(self->convert);
    Py_CLEAR(self->reject_out);
    Py_CLEAR(self->performs);
    Py_CLEAR(self->defaults);
    Py_CLEAR(self->cells);
    Py_CLEAR(self->failed);
    Py_CLEAR(self->unlike);
    Py_CLEAR(self->turns);
    type->tp_free(object);
    Py_DECREF(type);
    Py_DECREF(module);
}

static PyObject *opw_function_repr(PyObject *object)
{
    return PyUnicode_FromFormat("<opweld.Function %U at %p>", ((opw_function *)object)->name, (void *)object);
}

/* f.maker.signature(), made when somebody asks. */
static PyObject *opw_function_signature(PyObject *object, void *closure)
{
    PyObject *maker = PyObject_GetAttrString(object, "maker"), *signature;
    (void)closure;
    if (!maker)
        return NULL;
    signature = PyObject_CallMethod(maker, "signature", NULL);
    Py_DECREF(maker);
    return signature;
}

/* A pickle is made and read by the maker, which knows how the function was built. */
static PyObject *opw_function_reduce(PyObject *object, PyObject *unused)
{
    PyObject *maker = PyObject_GetAttrString(object, "maker"), *reduced;
    (void)unused;
    if (!maker)
        return NULL;
    reduced = PyObject_CallMethod(maker, "reduce", "O", object);
    Py_DECREF(maker);
    return reduced;
}

static PyGetSetDef opw_function_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {"__signature__", opw_function_signature, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef opw_function_methods[] = {
    {"__reduce__", opw_function_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#if PY_VERSION_HEX >= 0x030C0000
#define OPW_PYSSIZET Py_T_PYSSIZET
#define OPW_READONLY Py_READONLY
#else
#include <structmember.h>
#define OPW_PYSSIZET T_PYSSIZET
#define OPW_READONLY READONLY
#endif

static PyMemberDef opw_function_members[] = {
    {"__vectorcalloffset__", OPW_PYSSIZET, offsetof(opw_function, vectorcall), OPW_READONLY, NULL},
    {"__dictoffset__", OPW_PYSSIZET, offsetof(opw_function, dict), OPW_READONLY, NULL},
    {"__weaklistoffset__", OPW_PYSSIZET, offsetof(opw_function, weakrefs), OPW_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot opw_function_slots[] = {
    {Py_tp_traverse, (void *)opw_function_traverse},
    {Py_tp_clear, (void *)opw_function_clear},
    {Py_tp_dealloc, (void *)opw_function_dealloc},
    {Py_tp_repr, (void *)opw_function_repr},
    {Py_tp_call, (void *)PyVectorcall_Call},
    {Py_tp_getset, (void *)opw_function_getset},
    {Py_tp_methods, (void *)opw_function_methods},
    {Py_tp_members, (void *)opw_function_members},
    {0, NULL},
};

static PyType_Spec opw_function_spec = {
    "opweld.Function", sizeof(opw_function), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE |
        Py_TPFLAGS_DISALLOW_INSTANTIATION,
    opw_function_slots,
};

/* ---- make ---------------------------------------------------------------------------------------------- */

/* Extracts the constants into memory that the instance keeps. */
static int opw_enter_constants(opw_function *self, PyObject *values)
{
    const opw_state *state = self->state;
    const opw_program *p = state->program;
    char *frame;
    uint32_t i;
    int failed;

    if (!p->constants && !p->structs)
        return 0;
    frame = (char *)PyMem_Calloc(1, state->constants_end);
    if (!frame) {
        PyErr_NoMemory();
        return -1;
    }
    OPW_HEAD(frame)->self = self;
    for (i = 0; i < p->constants; i++) {
        uint32_t variable = p->constant_variables[i];
        const opw_type *type = &p->types[p->variable_types[variable]];
        PyObject *value = PyTuple_GET_ITEM(values, i);
        Py_INCREF(value);
        OPW_PY(opw_slot(frame, state, variable)) = value;
        failed = type->adopt(frame, &state->offsets[variable]);
        if (failed || PyErr_Occurred() || opw_check_taken(type, opw_slot(frame, state, variable))) {
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

static int opw_check_make(const opw_program *p, PyObject *performs, PyObject *constants, PyObject *defaults, PyObject *cells)
{
    Py_ssize_t i;
    for (i = 0; i < PyTuple_GET_SIZE(cells); i++)
        if (!PyList_Check(PyTuple_GET_ITEM(cells, i))) {
            PyErr_Format(PyExc_TypeError, "make() got %.200s as cell %zd, expected a list of one",
                         Py_TYPE(PyTuple_GET_ITEM(cells, i))->tp_name, i);
            return -1;
        }
    if (PyTuple_GET_SIZE(performs) == (Py_ssize_t)p->performs && PyTuple_GET_SIZE(constants) == (Py_ssize_t)p->constants &&
        PyTuple_GET_SIZE(defaults) == (Py_ssize_t)(p->arguments - p->cells) && PyTuple_GET_SIZE(cells) == (Py_ssize_t)p->cells)
        return 0;
    PyErr_Format(PyExc_ValueError, "make() got %zd performs, %zd constants, %zd defaults and %zd cells, expected %u, %u, %u and %u",
                 PyTuple_GET_SIZE(performs), PyTuple_GET_SIZE(constants), PyTuple_GET_SIZE(defaults), PyTuple_GET_SIZE(cells),
                 (unsigned int)p->performs, (unsigned int)p->constants, (unsigned int)(p->arguments - p->cells),
                 (unsigned int)p->cells);
    return -1;
}

static PyObject *opw_make(PyObject *module, PyObject *args)
{
    opw_state *state = (opw_state *)PyModule_GetState(module);
    PyObject *name, *convert, *reject_out, *performs, *constants, *defaults, *cells, *failed, *unlike;
    opw_function *self;

    if (!PyArg_ParseTuple(args, "UOOO!O!O!O!OO:make", &name, &convert, &reject_out, &PyTuple_Type, &performs, &PyTuple_Type,
                          &constants, &PyTuple_Type, &defaults, &PyTuple_Type, &cells, &failed, &unlike) ||
        opw_check_make(state->program, performs, constants, defaults, cells))
        return NULL;
    self = PyObject_GC_New(opw_function, state->type);
    if (!self)
        return NULL;
    self->vectorcall = opw_vectorcall;
    Py_INCREF(module);
    self->module = module;
    self->state = state;
    self->dict = self->weakrefs = NULL;
    self->constants = NULL;
    self->kept = NULL;
    self->structs = NULL;
    self->turns = NULL;
    Py_INCREF(name);
    self->name = name;
    Py_INCREF(convert);
    self->convert = convert;
    Py_INCREF(reject_out);
    self->reject_out = reject_out;
    Py_INCREF(performs);
    self->performs = performs;
    Py_INCREF(defaults);
    self->defaults = defaults;
    Py_INCREF(cells);
    self->cells = cells;
    Py_INCREF(failed);
    self->failed = failed;
    Py_INCREF(unlike);
    self->unlike = unlike;
    PyObject_GC_Track((PyObject *)self);
    if (opw_make_turns(self) || opw_make_kept(self) || opw_enter_constants(self, constants) || opw_make_structs(self)) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

/* ---- the module ---------------------------------------------------------------------------------------- */

/* Lays out the frame: head, the constants together, then the rest. */
static int opw_lay_out(opw_state *state)
{
    const opw_program *p = state->program;
    size_t at = sizeof(opw_head) + sizeof(PyObject *) * (p->results + p->updates);
    uint32_t i;

    state->constants_begin = at;
    for (i = 0; i < p->constants; i++) {
        uint32_t variable = p->constant_variables[i];
        state->offsets[variable] = (uint32_t)at;
        at += p->types[p->variable_types[variable]].size();
    }
    state->constants_end = at;
    for (i = 0; i < p->variables && at < UINT32_MAX; i++) {
        if (state->offsets[i])
            continue;
        state->offsets[i] = (uint32_t)at;
        at += p->types[p->variable_types[i]].size();
    }
    state->frame_size = at;
    if (at < UINT32_MAX)
        return 0;
    PyErr_SetString(PyExc_MemoryError, "the function's variables need more than 4 GiB of C state");
    return -1;
}

static int opw_fill_state(PyObject *module, opw_state *state, const opw_program *p)
{
    uint32_t i;
    state->program = p;
    state->offsets = (uint32_t *)PyMem_Calloc(p->variables + 1, sizeof(uint32_t));
    state->slots = (uint32_t *)PyMem_Calloc(p->slots + 1, sizeof(uint32_t));
    state->steps = (opw_resolved *)PyMem_Calloc(p->steps + 1, sizeof(opw_resolved));
    state->argument_offsets = (uint32_t *)PyMem_Calloc(p->arguments + 1, sizeof(uint32_t));
    state->result_offsets = (uint32_t *)PyMem_Calloc(p->results + 1, sizeof(uint32_t));
    state->keywords = (PyObject **)PyMem_Calloc(p->arguments + 1, sizeof(PyObject *));
    if (!state->offsets || !state->slots || !state->keywords || !state->steps || !state->argument_offsets || !state->result_offsets) {
        PyErr_NoMemory();
        return -1;
    }
    if (opw_lay_out(state))
        return -1;
    for (i = 0; i < p->steps; i++) {
        state->steps[i].run = p->step_table[i].run;
        state->steps[i].undo = p->step_table[i].undo;
        state->steps[i].slots = state->slots + p->step_table[i].slots;
    }
    for (i = 0; i < p->arguments; i++)
        state->argument_offsets[i] = state->offsets[p->argument_table[i].variable];
    for (i = 0; i < p->results; i++)
        state->result_offsets[i] = state->offsets[p->result_table[i].variable];
    for (i = 0; i < p->slots; i++)
        state->slots[i] = p->slot_table[i] < 0 ? (uint32_t)(-1 - p->slot_table[i]) : state->offsets[p->slot_table[i]];
    for (i = 0; i < p->arguments; i++)
        if (p->argument_table[i].name && !(state->keywords[i] = PyUnicode_InternFromString(p->argument_table[i].name)))
            return -1;
    if (!(state->keywords[p->arguments - p->cells] = PyUnicode_InternFromString("out")))
        return -1;
    state->type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &opw_function_spec, NULL);
    return state->type ? PyModule_AddIntConstant(module, "performs", (long)p->performs) : -1;
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
    if (!state || !state->program)
        return;
    for (i = 0; state->keywords && i <= state->program->arguments; i++)
        Py_CLEAR(state->keywords[i]);
    Py_CLEAR(state->type);
    PyMem_Free(state->offsets);
    PyMem_Free(state->slots);
    PyMem_Free(state->steps);
    PyMem_Free(state->argument_offsets);
    PyMem_Free(state->result_offsets);
    PyMem_Free(state->keywords);
}

static PyMethodDef opw_module_methods[] = {
    {"make", opw_make, METH_VARARGS, "make(name, convert, reject_out, performs, constants, defaults, cells, failed, unlike) -> Function"},
    {NULL, NULL, 0, NULL},
};

/* ---- the module's entry ------------------------------------------------------------------------------------------ */

/* What holds for the process, whatever the function. */
static void opw_forked(void) { opw_process = getpid(); }

static int opw_prepare(void)
{
    int number;
    if (!opw_process && pthread_atfork(NULL, NULL, opw_forked)) {
        PyErr_NoMemory();
        return -1;
    }
    opw_forked();
    if (PyArray_ImportNumPyAPI() < 0 || !(opw_numpy_ma = PyUnicode_InternFromString("numpy.ma")))
        return -1;
    for (number = 0; number < OPW_DTYPES; number++)
        if (!opw_dtypes[number] && !(opw_dtypes[number] = PyArray_DescrFromType(number)))
            return -1;
    return 0;
}

static int opw_exec(PyObject *module)
{
    const opw_init *init;
    if (opw_prepare())
        return -1;
    for (init = opw_the_program.init_table; init->run; init++) {
        if (PyModule_AddStringConstant(module, "initialising", init->label)) /* Python names it where it fails */
            return -1;
        if (init->run() && !PyErr_Occurred())
            continue;
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ImportError, "it failed without setting an exception; set one before return NULL");
        return -1;
    }
    return opw_fill_state(module, (opw_state *)PyModule_GetState(module), &opw_the_program);
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

PyMODINIT_FUNC PyInit_opweld_module(void)
{
    return PyModuleDef_Init(&opw_module);
}

