/* A pool of threads, one a process. */
/* ---- pool --------------------------------------------------------------------------------------------------------- */

/* Threads are made when a work first wants them, wait for the next, and are never joined: they end with the process. A fork has none
   of them, and begins with an empty pool. One work has the pool at a time; who finds it taken runs alone, so that there are never more
   threads at work than callers and the pool's own. */
#include "floats.h"
#include "pool.h"
#include <pthread.h>
#include <signal.h>
#include <time.h>

/* How long who has nothing to do looks whether there is more before it sleeps: as long as it takes to wake a thread whose core sleeps.
   Loops come one after another, and the last parts of one end at about the same time. */
#define OPW_LOOKS_NS 50000

/* A work. It lies on its caller's stack, who waits until no thread is inside. */
typedef struct {
    opw_part_fn part;
    void *work;
    intptr_t n, next, failed; /* failed: the first part that has, n: none */
    int status;               /* of that */
    int wanted;               /* threads that may still come */
    unsigned long inside;     /* that have not left */
    int floats;               /* the processor's remarks, which are a thread's own */
    fenv_t environment;       /* the caller's: rounding, subnormal numbers */
} opw_work;

static struct {
    pthread_mutex_t taken, lock; /* lock: of all that follows, and of a work's wanted, inside, failed, status, floats */
    pthread_cond_t wake, left;
    opw_work *work;
    unsigned long turn;          /* of works: a thread comes to each once */
    int threads;
} opw_pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0, 0};

/* Notes that a part has failed. */
static void opw_note_failure(opw_work *w, intptr_t part, int status)
{
    pthread_mutex_lock(&opw_pool.lock);
    if (part < w->failed) {
        __atomic_store_n(&w->failed, part, __ATOMIC_RELAXED);
        w->status = status;
    }
    pthread_mutex_unlock(&opw_pool.lock);
}

/* Runs parts as long as there are any. They are begun in their order: all before one that failed are run to their end. */
static void opw_work_on(opw_work *w)
{
    intptr_t i;
    int status;
    while ((i = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED)) < w->n && i < __atomic_load_n(&w->failed, __ATOMIC_RELAXED))
        if ((status = w->part(w->work, i)))
            opw_note_failure(w, i, status);
}

/* Looks, for a while, whether others make another of a number. No lock is held. 0: it is what it was. */
static int opw_look(const unsigned long *number, unsigned long was)
{
    struct timespec begun, now;
    int i;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do {
        for (i = 0; i < 32; i++) {
            if (__atomic_load_n(number, __ATOMIC_ACQUIRE) != was)
                return 1;
#if defined(__x86_64__)
            __builtin_ia32_pause();
#elif defined(__aarch64__)
            __asm__ __volatile__("yield");
#endif
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begun.tv_sec) * 1000000000L + now.tv_nsec - begun.tv_nsec < OPW_LOOKS_NS);
    return 0;
}

/* What a thread of the pool does, for ever. */
static void *opw_be_in_pool(void *unused)
{
    unsigned long turn = 0;
    int floats;
    pthread_mutex_lock(&opw_pool.lock);
    for (;;) {
        opw_work *w = opw_pool.work;
        if (!w || !w->wanted || turn == opw_pool.turn) {
            pthread_cond_wait(&opw_pool.wake, &opw_pool.lock);
            continue;
        }
        turn = opw_pool.turn;
        w->wanted--;
        w->inside++;
        pthread_mutex_unlock(&opw_pool.lock);
        fesetenv(&w->environment);
        feclearexcept(FE_ALL_EXCEPT);
        opw_work_on(w);
        floats = fetestexcept(FE_ALL_EXCEPT);
        pthread_mutex_lock(&opw_pool.lock);
        w->floats |= floats;
        if (!__atomic_sub_fetch(&w->inside, 1, __ATOMIC_RELEASE)) /* the last that is done with the work: its caller may leave */
            pthread_cond_signal(&opw_pool.left);
        pthread_mutex_unlock(&opw_pool.lock);
        opw_look(&opw_pool.turn, turn);
        pthread_mutex_lock(&opw_pool.lock);
    }
    return unused;
}

/* Makes threads until there are as many; the lock is held. Where none can be made those that are there must do. */
static void opw_fill_pool(int threads)
{
    pthread_attr_t detached;
    pthread_t thread;
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}; /* whose handlers tell of a crash */
    sigset_t others, before;
    size_t i;
    if (opw_pool.threads >= threads || pthread_attr_init(&detached))
        return;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    sigfillset(&others);
    for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigdelset(&others, faults[i]);
    pthread_sigmask(SIG_SETMASK, &others, &before); /* signals are for Python's threads, but those of what a thread does itself */
    while (opw_pool.threads < threads && !pthread_create(&thread, &detached, opw_be_in_pool, NULL))
        opw_pool.threads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
}

/* Lets the pool's threads come to a work, does it with them, and waits for those who came. */
static void opw_work_together(opw_work *w)
{
    unsigned long inside;
    pthread_mutex_lock(&opw_pool.lock);
    opw_fill_pool(w->wanted);
    opw_pool.work = w;
    __atomic_store_n(&opw_pool.turn, opw_pool.turn + 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&opw_pool.wake);
    pthread_mutex_unlock(&opw_pool.lock);
    opw_work_on(w);
    pthread_mutex_lock(&opw_pool.lock);
    opw_pool.work = NULL;
    inside = w->inside;
    pthread_mutex_unlock(&opw_pool.lock);
    while (inside && opw_look(&w->inside, inside))
        inside = __atomic_load_n(&w->inside, __ATOMIC_ACQUIRE);
    pthread_mutex_lock(&opw_pool.lock);
    while (w->inside)
        pthread_cond_wait(&opw_pool.left, &opw_pool.lock);
    pthread_mutex_unlock(&opw_pool.lock);
}

static int opw_run_in_pool(int threads, intptr_t n, opw_part_fn part, void *work)
{
    opw_work w = {part, work, n, 0, n, 0, 0, 0, 0, {0}};
    if (threads < 2 || n < 2 || pthread_mutex_trylock(&opw_pool.taken)) {
        opw_work_on(&w);
        return w.status;
    }
    w.wanted = (n < threads ? (int)n : threads) - 1;
    fegetenv(&w.environment);
    opw_work_together(&w);
    pthread_mutex_unlock(&opw_pool.taken);
    opw_meet_floats(w.floats);
    return w.status;
}

/* In the child of a fork there is one thread, which is at no work. */
static void opw_empty_pool(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    opw_pool.taken = opw_pool.lock = lock;
    opw_pool.wake = opw_pool.left = condition;
    opw_pool.work = NULL;
    opw_pool.threads = 0;
}

/* Non-zero: no memory. To be called once. */
static int opw_open_pool(void) { return pthread_atfork(NULL, NULL, opw_empty_pool); }
