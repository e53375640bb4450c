/* Elements in memory, and whether two arrays may have some in common: what the runtime and short forms ask. */
/* ---- memory of arrays -------------------------------------------------------------------------------------------- */

/* What a loop reads or writes: elements in memory. */
typedef struct {
    char *data;
    int ndim;
    const npy_intp *dims, *strides;
    npy_intp size;        /* of an element, in bytes */
    PyArrayObject *array; /* that they are all of, borrowed; NULL: none */
} opw_operand;

static inline opw_operand opw_operand_of(PyArrayObject *array)
{
    opw_operand operand = {PyArray_BYTES(array), PyArray_NDIM(array), PyArray_DIMS(array), PyArray_STRIDES(array),
                           PyArray_ITEMSIZE(array), array};
    return operand;
}

/* The first byte that elements can reach, and the one past the last; both NULL, nowhere, where there are none. */
typedef struct { const char *low, *high; } opw_range;

static opw_range opw_range_of(const opw_operand *operand)
{
    opw_range range = {operand->data, operand->data + operand->size}, nowhere = {NULL, NULL};
    int i;
    for (i = 0; i < operand->ndim; i++) {
        npy_intp reach = (operand->dims[i] - 1) * operand->strides[i];
        if (!operand->dims[i])
            return nowhere;
        if (reach < 0)
            range.low += reach;
        else
            range.high += reach;
    }
    return range;
}

static int opw_ranges_meet(const opw_range *one, const opw_range *other) { return one->low < other->high && other->low < one->high; }

/* Whether operands may share memory. */
static int opw_meet(const opw_operand *a, const opw_operand *b)
{
    opw_range one = opw_range_of(a), other = opw_range_of(b);
    return opw_ranges_meet(&one, &other);
}

/* Whether two objects are arrays that may share memory. */
static int opw_overlap(PyObject *a, PyObject *b)
{
    opw_operand one, other;
    if (!PyArray_Check(a) || !PyArray_Check(b))
        return 0;
    one = opw_operand_of((PyArrayObject *)a);
    other = opw_operand_of((PyArrayObject *)b);
    return opw_meet(&one, &other);
}
