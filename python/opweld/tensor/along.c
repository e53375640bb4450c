/* Along one axis, by NumPy's own C. */

#section support_code
/* Where the largest element is, or the smallest: stored into the output, seen without the axis that stays. */
static int opw_arg_extreme(PyArrayObject** out, PyArrayObject* x, int axis, int keepdims, int largest)
{
    const int ndim = PyArray_NDIM(x);
    npy_intp sizes[NPY_MAXDIMS], left[NPY_MAXDIMS];
    PyArray_Dims shape;
    PyArrayObject* seen;
    PyObject* made;
    int i, kept = 0;
    shape.ptr = left;
    shape.len = 0;
    for (i = 0; i < ndim; i++) {
        const int goes = axis == NPY_RAVEL_AXIS || i == axis;
        if (!goes) left[shape.len++] = PyArray_DIM(x, i);
        if (!goes || keepdims) sizes[kept++] = goes ? 1 : PyArray_DIM(x, i);
    }
    if (opw_allocate(out, kept, sizes, NPY_INTP) < 0) return -1;
    if (kept == shape.len) {
        seen = *out;
        Py_INCREF(seen);
    } else {
        seen = (PyArrayObject*)PyArray_Newshape(*out, &shape, NPY_CORDER);
        if (seen == NULL) return -1;
    }
    made = largest ? PyArray_ArgMax(x, axis, seen) : PyArray_ArgMin(x, axis, seen);
    Py_DECREF(seen);
    Py_XDECREF(made); /* what it stored into */
    return made == NULL ? -1 : 0;
}
