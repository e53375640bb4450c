"""What is said of a value of the wrong dtype, dimensions or shape: 25 words at most, and what it says to pass is taken.

Each message here really comes from a call; what stands behind "pass" is run as Python, and the call made again with it.
"""

from __future__ import annotations

import random
import re
import warnings

import numpy as np
import pytest
from kit import InPlace, copy, misaligned, swapped

import opweld
from opweld import In
from opweld.dtypes import TYPES, convert, dtype_of
from opweld.tensor import TensorType, dvector

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass")
WORDS = 25
v = np.arange(3.0)
m = np.arange(12.0).reshape(3, 4)
read_only = np.arange(3.0)
read_only.flags.writeable = False
FUNCTIONS = {}
IN_WORDS = {"numbers", "a value", "smaller numbers", "rows of one length"}  # no expression makes these of what came


def takes(dtype, *shape, strict=False, mutable=False):
    """A function of one argument, ``x``; each is made once."""
    key = dtype, shape, strict, mutable
    if key not in FUNCTIONS:
        x = TensorType(dtype, shape)("x")
        body = InPlace()(x) if mutable else copy(x)
        FUNCTIONS[key] = opweld.function([In(x, strict=strict, mutable=mutable)], body)
    return FUNCTIONS[key]


def cop(name):
    if name not in FUNCTIONS:
        texts = {
            "scale": ("x: inout T[n], k: T = 2", "for (npy_intp i = 0; i < n; i++) x[i] *= k;"),
            "floats": ("x: T[n] -> y: T[n] where T: float", "for (npy_intp i = 0; i < n; i++) y[i] = x[i];"),
            "ints": ("x: T[n] -> y: T[n] where T: int", "for (npy_intp i = 0; i < n; i++) y[i] = x[i];"),
            "matrix": ("x: float64[n, m] -> y: float64", "y = n * m;"),
        }  # fmt: skip
        FUNCTIONS[name] = opweld.cop(*texts[name])
    return FUNCTIONS[name]


class Mine(np.ndarray):
    pass


TABLE = [
    # what takes, what is given, what is said behind the argument's name
    (takes, ("float64", None), m, "expected float64 of shape (?,), got float64 of shape (3, 4); pass x[0]"),
    (takes, ("float64", None), m[:1], "expected float64 of shape (?,), got float64 of shape (1, 4); pass x[0]"),
    (takes, ("float64", None), m[:, :1], "expected float64 of shape (?,), got float64 of shape (3, 1); pass x[:,0]"),
    (takes, ("float64", None), m[:0], "expected float64 of shape (?,), got float64 of shape (0, 4); pass x[:,0]"),
    (takes, ("float64", None), m[:0, :0],
     "expected float64 of shape (?,), got float64 of shape (0, 0); pass np.zeros((0,), 'float64')"),
    (takes, ("float64", None), np.float64(2), "expected float64 of shape (?,), got float64 np.float64(2.0); pass [x]"),
    (takes, ("float64", None), 2, "expected float64 of shape (?,), got int 2; pass [x]"),
    (takes, ("float64", None), [[1.0, 2.0]],
     "expected float64 of shape (?,), got list [[1.0, 2.0]]; pass np.asarray(x, 'float64')[0]"),
    (takes, ("float64", None), m.astype("c16"),
     "expected float64 of shape (?,), got complex128 of shape (3, 4); pass x[0].real"),
    (takes, ("float64", None), m.view(np.matrix),
     "expected float64 of shape (?,), got matrix float64 of shape (3, 4); pass np.asarray(x)[0]"),
    (takes, ("float64", None), np.zeros(3, [("n", "S3"), ("a", "i4"), ("b", "f4")]),
     "expected float64 of shape (?,), got fields n, a, b of shape (3,): not numeric; pass x['a']"),
    (takes, ("float32", None), np.zeros((3, 1), [(k, "c16") for k in "abcd"]),
     "expected float32 of shape (?,), got fields a, b, c, ... of shape (3, 1): not numeric; pass "
     "x['a'][:,0].real.astype('float32')"),
    (takes, ("float64", None), np.zeros(3, [("n", "S3")]),
     "expected float64 of shape (?,), got fields n of shape (3,): not numeric; pass numbers"),
    (takes, ("float64", None, None), v, "expected float64 of shape (?, ?), got float64 of shape (3,); pass x[None]"),
    (takes, ("float64", None, None), [1.0], "expected float64 of shape (?, ?), got list [1.0]; pass [x]"),
    (takes, ("float64", None, None), 1.0, "expected float64 of shape (?, ?), got float 1.0; pass [[x]]"),
    (takes, ("float64",), v, "expected float64 of shape (), got float64 of shape (3,); pass x[0]"),
    (takes, ("float64",), m, "expected float64 of shape (), got float64 of shape (3, 4); pass x[0,0]"),
    (takes, ("float64", None, None, None, None), v,
     "expected float64 of 4 dimensions, got float64 of shape (3,); pass x[None,None,None]"),
    (takes, ("float64", 3), np.ones(5), "expected float64 of shape (3,), got float64 of shape (5,); pass x[:3]"),
    (takes, ("float64", 3), np.ones(2),
     "expected float64 of shape (3,), got float64 of shape (2,); pass np.pad(x,[(0,1)])"),
    (takes, ("float64", 3), 1.5, "expected float64 of shape (3,), got float 1.5; pass np.full((3,), x, 'float64')"),
    (takes, ("float64", 3, None), m.T,
     "expected float64 of shape (3, ?), got float64 of shape (4, 3); pass x[:3]"),
    (takes, ("float64", None, 3), m,
     "expected float64 of shape (?, 3), got float64 of shape (3, 4); pass x[:,:3]"),
    (takes, ("float64", 2, 6), m,
     "expected float64 of shape (2, 6), got float64 of shape (3, 4); pass np.pad(x[:2],[(0,0),(0,2)])"),
    (takes, ("int32", None), v, "expected int32 of shape (?,), got float64 of shape (3,); pass x.astype('int32')"),
    (takes, ("float32", None), v * 1j,
     "expected float32 of shape (?,), got complex128 of shape (3,); pass x.real.astype('float32')"),
    (takes, ("float64", None), np.ones(2, "O"),
     "expected float64 of shape (?,), got object of shape (2,): not numeric; pass x.astype('float64')"),
    (takes, ("float64", None), np.array(["1", "2"]),
     "expected float64 of shape (?,), got str32 of shape (2,): not numeric; pass x.astype('float64')"),
    (takes, ("float64", None), np.array(["a"]),
     "expected float64 of shape (?,), got str32 of shape (1,): not numeric; pass numbers"),
    (takes, ("float64", None), None, "expected float64 of shape (?,), got None: not numeric; pass numbers"),
    (takes, ("float64", None), {"a": 1},
     "expected float64 of shape (?,), got dict {'a': 1}: not numeric; pass numbers"),
    (takes, ("float64", None), dvector("w"),
     "expected float64 of shape (?,), got TensorVariable w: it is a variable of a graph; pass a value"),
    (takes, ("float64", None), np.ma.masked_array(v, v > 1),
     "expected float64 of shape (?,), got masked float64 of shape (3,); pass x.filled()"),
    (takes, ("float64", None), [[1], [2, 3]],
     "expected float64 of shape (?,), got list [[1], [2, 3]]: NumPy refuses it; pass rows of one length"),
    (takes, ("float64", None), [2**53 + 1],
     "expected float64 of shape (?,), got list [9007199254740993]: its value would change; pass "
     "np.asarray(x, 'float64')"),
    (takes, ("int32", None), [1, 2.5],
     "expected int32 of shape (?,), got list [1, 2.5]: its value would change; pass np.asarray(x).astype('int32')"),
    (takes, ("float64", None), [1j],
     "expected float64 of shape (?,), got list [1j]: its value would change; pass np.asarray(x).real"),
    (takes, ("int8", None), [300], "expected int8 of shape (?,), got list [300]; pass values from -128 to 127"),
    (takes, ("uint8",), 300, "expected uint8 of shape (), got int 300; pass values from 0 to 255"),
    (takes, ("int64",), 2**70,
     "expected int64 of shape (), got int 1180591620717411303424; pass values from -9223372036854775808 to "
     "9223372036854775807"),
    (takes, ("float64",), 10**400,
     "expected float64 of shape (), got int 100000000000000000000...; pass smaller numbers"),
    (takes, ("float64", None, "strict"), v.astype("f4"),
     "expected float64 of shape (?,), got float32 of shape (3,): strict converts nothing; pass x.astype('float64')"),
    (takes, ("float64", None, "strict"), [1.0],
     "expected float64 of shape (?,), got list [1.0]: strict converts nothing; pass np.asarray(x, 'float64')"),
    (takes, ("float64", None, "strict"), swapped(v),
     "expected float64 of shape (?,), got float64 of shape (3,), byte-swapped: strict converts nothing; pass "
     "x.astype('float64')"),
    (takes, ("float64", None, "strict"), misaligned(v),
     "expected float64 of shape (?,), got float64 of shape (3,), misaligned: strict converts nothing; pass "
     "x.astype('float64')"),
    (takes, ("float64", None, "strict"), m.astype("f4"),
     "expected float64 of shape (?,), got float32 of shape (3, 4); pass x[0].astype('float64')"),
    (takes, ("float64", None, "mutable"), read_only,
     "expected writeable float64 of shape (?,), got float64 of shape (3,), read-only; pass x.copy()"),
    (takes, ("float64", None, "mutable"), [1.0],
     "expected writeable float64 of shape (?,), got list [1.0]: in place; pass np.asarray(x, 'float64')"),
    (takes, ("float64", None, "mutable"), swapped(v),
     "expected writeable float64 of shape (?,), got float64 of shape (3,), byte-swapped: in place; pass "
     "x.astype('float64')"),
    (cop, ("matrix",), v, "expected float64 of shape (?, ?), got float64 of shape (3,); pass x[None]"),
    (cop, ("matrix",), m[None], "expected float64 of shape (?, ?), got float64 of shape (1, 3, 4); pass x[0]"),
    (cop, ("floats",), m, "expected float64 of shape (?,), got float64 of shape (3, 4); pass x[0]"),
    (cop, ("floats",), v + 1j,
     "x is of dtype complex128, and T may be float32, float64 or longdouble; pass np.asarray(x).real"),
    (cop, ("floats",), ["a"],
     "x is of dtype <U1, and T may be float32, float64 or longdouble; pass numbers"),
    (cop, ("ints",), v,
     "x is of dtype float64, and T may be int8, int16, int32, int64, uint8, uint16, uint32 or uint64; pass "
     "np.asarray(x).astype('int64')"),
    (cop, ("scale",), read_only,
     "expected writeable float64 of shape (?,), got float64 of shape (3,), read-only; pass x.copy()"),
    (cop, ("scale",), [1.0],
     "expected writeable float64 of shape (?,), got list [1.0]: in place; pass np.asarray(x, 'float64')"),
]  # fmt: skip


def said_of(call, value):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((TypeError, ValueError, OverflowError)) as caught:
            call(value)
    return str(caught.value).partition("\n")[0]


def checked(call, value, text):
    """A text is short, and what it says to pass is taken; gives that."""
    assert len(text.split()) <= WORDS, text
    remedy = text.rpartition("; pass ")[2]
    assert "reshape" not in remedy and "ravel" not in remedy
    if remedy in IN_WORDS:
        return remedy
    bounds = re.fullmatch(r"values from (-?\d+) to (\d+)", remedy)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, of what a cast loses
        for passed in map(int, bounds.groups()) if bounds else [eval(remedy, {"np": np, "x": value})]:
            call([passed] if bounds and isinstance(value, list) else passed)
    return remedy


@pytest.mark.parametrize("row", range(len(TABLE)))
def test_a_text_is_short_and_its_remedy_works(row):
    of, how, value, wanted = TABLE[row]
    flags = {word: True for word in ("strict", "mutable") if word in how}
    call = of(*[one for one in how if one not in flags], **flags)
    text = said_of(call, value)
    assert text.endswith(wanted), text
    assert text.removesuffix(wanted).count(" ") <= 3
    checked(call, value, text)


@pytest.mark.parametrize(
    ("shape", "out", "wanted"),
    [
        ((None,), np.empty(3, "f4"), "got float32 of shape (3,); pass np.empty((3,), 'float64')"),
        ((None,), np.empty((3, 1)), "got float64 of shape (3, 1); pass None"),
        ((None,), read_only, "got float64 of shape (3,), read-only; pass np.empty((3,), 'float64')"),
        ((None,), swapped(v), "got float64 of shape (3,), byte-swapped; pass np.empty((3,), 'float64')"),
        ((None,), misaligned(v), "got float64 of shape (3,), misaligned; pass np.empty((3,), 'float64')"),
        ((None,), v.copy().view(Mine), "got Mine float64 of shape (3,); pass out.view(np.ndarray)"),
        ((None,), np.ma.array(v), "got masked float64 of shape (3,); pass out.view(np.ndarray)"),
        ((None,), "out", "got str 'out'; pass None"),
        ((None,), np.empty(4), "got out= of shape (4,), and result 0 has shape (3,); pass np.empty((3,), 'float64')"),
        ((3,), np.empty(4), "got float64 of shape (4,); pass np.empty((3,), 'float64')"),
        ((3,), np.empty((3, 1)), "got float64 of shape (3, 1); pass np.empty((3,), 'float64')"),
        ((3,), 5, "got int 5; pass np.empty((3,), 'float64')"),
    ],
)
def test_what_is_said_of_out(shape, out, wanted):
    f = takes("float64", *shape)
    text = said_of(lambda given: f(v, out=given), out)
    assert text.endswith(wanted) and len(text.split()) <= WORDS
    remedy = eval(text.rpartition("; pass ")[2], {"np": np, "out": out})
    assert f(v, out=remedy).tolist() == v.tolist()


# -- whatever comes ----------------------------------------------------------------------------------------------


def any_shape(choose):
    return tuple(choose.choice([0, 1, 2, 3, 3, 4]) for _ in range(choose.randint(0, 4)))


def any_array(choose):
    """Of any dtype, layout and class."""
    shape = any_shape(choose)
    made = np.arange(np.prod(shape, dtype=int), dtype="f8").reshape(shape)
    made = made.astype(choose.choice([*(dtype_of(name).np for name in TYPES), "O", "U3", "M8[s]"]))
    if choose.random() < 0.2:
        made = made.astype(made.dtype.newbyteorder())
    if choose.random() < 0.2 and made.ndim:
        made = made[..., ::2]
    made.flags.writeable = choose.random() > 0.2
    if choose.random() < 0.1 and made.dtype.kind in "biufc":
        return np.ma.masked_array(made)
    return made.view(np.matrix) if choose.random() < 0.1 and made.ndim == 2 else made


ITEMS = [0, 1, 2.5, True, 300, -1, 2**53 + 1, 2**70, 1j, float("nan"), np.float32(0.1), 1e300]
OTHERS = ["abc", None, b"ab", {1: 2}, ["1", "2"], np.float64(2.5), np.int64(7), (1, 2), [], [[]], [[1], [2, 3]]]


def any_other(choose):
    """A number, or a list of numbers, or of lists, or something else."""
    kind, width = choose.randint(0, 3), choose.randint(1, 3)
    if kind == 0:
        return choose.choice(ITEMS)
    if kind == 1:
        return choose.choices(ITEMS, k=width)
    return [choose.choices(ITEMS, k=width) for _ in range(kind)] if choose.random() < 0.8 else choose.choice(OTHERS)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_refused_is_refused_shortly_and_with_a_remedy_that_works(seed):
    choose, refused, remedies = random.Random(seed), 0, set()
    for _ in range(3000):
        dtype = dtype_of(choose.choice(TYPES))
        shape = tuple(size or None for size in any_shape(choose)[:4])
        how = choose.choice([{}, {}, {}, {"strict": True}, {"writeable": True}, {"allow_downcast": True}])
        value = (any_array if choose.random() < 0.6 else any_other)(choose)

        def call(given, dtype=dtype, shape=shape, how=how):
            return convert(given, dtype, shape, **how)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                call(value)
            except (TypeError, OverflowError) as err:
                text = f"f() argument 'x': {err}"
            else:
                continue
        refused += 1
        remedy = text.rpartition("; pass ")[2]
        if remedy.startswith("values from"):  # where dimensions differ too, they are told of next
            assert len(text.split()) <= WORDS
            continue
        remedies.add(re.sub(r"\d", "", checked(call, value, text)))
    assert refused > 2000 and len(remedies) > 200
