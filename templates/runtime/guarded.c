/* Memory for arrays that shows what is done to it: it is full of a byte when it is given, lies between bytes of a pattern, and, where
 * that is asked, between pages that nobody may touch. NumPy asks here while it is told to; what was given here comes back here. */
/* ---- guarded memory ------------------------------------------------------------------------------------------------ */
#include <pthread.h>
#include <sys/mman.h>

#define OPW_BESIDE 64              /* bytes of pattern on each side, where there is room for them */
#define OPW_PATTERN 0xC5
#define OPW_FENCED ((size_t)1 << 28) /* the largest that lies between pages */
#define OPW_TOLD 32                /* writes beside memory that was given back since */

typedef struct opw_block {
    struct opw_block *next;
    char *map;                     /* what was asked of the system */
    size_t mapped;
    char *start, *from, *to;       /* the array's first byte; where the pattern begins and ends */
    size_t size;
    int pages;
} opw_block;

typedef struct {
    char *start;
    size_t size;
    ptrdiff_t first;               /* counted from the array's first byte */
    size_t number;
} opw_beside;

static pthread_mutex_t opw_blocks_lock = PTHREAD_MUTEX_INITIALIZER;
static opw_block *volatile opw_blocks;
static opw_beside opw_told[OPW_TOLD];
static size_t opw_tolds;
static unsigned char opw_fill;
static int opw_pages;
static PyObject *opw_handler_before;

/* AddressSanitizer's, where a process has it: what is written into the pattern is then told by its line. */
extern void __asan_poison_memory_region(const volatile void *start, size_t size) __attribute__((weak));

/* What was written beside a block; its pattern is whole again. */
static int opw_look_beside(opw_block *block, opw_beside *found)
{
    char *at;
    found->number = 0;
    for (at = block->from; at < block->to; at++) {
        if (at == block->start)
            at += block->size;
        if (at >= block->to)
            break;
        if ((unsigned char)*at == OPW_PATTERN)
            continue;
        if (!found->number++)
            found->first = at - block->start;
        *at = (char)OPW_PATTERN;
    }
    found->start = block->start;
    found->size = block->size;
    return found->number != 0;
}

static int opw_map_block(opw_block *block, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), body = (size + OPW_BESIDE + page - 1) / page * page;
    const size_t last = (size + 7) / 8 * 8 % 16 ? (size + 7) / 8 * 8 : (size + 15) / 16 * 16; /* as aligned as it is long */
    block->mapped = body + 2 * page;
    block->map = mmap(NULL, block->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block->map == MAP_FAILED || mprotect(block->map + page, body, PROT_READ | PROT_WRITE)) {
        if (block->map != MAP_FAILED)
            munmap(block->map, block->mapped);
        return -1;
    }
    block->to = block->map + page + body;
    block->start = block->to - last;
    block->from = block->start - OPW_BESIDE;
    return 0;
}

static void *opw_guarded_malloc(void *context, size_t size)
{
    opw_block *block = calloc(1, sizeof *block);
    (void)context;
    if (!block)
        return NULL;
    block->size = size;
    block->pages = opw_pages && size <= OPW_FENCED && !opw_map_block(block, size);
    if (!block->pages) {
        block->map = malloc(size + 2 * OPW_BESIDE);
        if (!block->map) {
            free(block);
            return NULL;
        }
        block->from = block->map;
        block->start = block->from + OPW_BESIDE;
        block->to = block->start + size + OPW_BESIDE;
    }
    memset(block->from, OPW_PATTERN, (size_t)(block->start - block->from));
    memset(block->start, opw_fill, size);
    memset(block->start + size, OPW_PATTERN, (size_t)(block->to - block->start) - size);
    if (__asan_poison_memory_region) {
        __asan_poison_memory_region(block->from, (size_t)(block->start - block->from));
        __asan_poison_memory_region(block->start + size, (size_t)(block->to - block->start) - size);
    }
    pthread_mutex_lock(&opw_blocks_lock);
    block->next = opw_blocks;
    opw_blocks = block;
    pthread_mutex_unlock(&opw_blocks_lock);
    return block->start;
}

static void *opw_guarded_calloc(void *context, size_t number, size_t size)
{
    void *found = size && number > SIZE_MAX / size ? NULL : opw_guarded_malloc(context, number * size);
    return found ? memset(found, 0, number * size) : NULL;
}

static void opw_guarded_free(void *context, void *memory, size_t size)
{
    opw_block *volatile *at = &opw_blocks, *block;
    (void)context, (void)size;
    pthread_mutex_lock(&opw_blocks_lock);
    while (*at && (*at)->start != (char *)memory)
        at = &(*at)->next;
    block = *at;
    if (block) {
        *at = block->next;
        if (opw_tolds < OPW_TOLD && opw_look_beside(block, &opw_told[opw_tolds]))
            opw_tolds++;
    }
    pthread_mutex_unlock(&opw_blocks_lock);
    if (!block)
        return;
    if (block->pages)
        munmap(block->map, block->mapped);
    else
        free(block->map);
    free(block);
}

static void *opw_guarded_realloc(void *context, void *memory, size_t size)
{
    void *found = opw_guarded_malloc(context, size);
    opw_block *block;
    size_t before = 0;
    if (!memory || !found)
        return found;
    pthread_mutex_lock(&opw_blocks_lock);
    for (block = opw_blocks; block; block = block->next)
        if (block->start == (char *)memory)
            before = block->size;
    pthread_mutex_unlock(&opw_blocks_lock);
    memcpy(found, memory, before < size ? before : size);
    opw_guarded_free(context, memory, before);
    return found;
}

static PyDataMem_Handler opw_guarding = {
    "opweld_guarded", 1,
    {NULL, opw_guarded_malloc, opw_guarded_calloc, opw_guarded_realloc, opw_guarded_free},
};

/* Memory of the C library's, which is given back at once: what watches the process sees the end of each array. NumPy keeps small ones. */
static void *opw_unkept_malloc(void *context, size_t size) { return (void)context, malloc(size ? size : 1); }
static void *opw_unkept_calloc(void *context, size_t n, size_t size) { return (void)context, calloc(n ? n : 1, size ? size : 1); }
static void *opw_unkept_realloc(void *context, void *at, size_t size) { return (void)context, realloc(at, size ? size : 1); }
static void opw_unkept_free(void *context, void *at, size_t size) { (void)context, (void)size, free(at); }

static PyDataMem_Handler opw_unkeeping = {
    "opweld_unkept", 1,
    {NULL, opw_unkept_malloc, opw_unkept_calloc, opw_unkept_realloc, opw_unkept_free},
};

/* unkept(): from now on NumPy's arrays lie in memory that goes when they go. */
static PyObject *opw_py_unkept(PyObject *module, PyObject *none)
{
    PyObject *handler = PyCapsule_New(&opw_unkeeping, "mem_handler", NULL), *before;
    (void)module, (void)none;
    if (!handler)
        return NULL;
    before = PyDataMem_SetHandler(handler);
    Py_DECREF(handler);
    if (!before)
        return NULL;
    Py_DECREF(before);
    Py_RETURN_NONE;
}

/* The block beside which an address lies; NULL: there is none. It takes no lock: a signal may ask. */
static const opw_block *opw_block_beside(uintptr_t address)
{
    const opw_block *block = opw_blocks;
    while (block && !(block->pages && (uintptr_t)block->map <= address && address < (uintptr_t)block->map + block->mapped))
        block = block->next;
    return block;
}

/* guarded(fill, pages): from now on NumPy's arrays lie in such memory, full of a byte, between pages or not. */
static PyObject *opw_py_guarded(PyObject *module, PyObject *args)
{
    PyObject *handler;
    unsigned char fill;
    int pages;
    (void)module;
    if (!PyArg_ParseTuple(args, "bp", &fill, &pages))
        return NULL;
    if (opw_handler_before) {
        PyErr_SetString(PyExc_RuntimeError, "guarded() was called, and unguarded() has not been since");
        return NULL;
    }
    handler = PyCapsule_New(&opw_guarding, "mem_handler", NULL);
    if (!handler)
        return NULL;
    opw_fill = fill;
    opw_pages = pages;
    opw_tolds = 0;
    opw_handler_before = PyDataMem_SetHandler(handler);
    Py_DECREF(handler);
    if (!opw_handler_before)
        return NULL;
    Py_RETURN_NONE;
}

/* unguarded(): as before; what was written beside such memory since, as (address, size, first, number). */
static PyObject *opw_py_unguarded(PyObject *module, PyObject *none)
{
    PyObject *before = opw_handler_before, *list, *one;
    opw_beside found[OPW_TOLD];
    opw_block *block;
    size_t i, n;
    (void)module, (void)none;
    if (!before)
        return PyList_New(0);
    opw_handler_before = NULL;
    one = PyDataMem_SetHandler(before);
    Py_DECREF(before);
    if (!one)
        return NULL;
    Py_DECREF(one);
    pthread_mutex_lock(&opw_blocks_lock);
    n = opw_tolds;
    memcpy(found, opw_told, sizeof found);
    for (block = opw_blocks; block && n < OPW_TOLD; block = block->next)
        n += (size_t)opw_look_beside(block, &found[n]);
    pthread_mutex_unlock(&opw_blocks_lock);
    list = PyList_New(0);
    for (i = 0; list && i < n; i++) {
        one = Py_BuildValue("(nnnn)", (Py_ssize_t)found[i].start, (Py_ssize_t)found[i].size, (Py_ssize_t)found[i].first,
                            (Py_ssize_t)found[i].number);
        if (!one || PyList_Append(list, one))
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}
