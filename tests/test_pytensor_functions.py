"""PyTensor's functions in both modes: what they give is what PyTensor's own Python gives."""

import numpy as np
import pytest
from pytensors import pytensor

import opweld.pytensor  # noqa: F401  (makes the modes known)

pt = pytest.importorskip("pytensor.tensor")
ifelse = pytest.importorskip("pytensor.ifelse")
special = pytest.importorskip("pytensor.tensor.special")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
MODES = ("OPWELD", "OPWELD_C")
RNG = np.random.default_rng(7)


def check(inputs, outputs, *values, rtol=1e-12, **given):
    """Compare both modes with PyTensor's Python; give the functions."""
    reference = pytensor.function(inputs, outputs, mode="FAST_COMPILE", **given)
    wanted = reference(*[np.copy(v) if isinstance(v, np.ndarray) else v for v in values])
    made = []
    for mode in MODES:
        f = pytensor.function(inputs, outputs, mode=mode, **given)
        for _ in range(2):
            found = f(*[np.copy(v) if isinstance(v, np.ndarray) else v for v in values])
            for one, other in zip(
                np.atleast_1d(found) if not isinstance(found, list) else found,
                np.atleast_1d(wanted) if not isinstance(wanted, list) else wanted,
            ):
                assert np.asarray(one).dtype == np.asarray(other).dtype
                np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-13)
        made.append(f)
    return made


X, Y = RNG.normal(size=(2, 5)), RNG.uniform(0.5, 2, size=(2, 5))


def test_elementwise_folds_and_views():
    x, y = pt.dmatrices("x", "y")
    check(
        [x, y],
        [x + y, pt.exp(-x * x / 2) * y + pt.sin(x), (x * y).sum(), x.max(axis=1), (x.T + 1).prod(axis=0),
         pt.switch(x > 0, x, y), special.softmax(x, axis=1), x - x.mean(axis=0, keepdims=True),
         pt.log1p(pt.exp(x)).sum(axis=1)],
        X, Y,
    )  # fmt: skip


def test_a_size_of_one_is_broadcast_only_where_its_type_says_so():
    x, y, row, v = pt.dmatrix("x"), pt.dmatrix("y"), pt.drow("row"), pt.dvector("v")
    alone = [pt.exp(y), x * row]
    graphs = [[x + y], [(pt.exp(x) * y).sum()], [(pt.exp(x) * y).sum(axis=1), *alone], [pt.exp(x.T) * y.T + row.T]]
    one, many, flat = np.ones((1, 5)), np.ones((2, 5)), np.ones((1, 1))
    for mode in MODES:
        for outputs in graphs:
            f = pytensor.function([x, y, row], outputs, mode=mode, on_unused_input="ignore")
            f(many, many, one), f(one, one, one), f(flat, flat, flat)
            for values in ((many, one, one), (one, many, one), (np.ones((0, 5)), one, one)):
                with pytest.raises(ValueError, match="Runtime broadcasting not allowed"):
                    f(*values)
        unfused = pytensor.compile.mode.get_mode(mode).excluding("fusion")
        f = pytensor.function([x, y], pt.switch(y > 0, pt.exp(x % 2.0), 0), mode=unfused)
        assert f(many, many).shape == (2, 5) and f(one, one).shape == (1, 5)
        with pytest.raises(ValueError, match="Runtime broadcasting not allowed"):
            f(one, many)
        f = pytensor.function([x, v], pt.exp(x) + v, mode=mode)
        assert f(many, np.ones(5)).shape == (2, 5)
        with pytest.raises(ValueError, match=r"not marked as broadcastable: shapes .*\(1,1\)"):
            f(many, np.ones(1))
        with pytest.raises(ValueError, match="could not be broadcast together"):
            f(many, np.ones(4))


def test_scalar_ops_that_only_pytensor_has_take_part_by_their_c():
    x, y = pt.dmatrices("x", "y")
    check(
        [x, y],
        [pt.erf(x) * y, pt.gammaln(y) + x, pt.sigmoid(x), pt.softplus(x), pt.log1mexp(-y), pt.psi(y)],
        X,
        Y,
        rtol=1e-7,
    )


@pytest.mark.parametrize("dtypes", [("int8", "int32"), ("uint8", "float32"), ("int64", "float64"), ("bool", "int16")])
def test_dtypes(dtypes):
    one, other = (pt.vector(dtype=dtype) for dtype in dtypes)
    values = [np.array([0, 1, 1, 0, 1], dtypes[0]), np.array([3, 2, 1, 5, 7], dtypes[1])]
    outputs = [one + other, one * other, one < other, pt.eq(one, other), one / other, pt.maximum(one, other),
               one.sum(), other.max(), one // other, other % 3, pt.cast(other, "int8"), -other]  # fmt: skip
    check([one, other], outputs, *values, rtol=1e-6)


def test_integers_of_both_signs_meet_in_the_dtype_of_the_result():
    one, other = pt.bvector("one"), pt.vector("other", dtype="uint32")
    outputs = [one * other, one - other, pt.maximum(one, other), one < other, one | other]
    check([one, other], outputs, np.array([-2, 3], "int8"), np.array([2, 4], "uint32"))


def test_complex_numbers_by_pytensors_c():
    x = pt.zvector("x")
    check([x], [x + 1, x * x, pt.real(x), x.sum(), x[1:], x[0]], np.array([1 + 2j, -3j]))


def test_subtensors_joins_allocs_and_shapes():
    x, y, i = pt.dmatrix("x"), pt.dmatrix("y"), pt.lscalar("i")
    check(
        [x, y, i],
        [x[1:, ::-1], x[i], x[i, 1] * 2, pt.set_subtensor(x[0], y[1]), pt.inc_subtensor(x[:, i], 3.0),
         pt.join(0, x, y), x.shape[0] + i, pt.alloc(x[0, 0], 3, i + 1), x.reshape((5, 2)), x.flatten()[i:],
         x[[0, 1, 0]], pt.eye(3) * x[0, 0], pt.arange(i + 3), x.sort(axis=1), pt.cumsum(x, axis=0),
         pt.cumsum(x.T, axis=1)],
        X, Y, 1,
    )  # fmt: skip


def test_pytensors_own_ops_that_are_c_are_compiled_in_c():
    from pytensor.raise_op import Assert
    from pytensor.tensor.basic import AllocEmpty, alloc, join
    from pytensor.tensor.extra_ops import cpu_contiguous

    from opweld.pytensor import plain

    x, v, i, n = pt.dmatrix("x"), pt.dvector("v"), pt.lscalar("i"), pt.lvector("n")
    ran = set()
    for dtype, rewriting in (("float64", "fast_run"), ("float64", None), ("int8", "fast_run"), ("bool", None)):
        a, w = pt.cast(x, dtype), pt.cast(v, dtype)
        never = Assert("never")(w, pt.ge(i, 0))
        outputs = [
            a[i:], a[i, 1], a[n][:, 1], w[n], pt.set_subtensor(a[i:, 0], w[0]), pt.set_subtensor(w[n], w[n + 1]),
            pt.set_subtensor(a[n], w), join(1, a, a), join(0, w, w, w), alloc(w[i], 2, i), alloc(w, i + 2, w.shape[0]),
            pt.stack([w[0], w[i]]), a.shape, w.shape[0] + i, a.reshape((n[0], -1)), pt.specify_shape(w, (5,)),
            never, pt.split(w, pt.stack([i + 3, i]), n_splits=2)[0].shape,
            AllocEmpty(dtype)(i, 3).shape, pt.tensor_from_scalar(pt.scalar_from_tensor(i)), x, v,
            pt.arange(i + 3), pt.diagonal(a, 1), cpu_contiguous(a.T), pt.argmax(a, axis=1), pt.argmax(w),
        ]  # fmt: skip
        values = X, Y[0], 1, np.array([1, 0])
        wanted = pytensor.function([x, v, i, n], outputs, mode="FAST_COMPILE")(*values)
        f = pytensor.function([x, v, i, n], outputs, mode=pytensor.compile.mode.Mode("opweld_c", rewriting))
        for one, other in zip(f(*values), wanted):
            np.testing.assert_array_equal(one, other)
        assert {kernel["lang"] for kernel in f.vm._code.program.data["kernels"]} == {"c"}
        ran |= {type(node.op) for node in f.maker.fgraph.toposort()}
    assert len(ran & plain.IN_C) > 18 and {cls.__name__ for cls in plain.IN_C - ran} <= {
        "ViewOp",
        "CheckAndRaise",
    }
    f = pytensor.function([v, i], Assert("it is negative")(v, pt.ge(i, 0)), mode="OPWELD")
    with pytest.raises(AssertionError, match="it is negative"):
        f(Y[0], -1)


def test_parts_of_arrays_are_views_that_loops_read_through():
    x = pt.dmatrix("x")
    outputs = [pt.exp(x[1:] - x[:-1]) * x[0, -1], x[::-1, 1:-1].sum(axis=0), x[-1], x[:, 0][1:]]
    for f in check([x], outputs, X):
        with pytest.raises(IndexError):
            f(np.ones((0, 5)))
    f = pytensor.function([x], outputs[0], mode="OPWELD_C")
    assert len(f.vm._code.fusion()[0]) == 1 and all(
        "code" not in kernel for kernel in f.vm._code.program.data["kernels"]
    )


def test_a_view_of_a_temporary_keeps_it_alive():
    x = pt.dvector("x")
    f = pytensor.function(
        [x], pt.exp(x)[1:], mode=pytensor.compile.mode.get_mode("OPWELD_C").excluding("local_subtensor_lift")
    )
    found = [f(np.zeros(100_000)) for _ in range(20)]
    assert all((one == 1).all() and one.size == 99_999 for one in found)


def test_dots():
    x, y, v = pt.dmatrix("x"), pt.dmatrix("y"), pt.dvector("v")
    check([x, y, v], [x.dot(y.T), x.dot(v), v.dot(v), 2 * x.dot(y.T) + 1], X, Y, Y[0])


def test_outputs_that_are_inputs_constants_or_repeated():
    x = pt.dvector("x")
    both = pt.exp(x)
    check([x], [x, both, both, pt.constant(3.0), x * 2], np.array([1.0, 2.0]))


def test_no_outputs_and_inputs_that_nothing_reads():
    x, y = pt.dvectors("x", "y")
    for mode in MODES:
        assert pytensor.function([x], [], mode=mode, on_unused_input="ignore")(np.ones(2)) == []
        assert pytensor.function([x, y], y + 1, mode=mode, on_unused_input="ignore")(np.ones(2), np.ones(1)) == 2


def test_scan_and_its_gradient():
    x, n = pt.dvector("x"), pt.lscalar("n")
    power, _ = pytensor.scan(
        lambda before, x: before * x + pt.exp(-x), outputs_info=pt.ones_like(x), non_sequences=x, n_steps=n
    )
    check([x, n], [power[-1], pytensor.grad(power[-1].sum(), x)], np.array([0.5, 1.5, 2.0]), 4)


def test_lazy_branches_run_only_where_they_are_wanted():
    class Fails(pytensor.graph.op.Op):
        __props__ = ()

        def make_node(self, x):
            return pytensor.graph.basic.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            raise RuntimeError("was run")

    x, c = pt.dvector("x"), pt.bscalar("c")
    f = pytensor.function([c, x], ifelse.ifelse(c, pt.exp(x) + 1, Fails()(x * 2)), mode="OPWELD")
    np.testing.assert_allclose(f(1, [0.0, 1.0]), [2.0, 1 + np.e])
    with pytest.raises(RuntimeError, match="was run"):
        f(0, [1.0])


def test_updates_shared_values_and_givens():
    for mode in MODES:
        state = pytensor.shared(np.zeros(3), "state")
        count = pytensor.shared(0, "count")
        x = pt.dvector("x")
        f = pytensor.function([x], state.sum(), updates={state: state + x, count: count + 1}, mode=mode)
        assert [float(f([1.0, 2.0, 3.0])) for _ in range(3)] == [0, 6, 12]
        assert count.get_value() == 3 and state.get_value().tolist() == [3, 6, 9]
        g = pytensor.function([], state * 2, givens={state: pt.ones(3)}, mode=mode)
        assert g().tolist() == [2, 2, 2]


def test_copies_have_other_shared_values():
    one, other = pytensor.shared(np.ones(2)), pytensor.shared(np.zeros(2))
    for mode in MODES:
        f = pytensor.function([], one + 1, mode=mode)
        assert f().tolist() == [2, 2] and f.copy(swap={one: other})().tolist() == [1, 1]


def test_random_variables_draw_the_same():
    for mode in MODES:
        drawn = []
        for which in ("FAST_COMPILE", mode):
            stream = pytensor.tensor.random.utils.RandomStream(seed=3)
            f = pytensor.function([], stream.normal(size=4) * 2 + stream.uniform(size=4), mode=which)
            drawn.append([f(), f()])
        np.testing.assert_allclose(drawn[0], drawn[1])
        assert not np.allclose(drawn[1][0], drawn[1][1])


def test_in_place_updates_write_over_the_shared_array():
    state = pytensor.shared(np.zeros(1000), borrow=True)
    f = pytensor.function([], [], updates={state: state + 1}, mode="OPWELD")
    before = state.get_value(borrow=True)
    f()
    assert state.get_value(borrow=True) is before and (before == 1).all()


def test_functions_are_pickled():
    import pickle

    x = pt.dvector("x")
    for mode in MODES:
        f = pickle.loads(pickle.dumps(pytensor.function([x], pt.exp(x) + 1, mode=mode)))
        np.testing.assert_allclose(f([0.0]), [2.0])


def test_a_profile_has_each_node():
    x = pt.dvector("x")
    f = pytensor.function([x], [pt.exp(x)[1:], x.dot(x)], mode="OPWELD", profile=True)
    f([1.0, 2.0])
    counted = {str(node.op) for (_, node), count in f.profile.apply_callcount.items() if count}
    assert counted == {str(node.op) for node in f.maker.fgraph.toposort()} and len(counted) > 2


def test_a_profile_has_a_node_that_is_alone():
    x = pt.dvector("x")
    f = pytensor.function([x], x + 1, mode="OPWELD", profile=True)
    f(np.ones(3))
    assert [count for (_, node), count in f.profile.apply_callcount.items()] == [1]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "bool", "complex128"])
def test_what_comes_out_is_nobody_elses(dtype):
    x, m = pt.vector("x", dtype=dtype), pt.matrix("m", dtype=dtype)
    state = pytensor.shared(np.ones(3, dtype))
    outputs = [x, x, x[1:], x[::-1], x[0], m.T, m.T, m[:, None], m.reshape((-1,)), state, state[1:]]
    given = np.arange(4).astype(dtype), np.asfortranarray(np.arange(6).reshape(2, 3).astype(dtype))
    for mode in MODES:
        f = pytensor.function([x, m], outputs, mode=mode)
        for layout in (np.asfortranarray, np.ascontiguousarray, lambda v: np.repeat(v, 2, axis=-1)[..., ::2]):
            values = [layout(v) for v in given]
            found = f(*values)
            x_, m_ = values
            wanted = [x_, x_, x_[1:], x_[::-1], x_[0], m_.T, m_.T, m_[:, None], m_.reshape(-1), np.ones(3), np.ones(2)]
            held = [*values, state.get_value(borrow=True)]
            for i, (one, right) in enumerate(zip(found, wanted, strict=True)):
                np.testing.assert_array_equal(one, right)
                assert one.dtype == dtype and not any(np.shares_memory(one, other) for other in [*held, *found[:i]])


def test_a_quotient_is_not_its_reverse():
    a, b = pt.dvectors("a", "b")
    for mode in MODES:
        one, other = pytensor.function([a, b], a / b, mode=mode), pytensor.function([a, b], b / a, mode=mode)
        assert one([6.0], [3.0]) == 2 and other([6.0], [3.0]) == 0.5 and one([6.0], [3.0]) == 2


def test_nodes_in_c_are_one_run_between_nodes_in_python():
    class Twice(pytensor.graph.op.Op):
        __props__ = ()

        def make_node(self, x):
            return pytensor.graph.basic.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] * 2

    x = pt.dvector("x")
    y = Twice()(pt.exp(x)[1:])
    f = pytensor.function([x], [y + 1, pt.sin(x[1:]) + y, pt.cumsum(x)], mode="OPWELD")
    runs = [len(thunk.nodes) for thunk in f.vm.thunks if hasattr(thunk, "nodes")]
    assert len(f.vm.thunks) == 3 and sum(runs) == len(f.maker.fgraph.toposort()) - 1
    found = f([1.0, 2.0])
    np.testing.assert_allclose(found[0], [2 * np.exp(2.0) + 1])
    whole = pytensor.function([x], [y + 1, pt.cumsum(x)], mode="OPWELD_C")
    np.testing.assert_allclose(whole([1.0, 2.0])[0], found[0])
    assert len(whole.vm.nodes) == len(whole.maker.fgraph.toposort())


def test_temporaries_are_given_up():
    import weakref

    seen = []

    class Watch(pytensor.graph.op.Op):
        __props__ = ()

        def make_node(self, x):
            return pytensor.graph.basic.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            seen.append(weakref.ref(inputs[0]))
            outputs[0][0] = inputs[0] + 1

    x = pt.dvector("x")
    f = pytensor.function([x], Watch()(pt.exp(x)).sum(), mode="OPWELD")
    assert f([0.0]) == 2
    assert [ref() for ref in seen] == [None]


def test_calls_from_threads():
    from concurrent.futures import ThreadPoolExecutor

    x = pt.dvector("x")
    f = pytensor.function([x], pt.exp(x) + 1, mode="OPWELD")
    copies = [f.copy() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda job: job[0](np.full(50, job[1]))[0], [(copies[i % 4], i % 4) for i in range(40)]))
    np.testing.assert_allclose(found, [np.exp(i % 4) + 1 for i in range(40)])
