/* A loop of a ufunc's, split over threads. */
/* ---- threads ------------------------------------------------------------------------------------------------------ */

/* Threads are made for a loop and joined in it: nothing of them is there when the process forks or ends. */
#include <pthread.h>

#define OPW_WORTH ((npy_intp)1 << 16) /* fewer elements are computed sooner than a thread is made */

/* What one thread does. */
typedef struct {
    PyUFuncGenericFunction run;
    const npy_intp *steps;
    char *args[NPY_MAXARGS];
    npy_intp *dimensions;
    pthread_t thread;
    int started, floats;                    /* floats: the processor's remarks, which are a thread's own */
    PyObject *kind, *value, *traceback;     /* what was raised */
} opw_share;

static void *opw_run_share(void *share)
{
    opw_share *s = (opw_share *)share;
    PyGILState_STATE held = PyGILState_Ensure(); /* so that what is raised without the GIL stays until it is taken from here */
    PyThreadState *state = PyEval_SaveThread();
    feclearexcept(FE_ALL_EXCEPT);
    s->run(s->args, s->dimensions, s->steps, NULL);
    s->floats = fetestexcept(FE_ALL_EXCEPT);
    PyEval_RestoreThread(state);
    PyErr_Fetch(&s->kind, &s->value, &s->traceback);
    PyGILState_Release(held);
    return NULL;
}

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

/* Gives the share its part of the elements: from `first` on, n of them. */
static void opw_give_share(opw_share *s, const opw_loops *loops, char **args, const npy_intp *dimensions, npy_intp first, npy_intp n)
{
    int i;
    for (i = 0; i < loops->inputs + loops->outputs; i++)
        s->args[i] = args[i] + first * s->steps[i];
    memcpy(s->dimensions, dimensions, sizeof(npy_intp) * (size_t)(1 + loops->sizes));
    s->dimensions[0] = n;
}

/* Brings what threads have raised, the first of it, to the caller; what it has raised itself stays. */
static void opw_raise_of(opw_share *shares, int n)
{
    PyGILState_STATE held = PyGILState_Ensure();
    int i;
    for (i = 0; i < n; i++) {
        if (shares[i].kind && !PyErr_Occurred())
            PyErr_Restore(shares[i].kind, shares[i].value, shares[i].traceback);
        else {
            Py_XDECREF(shares[i].kind);
            Py_XDECREF(shares[i].value);
            Py_XDECREF(shares[i].traceback);
        }
    }
    PyGILState_Release(held);
}

/* Runs the shares, the last of them in this thread. */
static void opw_run_shares(opw_share *shares, int n)
{
    PyThreadState *state = PyGILState_Check() ? PyEval_SaveThread() : NULL; /* the threads will want it */
    int i, floats = 0, raised = 0;
    for (i = 0; i < n - 1; i++)
        shares[i].started = !pthread_create(&shares[i].thread, NULL, opw_run_share, &shares[i]);
    for (i = 0; i < n; i++)
        if (!shares[i].started)
            shares[i].run(shares[i].args, shares[i].dimensions, shares[i].steps, NULL);
    for (i = 0; i < n; i++)
        if (shares[i].started) {
            pthread_join(shares[i].thread, NULL);
            floats |= shares[i].floats;
            raised |= shares[i].kind != NULL;
        }
    if (floats)
        feraiseexcept(floats);
    if (state)
        PyEval_RestoreThread(state);
    if (raised)
        opw_raise_of(shares, n);
}

/* Runs a loop on several threads. 0: it is not worth while, or may not be, and nothing was done. */
static int opw_split(const opw_loops *loops, PyUFuncGenericFunction run, char **args, const npy_intp *dimensions, const npy_intp *steps)
{
    npy_intp n = dimensions[0], each = 1, first = 0;
    int i, threads = n < loops->threads ? (int)n : loops->threads;
    opw_share *shares;
    npy_intp *sizes;
    for (i = 0; i < loops->sizes; i++)
        each += dimensions[1 + i];
    if (threads < 2 || n < OPW_WORTH / each || !opw_apart(loops, args, n, steps) ||
        !(shares = (opw_share *)calloc((size_t)threads, sizeof(opw_share) + sizeof(npy_intp) * (size_t)(1 + loops->sizes))))
        return 0;
    sizes = (npy_intp *)(void *)(shares + threads);
    for (i = 0; i < threads; i++) {
        npy_intp part = (n - first) / (threads - i);
        shares[i].run = run;
        shares[i].steps = steps;
        shares[i].dimensions = sizes + (npy_intp)i * (1 + loops->sizes);
        opw_give_share(&shares[i], loops, args, dimensions, first, part);
        first += part;
    }
    opw_run_shares(shares, threads);
    free(shares);
    return 1;
}
