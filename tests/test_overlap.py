"""Arrays that share memory: with one another, within themselves, with out=, with what an op keeps. All against NumPy on
copies; what is written over is never what is still to be read."""

import random

import kit
import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import opweld
from opweld import Apply, COp, In, Op
from opweld import tensor as T
from opweld.scalar.ufuncs import ufunc
from opweld.tensor import Elemwise
from opweld.tensor.subtensor import IncSubtensor

x, y = T.dvector("x"), T.dvector("y")
m, n = T.dmatrix("m"), T.dmatrix("n")


def fresh(size=40):
    return np.arange(1.0, size + 1)


def views(rng, buffer, shape, count):
    """Arrays of a shape over one buffer: strides of any sign, 0 among them, windows that slide, interleaved."""
    found = []
    while len(found) < count:
        strides = [rng.choice([0, 1, 1, 2, 3, -1, -2, 5, shape[-1]]) for _ in shape]
        low = sum(min(0, s * (d - 1)) for s, d in zip(strides, shape))
        high = sum(max(0, s * (d - 1)) for s, d in zip(strides, shape))
        if high - low < len(buffer):
            start = rng.randrange(-low, len(buffer) - high)
            found.append(as_strided(buffer[start:], shape, [s * buffer.itemsize for s in strides]))
    return found


def in_place(name, which=0, ndim=1):
    """A ufunc of two arrays that may be written over one of them, which the caller gives away."""
    a, b = (x, y) if ndim == 1 else (m, n)
    op = Elemwise(ufunc(name), {0: which})
    return opweld.function([In(a, mutable=which == 0), In(b, mutable=which == 1)], op(a, b))


@pytest.mark.parametrize("seed", range(4))
def test_in_place_elementwise_over_any_memory(seed):
    rng = random.Random(seed)
    pairs = [(in_place("subtract", w, d), d) for w in (0, 1) for d in (1, 2)]
    for _ in range(2500):
        f, ndim = rng.choice(pairs)
        shape = [rng.choice([1, 2, 3, 4]) for _ in range(ndim)]
        a, b = views(rng, fresh(), shape, 2)
        if rng.random() < 0.2:
            b = a
        elif rng.random() < 0.2:
            b = b[rng.choice([slice(0, 1), slice(None, None, -1)])]
        want = a.copy() - b.copy()
        assert f(a, b).tolist() == want.tolist(), (a.shape, a.strides, b.strides)


def chain():
    """What is written over in one step, and read by another under another name."""
    increment = kit.InPlace()
    return {
        "fragment": (opweld.function([In(x, mutable=True), y], [increment(x), y * 2]), lambda a, b: [a + 1, b * 2]),
        "fragment, then a loop": (
            opweld.function([In(x, mutable=True), y], increment(x) - y),
            lambda a, b: [a + 1 - b],
        ),
        "through a view": (
            opweld.function([In(x, mutable=True), y], [increment(x[::-1]), y * 2]),
            lambda a, b: [a[::-1] + 1, b * 2],
        ),
        "loop, then a loop": (
            opweld.function([In(x, mutable=True), y], [Elemwise(ufunc("square"), {0: 0})(x), y[::-1] * 2]),
            lambda a, b: [a**2, b[::-1] * 2],
        ),
        "both": (
            opweld.function([In(x, mutable=True), In(y, mutable=True)], [increment(x), increment(y)]),
            lambda a, b: [a + 1, b + 1],
        ),
    }


def test_arguments_that_are_written_over_lie_apart():
    rng = random.Random(7)
    cases = chain()
    for _ in range(4000):
        f, numpys = cases[rng.choice(list(cases))]
        a, b = views(rng, fresh(), [rng.choice([1, 2, 3, 5])], 2)
        want = [r.tolist() for r in numpys(a.copy(), b.copy())]
        found = f(a, b)
        found = found if isinstance(found, list) else [found]
        assert [r.tolist() for r in found] == want, (a.strides, b.strides)


def test_an_argument_of_its_own_is_written_over_itself():
    f = opweld.function([In(x, mutable=True), y], [kit.InPlace()(x), y * 2])
    for a in (np.zeros(3), np.zeros(6)[::2], np.zeros(3)[::-1], np.zeros((3, 2))[:, 1]):
        f(a, np.ones(3))
        assert a.tolist() == [1, 1, 1]
    shared = np.zeros(3)
    assert [r.tolist() for r in f(shared, shared)] == [[1, 1, 1], [0, 0, 0]] and shared.tolist() == [0, 0, 0]
    w = opweld.shared(np.zeros(3), borrow=True)
    g = opweld.function([In(x, mutable=True)], [kit.InPlace()(x), w * 1])
    assert [r.tolist() for r in g(w.get_value(borrow=True)[::-1])] == [[1, 1, 1], [0, 0, 0]]
    assert w.get_value().tolist() == [0, 0, 0]


@pytest.mark.parametrize("set_", [True, False])
def test_subtensors_written_in_place(set_):
    """inc_subtensor and set_subtensor over what overlaps itself, and what they write."""
    rng = random.Random(3)
    forms = {"x[1:3]": (slice(1, 3),), "x[::-1]": (slice(None, None, -1),)}
    functions = []
    for key in forms.values():
        out = (T.set_subtensor if set_ else T.inc_subtensor)(x[key], y)
        node = out.owner
        op = IncSubtensor(node.op.index, set_instead_of_inc=set_, inplace=True)
        functions.append((opweld.function([In(x, mutable=True), y], op(*[x, y, *node.inputs[2:]])), key))
    for _ in range(2000):
        f, key = rng.choice(functions)
        (a,) = views(rng, buffer := fresh(), [4], 1)
        (b,) = views(rng, buffer, [len(range(4)[key[0]])], 1)
        want, value = a.copy(), b.copy()
        want[key] = value if set_ else want[key] + value
        assert f(a, b).tolist() == want.tolist(), (a.strides, b.strides)


# -- out= ---------------------------------------------------------------------------------------------------------


def test_out_over_any_memory():
    """Loops, reductions, views and fragments that write where they are told, over what they read."""
    rng = random.Random(11)

    def only_x(result):
        return opweld.function([x, y], result, on_unused_input="ignore")

    functions = [
        (opweld.function([x, y], T.sqrt(x) + y), lambda a, b: np.sqrt(a) + b),
        (opweld.function([x, y], (x - y)[::-1] * 1.5), lambda a, b: (a - b)[::-1] * 1.5),
        (only_x(kit.negate(x)), lambda a, b: -a),
        (only_x(x[::-1]), lambda a, b: a[::-1]),
        (opweld.function([x, y], T.cumsum(x) * y), lambda a, b: np.cumsum(a) * b),
    ]
    for _ in range(4000):
        f, numpys = rng.choice(functions)
        size = rng.choice([1, 2, 3, 5])
        a, b, out = views(rng, fresh(), [size], 3)
        want = numpys(a.copy(), b.copy())
        if size > 1 and out.strides[0] == 0:
            with pytest.raises(ValueError, match=r"to an array whose elements share memory with one another"):
                f(a, b, out=out)
            continue
        found = f(a, b, out=out)
        assert found is out
        np.testing.assert_allclose(found, want, rtol=1e-15, err_msg=f"{a.strides} {b.strides} {out.strides}")


class Turned(COp):
    """Backwards, into whatever is offered: it relies on its output's lying apart from its input."""

    __props__ = ()

    def make_node(self, v):
        return Apply(self, [v], [v.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (v,), (z,) = input_names, output_names
        return f"""
            npy_intp n = PyArray_DIM({v}, 0);
            if ({z} == NULL || PyArray_DIM({z}, 0) != n) {{
                Py_XDECREF({z});
                {z} = (PyArrayObject *)PyArray_SimpleNew(1, &n, NPY_DOUBLE);
                if ({z} == NULL) {sub["fail"]}
            }}
            for (npy_intp i = 0; i < n; i++)
                *(double *)PyArray_GETPTR1({z}, i) = *(double *)PyArray_GETPTR1({v}, n - 1 - i);
        """


def test_out_that_is_an_argument():
    """Arrays that own their memory: the very same one, and another one."""
    f = opweld.function([x], Turned()(x))
    for size in (2, 3, 8):
        a, other = np.arange(1.0, size + 1), np.zeros(size)
        want = a[::-1].tolist()
        assert f(a, out=other) is other and a[0] == 1 and other.tolist() == want
        assert f(a, out=a) is a and a.tolist() == want


def test_reductions_into_out():
    rng = random.Random(12)
    functions = [
        (opweld.function([m], T.sum(m, axis=0)), lambda a: a.sum(0)),
        (opweld.function([m], T.max(m, axis=1)), lambda a: a.max(1)),
        (opweld.function([m], T.prod(m, axis=1)), lambda a: a.prod(1)),
    ]
    for _ in range(2000):
        f, numpys = rng.choice(functions)
        (a,) = views(rng, buffer := fresh(), [rng.choice([1, 2, 3]), rng.choice([1, 2, 4])], 1)
        want = numpys(a.copy())
        (out,) = views(rng, buffer, want.shape, 1)
        if want.size > 1 and out.strides[0] == 0:
            continue
        np.testing.assert_allclose(f(a, out=out), want, rtol=1e-14)


def test_several_out():
    """Pairs that share memory are refused, pairs that interleave are not."""
    rng = random.Random(13)
    f = opweld.function([x, y], [x - y, (x + y)[::-1]])
    refused = 0
    for _ in range(3000):
        size = rng.choice([1, 2, 3, 4])
        a, b, one, two = views(rng, fresh(), [size], 4)
        want = [(a - b).tolist(), (a + b)[::-1].tolist()]
        folds = size > 1 and 0 in (one.strides[0], two.strides[0])
        if folds or np.shares_memory(one, two):
            refused += 1
            with pytest.raises(ValueError, match=r"share memory"):
                f(a, b, out=[one, two])
            continue
        found = f(a, b, out=[one, two])
        assert [r.tolist() for r in found] == want and found[0] is one and found[1] is two
    assert 100 < refused < 2900
    table = np.zeros((3, 2))
    f(np.arange(3.0), np.ones(3), out=[table[:, 0], table[:, 1]])
    assert table.tolist() == [[-1, 3], [0, 2], [1, 1]]


G = np.arange(1.0, 8.0)


class Keeps(Op):
    """Gives memory that it keeps."""

    __props__ = ("start", "stop")

    def __init__(self, start, stop):
        self.start, self.stop = start, stop

    def make_node(self, v):
        return Apply(self, [v], [v.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = G[self.start : self.stop]


class KeepsInC(COp):
    """The same in C: the array is given by its address."""

    __props__ = ()

    def make_node(self, v):
        return Apply(self, [v], [v.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (z,) = output_names
        return f"Py_XDECREF({z}); {z} = (PyArrayObject*){id(HELD)}LL; Py_INCREF({z});"


HELD = G[:-1]


@pytest.mark.parametrize("keeps", [Keeps(0, -1), KeepsInC()])
def test_out_over_what_an_op_keeps(keeps):
    readers = {
        "sqrt": (T.sqrt, np.sqrt),
        "reversed": (lambda v: v[::-1] * 1.5, lambda a: a[::-1] * 1.5),
        "itself": (lambda v: v, lambda a: a),
        "in C": (kit.negate, np.negative),
        "twice": (lambda v: T.exp(v) * v[::-1], lambda a: np.exp(a) * a[::-1]),
    }
    for reader, numpys in readers.values():
        f = opweld.function([x], reader(keeps(x)))
        for where in (slice(1, None), slice(None, -1), slice(None, None, -1)):
            G[:] = np.arange(1.0, 8.0)
            want = numpys(HELD.copy())
            out = G[where][:6]
            assert f([1.0], out=out) is out
            np.testing.assert_allclose(out, want, rtol=1e-14)


def test_results_that_lie_in_another_result_s_out():
    f = opweld.function([x], [Keeps(0, -1)(x), Keeps(1, None)(x), x * 2])
    rows = [[1, 2, 3, 4, 5, 6], [2, 3, 4, 5, 6, 7], [2] * 6]
    for out in ([G[1:], None, None], [None, G[:-1], None], [None, None, G[1:]], [G[1:], np.empty(6), None],
                [np.empty(6), G[:-1], None], [np.empty(6), np.empty(6), G[:-1]]):  # fmt: skip
        G[:] = np.arange(1.0, 8.0)
        found = f(np.ones(6), out=out)
        for row, got, given in zip(rows, found, out):
            assert got.tolist() == row and (given is None or got is given)


def test_out_over_what_python_reads_later():
    f = opweld.function([x], [x * 2, Keeps(0, 3)(x * 3)])
    G[:] = np.arange(1.0, 8.0)
    out = G[:2]
    first, second = f([5.0, 5.0], out=[out, None])
    assert first is out and first.tolist() == [10, 10]
    assert second.tolist() == [1, 2, 3]


def test_out_over_a_constant_and_a_default():
    kept = np.arange(3.0)
    c = T.dvector.make_constant(kept) if hasattr(T.dvector, "make_constant") else x.type.make_constant(kept)
    f = opweld.function([x], T.sqrt(x) + c[::-1])
    where = f.maker.program.constants[0].data if f.maker.program.constants else kept
    want = np.sqrt(np.ones(3)) + np.arange(3.0)[::-1]
    for given in (kept, where):
        if given.flags.writeable:
            before = given.copy()
            np.testing.assert_allclose(f(np.ones(3), out=given), want)
            given[:] = before
    g = opweld.function([In(x, value=np.arange(3.0))], x[::-1] * 2)
    assert g(out=np.empty(3)).tolist() == [4, 2, 0] == g().tolist()


def test_out_over_memory_that_an_argument_lends():
    """No array, but what NumPy makes an array of without a copy."""
    buffer = np.arange(1.0, 5.0)
    f = opweld.function([In(x, allow_downcast=True)], x[::-1] * 2)
    out = buffer[:]
    assert f(memoryview(buffer), out=out).tolist() == [8, 6, 4, 2]

    class Lends(T.TensorType):
        def filter(self, value, strict=False, allow_downcast=None):
            return value if isinstance(value, np.ndarray) else value.array

    class Box:
        array = np.arange(1.0, 5.0)

    v = Lends("float64", (None,))("v")
    assert opweld.function([v], v[::-1] * 2)(Box(), out=Box.array[:]).tolist() == [8, 6, 4, 2]


def test_an_out_that_python_changes_during_the_call():
    out = np.empty(3)

    def closes(a):
        out.flags.writeable = False
        return a

    f = opweld.function([x], T.exp(kit.Python(closes)(x)))
    with pytest.raises((TypeError, ValueError), match=r"read-only|cannot"):
        f(np.zeros(3), out=out)


def test_an_out_that_is_no_array():
    class Bag(opweld.CType):
        """A list in C; may be given as out=."""

        __props__ = ()

        def filter(self, value, strict=False, allow_downcast=None):
            return list(value)

        def c_declare(self, name, sub, check_input=True):
            return f"PyObject* {name};"

        def c_init(self, name, sub):
            return f"{name} = NULL;"

        def c_extract(self, name, sub, check_input=True, **kwargs):
            return f"{name} = py_{name}; Py_INCREF({name});"

        def c_sync(self, name, sub):
            return f"Py_XDECREF(py_{name}); py_{name} = {name}; Py_INCREF(py_{name});"

        def c_cleanup(self, name, sub):
            return f"Py_XDECREF({name});"

        def c_accept(self, name, writeable=False):
            return f"PyList_Check(py_{name})"

    class New(COp):
        __props__ = ("keep",)

        def __init__(self, keep):
            self.keep = keep

        def make_node(self, b):
            return Apply(self, [b], [b.type()])

        def c_code(self, node, name, input_names, output_names, sub):
            (z,) = output_names
            test = f"if (!{z}) " if self.keep else ""
            return f"{test}{{ Py_XDECREF({z}); {z} = PyList_New(0); }}"

    b = Bag()("b")
    given = [1]
    assert opweld.function([b], New(True)(b))([], out=[given]) is given
    with pytest.raises(
        ValueError, match=r"has list as result 0, which cannot be copied to list as out=: only arrays are copied"
    ):
        opweld.function([b], New(False)(b))([], out=[given])
    f = opweld.function([x], T.exp(x))
    for wrong in (given, (1,), "text", 1.5, [given], object(), np.float64(1), memoryview(np.zeros(3))):
        with pytest.raises(TypeError, match=r"out"):
            f(np.zeros(3), out=wrong)
    masked = np.ma.masked_array(np.zeros(3))
    read_only = np.zeros(3)
    read_only.flags.writeable = False
    for wrong in (masked, read_only, np.zeros(()), np.zeros((3, 1)), np.zeros(3, "f4"), np.zeros(3, ">f8"),
                  np.zeros(25, "i1")[1:].view("f8"), np.zeros(3, object), np.zeros(3, [("a", float)])):  # fmt: skip
        with pytest.raises(TypeError, match=r"out"):
            f(np.zeros(3), out=wrong)
    with pytest.raises(ValueError, match=r"shape"):
        f(np.zeros(3), out=np.zeros(4))


# -- what an op's own code writes over ------------------------------------------------------------------------------


class Makes(COp):
    """Stores what an expression of Python gives."""

    __props__ = ("text",)

    def __init__(self, text):
        self.text = text

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [x.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (z,), fail = output_names, sub["fail"]
        return f"""{{
            PyObject* np = PyImport_ImportModule("numpy");
            PyObject* names = np == NULL ? NULL : Py_BuildValue("{{s:N}}", "np", np);
            if (names == NULL) {fail}
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyRun_String("{self.text}", Py_eval_input, names, names);
            Py_DECREF(names);
            if ({z} == NULL) {fail}
        }}"""


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("np.lib.stride_tricks.as_strided(np.zeros(1), (4,), (0,))", [1, 1, 1, 1]),
        ("np.broadcast_to(2.0, 4)", [3, 3, 3, 3]),
        ("np.lib.stride_tricks.as_strided(np.arange(8.0)[4:], (4,), (-8,))", [5, 4, 3, 2]),
    ],
)
def test_a_fragment_that_writes_over_what_another_made(text, want):
    for writer in (kit.InPlace(), Elemwise(ufunc("add"), {0: 0}), "python"):
        made = Makes(text)(x)
        if writer == "python":

            def add(a):
                a += 1
                return a

            op = kit.Python(add)
            op.destroy_map = {0: [0]}
            result = op(made)
        else:
            result = writer(made) if isinstance(writer, kit.InPlace) else writer(made, T.as_tensor_variable(np.ones(1)))
        assert opweld.function([x], result)([0.0]).tolist() == want, writer


def test_windows_that_slide():
    f = opweld.function([m], T.exp(m) * 2)
    windows = sliding_window_view(np.arange(6.0), 3)
    np.testing.assert_allclose(f(windows), np.exp(windows) * 2, rtol=1e-14)
    g = opweld.function([In(m, mutable=True)], Elemwise(ufunc("square"), {0: 0})(m))
    open_windows = sliding_window_view(np.arange(6.0), 3, writeable=True)
    assert g(open_windows).tolist() == (sliding_window_view(np.arange(6.0), 3) ** 2).tolist()
