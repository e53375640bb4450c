/* Who holds what when a text has ended. */
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
    for (i = 0; ours && i < info->dlpi_phnum; i++) {
        const void *start = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_W)
            search->found += opw_words(start, info->dlpi_phdr[i].p_memsz, search->from, search->to);
        else if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) /* the linker's: where None and its like are */
            search->found -= opw_words(start, info->dlpi_phdr[i].p_memsz, search->from, search->to);
    }
    return ours;
}

/* Words of the module's statics. */
static long opw_in_statics(uintptr_t from, uintptr_t to)
{
    opw_search search = {from, to, (uintptr_t)&opw_the_unit, 0};
    dl_iterate_phdr(opw_search_object, &search);
    return search.found - opw_words(opw_dtypes, sizeof opw_dtypes, from, to); /* those are not the texts' */
}

/* Of an instance: the state of its ops, and what it keeps. */
static long opw_in_instance(const opw_function *self, uintptr_t from, uintptr_t to)
{
    const opw_program *p = self->code->program;
    long found = 0;
    uint32_t i;
    for (i = 0; self->structs && i < p->structs; i++)
        if (self->structs[i])
            found += opw_words(self->structs[i], malloc_usable_size(self->structs[i]), from, to);
    if (self->kept)
        found += opw_words(self->kept, self->code->kept * sizeof *self->kept, from, to);
    return found;
}

/* Of what the type of a variable declares. */
static long opw_in_slot(const char *slot, size_t size, uintptr_t from, uintptr_t to)
{
    return opw_words(slot + sizeof(PyObject *), size - sizeof(PyObject *), from, to);
}

/* Of memory that is reserved. */
static long opw_in_memory(uintptr_t from, uintptr_t to)
{
    long found = 0;
    size_t i;
    for (i = 0; i < opw_ledger.count; i++)
        if (opw_ledger.blocks[i].state == OPW_LIVE)
            found += opw_words(opw_ledger.blocks[i].p, opw_ledger.blocks[i].size, from, to);
    return found;
}

/* ---- variables that are entered ---- */

static opw_living *opw_living_at(const char *slot)
{
    size_t i;
    for (i = opw_ledger.living_count; i-- > 0;)
        if (opw_ledger.living[i].slot == slot)
            return &opw_ledger.living[i];
    return NULL;
}

static void opw_enter_living(char *slot, size_t size)
{
    opw_living *living = opw_living_at(slot);
    if (living || (living = OPW_MORE(opw_ledger.living, opw_ledger.living_count, opw_ledger.living_room)))
        *living = (opw_living){slot, size};
}

static void opw_leave_living(const char *slot)
{
    opw_living *living = opw_living_at(slot);
    if (living)
        *living = opw_ledger.living[--opw_ledger.living_count];
}

/* Where a variable of a frame was entered: a call has copies of the constants. */
static char *opw_home(const opw_page *page, char *slot)
{
    size_t at = (size_t)(slot - page->frame);
    return !opw_living_at(slot) && page->self->constants && at < page->self->code->constants_end ? page->self->constants + at : slot;
}

/* ---- claims ---- */

static opw_claim *opw_claim_of(const PyObject *object, const void *holder)
{
    size_t i;
    for (i = 0; i < opw_ledger.claim_count; i++)
        if (opw_ledger.claims[i].object == object && opw_ledger.claims[i].holder == holder)
            return &opw_ledger.claims[i];
    return NULL;
}

static long opw_claimed(const PyObject *object, const void *holder)
{
    const opw_claim *claim = opw_claim_of(object, holder);
    return claim ? claim->count : 0;
}

/* Whether a holder, or any, has a claim to an object. */
static int opw_is_claimed(const PyObject *object)
{
    size_t i;
    for (i = 0; i < opw_ledger.claim_count; i++)
        if (opw_ledger.claims[i].object == object && opw_ledger.claims[i].count)
            return 1;
    return 0;
}

static void opw_claim_more(PyObject *object, const void *holder, long n, opw_spot came, int32_t place)
{
    opw_claim *claim = opw_claim_of(object, holder);
    if (!claim && !(claim = OPW_MORE(opw_ledger.claims, opw_ledger.claim_count, opw_ledger.claim_room)))
        return;
    *claim = (opw_claim){object, holder, claim->count + n, came, place};
}

/* A holder gives up to n references; how many it had. */
static long opw_claim_less(const PyObject *object, const void *holder, long n)
{
    opw_claim *claim = opw_claim_of(object, holder);
    if (!claim)
        return 0;
    if (claim->count > n)
        claim->count -= n;
    else {
        n = claim->count;
        *claim = opw_ledger.claims[--opw_ledger.claim_count];
    }
    return n;
}

static void opw_forget_claims(const void *holder)
{
    size_t i;
    for (i = opw_ledger.claim_count; i-- > 0;)
        if (opw_ledger.claims[i].holder == holder)
            opw_ledger.claims[i] = opw_ledger.claims[--opw_ledger.claim_count];
}

/* How many references to an object are held elsewhere than in variables, of up to n: those claims are made. */
static long opw_claim_elsewhere(const opw_page *page, PyObject *object, long n, opw_spot came, int32_t place)
{
    uintptr_t from = (uintptr_t)object;
    long words[] = {opw_in_instance(page->self, from, from + 1), opw_in_statics(from, from + 1) + opw_in_memory(from, from + 1)}, rest = n;
    const void *holders[] = {page->self, NULL};
    int i;
    for (i = 0; i < 2; i++) {
        long more = words[i] - opw_claimed(object, holders[i]);
        more = more > rest ? rest : more;
        if (more > 0) {
            opw_claim_more(object, holders[i], more, came, place);
            rest -= more;
        }
    }
    return n - rest;
}
