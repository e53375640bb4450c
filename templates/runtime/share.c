/* Long loops: they run without the GIL, and on several threads where the function is made for it. */
/* ---- shares ------------------------------------------------------------------------------------------------------- */

/* A long loop runs in parts. Where one ends and the next begins follows from sizes alone, and what parts have folded is joined in one
   order: a result is the same whatever the number of threads. */
#include "pool.h"
#include "raised.c"

#define OPW_SHARES 64 /* parts of a loop, at most: a power of two */

static opw_pool_run opw_pool;    /* NULL: nothing in the module was made for several threads */
static __thread int opw_threads; /* for how many the function is made that runs; 0: for one */

/* A loop in parts. What does a part begins with it. */
typedef struct opw_shares opw_shares;
struct opw_shares {
    const opw_loop *work;
    int (*part)(opw_shares *shares, npy_intp i); /* as the loop */
    opw_raised raised;
};

/* A part. */
static int opw_do_part(void *work, intptr_t i)
{
    opw_shares *shares = (opw_shares *)work;
    int status;
    if (shares->work->raises)
        opw_be_known();
    status = shares->part(shares, (npy_intp)i);
    if (status && shares->work->raises)
        opw_keep_raised(&shares->raised, (npy_intp)i);
    return status;
}

/* Runs the parts of a long loop. The first status that is not 0, with the exception of that part set. */
OPW_APART static int opw_share_out(opw_shares *shares, npy_intp n)
{
    PyThreadState *thread = PyEval_SaveThread();
    npy_intp i;
    int status = 0;
    memset(&shares->raised, 0, sizeof shares->raised);
    if (opw_threads)
        status = opw_pool(opw_threads, n, opw_do_part, shares);
    else
        for (i = 0; i < n && !status; i++)
            status = opw_do_part(shares, i);
    PyEval_RestoreThread(thread);
    opw_raise_kept(&shares->raised);
    return status;
}

/* Whether a loop of so many elements is long. */
OPW_INLINE int opw_is_worth(const opw_loop *work, npy_intp n) { return n >= work->worth && work->worth; }

/* How many of n positions, each of so many elements, a part has: a multiple of 64 where they are elements. */
static npy_intp opw_share_of(const opw_loop *work, npy_intp n, npy_intp elements)
{
    npy_intp parts = n * elements / work->worth, each;
    if (parts > OPW_SHARES)
        parts = OPW_SHARES;
    each = parts < 2 ? n : (n + parts - 1) / parts;
    return elements == 1 ? (each + 63) & ~(npy_intp)63 : each;
}

/* How many parts there are of so many positions each. */
static npy_intp opw_parts_of(npy_intp n, npy_intp each) { return (n + each - 1) / each; }
