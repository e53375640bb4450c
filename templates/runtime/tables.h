/* What the unit and the runtime, two objects of one module, must agree on: the frame of a call, the tables that describe
   a function, the instance. It needs no header of Python's or NumPy's, but their names for an object and for numbers. */
/* ---- frame and tables ------------------------------------------------------------------------------------------- */

#include "loop.h"
#ifdef __cplusplus
extern "C" {
#endif

/* A frame is the memory of one call (or of an instance's constants): a head, one place for each out= object, one slot
   for each variable. A slot is the reference py_<name>, then what the type declares, packed by OPW_ROOM. */
typedef struct opw_function opw_function;

typedef struct {
    opw_function *self; /* borrowed: the caller holds the callable */
    const struct opw_program *program; /* its function's */
    void **structs;     /* the instance's, one a step whose op keeps state */
    int keeping;        /* the call has succeeded: temporaries may be kept for the next */
    PyObject *out[1];   /* as many as there are results; owned while the call runs; NULL: none given. Then for each update the
                           value that the call has read from its cell; owned */
} opw_head;

#define OPW_HEAD(frame) ((opw_head *)(void *)(frame))
/* What a unit asks of a head, by names of the glue: users' macros stand before it. */
__attribute__((unused)) static inline PyObject *opw_given(const char *frame, uint32_t i) { return ((const opw_head *)(const void *)frame)->out[i]; }
__attribute__((unused)) static inline int opw_keeping(const char *frame) { return ((const opw_head *)(const void *)frame)->keeping; }
__attribute__((unused)) static inline void *opw_kept_struct(const char *frame, uint32_t i) { return ((const opw_head *)(const void *)frame)->structs[i]; }
#define OPW_PY(slot) (*(PyObject **)(void *)(slot))
#define OPW_ARRAY(slot) (*(PyArrayObject **)(void *)((slot) + sizeof(PyObject *))) /* of a type that declares one array */
#define OPW_ROOM(v) ((sizeof(v) + 7) & ~(size_t)7)

/* In C, between a slot and the locals that a declaration text declares. opw_at walks the slot. CLEAR: a local that nothing
   initialises. LOAD and SAVE: between slot and local. */
#define OPW_CLEAR(v) memset((void *)&(v), 0, sizeof(v))
#define OPW_LOAD(v) (memcpy((void *)&(v), opw_at, sizeof(v)), opw_at += OPW_ROOM(v))
#define OPW_SAVE(v) (memcpy(opw_at, (const void *)&(v), sizeof(v)), opw_at += OPW_ROOM(v))

/* 0: done. 1: failed, and to be undone like one that succeeded. -1: failed before it held anything. OPW_UNLIKE: as 1, for
   an op that stored what is not the array that its type promises. Of a group, whatever is positive: 1 + the member's number. */
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
    int plain;         /* holding a reference to that array is all that it does: a call that knows this may do without the rest */
} opw_type;

/* What an array must be to be taken as it is: exactly an ndarray, of that dtype in native byte order, aligned. */
typedef struct {
    int number, ndim, writeable;
    const npy_intp *sizes; /* an axis and its size, for as many as there are; then -1. NULL: there are none */
} opw_fit;

typedef struct {
    const char *name; /* keyword; NULL: positional only */
    uint32_t variable;
    int (*accept)(PyObject *); /* may it be taken as it is: a text of the type's */
    const opw_fit *fit;        /* instead of that; both NULL: it is always converted */
} opw_argument;

typedef struct {
    uint32_t variable;
    int (*accept)(PyObject *); /* may this array be out=: a text of the type's */
    int update;                /* which of the cells takes it, instead of the caller; -1: none */
    int scalar;                /* the caller gets a scalar of NumPy's for the array, which has no dimensions */
    const opw_fit *fit;        /* instead of accept; both NULL: out= is refused */
} opw_result;

/* The state that an op keeps for each instance, at one step. */
typedef struct {
    void *(*make)(char *frame, const uint32_t *slots); /* NULL: failed; frame holds the constants */
    void (*drop)(void *);
    uint32_t slots;
    const char *label;
} opw_struct;

/* ---- loops ---- */

#define OPW_MAX_OPERANDS 65 /* inputs and outputs, 64 at most, and an element's place */

/* Computes rows of n elements, t from row to row. OPW_NO_ROWS: it has run nothing, for operands that lie so. */
typedef int (*opw_rows_fn)(npy_intp n, npy_intp rows, npy_intp all, char *const *p, const npy_intp *s, const npy_intp *t);

/* What an output holds: a value of each element, what folds have made of all elements so far, or of all. */
typedef enum { OPW_STORED, OPW_SCANNED, OPW_FOLDED } opw_kind;

/* How elements along axes become one. Operands are the inputs, the outputs that are stored or scanned, and, where it is asked
   for, the place of an element among those that are folded together. blocks: columns one after the other, or side by side (opw_block_fn). join: into m of acc what is in other from `from` on. store: m of each output that is folded; p and t are of all operands, of which
   these are the last. blocks are given as many as `chunk` elements at once, any for 0; what is longer is halved, at multiples of 8: at
   least 16 of those. Non-zero: an exception is set. */
typedef struct {
    const opw_kind *kinds;   /* of each output */
    npy_intp width;          /* how many columns are folded at once, at most: OPW_COLUMNS; more where `alone` says so */
    npy_uint64 axes;         /* a bit for each that is folded */
    int keepdims, indexed;
    int wide;                /* whether there is text for several rows of columns side by side at once, and for long columns that lie
                                close, and go in chunks, as several; nothing else asks for OPW_BY_ROWS or OPW_MORE */
    npy_intp alone;          /* bytes of a column's accumulator where it has one: join and store then take up to OPW_FAR_COLUMNS, and
                                so do blocks side by side of what is wide; 0: it has several */
    npy_intp chunk[2];       /* as blocks */
    const char *name;        /* of the operation that has no identity; NULL: all have one */
    opw_block_fn blocks[2];  /* one column after the other; side by side */
    int (*join)(void *acc, const void *other, npy_intp from, npy_intp m);
    void (*store)(const void *acc, npy_intp m, char *const *p, const npy_intp *t);
    void (*identity)(void *acc, npy_intp m); /* NULL: a reduction of nothing is an error */
    int (*settled)(const void *acc, npy_intp m); /* whether no element can change any of m, which a block of columns one after the
                                                   other asks by itself; NULL: it is not asked */
} opw_fold;

/* How many elements of a loop are long. Tests, which say so in cflags, have fewer. */
#ifndef OPW_WORTH
#define OPW_WORTH(elements) elements
#endif

/* What a loop knows of its last call (known.c), in n words; 0: nothing. One by itself, and one laid out with others. */
#define OPW_KNOWN_WORDS 120
typedef struct {
    const void *group; /* of which the loop was the main one; NULL: of none. What it asks of shapes holds for these */
    uint32_t n;
    npy_intp words[OPW_KNOWN_WORDS];
} opw_known;
typedef struct { opw_known alone, laid; } opw_knowledge;

/* A loop of the engine's. The tables have an entry for each input, then for each output. */
typedef struct {
    int inputs, outputs;
    const opw_figure *types; /* type numbers */
    const opw_figure *sizes; /* of an element, in bytes */
    npy_uint64 numbers;      /* a bit for each input that the fastest body takes as one number throughout, or that it does not mind */
    const int *over;         /* of an output: the input that it may be written over, or -1; NULL: none */
    opw_inner_fn inner;      /* of stores alone */
    const opw_fold *fold;    /* NULL: stores alone */
    npy_intp worth;          /* as many elements are worth letting other threads run; 0: it needs the GIL */
    int raises;              /* it may set an exception, for which it takes the GIL */
    const npy_uint64 *exact; /* of each input, a bit for each axis of its own along which it is not broadcast; NULL: there are none */
    const opw_stages *stages; /* of what stores alone and has no `inner`: a table that says it all */
    opw_rows_fn rows;        /* NULL: `inner` is as good, row by row */
    opw_lies_fn lies;        /* NULL: it asks for nothing */
    opw_close_fn close;
    opw_knowledge *known;
} opw_loop;
/* Runs the loop whose place in the program's table is the first slot: one of stores alone, or one that folds. */
OPW_SHARED int opw_run_stores(char *frame, const uint32_t *slots);
OPW_SHARED int opw_run_folds(char *frame, const uint32_t *slots);

/* ---- views ---- */

/* What a view takes along an axis of its first input: one element, a slice, or a diagonal. Numbers are the view's other inputs, by position;
   0: it is not given. */
typedef struct {
    int axis, to;              /* the input's axis; the view's, -1: there is none, `at` takes one element */
    int along;                 /* places of the input's axis are those of the view's, which has one of its own */
    int at, start, stop, step;
} opw_cut;

/* Which elements of its first input a view has, and along which axes. */
typedef struct {
    int inputs, ndim;
    const int *axes;           /* of each axis of the view: the input's, or -1: a new one, of size 1; NULL: the view is told */
    npy_uint64 ones;           /* a bit for each axis of the input that goes without a cut: it must be of size 1 */
    int cuts;
    const opw_cut *cut_table;  /* in the order of the input's axes */
} opw_access;
/* Makes an array that is a view. slots: which of the program's table of accesses, then those of its inputs and its output. */
OPW_SHARED int opw_run_view(char *frame, const uint32_t *slots);

/* ---- groups: several nodes as one loop ---- */

/* A view that a group's loop reads through: no array is made. reads: of the view's inputs, each source n of the group, or
   -1 - n: its view n, an earlier one, which only the first input may be. */
typedef struct {
    int32_t node;              /* which of Program's steps */
    uint32_t access;           /* in the table of accesses */
    const int32_t *reads;
} opw_viewed;
#define OPW_MAX_VIEWS 64       /* of a group */
#define OPW_VIEW_ROOM 512      /* twice the axes of all of them */

/* One of the nodes that a group computes, as its tables say. Its values have the shape that its inputs are broadcast to; what folds is
   read by no other member. */
typedef struct {
    int32_t node;            /* which of Program's steps */
    uint32_t inputs;
    const opw_figure *reads; /* of each input two: input n of the group, or -1 - n: what member n gives; the number of its type */
    const npy_uint64 *exact; /* of each input as a loop's; NULL: there are none */
} opw_member;

/* A loop of the second way. operands: of the loop's inputs and outputs, each operand n of the group, inputs before outputs, or
   -1 - n: temporary n. Each is written before it is read, and by no part that reads it; a temporary may be written again, which
   reuses its storage where the shape fits. Its loop's `over` is obeyed: it is for what no later part reads, and what the caller
   lets go. */
typedef struct {
    uint32_t loop;
    const opw_figure *operands;
} opw_part;

/* A loop over all inputs together, and what takes its place where their shapes forbid it: a list of smaller loops. Where a loop
   of a group fails, it returns 1 + the number of the member at fault. */
#define OPW_MAX_TEMPORARIES 64
typedef struct {
    uint32_t main;          /* in the table of loops; its operands are the group's */
    uint32_t inputs, outputs, temporaries, masks, parts, members;
    uint32_t sources, views; /* the step's inputs; those of the loop are these, where there are no views */
    uint32_t folds;         /* the member that is at fault where there is nothing to fold */
    const npy_uint64 *mask_table; /* a bit for each input: sets that must have the shape of all together, for main to be right */
    const opw_part *part_table;   /* none: main is right wherever the inputs of each member broadcast */
    const opw_figure *members_of; /* of each member, in the order of the nodes, three: its node, how many inputs it has, which of
                                     those of all members is its first */
    const opw_figure *reads;      /* as a member's, of the inputs of all */
    const npy_uint64 *exact;
    const opw_viewed *view_table;   /* each after those that it reads */
    const int32_t *from;            /* of each input: source n, or -1 - n: view n; NULL: there are no views */
} opw_group;
/* Runs the group whose place in the program's table is the first slot; the slots of the sources and the outputs follow. A positive
   status is 1 + the number of the member that failed; views come after the members. */
OPW_SHARED int opw_run_group(char *frame, const uint32_t *slots);

/* Loops that follow one another, of which the first folds the last axis and the others read the rows again, or what was folded of
   them: `run` runs them row by row, each so many rows behind the first. p, t: of each loop where the operands of its first row are, and
   how far on those of the next; lines: whether it writes whole lines of outputs; ahead: how many bytes on it asks for what the first
   reads. first: which of the steps; alone: of each loop whether it goes over one element of each row; steady: of each a bit for each
   input that is one number throughout a row, where what else a row has lies close. divides: by products, of which the status word has
   to tell. */
typedef int (*opw_chain_fn)(npy_intp n, npy_intp rows, int lines, int ahead, int stored, char *const *const *p, const npy_intp *const *t);
typedef struct {
    uint32_t first, loops;
    const opw_figure *alone, *delays;
    const npy_uint64 *steady;
    opw_chain_fn run;
    int divides;
} opw_chain;

/* A function as data. An entry of the table of slots: a variable, or a number as -1 - n. */
typedef struct opw_program {
    const char *name;
    uint32_t variables, arguments, results, steps, slots, constants, performs, structs, kept;
    uint32_t cells, updates; /* of the arguments and the results the last ones: not the caller's */
    int single;
    int lent;                /* a call may work on what others hold for it: the caller the arguments, the instance the constants */
    const uint32_t *variable_types;
    const uint32_t *constant_variables;
    const uint32_t *kept_variables;
    const opw_type *types;
    const opw_argument *argument_table;
    const opw_result *result_table;
    const opw_step *step_table;
    const int32_t *slot_table;
    const opw_struct *struct_table;
    const opw_loop *loop_table;
    const opw_group *group_table;
    const opw_access *access_table;
    const opw_chain *chain_table; /* ends with one of no loops; NULL: there are none */
} opw_program;

/* What a unit gives to the runtime. Functions may share tables of types and loops; which one a call is of, the runtime knows by
   the function object and the frame's head. */
typedef struct {
    uint32_t functions;
    const opw_program *function_table;
    const opw_init *init_table; /* ends with NULL */
} opw_unit;

/* The unit defines it; the module's init alone asks for it. The name carries a digest of this head: objects that disagree on
   it do not link, as where opweld is replaced on disk while a process has the older engine. */
#define opw_the_unit OPW_LAYOUT
OPW_SHARED extern const opw_unit opw_the_unit;

/* What the module's entry, which has the module's name, gives back. */
OPW_SHARED PyObject *opw_enter_module(void);

/* Variables of types that hold a reference to one array and do no more. A slot is the reference, then the array. input: an argument,
   whose number is the second slot; cell: the same, of a shared value; own: a constant that an op may replace; init_own, offer_own,
   take: a temporary or an output, which begins as None, as what out= offers, or as what the instance has kept. */
OPW_SHARED size_t opw_plain_size(void);
OPW_SHARED int opw_plain_adopt(char *frame, const uint32_t *slots);
OPW_SHARED int opw_plain_input(char *frame, const uint32_t *slots);
OPW_SHARED int opw_plain_cell(char *frame, const uint32_t *slots);
OPW_SHARED int opw_plain_own(char *frame, const uint32_t *slots);
OPW_SHARED int opw_plain_init_own(char *frame, const uint32_t *slots);
OPW_SHARED int opw_plain_offer_own(char *frame, const uint32_t *slots);
OPW_SHARED int opw_plain_take(char *frame, const uint32_t *slots);
OPW_SHARED int opw_plain_sync(char *frame, const uint32_t *slots);
OPW_SHARED void opw_plain_keep(char *frame, const uint32_t *slots);
OPW_SHARED void opw_plain_leave(char *frame, const uint32_t *slots);
/* Puts a copy into the first slot where the array there cannot be written over, or shares memory within itself or with one
   that comes after: how many, then of each the type and the slot. */
OPW_SHARED int opw_separate(char *frame, const uint32_t *slots);
/* A step that calls Python, and its undoing. slots: which of the instance's performs, number of inputs, number of
   outputs, the inputs' offsets, then for each output its type and its offset. */
OPW_SHARED int opw_perform(char *frame, const uint32_t *slots);
OPW_SHARED void opw_perform_undo(char *frame, const uint32_t *slots);
#ifdef __cplusplus
}
#endif
