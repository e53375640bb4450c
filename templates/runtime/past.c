/* Runs of loops of stores whose output goes past the caches. */
/* ---- stores past the caches --------------------------------------------------------------------------------------- */

#if defined(__SSE2__) && defined(__linux__)
#include <emmintrin.h>
#include <sys/mman.h>

#define OPW_PAGE 4096 /* bytes, or a part of what a page has */
#ifndef OPW_PUT /* what tests, which compile the runtime, say */
#define OPW_PUT _mm_stream_si128
#endif

/* Whether a page has been written to, or read. */
static int opw_is_touched(const char *p)
{
    unsigned char there = 0;
    return !mincore((char *)((npy_uintp)p & -(npy_uintp)OPW_PAGE), 1, &there) && there & 1;
}

/* How operands lie that are close, where a loop has text for that, and its one output of `n` elements goes past the caches; -1: it does not.
   It has to be so large that no cache holds it, and to lie apart from all that is read: what is read is in a cache anyhow. Memory that has not
   been touched yet is not written so: the system brings it near, to fill it with zeros. */
static int opw_goes_past(const opw_loop *work, npy_intp n, char *const *p, const npy_intp *s)
{
    const int out = work->inputs;
    const npy_intp bytes = n * s[out];
    int k;
    if (!opw_stores_past(bytes) || work->outputs != 1 || !work->lies || out >= OPW_ASKING_OPERANDS || (npy_uintp)p[out] % (npy_uintp)s[out])
        return -1;
    for (k = 0; k < out; k++)
        if (p[k] < p[out] + bytes && p[out] < p[k] + n * s[k])
            return -1;
    if (!opw_is_touched(p[out]) || !opw_is_touched(p[out] + bytes / 2) || !opw_is_touched(p[out] + bytes - 1))
        return -1;
    return work->lies(s);
}

/* Writes whole lines without reading them first. */
OPW_INLINE void opw_put_past(char *to, const char *from, npy_intp bytes)
{
    npy_intp i;
    for (i = 0; i < bytes; i += 16)
        OPW_PUT((__m128i *)(void *)(to + i), _mm_load_si128((const __m128i *)(const void *)(from + i)));
}

/* Runs n elements of such a loop: parts are computed into the nearest cache, and put past the others from there. */
OPW_APART static int opw_run_past(const opw_loop *work, npy_intp n, int how, char *const *p, const npy_intp *s)
{
    char some[OPW_ASKING_PART] __attribute__((aligned(OPW_LINE)));
    const int out = work->inputs;
    char *q[OPW_ASKING_OPERANDS] = {NULL}, *to = p[out];
    const npy_intp part = opw_part_of(s, out + 1);
    npy_intp i = (npy_intp)(-(npy_uintp)to % OPW_LINE) / s[out];
    int k, status = 0;
    if (n < 2 * part || part * s[out] % OPW_LINE)
        return opw_run_inner(work, n, p, s);
    opw_moved(p, s, 0, out + 1, q);
    if (i)
        status = work->close(OPW_N_HOW(i, how), q[0], q[1], q[2], q[3], q[4]);
    for (; !status && n - i >= part; i += part) {
        for (k = 0; k < out; k++)
            opw_ask(q[k] = p[k] + i * s[k], part * s[k]);
        q[out] = some;
        if (!(status = work->close(OPW_N_HOW(part, how), q[0], q[1], q[2], q[3], q[4])))
            opw_put_past(to + i * s[out], some, part * s[out]);
    }
    opw_moved(p, s, i, out + 1, q);
    if (!status && i < n)
        status = work->close(OPW_N_HOW(n - i, how), q[0], q[1], q[2], q[3], q[4]);
    _mm_sfence(); /* before whoever is told that the output is done */
    return status;
}
#else
static int opw_goes_past(const opw_loop *work, npy_intp n, char *const *p, const npy_intp *s)
{
    (void)work, (void)n, (void)p, (void)s;
    return -1;
}

static int opw_run_past(const opw_loop *work, npy_intp n, int how, char *const *p, const npy_intp *s)
{
    (void)how;
    return opw_run_inner(work, n, p, s);
}
#endif
