/* How columns are folded of which neither one nor several side by side are near: many at once, row by row through all of them. */
/* ---- columns whose elements lie far apart ------------------------------------------------------------------------------ */

#define OPW_FAR_ITEMS 32 /* sets of columns side by side that are folded at once: what is kept of them stays in a near cache */
#define OPW_FAR_ROWS 4   /* that are read before the next columns are, where so many are folded before they meet the accumulators */

/* The accumulators of a set. Such sets do not all lie in the same part of a cache. */
typedef struct {
    opw_accumulators acc;
    char apart[64];
} opw_far_set;

/* Sets of columns, and room for what is folded of them: for each as many accumulators as there are halvings of a column, and one. */
typedef struct {
    const opw_folding *f;
    int items, rows; /* how many of the rows are read before the next columns */
    npy_intp m[OPW_FAR_ITEMS];
    char *p[OPW_FAR_ITEMS][OPW_MAX_OPERANDS];
    opw_far_set sets[]; /* those of each item, then those that the first halving wants, and so on */
} opw_far;

/* How often a column is halved, at most. */
static int opw_depth(npy_intp count, npy_intp chunk)
{
    int depth = 0;
    for (; chunk && count > chunk; depth++)
        count -= opw_half(count, -1);
    return depth;
}

/* Room for columns of so many elements; NULL: there is none. It is asked for without the GIL. */
static opw_far *opw_new_far(const opw_folding *f, int rows)
{
    int depth = opw_depth(f->gone->dims[0], f->fold->chunk[1]);
    opw_far *far = (opw_far *)PyMem_RawMalloc(sizeof(opw_far) + sizeof(opw_far_set) * (size_t)(OPW_FAR_ITEMS * (depth + 1)));
    if (far)
        far->f = f, far->items = 0, far->rows = rows;
    return far;
}

/* Folds count elements of all columns, from `first` on, as opw_fold_line folds those of one set: the same are added, in the
   same order. */
static int opw_fold_far(const opw_far *far, npy_intp first, npy_intp count, opw_far_set *sets)
{
    const opw_folding *f = far->f;
    const npy_intp *s = f->gone->strides[0];
    npy_intp chunk = f->fold->chunk[1], half = opw_half(count, -1), i, n;
    char *q[OPW_MAX_OPERANDS];
    int k, status = 0;
    if (!chunk || count <= chunk) {
        for (i = 0; i < count; i += n) {
            n = count - i < far->rows ? count - i : far->rows;
            for (k = 0; k < far->items && !status; k++) {
                opw_moved(far->p[k], s, first + i, f->gone->operands, q);
                status = f->fold->blocks[1](n, far->m[k], q, s, f->t, i ? OPW_MORE : 0, sets[k].acc.bytes);
            }
            if (status)
                return status;
        }
        return 0;
    }
    if ((status = opw_fold_far(far, first, half, sets)) ||
        (status = opw_fold_far(far, first + half, count - half, sets + OPW_FAR_ITEMS)))
        return status;
    for (k = 0; k < far->items && !status; k++)
        status = f->fold->join(sets[k].acc.bytes, sets[OPW_FAR_ITEMS + k].acc.bytes, 0, far->m[k]);
    return status;
}

/* Folds what columns there are, and fills their outputs, the operands from `out` on. */
static int opw_fill_far(opw_far *far, int out)
{
    const opw_folding *f = far->f;
    int k, status = far->items ? opw_fold_far(far, 0, f->gone->dims[0], far->sets) : 0;
    for (k = 0; k < far->items && !status; k++)
        f->fold->store(far->sets[k].acc.bytes, far->m[k], far->p[k] + out, f->t + out);
    far->items = 0;
    return status;
}

/* Takes m columns more, n operands at p. Whether they are as many as may be. */
static int opw_add_far(opw_far *far, npy_intp m, char *const *p, int n)
{
    far->m[far->items] = m;
    memcpy(far->p[far->items], p, sizeof(*p) * (size_t)n);
    return ++far->items == OPW_FAR_ITEMS;
}
