"""mode="DebugMode": what it finds, and what it says."""

import numpy as np
import pytest

import opweld
from opweld import Apply, COp, In, Op, tensor
from opweld.compile.debugmode import (
    BadDestroyMap,
    BadRewrite,
    BadThunkOutput,
    BadViewMap,
    DebugMode,
    DebugModeError,
    InvalidValueError,
)
from opweld.rewriting import STAGES, node_rewriter, register_specialize

x, y = tensor.dvector("x"), tensor.dvector("y")


class Fill(COp):
    """Fill a copy of the input with one number in C, with another in Python."""

    __props__ = ("c", "py")

    def __init__(self, c=1.0, py=1.0):
        self.c, self.py = c, py

    def make_node(self, *inputs):
        return Apply(self, inputs, [inputs[0].type()])

    def perform(self, node, inputs, output_storage):
        if isinstance(self.py, str):
            raise ValueError(self.py)
        output_storage[0][0] = np.full_like(inputs[0], self.py)

    def c_code(self, node, name, input_names, output_names, sub):
        x, z = input_names[0], output_names[0]
        fail = ""
        if isinstance(self.c, str):
            fail = f'PyErr_SetString(PyExc_ValueError, "{self.c}"); {sub["fail"]}'
        return f"""
            {fail}
            Py_XSETREF({z}, (PyArrayObject *)PyArray_NewCopy({x}, NPY_ANYORDER));
            if ({z} == NULL) {sub["fail"]}
            for (npy_intp i = 0; i < PyArray_DIM({z}, 0); i++)
                *(dtype_{z} *)PyArray_GETPTR1({z}, i) = {0 if isinstance(self.c, str) else self.c};
        """

    def c_code_cache_version(self):
        return (1,)


class Python(Op):
    """``call(inputs)`` in Python."""

    def __init__(self, call, **maps):
        self.call = call
        self.__dict__.update(maps)

    def make_node(self, *inputs):
        return Apply(self, inputs, [inputs[0].type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = self.call(*inputs)


class InC(Python):
    """The same in C."""

    perform = Op.perform

    def c_code(self, node, name, input_names, output_names, sub):
        return self.call % {"x": input_names[0], "z": output_names[0], "fail": sub["fail"]}


@pytest.fixture(autouse=True)
def registered():
    kept = {name: dict(stage.entries) for name, stage in STAGES.items()}
    yield
    for name, stage in STAGES.items():
        stage.entries = kept[name]


def debug(inputs, outputs, **options):
    return opweld.function(inputs, outputs, mode="DebugMode", **options)


def found(error, f, *args):
    with pytest.raises(error) as caught:
        f(*args)
    assert isinstance(caught.value, DebugModeError)
    return caught.value


# -- C against Python --------------------------------------------------------------------------------------------


def test_what_agrees_is_computed():
    f = debug([x], [Fill()(x), x, Fill()(x)], name="agree")
    results = f([3.0, 4.0])
    assert [r.tolist() for r in results] == [[1, 1], [3, 4], [1, 1]]
    assert f.name == "agree" and len(f.maker.fgraph.toposort()) == 3


def test_c_and_perform_that_do_not_agree():
    err = found(BadThunkOutput, debug([x], Fill(1.0, 2.0)(Fill()(x))), [5.0])
    assert str(err) == (
        "Fill{c=1.0, py=2.0}(Fill{c=1.0, py=1.0}): its C code and its perform do not agree on output 0 of type "
        "TensorType(float64, (?,))\n"
        "  input 0, Fill{c=1.0, py=1.0}: [1.] (float64, shape (1,), strides (8,))\n"
        "  C code: [1.] (float64, shape (1,), strides (8,))\n"
        "  perform: [2.] (float64, shape (1,), strides (8,))"
    )
    assert err.details["node"].op == Fill(1.0, 2.0) and err.details["c"][0] == 1 and err.details["perform"][0] == 2
    err = found(BadThunkOutput, debug([x], Fill(1.0, 2.0)(x)), [5.0, 6.0])
    assert str(err).endswith("\n  2 of 2 elements differ, most at [0]: 1.0 and 2.0")


def test_near_is_enough():
    assert debug([x], Fill(1.0, 1.0 + 1e-9)(x))([0.0]).tolist() == [1.0]
    found(BadThunkOutput, debug([x], Fill(1.0, 1.01)(x)), [0.0])


def test_one_that_raises():
    err = found(BadThunkOutput, debug([x], Fill(1.0, "not in Python")(x)), [0.0])
    assert "its perform raises and its C code does not" in str(err)
    assert str(err).endswith("perform: ValueError: not in Python")
    err = found(BadThunkOutput, debug([x], Fill("not in C", 1.0)(x)), [0.0])
    assert "its C code raises and its perform does not" in str(err)
    with pytest.raises(ValueError, match=r"not in C"):
        debug([x], Fill("not in C", "not in Python")(x))([0.0])


def test_what_is_switched_off():
    wrong = Fill(1.0, 2.0)(x)
    assert opweld.function([x], wrong, mode=DebugMode(check_py=False))([0.0]).tolist() == [1.0]
    assert opweld.function([x], wrong, mode=DebugMode(check_c=False))([0.0]).tolist() == [2.0]


def test_a_tolerance_that_divides_by_zero():
    class Number(opweld.Type):
        def filter(self, value, strict=False, allow_downcast=None):
            return float(value)

        def values_eq_approx(self, a, b):
            return abs(a - b) / (a + b) < 1e-4

        def c_declare(self, name, sub):
            return f"double {name};"

        def c_init(self, name, sub):
            return f"{name} = 0;"

        def c_extract(self, name, sub, **kwargs):
            return f"{name} = PyFloat_AsDouble(py_{name});"

        def c_sync(self, name, sub):
            return f"Py_XSETREF(py_{name}, PyFloat_FromDouble({name}));"

        def c_cleanup(self, name, sub):
            return ""

    class Half(COp):
        def make_node(self, n):
            return Apply(self, [n], [n.type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] / 2

        def c_code(self, node, name, input_names, output_names, sub):
            return f"{output_names[0]} = {input_names[0]} / 2;"

    n = Number()("n")
    f = debug([n], Half()(n))
    assert (f(0), f(3)) == (0.0, 1.5)


# -- inputs and outputs ------------------------------------------------------------------------------------------


def test_an_input_that_is_changed():
    def change(a):
        a += 1
        return a.copy()

    err = found(BadDestroyMap, debug([x], Python(change)(x)), [1.0])
    assert str(err).startswith("Python(x): its perform changed input 0, x, and destroy_map is {}\n  before: [1.] (")
    in_c = InC(
        "*(double *)PyArray_DATA(%(x)s) = 9; Py_XSETREF(%(z)s, (PyArrayObject *)PyArray_NewCopy(%(x)s, NPY_CORDER));"
    )
    assert "its C code changed input 0, x" in str(found(BadDestroyMap, debug([x], in_c(x)), [1.0]))
    err = found(
        BadDestroyMap, debug([x, y], Python(lambda a, b: change(b), destroy_map={0: [0]})(Fill()(x), y)), [1.0], [2]
    )
    assert "changed input 1, y, and destroy_map is {0: [0]}" in str(err)


def test_an_output_that_shares_memory():
    err = found(BadViewMap, debug([x], Python(lambda a: a[::-1])(x)), [1.0, 2.0])
    assert str(err) == (
        "Python(x): its perform gave an output 0 that shares memory with input 0, x, and view_map is {}, destroy_map {}"
    )
    in_c = InC("Py_INCREF(%(x)s); Py_XSETREF(%(z)s, %(x)s);")
    assert "its C code gave an output 0 that shares" in str(found(BadViewMap, debug([x], in_c(x)), [1.0]))
    kind = opweld.Generic()("g")
    found(BadViewMap, debug([kind], Python(lambda a: a)(kind)), [1])
    assert debug([kind], Python(lambda a: a)(kind))("a string") == "a string"


def test_what_is_declared_is_allowed():
    view = Python(lambda a: a[::-1], view_map={0: [0]})
    assert debug([x], view(x))([1.0, 2.0]).tolist() == [2.0, 1.0]

    def change(a):
        a += 1
        return a

    destroyer = Python(change, destroy_map={0: [0]})
    t = Fill()(x)
    f = debug([x], [Fill(2.0, 2.0)(t), destroyer(t)])
    assert [r.tolist() for r in f([5.0])] == [[2.0], [2.0]]
    array = np.zeros(2)
    assert debug([In(x, mutable=True)], destroyer(x))(array).tolist() == [1.0, 1.0]
    assert array.tolist() == [1.0, 1.0]


def test_an_output_of_another_type():
    def three(self, v):
        return Apply(self, [v], [tensor.TensorType("float64", (3,))()])

    class WrongC(InC):
        make_node = three

    class WrongPython(Python):
        make_node = three

    copy = "Py_XSETREF(%(z)s, (PyArrayObject *)PyArray_NewCopy(%(x)s, NPY_CORDER));"
    assert "its C code gave an output 0 that is not of type TensorType(float64, (3,)): " in str(
        found(InvalidValueError, debug([x], WrongC(copy)(x)), [1.0])
    )
    with pytest.raises(TypeError, match=r"WrongPython: perform's output_storage\[0\]\[0\]: expected"):
        debug([x], WrongPython(lambda a: a.copy())(x))([1.0])


# -- rewrites ----------------------------------------------------------------------------------------------------


def test_a_rewriter_that_changes_the_value():
    register_specialize(node_rewriter([Fill(1.0, 1.0)])(lambda node: [Fill(3.0, 3.0)(*node.inputs)]), name="three")
    err = found(BadRewrite, debug([x], Fill()(x)), [5.0])
    assert str(err) == (
        "rewriter 'three' changed the value of Fill{c=1.0, py=1.0}\n"
        "  node: Fill{c=1.0, py=1.0}(x)\n"
        "  input 0, x: [5.] (float64, shape (1,), strides (8,))\n"
        "  before: Fill{c=1.0, py=1.0} = [1.] (float64, shape (1,), strides (8,))\n"
        "  after: Fill{c=3.0, py=3.0} = [3.] (float64, shape (1,), strides (8,))"
    )
    assert opweld.function([x], Fill()(x), mode=DebugMode(check_rewrites=False))([5.0]).tolist() == [3.0]


def test_a_rewriter_inside_a_graph():
    register_specialize(node_rewriter([Fill(2.0, 2.0)])(lambda node: [node.inputs[0]]), name="away")
    f = debug([x], Fill()(Fill(2.0, 2.0)(x)))
    assert f([2.0]).tolist() == [1.0]  # on 2, it is right
    assert "rewriter 'away' changed" in str(found(BadRewrite, f, [5.0]))


def test_ops_that_are_equal_and_compute_different_things():
    class Claims(Python):
        def __eq__(self, other):
            return type(self) is type(other)

        def __hash__(self):
            return 1

    one, two = Claims(lambda a: a + 1), Claims(lambda a: a + 2)
    err = found(BadRewrite, debug([x], [one(x), two(x)]), [0.0])
    assert str(err).startswith("rewriter 'merge' changed the value of Claims\n  node: Claims(x)")


# -- the call ----------------------------------------------------------------------------------------------------


def test_arguments():
    f = debug([x, In(y, value=[7.0])], [Fill()(x), Fill()(y), y])
    assert [r.tolist() for r in f([1.0])] == [[1], [1], [7]]
    assert [r.tolist() for r in f(y=[2.0], x=[1.0])] == [[1], [1], [2]]
    for args, kwargs, message in (
        ((), {}, "f() misses argument 'x'"),
        (([1.0],), {"x": [1.0]}, "f() got argument 'x' twice"),
        (([1.0],), {"z": 1}, "f() got an unexpected keyword argument 'z'"),
        (([1.0], [1.0], [1.0]), {}, "f() takes 2 arguments, got 3"),
    ):
        with pytest.raises(TypeError) as caught:
            f(*args, **kwargs)
        assert str(caught.value) == message
    with pytest.raises(TypeError, match=r"f\(\) argument 'x': "):
        f(["a"])


def test_out():
    out = np.zeros(2)
    assert debug([x], Fill()(x))([1.0, 2.0], out=out) is out and out.tolist() == [1.0, 1.0]
    first, second = debug([x], [Fill()(x), x])([1.0, 2.0], out=[None, out])
    assert second is out and out.tolist() == [1.0, 2.0] and first.tolist() == [1.0, 1.0]


def test_ways_to_name_it(monkeypatch):
    wrong = Fill(1.0, 2.0)(x)
    for mode in ("DebugMode", "DEBUG_MODE", DebugMode, DebugMode()):
        found(BadThunkOutput, opweld.function([x], wrong, mode=mode), [0.0])
    monkeypatch.setattr(opweld.config, "mode", "DebugMode")
    found(BadThunkOutput, opweld.function([x], wrong), [0.0])
    assert opweld.function([x], wrong, mode="FAST_RUN")([0.0]).tolist() == [1.0]


def test_compile_time_checks_stay():
    with pytest.raises(opweld.UnusedInputError):
        debug([x, y], Fill()(x))
    with pytest.raises(opweld.InconsistencyError):
        debug([x], Python(lambda a: a, destroy_map={0: [0]})(x))
