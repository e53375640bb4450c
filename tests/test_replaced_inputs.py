"""An op may replace what it reads: ``Py_XDECREF(x); x = copy;``, as Gemm and its like do (docs/contract.md)."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest
from kit import tensor

import opweld
from opweld import Apply, COp, Op
from opweld.tensor import TensorType

CALLS = 20

REPLACE = """
{{
    PyArrayObject *copy_of = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
    if (copy_of == NULL) {fail}
    Py_XDECREF({x});
    {x} = copy_of;
    {{ npy_intp i; for (i = 0; i < PyArray_SIZE({x}); i++) ((double *)PyArray_DATA({x}))[i] += 100; }}
}}
"""
TAKE = """
Py_XDECREF({z});
{z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
if ({z} == NULL) {fail}
"""
VIEW = "Py_XDECREF({z}); Py_INCREF({x}); {z} = {x};"


class Texts(COp):
    """An op of any texts: of ``{x}``, ``{y}`` …, its inputs, of ``{z}``, its first output, and of ``{fail}``."""

    __props__ = ("code", "cleanup", "views", "destroys")

    def __init__(self, code, cleanup="", views=(), destroys=(), **attributes):
        self.code, self.cleanup, self.views, self.destroys = code, cleanup, views, destroys
        if views:
            self.view_map = {0: list(views)}
        if destroys:
            self.destroy_map = {0: list(destroys)}
        self.__dict__.update(attributes)

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [inputs[0].type()])

    def _fill(self, text, inputs, outputs, sub):
        names = dict(zip("xyw", inputs))
        return text.format(z=outputs[0], fail=sub["fail"], **names)

    def c_code(self, node, name, inputs, outputs, sub):
        return self._fill(self.code, inputs, outputs, sub)

    def c_code_cleanup(self, node, name, inputs, outputs, sub):
        return self._fill(self.cleanup, inputs, outputs, sub)

    def c_code_cache_version(self):
        return (1,)


class PythonSecond(Op):
    """A copy of its second input, in Python."""

    __props__ = ()

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [inputs[1].type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[1].copy()


replacing = Texts(REPLACE + TAKE)
second = Texts(TAKE.replace("{x}", "{y}"))


def counts(*objects):
    gc.collect()
    return [sys.getrefcount(value) for value in objects]


def blocks(call):
    """Blocks of memory that CALLS calls keep."""
    call()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(CALLS):
        call()
    gc.collect()
    return sys.getallocatedblocks() - before


def holds(f, *given, raises=None):
    """Call many times: nothing that was given changes or gains or loses a reference, nothing is kept."""
    kept, before = [np.array(a) for a in given], counts(*given)

    def call():
        if raises is None:
            return f(*given)
        with pytest.raises(raises[0], match=raises[1]):
            f(*given)

    results = [call() for _ in range(CALLS)]
    for result in results[1:]:
        np.testing.assert_equal(result, results[0])
    first = results[0]
    del results
    assert counts(*given) == before
    for value, copy in zip(given, kept):
        np.testing.assert_array_equal(value, copy)
    assert blocks(call) < CALLS // 2
    return first


x, y = tensor("float64", 1, "x"), tensor("float64", 1, "y")
A, B = np.arange(3.0), np.arange(3.0) + 10


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize("given", [A, np.arange(6.0)[::2], np.arange(3.0)[::-1]])
def test_the_callers_array_is_left_alone(lang, given):
    f = opweld.function([x], Texts(REPLACE + TAKE, c_lang=lang)(x))
    assert holds(f, given).tolist() == (given + 100).tolist()


def test_it_is_the_next_reader_that_sees_what_is_stored():
    after = replacing(x)  # + 100, and x is x + 100
    f = opweld.function([x], second(after, x))
    assert holds(f, A).tolist() == (A + 100).tolist()
    f = opweld.function([x], PythonSecond()(after, x))
    assert holds(f, A).tolist() == (A + 100).tolist()
    f = opweld.function([x], after * 0 + x)
    assert holds(f, A).tolist() == (A + 100).tolist()


def test_a_constant_keeps_its_count_and_its_value():
    constant = opweld.Constant(TensorType("float64", (None,)), B)
    stored = replacing(constant)
    f = opweld.function([], [stored, second(stored, constant)])
    assert [value.tolist() for value in holds(f)] == [(B + 100).tolist()] * 2
    kept = [c.data for c in f.maker.program.constants]
    before = counts(*kept)
    for _ in range(CALLS):
        f()
    assert counts(*kept) == before and all((c == B).all() for c in kept)
