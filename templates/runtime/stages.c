/* Loops that are run in stages: where blocks of operands lie, and what waits between two stages. */
/* ---- stages ------------------------------------------------------------------------------------------------------- */

#define OPW_STAGE_BYTES 24576 /* of what a block is computed from and to: where it would be more, blocks are smaller, */
#define OPW_STAGE_LEAST 32    /* but of so many elements */
#define OPW_STAGE_FAR 4096    /* elements of a run of which the next block is asked for while one is computed */
#define OPW_SPACED 64         /* bytes, at multiples of which buffers begin */

/* Memory of the call that asks for it. */
#define OPW_TAKE(type, n) ((type *)__builtin_alloca(sizeof(type) * (size_t)(n)))

/* Copies rows of n elements of an operand, which are t apart, one behind the other to where pieces read them: whole vectors. */
static void opw_bring(char *to, const char *from, npy_intp step, npy_intp t, npy_intp n, npy_intp rows, npy_intp size)
{
    const npy_intp more = OPW_WHOLE(n * rows) - n * rows;
    for (; rows > 0; rows--, to += n * size, from += t)
        opw_copy_run(to, size, from, step, n, size);
    opw_copy_run(to, size, from - t, 0, more, size);
}

OPW_INLINE int opw_run_order(const opw_stages *w, npy_intp n, char *const *at)
{
    const opw_figure *stage = w->order;
    int i, status = 0;
    for (i = 0; i < w->stages && !status; i++, stage += 2)
        status = w->pieces[stage[0]](n, at, w->where + stage[1]);
    return status;
}

/* The same of a block that lies in memory with the next one behind it: before each stage an operand of that is asked for. What a stage
   reads and writes comes in bursts, between which functions only compute. */
OPW_INLINE int opw_run_order_far(const opw_stages *w, npy_intp n, char *const *at)
{
    const opw_figure *stage = w->order;
    npy_intp byte;
    int i, status = 0;
    for (i = 0; i < w->stages && !status; i++, stage += 2) {
        for (byte = 0; i < w->operands && byte < n * w->sizes[i]; byte += OPW_SPACED)
            __builtin_prefetch(at[i] + n * w->sizes[i] + byte);
        status = w->pieces[stage[0]](n, at, w->where + stage[1]);
    }
    return status;
}

/* Whether pieces work on whole vectors of an operand where it lies. */
OPW_INLINE int opw_lies(const opw_stages *w, const npy_intp *s, int i) { return s[i] == w->sizes[i] || !w->sizes[i]; }

OPW_INLINE char *opw_spaced(char *p) { return p + (-(uintptr_t)p & (OPW_SPACED - 1)); }

/* Gives slots their places, and tells what is behind. */
OPW_INLINE char *opw_place_slots(const opw_stages *w, npy_intp block, char **at, char *room)
{
    int i;
    for (i = 0; i < w->slots; i++) {
        at[w->operands + i] = room;
        room += block * w->slot_sizes[i];
    }
    return room;
}

/* Elements of a block, of so many at most: that it stays in the nearest cache. */
OPW_INLINE npy_intp opw_block_of(npy_intp block, npy_intp n, npy_intp width)
{
    while (block * width > OPW_STAGE_BYTES && block > OPW_STAGE_LEAST)
        block /= 2;
    return n < block ? OPW_WHOLE(n) : block;
}

/* Whole vectors of operands all of which lie as pieces want them. */
static int opw_run_near(const opw_stages *w, npy_intp n, char *const *p, npy_intp width)
{
    const int far = n >= OPW_STAGE_FAR;
    const npy_intp block = opw_block_of(w->block >> far, n, w->width + width);
    char *room = OPW_TAKE(char, block * w->width + OPW_SPACED), **at = OPW_TAKE(char *, w->operands + w->slots);
    int i, status;
    opw_place_slots(w, block, at, opw_spaced(room));
    for (i = 0; i < w->operands; i++)
        at[i] = p[i];
    for (; far && n >= 2 * block; n -= block) {
        if ((status = opw_run_order_far(w, block, at)))
            return status;
        for (i = 0; i < w->operands; i++)
            at[i] += block * w->sizes[i];
    }
    while (!(status = opw_run_order(w, n < block ? n : block, at)) && (n -= block) > 0)
        for (i = 0; i < w->operands; i++)
            at[i] += block * w->sizes[i];
    return status;
}

/* Any operands: those that do not lie so, and where whole vectors would be too many elements all of them, are copied to buffers, or
   from there. */
static int opw_run_copied(const opw_stages *w, npy_intp n, char *const *p, const npy_intp *s, npy_intp width)
{
    const npy_intp block = opw_block_of(w->block, n, w->width + width);
    char *room = OPW_TAKE(char, block * (w->width + width) + (w->operands + 1) * OPW_SPACED);
    char **at = OPW_TAKE(char *, w->operands + w->slots), **buffers = OPW_TAKE(char *, w->operands);
    char *next = opw_place_slots(w, block, at, opw_spaced(room));
    npy_intp begin, m;
    int i, whole, status = 0;
    for (i = 0; i < w->operands; i++, next += block * w->sizes[i - 1])
        buffers[i] = next = opw_spaced(next);
    for (begin = 0; begin < n && !status; begin += m) {
        m = n - begin < block ? n - begin : block;
        whole = w->exact || OPW_WHOLE(m) == m;
        for (i = 0; i < w->operands; i++) {
            at[i] = opw_lies(w, s, i) && (whole || !w->sizes[i]) ? p[i] + begin * s[i] : buffers[i];
            if (at[i] == buffers[i] && i < w->inputs && (s[i] || !begin))
                opw_bring(at[i], p[i] + begin * s[i], s[i], 0, m, 1, w->sizes[i]);
        }
        status = opw_run_order(w, m, at);
        for (i = w->inputs; i < w->operands && !status; i++)
            if (at[i] == buffers[i])
                opw_copy_run(p[i] + begin * s[i], s[i], at[i], w->sizes[i], m, w->sizes[i]);
    }
    return status;
}

int opw_run_stages(const opw_stages *w, npy_intp n, char *const *p, const npy_intp *s)
{
    npy_intp width = 0, whole = w->exact ? n : n & ~(npy_intp)7;
    char *rest[OPW_MAX_OPERANDS];
    int i, status;
    for (i = 0; i < w->operands; i++) {
        if (!opw_lies(w, s, i))
            whole = 0;
        width += w->sizes[i];
    }
    if (whole && ((status = opw_run_near(w, whole, p, width)) || whole == n))
        return status;
    for (i = 0; i < w->operands; i++)
        rest[i] = p[i] + whole * s[i];
    return opw_run_copied(w, n - whole, rest, s, width);
}

int opw_fill_stages(const opw_stages *w, npy_intp n, npy_intp rows, const char *const *p, const npy_intp *s, const npy_intp *t, char *room)
{
    const npy_intp m = n * rows;
    const int whole = w->exact || OPW_WHOLE(m) == m;
    char *next, **at = OPW_TAKE(char *, w->operands + w->slots);
    npy_intp bytes = 1;
    int i;
#define OPW_BROUGHT(i) \
    ((w->reads >> (i)&1) && w->sizes[i] && !(whole && opw_lies(w, s, i) && (rows == 1 || t[i] == n * w->sizes[i])))
    for (i = 0; i < w->inputs; i++)
        if (OPW_BROUGHT(i))
            bytes += OPW_WHOLE(m) * w->sizes[i] + OPW_SPACED;
    next = OPW_TAKE(char, bytes);
    opw_place_slots(w, w->block, at, room);
    for (i = 0; i < w->inputs; i++) {
        at[i] = (char *)(uintptr_t)p[i]; /* which pieces read only */
        if (OPW_BROUGHT(i)) {
            at[i] = opw_spaced(next);
            next = at[i] + OPW_WHOLE(m) * w->sizes[i];
            opw_bring(at[i], p[i], s[i], t[i], n, rows, w->sizes[i]);
        }
    }
#undef OPW_BROUGHT
    return opw_run_order(w, m, at);
}
