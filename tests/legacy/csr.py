"""Theano: a sparse matrix as its three arrays, types of all inputs in the text, ``dict(locals(), **sub)``."""

import numpy

from opweld.compat import theano

tensor = theano.tensor


class CSRTimesDense(theano.gof.Op):
    """A matrix in compressed sparse rows (values, columns, where rows begin) times a dense one."""

    def __eq__(self, other):
        return type(self) == type(other)

    def __hash__(self):
        return hash(type(self))

    def make_node(self, a_data, a_indices, a_indptr, b):
        for index in (a_indices, a_indptr):
            if index.type.dtype != "int32":
                raise TypeError("indices and indptr must be int32")
        dtype_out = theano.scalar.upcast(a_data.type.dtype, b.type.dtype)
        out = tensor.tensor(dtype=dtype_out, broadcastable=(False, b.type.broadcastable[1]))
        return theano.gof.Apply(self, [a_data, a_indices, a_indptr, b], [out])

    def perform(self, node, inputs, outputs):
        data, indices, indptr, b = inputs
        if len(data) != len(indices):
            raise ValueError("data and indices differ in length")
        if len(indptr) == 0 or indptr[0] != 0 or indptr[-1] != len(data) or (numpy.diff(indptr) < 0).any():
            raise ValueError("indptr does not fit")
        if ((indices < 0) | (indices >= b.shape[0])).any():
            raise IndexError("a column is out of range")
        z = numpy.zeros((len(indptr) - 1, b.shape[1]), node.outputs[0].type.dtype)
        for row in range(len(z)):
            for at in range(indptr[row], indptr[row + 1]):
                z[row] += z.dtype.type(data[at]) * b[indices[at]].astype(z.dtype)
        outputs[0][0] = z

    def c_code(self, node, name, inputs, outputs, sub):
        a_val, a_ind, a_ptr, b = inputs
        (z,) = outputs
        typenum_z = node.outputs[0].type.dtype_specs()[2]
        if node.inputs[0].type.dtype in ("complex64", "complex128"):
            raise NotImplementedError("Complex types are not supported for a_val")
        return """
        if (PyArray_NDIM(%(a_val)s) != 1 || PyArray_NDIM(%(a_ind)s) != 1 || PyArray_NDIM(%(a_ptr)s) != 1
            || PyArray_NDIM(%(b)s) != 2) {
            PyErr_SetString(PyExc_NotImplementedError, "wrong number of dimensions"); %(fail)s; }
        if (PyArray_TYPE(%(a_ind)s) != NPY_INT32) {
            PyErr_SetString(PyExc_NotImplementedError, "a_ind dtype not INT32"); %(fail)s; }
        if (PyArray_TYPE(%(a_ptr)s) != NPY_INT32) {
            PyErr_SetString(PyExc_NotImplementedError, "a_ptr dtype not INT32"); %(fail)s; }
        if (PyArray_DIMS(%(a_val)s)[0] != PyArray_DIMS(%(a_ind)s)[0]) {
            PyErr_SetString(PyExc_ValueError, "data and indices differ in length"); %(fail)s; }
        if (PyArray_DIMS(%(a_ptr)s)[0] == 0) {
            PyErr_SetString(PyExc_ValueError, "indptr does not fit"); %(fail)s; }
        if (!%(z)s || (PyArray_DIMS(%(z)s)[0] != PyArray_DIMS(%(a_ptr)s)[0] - 1)
                || (PyArray_DIMS(%(z)s)[1] != PyArray_DIMS(%(b)s)[1])) {
            Py_XDECREF(%(z)s);
            npy_intp dims[] = {0, 0};
            dims[0] = PyArray_DIMS(%(a_ptr)s)[0] - 1;
            dims[1] = PyArray_DIMS(%(b)s)[1];
            %(z)s = (PyArrayObject*) PyArray_SimpleNew(2, dims, %(typenum_z)s);
            if (!%(z)s) %(fail)s;
        }
        {
            npy_intp M = PyArray_DIMS(%(z)s)[0], N = PyArray_DIMS(%(z)s)[1], K = PyArray_DIMS(%(b)s)[0];
            npy_intp nnz = PyArray_DIMS(%(a_val)s)[0], m, n;
            npy_int32 at = 0;
            if (*(npy_int32*)PyArray_GETPTR1(%(a_ptr)s, 0) != 0
                || *(npy_int32*)PyArray_GETPTR1(%(a_ptr)s, M) != nnz) {
                PyErr_SetString(PyExc_ValueError, "indptr does not fit"); %(fail)s; }
            for (m = 0; m < M; ++m)
                if (*(npy_int32*)PyArray_GETPTR1(%(a_ptr)s, m + 1) < *(npy_int32*)PyArray_GETPTR1(%(a_ptr)s, m)) {
                    PyErr_SetString(PyExc_ValueError, "indptr does not fit"); %(fail)s; }
            for (m = 0; m < nnz; ++m) {
                npy_int32 col = *(npy_int32*)PyArray_GETPTR1(%(a_ind)s, m);
                if (col < 0 || col >= K) {
                    PyErr_Format(PyExc_IndexError, "column %%d is out of range", (int)col); %(fail)s; }
            }
            for (m = 0; m < M; ++m) {
                npy_int32 end = *(npy_int32*)PyArray_GETPTR1(%(a_ptr)s, m + 1);
                for (n = 0; n < N; ++n)
                    *(dtype_%(z)s*)PyArray_GETPTR2(%(z)s, m, n) = 0;
                for (; at < end; ++at) {
                    const dtype_%(z)s v = (dtype_%(z)s)*(dtype_%(a_val)s*)PyArray_GETPTR1(%(a_val)s, at);
                    npy_int32 col = *(npy_int32*)PyArray_GETPTR1(%(a_ind)s, at);
                    for (n = 0; n < N; ++n)
                        *(dtype_%(z)s*)PyArray_GETPTR2(%(z)s, m, n) +=
                            v * (dtype_%(z)s)*(dtype_%(b)s*)PyArray_GETPTR2(%(b)s, col, n);
                }
            }
        }
        """ % dict(locals(), **sub)

    def c_compile_args(self):
        return ["-ffp-contract=off"]

    def c_code_cache_version(self):
        return (4,)
