/* Rows whose elements are divided by products, a run at a time; and exactly, where that was out of range. */
#if defined(__SSE2__)
/* ---- products ----------------------------------------------------------------------------------------------------- */

/* LEAST: fewer elements do not gain; RUN: as many are divided before it is seen that one of them is out of range. These are computed
   again, and some more: what is out of range may come often. No run leaves so few that they were none. */
#define OPW_PRODUCTS_LEAST 64
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

/* To change the status word takes as long as a hundred elements: it is done where there are marks. */
int opw_by_products(npy_intp n, npy_intp rows, char *const *p, const npy_intp *s, const npy_intp *t, int inputs, int operands,
                    opw_from_fn products, opw_inner_fn exactly)
{
    unsigned int word, clear, marks;
    npy_intp from, run, row, end, most;
    int i, j, over = n < OPW_PRODUCTS_SHORT || n * rows < OPW_PRODUCTS_LEAST;
    for (i = 0; i < inputs; i++)
        for (j = inputs; j < operands; j++)
            over |= p[i] == p[j];
    if (over || !opw_tells(word = __builtin_ia32_stmxcsr())) {
        opw_rows_exactly(exactly, n, 0, 0, rows, p, s, t, operands);
        return 0;
    }
    clear = word & ~OPW_MARKS;
    marks = word & OPW_MARKS;
    if (marks)
        __builtin_ia32_ldmxcsr(clear);
    most = n < OPW_PRODUCTS_RUN ? OPW_PRODUCTS_RUN / n : 1;
    for (row = 0; row < rows; row = end) {
        from = 0;
        do {
            end = rows - row < most ? rows : row + most;
            run = n - from < 2 * OPW_PRODUCTS_RUN ? n - from : OPW_PRODUCTS_RUN;
            products(run, from, row, end, p, s, t);
            if (OPW_MOSTLY(!(__builtin_ia32_stmxcsr() & OPW_MARKS)))
                continue;
            if (run == n)
                end = rows - row < 8 * most ? rows : row + 8 * most;
            run = n - from < 9 * OPW_PRODUCTS_RUN ? n - from : 8 * OPW_PRODUCTS_RUN;
            __builtin_ia32_ldmxcsr(clear);
            opw_rows_exactly(exactly, run, from, row, end, p, s, t, operands);
            marks |= __builtin_ia32_stmxcsr() & OPW_MARKS;
            __builtin_ia32_ldmxcsr(clear);
        } while ((from += run) < n);
    }
    if (marks & ~OPW_MARK_READ)
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | marks);
    return 0;
}
#endif
