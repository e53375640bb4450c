/* What surrounds a loop that folds: which axes go and which are kept, and what is folded of these. */
/* ---- loops that fold ----------------------------------------------------------------------------------------------- */

/* Adds an axis of the loop to those that go, or to those that are kept. at: its place in what is folded; place: from one of
   its positions to the next. */
static void opw_add_axis(opw_axes *axes, const opw_operands *list, int ndim, npy_intp dim, int axis, int at, npy_intp place)
{
    npy_intp *strides = axes->strides[axes->n];
    int k;
    for (k = 0; k < axes->operands; k++) {
        const opw_operand *operand = &list->all[k];
        int own = k < list->blocks ? axis - (ndim - operand->ndim) : at;
        if (operand->data == OPW_NO_PLACE)
            strides[k] = dim == 1 ? 0 : place;
        else
            strides[k] = own < 0 || operand->dims[own] == 1 ? 0 : operand->strides[own];
    }
    axes->dims[axes->n] = dim;
    axes->axis[axes->n++] = axis;
}

/* Whether all axes go, of inputs alone that have one shape and lie in C order: one run. */
static int opw_is_run(const opw_fold *fold, const opw_operands *list, int ndim, const npy_intp *dims)
{
    npy_uint64 all = ndim < 64 ? ((npy_uint64)1 << ndim) - 1 : ~(npy_uint64)0;
    int k;
    if ((fold->axes & all) != all || list->blocks != list->inputs)
        return 0;
    for (k = 0; k < list->inputs; k++)
        if (!opw_in_c_order(&list->all[k]) || !opw_same_dims(&list->all[k], ndim, dims))
            return 0;
    return 1;
}

/* Makes one axis of all. */
static void opw_run_axis(const opw_operands *list, int ndim, const npy_intp *dims, opw_axes *kept, opw_axes *gone)
{
    int i;
    kept->n = 0;
    kept->operands = list->n;
    gone->n = 1;
    gone->operands = list->blocks;
    gone->dims[0] = 1;
    for (i = 0; i < ndim; i++)
        gone->dims[0] *= dims[i];
    for (i = 0; i < list->inputs; i++)
        gone->strides[0][i] = list->all[i].size;
}

/* Parts the axes of the loop. */
static void opw_part_axes(const opw_fold *fold, const opw_operands *list, int ndim, const npy_intp *dims, opw_axes *kept,
                          opw_axes *gone)
{
    npy_intp place = 1;
    int i, at = 0;
    kept->n = gone->n = 0;
    kept->operands = list->n;
    gone->operands = list->blocks;
    for (i = 0; fold->indexed && i < ndim; i++)
        if (fold->axes >> i & 1)
            place *= dims[i];
    for (i = 0; i < ndim; i++) {
        int goes = (int)(fold->axes >> i & 1);
        if (goes && fold->indexed)
            place /= dims[i];
        opw_add_axis(goes ? gone : kept, list, ndim, dims[i], i, at, goes ? place : 0);
        at += !goes || fold->keepdims;
    }
    opw_order_axes(kept, list->inputs);
    opw_join_axes(kept);
    opw_order_axes(gone, list->inputs);
    opw_join_axes(gone);
    if (!gone->n) { /* nothing but sizes of 1 */
        gone->n = 1;
        gone->dims[0] = 1;
        memset(gone->strides[0], 0, sizeof(npy_intp) * (size_t)gone->operands);
    }
}

/* Whether an output has what folds have made so far: in order, that is. */
static int opw_scans(const opw_loop *work)
{
    int k;
    for (k = 0; k < work->outputs; k++)
        if (work->fold->kinds[k] == OPW_SCANNED)
            return 1;
    return 0;
}

/* What is kept, as items: of the innermost kept axis as many columns as are folded at once. */
typedef struct {
    opw_shares shares;
    opw_folding folding;
    const opw_operands *list;
    const opw_axes *kept;
    char *const *p;                /* where operands begin; NULL: where they are */
    int outer;                     /* axes round the columns */
    int far;                       /* whether many items are best folded at once */
    npy_intp columns, width, each; /* each: items of a part */
    npy_intp items, all;           /* of one position of the axes round the columns; of all */
} opw_items;

/* Folds an item, and fills the outputs there. far: takes it, and those before it when they are many; NULL: it is folded now. */
static int opw_fold_item(const opw_folding *f, const opw_operands *list, char *const *p, opw_far *far)
{
    opw_wide_room room;
    void *acc;
    int status;
    if (far)
        return opw_add_far(far, f->m, p, list->n) ? opw_fill_far(far) : 0;
    acc = opw_room_beside(f, &room, p[0]);
    if (!(status = opw_fold_axis(f, 0, p, f->gone->dims[0], acc)))
        f->fold->store(acc, f->m, p, f->t);
    return status;
}

/* Folds n items from `first` on, and fills the outputs there. */
static int opw_fold_items(const opw_items *o, npy_intp first, npy_intp n)
{
    const opw_operands *list = o->list;
    opw_folding folding = o->folding;
    npy_intp at[OPW_MAX_DIMS], i = 0;
    char *p[OPW_MAX_OPERANDS], *q[OPW_MAX_OPERANDS];
    opw_far *far = o->far && n > 1 ? opw_new_far(&folding, n) : NULL; /* without room each is folded by itself */
    int k, status = 0;
    for (k = 0; k < list->n; k++)
        p[k] = o->p ? o->p[k] : list->all[k].data;
    opw_rewind(at, o->outer);
    if (first) {
        i = first % o->items * o->width;
        opw_seek(o->kept, o->outer, first / o->items, at, p);
    }
    do {
        for (; n && i < o->columns && !status; i += o->width, n--) {
            folding.m = o->columns - i < o->width ? o->columns - i : o->width;
            opw_moved(p, folding.t, i, list->n, q);
            status = opw_fold_item(&folding, list, q, far);
        }
        i = 0;
    } while (n && !status && opw_next(o->kept, o->outer, at, p));
    if (far && !status)
        status = opw_fill_far(far);
    PyMem_RawFree(far);
    return status;
}

static int opw_fold_items_part(opw_shares *shares, npy_intp i)
{
    const opw_items *o = (const opw_items *)(const void *)shares;
    npy_intp first = i * o->each;
    return opw_fold_items(o, first, o->all - first < o->each ? o->all - first : o->each);
}

/* How often a stretch of so many elements is halved. */
static int opw_halvings(const opw_loop *work, npy_intp n)
{
    int halvings = 0;
    while (n / 2 >= work->worth && 1 << halvings < OPW_SHARES)
        n /= 2, halvings++;
    return halvings;
}

/* A long fold: parts are of many items, or, where there are few, of one; what is folded of an item does not depend on it. What stops
   early is folded at one go. */
OPW_APART static int opw_fold_shared(opw_items *o, npy_intp n)
{
    const opw_loop *work = o->shares.work;
    npy_intp least = opw_threads ? OPW_FAR_ITEMS / 4 : OPW_FAR_ITEMS;
    if (o->all < OPW_SHARES / 4 && !work->fold->settled && !opw_scans(work) && (opw_threads || !o->far)) {
        o->folding.halvings = opw_halvings(work, n / o->all);
        if (o->folding.halvings) {
            o->far = 0;
            return opw_fold_items(o, 0, o->all);
        }
    }
    o->each = opw_share_of(work, o->all, n / o->all > 1 ? n / o->all : 2);
    if (o->far && o->each < least)
        o->each = least;
    return opw_share_out(&o->shares, opw_parts_of(o->all, o->each));
}
