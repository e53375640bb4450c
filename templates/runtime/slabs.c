/* Loops that follow one another and hand values on, run slab by slab of the axis that they share. */
/* ---- slabs -------------------------------------------------------------------------------------------------------- */

/* Where one loop folds the rows of a large array and the next reads these rows again, each would walk all of memory. So loops that
   follow one another are first laid out, all of them: outputs are made, axes put in order. Then each runs a slab, so many positions of
   an axis that all have, before any runs the next one: what a slab has stays in a near cache. Nothing else changes: how a fold goes is
   decided of the whole, and no element is computed otherwise than by the loop alone. What a near cache holds is read again as soon:
   arrays are larger. */
#define OPW_SLAB_BYTES (5 << 17) /* of a slab, of all arrays together; where fewer elements are long, which tests say, it is less */
#define OPW_SLAB_MOST 8          /* times as much may one position be */
#define OPW_SLAB_WORTH 2         /* times as much is an input of the first loop, at least */

/* The bytes of memory that elements take which lie `stride` apart, for each byte of an element: no more than its cache line. */
static npy_intp opw_lines_of(npy_intp stride, npy_intp size)
{
    npy_intp most = OPW_LINE / size;
    stride = opw_size(stride) / size;
    return stride < most ? (stride > 1 ? stride : 1) : (most > 1 ? most : 1);
}

/* The bytes of memory that an operand's elements take, as they are read. */
static npy_intp opw_all_bytes(const opw_operand *operand)
{
    npy_intp bytes = operand->size, close = NPY_MAX_INTP;
    int i;
    for (i = 0; i < operand->ndim; i++) {
        bytes *= operand->dims[i];
        if (operand->dims[i] > 1 && opw_size(operand->strides[i]) < close)
            close = opw_size(operand->strides[i]);
    }
    return close < NPY_MAX_INTP ? bytes * opw_lines_of(close, operand->size) : bytes;
}

/* The bytes of a loop's operands that have positions of the axis that is shared, of those that no loop before has. */
static npy_intp opw_own_bytes(const opw_slabs *slabs, int which)
{
    const opw_laid *laid = slabs->loops[which];
    npy_intp bytes = 0;
    int i, j, k, seen;
    for (k = 0; k < laid->list.n; k++) {
        const opw_operand *operand = &laid->list.all[k];
        for (j = 0, seen = !laid->axes.strides[laid->over][k]; j < which && !seen; j++)
            for (i = 0; i < slabs->loops[j]->list.n && !seen; i++)
                seen = slabs->loops[j]->list.all[i].data == operand->data;
        bytes += seen ? 0 : opw_all_bytes(operand);
    }
    return bytes;
}

/* Whether positions of a loop's axis lie side by side, and what belongs to one of them apart. */
static int opw_lies_across(const opw_laid *laid)
{
    int k;
    for (k = 0; k < laid->work->inputs; k++) {
        npy_intp stride = opw_size(laid->axes.strides[laid->over][k]);
        if (stride && stride <= 2 * laid->list.all[k].size && opw_positions(laid) * laid->list.all[k].size < opw_all_bytes(&laid->list.all[k]))
            return 1;
    }
    return 0;
}

/* Bytes of a slab of a loop of which so many elements are long. */
static npy_intp opw_slab_room(npy_intp worth) { return worth < 4096 ? 8 * worth : OPW_SLAB_BYTES; }

/* Those of all loops. */
static npy_intp opw_bytes_of_all(const opw_slabs *slabs)
{
    npy_intp bytes = 0;
    int k;
    for (k = 0; k < slabs->n; k++)
        bytes += opw_own_bytes(slabs, k);
    return bytes;
}

/* Decides how long slabs are. 0: there are not to be any: slabs would be of short pieces, or of much, or there would be one. */
static int opw_cut_slabs(opw_slabs *slabs)
{
    npy_intp bytes = 1 + opw_bytes_of_all(slabs) / slabs->positions, worth = 0, length;
    int k;
    for (k = 0; k < slabs->n; k++) {
        if (opw_lies_across(slabs->loops[k]))
            return 0;
        if (slabs->loops[k]->work->worth > worth)
            worth = slabs->loops[k]->work->worth;
    }
    length = opw_slab_room(worth) / bytes;
    slabs->length = length ? length : 1;
    slabs->slabs = (slabs->positions + slabs->length - 1) / slabs->length;
    return slabs->slabs > 1 && slabs->length * bytes <= OPW_SLAB_MOST * OPW_SLAB_BYTES;
}

/* Runs slabs, from `first` on. */
static int opw_run_slabs(const opw_slabs *slabs, npy_intp first, npy_intp n)
{
    int status = 0, plain = 0;
    for (; n && !status; n--, first++) {
        npy_intp begin = first * slabs->length, left = slabs->positions - begin;
        npy_intp length = left < slabs->length ? left : slabs->length;
        status = slabs->chain ? opw_run_chain(slabs, begin, length, &plain) : opw_run_positions(slabs, begin, length);
    }
    return status;
}

static int opw_run_slabs_part(opw_shares *shares, npy_intp i)
{
    const opw_slabs *slabs = (const opw_slabs *)(const void *)shares;
    npy_intp first = i * slabs->each, left = slabs->slabs - first;
    return opw_run_slabs(slabs, first, left < slabs->each ? left : slabs->each);
}

/* Runs all, in parts where that is long. */
static int opw_run_laid(opw_slabs *slabs)
{
    const opw_laid *longest = slabs->loops[0];
    int k;
    for (k = 1; k < slabs->n; k++)
        if (slabs->loops[k]->elements / slabs->loops[k]->work->worth > longest->elements / longest->work->worth)
            longest = slabs->loops[k];
    if (!opw_is_worth(longest->work, longest->elements))
        return opw_run_slabs(slabs, 0, slabs->slabs);
    slabs->shares.work = longest->work;
    slabs->each = opw_share_of(longest->work, slabs->slabs, longest->elements / slabs->slabs);
    return opw_share_out(&slabs->shares, opw_parts_of(slabs->slabs, slabs->each));
}

/* Runs as many of n steps as can go together. Returns how many these are; 0: none has run. A step among them that is no loop takes what
   out= gives for the next one, which is done whatever comes of the rest: *seen: how many steps were looked at; *status: of one that
   failed, the last of these. */
OPW_ELSEWHERE static uint32_t opw_run_together(char *frame, const opw_code *code, const uint32_t *steps, uint32_t n, uint32_t *seen, int *status)
{
    opw_slabs slabs = {{NULL, opw_run_slabs_part, {0, NULL, NULL, NULL}}, {NULL}, 0, 0, 0, 0, 0, NULL, 0, 0, 0};
    const opw_chain *chain = code->chains ? code->chains[*steps] : NULL;
    opw_laid *laid;
    npy_intp bytes;
    uint32_t k, ran = 0;
    *seen = 0;
    if (PyErr_Occurred()) /* a fragment set one and went on: it stays */
        return 0;
    for (k = 0; k < n && slabs.n < OPW_SLAB_LOOPS; k++) {
        const opw_resolved *step = &code->steps[steps[k]];
        if (step->undo) {
            if (!(*status = step->run(frame, step->slots)))
                continue;
            k++;
            break;
        }
        if (!(laid = (opw_laid *)PyMem_Malloc(sizeof(*laid))))
            break;
        if (opw_lay(frame, step, laid) || !opw_take_in(&slabs, laid)) {
            opw_drop_laid(laid);
            break;
        }
        if (chain && opw_is_chain(&slabs, chain) && !opw_is_by_stretches(bytes = opw_bytes_of_all(&slabs))) {
            slabs.chain = chain;
            slabs.lines = !opw_is_left_alone(bytes);
            slabs.ahead = opw_ahead_of(bytes);
            slabs.stored = opw_stores_ahead(bytes);
            k++;
            break;
        }
    }
    *seen = k;
    if (!*status && slabs.n > 1 && (slabs.chain ? opw_cut_chain(&slabs) : opw_cut_slabs(&slabs)) && !opw_run_laid(&slabs))
        ran = k;
    while (slabs.n)
        opw_drop_laid(slabs.loops[--slabs.n]);
    return ran;
}

/* Where steps are looked at one by one they run so. */
#ifdef OPW_PROFILE
#define OPW_STEP_BY_STEP
#endif
#ifdef OPW_ACCOUNT
#define OPW_STEP_BY_STEP
#endif

/* Whether a step, of those that loops may follow, reads so much that it is worth looking. entry: which of the table. */
OPW_INLINE int opw_may_go_together(char *frame, const opw_code *code, uint32_t entry)
{
    const opw_resolved *step = &code->steps[entry];
#ifdef OPW_STEP_BY_STEP
    (void)frame, (void)step;
    return 0;
#else
    const opw_group *group;
    opw_places places;
    const opw_loop *work = opw_loop_of(frame, step, &group, &places);
    npy_intp worth = OPW_SLAB_WORTH * opw_slab_room(work->worth);
    int i, n = group ? (int)group->sources : work->inputs;
    for (i = 0; i < n; i++) {
        opw_operand source = opw_operand_of(*opw_place(places, i));
        if (opw_all_bytes(&source) >= worth || (code->chains && code->chains[entry] && opw_may_be_rows(&source, code->chains[entry])))
            return 1;
    }
    return 0;
#endif
}

/* Whether a step is a loop that may run slab by slab: it sets no exception, and does not hold others up; which elements it reads does
   not hang on what others compute. */
static int opw_runs_in_slabs(const opw_program *p, const opw_step *step)
{
    const opw_group *group = step->run == opw_run_group ? &p->group_table[-1 - p->slot_table[step->slots]] : NULL;
    const opw_loop *work;
    uint32_t i;
    if (!group && step->run != opw_run_stores && step->run != opw_run_folds)
        return 0;
    for (i = 0; group && i < group->views; i++)
        if (p->access_table[group->view_table[i].access].inputs > 1)
            return 0;
    work = &p->loop_table[group ? (int32_t)group->main : -1 - p->slot_table[step->slots]];
    return work->worth && !work->raises;
}

/* Of each entry that a call comes to, from the last one on, how many there are from there on that may run slab by slab, one after the
   other. Entries: those of the table, numbered. */
static void opw_find_runs(const opw_program *p, const uint32_t *entries, uint32_t n, uint32_t *follow)
{
    uint32_t i, after = 0;
    for (i = n; i-- > 0; after = follow[i]) {
        const opw_step *step = &p->step_table[entries[i]];
        int between = after && step->run == opw_plain_offer_own;
        follow[i] = between || opw_runs_in_slabs(p, step) ? after + 1 : 0;
    }
}

/* Lists by entries the chains that begin there. Non-zero: no memory. */
static int opw_find_chains(opw_code *code)
{
    const opw_program *p = code->program;
    const opw_chain *chain = p->chain_table;
    if (!chain)
        return 0;
    if (!(code->chains = (const opw_chain **)PyMem_Calloc(p->steps + 1, sizeof(*code->chains)))) {
        PyErr_NoMemory();
        return -1;
    }
    for (; chain->loops; chain++)
        code->chains[chain->first] = chain;
    return 0;
}
