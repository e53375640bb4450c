/* What a loop knows of its last call: where operands lie as they lay then, nothing is found out anew. */
/* ---- known layouts ------------------------------------------------------------------------------------------------ */

/* A small call takes longer to find out how a loop goes, the shape of all, the order of axes, the way of folding, than to run it. All of
   that hangs on shapes and strides alone, and mostly these are as they were. So a loop notes them, and what came of them, in words: those
   of the inputs, then of the outputs, then what else its kind of loop wants to know. They are read and written with the GIL. */

/* Reads what is known, word by word: of its own, for where an array is made, or given back, the loop may be run by others. */
typedef struct {
    const npy_intp *at;
    npy_intp words[OPW_KNOWN_WORDS];
} opw_reader;

OPW_INLINE npy_intp opw_read(opw_reader *reader) { return *reader->at++; }

OPW_INLINE void opw_note(opw_known *known, npy_intp word)
{
    if (known->n < OPW_KNOWN_WORDS)
        known->words[known->n] = word;
    known->n++; /* too many: none is known */
}

static void opw_note_operand(opw_known *known, const opw_operand *operand)
{
    int i;
    opw_note(known, operand->ndim);
    for (i = 0; i < operand->ndim; i++) {
        opw_note(known, operand->dims[i]);
        opw_note(known, operand->strides[i]);
    }
}

/* Whether an operand lies as the one did that is read. */
OPW_INLINE int opw_lies_so(opw_reader *reader, const opw_operand *operand)
{
    int i;
    if (opw_read(reader) != operand->ndim)
        return 0;
    for (i = 0; i < operand->ndim; i++)
        if (opw_read(reader) != operand->dims[i] || opw_read(reader) != operand->strides[i])
            return 0;
    return 1;
}

/* Whether the inputs of a loop lie as they did; what follows is to be read. */
static int opw_knows(const opw_known *known, const opw_group *group, const opw_operand *list, int inputs, opw_reader *reader)
{
    int i;
    if (!known->n || known->group != group)
        return 0;
    reader->at = known->words;
    for (i = 0; i < inputs; i++)
        if (!opw_lies_so(reader, &list[i]))
            return 0;
    memcpy(reader->words, reader->at, sizeof(*reader->at) * (size_t)(known->words + known->n - reader->at));
    reader->at = reader->words;
    return 1;
}

/* How an output came to be, by which one is made that lies so. What the caller gave, or another call left, lies as it pleases: it tells of
   no other array. */
enum { OPW_FOUND, OPW_MADE, OPW_MADE_PLAIN };

/* What lies in the places of a loop's outputs before they are made. */
typedef struct { PyArrayObject *all[OPW_MAX_OPERANDS]; } opw_earlier;

static void opw_look(opw_earlier *earlier, const opw_loop *work, opw_places places)
{
    int k;
    for (k = 0; k < work->outputs; k++)
        earlier->all[k] = *opw_place(places, work->inputs + k);
}

/* Of n outputs that are listed, a bit for each that was made since. */
static npy_uint64 opw_made_since(const opw_earlier *earlier, const opw_loop *work, const opw_operand *list, int n)
{
    npy_uint64 made = 0;
    int i, k;
    for (i = 0; i < n; i++) {
        for (k = 0; k < work->outputs && earlier->all[k] != list[i].array; k++)
            ;
        made |= (npy_uint64)(k == work->outputs) << i;
    }
    return made;
}

/* Makes output k of a loop an array that lies as the one did that is read: what is there, or, where that one was made, a new one. 0: it
   does not lie so; -1: an exception is set. */
static int opw_fit_known(opw_reader *reader, const opw_loop *work, opw_places places, int k, opw_operand *operand)
{
    PyArrayObject **place = opw_place(places, work->inputs + k);
    const int type = (int)work->types[work->inputs + k], how = (int)opw_read(reader), ndim = (int)reader->at[0];
    npy_intp dims[OPW_MAX_DIMS], strides[OPW_MAX_DIMS];
    int i;
    for (i = 0; i < ndim; i++) {
        dims[i] = reader->at[1 + 2 * i];
        strides[i] = reader->at[2 + 2 * i];
    }
    if (!*place || !opw_has_dims(*place, ndim, dims)) {
        if (how == OPW_FOUND)
            return 0;
        if (opw_make_array(place, ndim, dims, how == OPW_MADE ? strides : NULL, type))
            return -1;
    }
    *operand = opw_operand_of(*place);
    return opw_lies_so(reader, operand);
}

static void opw_note_axes(opw_known *known, const opw_axes *axes)
{
    int i, k;
    opw_note(known, axes->n);
    for (i = 0; i < axes->n; i++) {
        opw_note(known, axes->dims[i]);
        for (k = 0; k < axes->operands; k++)
            opw_note(known, axes->strides[i][k]);
    }
}

static void opw_read_axes(opw_reader *reader, opw_axes *axes, int operands)
{
    int i, k;
    axes->n = (int)opw_read(reader);
    axes->operands = operands;
    for (i = 0; i < axes->n; i++) {
        axes->dims[i] = opw_read(reader);
        axes->axis[i] = 0; /* nobody asks any more */
        for (k = 0; k < operands; k++)
            axes->strides[i][k] = opw_read(reader);
    }
}

/* Whether an array has the strides that NumPy gives a new one. */
static int opw_lies_plain(const opw_operand *operand)
{
    npy_intp apart = operand->size;
    int i;
    for (i = operand->ndim - 1; i >= 0; i--) {
        if (operand->strides[i] != apart)
            return 0;
        apart *= operand->dims[i];
    }
    return 1;
}

/* Notes how operands lie, the first of what is known: inputs, then what else there is to n, of which `made` has a bit for each that was. */
static void opw_begin_notes(opw_known *known, const opw_group *group, const opw_operand *list, int inputs, int n, npy_uint64 made)
{
    int k;
    known->group = group;
    known->n = 0;
    for (k = 0; k < inputs; k++)
        opw_note_operand(known, &list[k]);
    for (; k < n; k++, made >>= 1) {
        opw_note(known, !(made & 1) ? OPW_FOUND : opw_lies_plain(&list[k]) ? OPW_MADE_PLAIN : OPW_MADE);
        opw_note_operand(known, &list[k]);
    }
}

/* What did not fit is not known. */
static void opw_end_notes(opw_known *known)
{
    if (known->n > OPW_KNOWN_WORDS)
        known->n = 0;
}
