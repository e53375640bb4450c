/* A crash names itself: before the process dies as it would, the function, the op and the files of the code that was running
 * are written to stderr. In the handler nothing is called that is not async-signal-safe. */
/* ---- crashes ------------------------------------------------------------------------------------------------------ */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

/* Code that is known, and what is written where it crashes. Ranges are pushed, and never taken away. */
typedef struct opw_range {
    uintptr_t start, end;
    struct opw_range *next;
    size_t length;
    char text[];
} opw_range;

typedef struct {
    int signal;
    const char *name;
    struct sigaction before;
    volatile sig_atomic_t entered;
} opw_fatal;

static opw_range *volatile opw_ranges;
static opw_fatal opw_fatals[] = {
    {.signal = SIGSEGV, .name = "SIGSEGV"}, {.signal = SIGBUS, .name = "SIGBUS"}, {.signal = SIGFPE, .name = "SIGFPE"},
    {.signal = SIGILL, .name = "SIGILL"},   {.signal = SIGABRT, .name = "SIGABRT"},
};
#define OPW_FATALS (sizeof opw_fatals / sizeof *opw_fatals)
#define OPW_SEARCHED 4096 /* words of the stack */

static const opw_range *opw_range_of(uintptr_t address)
{
    const opw_range *range = opw_ranges;
    while (range && !(range->start <= address && address < range->end))
        range = range->next;
    return range;
}

/* Whether a call stands before an address of a range: a call returns there. Elsewhere it may be where a function begins, which the stack
   has too. */
static int opw_follows_call(const opw_range *range, uintptr_t address)
{
#if defined(__x86_64__)
    const unsigned char *end = (const unsigned char *)address;
    uintptr_t room = address - range->start, n;
    if (room >= 5 && end[-5] == 0xe8) /* of so many bytes */
        return 1;
    for (n = 2; n <= 7 && n <= room; n++)
        if (end[-(ptrdiff_t)n] == 0xff && (end[1 - (ptrdiff_t)n] & 0x38) == 0x10) /* by way of a register, or of memory */
            return 1;
    return 0;
#else
    (void)range, (void)address;
    return 1;
#endif
}

/* The range that runs, or, where it has called something else, the nearest one that a word of the stack leads back to. */
static const opw_range *opw_running(uintptr_t at, uintptr_t stack)
{
    const opw_range *found = opw_range_of(at);
    uintptr_t words[64];
    size_t done, i;
    for (done = 0; !found && done < OPW_SEARCHED; done += 64) {
        struct iovec here = {words, sizeof words}, there = {(void *)(stack + done * sizeof *words), sizeof words};
        ssize_t got = syscall(SYS_process_vm_readv, getpid(), &here, 1UL, &there, 1UL, 0UL); /* the stack may end before */
        for (i = 0; !found && got > 0 && i < (size_t)got / sizeof *words; i++)
            if ((found = opw_range_of(words[i] - 1)) && !opw_follows_call(found, words[i])) /* what a call returns to lies behind it */
                found = NULL;
        if (got < (ssize_t)sizeof words)
            break;
    }
    return found;
}

static void opw_say(const char *text, size_t length)
{
    while (length) {
        ssize_t n = write(2, text, length);
        if (n <= 0)
            return;
        text += n;
        length -= (size_t)n;
    }
}

/* Where the machine stands: its next instruction, and its stack. */
static void opw_standing(void *context, uintptr_t *at, uintptr_t *stack)
{
#if defined(__x86_64__)
    *at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    *stack = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    *at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.pc;
    *stack = (uintptr_t)((ucontext_t *)context)->uc_mcontext.sp;
#else
    (void)context;
    *at = *stack = 0;
#endif
}

static void opw_crash(int number, siginfo_t *info, void *context)
{
    int saved = errno, again;
    opw_fatal *fatal = opw_fatals;
    const opw_range *running;
    uintptr_t at, stack;
    while (fatal->signal != number)
        fatal++;
    again = fatal->entered;
    fatal->entered = 1;
    if (!again) {
        opw_standing(context, &at, &stack);
        running = opw_running(at, stack);
        if (running) {
            opw_say("opweld: ", 8);
            opw_say(fatal->name, strlen(fatal->name));
            opw_say(running->text, running->length);
        }
        sigaction(number, &fatal->before, NULL);
    } else {
        signal(number, SIG_DFL); /* a handler that was put in before this one leads back here */
    }
    errno = saved;
    if (info->si_code <= 0) /* it was sent: what runs on does not cause it again */
        raise(number);
}

/* Puts the handler before the one that is there. Non-zero: an exception is set. */
static int opw_watch_signals(void)
{
    size_t i;
    for (i = 0; i < OPW_FATALS; i++) {
        struct sigaction ours, now;
        memset(&ours, 0, sizeof ours);
        ours.sa_sigaction = opw_crash;
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigemptyset(&ours.sa_mask);
        if (sigaction(opw_fatals[i].signal, NULL, &now))
            return PyErr_SetFromErrno(PyExc_OSError) ? 0 : -1;
        if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == opw_crash)
            continue;
        opw_fatals[i].before = now;
        opw_fatals[i].entered = 0;
        if (sigaction(opw_fatals[i].signal, &ours, NULL))
            return PyErr_SetFromErrno(PyExc_OSError) ? 0 : -1;
    }
    return 0;
}

static PyObject *opw_py_watch(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    opw_range *range;
    const char *text;
    Py_ssize_t length;
    (void)module;
    if (n != 3 || !(text = PyUnicode_AsUTF8AndSize(args[2], &length))) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "watch() takes where code begins, where it ends, and what is said of it");
        return NULL;
    }
    range = PyMem_RawMalloc(sizeof *range + (size_t)length);
    if (!range)
        return PyErr_NoMemory();
    range->start = (uintptr_t)PyLong_AsUnsignedLongLong(args[0]);
    range->end = (uintptr_t)PyLong_AsUnsignedLongLong(args[1]);
    if (PyErr_Occurred() || opw_watch_signals()) {
        PyMem_RawFree(range);
        return NULL;
    }
    range->length = (size_t)length;
    memcpy(range->text, text, range->length);
    range->next = opw_ranges;
    __atomic_store_n(&opw_ranges, range, __ATOMIC_RELEASE);
    Py_RETURN_NONE;
}
