/* Loops that follow one another and hand values on, laid out together: where each has its operands, and which axis they share. */
/* ---- loops laid out ----------------------------------------------------------------------------------------------- */

#define OPW_SLAB_LOOPS 8 /* that are run together, at most */

/* A loop that is laid out. over: the axis of which a slab has positions: of those that a fold keeps, the first; of a loop of stores,
   any. */
typedef struct {
    const opw_loop *work;
    int over;
    npy_intp elements;
    opw_operands list;
    opw_range ranges[OPW_MAX_OPERANDS]; /* where operands lie */
    opw_axes axes, gone; /* of a fold: that it keeps, that go */
    opw_items items;
    npy_intp room[OPW_VIEW_ROOM];
    PyArrayObject *held[OPW_MAX_OPERANDS]; /* owned: of its operands, that they stay where another loop's output takes one's place */
    int holds;
} opw_laid;

/* Loops, and what they share. */
typedef struct {
    opw_shares shares;
    opw_laid *loops[OPW_SLAB_LOOPS];
    int n;
    npy_intp positions, length; /* of the axis; of a slab */
    npy_intp each, slabs;       /* slabs of a part; all */
    const opw_chain *chain;     /* by which each slab is run, row by row; NULL: loop by loop */
    int lines, ahead, stored;   /* whether it writes whole lines; how many bytes on it asks for what it reads, and for what it stores */
} opw_slabs;

/* The loop of a step, whether it is several nodes, and where its arrays are. */
static const opw_loop *opw_loop_of(char *frame, const opw_resolved *step, const opw_group **group, opw_places *places)
{
    const opw_program *program = OPW_HEAD(frame)->program;
    *group = step->run == opw_run_group ? &program->group_table[*step->slots] : NULL;
    *places = opw_in_slots(frame, step->slots + 1);
    return &program->loop_table[*group ? (*group)->main : *step->slots];
}

static npy_intp opw_positions(const opw_laid *laid) { return laid->axes.dims[laid->over]; }

/* How far all positions of an axis reach in an operand. */
static npy_intp opw_reaches(const opw_laid *laid, int axis, int k) { return laid->axes.strides[axis][k] * laid->axes.dims[axis]; }

static int opw_is_place(const opw_operand *operand) { return operand->data == OPW_NO_PLACE; }

/* Whether an operand is an output. */
static int opw_is_written(const opw_laid *laid, int k) { return k >= laid->work->inputs && !opw_is_place(&laid->list.all[k]); }

/* Whether two operands are the same elements, in the same order. */
static int opw_same_elements(const opw_operand *a, const opw_operand *b)
{
    int i = 0, j = 0;
    if (a->data != b->data || a->size != b->size)
        return 0;
    for (;; i++, j++) {
        for (; i < a->ndim && a->dims[i] == 1; i++)
            ;
        for (; j < b->ndim && b->dims[j] == 1; j++)
            ;
        if (i == a->ndim || j == b->ndim)
            return i == a->ndim && j == b->ndim;
        if (a->dims[i] != b->dims[j] || a->strides[i] != b->strides[j])
            return 0;
    }
}

/* How an axis of a loop and the shared one of a loop before go together: -1: not at all, for one would touch in a slab what belongs to
   another slab of the other; 1: both walk some array in the same steps; 0: they have nothing to do with one another. */
static int opw_goes_with(const opw_laid *laid, int axis, const opw_laid *before)
{
    int i, k, goes = 0;
    for (k = 0; k < laid->list.n; k++)
        for (i = 0; i < before->list.n; i++) {
            const opw_operand *a = &laid->list.all[k], *b = &before->list.all[i];
            npy_intp reach = opw_reaches(laid, axis, k);
            int same;
            if (!opw_ranges_meet(&laid->ranges[k], &before->ranges[i]))
                continue;
            same = reach && reach == opw_reaches(before, before->over, i) && opw_same_elements(a, b);
            if (!same && (opw_is_written(laid, k) || opw_is_written(before, i)))
                return -1;
            goes |= same;
        }
    return goes;
}

/* Whether an axis of a loop goes with those of all before; lengths are one another's multiples. */
static int opw_goes_with_all(const opw_slabs *slabs, const opw_laid *laid, int axis)
{
    npy_intp n = laid->axes.dims[axis];
    int j, with, goes = 0;
    if (n % slabs->positions && slabs->positions % n)
        return 0;
    for (j = 0; j < slabs->n; j++) {
        if ((with = opw_goes_with(laid, axis, slabs->loops[j])) < 0)
            return 0;
        goes |= with;
    }
    return goes;
}

/* Takes a loop in behind the others, if it has an axis that goes with theirs. */
static int opw_take_in(opw_slabs *slabs, opw_laid *laid)
{
    const opw_fold *fold = laid->work->fold;
    int axis, axes = fold ? 1 : laid->axes.n;
    npy_intp n;
    if (!laid->axes.n)
        return 0;
    for (axis = 0; slabs->n && axis < axes && !opw_goes_with_all(slabs, laid, axis); axis++)
        ;
    if (axis == axes || (!slabs->n && !fold))
        return 0;
    laid->over = axis;
    n = opw_positions(laid);
    if (!slabs->n || n < slabs->positions)
        slabs->positions = n;
    slabs->loops[slabs->n++] = laid;
    return 1;
}

static void opw_drop_laid(opw_laid *laid)
{
    while (laid->holds)
        Py_DECREF(laid->held[--laid->holds]); /* release an operand (owned) */
    PyMem_Free(laid);
}

/* Holds the arrays of a loop's operands. */
static void opw_hold_operands(opw_laid *laid, opw_places places, int n)
{
    for (laid->holds = 0; laid->holds < n; laid->holds++) {
        laid->held[laid->holds] = *opw_place(places, laid->holds);
        Py_INCREF(laid->held[laid->holds]);
    }
}

/* Makes a loop's outputs and puts its axes in order. Non-zero: it is to be run as if it had not been looked at; no exception is set. */
static int opw_lay(char *frame, const opw_resolved *step, opw_laid *laid)
{
    const opw_program *program = OPW_HEAD(frame)->program;
    const opw_group *group;
    opw_places places, sources;
    const opw_loop *work = opw_loop_of(frame, step, &group, &places);
    PyArrayObject **list[OPW_MAX_OPERANDS];
    opw_extent extent;
    opw_stored stored;
    int i, status = 0;
    laid->work = work;
    laid->holds = 0;
    sources = places;
    if (group && group->views) {
        status = opw_list_viewed(program, group, places, laid->room, laid->list.all, list);
        places = opw_in_list(list);
    } else
        for (i = 0; i < work->inputs; i++)
            laid->list.all[i] = opw_operand_of(*opw_place(places, i));
    if (!status && work->fold) {
        if (!(status = opw_lay_fold(work, &work->known->laid, places, group, &laid->list, &laid->items, &laid->axes, &laid->gone, &extent)))
            laid->elements = extent.n;
    } else if (!status) {
        if (!(status = opw_lay_store(work, &work->known->laid, places, group, laid->list.all, &laid->axes, &stored)))
            laid->elements = stored.n;
        laid->list.n = work->inputs + work->outputs;
    }
    if (status) {
        PyErr_Clear(); /* it will be said again */
        return status;
    }
    for (i = 0; i < laid->list.n; i++) {
        static const opw_range nowhere = {NULL, NULL};
        laid->ranges[i] = opw_is_place(&laid->list.all[i]) ? nowhere : opw_range_of(&laid->list.all[i]);
    }
    opw_hold_operands(laid, sources, (group ? (int)group->sources : work->inputs) + work->outputs);
    return status;
}

/* Folds positions of a loop's axis, from `first` on. p: where its operands lie. */
static int opw_fold_slab(const opw_laid *laid, npy_intp first, npy_intp n, char *const *p)
{
    opw_items items = laid->items;
    if (items.outer)
        return opw_fold_items(&items, first * (items.all / laid->axes.dims[0]), n * (items.all / laid->axes.dims[0]));
    items.p = p;
    items.columns = n;
    items.items = (n + items.width - 1) / items.width;
    return opw_fold_items(&items, 0, items.items);
}

/* Runs a slab of a loop: n positions of its axis, from `first` on. */
static int opw_run_slab(const opw_laid *laid, npy_intp first, npy_intp n)
{
    char *p[OPW_MAX_OPERANDS];
    int k;
    for (k = 0; k < laid->list.n; k++)
        p[k] = laid->list.all[k].data + first * laid->axes.strides[laid->over][k];
    return laid->work->fold ? opw_fold_slab(laid, first, n, p)
                            : opw_store_some(laid->work, &laid->axes, laid->over, n, laid->elements / opw_positions(laid), p);
}

/* Runs so many positions of the axis that all share, loop by loop. */
static int opw_run_positions(const opw_slabs *slabs, npy_intp first, npy_intp n)
{
    int j, status = 0;
    for (j = 0; j < slabs->n && !status; j++) {
        npy_intp finer = opw_positions(slabs->loops[j]) / slabs->positions;
        status = opw_run_slab(slabs->loops[j], first * finer, n * finer);
    }
    return status;
}
