/* Loops that are laid out, run row by row by text of the unit's own. */
/* ---- chains ------------------------------------------------------------------------------------------------------- */

/* Where rows are short a slab of a few would stay in the nearest cache, but each loop of each slab costs as much as a row does. A chain has
   the text of its loops in one, for the way in which rows mostly lie. Where they lie otherwise its loops run as others do; no element is
   computed otherwise. */
#define OPW_CHAIN_LEAST 12288 /* elements for each loop that reads rows again: what a near cache holds is read as soon from there; and */
#define OPW_CHAIN_SHORT 32 /* of a row: what it takes to begin with rows, and to end them, is to be worth while; */
#define OPW_CHAIN_LONG 32768 /* and of one that is not: a second cache holds it, and what is made of it */
#define OPW_CHAIN_RUN 131072 /* that are computed, half as many where threads share them, before it is looked whether something was out */
                             /* of range; where it was, it may come again: */
#define OPW_CHAIN_PLAIN 4   /* as many times as many are run loop by loop */
#define OPW_CHAIN_ROWS 16   /* rows that are computed together, at least, however long they are */

/* How many elements a chain has, at least. */
static npy_intp opw_chain_least(const opw_chain *chain)
{
    npy_intp again = -1;
    uint32_t j;
    for (j = 0; j < chain->loops; j++)
        again += !chain->alone[j];
    return again * OPW_CHAIN_LEAST;
}

/* Whether an operand has rows that lie as a chain wants them. */
static int opw_may_be_rows(const opw_operand *operand, const opw_chain *chain)
{
    int last = operand->ndim - 1;
    return last > 0 && operand->strides[last] == operand->size && operand->dims[last] >= OPW_CHAIN_SHORT &&
           operand->dims[last] < OPW_CHAIN_LONG && operand->dims[last - 1] > 1 &&
           operand->dims[last] * operand->dims[last - 1] >= opw_chain_least(chain);
}

/* Whether an output of a loop's is an input's memory. */
static int opw_writes_over(const opw_laid *laid)
{
    int i, k;
    for (i = 0; i < laid->work->inputs; i++)
        for (k = laid->work->inputs; k < laid->list.n; k++)
            if (laid->list.all[i].data == laid->list.all[k].data)
                return 1;
    return 0;
}

/* Whether a loop's operands lie as its part of a chain has them, in rows of n elements. */
static int opw_lies_in_rows(const opw_laid *laid, const opw_chain *chain, int which, npy_intp n)
{
    const opw_loop *work = laid->work;
    const opw_folding *folding = &laid->items.folding;
    const opw_axes *axes = work->fold ? &laid->gone : &laid->axes;
    int k, operands = work->fold ? laid->list.blocks : laid->list.n;
    if (chain->alone[which])
        return axes->n == 1;
    if (work->fold ? laid->axes.n != 1 || axes->n != 1 || folding->beside || folding->close : axes->n != 2 || laid->over)
        return 0;
    for (k = 0; k < operands; k++)
        if (axes->strides[axes->n - 1][k] != (k < work->inputs && chain->steady[which] >> k & 1 ? 0 : laid->list.all[k].size))
            return 0;
    return axes->dims[axes->n - 1] == n && (work->fold || !opw_writes_over(laid));
}

/* Whether an input of a loop's is what a loop before has made. */
static int opw_is_made(const opw_slabs *slabs, int which, const char *data)
{
    int j, k;
    for (j = 0; j < which; j++)
        for (k = slabs->loops[j]->work->inputs; k < slabs->loops[j]->list.n; k++)
            if (slabs->loops[j]->list.all[k].data == data)
                return 1;
    return 0;
}

/* Whether all can be computed again: no loop writes over what one has read. */
static int opw_may_run_again(const opw_slabs *slabs)
{
    int i, j, k, m;
    for (m = 0; m < slabs->n; m++)
        for (i = 0; i < slabs->loops[m]->work->inputs; i++)
            for (j = 0; j < slabs->n && !opw_is_made(slabs, m, slabs->loops[m]->list.all[i].data); j++)
                for (k = slabs->loops[j]->work->inputs; k < slabs->loops[j]->list.n; k++)
                    if (opw_ranges_meet(&slabs->loops[m]->ranges[i], &slabs->loops[j]->ranges[k]))
                        return 0;
    return 1;
}

/* Whether loops are all that a chain has, and lie so. */
static int opw_is_chain(const opw_slabs *slabs, const opw_chain *chain)
{
    const npy_intp n = slabs->loops[0]->gone.dims[0];
    int j;
    if ((uint32_t)slabs->n != chain->loops || n < OPW_CHAIN_SHORT || n >= OPW_CHAIN_LONG)
        return 0;
    for (j = 0; j < slabs->n; j++)
        if (opw_positions(slabs->loops[j]) != slabs->positions || !opw_lies_in_rows(slabs->loops[j], chain, j, n))
            return 0;
    return !chain->divides || opw_may_run_again(slabs);
}

/* Decides how many rows are run at once. */
static int opw_cut_chain(opw_slabs *slabs)
{
    const npy_intp n = slabs->loops[0]->gone.dims[0];
    slabs->length = (opw_threads ? OPW_CHAIN_RUN / 2 : OPW_CHAIN_RUN) / n;
    slabs->length = slabs->length < OPW_CHAIN_ROWS ? OPW_CHAIN_ROWS : slabs->length;
    slabs->slabs = (slabs->positions + slabs->length - 1) / slabs->length;
    return 1;
}

/* The first rows of those loops that are ahead of others. */
static int opw_run_ahead(const opw_slabs *slabs, npy_intp first, npy_intp behind)
{
    int j, status = 0;
    for (j = 0; j < slabs->n && !status; j++)
        if (behind > (npy_intp)slabs->chain->delays[j])
            status = opw_run_slab(slabs->loops[j], first, behind - (npy_intp)slabs->chain->delays[j]);
    return status;
}

/* The last rows of those that are behind. */
static int opw_run_behind(const opw_slabs *slabs, npy_intp end)
{
    int j, status = 0;
    for (j = 0; j < slabs->n && !status; j++)
        if (slabs->chain->delays[j])
            status = opw_run_slab(slabs->loops[j], end - (npy_intp)slabs->chain->delays[j], (npy_intp)slabs->chain->delays[j]);
    return status;
}

/* Runs n rows, from `first` on. */
static int opw_run_linked(const opw_slabs *slabs, npy_intp first, npy_intp n)
{
    const opw_chain *chain = slabs->chain;
    const npy_intp behind = (npy_intp)chain->delays[slabs->n - 1];
    char *p[OPW_SLAB_LOOPS][OPW_MAX_OPERANDS], *const *ps[OPW_SLAB_LOOPS];
    const npy_intp *ts[OPW_SLAB_LOOPS];
    int j, k, status;
    for (j = 0; j < slabs->n; j++) {
        const opw_laid *laid = slabs->loops[j];
        ps[j] = p[j];
        ts[j] = laid->axes.strides[laid->over];
        for (k = 0; k < laid->list.n; k++)
            p[j][k] = laid->list.all[k].data + (first + behind - (npy_intp)chain->delays[j]) * ts[j][k];
    }
    if (!(status = opw_run_ahead(slabs, first, behind)) &&
        !(status = chain->run(slabs->loops[0]->gone.dims[0], n - behind, slabs->lines, slabs->ahead, slabs->stored, ps, ts)))
        status = opw_run_behind(slabs, first + n);
    return status;
}

/* The same, and what was out of range again. plain: how often still loop by loop. */
#if defined(__SSE2__)
static int opw_run_chain(const opw_slabs *slabs, npy_intp first, npy_intp n, int *plain)
{
    opw_watch watch = {0, 0};
    int status;
    if (*plain || n <= (npy_intp)slabs->chain->delays[slabs->n - 1] || (slabs->chain->divides && !opw_begin_watch(&watch))) {
        *plain -= *plain > 0;
        return opw_run_positions(slabs, first, n);
    }
    status = opw_run_linked(slabs, first, n);
    if (!slabs->chain->divides)
        return status;
    if (!status && !opw_unmarked()) {
        opw_clear_marks(&watch);
        status = opw_run_positions(slabs, first, n);
        opw_take_marks(&watch);
        *plain = OPW_CHAIN_PLAIN;
    }
    opw_end_watch(&watch);
    return status;
}
#else
static int opw_run_chain(const opw_slabs *slabs, npy_intp first, npy_intp n, int *plain)
{
    (void)plain;
    return n > (npy_intp)slabs->chain->delays[slabs->n - 1] ? opw_run_linked(slabs, first, n) : opw_run_positions(slabs, first, n);
}
#endif
