/* Other shapes. */

#section support_code
/* A shape in the manner of NumPy's messages; as much of it as there is room for. */
static void opw_shape_text(char* text, size_t room, int ndim, const npy_intp* dims)
{
    size_t used = (size_t)PyOS_snprintf(text, room, "(");
    int i;
    for (i = 0; i < ndim && used + 32 < room; i++)
        used += (size_t)PyOS_snprintf(text + used, room - used, "%s%" NPY_INTP_FMT, i ? "," : "", dims[i]);
    PyOS_snprintf(text + used, room - used, ndim == 1 ? ",)" : ")");
}

/* x as if it were of shape dims: read-only, for elements share memory. There are as many dims as x has, or more. */
static PyArrayObject* opw_broadcast_to(PyArrayObject* x, int ndim, npy_intp* dims)
{
    npy_intp strides[NPY_MAXDIMS];
    const int lead = ndim - PyArray_NDIM(x);
    char have[300], want[300];
    int i;
    for (i = 0; i < ndim; i++) {
        if (dims[i] < 0) {
            PyErr_SetString(PyExc_ValueError, "all elements of broadcast shape must be non-negative");
            return NULL;
        }
    }
    for (i = 0; i < ndim; i++) {
        const npy_intp size = i < lead ? 1 : PyArray_DIM(x, i - lead);
        strides[i] = i < lead || size == 1 ? 0 : PyArray_STRIDE(x, i - lead);
        if (size != 1 && size != dims[i]) {
            opw_shape_text(have, sizeof have, PyArray_NDIM(x), PyArray_DIMS(x));
            opw_shape_text(want, sizeof want, ndim, dims);
            PyErr_Format(PyExc_ValueError, "operands could not be broadcast together with remapped shapes "
                         "[original->remapped]: %s  and requested shape %s", have, want);
            return NULL;
        }
    }
    return opw_view(x, ndim, dims, strides, PyArray_BYTES(x), 0);
}

/* x in another shape: a view where one will do. */
static int opw_reshape(PyArrayObject** out, PyArrayObject* x, int ndim, npy_intp* sizes)
{
    PyArray_Dims shape;
    shape.ptr = sizes;
    shape.len = ndim;
    return opw_store(out, PyArray_Newshape(x, &shape, NPY_CORDER));
}

/* Refuses a vector of sizes of another length. */
static int opw_as_many(PyArrayObject* sizes, int ndim)
{
    if (PyArray_DIM(sizes, 0) == ndim) return 0;
    PyErr_Format(PyExc_ValueError, "reshape: expected a shape of %d sizes, got %zd", ndim,
                 (Py_ssize_t)PyArray_DIM(sizes, 0));
    return -1;
}
