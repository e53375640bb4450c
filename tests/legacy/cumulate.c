// The work of Cumulate: along one axis, or over the flattened array where PARAMS->c_axis is -1.

#section support_code

/* Where element k of the flattened array lies. */
static npy_intp cumulate_offset(PyArrayObject* x, npy_intp k)
{
    npy_intp offset = 0;
    for (int axis = PyArray_NDIM(x) - 1; axis >= 0; --axis) {
        offset += k % PyArray_DIM(x, axis) * PyArray_STRIDE(x, axis);
        k /= PyArray_DIM(x, axis);
    }
    return offset;
}

#section support_code_apply

static int APPLY_SPECIFIC(cumulate)(PyArrayObject* x, PyArrayObject** z, PARAMS_TYPE* params)
{
    npy_intp flat = PyArray_SIZE(x), whole = PyArray_SIZE(x);
    npy_intp length = whole, below = 1;
    if (params->c_axis >= 0) {
        length = PyArray_DIM(x, params->c_axis);
        for (int axis = params->c_axis + 1; axis < PyArray_NDIM(x); ++axis)
            below *= PyArray_DIM(x, axis);
    }
    if (*z == NULL || (params->c_axis < 0 ? PyArray_DIM(*z, 0) != flat : !PyArray_SAMESHAPE(*z, x))) {
        Py_XDECREF(*z);
        *z = (PyArrayObject*)PyArray_EMPTY(params->c_axis < 0 ? 1 : PyArray_NDIM(x),
                                           params->c_axis < 0 ? &flat : PyArray_DIMS(x), TYPENUM_OUTPUT_0, 0);
        if (*z == NULL)
            return -1;
    }
    for (npy_intp begin = 0; begin < whole; ++begin) {
        DTYPE_OUTPUT_0 total;
        if (begin / below % length != 0)
            continue;
        for (npy_intp i = 0; i < length; ++i) {
            npy_intp k = begin + i * below;
            DTYPE_INPUT_0 v = *(DTYPE_INPUT_0*)(PyArray_BYTES(x) + cumulate_offset(x, k));
            if (params->strict && v != v) {
                PyErr_Format(PyExc_ValueError, "not a number at %zd", (Py_ssize_t)k);
                return -1;
            }
            if (i == 0)
                total = v;
            else if (params->product)
                total = (DTYPE_OUTPUT_0)(total * v);
            else
                total = (DTYPE_OUTPUT_0)(total + v);
            *(DTYPE_OUTPUT_0*)(PyArray_BYTES(*z) + cumulate_offset(*z, k)) = total;
        }
    }
    return 0;
}
