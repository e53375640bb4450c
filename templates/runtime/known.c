/* What a loop knows of its last call: where operands lie as they lay then, nothing is found out anew. */
/* ---- known layouts ------------------------------------------------------------------------------------------------ */

/* A small call takes longer to find out how a loop goes, the shape of all, the order of axes, the way of folding, than to run it. All of
   that hangs on shapes and strides alone, and mostly these are as they were. So a loop notes them, and what came of them, in words: those
   of the inputs, then of the outputs, then what else its kind of loop wants to know. They are read and written with the GIL. */

/* Reads what is known, word by word: of its own, for where an array is made, or given back, the loop may be run by others. */
typedef struct {
    const npy_intp *at;
    npy_uint64 made; /* as opw_begin_notes has it */
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
static int opw_knows(const opw_known *known, const opw_operand *list, int inputs, opw_reader *reader)
{
    int i;
    if (!known->n)
        return 0;
    reader->at = known->words;
    for (i = 0; i < inputs; i++)
        if (!opw_lies_so(reader, &list[i]))
            return 0;
    memcpy(reader->words, reader->at, sizeof(*reader->at) * (size_t)(known->words + known->n - reader->at));
    reader->at = reader->words;
    reader->made = (npy_uint64)opw_read(reader);
    return 1;
}

/* Makes output k of a loop an array that lies as the one did that is read: what is there, or, where that one was made, a new one. 0: it
   does not lie so; -1: an exception is set. */
static int opw_fit_known(opw_reader *reader, const opw_loop *work, opw_places places, int k, opw_operand *operand)
{
    PyArrayObject **place = opw_place(places, work->inputs + k);
    const int type = (int)work->types[work->inputs + k], ndim = (int)reader->at[0];
    npy_intp dims[OPW_MAX_DIMS], strides[OPW_MAX_DIMS];
    int i;
    for (i = 0; i < ndim; i++) {
        dims[i] = reader->at[1 + 2 * i];
        strides[i] = reader->at[2 + 2 * i];
    }
    if (!*place || !opw_has_dims(*place, ndim, dims)) {
        if (!(reader->made >> k & 1))
            return 0;
        Py_INCREF(opw_dtypes[type]); /* NumPy takes it */
        if (opw_put_array(place, (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, opw_dtypes[type], ndim, dims, strides, NULL, 0, NULL)))
            return -1;
    }
    *operand = opw_operand_of(*place);
    return opw_lies_so(reader, operand);
}

/* What lies in the places of a loop's outputs before they are made; of those that are made then, a bit for each. */
typedef struct { PyArrayObject *all[OPW_MAX_OPERANDS]; } opw_earlier;

static void opw_look(opw_earlier *earlier, const opw_loop *work, opw_places places)
{
    int k;
    for (k = 0; k < work->outputs; k++)
        earlier->all[k] = *opw_place(places, work->inputs + k);
}

static npy_uint64 opw_made_since(const opw_earlier *earlier, const opw_loop *work, opw_places places)
{
    npy_uint64 made = 0;
    int k;
    for (k = 0; k < work->outputs; k++)
        made |= (npy_uint64)(*opw_place(places, work->inputs + k) != earlier->all[k]) << k;
    return made;
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

/* Notes how operands lie, the first of what is known. made: a bit for each output that was made for the loop: what the caller gave, or
   another call left, lies as it pleases, and tells of no other array. */
static void opw_begin_notes(opw_known *known, const opw_operand *list, int inputs, int n, npy_uint64 made)
{
    int k;
    known->n = 0;
    for (k = 0; k < inputs; k++)
        opw_note_operand(known, &list[k]);
    opw_note(known, (npy_intp)made);
    for (; k < n; k++)
        opw_note_operand(known, &list[k]);
}

/* What did not fit is not known. */
static void opw_end_notes(opw_known *known)
{
    if (known->n > OPW_KNOWN_WORDS)
        known->n = 0;
}
