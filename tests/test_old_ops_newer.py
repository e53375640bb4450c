"""Ops in the manner of Aesara and PyTensor, and ops whose C lies in files: each with another corner of the contract.

Each is compared with NumPy, plain and in DebugMode.
"""

import numpy as np
import opweld.compat.aesara.tensor as at
import opweld.compat.pytensor.tensor as pt
import pytest
from opweld.compat.aesara.graph.basic import Apply as AesaraApply
from opweld.compat.aesara.graph.op import Op as AesaraOp
from opweld.compat.aesara.link.c.op import COp as AesaraCOp
from opweld.compat.pytensor.graph.basic import Apply, Constant
from opweld.compat.pytensor.graph.op import Op
from opweld.compat.pytensor.graph.rewriting.basic import node_rewriter
from opweld.compat.pytensor.link.c.op import COp, ExternalCOp
from opweld.compat.pytensor.link.c.params_type import ParamsType
from opweld.compat.pytensor.link.c.type import CEnumType, CType, EnumList, Generic, generic
from opweld.compat.pytensor.scalar import BinaryScalarOp, UnaryScalarOp, upgrade_to_float
from opweld.compat.pytensor.tensor.elemwise import CAReduce, Elemwise
from opweld.compat.pytensor.tensor.rewriting.basic import register_specialize

from opweld.compat import aesara, pytensor, theano
from opweld.compile.debugmode import DebugMode

RNG = np.random.default_rng(666)
V, M = RNG.random(6), RNG.random((3, 4))
MODES = (None, "DebugMode")


def agree(inputs, outputs, values, wanted, function=pytensor.function, modes=MODES, **how):
    """What a function gives, plain and in DebugMode, is what is wanted."""
    for mode in modes:
        found = function(inputs, outputs, mode=mode, **how)(*values)
        pairs = zip(found, wanted, strict=True) if isinstance(found, list) else [(found, wanted)]
        for value, right in pairs:
            np.testing.assert_allclose(value, right, rtol=1e-6)


# ---- hooks that call those of the base ----


class Norms(COp):
    """c_headers and their like with super() and keywords."""

    __props__ = ("ord",)

    def __init__(self, ord=2):
        self.ord = ord

    def make_node(self, x):
        x = pt.as_tensor_variable(x)
        assert x.type.ndim == 2
        return Apply(self, [x], [pt.vector(dtype=x.type.dtype)])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.linalg.norm(inputs[0], self.ord, axis=1)

    def infer_shape(self, fgraph, node, shapes):
        return [(shapes[0][0],)]

    def c_headers(self, **kwargs):
        return [*super().c_headers(**kwargs), "<cmath>", "<vector>"]

    def c_header_dirs(self, **kwargs):
        return super().c_header_dirs(**kwargs)

    def c_compile_args(self, **kwargs):
        return [*super().c_compile_args(**kwargs), "-DNORMS=1"]

    def c_support_code(self, **kwargs):
        return super().c_support_code(**kwargs) + "static std::vector<double> powers(NORMS);"

    def c_init_code(self, **kwargs):
        return ["powers.assign(1, 0.0);"]

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,), fail, ord = inputs, outputs, sub["fail"], self.ord
        return f"""
        npy_intp rows = PyArray_DIM({x}, 0);
        if (!{z} || PyArray_DIM({z}, 0) != rows) {{
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyArray_SimpleNew(1, &rows, PyArray_TYPE({x}));
            if (!{z}) {{ {fail} }}
        }}
        for (npy_intp i = 0; i < rows; i++) {{
            powers[0] = 0;
            for (npy_intp j = 0; j < PyArray_DIM({x}, 1); j++)
                powers[0] += std::pow(std::abs(*(dtype_{x}*)PyArray_GETPTR2({x}, i, j)), {ord});
            *(dtype_{z}*)PyArray_GETPTR1({z}, i) = std::pow(powers[0], 1.0 / {ord});
        }}
        """

    def c_code_cache_version(self):
        return (1, self.ord)


def test_hooks_that_call_the_bases():
    x = pt.matrix("x")
    agree([x], [Norms()(x), Norms(3)(x)], [M], [np.linalg.norm(M, k, axis=1) for k in (2, 3)])
    shape = pytensor.function([x], Norms()(x).shape)
    assert shape(M).tolist() == [3] and not any(isinstance(n.op, Norms) for n in shape.maker.fgraph.toposort())


class AddOne(AesaraOp):
    """Aesara's: an Op of Python."""

    __props__ = ()

    def make_node(self, x):
        x = at.as_tensor_variable(x)
        return AesaraApply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] + 1

    def infer_shape(self, fgraph, node, i0_shapes):
        return i0_shapes


class Sorted(AesaraCOp):
    """Aesara's: a COp with the C++ library."""

    __props__ = ("descending",)

    def __init__(self, descending=False):
        self.descending = descending

    def make_node(self, x):
        x = at.as_tensor_variable(x)
        return AesaraApply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = np.sort(inputs[0])[:: -1 if self.descending else 1].copy()

    def c_headers(self, **kwargs):
        return ["<algorithm>", "<functional>"]

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,), fail = inputs, outputs, sub["fail"]
        order = f", std::greater<dtype_{z}>()" if self.descending else ""
        return f"""
        Py_XDECREF({z});
        {z} = (PyArrayObject*)PyArray_NewCopy({x}, NPY_CORDER);
        if (!{z}) {fail}
        dtype_{z}* first = (dtype_{z}*)PyArray_DATA({z});
        std::sort(first, first + PyArray_DIM({z}, 0){order});
        """

    def c_code_cache_version(self):
        return (1,)


def test_ops_of_aesara():
    x = at.dvector("x")
    wanted = [np.sort(V) + 1, np.sort(V + 1)[::-1]]
    agree([x], [AddOne()(Sorted()(x)), Sorted(True)(AddOne()(x))], [V], wanted, aesara.function)


# ---- files ----

AXPY = """
#section support_code

static int axpy_calls = 0;

#section init_code

axpy_calls = 0;

#section support_code_apply

int APPLY_SPECIFIC(axpy)(PyArrayObject* x, PyArrayObject* y, PyArrayObject** z, PARAMS_TYPE* params) {
    axpy_calls++;
    if (PyArray_DIM(x, 0) != PyArray_DIM(y, 0)) {
        PyErr_SetString(PyExc_ValueError, "lengths differ");
        return 1;
    }
    if (*z == NULL || PyArray_DIM(*z, 0) != PyArray_DIM(x, 0)) {
        Py_XDECREF(*z);
        *z = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS(x), TYPENUM_OUTPUT_0, 0);
        if (*z == NULL) return 1;
    }
    for (npy_intp i = 0; i < PyArray_DIM(x, 0); i++)
        *(DTYPE_OUTPUT_0*)PyArray_GETPTR1(*z, i) =
            params->a * *(DTYPE_INPUT_0*)PyArray_GETPTR1(x, i) + *(DTYPE_INPUT_1*)PyArray_GETPTR1(y, i);
    return 0;
}
"""
SQUARES = """
#section code
/* a whole file of c_code: names are macros */
Py_XDECREF(OUTPUT_0);
OUTPUT_0 = (PyArrayObject*)PyArray_NewCopy(INPUT_0, NPY_CORDER);
if (OUTPUT_0 == NULL) FAIL;
for (npy_intp i = 0; i < PyArray_SIZE(OUTPUT_0); i++)
    ((DTYPE_OUTPUT_0*)PyArray_DATA(OUTPUT_0))[i] *= ((DTYPE_OUTPUT_0*)PyArray_DATA(OUTPUT_0))[i];

#section code_cleanup
"""


@pytest.mark.parametrize(("base", "tree", "tensors"), [
    (ExternalCOp, pytensor, pt), (aesara.link.c.op.ExternalCOp, aesara, at), (theano.gof.COp, theano, theano.tensor),
])  # fmt: skip
def test_c_in_files(tmp_path, base, tree, tensors):
    (tmp_path / "axpy.c").write_text(AXPY)
    (tmp_path / "squares.c").write_text(SQUARES)

    class Axpy(base):
        __props__ = ("a",)
        params_type = ParamsType(a=pytensor.scalar.float64)

        def __init__(self, a):
            self.a = a
            super().__init__([str(tmp_path / "axpy.c")], "APPLY_SPECIFIC(axpy)")

        def make_node(self, x, y):
            return tree.Apply(self, [x, y], [x.type()])

    class Squares(base):
        __props__ = ()

        def __init__(self):
            super().__init__(str(tmp_path / "squares.c"))

        def make_node(self, x):
            return tree.Apply(self, [x], [x.type()])

    x, y = tensors.dvector("x"), tensors.dvector("y")
    agree(
        [x, y], [Axpy(2.0)(x, y), Squares()(Axpy(3.0)(y, x))], [V, V + 1], [3 * V + 1, (4 * V + 3) ** 2], tree.function
    )
    with pytest.raises(ValueError, match="lengths differ"):
        tree.function([x, y], Axpy(2.0)(x, y))(V, V[1:])


# ---- params ----


class Sides(COp):
    """A CEnumType whose constants C defines, a tensor and a Python object, in one struct."""

    __props__ = ("side", "weights", "note")
    params_type = ParamsType(
        side=CEnumType("SIGINT", "SIGTERM", ctype="int"), weights=pt.TensorType("float64", (None,)), note=generic
    )

    def __init__(self, side, weights, note):
        self.side, self.weights, self.note = side, tuple(weights), note

    def get_params(self, node):
        return self.params_type.get_params(side=self.side, weights=np.array(self.weights), note=self.note)

    def c_headers(self, **kwargs):
        return ["<signal.h>"]

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,), fail, p = inputs, outputs, sub["fail"], sub["params"]
        return f"""
        if (!PyDict_Check({p}->note)) {{ PyErr_SetString(PyExc_TypeError, "no dict"); {fail} }}
        npy_intp at = {p}->side == SIGINT ? 0 : PyArray_DIM({p}->weights, 0) - 1;
        double first = *(double*)PyArray_GETPTR1({p}->weights, at);
        Py_XDECREF({z});
        {z} = (PyArrayObject*)PyArray_NewCopy({x}, NPY_CORDER);
        if (!{z}) {fail}
        for (npy_intp i = 0; i < PyArray_DIM({z}, 0); i++)
            ((double*)PyArray_DATA({z}))[i] += first * PyDict_Size({p}->note);
        """

    def c_code_cache_version(self):
        return (1,)


class Note(dict):
    """A dict that hashes, for a prop."""

    def __hash__(self):
        return hash(tuple(self))


def test_params_of_three_kinds():
    x = pt.dvector("x")
    side = Sides.params_type.get_type("side")
    for name, wanted in (("SIGINT", V + 2 * 5), ("SIGTERM", V + 2 * 7)):
        agree([x], Sides(side[name], (5.0, 7.0), Note(a=1, b=2))(x), [V], wanted)
    with pytest.raises(TypeError, match="no dict"):
        pytensor.function([x], Sides(side["SIGINT"], (5.0,), "text")(x))(V)


class Extreme(COp):
    """EnumList with aliases; two outputs, the first of which stands for the op."""

    __props__ = ("which",)
    params_type = EnumList(("SMALLEST", "min"), ("LARGEST", "max"))
    default_output = 0

    def __init__(self, which):
        self.which = self.params_type.fromalias(which)

    def get_params(self, node):
        return self.which

    def make_node(self, x):
        return Apply(self, [x], [pt.dscalar(), pt.lscalar()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (value, place), fail, which = inputs, outputs, sub["fail"], sub["params"]
        return f"""
        if (PyArray_DIM({x}, 0) == 0) {{ PyErr_Format(PyExc_ValueError, "nothing in %s", "x"); {fail}; }}
        Py_XDECREF({value}); Py_XDECREF({place});
        {value} = (PyArrayObject*)PyArray_EMPTY(0, NULL, NPY_DOUBLE, 0);
        {place} = (PyArrayObject*)PyArray_ZEROS(0, NULL, NPY_INT64, 0);
        if (!{value} || !{place}) {fail};
        double best = *(double*)PyArray_GETPTR1({x}, 0);
        for (npy_intp i = 1; i < PyArray_DIM({x}, 0); i++) {{
            double v = *(double*)PyArray_GETPTR1({x}, i);
            if ({which} == LARGEST ? v > best : v < best) {{ best = v; *(npy_int64*)PyArray_DATA({place}) = i; }}
        }}
        *(double*)PyArray_DATA({value}) = best;
        """

    def c_code_cache_version(self):
        return (1,)


def test_aliases_and_a_default_output():
    x = pt.dvector("x")
    low, (high, at_) = Extreme("min")(x), Extreme("max")(x, return_list=True)
    agree([x], [low, high, at_], [V], [V.min(), V.max(), V.argmax()])
    with pytest.raises(ValueError, match="nothing in x"):
        pytensor.function([x], low)([])


# ---- other kinds of values ----


def test_a_python_object_goes_through_c():
    class Lookup(COp):
        __props__ = ()
        otypes = [pt.dscalar]
        itypes = [Generic(), pt.lscalar]

        def make_node(self, table, key):
            return Apply(self, [table, key], [pt.dscalar()])

        def c_code(self, node, name, inputs, outputs, sub):
            (table, key), (z,), fail = inputs, outputs, sub["fail"]
            return f"""
            PyObject* key = PyLong_FromLongLong(*(npy_int64*)PyArray_DATA({key}));
            PyObject* found = key ? PyObject_GetItem({table}, key) : NULL;
            Py_XDECREF(key);
            if (!found) {{ {fail} }}
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyArray_FROM_OTF(found, NPY_DOUBLE, NPY_ARRAY_DEFAULT);
            Py_DECREF(found);
            if (!{z}) {{ {fail} }}
            """

        def c_code_cache_version(self):
            return (1,)

    table, key = generic("table"), pt.lscalar("key")
    agree([table, key], Lookup()(table, key), [{3: 1.5}, 3], 1.5)
    with pytest.raises(KeyError):
        pytensor.function([table, key], Lookup()(table, key))({}, 3)


class Interval(CType):
    """A type of one's own: a tuple of two, a struct in C."""

    __props__ = ()

    def filter(self, value, strict=False, allow_downcast=None):
        low, high = map(float, value)
        return low, high

    def c_support_code(self, **kwargs):
        return "struct interval { double low, high; };"

    def c_declare(self, name, sub, check_input=True):
        return f"struct interval {name};"

    def c_init(self, name, sub):
        return f"{name}.low = {name}.high = 0;"

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return f"""
        if (!PyArg_ParseTuple(py_{name}, "dd", &{name}.low, &{name}.high)) {sub["fail"]}
        """

    def c_sync(self, name, sub):
        return f"""
        PyObject* made = Py_BuildValue("(dd)", {name}.low, {name}.high);
        if (made == NULL) {sub["fail"]}
        Py_XDECREF(py_{name});
        py_{name} = made;
        """

    def c_cleanup(self, name, sub):
        return ""

    def c_code_cache_version(self):
        return (1,)


def test_a_type_of_ones_own():
    class Hull(COp):
        __props__ = ()

        def make_node(self, *intervals):
            return Apply(self, list(intervals), [Interval()()])

        def c_code(self, node, name, inputs, outputs, sub):
            (a, b), (z,) = inputs, outputs
            return f"{z}.low = std::min({a}.low, {b}.low); {z}.high = std::max({a}.high, {b}.high);"

        def c_headers(self, **kwargs):
            return ["<algorithm>"]

        def c_code_cache_version(self):
            return (1,)

    a, b, c = (Interval()(name) for name in "abc")
    for mode in MODES:
        f = pytensor.function([a, b, c], Hull()(Hull()(a, b), c), mode=mode)
        assert f((1, 2), (0, 1.5), (1, 7)) == (0.0, 7.0)


def test_rows_of_a_sparse_matrix_times_a_matrix():
    sparse = pytest.importorskip("scipy.sparse")
    import opweld.compat.pytensor.sparse as S

    class StructuredDotCSR(COp):
        """The four arrays of a matrix as inputs, as the packages' own ops of sparse matrices take them."""

        __props__ = ()

        def make_node(self, a_val, a_ind, a_ptr, b):
            return Apply(self, [a_val, a_ind, a_ptr, b], [pt.dmatrix()])

        def perform(self, node, inputs, outputs):
            a_val, a_ind, a_ptr, b = inputs
            a = sparse.csr_matrix((a_val, a_ind, a_ptr), (len(a_ptr) - 1, b.shape[0]), copy=True)
            outputs[0][0] = a @ b

        def c_code(self, node, name, inputs, outputs, sub):
            (a_val, a_ind, a_ptr, b), (z,), fail = inputs, outputs, sub["fail"]
            return f"""
            if (PyArray_TYPE({a_ind}) != NPY_INT32) {{
                PyErr_SetString(PyExc_NotImplementedError, "a_ind dtype not INT32"); {fail};
            }}
            npy_intp size[2] = {{PyArray_DIM({a_ptr}, 0) - 1, PyArray_DIM({b}, 1)}};
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyArray_ZEROS(2, size, NPY_DOUBLE, 0);
            if (!{z}) {fail};
            const npy_int32* __restrict__ ptr = (npy_int32*)PyArray_DATA({a_ptr});
            const npy_int32* __restrict__ ind = (npy_int32*)PyArray_DATA({a_ind});
            const dtype_{a_val}* __restrict__ val = (dtype_{a_val}*)PyArray_DATA({a_val});
            for (npy_intp i = 0; i < size[0]; i++)
                for (npy_int32 k = ptr[i]; k < ptr[i + 1]; k++)
                    for (npy_intp j = 0; j < size[1]; j++)
                        *(double*)PyArray_GETPTR2({z}, i, j) += val[k] * *(double*)PyArray_GETPTR2({b}, ind[k], j);
            """

        def c_code_cache_version(self):
            return (1,)

    a = sparse.random(5, 3, 0.5, "csr", random_state=1)
    x, b = S.csr_matrix("x"), pt.dmatrix("b")
    val, ind, ptr, _ = S.csm_properties(x)
    contiguous = (None, DebugMode(layouts=False))  # this class takes the matrix's arrays for that
    agree([x, b], StructuredDotCSR()(val, ind, ptr, b), [a, M], a @ M, modes=contiguous)


def test_lengths_of_the_arrays_in_a_list():
    tl = pytensor.typed_list

    class Total(COp):
        __props__ = ()

        def make_node(self, items):
            return Apply(self, [items], [pt.dscalar()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = np.array(sum(x.sum() for x in inputs[0]))

        def c_code(self, node, name, inputs, outputs, sub):
            (x,), (z,), fail = inputs, outputs, sub["fail"]
            return f"""
            double total = 0;
            for (Py_ssize_t k = 0; k < PyList_GET_SIZE((PyObject*){x}); k++) {{
                PyArrayObject* item = (PyArrayObject*)PyList_GET_ITEM((PyObject*){x}, k);
                for (npy_intp i = 0; i < PyArray_DIM(item, 0); i++) total += *(double*)PyArray_GETPTR1(item, i);
            }}
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyArray_EMPTY(0, NULL, NPY_DOUBLE, 0);
            if (!{z}) {fail}
            *(double*)PyArray_DATA({z}) = total;
            """

        def c_code_cache_version(self):
            return (1,)

    items, v = tl.TypedListType(pt.dvector)("items"), pt.dvector("v")
    agree([items, v], Total()(items.append(v)), [[V, V[::2]], V], V.sum() * 2 + V[::2].sum())


# ---- scalar ops, reductions, rewriters ----


class Softsign(UnaryScalarOp):
    """A UnaryScalarOp by its output types' preference and its name of NumPy's."""

    nfunc_spec = None

    def impl(self, x):
        return x / (1 + abs(x))

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"{z} = {x} / (1 + std::abs(static_cast<double>({x})));"

    def c_headers(self, **kwargs):
        return ["<cmath>"]

    def c_code_cache_version(self):
        return (*super().c_code_cache_version(), 1)


class Largest(BinaryScalarOp):
    """A BinaryScalarOp that a reduction folds with."""

    commutative = associative = True
    identity = 0

    def impl(self, x, y):
        return max(x, y)

    def c_code(self, node, name, inputs, outputs, sub):
        (x, y), (z,) = inputs, outputs
        return f"{z} = {x} > {y} ? {x} : {y};"

    def c_code_cache_version(self):
        return (1,)


def test_scalar_ops_and_a_reduction():
    softsign = Elemwise(Softsign(upgrade_to_float, name="softsign"))
    largest = CAReduce(Largest(pytensor.scalar.upcast_out, name="largest"), axis=1)
    x, i = pt.dmatrix("x"), pt.bvector("i")
    n = np.array([-3, 0, 2], "i1")
    agree(
        [x, i], [softsign(x), largest(x), softsign(i)], [M, n], [M / (1 + M), M.max(1), n / (1 + abs(n.astype("f8")))]
    )


def test_a_rewriter_puts_c_in_the_place_of_python():
    class Slow(Op):
        __props__ = ()

        def make_node(self, x):
            return Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = np.sort(inputs[0])

    @register_specialize
    @node_rewriter([Slow])
    def local_slow_to_sorted(fgraph, node):
        if isinstance(node.op, Slow):
            return [Sorted()(*node.inputs)]

    x = pt.dvector("x")
    f = pytensor.function([x], Slow()(x))
    assert [type(n.op) for n in f.maker.fgraph.toposort()] == [Sorted]
    assert f(V).tolist() == np.sort(V).tolist()
    constant = Constant(pt.dvector, V)
    assert pytensor.function([], Slow()(constant))().tolist() == np.sort(V).tolist()
