/* Each text on a page of its own, which is judged when it has ended. */
/* ---- what its variables hold ---- */

/* How many variables a text has, and each of them. */
static uint32_t opw_variables(const opw_page *page) { return page->step ? page->step->inputs + page->step->outputs : 1; }
static const opw_type *opw_variable(const opw_page *page, uint32_t i, char **slot)
{
    const opw_program *p = page->self->code->program;
    uint32_t variable;
    *slot = page->slot;
    if (!page->step)
        return page->type;
    variable = (uint32_t)p->slot_table[page->step->reads + i];
    *slot = opw_slot(page->frame, page->self->code, variable);
    return &p->types[p->variable_types[variable]];
}

/* Whether what a type declares is one word, which may be an object. */
static int opw_is_word(const opw_type *type) { return type->ndim < 0 && type->size() == 2 * sizeof(PyObject *); }

/* Counts that a variable holds an object, before or after the text has run. sure: that is an object for certain. What is there
   afterwards that no text spoke of, and nobody had a claim to, came from elsewhere. */
static void opw_count_held(opw_page *page, const void *value, int after, int sure)
{
    opw_item *item = (after ? !opw_is_claimed((const PyObject *)value) : !sure) ? opw_known_item(page, value) : opw_item_of(page, value);
    if (!item)
        return;
    item->known |= !after;
    item->before += !after;
    item->after += after;
}

/* What a step's variables hold: of a type that declares one array that, else what lies in its first word where it is as large as one. */
static void opw_count_variables(opw_page *page, int after)
{
    uint32_t i, n = page->loop ? 0 : opw_variables(page);
    for (i = 0; i < n; i++) {
        char *slot;
        const opw_type *type = opw_variable(page, i, &slot);
        if (type->ndim < 0 && !opw_is_word(type))
            continue;
        opw_count_held(page, OPW_ARRAY(slot), after, type->ndim >= 0 || (void *)OPW_ARRAY(slot) == (void *)OPW_PY(slot));
        if (type->ndim >= 0 || after)
            continue;
        if (!page->words && !(page->words = (opw_word *)calloc(n, sizeof *page->words)))
            page->full = 1;
        else
            page->words[i] = (opw_word){opw_home(page, slot), OPW_ARRAY(slot)};
    }
}

/* What the variable of a type's text holds: the object, and the array that the type declares. What else it
   declares may be lent: claims say what of that was taken. */
static void opw_count_entered(opw_page *page, int after)
{
    int entered = after ? page->held : page->way != OPW_ENTERS;
    opw_count_held(page, OPW_PY(page->slot), after, 1);
    if (entered && page->type->ndim >= 0)
        opw_count_held(page, OPW_ARRAY(page->slot), after, 1);
}

static void opw_count_holders(opw_page *page, int after)
{
    if (page->step)
        opw_count_variables(page, after);
    else
        opw_count_entered(page, after);
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

/* ---- references ---- */

/* Where a reference to an object was taken last, but for n; where it came from, if it was not. */
static opw_spot opw_taken_last(const opw_item *item, long n)
{
    return item->takes > n ? item->taken[(item->takes - 1 - n) % OPW_TAKEN] : item->came;
}

/* What of an excess of references is held somewhere, and stays there: first by the page's variables. */
static long opw_held(const opw_page *page, const opw_item *item, long excess)
{
    uintptr_t from = (uintptr_t)item->object;
    opw_spot came = opw_taken_last(item, 0);
    long rest = excess;
    uint32_t i;
    for (i = 0; rest && i < opw_variables(page); i++) {
        char *slot, *home;
        const opw_type *type = opw_variable(page, i, &slot);
        long more;
        if (type->ndim >= 0 || (page->step ? opw_is_word(type) : !page->held))
            continue;
        home = opw_home(page, slot);
        more = opw_in_slot(home, type->size(), from, from + 1) - opw_claimed(item->object, home);
        more = more > rest ? rest : more;
        if (more > 0) {
            opw_claim_more(item->object, home, more, came, page->place);
            rest -= more;
        }
    }
    return excess - rest + (rest ? opw_claim_elsewhere(page, item->object, rest, came, page->place) : 0);
}

/* What of a lack of references was held somewhere, and is given up. */
static long opw_was_held(const opw_page *page, const opw_item *item, long lack)
{
    long rest = lack;
    uint32_t i;
    for (i = 0; rest && i < opw_variables(page); i++) {
        char *slot;
        const opw_type *type = opw_variable(page, i, &slot);
        if (type->ndim < 0 && !(page->step && opw_is_word(type)))
            rest -= opw_claim_less(item->object, opw_home(page, slot), rest);
    }
    rest -= opw_claim_less(item->object, page->self, rest);
    rest -= opw_claim_less(item->object, NULL, rest);
    return lack - rest;
}

/* Words that a step has replaced: what was held there, and is now. */
static void opw_judge_words(opw_page *page)
{
    uint32_t i;
    for (i = 0; page->words && i < opw_variables(page); i++) {
        char *slot;
        opw_item *item;
        if (!page->words[i].slot || (opw_variable(page, i, &slot), (void *)OPW_ARRAY(slot)) == page->words[i].value)
            continue;
        if ((item = opw_known_item(page, page->words[i].value)))
            opw_claim_less(item->object, page->words[i].slot, 1);
        if ((item = opw_known_item(page, OPW_ARRAY(slot))))
            opw_claim_more(item->object, page->words[i].slot, 1, opw_taken_last(item, 0), page->place);
    }
}

static const opw_spot opw_nowhere = {NULL, NULL, 0};
/* The text as a whole; NULL: an op's. */
#define OPW_THE_TEXT(page) ((opw_spot){NULL, (page)->hook, 0})
#define OPW_LEFT(page) ((opw_spot){"c_cleanup", (page)->hook, 0})

/* What a variable's texts took and nobody gave up, when it is left. */
static void opw_judge_left(opw_page *page)
{
    size_t i;
    for (i = opw_ledger.claim_count; i-- > 0;) {
        opw_claim claim = opw_ledger.claims[i];
        if (claim.holder != page->slot)
            continue;
        opw_ledger.claims[i] = opw_ledger.claims[--opw_ledger.claim_count];
        claim.count -= opw_claim_elsewhere(page, claim.object, claim.count, claim.came, claim.place);
        while (claim.count-- > 0)
            opw_find(page, claim.place, "leaked-reference", claim.object, claim.came, OPW_LEFT(page), 0);
    }
}

/* References that lay in memory which is no more. */
static void opw_judge_freed(opw_page *page)
{
    size_t i;
    for (i = opw_ledger.claim_count; i-- > 0;) {
        opw_claim claim = opw_ledger.claims[i];
        uintptr_t from = (uintptr_t)claim.object;
        long lost = claim.holder ? 0 : claim.count - opw_in_statics(from, from + 1) - opw_in_memory(from, from + 1);
        if (lost <= 0)
            continue;
        lost = opw_claim_less(claim.object, NULL, lost);
        while (lost-- > 0)
            opw_find(page, claim.place, "leaked-reference", claim.object, claim.came, opw_nowhere, 0);
    }
}

static void opw_judge(opw_page *page, opw_item *item)
{
    long excess = item->balance - (item->after - item->before), i;
    int known = item->known || (!page->step && opw_claimed(item->object, page->slot));
    if (!excess || (excess < 0 && !known && !opw_is_claimed(item->object)))
        return;
    excess -= excess > 0 ? opw_held(page, item, excess) : -opw_was_held(page, item, -excess);
    for (i = 0; i < excess; i++)
        opw_find(page, page->place, "leaked-reference", item->object, opw_taken_last(item, i).file ? opw_taken_last(item, i) : OPW_THE_TEXT(page), opw_nowhere, 0);
    if (excess >= 0 || !known)
        return;
    opw_find(page, page->place, item->lent || item->before ? "borrowed-release" : "double-release", item->object,
             item->left.file ? item->left : OPW_THE_TEXT(page),
             item->ended.file && item->ended.line != item->left.line ? item->ended : item->came, 0);
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

/* ---- memory ---- */

/* Whether an array that a variable holds will free the memory. */
static int opw_is_given(const opw_page *page, const opw_chunk *block)
{
    uint32_t i;
    for (i = 0; i < opw_variables(page); i++) {
        char *slot;
        const opw_type *type = opw_variable(page, i, &slot);
        PyArrayObject *array = type->ndim >= 0 && (page->step || page->held) ? OPW_ARRAY(slot) : NULL;
        if (array && PyArray_BYTES(array) == block->p && (PyArray_BASE(array) || PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA)))
            return 1;
    }
    return 0;
}

/* Whether a block is held from outside: by statics, the instance, an array; by a variable, which is noted. */
static int opw_is_held(const opw_page *page, opw_chunk *block, uintptr_t from, uintptr_t to)
{
    size_t i;
    block->slot = NULL;
    if (opw_in_statics(from, to) || opw_in_instance(page->self, from, to) || opw_is_given(page, block))
        return 1;
    for (i = 0; i < opw_ledger.living_count; i++)
        if (opw_in_slot(opw_ledger.living[i].slot, opw_ledger.living[i].size, from, to)) {
            block->slot = opw_ledger.living[i].slot;
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
        opw_chunk *block = &opw_ledger.blocks[i], *other;
        uintptr_t from = (uintptr_t)block->p, to = from + (block->size ? block->size : 1);
        if (block->reached || block->state != OPW_LIVE)
            continue;
        if (first)
            block->reached = opw_is_held(page, block, from, to);
        for (k = 0; !block->reached && k < opw_ledger.count; k++) {
            other = &opw_ledger.blocks[k];
            block->reached = other->reached && opw_words(other->p, other->size, from, to) > 0;
            if (block->reached)
                block->slot = other->slot;
        }
        more |= block->reached;
    }
    return more;
}

/* What of the memory that this text reserved, or that its variable held which is left, nobody holds any more; what was freed is
   given back. */
static void opw_judge_memory(opw_page *page)
{
    size_t i;
    int first = 1;
    pthread_mutex_lock(&opw_ledger.lock);
    for (i = 0; i < opw_ledger.count; i++) {
        opw_ledger.blocks[i].reached = 0;
        if (page->way == OPW_LEAVES && opw_ledger.blocks[i].slot == page->slot)
            opw_ledger.blocks[i].page = page;
    }
    while (opw_ledger.count && opw_reach_blocks(page, first))
        first = 0;
    for (i = opw_ledger.count; i-- > 0;) {
        opw_chunk *block = &opw_ledger.blocks[i];
        if (block->page != page)
            continue;
        page->freed |= block->state == OPW_GONE || !block->reached;
        if (block->state == OPW_GONE) {
            block->end(block->p);
            opw_forget_chunk(block);
        } else if (!block->reached) {
            opw_find(page, block->place, "leaked-memory", NULL, block->came, page->way == OPW_LEAVES ? OPW_LEFT(page) : opw_nowhere, block->size);
            opw_forget_chunk(block);
        } else if (opw_is_given(page, block)) /* the array frees it, unseen */
            opw_forget_chunk(block);
        else
            block->page = NULL;
    }
    pthread_mutex_unlock(&opw_ledger.lock);
}

/* ---- a page ---- */

static void opw_open(opw_page *page)
{
    opw_count_holders(page, 0);
    opw_count_constants(page);
    opw_page_now = page;
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
    opw_judge_words(page);
    if (page->way == OPW_LEAVES)
        opw_judge_left(page);
    if (page->freed)
        opw_judge_freed(page);
    opw_page_now = page->outer; /* what objects do when they go is nobody's */
    opw_let_go(page);
    OPW_RESTORE(type, value, traceback);
    free(page->items);
    free(page->places);
    free(page->words);
}

/* An entry of the table, on a page of its own where it runs an op's text. */
static int opw_account_entry(char *frame, const opw_code *code, const opw_resolved *entry)
{
    const opw_step *step = &code->program->step_table[entry - code->steps];
    opw_page page = {.outer = opw_page_now, .self = OPW_HEAD(frame)->self, .frame = frame, .place = step->node, .step = step};
    int status;
    if (step->node < 0 || step->run == opw_perform || step->run == opw_run_view)
        return entry->run(frame, entry->slots);
    page.loop = step->run == opw_run_stores || step->run == opw_run_folds || step->run == opw_run_group;
    opw_open(&page);
    status = entry->run(frame, entry->slots);
    opw_close(&page);
    return status;
}

static opw_page opw_page_of(char *frame, const uint32_t *slots, uint32_t type, int way, const char *hook)
{
    return (opw_page){.outer = opw_page_now, .self = OPW_HEAD(frame)->self, .frame = frame, .place = -1 - (int32_t)type,
                      .type = &OPW_HEAD(frame)->program->types[type], .slot = frame + slots[0], .hook = hook, .way = way};
}

int opw_account_hook(char *frame, const uint32_t *slots, uint32_t type, int way, const char *hook, opw_run_fn run)
{
    opw_page page = opw_page_of(frame, slots, type, way, hook);
    int status;
    opw_open(&page);
    status = run(frame, slots);
    page.held = status >= 0;
    if (way == OPW_ENTERS && page.held)
        opw_enter_living(page.slot, page.type->size());
    opw_close(&page);
    return status;
}

void opw_account_leave(char *frame, const uint32_t *slots, uint32_t type, const char *hook, opw_undo_fn run)
{
    opw_page page = opw_page_of(frame, slots, type, OPW_LEAVES, hook);
    opw_open(&page);
    run(frame, slots);
    opw_leave_living(page.slot);
    opw_close(&page);
    Py_XDECREF(OPW_PY(page.slot)); /* the glue's, which the text did not touch */
}
