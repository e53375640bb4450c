/* Rows of a loop of stores. */
/* ---- rows --------------------------------------------------------------------------------------------------------- */

/* n operands, `count` strides on. */
static void opw_moved(char *const *p, const npy_intp *strides, npy_intp count, int n, char **q)
{
    int k;
    for (k = 0; k < n; k++)
        q[k] = p[k] + count * strides[k];
}

/* Runs n elements of a loop of stores. */
OPW_INLINE int opw_run_inner(const opw_loop *work, npy_intp n, char *const *p, const npy_intp *s)
{
    return work->inner ? work->inner(n, p, s) : opw_run_stages(work->stages, n, p, s);
}

/* Runs rows of n elements, t from row to row, of so many elements in all. */
static int opw_run_rows(const opw_loop *work, npy_intp n, npy_intp rows, npy_intp all, char *const *p, const npy_intp *s, const npy_intp *t)
{
    const int operands = work->inputs + work->outputs;
    const int how = work->lies ? work->lies(s) : -1;
    char *q[OPW_MAX_OPERANDS];
    int k, status;
    if (how >= 0)
        return opw_run_asking(n, rows, all, work->close, how, p, s, t, operands);
    status = work->rows ? work->rows(n, rows, all, p, s, t) : OPW_NO_ROWS;
    if (status != OPW_NO_ROWS)
        return status;
    for (k = 0; k < operands; k++)
        q[k] = p[k];
    while (!(status = opw_run_inner(work, n, q, s)) && --rows)
        for (k = 0; k < operands; k++)
            q[k] += t[k];
    return status;
}
