/* Whether a loop of stores writes an output over an input. */
/* ---- outputs over inputs ------------------------------------------------------------------------------------------ */

/* Whether an output may be written over an input: of the same shape, writeable, no two elements in one place, and no other
   input partly there too. */
static int opw_may_overwrite(const opw_operand *list, int inputs, int which, int ndim, const npy_intp *dims)
{
    const opw_operand *over = &list[which];
    int i;
    if (!over->array || !opw_same_dims(over, ndim, dims) || !PyArray_CHKFLAGS(over->array, NPY_ARRAY_WRITEABLE) ||
        opw_folds(over->array))
        return 0;
    for (i = 0; i < inputs; i++) {
        if (i == which || list[i].array == over->array || !opw_meet(&list[i], over))
            continue;
        if (list[i].data != over->data || !opw_same_dims(&list[i], ndim, dims) ||
            !PyArray_CompareLists(list[i].strides, over->strides, ndim))
            return 0;
    }
    return 1;
}

/* The same of arrays that all have one shape, in C order, or no dimensions: n elements at p, s bytes apart. */
OPW_INLINE int opw_may_overwrite_plain(const opw_loop *work, PyArrayObject *array, int which, npy_intp n, char *const *p,
                                   const npy_intp *s)
{
    int i;
    if ((n != 1 && !s[which]) || !PyArray_CHKFLAGS(array, NPY_ARRAY_WRITEABLE))
        return 0;
    for (i = 0; i < work->inputs; i++)
        if ((p[i] != p[which] || s[i] != s[which]) && p[i] < p[which] + n * work->sizes[which] &&
            p[which] < p[i] + (s[i] ? n : 1) * work->sizes[i])
            return 0;
    return 1;
}

/* Whether one of the first n outputs is written there already: two arguments may be one array. */
OPW_INLINE int opw_taken(opw_places outputs, int n, PyArrayObject *array)
{
    int j;
    for (j = 0; j < n; j++) {
        PyArrayObject *other = *opw_place(outputs, j);
        if (other && opw_overlap((PyObject *)other, (PyObject *)array))
            return 1;
    }
    return 0;
}

/* Whether an output that may be written over an input rather is not: the caller gave an array for it; or division by products, which
   read again what they have written, pays for memory of its own, of which there are so many elements in a near cache. */
#define OPW_APART_ELEMENTS 8192
OPW_INLINE int opw_stays_apart(const opw_loop *work, PyArrayObject *given, npy_intp n)
{
    return given || (work->rows && n <= OPW_APART_ELEMENTS);
}

/* Gives each output of an in-place kernel its input's array, where that may be. */
static void opw_overwrite(const opw_loop *work, opw_places outputs, const opw_operand *list, int ndim, const npy_intp *dims)
{
    npy_intp n = 1;
    int k;
    for (k = 0; k < ndim; k++)
        n *= dims[k];
    for (k = 0; k < work->outputs; k++) {
        int which = work->over[k];
        if (which < 0 || opw_stays_apart(work, *opw_place(outputs, k), n) || !opw_may_overwrite(list, work->inputs, which, ndim, dims) ||
            opw_taken(outputs, k, list[which].array))
            continue;
        Py_INCREF(list[which].array);
        opw_put_array(opw_place(outputs, k), list[which].array);
    }
}
