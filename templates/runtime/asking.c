/* Runs of loops of stores that ask for what comes. */
/* ---- asking ------------------------------------------------------------------------------------------------------- */

#define OPW_ASKING_BYTES (1 << 16) /* read and written: no nearest cache has so many */
#define OPW_ASKING_PART 512        /* bytes of the widest operand between two times */
#define OPW_ASKING_SHORT (1 << 20) /* the same where rows have fewer than that */
#define OPW_STORES_ROW 4096        /* bytes of a row that is worth it, wherever the next one lies */
#define OPW_STORES_AHEAD 1024      /* bytes on what is asked for lies */

/* How many bytes on loops of stores ask for what comes, that read and write so many in all; 0: they ask for nothing. Vectors that cross
   lines wait for two of them, and stores until theirs is near: a processor that has been asked in time does not. On Xeons that takes a
   fifth to a third off from the second cache, and a twentieth to a tenth from memory; from the third it changes nothing. Elsewhere it was
   not tried. */
static int opw_stores_ahead(npy_intp bytes) { return bytes >= OPW_ASKING_BYTES && opw_is_intel() ? OPW_STORES_AHEAD : 0; }

/* Bytes that so many elements of operands are, s apart. */
static npy_intp opw_traffic(npy_intp all, const npy_intp *s, int operands)
{
    npy_intp bytes = 0;
    int k;
    for (k = 0; k < operands; k++)
        bytes += all * s[k];
    return bytes;
}

/* Stands before a loop that a part goes through eight times: counting took a fifth of the time of loops that do least. */
#if defined(__clang__)
#define OPW_BY_EIGHT
#else
#define OPW_BY_EIGHT _Pragma("GCC unroll 8")
#endif

/* Asks for so many bytes, if any. */
OPW_INLINE void opw_ask(const char *p, npy_intp bytes)
{
    npy_intp i;
    OPW_BY_EIGHT
    for (i = OPW_STORES_AHEAD; i < OPW_STORES_AHEAD + bytes; i += OPW_LINE)
        __builtin_prefetch(p + i);
}

/* A part of a row: how many elements it has; of each operand the bytes that are asked for before it, and those from it to the next. */
typedef struct { npy_intp n, asks[OPW_ASKING_OPERANDS], step[OPW_ASKING_OPERANDS]; } opw_row_part;

/* How rows go: whether they ask; how many parts come before the last one, which has what is left. */
typedef struct {
    int ask;
    npy_intp parts;
    opw_row_part part, last;
} opw_asking;

/* How many elements a part has of operands that are s apart. */
static npy_intp opw_part_of(const npy_intp *s, int operands)
{
    npy_intp widest = 1;
    int k;
    for (k = 0; k < operands; k++)
        widest = s[k] > widest ? s[k] : widest;
    return OPW_ASKING_PART / widest;
}

/* Decides how rows of n elements go. */
static void opw_plan_asking(opw_asking *plan, npy_intp n, npy_intp rows, npy_intp all, const npy_intp *s, const npy_intp *t, int operands)
{
    const npy_intp bytes = opw_traffic(all, s, operands), part = opw_part_of(s, operands);
    int k;
    plan->ask = opw_stores_ahead(bytes) && (n >= part || bytes >= OPW_ASKING_SHORT);
    plan->parts = plan->ask && n >= 2 * part ? n / part - 1 : 0;
    plan->part.n = part;
    plan->last.n = n - plan->parts * part;
    for (k = 0; k < OPW_ASKING_OPERANDS; k++) {
        const npy_intp size = k < operands ? s[k] : 0, row = n * size, next = k < operands && rows > 1 ? t[k] : row;
        const int asked = next == row || row >= (next ? OPW_STORES_ROW : OPW_ASKING_BYTES);
        plan->part.step[k] = part * size;
        plan->last.step[k] = next - plan->parts * plan->part.step[k];
        plan->part.asks[k] = asked ? part * size : 0;
        plan->last.asks[k] = asked ? plan->last.n * size : 0;
    }
}

int opw_run_asking(npy_intp n, npy_intp rows, npy_intp all, opw_close_fn close, int how, char *const *p, const npy_intp *s, const npy_intp *t,
                   int operands)
{
    char *q0 = p[0], *q1 = operands > 1 ? p[1] : NULL, *q2 = operands > 2 ? p[2] : NULL, *q3 = operands > 3 ? p[3] : NULL;
    char *q4 = operands > 4 ? p[4] : NULL;
    npy_intp left;
    opw_asking o;
    int status;
    opw_plan_asking(&o, n, rows, all, s, t, operands);
    for (; rows; rows--)
        for (left = o.parts; left >= 0; left--) {
            const opw_row_part *part = left ? &o.part : &o.last;
            if (o.ask) {
                opw_ask(q0, part->asks[0]);
                opw_ask(q1, part->asks[1]);
                opw_ask(q2, part->asks[2]);
                opw_ask(q3, part->asks[3]);
                opw_ask(q4, part->asks[4]);
            }
            if ((status = close(OPW_N_HOW(part->n, how), q0, q1, q2, q3, q4)))
                return status;
            q0 += part->step[0], q1 += part->step[1], q2 += part->step[2], q3 += part->step[3], q4 += part->step[4];
        }
    return 0;
}
