/* A page: the objects that a text has met, and what was found wrong. */
#include "book.h"
#include <link.h>
#include <malloc.h>
#include <pthread.h>

typedef struct {
    const char *what, *file; /* file: of a #line mark; NULL: there is no such place */
    int line;
} opw_spot;

#define OPW_HERE_IS ((opw_spot){what, file, line})
#define OPW_TAKEN 4 /* places that are remembered of those where an object was taken and not yet given up */

/* An object on a page. */
typedef struct {
    PyObject *object;
    long balance;            /* references taken, less those given up */
    long before, after;      /* how many of the step's variables hold it */
    long refused;            /* releases that were not done: there was nothing left to release */
    int known;               /* it was seen where it came from: whose its references are is known */
    int lent;                /* it came from somebody who keeps the reference */
    int used;                /* it was said that it was used when it was no more */
    enum { OPW_FREE, OPW_WITHHELD, OPW_GUARDED } kept; /* alive by the page: by the text's last reference, or by one more */
    opw_spot came, ended, left; /* where it came from, where the last reference that there was was given up, and the last of all */
    opw_spot taken[OPW_TAKEN];
    long takes;
} opw_item;

/* A variable's word at the start of a step, where what its type declares is one. */
typedef struct {
    char *slot; /* NULL: the type declares something else */
    void *value;
} opw_word;

/* One run of a text, in one thread: of a step, or of a type for one variable. */
typedef struct opw_page {
    struct opw_page *outer;
    opw_function *self;
    char *frame;
    int32_t place;           /* which of Program's steps; -1 - n: type n */
    const opw_step *step;    /* NULL: a text of a type's */
    const opw_type *type;    /* that type, its variable's slot, and which of its hooks it is */
    char *slot;
    const char *hook;
    int way, held;           /* what the hook does; whether the variable is entered when it has ended */
    int freed;               /* memory was freed, or lost */
    opw_word *words;         /* of each variable of the step; NULL: there are none that are one word */
    opw_item *items;
    size_t count, room;
    uint32_t *places;        /* by the hash of an object: 1 + which item; 0: none */
    size_t buckets;          /* a power of two */
    size_t withheld;         /* how many objects are, at most: OPW_WITHHOLDS */
    int loop;                /* a loop's: the engine makes the arrays */
    int full;                /* there was no memory: nothing is said */
} opw_page;

/* Memory that a text has reserved. */
typedef struct {
    char *p;
    size_t size;
    void (*end)(void *);
    opw_spot came, left;
    opw_page *page;          /* of the text that reserved it, as long as that runs */
    const char *slot;        /* of the variable through which alone it is reached; NULL: there is none */
    int32_t place;
    enum { OPW_LIVE, OPW_GONE } state; /* gone: freed by the text; it is given back when that ends */
    int reached;
} opw_chunk;

/* References that something holds when the text that took them has ended. */
typedef struct {
    PyObject *object;
    const void *holder;      /* a variable's slot; an instance: what its ops keep; NULL: statics, and memory that is reserved */
    long count;
    opw_spot came;           /* where the last was taken, and by whose text */
    int32_t place;
} opw_claim;

/* A variable of a type that has texts of its own, from the one that enters it to the one that leaves it. */
typedef struct {
    char *slot;
    size_t size;
} opw_living;

typedef struct {
    const char *rule;
    int32_t place;
    opw_spot at, other;
    char type[80];           /* of the object; empty: memory */
    unsigned long long count, size;
} opw_finding;

struct opw_book {
    opw_finding *findings;
    size_t count, room;
    int fresh;               /* there are some that nobody was told of */
    int gone;                /* the texts that leave the constants have run: there is nothing to call any more */
};

static PyObject *opw_vectorcall(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *names);

static __thread opw_page *opw_page_now;
static struct {
    pthread_mutex_t lock;    /* of the blocks; the rest is under the GIL */
    opw_chunk *blocks;
    size_t count, room;
    opw_claim *claims;
    size_t claim_count, claim_room;
    opw_living *living;
    size_t living_count, living_room;
} opw_ledger = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define OPW_WITHHOLDS 4096

/* Room for one more of what an array holds; NULL: there is none. */
static void *opw_more(void **array, size_t *count, size_t *room, size_t size)
{
    if (*count == *room) {
        size_t wanted = *room ? *room * 2 : 16;
        void *grown = realloc(*array, wanted * size);
        if (!grown)
            return NULL;
        *array = grown;
        *room = wanted;
    }
    return memset((char *)*array + (*count)++ * size, 0, size);
}
#define OPW_MORE(array, count, room) ((__typeof__(array))opw_more((void **)&(array), &(count), &(room), sizeof *(array)))

/* ---- findings ---- */

static void opw_find(const opw_page *page, int32_t place, const char *rule, PyObject *object, opw_spot at, opw_spot other, unsigned long long size)
{
    struct opw_book *book = page->self->book;
    opw_finding *f;
    size_t i;
    for (i = 0; i < book->count; i++) {
        f = &book->findings[i];
        if (f->rule == rule && f->place == place && f->at.line == at.line && f->at.what == at.what &&
            f->at.file == at.file && f->other.line == other.line) {
            f->count++;
            f->size += size;
            return;
        }
    }
    if (!(f = OPW_MORE(book->findings, book->count, book->room)))
        return;
    f->rule = rule;
    f->place = place;
    f->at = at;
    f->other = other;
    f->count = 1;
    f->size = size;
    if (object)
        PyOS_snprintf(f->type, sizeof f->type, "%s", Py_TYPE(object)->tp_name);
    book->fresh = 1;
}

/* ---- objects ---- */

static size_t opw_bucket(const opw_page *page, const void *object)
{
    return (size_t)(((uintptr_t)object >> 4) * (uintptr_t)0x9E3779B97F4A7C15u >> 20) & (page->buckets - 1);
}

static int opw_rehash(opw_page *page)
{
    size_t i, at;
    free(page->places);
    page->buckets = page->buckets ? page->buckets * 2 : 64;
    if (!(page->places = (uint32_t *)calloc(page->buckets, sizeof *page->places)))
        return -1;
    for (i = 0; i < page->count; i++) {
        for (at = opw_bucket(page, page->items[i].object); page->places[at]; at = (at + 1) & (page->buckets - 1))
            ;
        page->places[at] = (uint32_t)i + 1;
    }
    return 0;
}

static opw_item *opw_known_item(const opw_page *page, const void *object)
{
    size_t at;
    if (!page || !object || !page->buckets || page->full)
        return NULL;
    for (at = opw_bucket(page, object); page->places[at]; at = (at + 1) & (page->buckets - 1))
        if (page->items[page->places[at] - 1].object == object)
            return &page->items[page->places[at] - 1];
    return NULL;
}

/* The item of an object, which may be new; NULL: there is no object, no page or no memory. */
static opw_item *opw_item_of(opw_page *page, const void *object)
{
    opw_item *item = opw_known_item(page, object);
    size_t at;
    if (item || !page || !object || page->full)
        return item;
    if ((page->count * 2 >= page->buckets && opw_rehash(page)) || !(item = OPW_MORE(page->items, page->count, page->room))) {
        page->full = 1;
        return NULL;
    }
    item->object = (PyObject *)object;
    for (at = opw_bucket(page, object); page->places[at]; at = (at + 1) & (page->buckets - 1))
        ;
    page->places[at] = (uint32_t)page->count;
    return item;
}

/* Whether nothing but the page keeps the object alive. */
static int opw_is_dead(const opw_item *item) { return item->kept != OPW_FREE && Py_REFCNT(item->object) == 1; }

/* Says that an object is used which is no more; once an item. */
static void opw_used(opw_item *item, opw_spot at)
{
    if (!opw_is_dead(item) || item->used)
        return;
    opw_find(opw_page_now, opw_page_now->place, "use-after-release", item->object, at, item->ended.file ? item->ended : item->came, 0);
    item->used = 1;
}
