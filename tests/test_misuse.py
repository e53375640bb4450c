"""What is written wrong is refused in words, not taken for something else."""

from __future__ import annotations

import numpy as np
import pytest

import opweld
from opweld import Apply, ExternalCOp, In, Op, Out, config, function, shared
from opweld import tensor as T
from opweld.compile.debugmode import DebugMode
from opweld.printing import debugprint

x, y = T.dvector("x"), T.dvector("y")
w = shared(np.zeros(2), "w")


class Double(Op):
    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = 2 * inputs[0]


class Forgot(Double):
    __props__ = ("factor",)


FLAGS = [
    ("In: strict", lambda value: In(x, strict=value), False),
    ("In: mutable", lambda value: In(x, mutable=value), False),
    ("In: borrow", lambda value: In(x, borrow=value), False),
    ("In: allow_downcast", lambda value: In(x, allow_downcast=value), True),
    ("Out: borrow", lambda value: Out(x, borrow=value), False),
    ("allow_input_downcast", lambda value: function([x], x + 1, allow_input_downcast=value), True),
    ("a shared variable: strict", lambda value: shared(1.0, strict=value), False),
    ("a shared variable: allow_downcast", lambda value: shared(1.0, allow_downcast=value), True),
    ("get_value: borrow", lambda value: w.get_value(borrow=value), False),
    ("set_value: borrow", lambda value: w.set_value([1.0, 2.0], borrow=value), False),
    ("DebugMode: check_c", lambda value: DebugMode(value), False),
    ("DebugMode: check_py", lambda value: DebugMode(check_py=value), False),
    ("DebugMode: check_rewrites", lambda value: DebugMode(check_rewrites=value), False),
    ("DebugMode: apart", lambda value: DebugMode(apart=value), False),
]


@pytest.mark.parametrize("where, call, maybe", FLAGS, ids=[flag[0] for flag in FLAGS])
def test_what_is_neither_true_nor_false(where, call, maybe):
    """A text such as "no" would count as yes."""
    known = "True, False or None" if maybe else "True or False"
    for value, told in (("no", "'no' (str)"), (2, "2 (int)"), (0.0, "0.0 (float)"), ([], "[] (list)")):
        with pytest.raises(TypeError) as caught:
            call(value)
        assert str(caught.value) == f"{where} must be {known}, got {told}"
    for value in (True, False, np.True_, np.bool_(False), 0, 1, *([None] if maybe else [])):
        call(value)
    if not maybe:
        with pytest.raises(TypeError, match=r"must be True or False, got None"):
            call(None)


def test_flags_are_kept_as_such():
    spec = In(x, mutable=np.True_, strict=0)
    assert spec.mutable is True and spec.strict is False


def copied():
    return function([x], x + w, updates=[(w, w + 1)])


FORGOT = "Forgot: there is no attribute 'factor', which its __props__ names: set it in __init__"
REFUSED = [
    (lambda: copied().copy(swap=[(w, w)]), TypeError, "swap must be a dict of shared variables to shared"),
    (lambda: shared(2**70), OverflowError, "shared: 1180591620717411303424 (int) fits into no integer dtype; pass"),
    (lambda: shared(-(2**70)), OverflowError, "shared: -1180591620717411303424 (int) fits into no integer dtype"),
    (lambda: setattr(config, "compiledir", 3), opweld.ConfigError, "config.compiledir: expected a path, got 3"),
    (lambda: setattr(config, "cc", b"gcc"), opweld.ConfigError, "config.cc: expected a path, got b'gcc'"),
    (lambda: debugprint(x, ids="foo"), ValueError, "debugprint: ids must be one of 'CHAR', 'int', 'auto', '', got"),
    (lambda: debugprint(x, id_type="foo"), ValueError, "debugprint: ids must be one of 'CHAR', 'int', 'auto', ''"),
    (lambda: debugprint(x, depth="3"), TypeError, "debugprint: depth must be an integer, got '3' (str)"),
    (lambda: debugprint(x, file="a.txt"), TypeError, "debugprint: file must be an open file, 'str' or None,"),
    (lambda: ExternalCOp(3), TypeError, "ExternalCOp: expected a file's path or a list of them, got 3 (int)"),
    (lambda: Double()(x, name=3), TypeError, "Double: the name of a variable must be a string, got 3 (int)"),
    (lambda: str(Forgot()), AttributeError, FORGOT),
    (lambda: hash(Forgot()), AttributeError, FORGOT),
    (lambda: Forgot() == Forgot(), AttributeError, FORGOT),
]  # fmt: skip


@pytest.mark.parametrize("call, error, message", REFUSED, ids=[message[:40] for _, _, message in REFUSED])
def test_refused(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(message)


def test_a_name_that_became_no_text():
    z = T.dvector("z")
    z.name = 3
    with pytest.raises(TypeError, match=r"^inputs\[0\]: a name must be a string, got 3 \(int\)$"):
        function([z], z + 1)
