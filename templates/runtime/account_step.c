/* Each step on a page of its own, which is judged when it ends. */
/* ---- a step ---- */

/* What a variable holds: of a type that declares one array that, else what lies in its first word where it is as large as one;
   NULL: nothing that is known to be an object. */
static void *opw_value_of(const opw_page *page, uint32_t variable)
{
    const opw_program *p = page->self->code->program;
    const opw_type *type = &p->types[p->variable_types[variable]];
    return type->ndim >= 0 || type->size() == 2 * sizeof(PyObject *) ? (void *)OPW_ARRAY(opw_slot(page->frame, page->self->code, variable)) : NULL;
}

/* Whether a variable's word is an object for certain: an array, or the object that came. */
static int opw_is_object(const opw_page *page, uint32_t variable, const void *value)
{
    const opw_program *p = page->self->code->program;
    return p->types[p->variable_types[variable]].ndim >= 0 || value == (const void *)OPW_PY(opw_slot(page->frame, page->self->code, variable));
}

/* Calls what is known of the step's variables, before and after it ran. */
static void opw_count_holders(opw_page *page, int after)
{
    const opw_program *p = page->self->code->program;
    const int32_t *slots = p->slot_table + page->step->reads;
    uint32_t i;
    for (i = 0; !page->loop && i < page->step->inputs + page->step->outputs; i++) {
        void *value = opw_value_of(page, (uint32_t)slots[i]);
        opw_item *item = after || (value && !opw_is_object(page, (uint32_t)slots[i], value)) ? opw_known_item(page, value) : opw_item_of(page, value);
        if (!item)
            continue;
        item->known |= !after;
        item->before += !after;
        item->after += after;
    }
}

/* Objects that everybody knows, and nobody has to ask for. */
static void opw_count_constants(opw_page *page)
{
    PyObject *all[] = {Py_None, Py_True, Py_False, Py_NotImplemented, Py_Ellipsis};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        opw_item *item = opw_item_of(page, all[i]);
        if (item)
            item->known = item->lent = 1;
    }
}

static void opw_judge(opw_page *page, opw_item *item)
{
    static const opw_spot nowhere = {NULL, NULL, 0};
    long excess = item->balance - (item->after - item->before), i;
    if (!excess || (excess < 0 && !item->known && !opw_kept_of(item->object)))
        return;
    excess -= opw_explained(page, item->object, excess);
    for (i = 0; i < excess; i++) {
        long which = item->takes - 1 - i;
        opw_find(page, "leaked-reference", item->object, which >= 0 ? item->taken[which % OPW_TAKEN] : item->came, nowhere, 0);
    }
    if (excess >= 0 || !item->known)
        return;
    opw_find(page, item->lent || item->before ? "borrowed-release" : "double-release", item->object, item->left.file ? item->left : nowhere, item->ended.file && item->ended.line != item->left.line ? item->ended : item->came, 0);
    for (i = excess + item->refused; i < 0; i++)
        Py_INCREF(item->object); /* so that the process outlives it */
}

/* Gives up what kept objects alive. */
static void opw_let_go(opw_page *page)
{
    size_t i;
    for (i = 0; i < page->count; i++)
        if (page->items[i].kept != OPW_FREE)
            Py_DECREF(page->items[i].object);
}

/* Whether an array that a variable holds will free the memory. */
static int opw_is_given(const opw_page *page, const opw_chunk *block)
{
    const opw_program *p = page->self->code->program;
    uint32_t i;
    for (i = 0; i < page->step->inputs + page->step->outputs; i++) {
        uint32_t variable = (uint32_t)p->slot_table[page->step->reads + i];
        PyArrayObject *array = p->types[p->variable_types[variable]].ndim >= 0 ? OPW_ARRAY(opw_slot(page->frame, page->self->code, variable)) : NULL;
        if (array && PyArray_BYTES(array) == block->p && (PyArray_BASE(array) || PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA)))
            return 1;
    }
    return 0;
}

/* Marks what is held, from outside and by what is held; returns whether more was found. */
static int opw_reach_blocks(const opw_page *page, int first)
{
    size_t i, k;
    int more = 0;
    for (i = 0; i < opw_ledger.count; i++) {
        opw_chunk *block = &opw_ledger.blocks[i];
        uintptr_t from = (uintptr_t)block->p, to = from + (block->size ? block->size : 1);
        if (block->reached || block->state != OPW_LIVE)
            continue;
        if (first)
            block->reached = opw_holders(page, from, to) > 0 || opw_is_given(page, block);
        for (k = 0; !block->reached && k < opw_ledger.count; k++)
            block->reached = opw_ledger.blocks[k].reached && opw_words(opw_ledger.blocks[k].p, opw_ledger.blocks[k].size, from, to) > 0;
        more |= block->reached;
    }
    return more;
}

/* What of the memory that this step reserved nobody holds any more; what was freed is given back. */
static void opw_judge_memory(opw_page *page)
{
    static const opw_spot nowhere = {NULL, NULL, 0};
    size_t i;
    int first = 1;
    pthread_mutex_lock(&opw_ledger.lock);
    for (i = 0; i < opw_ledger.count; i++)
        opw_ledger.blocks[i].reached = 0;
    while (opw_ledger.count && opw_reach_blocks(page, first))
        first = 0;
    for (i = opw_ledger.count; i-- > 0;) {
        opw_chunk *block = &opw_ledger.blocks[i];
        if (block->page != page)
            continue;
        if (block->state == OPW_GONE) {
            block->end(block->p);
            opw_forget_chunk(block);
        } else if (!block->reached) {
            opw_find(page, "leaked-memory", NULL, block->came, nowhere, block->size);
            opw_forget_chunk(block);
        } else if (opw_is_given(page, block)) /* the array frees it, unseen */
            opw_forget_chunk(block);
        else
            block->page = NULL;
    }
    pthread_mutex_unlock(&opw_ledger.lock);
}

static void opw_close(opw_page *page)
{
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    size_t i, count;
    OPW_FETCH(&type, &value, &traceback);
    opw_count_holders(page, 1);
    opw_judge_memory(page);
    for (i = 0, count = page->full ? 0 : page->count; i < count; i++)
        opw_judge(page, &page->items[i]);
    opw_page_now = page->outer; /* what objects do when they go is nobody's */
    opw_let_go(page);
    OPW_RESTORE(type, value, traceback);
    free(page->items);
    free(page->places);
}

/* An entry of the table, on a page of its own where it runs a text. */
static int opw_account_entry(char *frame, const opw_code *code, const opw_resolved *entry)
{
    const opw_step *step = &code->program->step_table[entry - code->steps];
    opw_page page = {.outer = opw_page_now, .self = OPW_HEAD(frame)->self, .frame = frame, .step = step};
    int status;
    if (step->node < 0 || step->run == opw_perform || step->run == opw_run_view)
        return entry->run(frame, entry->slots);
    page.loop = step->run == opw_run_stores || step->run == opw_run_folds || step->run == opw_run_group;
    opw_count_holders(&page, 0);
    opw_count_constants(&page);
    opw_page_now = &page;
    status = entry->run(frame, entry->slots);
    opw_close(&page);
    return status;
}
