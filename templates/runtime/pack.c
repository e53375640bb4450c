/* Blocks of a loop's innermost axes, with operands that do not lie as its fastest body wants them copied into buffers. */
/* ---- packing ------------------------------------------------------------------------------------------------------ */

/* A loop has a body for operands whose elements lie one behind the other, which runs in vectors, and one for any strides. Where
   some operand does not lie so, a block of it is copied first, and what the loop stored into a block is copied out. A block has
   rows: positions of one axis. It is run row by row, or, where rows are too short, as one run of all. */
#define OPW_PACK_WORTH 256    /* elements of a loop, from which on it is looked at */
#define OPW_SHORT 12          /* fewer elements are no run, */
#define OPW_LONG 32           /* as many may be made one */
#define OPW_PACK_BYTES 16384  /* of all buffers: they stay in the first cache */
#define OPW_PACK_MOST 1024    /* elements of a block that has buffers */
#define OPW_PACK_LEAST 64     /* the same, at least */
#define OPW_TILE_MOST 4096    /* elements of a block that has none */
#define OPW_PACK_TURNED 64    /* elements of a row where an operand is transposed: so many rows read its cache lines whole */
#define OPW_PAGES 1536        /* that the processor knows at once */
#define OPW_PACK_ROW 256      /* elements of a row where none is */
#define OPW_PACK_NUMBERS 2048 /* elements of a row, from which on numbers are written out */

typedef struct {
    const opw_loop *work;
    const opw_axes *axes;
    int rows, flat;                 /* which axis has the rows; whether a block is one run */
    npy_intp all, n;                /* elements in all; of a whole row */
    npy_intp most_rows, most;       /* of a block: rows, and elements of a row */
    npy_intp s[OPW_MAX_OPERANDS], t[OPW_MAX_OPERANDS]; /* what the loop is given: from element to element, from row to row */
    char *buffers[OPW_MAX_OPERANDS];                   /* NULL: it is read or written where it lies */
    const char *held[OPW_MAX_OPERANDS];                /* where what is in the buffer comes from, and how much it is */
    npy_intp held_rows[OPW_MAX_OPERANDS], held_n[OPW_MAX_OPERANDS];
} opw_blocks;

#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define OPW_SHUFFLED __builtin_shufflevector
#endif
#endif

#ifdef OPW_SHUFFLED
typedef uint64_t opw_two __attribute__((vector_size(16)));
typedef uint32_t opw_four __attribute__((vector_size(16)));

/* Transposes two by two elements of 8 bytes. */
static inline void opw_transpose_two(char *to, npy_intp t, const char *from, npy_intp f)
{
    opw_two a, b, c, d;
    memcpy(&a, from, sizeof(a));
    memcpy(&b, from + f, sizeof(b));
    c = OPW_SHUFFLED(a, b, 0, 2);
    d = OPW_SHUFFLED(a, b, 1, 3);
    memcpy(to, &c, sizeof(c));
    memcpy(to + t, &d, sizeof(d));
}

/* Transposes four by four elements. */
static inline void opw_transpose_eights(char *to, npy_intp t, const char *from, npy_intp f)
{
    opw_transpose_two(to, t, from, f);
    opw_transpose_two(to + 16, t, from + 2 * f, f);
    opw_transpose_two(to + 2 * t, t, from + 16, f);
    opw_transpose_two(to + 2 * t + 16, t, from + 2 * f + 16, f);
}

static inline void opw_transpose_fours(char *to, npy_intp t, const char *from, npy_intp f)
{
    opw_four a, b, c, d, low, high, more, most;
    memcpy(&a, from, sizeof(a));
    memcpy(&b, from + f, sizeof(b));
    memcpy(&c, from + 2 * f, sizeof(c));
    memcpy(&d, from + 3 * f, sizeof(d));
    low = OPW_SHUFFLED(a, b, 0, 4, 1, 5);
    high = OPW_SHUFFLED(a, b, 2, 6, 3, 7);
    more = OPW_SHUFFLED(c, d, 0, 4, 1, 5);
    most = OPW_SHUFFLED(c, d, 2, 6, 3, 7);
    a = OPW_SHUFFLED(low, more, 0, 1, 4, 5);
    b = OPW_SHUFFLED(low, more, 2, 3, 6, 7);
    c = OPW_SHUFFLED(high, most, 0, 1, 4, 5);
    d = OPW_SHUFFLED(high, most, 2, 3, 6, 7);
    memcpy(to, &a, sizeof(a));
    memcpy(to + t, &b, sizeof(b));
    memcpy(to + 2 * t, &c, sizeof(c));
    memcpy(to + 3 * t, &d, sizeof(d));
}
#endif

/* Transposes rows of n elements, f from row to row, to columns, t from element to element of a row. */
static void opw_transpose(char *to, npy_intp t, const char *from, npy_intp f, npy_intp rows, npy_intp n, npy_intp size)
{
    npy_intp i, j, squares = 0, columns = n & ~(npy_intp)3;
#ifdef OPW_SHUFFLED
    if (size == 4 || size == 8)
        squares = rows & ~(npy_intp)3;
    for (i = 0; i < squares; i += 4)
        for (j = 0; j < columns; j += 4)
            (size == 4 ? opw_transpose_fours : opw_transpose_eights)(to + j * t + i * size, t, from + i * f + j * size, f);
#endif
    for (j = columns; j < n; j++)
        opw_copy_run(to + j * t, size, from + j * size, f, squares, size);
    for (i = squares; i < rows; i++)
        opw_copy_run(to + i * size, t, from + i * f, size, n, size);
}

/* Copies rows of n elements between a block and memory: into the block, or out of it. Along the axis along which memory lies
   closer, so that cache lines are used whole. */
static void opw_copy_rows(const opw_blocks *b, int k, char *block, char *memory, npy_intp rows, npy_intp n, int into)
{
    npy_intp size = b->work->sizes[k], s = b->axes->strides[b->axes->n - 1][k], t = b->axes->strides[b->rows][k], i;
    npy_intp along = opw_size(t) < opw_size(s) && rows > 1, count = along ? n : rows;
    npy_intp step[2] = {along ? size : b->t[k], along ? s : t}, run[2] = {along ? b->t[k] : size, along ? t : s};
    if (along && t == size && into)
        opw_transpose(block, b->t[k], memory, s, n, rows, size);
    else if (along && t == size)
        opw_transpose(memory, s, block, b->t[k], rows, n, size);
    else
        for (i = 0; i < count; i++, block += step[0], memory += step[1])
            if (into)
                opw_copy_run(block, run[0], memory, run[1], along ? rows : n, size);
            else
                opw_copy_run(memory, run[1], block, run[0], along ? rows : n, size);
}

/* Fills memory, of which the first bytes are there, with them again and again. */
static void opw_fill_again(char *memory, npy_intp there, npy_intp bytes)
{
    npy_intp more;
    for (; there < bytes; there += more) {
        more = bytes - there < there ? bytes - there : there;
        memcpy(memory + there, memory, (size_t)more);
    }
}

/* The same where a block is one run: for each place in a row, the elements of all rows. What is the same in each row is copied once. */
static void opw_copy_flat(const opw_blocks *b, int k, char *block, char *memory, npy_intp rows, int into)
{
    npy_intp size = b->work->sizes[k], apart = b->n * size, s = b->axes->strides[b->rows][k], at[OPW_MAX_DIMS] = {0}, i;
    int axis = b->axes->n - 1;
    if (into && !s && axis == b->rows + 1) {
        opw_copy_run(block, size, memory, b->axes->strides[axis][k], b->n, size);
        opw_fill_again(block, apart, rows * apart);
        return;
    }
    for (i = 0; i < b->n; i++, block += size) {
        if (into)
            opw_copy_run(block, apart, memory, s, rows, size);
        else
            opw_copy_run(memory, s, block, apart, rows, size);
        for (axis = b->axes->n - 1; axis > b->rows; axis--) {
            memory += b->axes->strides[axis][k];
            if (++at[axis] < b->axes->dims[axis])
                break;
            memory -= b->axes->strides[axis][k] * at[axis];
            at[axis] = 0;
        }
    }
}

static void opw_copy_block(const opw_blocks *b, int k, char *memory, npy_intp rows, npy_intp n, int into)
{
    if (b->flat)
        opw_copy_flat(b, k, b->buffers[k], memory, rows, into);
    else
        opw_copy_rows(b, k, b->buffers[k], memory, b->t[k] ? rows : 1, n, into);
}

/* Runs a block: rows of n elements, at p. */
static int opw_run_block(opw_blocks *b, char *const *p, npy_intp rows, npy_intp n)
{
    const opw_loop *work = b->work;
    char *q[OPW_MAX_OPERANDS];
    int k, operands = work->inputs + work->outputs, status;

    for (k = 0; k < operands; k++) {
        q[k] = b->buffers[k] ? b->buffers[k] : p[k];
        if (k >= work->inputs || !b->buffers[k] || (b->held[k] == p[k] && b->held_rows[k] >= rows && b->held_n[k] >= n))
            continue;
        opw_copy_block(b, k, p[k], rows, n, 1);
        b->held[k] = p[k];
        b->held_rows[k] = rows;
        b->held_n[k] = n;
    }
    status = b->flat ? opw_run_inner(work, rows * n, q, b->s) : opw_run_rows(work, n, rows, b->all, q, b->s, b->t);
    for (k = work->inputs; !status && k < operands; k++)
        if (b->buffers[k])
            opw_copy_block(b, k, p[k], rows, n, 0);
    return status;
}

/* Runs all blocks at one position of the axes outside of them. */
static int opw_run_blocks(opw_blocks *b, char *const *p)
{
    const opw_axes *axes = b->axes;
    npy_intp i, j, rows = axes->dims[b->rows];
    char *q[OPW_MAX_OPERANDS];
    int k, status;
    for (j = 0; j < rows; j += b->most_rows)
        for (i = 0; i < b->n; i += b->most) {
            for (k = 0; k < axes->operands; k++)
                q[k] = p[k] + j * axes->strides[b->rows][k] + i * axes->strides[axes->n - 1][k];
            if ((status = opw_run_block(b, q, rows - j < b->most_rows ? rows - j : b->most_rows,
                                        b->n - i < b->most ? b->n - i : b->most)))
                return status;
        }
    return 0;
}

/* Whether an operand's elements follow one another over all axes from one on. */
static int opw_follows(const opw_axes *axes, int k, int from, npy_intp size)
{
    int i;
    for (i = axes->n - 1; i >= from; i--) {
        if (axes->strides[i][k] != size)
            return 0;
        size *= axes->dims[i];
    }
    return 1;
}

/* The axis along which some operand lies closer than along the innermost one, with the smallest stride; -1: there is none. */
static int opw_turned(const opw_axes *axes, const opw_loop *work)
{
    int i, k, last = axes->n - 1, found = -1;
    npy_intp least = 0;
    for (k = 0; k < axes->operands; k++) {
        npy_intp inner = opw_size(axes->strides[last][k]);
        for (i = 0; i < last && inner > work->sizes[k]; i++) {
            npy_intp stride = opw_size(axes->strides[i][k]);
            if (stride && stride < inner && axes->dims[i] > 1 && (found < 0 || stride < least)) {
                found = i;
                least = stride;
            }
        }
    }
    return found;
}

/* Whether an operand is one number for the whole loop. */
static int opw_is_one(const opw_axes *axes, int k)
{
    int i;
    for (i = 0; i < axes->n; i++)
        if (axes->strides[i][k])
            return 0;
    return 1;
}

/* Whether an operand is a number where the fastest body wants one. */
static int opw_wants_number(const opw_loop *work, int k) { return k < work->inputs && work->numbers >> k & 1; }

/* Sets a block's size, and gives those operands buffers that are marked. most_rows, most: what is wished; zero where too little of
   it has room. */
static int opw_size_blocks(opw_blocks *b, const char *marked, char *buffer)
{
    const opw_axes *axes = b->axes;
    npy_intp bytes = 0, elements;
    int k;
    for (k = 0; k < axes->operands; k++)
        bytes += marked[k] ? b->work->sizes[k] : 0;
    elements = !bytes ? OPW_TILE_MOST : OPW_PACK_BYTES / bytes < OPW_PACK_MOST ? OPW_PACK_BYTES / bytes : OPW_PACK_MOST;
    if (b->most > b->n)
        b->most = b->n;
    b->most_rows = elements / b->most;
    if (b->most_rows > axes->dims[b->rows])
        b->most_rows = axes->dims[b->rows];
    if (elements < OPW_PACK_LEAST || !b->most_rows)
        return 0;
    for (k = 0; k < axes->operands; k++) {
        npy_intp size = b->work->sizes[k], t = axes->strides[b->rows][k];
        b->held[k] = NULL;
        b->buffers[k] = marked[k] ? buffer : NULL;
        b->s[k] = marked[k] || (b->flat && axes->strides[axes->n - 1][k]) ? size : axes->strides[axes->n - 1][k];
        b->t[k] = marked[k] && t ? b->most * size : t;
        buffer += marked[k] ? elements * size : 0;
    }
    return 1;
}

/* Rows that are too short to be run, of one axis or several: several rows are one run where at most one operand has to be copied
   block by block; what is the same in each row is copied once. Else a long axis takes the place of the inner one. */
static int opw_plan_short(opw_blocks *b, opw_axes *axes, char *marked)
{
    int i, k, varying = 0, last = axes->n - 1, longest = last - 1;
    while (b->rows > 0 && b->n * axes->dims[b->rows] <= OPW_SHORT)
        b->n *= axes->dims[b->rows--];
    for (k = 0; k < axes->operands; k++) {
        marked[k] = !opw_follows(axes, k, b->rows, b->work->sizes[k]) && !(opw_wants_number(b->work, k) && opw_is_one(axes, k));
        varying += marked[k] && (axes->strides[b->rows][k] || k >= b->work->inputs);
    }
    b->flat = !varying || (varying == 1 && b->n < OPW_SHORT);
    b->most = b->n;
    if (b->flat)
        return 1;
    for (i = last - 1; i >= 0 && axes->dims[longest] < OPW_LONG; i--)
        if (axes->dims[i] > axes->dims[longest])
            longest = i;
    memset(marked, 0, OPW_MAX_OPERANDS);
    if (axes->dims[last] < OPW_SHORT && axes->dims[longest] >= OPW_LONG)
        for (i = longest; i < last; i++)
            opw_swap_axes(axes, i, i + 1);
    b->rows = last - 1;
    b->n = axes->dims[last];
    b->most = OPW_PACK_TURNED;
    return b->n >= OPW_LONG;
}

/* How many pages of memory one run along the innermost axis touches, of operands that are far from contiguous there. */
static npy_intp opw_pages(const opw_axes *axes)
{
    npy_intp n = axes->dims[axes->n - 1], pages = 0;
    int k;
    for (k = 0; k < axes->operands; k++) {
        npy_intp stride = opw_size(axes->strides[axes->n - 1][k]);
        pages += stride >= 4096 ? n : stride >= 64 ? n / (4096 / stride) : 0;
    }
    return pages;
}

/* Rows that are long: tiles where some operand is transposed against the others. Small elements are copied to where they lie as
   the others do; large ones are read where they lie, once a run would touch more pages than the processor knows at once. Where
   all is contiguous but numbers, beside several inputs, these are written out. */
static int opw_plan_long(opw_blocks *b, opw_axes *axes, char *marked)
{
    int i, k, others = 0, columns = 0, numbers = 0, small = 1, last = axes->n - 1, turned;
    for (k = 0; k < axes->operands; k++) {
        npy_intp stride = axes->strides[last][k];
        marked[k] = stride != b->work->sizes[k] && !(!stride && opw_wants_number(b->work, k));
        others += marked[k] && stride;
        columns += !stride && !opw_is_one(axes, k);
        numbers += marked[k] && !stride;
        small &= !marked[k] || b->work->sizes[k] <= 4;
    }
    b->most = OPW_PACK_ROW;
    if (!others)
        return numbers && !columns && b->work->inputs > 2 && b->n >= OPW_PACK_NUMBERS;
    turned = opw_turned(axes, b->work);
    if (turned < 0 || (!small && opw_pages(axes) <= OPW_PAGES))
        return 0;
    for (i = turned; i < last - 1; i++)
        opw_swap_axes(axes, i, i + 1);
    if (!small)
        memset(marked, 0, OPW_MAX_OPERANDS);
    b->most = OPW_PACK_TURNED;
    return 1;
}

/* Finds out whether and how a loop of two axes or more runs in blocks; zero: as it is. The axes may change their order. */
static int opw_plan_blocks(opw_blocks *b, const opw_loop *work, opw_axes *axes, char *buffer)
{
    char marked[OPW_MAX_OPERANDS] = {0};
    b->work = work;
    b->axes = axes;
    b->n = axes->dims[axes->n - 1];
    b->rows = axes->n - 2;
    b->flat = 0;
    if (b->n < OPW_PACK_LEAST && opw_plan_short(b, axes, marked))
        return opw_size_blocks(b, marked, buffer);
    return b->n >= OPW_SHORT && opw_plan_long(b, axes, marked) && opw_size_blocks(b, marked, buffer);
}

/* Runs a loop of so many elements in blocks, p: where its operands begin. OPW_AS_IT_IS: it needs none, and has not run. */
#define OPW_AS_IT_IS (-1)
static int opw_run_packed(const opw_loop *work, opw_axes *axes, npy_intp total, char **p)
{
    npy_intp at[OPW_MAX_DIMS];
    __attribute__((aligned(64))) char buffer[OPW_PACK_BYTES];
    opw_blocks b;
    int k, status;
    if (axes->n == 1) { /* a row alone */
        axes->dims[1] = 1, axes->n = 2;
        for (k = 0; k < axes->operands; k++)
            axes->strides[1][k] = 0;
        opw_swap_axes(axes, 0, 1);
    }
    if (!opw_plan_blocks(&b, work, axes, buffer))
        return OPW_AS_IT_IS;
    b.all = total;
    opw_rewind(at, b.rows);
    do {
        if ((status = opw_run_blocks(&b, p)))
            return status;
    } while (opw_next(axes, b.rows, at, p));
    return 0;
}
