/* ---- places that are forced ---------------------------------------------------------------------------------------
   Compiled with OPW_FAULTS alone, for functions that are made with the option `faults`: in their modules every place that
   can fail asks here whether it is to fail. */
#ifdef OPW_FAULTS
#ifdef __GLIBC__
#include <dlfcn.h>
#include <execinfo.h>
#include <malloc.h>
#endif

extern const char opw_unit_places[], opw_runtime_places[]; /* a line of JSON for each */

#define OPW_PLACES 16384u

/* What is forced: a place, at its nth time; memory, from one request to another. */
static struct {
    uint32_t asked_of[OPW_PLACES], reached[OPW_PLACES]; /* how often, of a call or a condition; of a `fail` */
    uint32_t place, nth;
    PyObject *error; /* owned: what is raised */
    int counts;      /* requests for memory are counted, and those from one number to another refused */
    int within;      /* an allocator, which may ask another: one request, which was judged */
    uint64_t asked, from, to;
    PyFrameObject *caller; /* who called the function: else Python code runs */
    int64_t blocks;  /* that were given and not taken back while they were counted */
} opw_fault;

static int opw_due(unsigned place)
{
    opw_fault.asked_of[place]++;
    return opw_fault.place == place && opw_fault.nth && !--opw_fault.nth;
}

/* Whether the module asks for memory, by itself or by functions of CPython's: not NumPy for its own purposes, nor Python code that
   is run, which have faults of their own. through: by NumPy's functions too. */
static int opw_asks(int through)
{
#ifdef __GLIBC__
    void *at[64];
    Dl_info own, info;
    int i, depth;
    PyFrameObject *frame;
    if (!opw_fault.counts || opw_fault.within || !PyGILState_Check())
        return 0;
    opw_fault.counts = 0; /* a frame may have to be made */
    frame = PyEval_GetFrame();
    opw_fault.counts = 1;
    if (frame != opw_fault.caller)
        return 0;
    depth = backtrace(at, 64); /* slow: Python's own requests never come here */
    if (!dladdr((void *)opw_asks, &own))
        return 1;
    for (i = 0; i < depth && dladdr(at[i], &info) && info.dli_fbase == own.dli_fbase; i++) /* the allocator here */
        ;
    for (; i < depth && dladdr(at[i], &info); i++) {
        if (info.dli_fbase == own.dli_fbase)
            return 1;
        if (!through && info.dli_fname && strstr(info.dli_fname, "numpy"))
            return 0;
    }
    return 0;
#else
    (void)through;
    return 1;
#endif
}

static int opw_no_memory(int asks)
{
    uint64_t number = opw_fault.asked;
    if (!opw_fault.counts || !asks)
        return 0;
    opw_fault.asked++;
    return number >= opw_fault.from && number < opw_fault.to;
}

static void opw_raise_forced(unsigned place)
{
    PyErr_Format(opw_fault.error, "place %u is forced to fail", place);
}

int opw_forced(unsigned place)
{
    if (!opw_due(place))
        return 0;
    opw_raise_forced(place);
    return 1;
}

int opw_denied(unsigned place) { return opw_due(place) || opw_no_memory(1); }

int opw_branch(unsigned place) { return opw_due(place); }

/* A condition that asks a function of the user's, which sets the exception where it is to. */
int opw_answered(unsigned place)
{
    if (!opw_due(place))
        return 0;
    if (!PyErr_Occurred())
        opw_raise_forced(place);
    return 1;
}

void opw_reached(unsigned place) { opw_fault.reached[place]++; }

PyObject *opw_undone(unsigned place, PyObject *made)
{
    if (!opw_due(place))
        return made;
    Py_XDECREF(made);
    opw_raise_forced(place);
    return NULL;
}

int opw_unsaid(unsigned place, int status)
{
    if (!opw_due(place))
        return status;
    opw_raise_forced(place);
    return -1;
}

int opw_minus_one(void) { return -1; }

/* The allocators of CPython and of NumPy's data, with requests counted and refused. */
static PyMemAllocatorEx opw_allocators[3];

static void *opw_counted(void *block)
{
    opw_fault.blocks += block != NULL;
    return block;
}

static void *opw_limited_malloc(void *own, size_t size)
{
    PyMemAllocatorEx *a = (PyMemAllocatorEx *)own;
    void *block;
    if (opw_no_memory(opw_asks(0)))
        return NULL;
    opw_fault.within++;
    block = a->malloc(a->ctx, size);
    opw_fault.within--;
    return opw_counted(block);
}

static void *opw_limited_calloc(void *own, size_t number, size_t size)
{
    PyMemAllocatorEx *a = (PyMemAllocatorEx *)own;
    void *block;
    if (opw_no_memory(opw_asks(0)))
        return NULL;
    opw_fault.within++;
    block = a->calloc(a->ctx, number, size);
    opw_fault.within--;
    return opw_counted(block);
}

static void *opw_limited_realloc(void *own, void *block, size_t size)
{
    PyMemAllocatorEx *a = (PyMemAllocatorEx *)own;
    void *moved;
    if (opw_no_memory(opw_asks(0)))
        return NULL;
    opw_fault.within++;
    moved = a->realloc(a->ctx, block, size);
    opw_fault.within--;
    return block ? moved : opw_counted(moved);
}

static void opw_limited_free(void *own, void *block)
{
    PyMemAllocatorEx *a = (PyMemAllocatorEx *)own;
    opw_fault.blocks -= block != NULL;
    a->free(a->ctx, block);
}

static void *opw_data_malloc(void *own, size_t size)
{
    (void)own;
    return opw_no_memory(opw_asks(1)) ? NULL : opw_counted(malloc(size));
}

static void *opw_data_calloc(void *own, size_t number, size_t size)
{
    (void)own;
    return opw_no_memory(opw_asks(1)) ? NULL : opw_counted(calloc(number, size));
}

static void *opw_data_realloc(void *own, void *block, size_t size)
{
    (void)own;
    return opw_no_memory(opw_asks(1)) ? NULL : block ? realloc(block, size) : opw_counted(malloc(size));
}

/* Also of arrays that live on when nothing is counted any more: the module is never unloaded. */
static void opw_data_free(void *own, void *block, size_t size)
{
    (void)own, (void)size;
    opw_fault.blocks -= opw_fault.counts && block;
    free(block);
}

static PyDataMem_Handler opw_data_handler = {
    "opweld_faults", 1, {NULL, opw_data_malloc, opw_data_calloc, opw_data_realloc, opw_data_free},
};

/* Calls with requests for memory counted. */
static PyObject *opw_call_limited(PyObject *callable, PyObject *args, PyObject *names)
{
    static const PyMemAllocatorDomain domains[] = {PYMEM_DOMAIN_RAW, PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ};
    PyObject *result;
    int i;
#ifdef __GLIBC__
    {
        void *at[1];
        (void)backtrace(at, 1); /* the first time takes memory */
    }
#endif
    opw_fault.caller = PyEval_GetFrame();
    opw_fault.asked = 0;
    opw_fault.blocks = 0;
    for (i = 0; i < 3; i++) {
        PyMemAllocatorEx limited = {&opw_allocators[i], opw_limited_malloc, opw_limited_calloc, opw_limited_realloc, opw_limited_free};
        PyMem_GetAllocator(domains[i], &opw_allocators[i]);
        PyMem_SetAllocator(domains[i], &limited);
    }
    opw_fault.counts = 1;
    result = PyObject_Call(callable, args, names);
    opw_fault.counts = 0;
    for (i = 0; i < 3; i++)
        PyMem_SetAllocator(domains[i], &opw_allocators[i]);
    return result;
}

/* fault_memory(callable, args, from, to, names): calls, and refuses the requests for memory of these numbers. */
static PyObject *opw_fault_memory(PyObject *module, PyObject *given)
{
    PyObject *callable, *args, *names, *handler, *before, *result, *after;
    unsigned long long from, to;
    (void)module;
    if (!PyArg_ParseTuple(given, "OO!KKO!:fault_memory", &callable, &PyTuple_Type, &args, &from, &to, &PyDict_Type, &names))
        return NULL;
    if (!(handler = PyCapsule_New(&opw_data_handler, "mem_handler", NULL)))
        return NULL;
    before = PyDataMem_SetHandler(handler);
    Py_DECREF(handler);
    if (!before)
        return NULL;
    opw_fault.from = from;
    opw_fault.to = to;
    result = opw_call_limited(callable, args, names);
    {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        after = PyDataMem_SetHandler(before);
        Py_DECREF(before);
        Py_XDECREF(after);
        PyErr_Restore(type, value, traceback);
    }
    return result;
}

/* fault_arm(error, place, nth): what fails from now on; a place beyond all: none. Counts begin anew. */
static PyObject *opw_fault_arm(PyObject *module, PyObject *given)
{
    PyObject *error;
    (void)module;
    if (!PyArg_ParseTuple(given, "OII:fault_arm", &error, &opw_fault.place, &opw_fault.nth))
        return NULL;
    memset(opw_fault.asked_of, 0, sizeof opw_fault.asked_of);
    memset(opw_fault.reached, 0, sizeof opw_fault.reached);
    Py_INCREF(error);
    Py_XDECREF(opw_fault.error);
    opw_fault.error = error;
    Py_RETURN_NONE;
}

/* fault_state(): requests for memory, blocks kept, and both counts as bytes. */
static PyObject *opw_fault_state(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    return Py_BuildValue("KLy#y#", (unsigned long long)opw_fault.asked, (long long)opw_fault.blocks,
                         (const char *)opw_fault.asked_of, (Py_ssize_t)sizeof opw_fault.asked_of, (const char *)opw_fault.reached,
                         (Py_ssize_t)sizeof opw_fault.reached);
}

/* fault_places(): the runtime's, then the unit's. */
static PyObject *opw_fault_places(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    return PyUnicode_FromFormat("%s%s", opw_runtime_places, opw_unit_places);
}

/* fault_heap(): bytes that the C library's allocator has given out, where it tells. */
static PyObject *opw_fault_heap(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33)
#pragma weak mallinfo2 /* what this is linked with may be older than what it was compiled with */
    if (mallinfo2) {
        struct mallinfo2 info = mallinfo2();
        return PyLong_FromSize_t(info.uordblks + info.hblkhd);
    }
#endif
    return PyLong_FromSize_t(0);
}

#define OPW_FAULT_METHODS \
    {"fault_heap", opw_fault_heap, METH_NOARGS, NULL}, \
    {"fault_arm", opw_fault_arm, METH_VARARGS, NULL}, {"fault_memory", opw_fault_memory, METH_VARARGS, NULL}, \
    {"fault_state", opw_fault_state, METH_NOARGS, NULL}, {"fault_places", opw_fault_places, METH_NOARGS, NULL},
#else
#define OPW_FAULT_METHODS
#endif
/* ---- end of what forces places */
