/* How columns are folded: in chunks that are halved for pairwise sums, several at once where that pays. */
/* ---- columns that fold ----------------------------------------------------------------------------------------------- */

typedef union { char bytes[OPW_ACCUMULATORS]; npy_longdouble align; } opw_accumulators;

/* Room for them wherever they are to lie. */
typedef union { char bytes[OPW_ACCUMULATORS + OPW_LINE]; npy_longdouble align; } opw_wide_room;

/* What is folded: the axes that go, and m columns t apart. beside: side by side, not one after the other; order: what blocks are told
   of how they are read (OPW_BY_ROWS, OPW_ASKING). Of columns that are one at a time, close: whether the last axis, a long one, is folded as
   if it were several; runs: whether short runs are folded as if they were columns. halvings: how often it is halved for parts that may run at the
   same time; 0: it is folded at one go. */
typedef struct {
    const opw_loop *work;
    const opw_fold *fold;
    const opw_axes *gone;
    int beside, close, runs, order, halvings;
    npy_intp m;
    const npy_intp *t;
} opw_folding;

/* Room for accumulators that lie to a cache line as what is folded, at p, does: a loop over both then crosses lines in neither. Where rows
   lie otherwise each, or may, they begin a line: what is written suffers more from lines that are crossed. */
static void *opw_room_beside(const opw_folding *f, opw_wide_room *room, const char *p)
{
    const int alike = !(f->order & OPW_BY_ROWS) && f->gone->strides[f->gone->n - 1][0] % OPW_LINE == 0;
    const npy_uintp off = ((alike ? (npy_uintp)p : 0) - (npy_uintp)room->bytes) % OPW_LINE;
    return room->bytes + (off - off % sizeof(npy_longdouble));
}

/* Whether what is folded stays as it is, whatever else there is. */
static int opw_is_settled(const opw_folding *f, const void *acc) { return f->fold->settled && f->fold->settled(acc, f->m); }

/* Folds count elements of columns side by side, s apart, as long as they can change anything. */
static int opw_fold_until(const opw_folding *f, char *const *p, const npy_intp *s, npy_intp count, void *acc)
{
    const opw_fold *fold = f->fold;
    npy_intp step = f->m < OPW_UNTIL / 8 ? OPW_UNTIL / f->m : 8, at = step < count ? step : count, n;
    char *q[OPW_MAX_OPERANDS];
    opw_accumulators other;
    int status = fold->blocks[1](at, f->m, p, s, f->t, f->order, acc);
    for (; !status && at < count && !opw_is_settled(f, acc); at += n) {
        n = count - at < step ? count - at : step;
        opw_moved(p, s, at, f->gone->operands, q);
        if (!(status = fold->blocks[1](n, f->m, q, s, f->t, f->order, other.bytes)))
            status = fold->join(acc, other.bytes, 0, f->m);
    }
    return status;
}

/* A stretch that is folded in pieces: along a line, or along an axis with all of those inside it. */
typedef struct {
    npy_intp first, count;
    int depth; /* how often it was halved */
} opw_piece;

typedef struct {
    opw_shares shares;
    const opw_folding *f;
    int axis; /* -1: a line */
    char *const *p;
    const npy_intp *s;
    int n;
    opw_piece pieces[OPW_SHARES];
    opw_accumulators *acc; /* one a piece */
} opw_pieces;

static int opw_fold_line(const opw_folding *f, char *const *p, const npy_intp *s, npy_intp count, void *acc);
static int opw_fold_axis(const opw_folding *f, int axis, char *const *p, npy_intp count, void *acc);

/* Elements of a chunk. */
static npy_intp opw_at_once(const opw_folding *f) { return f->fold->chunk[f->beside]; }

/* Where a line, or an axis, is halved. */
static npy_intp opw_half(npy_intp count, int axis) { return axis < 0 ? count / 2 - count / 2 % 8 : count / 2; }

/* Lists the pieces of a stretch, as the folding would halve it. */
static void opw_halve(opw_pieces *all, npy_intp first, npy_intp count, int depth)
{
    npy_intp chunk = all->axis < 0 ? opw_at_once(all->f) : 1, half = opw_half(count, all->axis);
    if (depth == all->f->halvings || count <= chunk || !half) {
        opw_piece piece = {first, count, depth};
        all->pieces[all->n++] = piece;
        return;
    }
    opw_halve(all, first, half, depth + 1);
    opw_halve(all, first + half, count - half, depth + 1);
}

static int opw_fold_piece(opw_shares *shares, npy_intp i)
{
    const opw_pieces *all = (const opw_pieces *)(const void *)shares;
    const opw_piece *piece = &all->pieces[i];
    opw_folding f = *all->f;
    char *q[OPW_MAX_OPERANDS];
    f.halvings = 0;
    opw_moved(all->p, all->s, piece->first, f.gone->operands, q);
    return all->axis < 0 ? opw_fold_line(&f, q, all->s, piece->count, all->acc[i].bytes)
                         : opw_fold_axis(&f, all->axis, q, piece->count, all->acc[i].bytes);
}

/* Joins what the pieces have given, each with the one that was cut off it. */
static int opw_join_pieces(opw_pieces *all)
{
    const opw_folding *f = all->f;
    int i, left = 0, status = 0;
    int at[OPW_SHARES], depth[OPW_SHARES];
    for (i = 0; i < all->n && !status; i++) {
        at[left] = i, depth[left++] = all->pieces[i].depth;
        for (; left > 1 && depth[left - 1] == depth[left - 2] && !status; left--, depth[left - 1]--)
            status = f->fold->join(all->acc[at[left - 2]].bytes, all->acc[at[left - 1]].bytes, 0, f->m);
    }
    return status;
}

/* Folds a stretch in pieces: of a line axis is -1. Pieces may run at the same time. */
OPW_APART static int opw_fold_pieces(const opw_folding *f, int axis, char *const *p, const npy_intp *s, npy_intp count, void *acc)
{
    opw_pieces all = {{f->work, opw_fold_piece, {0, NULL, NULL, NULL}}, f, axis, p, s, 0, {{0, 0, 0}}, NULL};
    int status;
    opw_halve(&all, 0, count, 0);
    if (!(all.acc = (opw_accumulators *)PyMem_Malloc(sizeof(opw_accumulators) * (size_t)all.n))) {
        PyErr_NoMemory();
        return 1;
    }
    if (!(status = opw_share_out(&all.shares, all.n)) && !(status = opw_join_pieces(&all)))
        memcpy(acc, all.acc[0].bytes, sizeof(opw_accumulators));
    PyMem_Free(all.acc);
    return status;
}

/* Folds count elements of columns, s apart. */
static int opw_fold_line(const opw_folding *f, char *const *p, const npy_intp *s, npy_intp count, void *acc)
{
    const opw_fold *fold = f->fold;
    npy_intp chunk = opw_at_once(f), half = opw_half(count, -1);
    char *q[OPW_MAX_OPERANDS];
    opw_wide_room room;
    void *other;
    int status;

    if (fold->settled && f->beside)
        return opw_fold_until(f, p, s, count, acc);
    if (f->halvings && half && count > chunk)
        return opw_fold_pieces(f, -1, p, s, count, acc);
    if (!chunk || count <= chunk)
        return fold->blocks[f->beside](count, f->m, p, s, f->t, f->order, acc);
    opw_moved(p, s, half, f->gone->operands, q);
    other = opw_room_beside(f, &room, q[0]);
    if ((status = opw_fold_line(f, p, s, half, acc)) || (status = opw_fold_line(f, q, s, count - half, other)))
        return status;
    return fold->join(acc, other, 0, f->m);
}

/* Several columns' accumulators become one. */
static int opw_fold_together(const opw_fold *fold, npy_intp width, void *acc)
{
    int status = 0;
    for (; width > 1 && !status; width -= width / 2)
        status = fold->join(acc, acc, width - width / 2, width / 2);
    return status;
}

/* Folds a long column as if it were several; what is left of it by itself. */
static int opw_fold_wide(const opw_folding *f, char *const *p, const npy_intp *s, npy_intp count, void *acc)
{
    const opw_fold *fold = f->fold;
    npy_intp apart[OPW_MAX_OPERANDS], width = fold->width, left = count % width;
    opw_folding columns = *f, rest = *f;
    opw_accumulators other;
    char *q[OPW_MAX_OPERANDS];
    int k, status;

    rest.halvings = 0;
    for (k = 0; k < f->gone->operands; k++)
        apart[k] = s[k] * width;
    columns.beside = 1;
    columns.m = width;
    columns.t = s;
    if ((status = opw_fold_line(&columns, p, apart, count / width, acc)) || (status = opw_fold_together(fold, width, acc)) || !left)
        return status;
    opw_moved(p, s, count - left, f->gone->operands, q);
    if ((status = opw_fold_line(&rest, q, s, left, other.bytes)))
        return status;
    return fold->join(acc, other.bytes, 0, 1);
}

/* Folds count runs of the last axis as if they were columns. */
static int opw_fold_runs(const opw_folding *f, char *const *p, npy_intp count, void *acc)
{
    const opw_axes *gone = f->gone;
    opw_folding columns = *f;
    int status, last = gone->n - 1;
    columns.m = count;
    columns.t = gone->strides[last - 1];
    status = opw_fold_line(&columns, p, gone->strides[last], gone->dims[last], acc);
    return status ? status : opw_fold_together(f->fold, count, acc);
}

/* Folds count positions of axis `axis` and all of those inside it; non-zero is what a block or join returned. Recursion: as deep
   as there are axes, times the logarithm of their sizes. */
static int opw_fold_axis(const opw_folding *f, int axis, char *const *p, npy_intp count, void *acc)
{
    const opw_fold *fold = f->fold;
    const opw_axes *gone = f->gone;
    npy_intp half, i;
    char *q[OPW_MAX_OPERANDS];
    opw_accumulators other;
    int status;

    while (count == 1 && axis < gone->n - 1)
        count = gone->dims[++axis];
    if (axis == gone->n - 1 && f->close)
        return opw_fold_wide(f, p, gone->strides[axis], count, acc);
    if (axis == gone->n - 1)
        return opw_fold_line(f, p, gone->strides[axis], count, acc);
    if (axis == gone->n - 2 && f->runs && count <= fold->width)
        return opw_fold_runs(f, p, count, acc);
    if (f->halvings)
        return opw_fold_pieces(f, axis, p, gone->strides[axis], count, acc);
    if (!f->runs && !fold->chunk[0]) { /* one after the other */
        status = opw_fold_axis(f, axis + 1, p, gone->dims[axis + 1], acc);
        for (i = 1; !status && i < count && !opw_is_settled(f, acc); i++) {
            opw_moved(p, gone->strides[axis], i, gone->operands, q);
            if (!(status = opw_fold_axis(f, axis + 1, q, gone->dims[axis + 1], other.bytes)))
                status = fold->join(acc, other.bytes, 0, f->m);
        }
        return status;
    }
    half = opw_half(count, axis);
    opw_moved(p, gone->strides[axis], half, gone->operands, q);
    if ((status = opw_fold_axis(f, axis, p, half, acc)) || opw_is_settled(f, acc) || (status = opw_fold_axis(f, axis, q, count - half, other.bytes)))
        return status;
    return fold->join(acc, other.bytes, 0, f->m);
}
