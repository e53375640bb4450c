/* Ones on a diagonal. */

#section support_code
/* Zeros, and from a column on, or with -n from row n, ones down the diagonal: their bytes, of complex numbers those of the
   real part. */
static int opw_eye(PyArrayObject** out, npy_intp n, npy_intp m, npy_intp column, int type_num, const void* one,
                   size_t size)
{
    npy_intp dims[2], i = 0;
    dims[0] = n;
    dims[1] = m;
    if (opw_allocate(out, 2, dims, type_num) < 0) return -1;
    memset(PyArray_DATA(*out), 0, (size_t)PyArray_NBYTES(*out));
    if (column < 0) {
        i = column > -n ? -column : n;
        column = 0;
    }
    for (; i < n && column < m; i++, column++) memcpy(PyArray_GETPTR2(*out, i, column), one, size);
    return 0;
}
