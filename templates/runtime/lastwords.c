/* What a process that runs others' C says when a signal ends it: where it stood, how it came there, and what lies where in its
 * memory, as numbers. Who started it reads that and makes names of it: nothing here asks for memory or takes a lock. */
/* ---- last words --------------------------------------------------------------------------------------------------- */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#if defined(__GLIBC__)
#include <execinfo.h>
#endif

#define OPW_DEPTH 64                 /* frames that are told */
#define OPW_SIGNAL_STACK (1 << 16)   /* bytes: a stack that has run over cannot be used */

static int opw_words_at = -1;

static void opw_tell(const char *text, size_t length)
{
    while (length) {
        ssize_t n = write(opw_words_at, text, length);
        if (n <= 0)
            return;
        text += n;
        length -= (size_t)n;
    }
}

static void opw_tell_number(const char *what, uintptr_t value)
{
    char line[64];
    size_t at = sizeof line;
    line[--at] = '\n';
    do
        line[--at] = "0123456789abcdef"[value & 15];
    while (value >>= 4);
    line[--at] = ' ';
    opw_tell(what, strlen(what));
    opw_tell(line + at, sizeof line - at);
}

static void opw_tell_maps(void)
{
    char buffer[4096];
    ssize_t n;
    int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (maps < 0)
        return;
    opw_tell("maps\n", 5);
    while ((n = read(maps, buffer, sizeof buffer)) > 0)
        opw_tell(buffer, (size_t)n);
    close(maps);
}

/* Where a call that led nowhere would have returned to: the top of the stack. */
static uintptr_t opw_way_back(uintptr_t stack)
{
    uintptr_t word = 0;
    struct iovec here = {&word, sizeof word}, there = {(void *)stack, sizeof word};
    return syscall(SYS_process_vm_readv, getpid(), &here, 1UL, &there, 1UL, 0UL) == (long)sizeof word ? word : 0;
}

static void opw_last_words(int number, siginfo_t *info, void *context)
{
    uintptr_t at, stack;
    const opw_block *block;
#if defined(__GLIBC__)
    void *frames[OPW_DEPTH];
    int i, n;
#endif
    signal(number, SIG_DFL); /* what goes wrong here ends the process */
    opw_standing(context, &at, &stack);
    opw_tell_number("signal", (uintptr_t)number);
    opw_tell_number("address", info->si_code > 0 ? (uintptr_t)info->si_addr : 0);
    opw_tell_number("at", at);
    opw_tell_number("back", opw_way_back(stack));
    block = info->si_code > 0 ? opw_block_beside((uintptr_t)info->si_addr) : NULL;
    if (block) {
        opw_tell_number("block", (uintptr_t)block->start);
        opw_tell_number("size", block->size);
    }
    opw_tell_maps();
    opw_tell("frames\n", 7);
#if defined(__GLIBC__)
    n = backtrace(frames, OPW_DEPTH); /* last: a stack that is broken may end it */
    for (i = 0; i < n; i++)
        opw_tell_number("frame", (uintptr_t)frames[i]);
#endif
    opw_tell("end\n", 4);
    raise(number);
}

/* last_words(file): from now on a signal that ends the process is told there. */
static PyObject *opw_py_last_words(PyObject *module, PyObject *file)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    static char own[OPW_SIGNAL_STACK];
    const stack_t stack = {.ss_sp = own, .ss_size = sizeof own};
    const struct rlimit none = {0, 0};
    struct sigaction ours;
    size_t i;
    long number = PyLong_AsLong(file);
    (void)module;
    if (number == -1 && PyErr_Occurred())
        return NULL;
    opw_words_at = (int)number;
#if defined(__GLIBC__)
    {
        void *first[1];
        (void)backtrace(first, 1); /* loads what it needs, which a handler must not */
    }
#endif
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = opw_last_words;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    if (sigaltstack(&stack, NULL))
        return PyErr_SetFromErrno(PyExc_OSError);
    for (i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], &ours, NULL))
            return PyErr_SetFromErrno(PyExc_OSError);
    (void)setrlimit(RLIMIT_CORE, &none);
    Py_RETURN_NONE;
}
