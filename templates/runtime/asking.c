/* Runs of loops of stores that ask for what comes. */
/* ---- asking ------------------------------------------------------------------------------------------------------- */

#define OPW_ASKING_BYTES (1 << 16) /* read and written: no nearest cache has so many */
#define OPW_ASKING_PART 512        /* bytes of the widest operand between two times */
#define OPW_STORES_AHEAD 1024      /* bytes on what is asked for lies */
#define OPW_ASK(line) __builtin_prefetch(p + OPW_STORES_AHEAD + (line) * OPW_LINE)
#ifndef OPW_ASKS_HERE              /* what tests say of any processor */
#define OPW_ASKS_HERE opw_is_intel()
#endif

/* Asks for so many bytes, if any: OPW_ASKING_PART, or a half of it, and so on. */
OPW_INLINE void opw_ask(const char *p, npy_intp bytes)
{
    switch (bytes / OPW_LINE) {
    case 8: OPW_ASK(7), OPW_ASK(6), OPW_ASK(5), OPW_ASK(4); /* fall through */
    case 4: OPW_ASK(3), OPW_ASK(2); /* fall through */
    case 2: OPW_ASK(1); /* fall through */
    case 1: OPW_ASK(0); /* fall through */
    default: break;
    }
}

/* How many elements are computed between two times; 0: nothing is asked for. Vectors that cross lines wait for two of them, and stores until
   theirs is near: a processor that has been asked in time does not. On Xeons that takes a fifth to a quarter off from the second cache where
   they do, and a tenth from memory; from the third it changes nothing. Elsewhere it was not tried. */
static npy_intp opw_asking_part(npy_intp n, const npy_intp *s, int operands)
{
    npy_intp each = 0, widest = 1;
    int k;
    for (k = 0; k < operands; k++) {
        each += s[k];
        widest = s[k] > widest ? s[k] : widest;
    }
    return n * each >= OPW_ASKING_BYTES && OPW_ASKS_HERE ? OPW_ASKING_PART / widest : 0;
}

int opw_run_asking(npy_intp n, opw_close_fn close, char *const *p, const npy_intp *s, int operands)
{
    const npy_intp part = opw_asking_part(n, s, operands);
    char *q[OPW_ASKING_OPERANDS] = {NULL}, *q0, *q1, *q2, *q3, *q4;
    npy_intp t[OPW_ASKING_OPERANDS] = {0};
    int k, status;
    for (k = 0; k < operands; k++) {
        q[k] = p[k];
        t[k] = part * s[k];
    }
    q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3], q4 = q[4];
    for (; part && n >= 2 * part; n -= part) {
        opw_ask(q0, t[0]);
        opw_ask(q1, t[1]);
        opw_ask(q2, t[2]);
        opw_ask(q3, t[3]);
        opw_ask(q4, t[4]);
        if ((status = close(part, q0, q1, q2, q3, q4)))
            return status;
        q0 += t[0], q1 += t[1], q2 += t[2], q3 += t[3], q4 += t[4];
    }
    return close(n, q0, q1, q2, q3, q4);
}
