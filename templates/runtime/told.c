/* Views that are told what they are by a vector of int64: one module serves all that are alike but for this. */
/* The vector has one view, or several, each of what the one before it gives: how many axes the view has, how many cuts; of each axis the
   input's, or -1: a new one, of size 1; then for each cut the input's axis, what is given of it, and three numbers: the place of the
   element that is taken (given: 0), or start, stop and step of a slice (given: 1, 2 and 4 for each, and 8). Cuts are in the order of
   the input's axes. What it says is not taken on trust. */
enum { OPW_TOLD_HEAD = 2, OPW_TOLD_CUT = 5 };

/* Reads a cut; a slice's axis is one of the view's. 0: it is none. */
static int opw_told_cut(const npy_int64 *told, npy_intp at, int ndim, const opw_access *access, opw_cut *cut)
{
    const npy_int64 given = told[at + 1];
    int i;
    if (told[at] < 0 || told[at] >= ndim || given < 0 || given > 15 || (given && given < 8))
        return 0;
    *cut = (opw_cut){(int)told[at], -1, 0, (int)at + 2, 0, 0, 0};
    for (i = 0; i < access->ndim; i++)
        if (access->axes[i] == cut->axis)
            cut->to = i;
    if (given) {
        cut->start = given & 1 ? (int)at + 2 : 0;
        cut->stop = given & 2 ? (int)at + 3 : 0;
        cut->step = given & 4 ? (int)at + 4 : 0;
    }
    return (cut->to < 0) == !given;
}

/* Reads the view that begins at a place, of what has so many axes. Gives where the next one begins; 0: it is none. */
static npy_intp opw_told_access(const npy_int64 *told, npy_intp at, npy_intp size, int ndim, opw_access *access, int *axes, opw_cut *cuts)
{
    npy_uint64 gone = ndim < 64 ? ((npy_uint64)1 << ndim) - 1 : ~(npy_uint64)0;
    npy_intp i;
    if (size - at < OPW_TOLD_HEAD || told[at] < 0 || told[at] > OPW_MAX_DIMS || told[at + 1] < 0 || told[at + 1] > ndim ||
        size - at < OPW_TOLD_HEAD + told[at] + OPW_TOLD_CUT * told[at + 1])
        return 0;
    *access = (opw_access){0, (int)told[at], axes, 0, (int)told[at + 1], cuts};
    at += OPW_TOLD_HEAD;
    for (i = 0; i < access->ndim; i++, at++) {
        if (told[at] < -1 || told[at] >= ndim || (told[at] >= 0 && !(gone >> told[at] & 1)))
            return 0; /* it is not there, or was before */
        axes[i] = (int)told[at];
        if (axes[i] >= 0)
            gone &= ~((npy_uint64)1 << axes[i]);
    }
    for (i = 0; i < access->cuts; i++, at += OPW_TOLD_CUT) {
        if (!opw_told_cut(told, at, ndim, access, &cuts[i]) || (i && cuts[i].axis <= cuts[i - 1].axis))
            return 0;
        gone &= ~((npy_uint64)1 << cuts[i].axis);
    }
    access->ones = gone;
    return at;
}

/* A view of an array, of so many dimensions, as it is told. A new reference, or NULL. */
static PyArrayObject *opw_told_array(int ndim, PyArrayObject *of, PyArrayObject *numbers)
{
    const npy_int64 *told = (const npy_int64 *)PyArray_DATA(numbers);
    const npy_intp size = PyArray_DIM(numbers, 0);
    const opw_inputs inputs = {{NULL, {NULL}}, NULL, told};
    npy_intp room[2][2 * OPW_MAX_DIMS], at = 0;
    int axes[OPW_MAX_DIMS], turn = 0, right = PyArray_IS_C_CONTIGUOUS(numbers);
    opw_cut cuts[OPW_MAX_DIMS];
    opw_operand from = opw_operand_of(of);
    while (right && at < size) {
        opw_access access;
        opw_operand view;
        at = opw_told_access(told, at, size, from.ndim, &access, axes, cuts);
        if (!(right = at > 0))
            break;
        if (opw_reach(&access, &from, &inputs, room[turn], &view))
            return NULL;
        from = view;
        turn = !turn;
    }
    if (!right || from.ndim != ndim) {
        PyErr_Format(PyExc_ValueError, "what a view is told is no view of %d dimensions of an array of %d", ndim, PyArray_NDIM(of));
        return NULL;
    }
    return opw_array_of(&from, of);
}
