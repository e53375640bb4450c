/* The pool by itself, under ThreadSanitizer: many callers at once, parts that fail, remarks of the processor, a fork. Prints what is
   wrong, and nothing else. */
#include "pool.c"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PARTS 200
#define CALLERS 4
#define ROUNDS 300

typedef struct {
    long sums[PARTS];
    int fail_at, fail_too; /* parts that fail, the first one later than the other */
} job;

static int part(void *work, intptr_t i)
{
    job *j = (job *)work;
    volatile long k;
    for (k = 0; k < 50 + i % 7 * 100; k++)
        j->sums[i] += i;
    if (i == j->fail_at)
        usleep(1000);
    return i == j->fail_at || i == j->fail_too ? (int)i + 1 : 0;
}

static int wrong_sums(const job *j, int n)
{
    int i, wrong = 0;
    for (i = 0; i < n; i++)
        wrong += j->sums[i] != (50 + i % 7 * 100) * (long)i;
    return wrong;
}

static void *call(void *unused)
{
    int round;
    for (round = 0; round < ROUNDS; round++) {
        job j = {{0}, -1, -1};
        if (opw_run_in_pool(1 + round % 4, PARTS, part, &j) || wrong_sums(&j, PARTS))
            printf("sums\n");
        if (round % 10 == 0) {
            job failing = {{0}, 20, 150};
            if (opw_run_in_pool(3, PARTS, part, &failing) != 21 || wrong_sums(&failing, 21))
                printf("the first part that failed\n");
        }
    }
    return unused;
}

static void call_from_many(void)
{
    pthread_t callers[CALLERS];
    int i;
    for (i = 0; i < CALLERS; i++)
        if (pthread_create(&callers[i], NULL, call, NULL))
            abort();
    for (i = 0; i < CALLERS; i++)
        pthread_join(callers[i], NULL);
}

static int divide(void *work, intptr_t i)
{
    volatile double zero = 0, *to = (volatile double *)work;
    if (fegetround() != FE_UPWARD)
        return 1;
    usleep(1000);
    if (i == 3)
        *to = 1 / zero;
    return 0;
}

static void check_floats(void)
{
    double to;
    int i;
    for (i = 0; i < 20; i++) {
        fesetround(FE_UPWARD);
        feclearexcept(FE_ALL_EXCEPT);
        if (opw_run_in_pool(3, 8, divide, &to))
            printf("rounding\n");
        if (fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT) != FE_DIVBYZERO || fegetround() != FE_UPWARD)
            printf("remarks\n");
        fesetround(FE_TONEAREST);
    }
}

static void check_fork(void)
{
    int status;
    pid_t child = fork();
    job j = {{0}, -1, -1};
    if (!child) {
        int made = opw_pool.threads;
        _exit(made || opw_run_in_pool(2, PARTS, part, &j) || wrong_sums(&j, PARTS) || opw_pool.threads != 1);
    }
    waitpid(child, &status, 0);
    if (status)
        printf("fork: %d\n", status);
}

int main(int count, char **arguments)
{
    (void)arguments;
    if (opw_open_pool())
        abort();
    call_from_many();
    check_floats();
    if (opw_pool.threads != 3)
        printf("%d threads\n", opw_pool.threads);
    if (count > 1)
        check_fork();
    call(NULL);
    return 0; /* with threads that wait */
}
