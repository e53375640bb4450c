/* Which shape operands have together: broadcasting, and what is said where there is none. */
/* ---- shapes ------------------------------------------------------------------------------------------------------- */

/* "(3,) (2,4) ": the shapes, as NumPy writes them in its message. A new reference, or NULL. */
static PyObject *opw_shapes(const opw_operand *list, int n)
{
    PyObject *text = PyUnicode_FromString(""), *longer;
    int i, j, ndim;
    for (i = 0; i < n; i++) {
        ndim = list[i].ndim;
        for (j = 0; text && j <= ndim; j++) {
            if (j < ndim)
                longer = PyUnicode_FromFormat(j ? "%U,%zd" : "%U(%zd", text, (Py_ssize_t)list[i].dims[j]);
            else
                longer = PyUnicode_FromFormat(ndim > 1 ? "%U) " : ndim ? "%U,) " : "%U() ", text);
            Py_DECREF(text);
            text = longer;
        }
    }
    return text;
}

/* The shape that operands are broadcast to; its number of dimensions, or -1: there is none. */
static int opw_broadcast(const opw_operand *list, int n, npy_intp *dims)
{
    int i, j, ndim = 0;
    for (i = 0; i < n; i++)
        if (list[i].ndim > ndim)
            ndim = list[i].ndim;
    for (j = 0; j < ndim; j++)
        dims[j] = 1;
    for (i = 0; i < n; i++) {
        npy_intp *dim = dims + (ndim - list[i].ndim);
        for (j = 0; j < list[i].ndim; j++) {
            npy_intp have = list[i].dims[j];
            if (have == 1 || have == dim[j])
                continue;
            if (dim[j] != 1)
                return -1;
            dim[j] = have;
        }
    }
    return ndim;
}

/* Raises for operands that have no shape in common, or of which one is broadcast though it must not be. */
static void opw_refuse_shapes(const opw_operand *list, int n)
{
    npy_intp dims[OPW_MAX_DIMS];
    PyObject *shapes = opw_shapes(list, n);
    if (shapes)
        PyErr_Format(PyExc_ValueError, opw_broadcast(list, n, dims) < 0
                         ? "operands could not be broadcast together with shapes %U"
                         : "Runtime broadcasting not allowed. One input had a distinct dimension length of 1, but was not marked as "
                           "broadcastable: shapes %U(if broadcasting was intended, use `specify_broadcastable` on the relevant input)",
                     shapes);
    Py_XDECREF(shapes);
}

/* Whether an operand is broadcast along an axis where it must not be. dims: what all are broadcast to. */
static int opw_stretches(const opw_operand *list, int n, const npy_uint64 *exact, int ndim, const npy_intp *dims)
{
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; exact[i] && j < list[i].ndim; j++)
            if (exact[i] >> j & 1 && list[i].dims[j] == 1 && dims[ndim - list[i].ndim + j] != 1)
                return 1;
    return 0;
}

/* As opw_broadcast, for a loop's inputs: -1 where one is broadcast that must not be, too. */
static int opw_broadcast_inputs(const opw_loop *work, const opw_operand *list, npy_intp *dims)
{
    int ndim = opw_broadcast(list, work->inputs, dims);
    return ndim >= 0 && work->exact && opw_stretches(list, work->inputs, work->exact, ndim, dims) ? -1 : ndim;
}

/* What a group's main loop says instead of running: the shapes want the second way; they have none in common. What a loop that
   folds says where it has nothing to fold: an exception is set. What is said where outputs are made and there are no elements. */
#define OPW_BY_PARTS (-1)
#define OPW_NO_SHAPE (-2)
#define OPW_NOTHING (-3)
#define OPW_EMPTY (-4)

/* Whether each set of inputs has the shape of all. */
static int opw_masks_hold(const opw_group *group, const opw_operand *list, int ndim, const npy_intp *dims)
{
    npy_uint64 wanted = 0; /* axes, by their bits */
    uint32_t m, i;
    int j;
    for (j = 0; j < ndim; j++)
        wanted |= (npy_uint64)(dims[j] != 1) << j;
    for (m = 0; m < group->masks; m++) {
        npy_uint64 mask = group->mask_table[m], found = 0;
        int most = 0;
        for (i = 0; i < group->inputs; i++) {
            if (!(mask >> i & 1))
                continue;
            if (list[i].ndim > most)
                most = list[i].ndim;
            for (j = 0; j < list[i].ndim; j++)
                found |= (npy_uint64)(list[i].dims[j] != 1) << (ndim - list[i].ndim + j);
        }
        if (most != ndim || found != wanted)
            return 0;
    }
    return 1;
}
