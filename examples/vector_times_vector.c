/* The C of vector_times_vector_file.py.
 *
 * Each section is the method of the same name with c_ before it. APPLY_SPECIFIC(s), DTYPE_…, TYPENUM_… are written by
 * opweld for each pair of dtypes. */

#section support_code

/* True if both are as long; else a ValueError is set. */
static bool lengths_agree(PyArrayObject *x, PyArrayObject *y)
{
    if (PyArray_DIM(x, 0) == PyArray_DIM(y, 0)) return true;
    PyErr_Format(PyExc_ValueError, "VectorTimesVectorFile: x has %zd elements, y has %zd",
                 (Py_ssize_t)PyArray_DIM(x, 0), (Py_ssize_t)PyArray_DIM(y, 0));
    return false;
}

#section support_code_apply

static void APPLY_SPECIFIC(multiply)(npy_intp n, const char *x, npy_intp x_step, const char *y, npy_intp y_step,
                                     char *z, npy_intp z_step)
{
    if (x_step == sizeof(DTYPE_INPUT_0) && y_step == sizeof(DTYPE_INPUT_1) && z_step == sizeof(DTYPE_OUTPUT_0)) {
        const DTYPE_INPUT_0 *a = (const DTYPE_INPUT_0 *)x;
        const DTYPE_INPUT_1 *b = (const DTYPE_INPUT_1 *)y;
        DTYPE_OUTPUT_0 *to = (DTYPE_OUTPUT_0 *)z;
        for (npy_intp i = 0; i < n; i++) to[i] = (DTYPE_OUTPUT_0)a[i] * (DTYPE_OUTPUT_0)b[i];
    } else {
        for (npy_intp i = 0; i < n; i++, x += x_step, y += y_step, z += z_step)
            *(DTYPE_OUTPUT_0 *)z =
                (DTYPE_OUTPUT_0)*(const DTYPE_INPUT_0 *)x * (DTYPE_OUTPUT_0)*(const DTYPE_INPUT_1 *)y;
    }
}

/* The op itself: returns 0, or 1 with an exception set. *z is NULL or an array of an earlier call. */
static int APPLY_SPECIFIC(vector_times_vector)(PyArrayObject *x, PyArrayObject *y, PyArrayObject **z)
{
    if (!lengths_agree(x, y)) return 1;
    if (*z == NULL || PyArray_DIM(*z, 0) != PyArray_DIM(x, 0)) {
        Py_CLEAR(*z);
        *z = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), TYPENUM_OUTPUT_0, 0);
        if (*z == NULL) return 1;
    }
    APPLY_SPECIFIC(multiply)(PyArray_DIM(x, 0), PyArray_BYTES(x), PyArray_STRIDE(x, 0),
                             PyArray_BYTES(y), PyArray_STRIDE(y, 0), PyArray_BYTES(*z), PyArray_STRIDE(*z, 0));
    return 0;
}
