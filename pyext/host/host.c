// Keeps the signal handlers and limits of the process that loads the engine.
//
// Go's runtime takes SIGSEGV, SIGBUS, SIGFPE, SIGPIPE and SIGURG as soon as it is loaded, and raises the soft limit of open
// files. What was there is noted before, by a constructor that runs first, and given back after. SIGPIPE and SIGURG are not
// needed: the engine writes to no pipe whose reader may go, and its goroutines are not preempted by signals (setup.py:
// asyncpreemptoff). A fault in the engine's own code becomes a panic, which is recovered; every other one, and a signal
// that somebody sends, goes where it went before.
#define _GNU_SOURCE
#include "host.h"

#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <ucontext.h>

enum { FAULTS = 3, ALL = 5 };

static const int numbers[ALL] = {SIGSEGV, SIGBUS, SIGFPE, SIGPIPE, SIGURG};
static struct sigaction before[ALL], go[FAULTS];
static struct rlimit files;
static int noted;
static uintptr_t code_begin, code_end;

__attribute__((constructor(101))) static void note(void)
{
    noted = getrlimit(RLIMIT_NOFILE, &files) == 0;
    for (int i = 0; i < ALL; i++)
        noted = noted && sigaction(numbers[i], NULL, &before[i]) == 0;
}

static uintptr_t place_of(void *context)
{
    ucontext_t *at = context;
#if defined(__x86_64__)
    return (uintptr_t)at->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)at->uc_mcontext.pc;
#else
#error "say where the program counter of this processor is"
#endif
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    int i = 0;
    while (numbers[i] != number)
        i++;
    uintptr_t place = place_of(context);
    struct sigaction *to = &before[i];
    if (info->si_code > 0 && place >= code_begin && place < code_end)
        to = &go[i];
    if (to->sa_flags & SA_SIGINFO) {
        to->sa_sigaction(number, info, context);
    } else if (to->sa_handler == SIG_DFL || (to->sa_handler == SIG_IGN && info->si_code > 0)) {
        struct sigaction end = {.sa_handler = SIG_DFL};
        sigaction(number, &end, NULL); // and it happens again when this returns
        if (info->si_code <= 0)
            raise(number);
    } else if (to->sa_handler != SIG_IGN) {
        to->sa_handler(number);
    }
}

// find_code looks for the part of a loaded library that holds this very function.
static int find_code(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size, (void)unused;
    uintptr_t here = (uintptr_t)&on_fault;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        uintptr_t begin = library->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && here >= begin && here < begin + part->p_memsz) {
            code_begin = begin;
            code_end = begin + part->p_memsz;
            return 1;
        }
    }
    return 0;
}

void opweld_host_restore(void)
{
    if (!noted)
        return;
    noted = 0;
    setrlimit(RLIMIT_NOFILE, &files);
    for (int i = FAULTS; i < ALL; i++)
        sigaction(numbers[i], &before[i], NULL);
    if (!dl_iterate_phdr(find_code, NULL))
        return;
    for (int i = 0; i < FAULTS; i++) {
        struct sigaction ours;
        sigaction(numbers[i], NULL, &go[i]);
        ours = go[i];
        ours.sa_sigaction = on_fault;
        ours.sa_flags |= SA_SIGINFO;
        sigaction(numbers[i], &ours, NULL);
    }
}
