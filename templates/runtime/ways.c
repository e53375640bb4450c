/* Which way a loop folds columns: by where its operands lie. */
/* ---- ways of folding ---------------------------------------------------------------------------------------------- */

#define OPW_SHORT_RUN 32  /* elements that are folded across columns, where neither lie close */
#define OPW_MANY_COLUMNS 16
#define OPW_LONG_RUN 2048 /* elements that are folded as several columns, where that pays: */
#define OPW_NEAR (1 << 20) /* in chunks, as many bytes as a near cache holds; memory is better read in order */
#define OPW_FAR (1 << 23)  /* as many bytes that no cache near holds: rows of so many columns are read one after the other */
#define OPW_BEYOND (1 << 26) /* as many that come from memory for sure */
#define OPW_LONG_ROW 64
#define OPW_OWN_ROW (5 * OPW_LINE) /* bytes of each of several inputs' rows, from which on they are read by themselves */
#define OPW_WHOLE_ROW (3 << 12) /* bytes from which on a processor may fetch ahead of several rows of each */
#define OPW_SHORT_ROWS 8 /* sets of columns whose accumulators a near cache holds beside a row of each input */
#define OPW_SPREAD (1 << 17) /* bytes that short columns lie in which are folded at once, where a near cache loses them */
#define OPW_ASKING_ROW (12 * OPW_LINE)
#define OPW_ITEM (1 << 16) /* elements that are folded before the outputs are filled, columns one after the other */
#define OPW_OWN_COLUMN 512 /* elements of one that is folded by itself, where they are no one run */
#define OPW_GAP 256 /* bytes that a processor passes over which fetches ahead */

/* The operands of a loop that folds: inputs, what is stored of each element, its place, what is folded. */
typedef struct {
    opw_operand all[OPW_MAX_OPERANDS]; /* of the place, data is OPW_NO_PLACE */
    int n, inputs, blocks;             /* all; the inputs; those of a block, without what is folded */
} opw_operands;

/* How far apart in memory the inputs' neighbours along an axis lie. */
static npy_intp opw_apart(const opw_axes *axes, int axis, int inputs)
{
    npy_intp sum = 0;
    int k;
    for (k = 0; k < inputs; k++)
        sum += opw_size(axes->strides[axis][k]);
    return sum;
}

/* Whether elements along an axis lie as the loop has text for. */
static int opw_is_close(const opw_loop *work, const opw_operands *list, const opw_axes *axes, int axis)
{
    int k;
    for (k = 0; k < axes->operands; k++)
        if (axes->strides[axis][k] != (k < work->inputs && work->numbers >> k & 1 ? 0 : list->all[k].size))
            return 0;
    return 1;
}

/* Whether to fold long runs, n elements in all, as if they were several columns: sums, whose turns wait for one another. */
static int opw_is_wide(const opw_loop *work, const opw_operands *list, const opw_axes *gone, npy_intp n)
{
    int last = gone->n - 1;
    return gone->dims[last] >= OPW_LONG_RUN && opw_is_close(work, list, gone, last) &&
           work->fold->chunk[1] && n * opw_apart(gone, last, work->inputs) <= OPW_NEAR;
}

/* Whether compilers make vectors of the text for one row: of what is larger or smaller not, where a choice takes several instructions. */
#if (defined(__x86_64__) || defined(__i386__)) && !defined(__SSE4_1__)
#define OPW_ONE_ROW(fold) ((fold)->chunk[1] != 0)
#else
#define OPW_ONE_ROW(fold) 1
#endif

/* How many inputs have elements of their own along an axis. */
static int opw_moving(const opw_loop *work, const opw_axes *axes, int axis)
{
    int k, moving = 0;
    for (k = 0; k < work->inputs; k++)
        moving += axes->strides[axis][k] != 0;
    return moving;
}

/* How many of so many columns are folded at once: whole rows, where their accumulators fit, and blocks take any number. */
static npy_intp opw_width(const opw_fold *fold, npy_intp columns)
{
    return fold->wide && fold->alone && columns * fold->alone <= OPW_ACCUMULATORS ? columns : fold->width;
}

/* How many positions axes have. */
static npy_intp opw_elements_of(const opw_axes *axes)
{
    npy_intp n = 1;
    int i;
    for (i = 0; i < axes->n; i++)
        n *= axes->dims[i];
    return n;
}

/* How many columns one after the other make an item: memory is read in order where each is folded to its end before the next one begins,
   and an item of few elements takes as long as its work. */
static npy_intp opw_width_of(const opw_fold *fold, const opw_axes *gone)
{
    npy_intp width = OPW_ITEM / opw_elements_of(gone);
    return width < 1 ? 1 : width < fold->width ? width : fold->width;
}

/* Whether short runs are folded as if they were columns: of the one column there is, and of each that is long; then none is folded with
   others, for all are added up in one order, wherever they stand. */
static int opw_goes_in_runs(const opw_axes *kept, const opw_axes *gone)
{
    return gone->n > 1 && (opw_elements_of(kept) == 1 || opw_elements_of(gone) >= OPW_OWN_COLUMN);
}

/* Whether columns, of n elements in all, are of what is larger or smaller of several inputs, of which more comes from memory than any cache
   has. */
static int opw_is_beyond(const opw_loop *work, const opw_axes *kept, const opw_axes *gone, npy_intp n)
{
    return !work->fold->chunk[1] && n * opw_apart(kept, kept->n - 1, work->inputs) > OPW_BEYOND && opw_moving(work, gone, gone->n - 1) > 1;
}

/* Whether columns, of n elements in all, are best read row by row: from memory, in short rows of which each follows the one before,
   for a processor that sees one stretch fetches ahead, and one that sees several in a page does not; and from anywhere, whole rows of
   several inputs: several rows of each at once read from too many places for what they save the accumulators, where a processor minds; or
   rows of any length of what is larger or smaller, of which more comes from memory than any cache has. */
static int opw_is_by_rows(const opw_loop *work, const opw_axes *kept, const opw_axes *gone, npy_intp n)
{
    npy_intp columns = kept->dims[kept->n - 1], apart = opw_apart(kept, kept->n - 1, work->inputs);
    const int last = gone->n - 1, far = n * apart > OPW_FAR, several = opw_moving(work, gone, last) > 1;
    if (far && opw_apart(gone, last, work->inputs) - columns * apart > OPW_GAP * work->inputs)
        return 0;
    if (several && !work->fold->chunk[1] && columns * apart >= OPW_WHOLE_ROW * work->inputs && opw_reads_apart())
        return 0;
    if (several && OPW_ONE_ROW(work->fold) && columns <= opw_width(work->fold, columns) && columns * apart >= OPW_OWN_ROW * work->inputs)
        return 1;
    if (columns >= OPW_LONG_ROW && opw_is_beyond(work, kept, gone, n))
        return 1;
    return far && columns >= OPW_LONG_ROW && columns <= (gone->n == 1 ? OPW_SHORT_ROWS : 1) * work->fold->width;
}

/* Whether columns, of n elements in all, are best read row by row through many of them: from memory, where the next ones lie nearer
   than the next row. */
static int opw_is_far(const opw_loop *work, const opw_axes *kept, const opw_axes *gone, npy_intp n)
{
    npy_intp width = work->fold->width, columns = kept->dims[kept->n - 1], apart = opw_apart(kept, kept->n - 1, work->inputs);
    if (gone->n != 1 || columns < OPW_LONG_ROW || n * apart <= OPW_FAR || (columns <= width && kept->n == 1))
        return 0;
    return opw_apart(gone, 0, work->inputs) > (columns > width ? width * apart : opw_apart(kept, kept->n - 2, work->inputs));
}

/* Whether inputs lie close along an axis, or are one number there. */
static int opw_is_along(const opw_loop *work, const opw_operands *list, const opw_axes *axes, int axis)
{
    int k, close = 0;
    for (k = 0; k < work->inputs; k++) {
        if (axes->strides[axis][k] && axes->strides[axis][k] != list->all[k].size)
            return 0;
        close |= axes->strides[axis][k] != 0;
    }
    return close;
}

/* Whether columns of n elements, `all` in all, are best not folded side by side: from memory, where a line that one element was read from
   is no longer near when the next is. What has lines of its own is read once anyhow, and so is what no turn is taken for. */
static int opw_is_spread(const opw_loop *work, const opw_axes *kept, const opw_axes *gone, npy_intp n, npy_intp all)
{
    npy_intp apart = opw_apart(gone, gone->n - 1, work->inputs);
    return n >= OPW_SHORT_RUN / 4 && apart < OPW_LINE * work->inputs && all * apart > OPW_FAR &&
           work->fold->width * opw_apart(kept, kept->n - 1, work->inputs) >= OPW_SPREAD;
}

/* Whether to fold columns side by side, of `all` elements in all: where neighbours among what is kept lie closer than those among what
   goes, or runs are short and do not lie close. */
static int opw_is_beside(const opw_loop *work, const opw_operands *list, const opw_axes *kept, const opw_axes *gone, npy_intp all)
{
    const npy_intp n = opw_elements_of(gone);
    if (!kept->n || opw_apart(kept, kept->n - 1, work->inputs) < opw_apart(gone, gone->n - 1, work->inputs))
        return kept->n > 0;
    return n <= OPW_SHORT_RUN && kept->dims[kept->n - 1] >= OPW_MANY_COLUMNS && !opw_is_close(work, list, gone, gone->n - 1) &&
           (n <= OPW_SHORT_RUN / 2 || !opw_is_along(work, list, gone, gone->n - 1)) && !opw_is_spread(work, kept, gone, n, all);
}

/* How many bytes on a run that is folded, n elements in all, asks for what comes; 0: not at all. On Zen 5 several inputs are asked for
   where caches hold twice as much and runs are long, and otherwise take more time than that saves; one is, but in rows of a few lines. On
   Xeons sums always are; what is larger or smaller, which goes in order, took an eighth more, and of two inputs two fifths, from where
   the second cache ends. */
static int opw_asks_ahead(const opw_loop *work, const opw_axes *gone, npy_intp n)
{
    const int last = gone->n - 1, several = opw_moving(work, gone, last) > 1;
    const npy_intp apart = opw_apart(gone, last, work->inputs), bytes = n * apart;
    const int ahead = opw_ahead_of(bytes);
    if (!opw_folds_ask())
        return 0;
    if (opw_is_intel())
        return bytes > OPW_SECOND && !work->fold->chunk[1] ? 0 : several ? OPW_AHEAD_NEAR : ahead;
    if (several)
        return 2 * bytes <= OPW_MEMORY && gone->dims[last] >= OPW_LONG_RUN ? ahead : 0;
    return bytes > OPW_MEMORY || gone->dims[last] * apart >= OPW_ASKING_ROW ? ahead : 0;
}

/* The same of columns side by side: of those that are beyond any cache, row by row, on Intel's. On a Xeon that took a twentieth off. */
static int opw_asks_beside(const opw_loop *work, const opw_axes *kept, const opw_axes *gone, npy_intp n, int order)
{
    return order & OPW_BY_ROWS && opw_is_intel() && opw_is_beyond(work, kept, gone, n) ? OPW_STORES_AHEAD : 0;
}
