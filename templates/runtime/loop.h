/* How the functions of a module's objects and its loops are marked. */
#define OPW_SHARED __attribute__((visibility("hidden"))) /* between the objects of one module */
#if defined(__cplusplus)
#define OPW_VECTOR extern "C" OPW_SHARED /* a function of the vector library */
#else
#define OPW_VECTOR OPW_SHARED
#endif
#define OPW_INLINE static inline __attribute__((always_inline, unused))
/* A number of the tables of loops and groups, which are written as strings of wide characters: L"\x8\x2" is 8 and 2. A compiler reads a
   string at once, and each number of a list by itself: of 1,000 nodes tables would take a third of its time. */
#if defined(__cplusplus)
typedef wchar_t opw_figure;
#else
typedef __WCHAR_TYPE__ opw_figure;
#endif
#if __SIZEOF_WCHAR_T__ != 4
#error "opweld's tables want wide characters of 32 bits: leave out -fshort-wchar"
#endif
#if defined(__clang__)
#define OPW_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OPW_SHORT_INDEPENDENT OPW_INDEPENDENT /* it goes several vectors at once by itself */
#else
#define OPW_INDEPENDENT _Pragma("GCC ivdep")
#define OPW_SHORT_INDEPENDENT _Pragma("GCC ivdep") _Pragma("GCC unroll 2") /* counting is as much as the work */
#endif
/* Stands in a loop over little work whose operands do not lie close: a vector of them would be put together one by one, by much text. */
#if defined(__GNUC__)
#define OPW_ONE_BY_ONE(where) \
    do { \
        if (where) \
            __asm__ volatile(""); \
    } while (0)
/* A compiler does not see where a value comes from, and keeps it as it is. */
#define OPW_HIDE(value) __asm__("" : "+r"(value))
/* Keeps where an operand is that a loop round others steps on: else each time it is put together from what lies in memory, behind
   what was stored there only just, and loads wait. What has no step is a number, of which a compiler knows more. */
#define OPW_WALKS(p, step) \
    do { \
        if (!(__builtin_constant_p(step) && !(step))) \
            OPW_HIDE(p); \
    } while (0)
#else
#define OPW_ONE_BY_ONE(where) (void)0
#define OPW_HIDE(value) (void)0
#define OPW_WALKS(p, step) (void)0
#endif
/* What a test mostly finds. Behind it stand the loops for operands that lie close: compilers that take them for rare do not align them. */
#if defined(__GNUC__)
#define OPW_MOSTLY(test) __builtin_expect(!!(test), 1)
#define OPW_ELSEWHERE __attribute__((noinline, unused))
#else
#define OPW_MOSTLY(test) (test)
#define OPW_ELSEWHERE
#endif
/* A copy of one element. */
#define OPW_HELD(name, from, size) \
    char name[size] __attribute__((aligned(16))); \
    memcpy(name, from, size)
/* Stands before a loop over accumulators that take turns: vectors are to be made of it before it is written out, also where each
   element is stored as well. Compilers that write it out first vectorise what is round it, and add in order, one after the
   other. TURN_AFTER_TURN stands before the loop round it: several turns are taken before it counts. */
#if defined(__clang__)
#define OPW_LANES
#define OPW_TURN_AFTER_TURN
#else
#define OPW_TURN_AFTER_TURN _Pragma("GCC unroll 4")
#define OPW_LANES _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif
/* A product that is rounded before anything is added to it. gcc from version 12 on fuses the products of complex numbers whatever
   -ffp-contract says, where it makes vectors of the parts: bits would hang on where in an array an element stands. */
#define OPW_NOT_FUSED(product) (product)
#if defined(__has_builtin) && !defined(__RECIPROCAL_MATH__)
#if __has_builtin(__builtin_assoc_barrier)
#undef OPW_NOT_FUSED
#define OPW_NOT_FUSED(product) __builtin_assoc_barrier(product)
#endif
#endif
/* Accumulators that take turns, in a register while it is decided what comes next: where the decision goes one way and the other,
   compilers leave them in memory, and half of a vector that was only just written there is not read again at once. where: whether
   what is added up lies close; else no vector is written, but its parts. */
#if defined(__AVX__) && defined(__has_builtin) && !defined(__cplusplus) /* g++ 12 takes no index for one */
#if __has_builtin(__builtin_shufflevector)
#define OPW_TURNS(type, n, name) type name __attribute__((vector_size(n * sizeof(type))));
#define OPW_HOLD(where, name, from) \
    do { \
        if (where) \
            memcpy(&name, from, sizeof(name)); \
    } while (0)
#define OPW_HALVE(where, n, to, name) \
    if (where) { \
        const __typeof__(OPW_LOW_##n(name)) opw_low = OPW_LOW_##n(name), opw_high = OPW_HIGH_##n(name); \
        memcpy(to, &opw_low, sizeof(opw_low)); \
        memcpy(to + n / 2, &opw_high, sizeof(opw_high)); \
    }
#define OPW_LOW_16(v) __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7)
#define OPW_HIGH_16(v) __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)
#define OPW_LOW_8(v) __builtin_shufflevector(v, v, 0, 1, 2, 3)
#define OPW_HIGH_8(v) __builtin_shufflevector(v, v, 4, 5, 6, 7)
#define OPW_LOW_4(v) __builtin_shufflevector(v, v, 0, 1)
#define OPW_HIGH_4(v) __builtin_shufflevector(v, v, 2, 3)
#define OPW_LOW_2(v) (v)[0]
#define OPW_HIGH_2(v) (v)[1]
#endif
#endif
/* Sums of n numbers in a vector, where one holds all that take turns; NO_SUMS: of nothing, zeros that are negative, for all signs stay;
   TO_SUMS: what so many elements gave is added. IN_ORDER: a compiler that may reorder would add four of them to one another first, and
   leave the sums in memory. */
#if defined(OPW_TURNS) && defined(__AVX512F__)
#define OPW_SUMS(type, n, name) type name __attribute__((vector_size(n * sizeof(type))))
#define OPW_NO_SUMS(sums) (memset(&(sums), 0, sizeof(sums)), (sums) = -(sums))
#if defined(__RECIPROCAL_MATH__)
#define OPW_SUMS_IN_ORDER 0
#else
#define OPW_SUMS_IN_ORDER 1
#endif
#define OPW_TO_SUMS(sums, from) \
    do { \
        __typeof__(sums) opw_given; \
        memcpy(&opw_given, from, sizeof(opw_given)); \
        sums += opw_given; \
    } while (0)
#endif
#if !defined(OPW_TURNS)
#define OPW_TURNS(type, n, name)
#define OPW_HOLD(where, name, from) (void)0
#define OPW_HALVE(where, n, to, name) (void)0
#endif
/* Computes n elements; p: where each input and output is; s: their strides in bytes. An output is an input's very memory,
   or apart from all. Non-zero: an exception is set. */
typedef int (*opw_inner_fn)(npy_intp n, char *const *p, const npy_intp *s);
/* The same of operands that lie close, each where it is: in registers, for calls of few elements that follow one another. What is stored
   waits for its line, and what a call leaves in memory would wait behind it. */
typedef int (*opw_close_fn)(npy_intp n_how, char *p0, char *p1, char *p2, char *p3, char *p4);
/* How operands lie that are so far apart, as the loop has text for: all close, or some of them numbers; negative: otherwise. */
typedef int (*opw_lies_fn)(const npy_intp *s);
/* Both in one register: there are no more for all. */
#define OPW_N_HOW(n, how) ((n) << 2 | (how))
#define OPW_N_OF(n_how) ((n_how) >> 2)
#define OPW_HOW_OF(n_how) ((int)((n_how) & 3))
#define OPW_ASKING_RUN 2048   /* elements, from which on a run is looked at that could ask for what comes */
#define OPW_ASKING_OPERANDS 5 /* that it has at most */
/* Division by one number, the same for many elements, takes a product and two fused ones (see templates/scalar/over_f.c.tmpl): where
   the processor has them. Products alone are as good where that is asked for. Rows of fewer than SHORT do not gain. LINE: elements of a
   line of an output, or of a part of one, for there are no more than SHORT for sure. */
#if defined(__FMA__) && defined(__AVX2__) && !defined(__RECIPROCAL_MATH__)
#define OPW_PRODUCTS
#define OPW_BY_PRODUCTS opw_by_products
#define OPW_FOLD_GAINS(run, elements) ((run) >= 2 * OPW_PRODUCTS_SHORT && (elements) >= OPW_PRODUCTS_LEAST)
#ifndef OPW_FOLD_BY_PRODUCTS /* what tests, which say so in cflags, want done there */
#define OPW_FOLD_BY_PRODUCTS opw_fold_by_products
#endif
#elif defined(__RECIPROCAL_MATH__)
#define OPW_BY_PRODUCTS opw_by_lines
#define OPW_FOLD_GAINS(run, elements) 1
#define OPW_FOLD_BY_PRODUCTS(n, m, p, s, t, how, acc, inputs, operands, products, exactly) products(n, m, p, s, t, how, acc)
#endif
#define OPW_PRODUCTS_LINE(size) (OPW_LINE / (size) < OPW_PRODUCTS_SHORT ? OPW_LINE / (size) : OPW_PRODUCTS_SHORT)
#ifdef OPW_PRODUCTS
#define OPW_DIVIDES 1
#else
#define OPW_DIVIDES 0
#endif
#define OPW_CHAIN_LEVELS 8 /* of pairs of blocks, of the longest rows (OPW_CHAIN_LONG) */
#ifndef OPW_CHAIN_BEGINS   /* what tests, which say so in cflags, want done where a chain begins */
#define OPW_CHAIN_BEGINS (void)0
#endif
#ifdef OPW_BY_PRODUCTS
#define OPW_ROWS(function) function
#else
#define OPW_ROWS(function) NULL
#endif
#define OPW_PRODUCTS_SHORT 16
#define OPW_PRODUCTS_LEAST 64 /* fewer elements in all do not gain */
#define OPW_NO_ROWS (-1)
/* Rows of n elements, from one on: from a row on, before another; s from element to element, t from row to row. */
typedef void (*opw_from_fn)(npy_intp n, npy_intp from, npy_intp row, npy_intp end, char *const *p, const npy_intp *s, const npy_intp *t, int ahead);
/* How a column of n elements, s apart, lies: close; or so that the next one, t on, does not follow it, and has to be asked for: what a
   processor does not see coming it waits for. Behind LEAPING stands how many columns on (LEAD), of so many elements as are folded while
   memory answers. EXPECT: eight elements from memory. */
#define OPW_CLOSE 1
#define OPW_LEAPING 2
#define OPW_LEAPS_BY(n) (OPW_LEAPING | (int)(1 + 256 / (n)) << 3)
#define OPW_LEAD(how) ((how) >> 3)
#define OPW_LEAPS(n, s, t) ((t) > (n) * (s) && (t) > -(n) * (s))
#if defined(__GNUC__)
#define OPW_EXPECT(p, s) (__builtin_prefetch(p), __builtin_prefetch((p) + 4 * (s)))
#else
#define OPW_EXPECT(p, s) (void)0
#endif
/* How many elements p lies behind a line, or a part of one where n elements are shorter: what is written n at a time from so many before
   it crosses no lines. */
#define OPW_PAST(p, size, n) ((npy_intp)((npy_uint64)(p) % ((n) * (size) < OPW_LINE ? (n) * (size) : OPW_LINE)) / (size))
/* Asks for what a run that lies close comes to so many bytes on, with the runs behind it: a processor's own look ahead ends where
   loads cross lines (processor.c). */
#if defined(__GNUC__)
#define OPW_AHEAD(p, s, bytes) ((s) ? __builtin_prefetch((p) + (bytes)) : (void)0)
#define OPW_AHEAD_CLOSE(p, s, size, bytes) OPW_AHEAD(p, __builtin_constant_p(s) && (s) == (size), bytes) /* if a compiler sees that */
#else
#define OPW_AHEAD(p, s, bytes) (void)0
#define OPW_AHEAD_CLOSE(p, s, size, bytes) (void)0
#endif
#define OPW_LINE 64 /* bytes of a cache line */
#define OPW_MANY 128 /* columns side by side, of which it is worth while to fold those before a line by themselves */
/* How many columns t apart, whose rows are s apart, lie before a line that begins in each row of this operand and of those before it,
   for which they were `first` (OPW_LINE: there was none); 0: no such line begins in all of them. */
#define OPW_BEFORE(first, p, s, t) \
    (!(s) && !(t) ? (first) : (s) % OPW_LINE || (t) <= 0 ? 0 : OPW_AGREED(first, (npy_intp)(-(npy_uint64)(p) % OPW_LINE) / (t)))
#define OPW_AGREED(first, before) ((first) == OPW_LINE || (first) == (before) ? (before) : 0)
/* Elements that are folded between two looks whether more of them can change anything, at most. */
#define OPW_UNTIL 4096
/* Folds into each of m accumulators the n elements of a column, s from one to the next and t from column to column; n and m are at least
   1. how: whether columns side by side are read row by row, not several rows at once (OPW_BY_ROWS); whether there is something in their
   accumulators that these elements are folded into (OPW_MORE); how many bytes ahead columns that lie close ask for lines,
   a multiple of one (OPW_ASKING). */
typedef int (*opw_block_fn)(npy_intp n, npy_intp m, char *const *p, const npy_intp *s, const npy_intp *t, int how, void *acc);
enum { OPW_BY_ROWS = 1, OPW_MORE = 2, OPW_ASKING = -OPW_LINE };
#ifndef OPW_ASKED /* what tests, which say so in cflags, have said of columns that lie close */
#define OPW_ASKED(order) (OPW_CLOSE | ((order) & OPW_ASKING))
#endif
#define OPW_ASKING_COLUMNS 16 /* side by side, between two times that something is asked for */
#define OPW_ASKS(how) ((how) & OPW_CLOSE ? (how) & OPW_ASKING : 0)
/* How many columns are folded at once, by the bytes of one's accumulators: as many as fit into a page. */
#define OPW_ACCUMULATORS 4096
#define OPW_COLUMNS(size) (OPW_ACCUMULATORS / (size) < 256 ? OPW_ACCUMULATORS / (npy_intp)(size) : 256)
/* How many of these are read row by row at once: what is kept of them stays in a cache of the processor's own. */
#define OPW_FAR_COLUMNS 32768
/* What integers do not mark in the processor's status word, as NumPy does: of divisions, and of halves. They give 0. */
OPW_INLINE int opw_by_zero(void)
{
    volatile double zero = 0;
    zero = 1 / zero;
    return 0;
}
OPW_INLINE int opw_overflows(void)
{
    volatile double huge = 1e308;
    huge *= huge;
    return 0;
}
OPW_INLINE int opw_underflows(void)
{
    volatile double tiny = 1e-308;
    tiny *= tiny;
    return 0;
}
/* An element's place among those that are folded together goes with the operands' pointers, of which none is so small. */
#define OPW_NO_PLACE ((char *)4096)
#define OPW_PLACE(p) ((npy_intp)((p) - OPW_NO_PLACE))
/* A loop that is run in stages, each for a block of elements before the next one is. A piece finds its operands at the places that
   `where` lists: those of the loop, then slots; they lie close, and those that are read hold a whole vector, of which what is
   behind the last element is filled with the first. status: as of a loop. */
#define OPW_WHOLE(n) (((n) + 7) & ~(npy_intp)7)
typedef int (*opw_stage_fn)(npy_intp n, char *const *at, const opw_figure *where);
typedef struct {
    int inputs, operands, slots, stages;
    int exact;                 /* no piece computes more elements than there are */
    npy_intp block, width;     /* elements of one, at most; the bytes that one takes in all slots */
    npy_uint64 reads;          /* a bit for each input that pieces read */
    const opw_figure *sizes;   /* of an element of each operand, in bytes; 0: an input without dimensions */
    const opw_figure *slot_sizes;
    const opw_stage_fn *pieces;
    const opw_figure *order;   /* of each stage which of the pieces it runs, and where its places begin */
    const opw_figure *where;
} opw_stages;
#ifdef __cplusplus
extern "C" {
#endif
/* Rows of n elements, t from row to row, of `all` in all. products: what something was out of range in, which the status word tells, it has not yet
   right; exactly: it has, n elements of one row. An output in the place of an input is not written twice. */
OPW_SHARED int opw_by_products(npy_intp n, npy_intp rows, npy_intp all, char *const *p, const npy_intp *s, const npy_intp *t, int inputs,
                               int operands, opw_from_fn products, opw_inner_fn exactly);
/* The same where products are as good as quotients. */
OPW_SHARED int opw_by_lines(npy_intp n, npy_intp rows, npy_intp all, char *const *p, const npy_intp *s, const npy_intp *t, int inputs,
                            int operands, opw_from_fn products, opw_inner_fn exactly);
/* The same for a block of columns that fold. */
OPW_SHARED int opw_fold_by_products(npy_intp n, npy_intp m, char *const *p, const npy_intp *s, const npy_intp *t, int how, void *acc,
                                    int inputs, int operands, opw_block_fn products, opw_block_fn exactly);
/* Runs rows of n elements, t from row to row, of `all` in all, of operands that lie close, or are one number: part by part, asking for what comes before
   each, where that pays. */
OPW_SHARED int opw_run_asking(npy_intp n, npy_intp rows, npy_intp all, opw_close_fn close, int how, char *const *p, const npy_intp *s,
                              const npy_intp *t, int operands);
/* Runs n elements of a loop of stores. */
OPW_SHARED int opw_run_stages(const opw_stages *w, npy_intp n, char *const *p, const npy_intp *s);
/* Runs a block, rows of n elements which are t apart: what waits for the rest of the loop is left in the slots, whole blocks one after
   the other in `room`, there row behind row. */
OPW_SHARED int opw_fill_stages(const opw_stages *w, npy_intp n, npy_intp rows, const char *const *p, const npy_intp *s, const npy_intp *t,
                               char *room);
#ifdef __cplusplus
}
#endif
