"""Ops in the manner of Theano's manual and of the packages' own files, under Theano's names: one corner of C each.

Each is compared with NumPy, plain and in DebugMode.
"""

import os

import numpy as np
import opweld.compat.theano.scalar as scal
import opweld.compat.theano.tensor as T
import pytest
from opweld.compat.theano.gof import EnumList, ParamsType

from opweld.compat import theano
from opweld.compat.theano import gof

RNG = np.random.RandomState(666)
V, W, M = RNG.rand(5), RNG.rand(5), RNG.rand(3, 4)
CASES = {}


def case(*values, wanted):
    """Try an op on values; `wanted`: what NumPy makes of them."""

    def enter(make):
        CASES[make.__name__] = make, values, wanted
        return make

    return enter


def alloc_like(x, z, fail):
    return """
    if (%(z)s == NULL || PyArray_NDIM(%(z)s) != PyArray_NDIM(%(x)s)
        || !PyArray_CompareLists(PyArray_DIMS(%(z)s), PyArray_DIMS(%(x)s), PyArray_NDIM(%(x)s))
        || !PyArray_IS_C_CONTIGUOUS(%(z)s)) {
        Py_XDECREF(%(z)s);
        %(z)s = (PyArrayObject*)PyArray_EMPTY(PyArray_NDIM(%(x)s), PyArray_DIMS(%(x)s), PyArray_TYPE(%(x)s), 0);
        if (!%(z)s) { %(fail)s }
    }
    """ % {"x": x, "z": z, "fail": fail}


class Unary(theano.Op):
    """What most of them have: one vector in, one out, made by a loop over `body`."""

    __props__ = ()
    body = "%(z)s = 2 * %(x)s"

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return theano.Apply(self, [x], [x.type()])

    def loop(self, x, z, fail):
        named = {
            "x": "*((dtype_%s*)PyArray_GETPTR1(%s, i))" % (x, x),
            "z": "*((dtype_%s*)PyArray_GETPTR1(%s, i))" % (z, z),
        }
        body = self.body % named
        return alloc_like(x, z, fail) + "for (npy_intp i = 0; i < PyArray_DIM(%s, 0); i++) { %s; }" % (x, body)

    def c_code(self, node, name, inp, out, sub):
        return self.loop(inp[0], out[0], sub["fail"])

    def c_code_cache_version(self):
        return (1,)


@case(M, wanted=lambda x: 2 * x)
class DoubleOp(theano.Op):
    """Extending Theano: the first op of the manual; Python alone."""

    __props__ = ()

    def make_node(self, x):
        x = theano.tensor.as_tensor_variable(x)
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        x = inputs[0]
        z = output_storage[0]
        z[0] = x * 2

    def infer_shape(self, node, i0_shapes):
        return i0_shapes

    def grad(self, inputs, output_grads):
        return [output_grads[0] * 2]

    def R_op(self, inputs, eval_points):
        if eval_points[0] is None:
            return eval_points
        return self.grad(inputs, eval_points)


@case(M, wanted=lambda x: 2 * x)
class DoubleOp2(theano.Op):
    """The second: no make_node."""

    __props__ = ()
    itypes = [theano.tensor.dmatrix]
    otypes = [theano.tensor.dmatrix]

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2


@case(V, np.array(3.0), wanted=lambda x, y: x * y)
class VectorTimesScalar(gof.Op):
    """Creating a new Op, C implementation: the manual's, with its support code for each apply."""

    __props__ = ()

    def make_node(self, x, y):
        if x.type.ndim != 1:
            raise TypeError("x must be a 1-d vector")
        if y.type.ndim != 0:
            raise TypeError("y must be a scalar")
        output_var = theano.tensor.TensorType(dtype=theano.scalar.upcast(x.dtype, y.dtype), broadcastable=[False])()
        return gof.Apply(self, [x, y], [output_var])

    def c_code_cache_version(self):
        return (1, 0)

    def c_support_code(self):
        return """
        bool vector_same_shape(PyArrayObject* arr1, PyArrayObject* arr2) {
            return (PyArray_DIMS(arr1)[0] == PyArray_DIMS(arr2)[0]);
        }
        """

    def c_support_code_apply(self, node, name):
        dtype_x, dtype_z = node.inputs[0].dtype, node.outputs[0].dtype
        c_support_code = """
        void vector_times_scalar_%(name)s(npy_%(dtype_x)s* x, int x_str, npy_%(dtype_x)s y, npy_%(dtype_z)s* z, int n) {
            for (int i = 0; i < n; i++) z[i] = x[i * x_str] * y;
        }
        """
        return c_support_code % locals()

    def c_code(self, node, name, inp, out, sub):
        x, y = inp[0], inp[1]
        z = out[0]
        dtype_x = node.inputs[0].dtype
        itemsize_x = np.dtype(dtype_x).itemsize
        fail = sub["fail"]
        c_code = """
        if (%(z)s == NULL || !vector_same_shape(%(x)s, %(z)s)) {
            Py_XDECREF(%(z)s);
            %(z)s = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS(%(x)s), PyArray_TYPE(%(x)s), 0);
            if (!%(z)s) { %(fail)s; }
        }
        vector_times_scalar_%(name)s((npy_%(dtype_x)s*)PyArray_DATA(%(x)s), PyArray_STRIDES(%(x)s)[0] / %(itemsize_x)s,
            ((npy_%(dtype_x)s*)PyArray_DATA(%(y)s))[0], (npy_%(dtype_x)s*)PyArray_DATA(%(z)s), PyArray_DIMS(%(z)s)[0]);
        """
        return c_code % locals()


@case(V, wanted=lambda x: x + 45)
class InitCode(Unary):
    """c_init_code fills a table when the module is loaded, c_init_code_apply one of the node's own."""

    body = "%(z)s = %(x)s + table_sum()"

    def c_support_code(self):
        return """
        static int table[10];
        static int table_sum() { int sum = 0; for (int i = 0; i < 10; i++) sum += table[i]; return sum; }
        """

    def c_init_code(self):
        return ["for (int i = 0; i < 10; i++) table[i] = i;"]


@case(V, wanted=lambda x: np.cumsum(x))
class Buffered(Unary):
    """Members of the node's struct, a buffer that its clean-up frees, and c_code_cleanup."""

    body = "total += %(x)s; buffer[i %% 16] = total; %(z)s = buffer[i %% 16]"

    def c_headers(self):
        return ["<stdlib.h>", "<string.h>"]

    def c_support_code_struct(self, node, name):
        return "double *buffer; double total;"

    def c_init_code_struct(self, node, name, sub):
        return (
            """
        buffer = (double*)calloc(16, sizeof(double));
        total = 0;
        if (buffer == NULL) { PyErr_NoMemory(); %(fail)s }
        """
            % sub
        )

    def c_cleanup_code_struct(self, node, name):
        return "free(buffer);"

    def c_code_cleanup(self, node, name, inp, out, sub):
        return "total = 0;"


@case(np.arange(1000.0), wanted=lambda x: np.sqrt(x))
class Threads(gof.OpenMPOp):
    """OpenMPOp, with the pragma where the op says so."""

    __props__ = ("openmp",)

    def __init__(self):
        super(Threads, self).__init__(openmp=True)

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def c_headers(self):
        return super(Threads, self).c_headers() + ["<math.h>"]

    def c_code(self, node, name, inp, out, sub):
        (x,), (z,), fail = inp, out, sub["fail"]
        pragma = "#pragma omp parallel for" if self.openmp else ""
        return (
            alloc_like(x, z, fail)
            + """
        npy_intp n = PyArray_DIM(%(x)s, 0);
        %(pragma)s
        for (npy_intp i = 0; i < n; i++)
            *(double*)PyArray_GETPTR1(%(z)s, i) = sqrt(*(double*)PyArray_GETPTR1(%(x)s, i));
        """
            % locals()
        )

    def c_code_cache_version(self):
        return (1, self.openmp)


@case(V, wanted=lambda x: (x + 1) * 3)
class Inplace(theano.Op):
    """destroy_map, set in __init__; over a temporary, so that it may."""

    __props__ = ("inplace",)

    def __init__(self, inplace=True):
        self.inplace = inplace
        if inplace:
            self.destroy_map = {0: [0]}

    def __call__(self, x, **kwargs):
        return super(Inplace, self).__call__(x + 1, **kwargs)

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        (x,), (z,) = inputs, output_storage
        z[0] = x if self.inplace else x.copy()
        z[0] *= 3

    def c_code(self, node, name, inp, out, sub):
        (x,), (z,), fail = inp, out, sub["fail"]
        take = (
            "%(z)s = %(x)s; Py_INCREF(%(z)s);"
            if self.inplace
            else ("%(z)s = (PyArrayObject*)PyArray_NewCopy(%(x)s, NPY_ANYORDER); if (!%(z)s) { %(fail)s }")
        )
        return (
            "Py_XDECREF(%(z)s);"
            + take
            + """
        for (npy_intp i = 0; i < PyArray_DIM(%(z)s, 0); i++) *(double*)PyArray_GETPTR1(%(z)s, i) *= 3;
        """
        ) % locals()

    def c_code_cache_version(self):
        return (1,)


@case(V, wanted=lambda x: x[::-1] + x)
class Reversed(theano.Op):
    """view_map: an array over its input's memory, with strides of its own."""

    __props__ = ()
    view_map = {0: [0]}

    def __call__(self, x):
        return super(Reversed, self).__call__(x) + x

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0][::-1]

    def c_code(self, node, name, inp, out, sub):
        (x,), (z,), fail = inp, out, sub["fail"]
        return """
        npy_intp stride = -PyArray_STRIDE(%(x)s, 0), n = PyArray_DIM(%(x)s, 0);
        Py_XDECREF(%(z)s);
        Py_INCREF(PyArray_DESCR(%(x)s));
        %(z)s = (PyArrayObject*)PyArray_NewFromDescr(&PyArray_Type, PyArray_DESCR(%(x)s), 1, &n, &stride,
            PyArray_BYTES(%(x)s) - (n ? (n - 1) * stride : 0), NPY_ARRAY_WRITEABLE, NULL);
        if (!%(z)s) { %(fail)s }
        Py_INCREF(%(x)s);
        PyArray_SetBaseObject(%(z)s, (PyObject*)%(x)s);
        """ % locals()

    def c_code_cache_version(self):
        return (1,)


@case(V.astype("float16"), wanted=lambda x: x * np.float16(2))
class HalfInC(Unary):
    """_f16_ok: the C converts by itself."""

    _f16_ok = True
    body = "%(z)s = npy_float_to_half(2 * npy_half_to_float(%(x)s))"

    def c_headers(self):
        return ["<numpy/halffloat.h>"]

    def c_libraries(self):
        return ["npymath"]

    def c_lib_dirs(self):
        return [os.path.join(os.path.dirname(np.get_include()), "lib")]


@case(V.astype("float16"), wanted=lambda x: x * np.float16(2))
class HalfInPython(Unary):
    """Without it `perform` runs: the bits are not doubled."""

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * inputs[0].dtype.type(2)


@case(M, M.T.copy(), wanted=np.dot)
class Product(theano.Op):
    """BLAS by its names in Fortran."""

    __props__ = ()

    def make_node(self, x, y):
        return theano.Apply(self, [x, y], [T.dmatrix()])

    def c_support_code(self):
        return T.blas.blas_header_text()

    def c_headers(self):
        return ["<numpy/arrayobject.h>"]

    def c_header_dirs(self):
        return T.blas.ldflags(libs=False, include_dir=True)

    def c_libraries(self):
        return T.blas.ldflags()

    def c_compile_args(self):
        return T.blas.ldflags(libs=False, flags=True)

    def c_lib_dirs(self):
        return T.blas.ldflags(libs=False, libs_dir=True)

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.dot(*inputs)

    def c_code(self, node, name, inp, out, sub):
        (x, y), (z,), fail = inp, out, sub["fail"]
        return """
        npy_intp size[2] = {PyArray_DIM(%(x)s, 0), PyArray_DIM(%(y)s, 1)};
        int m = size[1], n = size[0], k = PyArray_DIM(%(x)s, 1);
        double one = 1.0, zero = 0.0;
        char N = 'N';
        if (PyArray_DIM(%(y)s, 0) != k) { PyErr_SetString(PyExc_ValueError, "Shape mismatch"); %(fail)s }
        Py_XDECREF(%(z)s);
        %(z)s = (PyArrayObject*)PyArray_EMPTY(2, size, NPY_DOUBLE, 0);
        PyArrayObject *a = PyArray_GETCONTIGUOUS(%(x)s), *b = PyArray_GETCONTIGUOUS(%(y)s);
        if (%(z)s && a && b)
            dgemm_(&N, &N, &m, &n, &k, &one, (double*)PyArray_DATA(b), &m, (double*)PyArray_DATA(a), &k, &zero,
                   (double*)PyArray_DATA(%(z)s), &m);
        Py_XDECREF(a); Py_XDECREF(b);
        if (!%(z)s || PyErr_Occurred()) { %(fail)s }
        """ % locals()

    def c_code_cache_version(self):
        return (1, T.blas.blas_header_version())


@case(M, wanted=lambda x: (x.sum(0), x.sum(1), x.sum()))
class ThreeSums(theano.Op):
    """Several outputs of different dimensions; one may be unused."""

    __props__ = ()

    def make_node(self, x):
        return theano.Apply(self, [x], [T.dvector(), T.dvector(), T.dscalar()])

    def infer_shape(self, node, shapes):
        (x,) = shapes
        return [(x[1],), (x[0],), ()]

    def c_code(self, node, name, inp, out, sub):
        (x,), (a, b, c), fail = inp, out, sub["fail"]
        return """
        npy_intp *dims = PyArray_DIMS(%(x)s);
        Py_XDECREF(%(a)s); Py_XDECREF(%(b)s); Py_XDECREF(%(c)s);
        %(a)s = (PyArrayObject*)PyArray_ZEROS(1, dims + 1, NPY_DOUBLE, 0);
        %(b)s = (PyArrayObject*)PyArray_ZEROS(1, dims, NPY_DOUBLE, 0);
        %(c)s = (PyArrayObject*)PyArray_ZEROS(0, NULL, NPY_DOUBLE, 0);
        if (!%(a)s || !%(b)s || !%(c)s) { %(fail)s }
        for (npy_intp i = 0; i < dims[0]; i++)
            for (npy_intp j = 0; j < dims[1]; j++) {
                double v = *(double*)PyArray_GETPTR2(%(x)s, i, j);
                ((double*)PyArray_DATA(%(a)s))[j] += v;
                ((double*)PyArray_DATA(%(b)s))[i] += v;
                *(double*)PyArray_DATA(%(c)s) += v;
            }
        """ % locals()

    def c_code_cache_version(self):
        return (1,)


@case(V, wanted=lambda x: x * 2 - 3)
class ByParams(Unary):
    """params_type of two numbers: the attributes of these names, in a struct."""

    __props__ = ("scale", "shift")
    params_type = ParamsType(scale=scal.float64, shift=scal.int32)
    body = None

    def __init__(self, scale=2.0, shift=-3):
        self.scale, self.shift = scale, shift

    def c_code(self, node, name, inp, out, sub):
        p = sub["params"]
        self.body = "%%(z)s = %%(x)s * %s->scale + %s->shift" % (p, p)
        return self.loop(inp[0], out[0], sub["fail"])


@case(V, wanted=lambda x: x.max())
class ByEnum(theano.Op):
    """EnumList as params_type: constants are macros in C, and aliases in Python."""

    __props__ = ("mode",)
    params_type = EnumList(("REDUCE_MIN", "min"), ("REDUCE_MAX", "max"), ("REDUCE_FIRST", "first"))

    def __init__(self, mode="max"):
        self.mode = mode

    def get_params(self, node):
        return self.mode

    def make_node(self, x):
        return theano.Apply(self, [x], [T.dscalar()])

    def c_code(self, node, name, inp, out, sub):
        (x,), (z,), fail, params = inp, out, sub["fail"], sub["params"]
        return """
        if (!%(z)s) %(z)s = (PyArrayObject*)PyArray_ZEROS(0, NULL, NPY_DOUBLE, 0);
        if (!%(z)s) { %(fail)s }
        double found = *(double*)PyArray_GETPTR1(%(x)s, 0);
        for (npy_intp i = 1; i < PyArray_DIM(%(x)s, 0); i++) {
            double v = *(double*)PyArray_GETPTR1(%(x)s, i);
            switch (%(params)s) {
                case REDUCE_MIN: if (v < found) found = v; break;
                case REDUCE_MAX: if (v > found) found = v; break;
                case REDUCE_FIRST: break;
                default: PyErr_SetString(PyExc_ValueError, "unknown"); %(fail)s
            }
        }
        *(double*)PyArray_DATA(%(z)s) = found;
        """ % locals()

    def c_code_cache_version(self):
        return (1,)


@case(V, wanted=lambda x: np.hypot(x, 1))
class InOldSpelling(Unary):
    """Names of NumPy's and CPython's that have newer ones."""

    body = "%(z)s = hypot(%(x)s, one)"

    def c_headers(self):
        return ["<math.h>"]

    def c_code(self, node, name, inp, out, sub):
        (x,), (z,), fail = inp, out, sub["fail"]
        return (
            """
        long one = PyInt_AS_LONG(PyInt_FromLong(1));
        if (PyArray_TYPE(%(x)s) != PyArray_DOUBLE || !(PyArray_FLAGS(%(x)s) & NPY_ALIGNED)) {
            PyErr_SetString(PyExc_TypeError, "not an aligned double");
            %(fail)s
        }
        """
            % locals()
            + self.loop(x, z, fail)
        )


@case(V, wanted=lambda x: x + 3)
class NoPrefix(Unary):
    """The names of numpy/noprefix.h."""

    body = "%(z)s = %(x)s + (float64)three"

    def c_headers(self):
        return ["<numpy/noprefix.h>"]

    def c_code(self, node, name, inp, out, sub):
        text = "intp three_ = 3; Int32 three = (Int32)three_; Bool yes = TRUE; if (!yes) { %(fail)s }" % sub
        return text + self.loop(inp[0], out[0], sub["fail"])

    def c_support_code(self):
        return "typedef npy_float64 float64_t_;\n#define float64 float64_t_\n"


@case(V.astype("complex64"), wanted=lambda x: np.conj(x))
class RealInC(Unary):
    """c_code that gives up on complex numbers: `perform` runs."""

    body = "%(z)s = %(x)s"

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.conj(inputs[0])

    def c_code(self, node, name, inp, out, sub):
        if node.inputs[0].type.dtype.startswith("complex"):
            raise NotImplementedError("complex is not supported in C")
        return self.loop(inp[0], out[0], sub["fail"])


@case(V, wanted=lambda x: np.square(x))
class VersionByNode(Unary):
    """c_code_cache_version_apply, and equality written by hand, as before __props__."""

    body = "%(z)s = %(x)s * %(x)s"

    def __eq__(self, other):
        return type(self) == type(other)

    def __hash__(self):
        return hash(type(self))

    def c_code_cache_version_apply(self, node):
        return (2, str(node.inputs[0].type))


@case(V, wanted=lambda x: x)
class Unchecked(Unary):
    """check_input = False, and flags given and taken away."""

    check_input = False
    body = "%(z)s = %(x)s * HERE"

    def c_compile_args(self):
        return ["-DHERE=1", "-fno-math-errno"]

    def c_no_compile_args(self):
        return ["-O3"]


def run(make, values, mode):
    inputs = [T.TensorType(v.dtype, (False,) * v.ndim)() for v in values]
    outputs = make()(*inputs)
    return theano.function(inputs, outputs, mode=mode)(*[v.copy() for v in values])


@pytest.mark.parametrize("name", CASES)
def test_old_op(name):
    make, values, wanted = CASES[name]
    expected = wanted(*values)
    for mode in (None, "DebugMode"):
        found = run(make, values, mode)
        if not isinstance(found, list):
            found, expected = [found], [expected] if not isinstance(expected, list) else expected
        for value, right in zip(found, expected, strict=True):
            assert value.dtype == right.dtype and value.shape == right.shape
            np.testing.assert_allclose(value, right, rtol=1e-12 if right.dtype == "f8" else 1e-3)


def test_shapes_come_without_the_op():
    x = T.dmatrix("x")
    a, b, c = ThreeSums()(x)
    f = theano.function([x], [a.shape[0], b.shape, DoubleOp()(x).shape])
    assert not any(isinstance(node.op, (ThreeSums, DoubleOp)) for node in f.maker.fgraph.toposort())
    found = f(M)
    assert found[0] == 4 and found[1].tolist() == [3] and found[2].tolist() == [3, 4]
    assert theano.function([x], c)(M) == pytest.approx(M.sum())


def test_an_input_that_would_be_destroyed():
    x = T.dvector("x")
    op = Inplace()
    node = op.make_node(x)
    with pytest.raises(gof.InconsistencyError):
        theano.function([x], node.outputs[0])
    given = V.copy()
    f = theano.function([theano.In(x, mutable=True)], node.outputs[0])
    np.testing.assert_allclose(f(given), 3 * V)
    np.testing.assert_allclose(given, 3 * V)
    np.testing.assert_allclose(theano.function([x], Inplace(False).make_node(x).outputs[0])(V), 3 * V)


def test_what_c_raises_comes_out():
    x, y = T.dmatrices("x", "y")
    f = theano.function([x, y], Product()(x, y))
    with pytest.raises(ValueError, match="Shape mismatch"):
        f(M, M)
    with pytest.raises(TypeError, match="x must be a 1-d vector"):
        VectorTimesScalar()(x, y)


def test_gradients_are_kept_and_said_to_be_missing():
    x = T.dmatrix("x")
    assert DoubleOp().R_op([x], [None]) == [None]
    with pytest.raises(NotImplementedError, match="gradients"):
        T.grad(DoubleOp()(x).sum(), x)


# ---- scalar ops ----


class Mish(scal.UnaryScalarOp):
    """A UnaryScalarOp of C++, with impl."""

    def impl(self, x):
        return x * np.tanh(np.log1p(np.exp(x)))

    def c_code(self, node, name, inp, out, sub):
        (x,), (z,) = inp, out
        if node.inputs[0].type not in (scal.float32, scal.float64):
            raise NotImplementedError("only floating point")
        return "%(z)s = %(x)s * std::tanh(std::log1p(std::exp(%(x)s)));" % locals()

    def c_headers(self, **kwargs):
        return ["<cmath>"]

    def c_code_cache_version(self):
        return (1,)


class DivMod(scal.ScalarOp):
    """Two results at once."""

    nin, nout = 2, 2

    def make_node(self, a, b):
        a, b = map(scal.as_scalar, (a, b))
        return theano.Apply(self, [a, b], [scal.int64(), scal.int64()])

    def impl(self, a, b):
        return int(a / b), int(a - int(a / b) * b)

    def c_code(self, node, name, inp, out, sub):
        (a, b), (q, r), fail = inp, out, sub["fail"]
        return 'if (%(b)s == 0) { PyErr_SetString(PyExc_ZeroDivisionError, "b"); %(fail)s }' % locals() + (
            "%(q)s = %(a)s / %(b)s; %(r)s = %(a)s %% %(b)s;" % locals()
        )

    def c_code_cache_version(self):
        return (1,)


@pytest.mark.parametrize("mode", [None, "DebugMode"])
def test_scalar_ops(mode):
    mish = T.Elemwise(Mish(scal.upgrade_to_float, name="mish"))
    x, i = T.dvector("x"), T.ivector("i")
    f = theano.function([x, i], [mish(x), mish(i), mish(x * 2) + 1], mode=mode)
    n = np.array([-1, 0, 3], "i4")
    for found, given in zip(f(V, n), (V, n, V * 2)):
        right = Mish(scal.upgrade_to_float).impl(given.astype("f8"))
        np.testing.assert_allclose(found - (given is not V and given is not n), right, rtol=1e-9)
    a, b = T.lvectors("a", "b")
    q, r = T.Elemwise(DivMod(name="divmod"))(a, b)
    f = theano.function([a, b], [q, r], mode=mode)
    assert [v.tolist() for v in f([7, -7], [2, 2])] == [[3, -3], [1, -1]]
