/* Who holds what when a step has ended. */
/* ---- what holds what ---- */

/* Counts the words of some memory that are an address; of memory, also of one within it. */
static long opw_words(const void *start, size_t size, uintptr_t from, uintptr_t to)
{
    const uintptr_t *word = (const uintptr_t *)(((uintptr_t)start + sizeof(uintptr_t) - 1) & ~(uintptr_t)(sizeof(uintptr_t) - 1));
    const char *end = (const char *)start + size;
    long found = 0;
    for (; (const char *)(word + 1) <= end; word++)
        found += *word >= from && *word < to;
    return found;
}

/* What is asked of the module's data. */
typedef struct {
    uintptr_t from, to, here; /* here: an address in the module */
    long found;
} opw_search;

static int opw_search_object(struct dl_phdr_info *info, size_t size, void *data)
{
    opw_search *search = (opw_search *)data;
    int i, ours = 0;
    (void)size;
    for (i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        ours |= info->dlpi_phdr[i].p_type == PT_LOAD && start <= search->here && search->here < start + info->dlpi_phdr[i].p_memsz;
    }
    for (i = 0; ours && i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_W)
            search->found += opw_words((const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr), info->dlpi_phdr[i].p_memsz, search->from, search->to);
    return ours;
}

/* How many words of what outlives the step are such an address: statics, the state of ops, what the instance keeps, variables whose
   type is no array's. */
static long opw_holders(const opw_page *page, uintptr_t from, uintptr_t to)
{
    const opw_function *self = page->self;
    const opw_program *p = self->code->program;
    opw_search search = {from, to, (uintptr_t)&opw_the_unit, 0};
    uint32_t i;
    dl_iterate_phdr(opw_search_object, &search);
    search.found -= opw_words(opw_dtypes, sizeof opw_dtypes, from, to); /* those are not the texts' */
    for (i = 0; self->structs && i < p->structs; i++)
        if (self->structs[i])
            search.found += opw_words(self->structs[i], malloc_usable_size(self->structs[i]), from, to);
    if (self->kept)
        search.found += opw_words(self->kept, (p->kept + p->results) * sizeof *self->kept, from, to);
    for (i = 0; i < page->step->inputs + page->step->outputs; i++) {
        uint32_t variable = (uint32_t)p->slot_table[page->step->reads + i];
        const opw_type *type = &p->types[p->variable_types[variable]];
        if (type->ndim < 0)
            search.found += opw_words(opw_slot(page->frame, self->code, variable) + sizeof(PyObject *), type->size() - sizeof(PyObject *), from, to);
    }
    return search.found;
}

/* The holders, and memory that is reserved. */
static long opw_all_holders(const opw_page *page, const void *object)
{
    uintptr_t from = (uintptr_t)object;
    long found = opw_holders(page, from, from + 1);
    size_t i;
    for (i = 0; i < opw_ledger.count; i++)
        if (opw_ledger.blocks[i].state == OPW_LIVE)
            found += opw_words(opw_ledger.blocks[i].p, opw_ledger.blocks[i].size, from, from + 1);
    return found;
}

/* How many references to an object statics hold, by what earlier steps left there. */
static opw_item *opw_kept_of(PyObject *object)
{
    size_t i;
    for (i = 0; i < opw_ledger.kept_count; i++)
        if (opw_ledger.kept[i].object == object)
            return &opw_ledger.kept[i];
    return NULL;
}

/* What of an excess of references is held somewhere, and stays there; what of a lack was. */
static long opw_explained(const opw_page *page, PyObject *object, long excess)
{
    opw_item *kept = opw_kept_of(object);
    long held;
    if (excess < 0) {
        held = kept ? (kept->balance < -excess ? kept->balance : -excess) : 0;
        if (kept)
            kept->balance -= held;
        return -held;
    }
    held = opw_all_holders(page, object) - (kept ? kept->balance : 0);
    held = held < 0 ? 0 : held > excess ? excess : held;
    if (held && !kept && (kept = OPW_MORE(opw_ledger.kept, opw_ledger.kept_count, opw_ledger.kept_room)))
        kept->object = object;
    if (held && kept)
        kept->balance += held;
    return held;
}
