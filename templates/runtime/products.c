/* Rows whose elements are divided by products, a run at a time; and exactly, where that was out of range. */
/* ---- products ----------------------------------------------------------------------------------------------------- */

/* Whether an output is an input's memory. */
static int opw_over_inputs(char *const *p, int inputs, int operands)
{
    int i, j, over = 0;
    for (i = 0; i < inputs; i++)
        for (j = inputs; j < operands; j++)
            over |= p[i] == p[j];
    return over;
}

static void opw_rows_exactly(opw_inner_fn exactly, npy_intp n, npy_intp from, npy_intp row, npy_intp end, char *const *p, const npy_intp *s,
                             const npy_intp *t, int operands)
{
    char *q[OPW_MAX_OPERANDS];
    for (; row < end; row++) {
        opw_moved(p, t, row, operands, q);
        opw_moved(q, s, from, operands, q);
        exactly(n, q, s);
    }
}

int opw_by_lines(npy_intp n, npy_intp rows, npy_intp all, char *const *p, const npy_intp *s, const npy_intp *t, int inputs, int operands,
                 opw_from_fn products, opw_inner_fn exactly)
{
    if (n < OPW_PRODUCTS_SHORT || opw_over_inputs(p, inputs, operands))
        opw_rows_exactly(exactly, n, 0, 0, rows, p, s, t, operands);
    else
        products(n, 0, 0, rows, p, s, t, opw_stores_ahead(opw_traffic(all, s, operands)));
    return 0;
}

#if defined(__SSE2__)
/* RUN: as many are divided before it is seen that one of them is out of range. These are computed again, and some more: what is out of
   range may come often. No run leaves so few that they were none. */
#define OPW_PRODUCTS_RUN 2048
/* The status word's marks, of which one, that a number read was not normal, is nobody's; and that a number was rounded. */
#define OPW_MARKS 0x1fu
#define OPW_MARK_READ 0x2u
#define OPW_ROUNDED 0x20u

/* Whether the status word tells of what is computed: what stands for a processor may leave it as it is. */
static int opw_tells(unsigned int word)
{
    volatile double third = 3;
    if (word & OPW_ROUNDED)
        return 1;
    third = 1 / third;
    return (__builtin_ia32_stmxcsr() & OPW_ROUNDED) != 0;
}

/* What is computed while the status word is watched: the word as it would be without marks, and the marks that it had, or that came of
   what was computed again. To change the word takes as long as a hundred elements: it is done where there are marks. */
typedef struct { unsigned int clear, marks; } opw_watch;

/* 0: the status word does not tell. */
static int opw_begin_watch(opw_watch *watch)
{
    const unsigned int word = __builtin_ia32_stmxcsr();
    if (!opw_tells(word))
        return 0;
    watch->clear = word & ~OPW_MARKS;
    watch->marks = word & OPW_MARKS;
    if (watch->marks)
        __builtin_ia32_ldmxcsr(watch->clear);
    return 1;
}

/* Whether nothing was out of range. */
OPW_INLINE int opw_unmarked(void) { return !(__builtin_ia32_stmxcsr() & OPW_MARKS); }

static void opw_clear_marks(const opw_watch *watch) { __builtin_ia32_ldmxcsr(watch->clear); }

/* Takes the marks of what was computed again. */
static void opw_take_marks(opw_watch *watch)
{
    watch->marks |= __builtin_ia32_stmxcsr() & OPW_MARKS;
    opw_clear_marks(watch);
}

static void opw_end_watch(const opw_watch *watch)
{
    if (watch->marks & ~OPW_MARK_READ)
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | watch->marks);
}

int opw_by_products(npy_intp n, npy_intp rows, npy_intp all, char *const *p, const npy_intp *s, const npy_intp *t, int inputs, int operands,
                    opw_from_fn products, opw_inner_fn exactly)
{
    opw_watch watch;
    const int ahead = opw_stores_ahead(opw_traffic(all, s, operands));
    npy_intp from, run, row, end, most;
    if (n < OPW_PRODUCTS_SHORT || n * rows < OPW_PRODUCTS_LEAST || opw_over_inputs(p, inputs, operands) || !opw_begin_watch(&watch)) {
        opw_rows_exactly(exactly, n, 0, 0, rows, p, s, t, operands);
        return 0;
    }
    most = n < OPW_PRODUCTS_RUN ? OPW_PRODUCTS_RUN / n : 1;
    for (row = 0; row < rows; row = end) {
        from = 0;
        do {
            end = rows - row < most ? rows : row + most;
            run = n - from < 2 * OPW_PRODUCTS_RUN ? n - from : OPW_PRODUCTS_RUN;
            products(run, from, row, end, p, s, t, ahead);
            if (OPW_MOSTLY(opw_unmarked()))
                continue;
            if (run == n)
                end = rows - row < 8 * most ? rows : row + 8 * most;
            run = n - from < 9 * OPW_PRODUCTS_RUN ? n - from : 8 * OPW_PRODUCTS_RUN;
            opw_clear_marks(&watch);
            opw_rows_exactly(exactly, run, from, row, end, p, s, t, operands);
            opw_take_marks(&watch);
        } while ((from += run) < n);
    }
    opw_end_watch(&watch);
    return 0;
}

int opw_fold_by_products(npy_intp n, npy_intp m, char *const *p, const npy_intp *s, const npy_intp *t, int how, void *acc, int inputs,
                         int operands, opw_block_fn products, opw_block_fn exactly)
{
    opw_watch watch;
    int status;
    if (opw_over_inputs(p, inputs, operands) || !opw_begin_watch(&watch))
        return exactly(n, m, p, s, t, how, acc);
    if (!(status = products(n, m, p, s, t, how, acc)) && !OPW_MOSTLY(opw_unmarked())) {
        opw_clear_marks(&watch);
        status = exactly(n, m, p, s, t, how, acc);
        opw_take_marks(&watch);
    }
    opw_end_watch(&watch);
    return status;
}
#endif
