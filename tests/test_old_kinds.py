"""Kinds of values that old ops hand to each other: pointers of C's, sparse matrices, lists; and thunks of their own."""

import ctypes
import gc
import pickle
import subprocess
import sys
import unittest

import kit
import numpy as np
import opweld.compat.theano.tensor as T
import pytest

import opweld
from opweld import compat
from opweld.compat import pytensor, theano
from opweld.compat.theano import gof
from opweld.compile.debugmode import DebugMode
from opweld.errors import CompileError, MethodNotDefined

MODES = (None, "DebugMode")


class Old(gof.Op):
    """An op of some C, whose outputs' types are given."""

    __props__ = ("text", "types")

    def __init__(self, text, types):
        self.text, self.types = text, tuple(types)

    def make_node(self, *inputs):
        inputs = [x if isinstance(x, gof.Variable) else T.as_tensor_variable(x) for x in inputs]
        return gof.Apply(self, inputs, [type_() for type_ in self.types])

    def c_code(self, node, name, inputs, outputs, sub):
        names = {f"x{i}": x for i, x in enumerate(inputs)} | {f"z{i}": z for i, z in enumerate(outputs)}
        text = self.text
        for short, long in names.items():
            text = text.replace(f"@{short}", long)
        return text.replace("FAIL", sub["fail"])

    def c_code_cache_version(self):
        return (1,)


# ---- pointers ----

SUMS = theano.gof.type.CDataType("struct sums *", freefunc="sums_free", version=1, extra_support_code="""
    #include <stdlib.h>
    struct sums { double sum; npy_intp n; };
    static int sums_alive = 0;
    static void sums_free(void *p) { sums_alive--; free(p); }
""")  # fmt: skip
MAKE = Old("""
    @z0 = (struct sums *)malloc(sizeof(struct sums));
    if (@z0 == NULL) { PyErr_NoMemory(); FAIL }
    sums_alive++;
    @z0->n = PyArray_SIZE(@x0);
    @z0->sum = 0;
    for (npy_intp i = 0; i < @z0->n; i++) @z0->sum += *(double *)PyArray_GETPTR1(@x0, i);
    if (@z0->sum < 0) { PyErr_SetString(PyExc_ValueError, "below 0"); FAIL }
""", [SUMS])  # fmt: skip
READ = Old("""
    npy_intp two = 2;
    Py_XDECREF(@z0);
    @z0 = (PyArrayObject *)PyArray_EMPTY(1, &two, NPY_DOUBLE, 0);
    if (@z0 == NULL) FAIL
    *(double *)PyArray_GETPTR1(@z0, 0) = @x0->sum / @x0->n;
    *(double *)PyArray_GETPTR1(@z0, 1) = sums_alive;
""", [T.dvector])  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_a_pointer_goes_from_op_to_op_and_is_freed(mode):
    x = T.dvector("x")
    f = theano.function([x], READ(MAKE(x)), mode=mode)
    for _ in range(3):  # had one not been freed, more were alive
        assert f([1.0, 2.0, 6.0]).tolist() == [3.0, 1.0]
    with pytest.raises(ValueError, match="below 0"):
        f([-1.0])
    assert f([1.0]).tolist() == [1.0, 1.0]


def test_a_pointer_goes_out_as_a_capsule_that_frees_it():
    x, s = T.dvector("x"), SUMS("s")
    out = theano.function([x], [MAKE(x), READ(MAKE(x))])
    back = theano.function([s], READ(s))
    capsule, read = out([2.0, 4.0])
    assert type(capsule).__name__ == "PyCapsule" and read[1] == 1.0
    assert back(capsule)[0] == 3.0
    del capsule
    assert out([1.0])[1][1] == 1.0  # the one before is gone
    for wrong, error, match in ((3, TypeError, "expected None or a PyCapsule, got 3"), (None, ValueError, "PyCapsule")):
        with pytest.raises(error, match=match):
            back(wrong)
    calls = lambda: out([1.0, 2.0])  # noqa: E731
    calls()
    assert kit.left_over(calls, 1000, 50) < 50


def test_what_a_pointer_type_is():
    plain = pytensor.link.c.type.CDataType("void*")
    assert plain == gof.CDataType("void*") != SUMS and hash(plain) == hash(gof.CDataType("void*"))
    assert str(plain) == "CDataType{void*}" and pickle.loads(pickle.dumps(plain)) == plain
    room = ctypes.create_string_buffer(b"hello")
    assert plain.make_value(0) is None and pickle.loads(pickle.dumps(plain)) == plain
    constant = gof.Constant(plain, plain.make_value(ctypes.addressof(room)))
    first = Old("@z0 = ((const char *)@x0)[0];", [theano.scalar.int64])
    assert theano.function([], first(constant))() == ord("h")
    with pytest.raises(TypeError, match="ctype must be a string, got 3"):
        gof.CDataType(3)
    missing = gof.CDataType("struct nothing *", headers=("nowhere_to_be_found.h",))
    pointer = missing("p")
    with pytest.raises(CompileError, match=r"nowhere_to_be_found\.h"):
        theano.function([pointer], Old("@z0 = @x0 != NULL;", [theano.scalar.int64])(pointer))


@pytest.mark.parametrize("several", [False, True])
def test_params_may_be_pointers(several):
    handle = gof.CDataType("char *")
    room = ctypes.create_string_buffer(b"hello")

    class Handled(Old):
        params_type = gof.ParamsType(handle=handle, at=theano.scalar.int64) if several else handle

        def get_params(self, node):
            value = handle.make_value(ctypes.addressof(room))
            return self.params_type.get_params(handle=value, at=1) if several else value

        def c_code(self, node, name, inputs, outputs, sub):
            params = sub["params"]
            read = f"{params}->handle[{params}->at]" if several else f"{params}[1]"
            return f"{outputs[0]} = {inputs[0]} + {read};"

    x = theano.scalar.int64("x")
    assert theano.function([x], Handled("", [theano.scalar.int64])(x))(1) == ord("e") + 1


# ---- sparse matrices ----


@pytest.fixture
def matrices():
    sparse = pytest.importorskip("scipy.sparse")
    a = sparse.random(5, 4, 0.5, "csr", random_state=1)
    return sparse, a, np.random.default_rng(1).random((5, 4))


def dense(value):
    return value.toarray() if hasattr(value, "toarray") else value


@pytest.mark.parametrize("mode", [*MODES, "py"])
def test_ops_of_sparse_matrices(matrices, mode):
    sparse, a, d = matrices
    import opweld.compat.theano.sparse as S

    x, y = S.csr_matrix("x"), T.dmatrix("y")
    n = a.toarray()
    cases = [
        (x + y, n + d), (y + x, n + d), (x - x, n - n), (x * y, n * d), (x * 2, n * 2), (-x, -n), (x * x, n * n),
        (x.T, n.T), (S.structured_dot(x.T, y), n.T @ d), (S.true_dot(x, x.T), n @ n.T), (S.dot(y.T, x), d.T @ n),
        (S.sp_sum(x), n.sum()), (S.sp_sum(x, 0), n.sum(0)), (S.sp_sum(x, axis=1), n.sum(1)), (x.toarray(), n),
        (S.structured_exp(x), np.where(n != 0, np.exp(n), 0)), (S.sqr(x), n * n), (x.zeros_like(), n * 0),
        (S.sp_ones_like(x), n != 0), (x.astype("float32"), n.astype("f4")), (S.hstack([x, x]), np.hstack([n, n])),
        (S.vstack([x, x], format="csr"), np.vstack([n, n])), (S.csc_from_dense(y), d), (S.clean(x), n),
        (S.col_scale(x, y[0]), n * d[0]), (S.row_scale(x, y[:, 0]), n * d[:, :1]), (S.mul_s_v(x, y[1]), n * d[1]),
        (S.structured_add_s_v(x, y[1]), np.where(n != 0, n + d[1], 0)), (S.add_s_s_data(x, x), n + n),
        (S.sampling_dot(y, y, S.csr_from_dense(T.dot(y, y.T))), (d @ d.T) ** 2),
        (S.usmm(2.0, x.T, y, T.dot(y.T, y)), 2 * n.T @ d + d.T @ d),
        (S.diag(S.true_dot(x, x.T)), np.diag(n @ n.T)), (S.square_diagonal(y[0]), np.diag(d[0])),
        (S.CSR(*S.csm_properties(x)), n), (x.shape, (5, 4)),
    ]  # fmt: skip
    found = theano.function([x, y], [case for case, _ in cases], mode=mode)(a, d)
    for value, (_, wanted) in zip(found, cases):
        np.testing.assert_allclose(dense(value), wanted, rtol=1e-6)
    assert {value.format for value in found if sparse.issparse(value)} == {"csr", "csc"}


@pytest.mark.parametrize("mode", [*MODES, "py"])
def test_parts_and_comparisons_of_sparse_matrices(matrices, mode):
    _, a, d = matrices
    import opweld.compat.pytensor.sparse as P
    import opweld.compat.theano.sparse as S

    x, y, i = S.csr_matrix("x"), T.dmatrix("y"), T.iscalar("i")
    n, b = a.toarray(), (a.toarray() > 0.4) * d
    cases = [
        (x[1:3], n[1:3]), (x[:, ::2], n[:, ::2]), (x[i : i + 2, 1:], n[1:3, 1:]), (x[1, 2], n[1, 2]),
        (x[i, 0], n[1, 0]),
        (x[[3, 0, 3]], n[[3, 0, 3]]), (x[[0, 4, 1], [3, 3, 0]], n[[0, 4, 1], [3, 3, 0]]),
        (x < y, n < b), (x >= y, n >= b), (x > x.T.T, n > n), (S.eq(x, y), n == b), (S.neq(y, x), n != b),
        (S.lt(y, x), b < n), (P.le(x, x), n <= n), (S.ge(b, x), b >= n),
        (S.construct_sparse_from_list(y, y[:2], [4, 1]), np.stack([n[0] * 0, b[1], n[0] * 0, n[0] * 0, b[0]])),
    ]  # fmt: skip
    found = theano.function([x, y, i], [case for case, _ in cases], mode=mode)(a, b, 1)
    for value, (_, wanted) in zip(found, cases):
        np.testing.assert_allclose(dense(value), wanted)
    assert found[0].format == "csr" and found[7].dtype == "uint8" and isinstance(S.lt(x, x).owner.op, S.LessThanSS)
    assert theano.function([x, i], x[i:].shape)(a, 2).tolist() == [3, 4]
    with pytest.raises(NotImplementedError, match=r"no sparse vectors: write x\[a:b, c:d\]"):
        x[1]
    with pytest.raises(NotImplementedError, match="one format, got csr and csc"):
        S.eq(x, x.T)
    with pytest.raises(ValueError, match="must be an integer"):
        x[1.5:]
    with pytest.raises(ValueError, match="2 dimensions, got 3 indices"):
        x[:, :, :]
    with pytest.raises(TypeError, match="one input must be sparse"):
        S.lt(y, y)


SCALE = """
    _@z0_data = (PyArrayObject *)PyArray_NewCopy(_@x0_data, NPY_CORDER);
    if (_@z0_data == NULL) FAIL
    for (npy_intp i = 0; i < PyArray_SIZE(_@z0_data); i++) ((dtype_@z0 *)PyArray_DATA(_@z0_data))[i] *= 2;
    Py_INCREF(_@x0_indices); _@z0_indices = _@x0_indices;
    Py_INCREF(_@x0_indptr); _@z0_indptr = _@x0_indptr;
    Py_INCREF(_@x0_shape); _@z0_shape = _@x0_shape;
"""


@pytest.mark.parametrize("mode", MODES)
def test_a_sparse_matrix_is_four_arrays_in_c(matrices, mode):
    _, a, _ = matrices
    import opweld.compat.theano.sparse as S

    class Scale(Old):
        view_map = {0: [0]}

    twice = Scale(SCALE, [S.csr_dmatrix])
    lines = Old("""
        npy_intp n = ((npy_int32 *)PyArray_DATA(_@x0_shape))[0];
        Py_XDECREF(@z0);
        @z0 = (PyArrayObject *)PyArray_ZEROS(1, &n, NPY_INT32, 0);
        if (@z0 == NULL) FAIL
        for (npy_intp i = 0; i < n; i++)
            ((npy_int32 *)PyArray_DATA(@z0))[i] = ((npy_int32 *)PyArray_DATA(_@x0_indptr))[i + 1]
                                                  - ((npy_int32 *)PyArray_DATA(_@x0_indptr))[i];
    """, [T.ivector])  # fmt: skip
    x = S.csr_matrix("x")
    f = theano.function([x], [twice(twice(x)), twice(-twice(x)), lines(twice(x))], mode=mode)
    for given in (a, a.astype("f4"), a.toarray(), with_long_indices(a)):
        n = dense(given)
        four, minus, counts = f(given)
        np.testing.assert_allclose(four.toarray(), 4 * n)
        np.testing.assert_allclose(minus.toarray(), -4 * n)
        assert counts.tolist() == (n != 0).sum(1).tolist()
    state = S.shared(a, "state")
    step = theano.function([], S.sp_sum(state), updates=[(state, twice(state))], mode=mode)
    assert step() * 2 == pytest.approx(step()) and abs(state.get_value() - 4 * a).max() == 0


def with_long_indices(a):
    wide = a.copy()
    wide.indices, wide.indptr = a.indices.astype("int64"), a.indptr.astype("int64")
    return wide


def test_what_a_sparse_type_takes(matrices):
    _, a, _ = matrices
    import opweld.compat.pytensor.sparse as S

    x = S.csr_matrix("x", dtype="float32")
    f = theano.function([x], x * 1)
    for wrong, match in (
        (a.astype("c16"), "expected a matrix of float32, got one of complex128"),
        (x, "not a variable"),
    ):
        with pytest.raises(TypeError, match=match):
            f(wrong)
    type_ = S.SparseTensorType("csc", "float64", shape=(None, 4))
    assert type_ != S.csc_dmatrix and type_.clone(shape=(None, None)) == S.csc_dmatrix and type_.ndim == 2
    assert type_.filter(a).format == "csc" and str(type_) == "Sparse[float64, csc]"
    with pytest.raises(TypeError, match="expected 4 in dimension 1, got 5"):
        type_.filter(a.T)
    with pytest.raises(NotImplementedError, match="unsupported format 'coo'"):
        S.SparseTensorType("coo", "float64")
    with pytest.raises(TypeError, match="expected a sparse matrix, got 3"):
        S.as_sparse_variable(3)
    forgets = Old(SCALE.replace("_@z0_shape = _@x0_shape;", "Py_DECREF(_@x0_shape);"), [S.csr_dmatrix])
    y = S.csr_dmatrix("y")
    with pytest.raises(ValueError, match="needs its four arrays"):
        theano.function([y], forgets(y))(a)


def test_sparse_matrices_leak_nothing(matrices):
    _, a, _ = matrices
    import opweld.compat.theano.sparse as S

    x = S.csr_dmatrix("x")
    f = theano.function([x], Old(SCALE, [S.csr_dmatrix])(x))
    f(a)
    before = [sys.getrefcount(part) for part in (a.data, a.indices, a.indptr)]
    assert kit.left_over(lambda: f(a), 500, 50) < 50
    assert [sys.getrefcount(part) for part in (a.data, a.indices, a.indptr)] == before


def test_without_scipy_it_is_said_what_to_install():
    text = "import sys; sys.modules['scipy'] = None\nfrom opweld.compat import theano\ntheano.sparse.csr_matrix"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "ImportError: sparse matrices are SciPy's" in done.stderr
    assert "pip install scipy" in done.stderr


# ---- lists ----


@pytest.mark.parametrize("mode", [*MODES, "py"])
def test_ops_of_lists(mode):
    tl = theano.typed_list
    items = tl.TypedListType(T.dvector)
    x, v = items("x"), T.dvector("v")
    a, b = np.arange(3.0), np.ones(2)
    cases = [
        (x[0], a), (x[-1], b), (x.append(v), [a, b, b]), (x.insert(0, v), [b, a, b]), (x.remove(v), [a]),
        (x.reverse(), [b, a]), (x.count(v), 1), (x.__len__(), 2), (x[0:1], [a]), (x.extend(x), [a, b, a, b]),
        (tl.make_list([v, v + 1]), [b, b + 1]), (x.ind(v), 1),
    ]  # fmt: skip
    f = theano.function([x, v], [case for case, _ in cases], mode=mode)
    part = theano.tensor.type_other.SliceType()("part")
    assert len(theano.function([x, part], x[part], mode=mode)([a, b, b], slice(1, 3))) == 2
    for value, (_, wanted) in zip(f([a, b], b), cases):
        assert (value == wanted) if np.isscalar(wanted) else all(map(np.array_equal, value, wanted))


@pytest.mark.parametrize("mode", MODES)
def test_a_list_in_c(mode):
    items = theano.typed_list.TypedListType(T.dvector)

    class Part(Old):
        view_map = {0: [0]}

    x, v = items("x"), T.dvector("v")
    part = Part("""
        Py_XDECREF(@z0);
        @z0 = (PyListObject *)PyList_GetSlice((PyObject *)@x0, 0, 1);
        if (@z0 == NULL) FAIL
    """, [items])  # fmt: skip
    f = theano.function([x, v], [part(part(x.append(v))), part(x)[0] * 2], mode=mode)
    a = np.arange(3.0)
    kept, doubled = f([a], a)
    assert len(kept) == 1 and kept[0].tolist() == a.tolist() and doubled.tolist() == (2 * a).tolist()
    count = sys.getrefcount(a)
    for _ in range(20):
        f([a], a)
    gc.collect()
    assert sys.getrefcount(a) <= count + 1
    with pytest.raises(TypeError, match=r"expected a list of float64, shape|got float64 of shape"):
        f([np.ones((2, 2))], a)


def test_lists_in_place_and_in_lists():
    tl = theano.typed_list
    nested = tl.TypedListType(T.dvector, 1)
    assert nested.get_depth() == 1 and nested == tl.TypedListType(tl.TypedListType(T.dvector)) and nested.ndim == 3
    x, v = tl.TypedListType(T.dvector)("x"), T.dvector("v")
    f = theano.function([x, v], tl.Append(True)(x, v), accept_inplace=True)
    given = [np.ones(1)]
    assert f(given, [2.0]) == given and len(given) == 2
    with pytest.raises(opweld.InconsistencyError):
        theano.function([x, v], tl.Append(True)(x, v))
    with pytest.raises(TypeError, match="expected a variable of a list"):
        tl.length(v)
    with pytest.raises(ValueError, match="depth must be 0 or more"):
        tl.TypedListType(T.dvector, -1)


# ---- thunks ----


class Choice(gof.Op):
    """Gives one of two inputs; all its work is in its thunk, which asks for what it lacks."""

    __props__ = ()

    def make_node(self, which, a, b):
        return gof.Apply(self, [which, a, b], [a.type()])

    def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
        out = node.outputs[0]

        def thunk():
            if not compute_map[node.inputs[0]][0]:
                return [0]
            taken = 1 if storage_map[node.inputs[0]][0] else 2
            if not compute_map[node.inputs[taken]][0]:
                return [taken]
            storage_map[out][0] = storage_map[node.inputs[taken]][0].copy()
            compute_map[out][0] = True
            return []

        thunk.lazy = True
        thunk.inputs = [storage_map[v] for v in node.inputs]
        thunk.outputs = [storage_map[out]]
        return thunk


class Times(gof.Op):
    """Learns its factor in prepare_node."""

    __props__ = ()
    prepared: list = []

    def make_node(self, x):
        return gof.Apply(self, [x], [x.type()])

    def prepare_node(self, node, storage_map, compute_map, impl):
        self.prepared.append((impl, sorted(map(str, storage_map)) == sorted(map(str, compute_map))))
        self.factor = 3

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] * self.factor

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"""
            Py_XDECREF({z});
            {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
            if (!{z}) {sub["fail"]}
            for (npy_intp i = 0; i < PyArray_SIZE({z}); i++) ((double *)PyArray_DATA({z}))[i] *= {self.factor};
        """

    def c_code_cache_version(self):
        return (1,)


@pytest.mark.parametrize("mode", [*MODES, "py"])
def test_an_op_that_makes_its_own_thunk(mode):
    which, a, b = T.lscalar("which"), *T.dvectors("a", "b")
    f = theano.function([which, a, b], Choice()(which, a * 2, b + 1), mode=mode)
    assert f(1, [1.0], [2.0]).tolist() == [2.0] and f(0, [1.0], [2.0]).tolist() == [3.0]
    again = f.copy()
    first = f(1, [1.0], [2.0])
    assert again(1, [7.0], [2.0]).tolist() == [14.0] and first.tolist() == [2.0]


@pytest.mark.parametrize(("mode", "wanted"), [(None, ["c"]), ("py", ["py"]), (DebugMode(hooks=False), ["c", "py"])])
def test_an_op_is_prepared_before_it_is_asked(mode, wanted):
    x = T.dvector("x")
    Times.prepared.clear()
    assert theano.function([x], Times()(x), mode=mode)([1.0, 2.0]).tolist() == [3.0, 6.0]
    assert Times.prepared == [(impl, True) for impl in wanted]


def test_a_thunk_round_the_one_of_the_base():
    class More(Times):
        def make_thunk(self, node, storage_map, compute_map, no_recycling):  # without impl, as before 0.8
            inner = super().make_thunk(node, storage_map, compute_map, no_recycling)

            def thunk():
                inner()
                storage_map[node.outputs[0]][0] += 1

            return thunk

    x = T.dvector("x")
    for mode in (*MODES, "py"):
        assert theano.function([x], More()(x) * 2, mode=mode)([1.0, 2.0]).tolist() == [8.0, 14.0]


def test_thunks_by_hand():
    x = T.dvector("x")
    y = Times()(x)
    for impl in (None, "c", "py"):
        storage, computed = {x: [np.array([1.0, 5.0])], y: [None]}, {x: [True], y: [False]}
        thunk = y.owner.op.make_thunk(y.owner, storage, computed, [], impl=impl)
        thunk()
        assert storage[y][0].tolist() == [3.0, 15.0] and computed[y] == [True] and thunk.lazy is False
        assert thunk.inputs[0] is storage[x] and thunk.outputs[0] is storage[y]
    with pytest.raises(ValueError, match="impl must be None, 'c' or 'py', got 'jax'"):
        y.owner.op.make_thunk(y.owner, storage, computed, [], impl="jax")

    class InPython(gof.Op):
        __props__ = ()

        def make_node(self, x):
            return gof.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] + 1

    y = InPython()(x)
    storage, computed = {x: [np.array([1.0])], y: [None]}, {x: [True], y: [False]}
    y.owner.op.make_thunk(y.owner, storage, computed, [])()
    assert storage[y][0].tolist() == [2.0]
    with pytest.raises(MethodNotDefined, match="has no C for this node"):
        y.owner.op.make_thunk(y.owner, storage, computed, [], impl="c")
    only_c = Old("@z0 = @x0; Py_INCREF(@z0);", [T.dvector])(x)
    with pytest.raises(MethodNotDefined, match="has no perform"):
        only_c.owner.op.make_thunk(only_c.owner, {x: [None], only_c: [None]}, {}, [], impl="py")


# ---- types without C, and tools of tests ----


def test_a_type_of_theanos_that_writes_no_c():
    class Text(gof.Type):
        def filter(self, value, strict=False, allow_downcast=None):
            if not isinstance(value, str):
                raise TypeError("expected a string")
            return value

    text = Text()

    class Join(gof.Op):
        __props__ = ()

        def make_node(self, *inputs):
            return gof.Apply(self, list(inputs), [text()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = "".join(inputs)

    a, b = text("a"), text("b")
    for mode in (*MODES, "py"):
        assert theano.function([a, b], Join()(Join()(a, b), a), mode=mode)("x", "y") == "xyx"


def test_names_that_are_a_module_and_a_function():
    x = T.dvector("x")
    assert theano.compile.function([x], x + 1)([1.0]).tolist() == [2.0]
    compat.install("theano")
    try:
        from theano.compile.function import function
    finally:
        compat.uninstall("theano")
    assert function is theano.function


@pytest.mark.filterwarnings("ignore:config.unittests__rseed")
def test_tools_of_tests():
    utt = theano.tests.unittest_tools
    assert utt.fetch_seed() == 666 and utt.fetch_seed("random") is None and utt.seed_rng(5) == 5
    first = np.random.rand()
    utt.seed_rng(5)
    assert np.random.rand() == first
    with pytest.raises(NotImplementedError, match="opweld computes no gradients"):
        utt.verify_grad(T.exp, [np.ones(3)])
    utt.assert_allclose(np.ones(3), np.ones(3) + 1e-7)
    with pytest.raises(utt.WrongValue, match="largest, mean difference"):
        utt.assert_allclose(np.ones(3), np.ones(3) + 1e-3)
    assert utt.MockRandomState(0).randint(3, 5, 2).tolist() == [3, 3]
    assert utt.assertFailure_fast(first) is first
    tries = []

    @utt.AttemptManyTimes(n_attempts=3, n_req_successes=2)
    def sometimes():
        tries.append(theano.config.unittests__rseed)
        assert len(tries) > 1

    sometimes()
    assert len(tries) == 3 and len(set(map(str, tries))) == 3 and theano.config.unittests__rseed == 666

    @utt.AttemptManyTimes(n_attempts=2, n_req_successes=2)
    def never():
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        never()


def infer_shape_case(wrong):
    class Turned(gof.Op):
        __props__ = ()

        def make_node(self, x):
            return gof.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0].T.copy()

        def infer_shape(self, node, shapes):
            return [shapes[0] if wrong else shapes[0][::-1]]

    class Case(theano.tests.unittest_tools.InferShapeTester):
        def test_it(self):
            x = T.dmatrix("x")
            self._compile_and_check([x], [Turned()(x)], [np.ones((2, 3))], Turned)

    return Case("test_it")


def test_shapes_are_compared():
    for wrong in (False, True):
        result = unittest.TestResult()
        infer_shape_case(wrong).run(result)
        assert result.testsRun == 1 and len(result.failures) == wrong and not result.errors


class TestContract(theano.tests.unittest_tools.T_OpContractMixin):
    ops = [Old("1", [T.dvector]), Old("2", [T.dvector]), Times()]
    other_op = T.add

    def clone(self, op):
        return type(op)(op.text, op.types) if isinstance(op, Old) else Times()


def test_theanos_types_know_of_sizes_only_that_they_are_1():
    class Halved(gof.Op):
        """Says x.type() of an output of another size, as ops did."""

        __props__ = ()

        def make_node(self, x):
            return gof.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0][::2].copy()

    x = T.dvector("x")
    y = Halved()(x.reshape((4,)))
    assert y.type.shape == (None,) and Halved()(T.constant(np.ones(1))).type.shape == (1,)
    assert theano.function([x], y)(np.arange(4.0)).tolist() == [0.0, 2.0]
