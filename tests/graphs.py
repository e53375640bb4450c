"""Graphs at random, beside what NumPy makes of them. Not a test; ``import graphs`` finds it.

A graph is drawn node by node: each is applied to variables, and computed by NumPy for a first set of arrays, so that
nearly all calls succeed. What NumPy computes is bits, where each operation is rounded as IEEE 754 says. Of other values
it has a *slack* for each element: how far off another order, or another library, may be. It is carried through what
follows; only what is continuous takes such values in.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import kit
import numpy as np

import opweld.tensor as T
from opweld import Apply, COp, scalar

Array = Any
Random = np.random.Generator

DTYPES = ("float64",) * 6 + ("float32", "int64") * 3 + ("bool", "longdouble") * 2 + kit.DTYPES
SIZES = (0, 1, 2, 3, 7, 8, 9, 31, 33)


class Unsuitable(Exception):
    """What was drawn does not fit what it would be applied to."""


class Result(NamedTuple):
    """An array, and how far off each element may be; None: its bits are known."""

    value: Array
    slack: Array


@dataclass(eq=False)
class Node:
    """A node, or a few that stand for one call of NumPy's; without inputs: where values come from."""

    text: str
    inputs: list[Value] = field(default_factory=list)
    compute: Callable[..., Sequence[Result]] | None = None


@dataclass(eq=False)
class Value:
    """A variable, and the node that it comes from."""

    variable: Any
    node: Node
    at: int
    probe: Result
    exact: bool
    signed: bool = True  # zeros have the signs that NumPy's have

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self.variable.type.dtype)

    @property
    def ndim(self) -> int:
        return int(self.variable.type.ndim)

    @property
    def kind(self) -> str:
        return self.dtype.kind


def quiet(call: Callable[..., Any], *args: Any) -> Any:
    """NumPy's answer, without a word."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return call(*args)


def eps(dtype: Any) -> float:
    return float(np.finfo(dtype).eps) if np.dtype(dtype).kind in "fc" else 0.0


def size_of(value: Array) -> Array:
    """Absolute values as doubles."""
    return quiet(lambda: np.abs(np.asarray(value).astype("c16" if value.dtype.kind == "c" else "f8")))


def no_slack(result: Result) -> Array:
    return np.zeros(np.shape(result.value)) if result.slack is None else result.slack


def known(slack: Array, value: Array, *inputs: Result) -> Array:
    """The slack of what is not finite: none where an input is not finite for certain, else anything."""
    certain = np.zeros(np.shape(value), bool)
    for one in inputs:
        certain = certain | (~np.isfinite(one.value) & np.isfinite(no_slack(one)))
    if np.asarray(value).dtype.kind == "c":
        certain = np.zeros(np.shape(value), bool)
    return np.where(np.isfinite(value), slack, np.where(certain, 0.0, np.inf))


# -- element by element -------------------------------------------------------------------------------------------

EXACT = {  # in each class of dtypes, what rounds once or not at all; zeros of either sign are alike to it
    1: "negative absolute square sqrt sign floor ceil trunc rint isnan isfinite isinf logical_not invert positive "
    "conjugate",
    2: "add add add subtract subtract multiply multiply multiply maximum minimum fmax fmin less less_equal greater "
    "greater_equal equal not_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift "
    "right_shift heaviside gcd nextafter",
}
SIGNS = {1: "reciprocal signbit", 2: "divide floor_divide remainder fmod copysign"}  # zeros' signs count
SMOOTH = {1: "tanh sin cos arctan arcsinh", 2: "hypot"}
LOSES_SIGNS = {
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "heaviside",
    "sign",
    "remainder",
    "floor_divide",
    "add",
    "subtract",
}
COMPLEX_EXACT = {"negative", "conjugate", "positive", "add", "subtract", "equal", "not_equal", "logical_not", "isnan"}


def linear(name: str, value: Array, inputs: Sequence[Result]) -> Array | None:
    """The slack of an operation that takes values that are not exact, or rounds as it likes; None: it does neither."""
    sizes, slacks = [size_of(one.value) for one in inputs], [no_slack(one) for one in inputs]
    unit = eps(value.dtype)
    if name in ("multiply", "square"):
        a, b, da, db = sizes[0], sizes[-1], slacks[0], slacks[-1]
        slack = a * db + b * da + da * db + 8 * unit * a * b
        unsure = (np.isinf(a) & (b <= db) & (db > 0)) | (np.isinf(b) & (a <= da) & (da > 0))
        return np.where(unsure, np.inf, slack)
    if name in ("maximum", "minimum"):
        return np.maximum(*slacks)
    if name in ("negative", "absolute", "positive", "conjugate", "add", "subtract", "hypot", *SMOOTH[1].split()):
        tiny = float(np.finfo(value.dtype).tiny)
        return sum(slacks) + 8 * unit * np.maximum(size_of(value), tiny)
    return None


def ufunc(rng: Random, values: list[Value]) -> list[Value]:
    arity = int(rng.choice([1, 2, 2, 2]))
    which = (EXACT, EXACT, EXACT, EXACT, SIGNS, SMOOTH)[int(rng.integers(6))]
    name = str(rng.choice(which[arity].split()))
    inputs = [pick(rng, values) for _ in range(arity)]
    exact = all(v.exact for v in inputs) and which is not SMOOTH
    if any(v.kind == "c" for v in inputs):
        exact &= name in COMPLEX_EXACT
        if name in ("maximum", "minimum", "sign", "reciprocal", "divide", *SMOOTH[1].split()):
            raise Unsuitable
    if which is SIGNS and not all(v.signed for v in inputs):
        raise Unsuitable
    if arity == 2 and inputs[0] is inputs[1] and name in ("less", "greater"):
        raise Unsuitable  # compilers know the answer, and do not compute what it is asked of
    function = getattr(np, name)

    def compute(*given: Result) -> list[Result]:
        value = np.asarray(quiet(function, *(one.value for one in given)))
        if exact:
            return [Result(value, None)]
        return [Result(value, known(quiet(linear, name, value, given), value, *given))]

    if not exact and (linear(name, np.ones(()), [Result(np.ones(()), None)] * arity) is None):
        raise Unsuitable
    (made,) = apply(name, inputs, getattr(T, name), compute)
    made.exact = exact
    made.signed &= name not in LOSES_SIGNS
    if not exact and made.kind not in "fc":
        raise Unsuitable
    return [made]


def pairs(rng: Random, values: list[Value]) -> list[Value]:
    """Functions of several results."""
    name = str(rng.choice(["divmod", "modf", "frexp"]))
    inputs = [pick(rng, values, "iuf", exact=True) for _ in range(1 + (name == "divmod"))]
    if not all(v.signed for v in inputs):
        raise Unsuitable

    def compute(*given: Result) -> list[Result]:
        return [Result(np.asarray(one), None) for one in quiet(getattr(np, name), *(g.value for g in given))]

    made = apply(name, inputs, getattr(T, name), compute)
    for one in made:
        one.signed = False
    return made[:1] if name == "frexp" else made  # the exponent of what is not finite is anybody's


def where(rng: Random, values: list[Value]) -> list[Value]:
    condition = pick(rng, values, exact=True)
    inputs = [condition, pick(rng, values), pick(rng, values)]
    if inputs[1] is inputs[2]:
        raise Unsuitable  # the same

    def compute(*given: Result) -> list[Result]:
        chosen = given[0].value.astype(bool)
        value = np.where(chosen, given[1].value, given[2].value)
        if given[1].slack is given[2].slack is None:
            return [Result(value, None)]
        rounding = eps(value.dtype) * size_of(value)
        return [
            Result(value, known(np.where(chosen, no_slack(given[1]), no_slack(given[2])) + rounding, value, *given[1:]))
        ]

    return apply("where", inputs, lambda c, a, b: T.where(T.cast(c, "bool"), a, b), compute)


def cast(rng: Random, values: list[Value]) -> list[Value]:
    value = pick(rng, values)
    dtype = np.dtype(str(rng.choice(DTYPES)))
    return convert(value, dtype)


def convert(value: Value, dtype: np.dtype) -> list[Value]:
    """Another dtype, of numbers that it holds."""
    if (value.kind == "c" and dtype.kind != "c") or (not value.exact and dtype.kind not in "fc"):
        raise Unsuitable
    clips = value.kind == "f" and dtype.kind in "iu"

    def symbolic(v: Any) -> Any:
        return T.cast(T.where(T.isfinite(v), v, T.cast(0, v.dtype)).clip(0, 100) if clips else v, str(dtype))

    def compute(given: Result) -> list[Result]:
        held = (
            np.where(np.isfinite(given.value), given.value, given.value.dtype.type(0)).clip(0, 100)
            if clips
            else given.value
        )
        made = quiet(held.astype, dtype)
        slack = given.slack
        if value.dtype.char in "gG" and dtype.char == "e":  # NumPy rounds twice
            slack = no_slack(given)
        return [Result(made, slack if slack is None else known(slack + eps(dtype) * size_of(made), made, given))]

    return apply(f"cast {dtype}", [value], symbolic, compute)


class Ordered(scalar.ScalarOp):
    """Users' C: the smaller and the larger of two; five is refused."""

    __props__ = ("dialect",)
    nin, nout = 2, 2

    def __init__(self, dialect: str) -> None:
        self.dialect = self.c_lang = dialect
        super().__init__(lambda *types: [scalar.upcast_out(*types)[0]] * 2)

    def c_code(self, node: Any, name: str, inputs: list[str], outputs: list[str], sub: dict[str, str]) -> str:
        (x, y), (low, high), fail = inputs, outputs, sub["fail"]
        return f"""
            if ({x} == 5) {{ PyErr_SetString(PyExc_ArithmeticError, "five"); {fail} }}
            {low} = {x} < {y} ? {x} : {y};
            {high} = {x} < {y} ? {y} : {x};
        """

    def c_code_cache_version(self) -> tuple[int, ...]:
        return (1,)


def ordered(rng: Random, values: list[Value]) -> list[Value]:
    first = pick(rng, values, "iuf", exact=True)
    second = pick(rng, values, "iuf", exact=True)
    dtype = np.result_type(first.dtype, second.dtype)
    if "e" in (first.dtype.char, second.dtype.char) or first.dtype != dtype or second.dtype != dtype:
        raise Unsuitable  # C would compare in another dtype

    def compute(*given: Result) -> list[Result]:
        x, y = np.broadcast_arrays(*(one.value for one in given))
        if (x == 5).any():
            raise ArithmeticError("five")
        return [Result(np.where(x < y, x, y), None), Result(np.where(x < y, y, x), None)]

    return apply("ordered", [first, second], T.Elemwise(Ordered(str(rng.choice(["c", "c++"])))), compute)


TEXTS = [
    ("x*x + y", lambda x, y: x * x + y),
    ("t = x - y\nt*t if t > 0 else -t", lambda x, y: np.where(x - y > 0, (x - y) * (x - y), -(x - y))),
    ("min(x, y) + (x > y)", lambda x, y: np.minimum(x, y) + (x > y)),
]


def expression(rng: Random, values: list[Value]) -> list[Value]:
    """One loop of a text."""
    text, function = TEXTS[int(rng.integers(len(TEXTS)))]
    inputs = [pick(rng, values, "iuf", exact=True) for _ in range(2)]

    def compute(*given: Result) -> list[Result]:
        return [Result(np.asarray(quiet(function, *(one.value for one in given))), None)]

    (made,) = apply(text, inputs, scalar.expr(text, args=["x", "y"]), compute)
    made.signed = False
    return [made]


# -- along axes ---------------------------------------------------------------------------------------------------


def fold(rng: Random, values: list[Value]) -> list[Value]:
    name = str(rng.choice("sum sum sum prod max min any all mean var argmax argmin ptp".split()))
    value = pick(
        rng, values, "biuf" if name != "ptp" else "iuf", exact=name not in ("sum", "max", "min", "mean"), dims=True
    )
    axes = [int(i) for i in rng.permutation(value.ndim)[: int(rng.integers(1, value.ndim + 1))]]
    axis: Any = (
        None if rng.random() < 0.2 else axes[0] if len(axes) == 1 or name.startswith("arg") else tuple(sorted(axes))
    )
    keep = bool(rng.random() < 0.4)

    def compute(given: Result) -> list[Result]:
        made = np.asarray(quiet(lambda: getattr(np, name)(given.value, axis=axis, keepdims=keep)))
        if value.exact and (made.dtype.kind not in "fc" or name in ("max", "min", "ptp")):
            return [Result(made, None)]
        return [Result(made, quiet(fold_slack, name, given, made, axis, keep))]

    (made,) = apply(f"{name} {axis} {keep}", [value], lambda v: getattr(T, name)(v, axis=axis, keepdims=keep), compute)
    made.exact = made.probe.slack is None
    made.signed = False
    return [made]


def fold_slack(name: str, given: Result, made: Array, axis: Any, keep: bool) -> Array:
    """What another order may change."""
    sizes, slack, unit = size_of(given.value), no_slack(given), eps(made.dtype)
    options = {"axis": axis, "keepdims": keep}
    n = sizes.size / max(made.size, 1)
    if name in ("max", "min"):
        return np.max(slack, **options)
    finite = np.where(np.isfinite(sizes), sizes, 0.0)
    if name == "prod":
        large, small = (
            np.prod(np.maximum(finite, 1), **options),
            np.prod(np.where(finite == 0, 1, np.minimum(finite, 1)), **options),
        )
        info = np.finfo(made.dtype)
        unsure = (large > min(float(info.max), 1e300)) | (small < max(float(info.tiny), 1e-300))
        return np.where(unsure, np.inf, n * unit * size_of(made))
    total = np.sum(finite, **options)
    bound = 2 * (n + 4) * unit * total + np.sum(slack, **options)
    if name == "mean":
        bound = bound / n if n else np.zeros(made.shape)
    if name == "var":
        bound = 16 * (n + 4) * unit * np.mean(finite * finite, **options) if n else np.zeros(made.shape)
        total = np.sum(finite * finite, **options)
    return np.where(
        total > min(float(np.finfo(made.dtype).max), 1e300) / 4,
        np.inf,
        np.where(np.isfinite(made), bound, np.where(np.any(np.isinf(slack), **options), np.inf, 0.0)),
    )


def scan(rng: Random, values: list[Value]) -> list[Value]:
    value = pick(rng, values, "iuf", dims=True)
    axis = int(rng.integers(value.ndim))
    name = "cumsum" if value.kind == "f" or rng.random() < 0.5 else "cumprod"

    def compute(given: Result) -> list[Result]:
        made = quiet(lambda: getattr(np, name)(given.value, axis=axis))
        if made.dtype.kind != "f":
            return [Result(made, None)]
        sizes = size_of(given.value)
        total = np.cumsum(np.where(np.isfinite(sizes), sizes, 0), axis=axis)
        slack = 2 * (made.shape[axis] + 4) * eps(made.dtype) * total + np.cumsum(no_slack(given), axis=axis)
        unsure = total > min(float(np.finfo(made.dtype).max), 1e300) / 4
        return [Result(made, np.where(unsure, np.inf, np.where(np.isfinite(made), slack, 0.0)))]

    (made,) = apply(f"{name} {axis}", [value], lambda v: getattr(T, name)(v, axis=axis), compute)
    made.signed = False
    made.exact = made.probe.slack is None
    return [made]


# -- views, parts, and what is no loop ---------------------------------------------------------------------------


def view(rng: Random, values: list[Value]) -> list[Value]:
    value = pick(rng, values, dims=True)
    key: Any = tuple(part(rng) for _ in range(int(rng.integers(1, value.ndim + 1))))
    order = [int(i) for i in rng.permutation(value.ndim)]
    new = (*[slice(None)] * int(rng.integers(value.ndim + 1)), None)
    changes: list[Callable[[Any], Any]] = [
        lambda a: a[key],
        lambda a: a[key],
        lambda a: a.transpose(order),
        lambda a: a[new],
        lambda a: a.reshape((-1,)),
    ]
    kind = int(rng.integers(len(changes)))
    if kind == 3 and value.ndim > 3:
        raise Unsuitable
    change = changes[kind]
    return over_slack(f"view {kind} {key} {order}", [value], change, change)


def part(rng: Random) -> slice:
    return [
        slice(None),
        slice(None, None, -1),
        slice(None, None, 2),
        slice(1, None),
        slice(None, -1),
        slice(None, None, -3),
        slice(0, 1),
    ][int(rng.choice(7, p=[0.3, 0.25, 0.1, 0.1, 0.1, 0.05, 0.1]))]


def over_slack(text: str, inputs: list[Value], symbolic: Any, numpys: Any) -> list[Value]:
    """An operation that moves elements: the slack goes with them."""

    def compute(*given: Result) -> list[Result]:
        slack = None if all(one.slack is None for one in given) else numpys(*map(no_slack, given))
        return [Result(numpys(*(one.value for one in given)), slack)]

    return apply(text, inputs, symbolic, compute)


def written(rng: Random, values: list[Value]) -> list[Value]:
    """A part set, or added to."""
    value = pick(rng, values, "iuf", exact=True, dims=True)
    new = pick(rng, values, exact=True, dtype=value.dtype)
    key, adds = part(rng), bool(rng.random() < 0.5)

    def compute(x: Result, y: Result) -> list[Result]:
        made = x.value.copy()
        if adds:
            made[key] += y.value
        else:
            made[key] = y.value
        return [Result(made, None)]

    if new.ndim > value.ndim:
        raise Unsuitable
    write = T.inc_subtensor if adds else T.set_subtensor
    made = apply(
        f"{'inc' if adds else 'set'} {key}",
        [value, new],
        lambda x, y: write(x[key], y),
        lambda *given: quiet(compute, *given),
    )
    made[0].signed &= not adds
    return made


def opaque(rng: Random, values: list[Value]) -> list[Value]:
    """C of its own, or Python."""
    value = pick(rng, values, exact=True)
    if rng.random() < 0.6:
        op: Any = [kit.negate, kit.copy, kit.fresh][int(rng.integers(3))]
        numpys = np.copy if op is kit.copy else np.logical_not if value.kind == "b" else np.negative
    else:
        lends = bool(rng.random() < 0.5)
        numpys = np.copy
        op = kit.Python(lambda a: np.array(a[::-1])[::-1] if a.ndim and lends else a.copy(order="F"))
    return over_slack(type(op).__name__, [value], op, lambda a: np.asarray(numpys(a)))


class Counted(COp):
    """A number and how often this node has run."""

    __props__ = ("serial",)

    def __init__(self, serial: int) -> None:
        self.serial = serial

    def make_node(self, x: Any) -> Any:
        return Apply(self, [x], [x.type()])

    def c_support_code_struct(self, node: Any, name: str) -> str:
        return "npy_int64 runs = 0;"

    def c_code(self, node: Any, name: str, input_names: list[str], output_names: list[str], sub: dict[str, str]) -> str:
        (x,), (z,) = input_names, output_names
        return f"""
            Py_XSETREF({z}, (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER));
            if (!{z}) {sub["fail"]}
            ++runs;
            for (npy_intp i = 0; i < PyArray_SIZE({z}); i++) ((dtype_{z} *)PyArray_DATA({z}))[i] += (dtype_{z})runs;
        """

    def c_code_cache_version(self) -> tuple[int, ...]:
        return (1,)


@dataclass(eq=False)
class State:
    """What a node with state remembers, in the reference: of each run of the calls."""

    runs: int = 0


def counted(rng: Random, values: list[Value], states: list[State]) -> list[Value]:
    value = pick(rng, values, exact=True, dtype=np.dtype("float64"))
    state = State()

    def compute(given: Result) -> list[Result]:
        state.runs += 1
        return [Result(given.value + float(state.runs), None)]

    made = apply("counted", [value], Counted(len(states)), compute)
    state.runs = 0
    states.append(state)
    made[0].signed = False
    return made


# -- drawing ------------------------------------------------------------------------------------------------------


def pick(
    rng: Random, values: list[Value], kinds: str = "", exact: bool = False, dims: bool = False, dtype: Any = None
) -> Value:
    """One of the values, the later the likelier, of these."""
    for _ in range(12):
        value = values[-1 - int(len(values) * rng.random() ** 2.5)]
        if (kinds and value.kind not in kinds) or (exact and not value.exact) or (dims and not value.ndim):
            continue
        if dtype is None or value.dtype == dtype:
            return value
    raise Unsuitable


def bounded(given: Sequence[Result]) -> None:
    """Refuse what would be too large."""
    size = 1
    for sizes in itertools.zip_longest(*(one.value.shape[::-1] for one in given), fillvalue=1):
        size *= max(sizes) if 0 not in sizes else 0
    if size > 2_000_000:
        raise Unsuitable


def apply(text: str, inputs: list[Value], symbolic: Any, compute: Callable[..., Sequence[Result]]) -> list[Value]:
    """The values of a new node; what NumPy, or the library, refuses is unsuitable."""
    node = Node(text, inputs, compute)
    try:
        bounded([v.probe for v in inputs])
        results = compute(*(v.probe for v in inputs))
        variables = symbolic(*(v.variable for v in inputs))
    except (TypeError, ValueError, ArithmeticError, IndexError) as error:
        raise Unsuitable from error
    variables = list(variables) if isinstance(variables, (list, tuple)) else [variables]
    made = []
    for at, (variable, result) in enumerate(zip(variables, results, strict=True)):
        assert variable.type.dtype == result.value.dtype and variable.type.ndim == result.value.ndim, (
            text,
            variable.type,
        )
        if result.value.ndim > 5 or result.value.size > 200_000:
            raise Unsuitable
        if result.slack is not None and (result.slack[np.isfinite(result.slack)] > 1e-2).any():
            raise Unsuitable
        signed = all(v.signed for v in inputs)  # an operation may lose signs; none finds them again
        made.append(Value(variable, node, at, result, result.slack is None, signed))
    return made


RULES = [ufunc] * 24 + [where, cast, pairs, ordered, expression] + [fold] * 4 + [scan] + [view] * 4 + [written, opaque]


def draw(rng: Random, values: list[Value], nodes: int, states: list[State] | None) -> None:
    """Adds nodes to values; ``states`` takes what nodes with state remember, where such are wanted."""
    wanted = len(values) + nodes
    for _ in range(5 * nodes):
        if len(values) >= wanted:
            return
        try:
            if states is not None and rng.random() < 0.05:
                values += counted(rng, values, states)
            else:
                values += RULES[int(rng.integers(len(RULES)))](rng, values)
        except Unsuitable:
            pass


def numbers(rng: Random, dtype: Any, shape: Sequence[int]) -> Array:
    """Numbers whose sums are often exact, with some that are not usual."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.asarray(rng.integers(0, 2, shape)).astype(bool)
    if dtype.kind in "iu" and rng.random() < 0.25:
        return kit.values(dtype, shape, int(rng.integers(1 << 30)))
    drawn = np.asarray(rng.integers(0 if dtype.kind == "u" else -6, 5, shape))
    if dtype.kind in "iu":
        return drawn.astype(dtype)
    made = np.asarray(drawn / 4 if rng.random() < 0.5 else rng.normal(size=shape)).astype(dtype)
    if dtype.kind == "c":
        made = made + np.asarray(rng.integers(-6, 5, shape) / 4 * 1j).astype(dtype)
    if made.size and rng.random() < 0.25:
        made.flat[rng.integers(0, made.size, 1 + made.size // 8)] = dtype.type(
            rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1e4])
        )
    return np.asarray(made, dtype)


def laid_out(rng: Random, array: Array) -> Array:
    """The same values, lying otherwise in memory."""
    if not array.ndim or rng.random() < 0.4:
        return array
    kind = int(rng.integers(6))
    if kind == 0:
        return np.asfortranarray(array)
    if kind == 1:
        axes = [int(i) for i in rng.permutation(array.ndim)]
        return np.ascontiguousarray(array.transpose(axes)).transpose(np.argsort(axes))
    if kind == 2:
        steps = tuple(slice(None, None, int(rng.choice([1, -1, 2, -2]))) for _ in array.shape)
        whole = np.zeros([d * abs(s.step) for d, s in zip(array.shape, steps)], array.dtype)[steps]
        whole[...] = array
        return whole
    return [kit.inside, kit.misaligned, lambda a: kit.LAYOUTS["read only"](a)][kind - 3](array)
