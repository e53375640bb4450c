/* How columns are folded of which neither one nor several side by side are near: many at once, row by row through all of them. */
/* ---- columns whose elements lie far apart ------------------------------------------------------------------------------ */

#define OPW_FAR_ITEMS (OPW_FAR_COLUMNS / 256) /* sets of columns side by side that are folded at once */
#define OPW_FAR_ROWS 4 /* that are read before the next columns are, where so many are folded before they meet the accumulators */

/* Columns side by side, and their accumulators. */
typedef struct {
    npy_intp m;
    char *acc;
    char *p[OPW_MAX_OPERANDS];
} opw_far_item;

/* Columns, and room for what is folded of them: as many levels of accumulators as there are halvings of a column, and one. */
typedef struct {
    const opw_folding *f;
    int items, rows;      /* how many of the rows are read before the next columns */
    npy_intp sets, most;  /* how many are taken; that there is room for */
    npy_intp size, level; /* bytes of the accumulators of a set; of a level */
    char *first;
    opw_far_item all[OPW_FAR_ITEMS];
} opw_far;

/* How often a column is halved, at most. */
static int opw_depth(npy_intp count, npy_intp chunk)
{
    int depth = 0;
    for (; chunk && count > chunk; depth++)
        count -= opw_half(count, -1);
    return depth;
}

/* Room for so many sets of columns; NULL: there is none. It is asked for without the GIL. */
static opw_far *opw_new_far(const opw_folding *f, npy_intp sets)
{
    const opw_fold *fold = f->fold;
    npy_intp most = sets < OPW_FAR_ITEMS ? sets : OPW_FAR_ITEMS, levels = opw_depth(f->gone->dims[0], fold->chunk[1]) + 1;
    /* several accumulators of a column fill a page: such sets do not all lie in the same part of a cache */
    npy_intp size = fold->alone ? fold->alone * fold->width : OPW_ACCUMULATORS + OPW_LINE;
    opw_far *far = (opw_far *)PyMem_RawMalloc(sizeof(opw_far) + (size_t)(levels * most * size) + OPW_LINE);
    if (far) {
        far->f = f, far->items = 0, far->rows = f->order & OPW_BY_ROWS ? 1 : OPW_FAR_ROWS;
        far->sets = 0, far->most = most, far->size = size, far->level = most * size;
        far->first = (char *)(far + 1) + OPW_LINE - (uintptr_t)(far + 1) % OPW_LINE;
    }
    return far;
}

/* Folds count rows of all columns, from `first` on, into the accumulators of a level, as opw_fold_line folds those of one set: the same
   are added, in the same order. */
static int opw_fold_far(const opw_far *far, npy_intp first, npy_intp count, npy_intp level)
{
    const opw_folding *f = far->f;
    const npy_intp *s = f->gone->strides[0];
    npy_intp chunk = f->fold->chunk[1], half = opw_half(count, -1), i, n;
    char *q[OPW_MAX_OPERANDS];
    const opw_far_item *item, *end = far->all + far->items;
    int status = 0;
    if (!chunk || count <= chunk) {
        for (i = 0; i < count && !status; i += n) {
            n = count - i < far->rows ? count - i : far->rows;
            for (item = far->all; item < end && !status; item++) {
                opw_moved(item->p, s, first + i, f->gone->operands, q);
                status = f->fold->blocks[1](n, item->m, q, s, f->t, f->order | (i ? OPW_MORE : 0), item->acc + level);
            }
        }
        return status;
    }
    if ((status = opw_fold_far(far, first, half, level)) ||
        (status = opw_fold_far(far, first + half, count - half, level + far->level)))
        return status;
    for (item = far->all; item < end && !status; item++)
        status = f->fold->join(item->acc + level, item->acc + level + far->level, 0, item->m);
    return status;
}

/* Folds what columns there are, and fills their outputs. */
static int opw_fill_far(opw_far *far)
{
    const opw_folding *f = far->f;
    int k, status = far->items ? opw_fold_far(far, 0, f->gone->dims[0], 0) : 0;
    for (k = 0; k < far->items && !status; k++)
        f->fold->store(far->all[k].acc, far->all[k].m, far->all[k].p, f->t);
    far->items = 0, far->sets = 0;
    return status;
}

/* Whether n operands at p follow an item, which a block takes them with. */
static int opw_follow(const opw_folding *f, const opw_far_item *item, char *const *p, int n)
{
    int k;
    for (k = 0; k < n && f->fold->alone && item->m % f->fold->width == 0; k++)
        if (p[k] != item->p[k] + item->m * f->t[k])
            return 0;
    return k == n;
}

/* Takes m columns more, a set of them at most, n operands at p. Whether they are as many as may be. */
static int opw_add_far(opw_far *far, npy_intp m, char *const *p, int n)
{
    opw_far_item *item = far->all + far->items;
    if (far->items && opw_follow(far->f, item - 1, p, n))
        item[-1].m += m;
    else {
        item->m = m, item->acc = far->first + far->sets * far->size, far->items++;
        memcpy(item->p, p, sizeof(*p) * (size_t)n);
    }
    return ++far->sets == far->most;
}
