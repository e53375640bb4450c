/* A loop of a ufunc's, split over the threads of the pool. */
/* ---- threads ------------------------------------------------------------------------------------------------------ */

#include "raised.c"

#define OPW_WORTH ((npy_intp)1 << 14) /* elements of a part, at least */
#define OPW_SHARES 64                 /* parts, at most */

/* A loop in parts. */
typedef struct {
    const opw_loops *loops;
    PyUFuncGenericFunction run;
    char **args;
    const npy_intp *dimensions, *steps;
    npy_intp each; /* elements of a part */
    opw_raised raised;
} opw_split_loop;

/* Whether the elements of a loop do not depend on one another: as they would where an output is folded, or read again. */
static int opw_apart(const opw_loops *loops, char **args, npy_intp n, const npy_intp *steps)
{
    int i, k;
    for (k = loops->inputs; k < loops->inputs + loops->outputs; k++) {
        if (!steps[k])
            return 0;
        for (i = 0; loops->core == Py_None && i < loops->inputs + loops->outputs; i++) {
            const char *one = args[i] < args[i] + steps[i] * n ? args[i] : args[i] + steps[i] * n;
            const char *other = args[k] < args[k] + steps[k] * n ? args[k] : args[k] + steps[k] * n;
            npy_intp reach = (steps[i] < 0 ? -steps[i] : steps[i]) * n, span = (steps[k] < 0 ? -steps[k] : steps[k]) * n;
            if ((args[i] != args[k] || steps[i] != steps[k]) && one < other + span && other < one + reach + !reach)
                return 0;
        }
    }
    return 1; /* NumPy has made copies of what a generalized ufunc would write over */
}

/* Whether this thread, which may not hold the GIL, has raised an exception. */
static int opw_has_raised(void)
{
    const PyThreadState *thread = PyGILState_GetThisThreadState();
#if PY_VERSION_HEX >= 0x030C0000
    return thread->current_exception != NULL;
#else
    return thread->curexc_type != NULL;
#endif
}

/* A part, on any thread. */
static int opw_run_split(void *work, intptr_t i)
{
    opw_split_loop *split = (opw_split_loop *)work;
    const opw_loops *loops = split->loops;
    char *args[NPY_MAXARGS];
    npy_intp sizes[1 + 2 * NPY_MAXDIMS], first = (npy_intp)i * split->each, left = split->dimensions[0] - first;
    int k;
    opw_be_known();
    memcpy(sizes, split->dimensions, sizeof(npy_intp) * (size_t)(1 + loops->sizes));
    sizes[0] = left < split->each ? left : split->each;
    for (k = 0; k < loops->inputs + loops->outputs; k++)
        args[k] = split->args[k] + first * split->steps[k];
    split->run(args, sizes, split->steps, NULL);
    if (!opw_has_raised())
        return 0;
    opw_keep_raised(&split->raised, (npy_intp)i);
    return 1;
}

/* Runs a loop on several threads. 0: it is not worth while, or may not be, and nothing was done. */
static int opw_split(const opw_loops *loops, PyUFuncGenericFunction run, char **args, const npy_intp *dimensions, const npy_intp *steps)
{
    opw_split_loop split = {loops, run, args, dimensions, steps, 0, {0, NULL, NULL, NULL}};
    npy_intp n = dimensions[0], around = 1, parts;
    PyThreadState *thread;
    int i;
    for (i = 0; i < loops->sizes; i++)
        around += dimensions[1 + i];
    parts = n / (OPW_WORTH / around + 1);
    if (parts > OPW_SHARES)
        parts = OPW_SHARES;
    if (parts < 2 || loops->sizes > 2 * NPY_MAXDIMS || !opw_apart(loops, args, n, steps))
        return 0;
    split.each = (n + parts - 1) / parts;
    thread = PyGILState_Check() ? PyEval_SaveThread() : NULL; /* the threads will want it */
    loops->pool(loops->threads, (n + split.each - 1) / split.each, opw_run_split, &split);
    if (thread)
        PyEval_RestoreThread(thread);
    if (split.raised.kind || split.raised.value) {
        PyGILState_STATE held = PyGILState_Ensure();
        opw_raise_kept(&split.raised);
        PyGILState_Release(held);
    }
    return 1;
}
