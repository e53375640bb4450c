"""What computes the works of works.py: opweld and its peers, each at its best for one thread.

A peer gives for a work a callable and how it is called; or it raises `Skipped`, which says why there is none.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba_loops
import numpy as np
from works import WORKS

__all__ = ["PEERS", "Candidate", "Skipped", "candidate"]

TINY = 12  # elements of the arrays that tell dtypes and dimensions: no length of them is 1 by chance


class Skipped(Exception):
    """There is no such peer here, or it has no way to say the work."""


@dataclass(frozen=True)
class Candidate:
    """A callable of the work's operands, and what it takes behind them: the output z in some way, or nothing."""

    function: Callable[..., Any]
    more: str = ""
    note: str = ""

    def text(self, inputs: int) -> str:
        """The call, of the names a0, a1 … and z."""
        names = [f"a{i}" for i in range(inputs)]
        return f"f({', '.join(filter(None, [*names, self.more]))})"

    def scope(self, operands: list[np.ndarray], out: np.ndarray | None) -> dict[str, Any]:
        return {"f": self.function, "z": out} | {f"a{i}": value for i, value in enumerate(operands)}


def _variables(tensor: Any, key: str) -> list[Any]:
    """An input of the library's for each operand: of its lengths those are known that are 1."""
    operands = WORKS[key].operands(TINY, "C")
    return [tensor.tensor(dtype=str(a.dtype), shape=[n if n == 1 else None for n in a.shape]) for a in operands]


@functools.cache
def _opweld(key: str, **options: bool) -> Callable[..., Any]:
    import opweld

    inputs = _variables(opweld.tensor, key)
    output = WORKS[key].expression(opweld.tensor, *inputs)
    return opweld.function(inputs, output, options=options)


def opweld(key: str, layout: str, into: bool) -> Candidate:
    return Candidate(_opweld(key), "out=z" if into else "")


def unfused(key: str, layout: str, into: bool) -> Candidate:
    from opweld.config import OPTIONS

    if "fuse" not in OPTIONS:
        raise Skipped("this opweld has no option fuse")
    return Candidate(_opweld(key, fuse=False), "out=z" if into else "")


def quick(key: str, layout: str, into: bool) -> Candidate:
    from opweld.config import OPTIONS

    if "fastmath" not in OPTIONS:
        raise Skipped("this opweld has no option fastmath")
    return Candidate(_opweld(key, fastmath=True), "out=z" if into else "")


def hand(key: str, layout: str, into: bool) -> Candidate:
    if key == "rows" and layout != "C":
        raise Skipped("written for C order")
    kernels = importlib.import_module("kernels")  # Bench.prepare has compiled it
    return Candidate(getattr(kernels, key), "z" if into else "")


def _arithmetic(x: Any, y: Any, z: Any) -> Any:
    np.add(x, y, out=z)
    np.multiply(z, x, out=z)
    return np.subtract(z, y * 2, out=z)


def _where(x: Any, y: Any, z: Any) -> Any:
    np.copyto(z, y)
    np.copyto(z, x, where=x > y)
    return np.multiply(z, 0.5, out=z)


def _fifty(x: Any, y: Any, z: Any) -> Any:
    np.copyto(z, x)
    for _ in range(10):
        np.multiply(z, y, out=z)
        np.add(z, x, out=z)
        np.multiply(z, 0.5, out=z)
        np.subtract(z, y, out=z)
        np.absolute(z, out=z)
    return z


_NUMPY_INTO = {"arithmetic": _arithmetic, "where": _where, "fifty": _fifty}


def numpy(key: str, layout: str, into: bool) -> Candidate:
    if into:
        return Candidate(_NUMPY_INTO[key], "z")
    return Candidate(functools.partial(WORKS[key].expression, np))


def _numba(key: str, layout: str, into: bool, fastmath: bool) -> Candidate:
    if importlib.util.find_spec("numba") is None:
        raise Skipped("not installed")
    return Candidate(numba_loops.jitted(key, layout, into, fastmath), "z" if into else "")


def _softmax(axis: int, compiled: Callable[..., Any]) -> Callable[..., Any]:
    powers, share = compiled("exp(x - m)", x="d", m="d"), compiled("p / s", p="d", s="d")

    def softmax(x: Any) -> Any:
        p = powers(x, x.max(axis=axis, keepdims=True))
        return share(p, p.sum(axis=axis, keepdims=True))

    return softmax


def _rows(compiled: Callable[..., Any]) -> Callable[..., Any]:
    by_row = compiled("(x - m) / 3", x="d", m="d")
    return lambda x: by_row(x, x.mean(axis=1, keepdims=True))


def _layer(compiled: Callable[..., Any]) -> Callable[..., Any]:
    spread = compiled("sum((x - m)**2, axis=1)", x="d", m="d")
    normal = compiled("(x - m) / sqrt(v + 0.00001) * g + b", x="d", m="d", v="d", g="d", b="d")

    def layer(x: Any, gain: Any, bias: Any) -> Any:
        mean = x.mean(axis=1, keepdims=True)
        return normal(x, mean, (spread(x, mean) / x.shape[1])[:, None], gain, bias)

    return layer


def _logsumexp(axis: int, compiled: Callable[..., Any]) -> Callable[..., Any]:
    powers = compiled(f"sum(exp(x - m), axis={axis})", x="d", m="d")

    def logsumexp(x: Any) -> Any:
        top = x.max(axis=axis, keepdims=True)
        return np.log(np.expand_dims(powers(x, top), axis)) + top

    return logsumexp


def _var(axis: int, compiled: Callable[..., Any]) -> Callable[..., Any]:
    spread = compiled(f"sum((x - m)**2, axis={axis})", x="d", m="d")
    return lambda x: spread(x, x.mean(axis=axis, keepdims=True)) / x.shape[axis]


def _cube(compiled: Callable[..., Any]) -> Callable[..., Any]:
    whole = compiled("x*a + b", x="d", a="d", b="d")
    return lambda x, a, b: whole(x, a[:, None, None], b[None, :, None])


def _stencil(compiled: Callable[..., Any]) -> Callable[..., Any]:
    between = compiled("x*2 + 1", x="d")
    rest = compiled("(l + m + r) / 3 * y - x", l="d", m="d", r="d", x="d", y="d")

    def stencil(x: Any, y: Any) -> Any:
        v = between(x)
        return rest(v[:-2], v[1:-1], v[2:], x[1:-1], y[1:-1])

    return stencil


_FIFTY = functools.reduce(lambda value, _: f"abs(({value} * y + x) * 0.5 - y)", range(10), "x")
# Texts of all operands, or functions that make what is called.
_NUMEXPR: dict[str, tuple[str, dict[str, str]] | Callable[..., Any]] = {
    "arithmetic": ("(x + y)*x - y*2", {"x": "d", "y": "d"}),
    "where": ("where(x > y, x, y)*0.5", {"x": "d", "y": "d"}),
    "squares": ("sum((x - y)**2)", {"x": "d", "y": "d"}),
    **{f"sum{axis}": (f"sum(x*y, axis={axis})", {"x": "d", "y": "d"}) for axis in range(3)},
    "gauss": ("exp(-x*x/2)*y + sin(x)", {"x": "d", "y": "d"}),
    "tanh_log1p": ("tanh(x)*log1p(y*y)", {"x": "d", "y": "d"}),
    "largest": ("max(abs(x) + y)", {"x": "d", "y": "d"}),
    **{f"largest{axis}": (f"max(abs(x) + y, axis={axis})", {"x": "d", "y": "d"}) for axis in (0, 1)},
    "rows": _rows,
    "stencil": _stencil,
    "fifty": (_FIFTY, {"x": "d", "y": "d"}),
    "softmax0": functools.partial(_softmax, 0),
    "softmax1": functools.partial(_softmax, 1),
    "layer": _layer,
    **{f"logsumexp{axis}": functools.partial(_logsumexp, axis) for axis in (0, 1)},
    **{f"var{axis}": functools.partial(_var, axis) for axis in (0, 1)},
    "logistic": ("sum(x*y - log1p(exp(x)))", {"x": "d", "y": "d"}),
    "cube": _cube,
    "outer": ("exp(x) + y", {"x": "d", "y": "d"}),
    "float32": ("(x + y)*x - y*2", {"x": "f", "y": "f"}),
    "mixed": ("x*2 + y*i", {"x": "f", "y": "d", "i": "i"}),
}


def numexpr(key: str, layout: str, into: bool) -> Candidate:
    """Compiled once: numexpr.evaluate would look the text up at each call."""
    if importlib.util.find_spec("numexpr") is None:
        raise Skipped("not installed")
    import numexpr

    numexpr.set_num_threads(1)
    kinds = {"d": np.float64, "f": float, "i": np.int32}  # Python's float is numexpr's word for float32

    def compiled(text: str, **types: str) -> Callable[..., Any]:
        return numexpr.NumExpr(text, [(name, kinds[kind]) for name, kind in types.items()])

    said = _NUMEXPR[key]
    made = said(compiled) if callable(said) else compiled(said[0], **said[1])
    return Candidate(made, "out=z, ex_uses_vml=False" if into else "")


@functools.cache
def _pytensor(key: str, linker: str | None) -> Callable[..., Any]:
    if importlib.util.find_spec("pytensor") is None:
        raise Skipped("not installed")
    import pytensor
    import pytensor.tensor
    from pytensor.compile.mode import Mode

    mode = Mode(linker=linker, optimizer="fast_run") if linker else None
    inputs = _variables(pytensor.tensor, key)
    return pytensor.function(inputs, WORKS[key].expression(pytensor.tensor, *inputs), mode=mode)


# PyTensor 3.0.7's C of several slices in one module ends the process by an assertion.
_NOT_IN_ONE = {"stencil"}


def _pytensor_c(key: str, layout: str, into: bool) -> Candidate:
    """One module of C; where there is no such, a module for each node."""
    if into:
        raise Skipped("takes no out=")
    with contextlib.suppress(NotImplementedError):
        if key not in _NOT_IN_ONE:
            return Candidate(_pytensor(key, "c"))
    return Candidate(_pytensor(key, "cvm"), note="linker cvm: linker c cannot compile it")


def _pytensor_default(key: str, layout: str, into: bool) -> Candidate:
    if into:
        raise Skipped("takes no out=")
    return Candidate(_pytensor(key, None))


#: Each peer's name, and what gives its candidate for a work, a layout, and with or without an output of the caller's.
PEERS: dict[str, Callable[[str, str, bool], Candidate]] = {
    "opweld": opweld,
    "opweld, unfused": unfused,
    "opweld, fastmath": quick,
    "hand-written C": hand,
    "NumPy": numpy,
    "Numba": functools.partial(_numba, fastmath=False),
    "Numba, fastmath": functools.partial(_numba, fastmath=True),
    "numexpr": numexpr,
    "PyTensor, c": _pytensor_c,
    "PyTensor": _pytensor_default,
}


def candidate(
    peer: str, key: str, layout: str, into: bool, operands: list[np.ndarray], expected: np.ndarray
) -> Candidate:
    """A peer's candidate for a work, after its result was found to be NumPy's."""
    made = PEERS[peer](key, layout, into)
    out = np.full_like(expected, np.nan) if into else None
    found = np.asarray(eval(made.text(len(operands)), made.scope(operands, out)))
    if found.shape != expected.shape or found.dtype != expected.dtype:
        raise SystemExit(f"{peer}, {key}: {found.dtype} {found.shape}, not {expected.dtype} {expected.shape}")
    if into and not np.shares_memory(found, out):
        raise SystemExit(f"{peer}, {key}: the result is not what was given as out=")
    close = 1e-5 if expected.dtype == np.float32 else 1e-10
    if not np.allclose(found, expected, rtol=close, atol=close):
        raise SystemExit(f"{peer}, {key}, {layout}: not NumPy's result")
    return made
