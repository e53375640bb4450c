"""Calls whose work is loops alone hold nothing but what the loops make: they agree with calls by the table."""

import sys

import numpy as np
import pytest

import opweld
from opweld import In, tensor
from opweld.tensor import TensorType


def test_what_plain_means_in_c():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    source = opweld.source(opweld.function([x, y], x * y))
    assert '"TensorType", NPY_FLOAT64, 1, 1}' in source and '{"x", 0, opw_T0_accept' in source


class Counted(TensorType):
    """Says that it is plain, higher up than what it does."""

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return super().c_extract(name, sub, check_input) + '\nPySys_WriteStdout("entered\\n");'


def test_a_text_of_ones_own_is_run(capsys):
    x = Counted("float64", (None,))("x")
    f = opweld.function([x], x * 2)
    assert '"Counted", NPY_FLOAT64, 1, 0}' in opweld.source(f)
    assert f([1.0]).tolist() == [2.0] and capsys.readouterr().out == "entered\n"


@pytest.mark.parametrize("single", [True, False])
def test_results_are_the_callers_alone(single):
    x, y = tensor.dmatrix("x"), tensor.dvector("y")
    outputs = [x * y, x + y]
    f = opweld.function([x, y], outputs[0] if single else outputs)
    a, b = np.arange(6.0).reshape(2, 3), np.ones(3)
    counts = sys.getrefcount(a), sys.getrefcount(b)
    for _ in range(3):
        for one, other in ((a, b), (a.T.copy().T, b[::-1]), ([[1, 2, 3]], b), (a, [1, 2, 3])):
            found = [f(one, other)] if single else f(one, other)
            assert [sys.getrefcount(found[i]) for i in range(len(found))] == [2] * len(found)
            for result, wanted in zip(found, (np.multiply(one, other), np.add(one, other))):
                assert np.array_equal(result, wanted) and result.flags.owndata and result.flags.writeable
            del one, other
    assert (sys.getrefcount(a), sys.getrefcount(b)) == counts


def test_arguments_by_name_and_out_go_by_the_table():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    f = opweld.function([x, In(y, value=[1.0, 1.0])], x + y)
    a, out = np.arange(2.0), np.empty(2)
    assert f(a).tolist() == f(a, [1, 1]).tolist() == f(y=[1, 1], x=a).tolist() == [1.0, 2.0]
    assert f(a, [1, 1], out=out) is out and out.tolist() == [1.0, 2.0]


def test_one_array_for_all():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    f = opweld.function([x, y], x * y)
    a = np.arange(3.0)
    assert f(a, a).tolist() == [0, 1, 4] and f(a, a[::-1]).tolist() == [0, 1, 0]


def test_what_a_failing_loop_says():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    f = opweld.function([x, y], x * y, name="product")
    a, b = np.ones(3), np.ones(2)
    counts = sys.getrefcount(a), sys.getrefcount(b)
    for args in ((a, b), (a, [1, 2])):
        with pytest.raises(
            ValueError, match=r"operands could not be broadcast together with shapes \(3,\) \(2,\)"
        ) as caught:
            f(*args)
        assert "multiply" in "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    del caught, args
    assert (sys.getrefcount(a), sys.getrefcount(b)) == counts


def test_a_users_scalar_that_fails_after_some_elements():
    class Root(opweld.scalar.UnaryScalarOp):
        __props__ = ()

        def output_types(self, types):
            return types

        def impl(self, x):
            return x**0.5

        def c_code(self, node, name, inputs, outputs, sub):
            return f"""if ({inputs[0]} < 0) {{
                PyErr_SetString(PyExc_ArithmeticError, "negative");
                {sub["fail"]}
            }}
            {outputs[0]} = sqrt({inputs[0]});"""

    x = tensor.dvector("x")
    f = opweld.function([x], tensor.Elemwise(Root())(x))
    assert f([4.0, 9.0]).tolist() == [2.0, 3.0]
    given = np.array([4.0, -1.0])
    count = sys.getrefcount(given)
    with pytest.raises(ArithmeticError, match="negative"):
        f(given)
    assert sys.getrefcount(given) == count


def test_constants_and_more_arguments_than_a_word_has_bits():
    x = tensor.dvector("x")
    assert opweld.function([x], x * np.array([1.0, 2.0]))([3, 4]).tolist() == [3, 8]
    for n in (31, 60, 65):
        many = [tensor.dscalar(f"x{i}") for i in range(n)]
        f = opweld.function(many, sum(many[1:], many[0]))
        assert f(*range(n)) == n * (n - 1) / 2


def test_shared_values_and_updates_go_by_the_table():
    x = tensor.dvector("x")
    w = opweld.shared(np.zeros(2))
    f = opweld.function([x], x + w, updates=[(w, w + x)])
    assert f([1, 2]).tolist() == [1, 2] and f([1, 2]).tolist() == [2, 4] and w.get_value().tolist() == [2, 4]
