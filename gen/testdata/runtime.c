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

#ifdef __cplusplus
extern "C" {
#endif
#define OPW_SHARED __attribute__((visibility("hidden"))) /* between the objects of one module */

/* A frame is the memory of one call (or of an instance's constants): a head, one place for each out= object, one slot
   for each variable. A slot is the reference py_<name>, then what the type declares, packed by OPW_ROOM. */
typedef struct opw_function opw_function;

typedef struct {
    opw_function *self; /* borrowed: the caller holds the callable */
    void **structs;     /* the instance's, one a step whose op keeps state */
    int keeping;        /* the call has succeeded: temporaries may be kept for the next */
    PyObject *out[1];   /* as many as there are results; owned while the call runs; NULL: none given */
} opw_head;

#define OPW_HEAD(frame) ((opw_head *)(void *)(frame))
#define OPW_PY(slot) (*(PyObject **)(void *)(slot))
#define OPW_ROOM(v) ((sizeof(v) + 7) & ~(size_t)7)

/* Between a slot and the locals that a declaration text declares. opw_at walks the slot. CLEAR: a local that nothing
   initialises. LOAD: read only. TAKE: to be saved again. PUT: into a slot that holds nothing. SAVE: into one that was
   taken from. LAST: take what nobody will save again. */
#ifndef __cplusplus
#define OPW_CLEAR(v) memset((void *)&(v), 0, sizeof(v))
#define OPW_LOAD(v) (memcpy((void *)&(v), opw_at, sizeof(v)), opw_at += OPW_ROOM(v))
#define OPW_SAVE(v) (memcpy(opw_at, (const void *)&(v), sizeof(v)), opw_at += OPW_ROOM(v))
#define OPW_TAKE OPW_LOAD
#define OPW_PUT OPW_SAVE
#define OPW_LAST OPW_LOAD
#else
#define OPW_CLEAR(v) opw_clear(v)
#define OPW_LOAD(v) opw_load(opw_at, v)
#define OPW_TAKE(v) opw_take(opw_at, v)
#define OPW_PUT(v) opw_put(opw_at, v)
#define OPW_SAVE(v) opw_save(opw_at, v)
#define OPW_LAST(v) opw_last(opw_at, v)
#endif

/* 0: done. 1: failed, and to be undone like one that succeeded. -1: failed before it held anything. */
typedef int (*opw_run_fn)(char *frame, const uint32_t *slots);
typedef void (*opw_undo_fn)(char *frame, const uint32_t *slots);

/* One entry of the table that a call walks forwards, and backwards to undo what it reached. */
typedef struct {
    opw_run_fn run;
    opw_undo_fn undo;  /* NULL: holds nothing */
    uint32_t slots;    /* first of its entries in the table of slots */
    const char *label; /* the op or type, and the hook, for messages */
} opw_step;

/* A piece of init code. */
typedef struct {
    PyObject *(*run)(void); /* NULL: failed */
    const char *label;      /* the op or type, and the hook, for messages */
} opw_init;

typedef struct {
    size_t (*size)(void);
    opw_run_fn adopt;  /* c_extract on an object that the slot owns already; NULL: never needed */
    opw_undo_fn leave; /* c_cleanup, then give up py_<name> */
    const char *label;
} opw_type;

typedef struct {
    const char *name; /* keyword; NULL: positional only */
    uint32_t variable;
} opw_argument;

typedef struct {
    uint32_t variable;
    int (*accept)(PyObject *); /* may this array be out=; NULL: out= is refused */
    int offered;               /* the object is offered to the op as storage, not only copied into */
} opw_result;

/* The state that an op keeps for each instance, at one step. */
typedef struct {
    void *(*make)(char *frame, const uint32_t *slots); /* NULL: failed; frame holds the constants */
    void (*drop)(void *);
    uint32_t slots;
    const char *label;
} opw_struct;

/* An entry of the table of slots: a variable, or a number as -1 - n. */
typedef struct {
    const char *name;
    uint32_t variables, arguments, results, steps, slots, constants, performs, structs, kept;
    int single, free_threaded;
    const uint32_t *variable_types;
    const uint32_t *constant_variables;
    const opw_type *types;
    const opw_argument *argument_table;
    const opw_result *result_table;
    const opw_step *step_table;
    const int32_t *slot_table;
    const opw_init *init_table; /* ends with NULL */
    const opw_struct *struct_table;
} opw_program;

/* The unit defines the function as data; the runtime is the same for every function. */
OPW_SHARED extern const opw_program opw_the_program;

/* Passes an argument through its type's filter. A new reference, or NULL. */
OPW_SHARED PyObject *opw_convert(char *frame, uint32_t index, PyObject *value);
/* What a type's filter returned is not what the type accepts. Takes the reference; sets an exception, returns -1. */
OPW_SHARED int opw_refuse(PyObject *value, const char *label);
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

/* What is copied byte by byte in C is moved where it has constructors. The slot then holds a pointer: a constant's slot is
   copied into each call's frame, and such an object may point into itself, or need more than a slot's alignment. */
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

template <class T> static inline void opw_clear(T &v)
{
    if constexpr (std::is_trivially_copyable<T>::value && std::is_trivially_default_constructible<T>::value)
        memset((void *)&v, 0, sizeof(v));
}

template <class T> static inline void opw_load(char *&at, T &v)
{
    if constexpr (std::is_trivially_copyable<T>::value)
        memcpy((void *)&v, at, sizeof(v));
    else
        v = **(const T *const *)(const void *)at;
    at += OPW_ROOM(v);
}

template <class T> static inline void opw_take(char *&at, T &v)
{
    if constexpr (std::is_trivially_copyable<T>::value)
        memcpy((void *)&v, at, sizeof(v));
    else
        v = std::move(**(T **)(void *)at);
    at += OPW_ROOM(v);
}

template <class T> static inline void opw_put(char *&at, T &v)
{
    if constexpr (std::is_trivially_copyable<T>::value)
        memcpy(at, (const void *)&v, sizeof(v));
    else
        *(T **)(void *)at = new T(std::move(v));
    at += OPW_ROOM(v);
}

template <class T> static inline void opw_save(char *&at, T &v)
{
    if constexpr (std::is_trivially_copyable<T>::value)
        memcpy(at, (const void *)&v, sizeof(v));
    else
        **(T **)(void *)at = std::move(v);
    at += OPW_ROOM(v);
}

template <class T> static inline void opw_last(char *&at, T &v)
{
    char *slot = at;
    opw_take(at, v);
    if constexpr (!std::is_trivially_copyable<T>::value)
        delete *(T **)(void *)slot;
}

/* Makes an exception of Python's out of the C++ one that is being handled. */
static inline void opw_caught()
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
#endif


#endif
#if defined(__GNUC__)              /* a unit uses what it needs of the runtime, a fragment of what it is given */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wunused-local-typedefs"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#endif
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
    char *constants;           /* the part of a frame up to constants_end; NULL: none needed */
    PyObject **kept;           /* storage of temporaries from earlier runs; NULL entries: none, or in use */
    void **structs;            /* the state of ops that keep some */
    PyThread_type_lock lock;   /* held during a call where there is such state, else NULL */
    unsigned long owner;       /* the thread that holds it */
    int locked;
};

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

void opw_keep(char *frame, uint32_t index, PyObject *object)
{
    PyObject **kept = &OPW_HEAD(frame)->self->kept[index];
    if (!*kept && Py_REFCNT(object) == 1 && PyArray_Check(object) && !PyArray_BASE((PyArrayObject *)object) &&
        PyArray_CHKFLAGS((PyArrayObject *)object, NPY_ARRAY_OWNDATA) &&
        PyArray_NBYTES((PyArrayObject *)object) <= OPW_KEEP_BYTES)
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
    self->lock = PyThread_allocate_lock();
    self->structs = (void **)PyMem_Calloc(p->structs, sizeof(void *));
    if (!self->lock || !self->structs) {
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
    if (self->lock)
        PyThread_free_lock(self->lock);
}

/* Calls of an instance with state take turns. A call from within a call would wait for itself. */
static int opw_lock(opw_function *self)
{
    unsigned long me = PyThread_get_thread_ident();
    if (self->locked && self->owner == me) {
        PyErr_Format(PyExc_RuntimeError, "%U() was called from within a call of its own; an op in it keeps state, so its calls "
                     "cannot nest: make a second function", self->name);
        return -1;
    }
    if (!PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) {
        Py_BEGIN_ALLOW_THREADS
        PyThread_acquire_lock(self->lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }
    self->owner = me;
    self->locked = 1;
    return 0;
}

static void opw_unlock(opw_function *self)
{
    self->locked = 0;
    PyThread_release_lock(self->lock);
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

/* Gives the members of result to the outputs' slots and extracts them. All or none are entered. */
static int opw_perform_adopt(char *frame, const uint32_t *slots, PyObject *result)
{
    const opw_type *types = OPW_HEAD(frame)->self->state->program->types;
    const uint32_t *outputs = slots + 3 + slots[1];
    Py_ssize_t i, n = (Py_ssize_t)slots[2];

    if (!PyTuple_Check(result) || PyTuple_GET_SIZE(result) != n) {
        PyErr_Format(PyExc_SystemError, "a perform gave %.200s, expected a tuple of %zd", Py_TYPE(result)->tp_name, n);
        return -1;
    }
    for (i = 0; i < n; i++) {
        const uint32_t *slot = outputs + 2 * i + 1;
        PyObject *value = PyTuple_GET_ITEM(result, i);
        Py_INCREF(value);
        OPW_PY(frame + slot[0]) = value;
        if (types[slot[-1]].adopt(frame, slot)) {
            opw_perform_leave(frame, slots, i + 1);
            return -1;
        }
    }
    return 0;
}

int opw_perform(char *frame, const uint32_t *slots)
{
    Py_ssize_t i, n = (Py_ssize_t)slots[1];
    PyObject *result, *arguments = PyTuple_New(n);
    int failed;

    if (!arguments || PyErr_Occurred()) { /* a fragment set one and went on: Python must not run */
        Py_XDECREF(arguments);
        return -1;
    }
    for (i = 0; i < n; i++) {
        PyObject *value = OPW_PY(frame + slots[3 + i]);
        if (!value) {
            PyErr_Format(PyExc_RuntimeError, "%U(): c_sync left no object in py_<name> for input %zd of a perform, and "
                         "set no exception", OPW_HEAD(frame)->self->name, i);
            Py_DECREF(arguments);
            return -1;
        }
        Py_INCREF(value);
        PyTuple_SET_ITEM(arguments, i, value);
    }
    result = PyObject_CallObject(PyTuple_GET_ITEM(OPW_HEAD(frame)->self->performs, slots[0]), arguments);
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

/* The argument's position, the number of arguments for out=, -1: there is none of that name, -2: an exception is set.
   Keywords in a program's text are interned, so the first loop finds nearly all. */
static Py_ssize_t opw_keyword(const opw_state *state, PyObject *key)
{
    Py_ssize_t i, n = (Py_ssize_t)state->program->arguments;
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
    uint32_t i;
    for (i = p->arguments; known && i-- > 0;)
        if (self->state->keywords[i]) {
            PyObject *longer = PyUnicode_FromFormat("%U, %U", self->state->keywords[i], known);
            Py_DECREF(known);
            known = longer;
        }
    if (known)
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
        if (i == (Py_ssize_t)state->program->arguments) {
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
    Py_ssize_t i, n = (Py_ssize_t)p->arguments;
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
    Py_ssize_t i, n = (Py_ssize_t)state->program->arguments;

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

/* ---- out= --------------------------------------------------------------------------------------------- */

/* First and one past the last byte that the array can reach. */
static void opw_extent(PyArrayObject *array, char **low, char **high)
{
    int i;
    *low = *high = PyArray_BYTES(array);
    for (i = 0; i < PyArray_NDIM(array); i++) {
        npy_intp n = PyArray_DIM(array, i), reach = (n - 1) * PyArray_STRIDE(array, i);
        if (n == 0) {
            *low = *high = NULL; /* nowhere */
            return;
        }
        *(reach < 0 ? low : high) += reach;
    }
    *high += PyArray_ITEMSIZE(array);
}

static int opw_overlap(PyObject *a, PyObject *b)
{
    char *a_low, *a_high, *b_low, *b_high;
    if (!PyArray_Check(a) || !PyArray_Check(b))
        return 0;
    opw_extent((PyArrayObject *)a, &a_low, &a_high);
    opw_extent((PyArrayObject *)b, &b_low, &b_high);
    return a_low < b_high && b_low < a_high;
}

/* Whether out may be handed to the op while it reads the arguments. Where it may not, a copy stands between. */
static int opw_may_offer(opw_function *self, char *frame, PyObject *out)
{
    Py_ssize_t i, n = (Py_ssize_t)self->state->program->arguments;
    for (i = 0; i < n; i++)
        if (opw_overlap(OPW_PY(opw_argument_slot(frame, self->state, i)), out))
            return 0;
    return 1;
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
    for (j = 0; j < i; j++)
        if (OPW_HEAD(frame)->out[j] && opw_overlap(OPW_HEAD(frame)->out[j], out)) {
            PyErr_Format(PyExc_ValueError, "%U() cannot write results %zd and %zd to arrays that share memory: pass two", self->name,
                         j, i);
            return -1;
        }
    Py_INCREF(out); /* the caller's list may change while the call runs */
    OPW_HEAD(frame)->out[i] = out;
    if (result->offered && opw_may_offer(self, frame, out))
        OPW_PY(opw_slot(frame, self->state, result->variable)) = out;
    return 0;
}

static int opw_take_outs(opw_function *self, char *frame, PyObject *out)
{
    const opw_program *p = self->state->program;
    Py_ssize_t i, n = (Py_ssize_t)p->results;
    int is_list = PyList_Check(out) || PyTuple_Check(out);
    if (out == Py_None)
        return 0;
    if (p->single && !is_list)
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

/* Copies a result that the op stored elsewhere into out. Returns out as a new reference. */
static PyObject *opw_copy_out(opw_function *self, Py_ssize_t i, PyObject *out, PyObject *value)
{
    PyArrayObject *to = (PyArrayObject *)out, *from = (PyArrayObject *)value;
    if (!PyArray_Check(value)) {
        PyErr_Format(PyExc_ValueError, "%U() has %.200s as result %zd, which cannot be copied to out=", self->name,
                     Py_TYPE(value)->tp_name, i);
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

/* ---- the call ------------------------------------------------------------------------------------------ */

/* Runs the table from its start; returns how many entries were reached, and in *failed whether one failed. */
static uint32_t opw_walk(char *frame, const opw_state *state, int *failed)
{
    const opw_resolved *begin = state->steps, *step = begin, *end = begin + state->program->steps;
    for (; step < end; step++) {
        int status = step->run(frame, step->slots);
        if (!status)
            continue;
        if (!PyErr_Occurred())
            opw_silent(OPW_HEAD(frame)->self, state->program->step_table[step - begin].label);
        *failed = 1;
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
    if (out && out != value)
        return opw_copy_out(self, i, out, value);
    Py_INCREF(value);
    return value;
}

static PyObject *opw_collect(opw_function *self, char *frame)
{
    const opw_program *p = self->state->program;
    PyObject *list;
    Py_ssize_t i;
    if (p->single)
        return opw_result_of(self, frame, 0);
    list = PyList_New((Py_ssize_t)p->results);
    for (i = 0; list && i < (Py_ssize_t)p->results; i++) {
        PyObject *value = opw_result_of(self, frame, i);
        if (value)
            PyList_SET_ITEM(list, i, value);
        else
            Py_CLEAR(list);
    }
    return list;
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
    if (!failed)
        result = opw_collect(self, frame);
    OPW_HEAD(frame)->keeping = result != NULL;
    if (!result) {
        opw_undo_failed(frame, state, reached);
        return NULL;
    }
    opw_undo(frame, state, reached);
    if (PyErr_Occurred()) /* a fragment set one and went on */
        Py_CLEAR(result);
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
    for (i = 0; i < p->results; i++) {
        OPW_HEAD(frame)->out[i] = NULL;
        OPW_PY(frame + state->result_offsets[i]) = NULL; /* nothing is offered */
    }
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
    if (!self->lock || !opw_lock(self)) {
        result = opw_call_in(self, frame, args, PyVectorcall_NARGS(nargsf), names);
        if (self->lock)
            opw_unlock(self);
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
        if (type->adopt(frame, &state->offsets[variable]) || PyErr_Occurred()) {
            PyObject *kind = NULL, *error = NULL, *traceback = NULL;
            if (!PyErr_Occurred())
                PyErr_Format(PyExc_RuntimeError, "%U(): %s.c_extract failed on a constant without setting an exception; "
                             "set one, as by PyErr_SetString, before fail", self->name, type->label);
            OPW_FETCH(&kind, &error, &traceback);
            opw_leave_constants(self, frame, i + 1);
            OPW_RESTORE(kind, error, traceback);
            PyMem_Free(frame);
            return -1;
        }
    }
    self->constants = frame;
    return 0;
}

static int opw_check_make(const opw_program *p, PyObject *performs, PyObject *constants, PyObject *defaults)
{
    if (PyTuple_GET_SIZE(performs) == (Py_ssize_t)p->performs && PyTuple_GET_SIZE(constants) == (Py_ssize_t)p->constants &&
        PyTuple_GET_SIZE(defaults) == (Py_ssize_t)p->arguments)
        return 0;
    PyErr_Format(PyExc_ValueError, "make() got %zd performs, %zd constants and %zd defaults, expected %u, %u and %u",
                 PyTuple_GET_SIZE(performs), PyTuple_GET_SIZE(constants), PyTuple_GET_SIZE(defaults),
                 (unsigned int)p->performs, (unsigned int)p->constants, (unsigned int)p->arguments);
    return -1;
}

static PyObject *opw_make(PyObject *module, PyObject *args)
{
    opw_state *state = (opw_state *)PyModule_GetState(module);
    PyObject *name, *convert, *reject_out, *performs, *constants, *defaults;
    opw_function *self;

    if (!PyArg_ParseTuple(args, "UOOO!O!O!:make", &name, &convert, &reject_out, &PyTuple_Type, &performs, &PyTuple_Type,
                          &constants, &PyTuple_Type, &defaults) ||
        opw_check_make(state->program, performs, constants, defaults))
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
    self->lock = NULL;
    self->locked = 0;
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
    PyObject_GC_Track((PyObject *)self);
    if (opw_make_kept(self) || opw_enter_constants(self, constants) || opw_make_structs(self)) {
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
    size_t at = sizeof(opw_head) + sizeof(PyObject *) * p->results;
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
    if (!(state->keywords[p->arguments] = PyUnicode_InternFromString("out")))
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
    {"make", opw_make, METH_VARARGS, "make(name, convert, reject_out, performs, constants, defaults) -> Function"},
    {NULL, NULL, 0, NULL},
};

/* ---- the module's entry ------------------------------------------------------------------------------------------ */

static int opw_exec(PyObject *module)
{
    const opw_init *init;
    if (PyArray_ImportNumPyAPI() < 0)
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
    {Py_mod_gil, Py_MOD_GIL_USED}, /* or what opw_use_gil puts there */
#endif
    {0, NULL},
};

static struct PyModuleDef opw_module = {
    PyModuleDef_HEAD_INIT, "opweld_module", NULL, sizeof(opw_state), opw_module_methods, opw_module_slots,
    opw_module_traverse, opw_module_clear, opw_module_free,
};

/* Every fragment says that it is safe without a GIL. */
static void opw_use_gil(void)
{
#if PY_VERSION_HEX >= 0x030D0000
    PyModuleDef_Slot *slot;
    for (slot = opw_module_slots; opw_the_program.free_threaded && slot->slot; slot++)
        if (slot->slot == Py_mod_gil)
            slot->value = Py_MOD_GIL_NOT_USED;
#endif
}

PyMODINIT_FUNC PyInit_opweld_module(void)
{
    opw_use_gil();
    return PyModuleDef_Init(&opw_module);
}

