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
#if defined(__GNUC__)              /* a unit uses what it needs of the runtime, a fragment of what it is given */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wunused-local-typedefs"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#endif

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
    PyObject *out[1];   /* as many as there are results; owned while the call runs; NULL: none given */
} opw_head;

#define OPW_HEAD(frame) ((opw_head *)(void *)(frame))
#define OPW_PY(slot) (*(PyObject **)(void *)(slot))
#define OPW_ROOM(v) ((sizeof(v) + 7) & ~(size_t)7)
#define OPW_CLEAR(v) memset((void *)&(v), 0, sizeof(v))
#define OPW_LOAD(v) (memcpy((void *)&(v), opw_at, sizeof(v)), opw_at += OPW_ROOM(v))
#define OPW_SAVE(v) (memcpy(opw_at, (const void *)&(v), sizeof(v)), opw_at += OPW_ROOM(v))

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

/* An entry of the table of slots: a variable, or a number as -1 - n. */
typedef struct {
    const char *name;
    uint32_t variables, arguments, results, steps, slots, constants, performs;
    int single;
    const uint32_t *variable_types;
    const uint32_t *constant_variables;
    const opw_type *types;
    const opw_argument *argument_table;
    const opw_result *result_table;
    const opw_step *step_table;
    const int32_t *slot_table;
    const opw_init *init_table; /* ends with NULL */
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

#ifdef __cplusplus
}
#endif

