/* What texts tell of memory. */
/* ---- memory ---- */

static opw_chunk *opw_chunk_of(const void *p)
{
    size_t i;
    for (i = opw_ledger.count; p && i-- > 0;)
        if (opw_ledger.blocks[i].p == (const char *)p)
            return &opw_ledger.blocks[i];
    return NULL;
}

static void opw_forget_chunk(opw_chunk *block) { *block = opw_ledger.blocks[--opw_ledger.count]; }

void *opw_reserved(void *p, size_t n, void (*end)(void *), const char *what, const char *file, int line)
{
    opw_page *page = opw_page_now;
    opw_chunk *block;
    if (!p || !page)
        return p;
    pthread_mutex_lock(&opw_ledger.lock);
    if ((block = opw_chunk_of(p)) || (block = OPW_MORE(opw_ledger.blocks, opw_ledger.count, opw_ledger.room)))
        *block = (opw_chunk){.p = (char *)p, .size = n, .end = end, .came = OPW_HERE_IS, .page = page, .place = page->place};
    pthread_mutex_unlock(&opw_ledger.lock);
    return p;
}

/* Says that memory was freed before. */
static void opw_freed_twice(const opw_chunk *block, opw_spot at)
{
    if (opw_page_now)
        opw_find(opw_page_now, opw_page_now->place, "double-release", NULL, at, block->left, 0);
}

int opw_may_renew(void *p, const char *what, const char *file, int line)
{
    opw_chunk *block;
    int gone;
    pthread_mutex_lock(&opw_ledger.lock);
    block = opw_chunk_of(p);
    gone = block && block->state == OPW_GONE;
    if (gone)
        opw_freed_twice(block, OPW_HERE_IS);
    pthread_mutex_unlock(&opw_ledger.lock);
    return !gone;
}

void *opw_renewed(void *old, void *p, size_t n, void (*end)(void *), const char *what, const char *file, int line)
{
    opw_chunk *block;
    if (!p)
        return NULL;
    pthread_mutex_lock(&opw_ledger.lock);
    if ((block = opw_chunk_of(old)))
        opw_forget_chunk(block);
    pthread_mutex_unlock(&opw_ledger.lock);
    return opw_reserved(p, n, end, what, file, line);
}

void opw_freed(void *p, void (*end)(void *), const char *what, const char *file, int line)
{
    opw_chunk *block;
    int now = 1;
    pthread_mutex_lock(&opw_ledger.lock);
    if ((block = opw_chunk_of(p))) {
        now = block->state == OPW_LIVE && !opw_page_now;
        if (block->state == OPW_GONE)
            opw_freed_twice(block, OPW_HERE_IS);
        else if (opw_page_now) {
            block->state = OPW_GONE;
            block->left = OPW_HERE_IS;
            block->page = opw_page_now;
        } else
            opw_forget_chunk(block);
    }
    pthread_mutex_unlock(&opw_ledger.lock);
    if (now)
        end(p);
}
