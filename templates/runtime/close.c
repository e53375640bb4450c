/* Loops of stores over operands that lie close: one run of all elements. */
/* ---- one run ------------------------------------------------------------------------------------------------------- */

/* Runs n elements of operands that are contiguous, or one number throughout, where it is worth while to pack the numbers. */
__attribute__((noinline)) static int opw_pack_numbers(const opw_loop *work, npy_intp n, char **p, const npy_intp *s)
{
    opw_axes axes;
    int status;
    axes.n = 1;
    axes.operands = work->inputs + work->outputs;
    axes.dims[0] = n;
    memcpy(axes.strides[0], s, sizeof(npy_intp) * (size_t)axes.operands);
    status = opw_run_packed(work, &axes, n, p);
    return status == OPW_AS_IT_IS ? opw_run_inner(work, n, p, s) : status;
}

#define OPW_LINE_WORTH 16384 /* bytes of an output, from which on it is worth while to begin at a line */

/* How many elements lie before a line that begins in all operands at once; 0: none do, there is no such, or they are too few. */
static npy_intp opw_before_line(const opw_loop *work, npy_intp n, char *const *p, const npy_intp *s)
{
    npy_intp first = OPW_LINE;
    int k;
    if (!work->inner || n * s[work->inputs] < OPW_LINE_WORTH)
        return 0;
    for (k = 0; k < work->inputs + work->outputs; k++)
        first = OPW_BEFORE(first, p[k], 0, s[k]);
    return first;
}

/* Runs n elements of operands that are contiguous, or one number throughout. Vectors that cross lines take up to half as long again: where
   all would, as in memory that begins pages, the few elements before a line are computed first. */
__attribute__((noinline)) static int opw_run_by_lines(const opw_loop *work, npy_intp n, char *const *p, const npy_intp *s)
{
    const npy_intp first = opw_before_line(work, n, p, s);
    char *q[OPW_MAX_OPERANDS];
    int status;
    if (first && (status = opw_run_inner(work, first, p, s)))
        return status;
    opw_moved(p, s, first, work->inputs + work->outputs, q);
    return opw_run_inner(work, n - first, q, s);
}

/* Runs n elements of operands that are contiguous, or, where `shaped` has no bit for an input, one number throughout. lines: beginning at
   one, where that is worth while. */
OPW_INLINE int opw_run_these(const opw_loop *work, npy_intp n, npy_uint64 shaped, int lines, char **p, const npy_intp *s)
{
    if (n < OPW_PACK_NUMBERS)
        return n ? opw_run_inner(work, n, p, s) : 0;
    if (work->inputs > 2 && (shaped | work->numbers) != ~(npy_uint64)0 >> (64 - work->inputs))
        return opw_pack_numbers(work, n, p, s);
    return lines ? opw_run_by_lines(work, n, p, s) : opw_run_inner(work, n, p, s);
}

/* The same in parts. */
typedef struct {
    opw_shares shares;
    npy_intp n, each;
    npy_uint64 shaped;
    int lines, past; /* how an output that goes past the caches lies with what it is of; -1: it does not go so */
    char *const *p;
    const npy_intp *s;
} opw_numbers;

static int opw_run_numbers_part(opw_shares *shares, npy_intp i)
{
    const opw_numbers *all = (const opw_numbers *)(const void *)shares;
    const opw_loop *work = shares->work;
    npy_intp first = i * all->each, n = all->n - first < all->each ? all->n - first : all->each;
    char *p[OPW_MAX_OPERANDS];
    opw_moved(all->p, all->s, first, work->inputs + work->outputs, p);
    if (all->past >= 0)
        return opw_run_past(work, n, all->past, p, all->s);
    return opw_run_these(work, n, all->shaped, all->lines, p, all->s);
}

OPW_APART static int opw_run_many_numbers(const opw_loop *work, npy_intp n, npy_uint64 shaped, char **p, const npy_intp *s)
{
    opw_numbers all = {{work, opw_run_numbers_part, {0, NULL, NULL, NULL}}, n, opw_share_of(work, n, 1), shaped, 1, -1, p, s};
    all.lines = !opw_is_left_alone(opw_traffic(n, s, work->inputs + work->outputs));
    all.past = opw_goes_past(work, n, p, s);
    return opw_share_out(&all.shares, opw_parts_of(n, all.each));
}

OPW_INLINE int opw_run_numbers(const opw_loop *work, npy_intp n, npy_uint64 shaped, char **p, const npy_intp *s)
{
    return opw_is_worth(work, n) ? opw_run_many_numbers(work, n, shaped, p, s) : opw_run_these(work, n, shaped, 1, p, s);
}

#define OPW_LANE_LINED 4096 /* bytes of an output, from which on it is worth while to begin at a line where some may be computed twice */

/* Runs some elements of a lane's loop. */
OPW_INLINE int opw_run_close(const opw_lane *lane, npy_intp n, npy_intp from, char *const *p)
{
    const npy_intp *s = lane->strides;
    return lane->loop->close(OPW_N_HOW(n, lane->how), p[0] + from * s[0], p[1] + from * s[1], p[2] + from * s[2], p[3] + from * s[3],
                             p[4] + from * s[4]);
}

/* The same from a line of the output on. What lies before it is computed as if it were one, so that some is computed twice. On a Xeon
   1,000 doubles in the nearest cache took up to a third longer where stores crossed lines, loads that cross them a tenth. */
__attribute__((noinline)) static int opw_run_from_line(const opw_lane *lane, npy_intp n, char *const *p)
{
    const npy_intp first = (npy_intp)(-(npy_uint64)p[lane->loop->inputs] % OPW_LINE >> lane->shift);
    int status;
    if (!first)
        return opw_run_close(lane, n, 0, p);
    if ((status = opw_run_close(lane, OPW_LINE >> lane->shift, 0, p)))
        return status;
    return opw_run_close(lane, n - first, first, p);
}

/* Runs the loop of a lane: a few elements straight away, where it has text for operands that lie so. */
OPW_INLINE int opw_run_in_lane(const opw_lane *lane, npy_intp n, char **p)
{
    if (n < lane->few)
        return n < lane->lined ? opw_run_close(lane, n, 0, p) : opw_run_from_line(lane, n, p);
    return opw_run_numbers(lane->loop, n, lane->shaped, p, lane->strides);
}
