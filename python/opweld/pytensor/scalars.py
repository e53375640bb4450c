"""PyTensor's scalar ops as the instructions of a loop (docs/program.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytensor.scalar as ps
from pytensor.graph.basic import Apply
from pytensor.graph.utils import MethodNotDefined as Undefined
from pytensor.scalar import basic, math

from opweld.dtypes import number_text
from opweld.hooks.reading import NAME, VARIABLE, op_sub
from opweld.pytensor.plain import SCALARS_IN_C
from opweld.pytensor.types import listed

__all__ = ["DTYPES", "Body", "Unknown"]

#: The dtypes whose loops the engine writes; the others are left to PyTensor's C.
DTYPES = frozenset(
    ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
)
_FLOATS = ("float32", "float64")


class Unknown(Exception):
    """A scalar op, or a dtype, that no instruction does."""


class Body:
    """The instructions that compute what a scalar op computes, collected.

    Parameters
    ----------
    dtypes : sequence of str
        Of the inputs.

    Attributes
    ----------
    dtypes : list of str
        Of each value: the inputs, then what instructions make.
    instructions : list of dict
        As Program has them.
    owned : list of (ScalarOp, Apply)
        The ops that take part by their own C, and a node of each.
    """

    def __init__(self, dtypes: Sequence[str]) -> None:
        self.dtypes = list(dtypes)
        self.instructions: list[Any] = []
        self.owned: list[tuple[Any, Any]] = []
        self._known: dict[Any, int] = {}
        for dtype in dtypes:
            _check(dtype)

    def _add(self, fields: dict[str, Any], dtype: str) -> int:
        key = tuple([(name, tuple(value) if type(value) is list else value) for name, value in fields.items()])
        if key not in self._known:
            self._known[key] = len(self.dtypes)
            self.instructions.append(fields)
            self.dtypes.append(dtype)
        return self._known[key]

    def make(self, op: str, args: Sequence[int], dtype: str) -> int:
        """Add an instruction; an equal one is used again."""
        return self._add({"op": op, "args": list(args), "dtype": dtype}, dtype)

    def cast(self, value: int, dtype: str) -> int:
        """Give a value of a dtype."""
        _check(dtype)
        return value if self.dtypes[value] == dtype else self.make("cast", [value], dtype)

    def constant(self, value: object, dtype: str) -> int:
        """Add a number."""
        _check(dtype)
        return self._add({"op": "constant", "dtype": dtype, "value": number_text(np.dtype(dtype).type(value))}, dtype)

    def apply(self, op: basic.ScalarOp, args: Sequence[int], dtypes: Sequence[str]) -> list[int]:
        """Add what a scalar op does.

        Parameters
        ----------
        op : ScalarOp
            The op.
        args : sequence of int
            Its inputs, among the values.
        dtypes : sequence of str
            Of its outputs.

        Returns
        -------
        list of int
            Its outputs, among the values.

        Raises
        ------
        Unknown
            If the op has no C for these dtypes either.
        """
        for dtype in dtypes:
            _check(dtype)
        if isinstance(op, basic.Composite):
            return self._composite(op, args, dtypes)
        written = _WRITTEN.get(type(op))
        if written is not None:
            found = written(self, op, list(args), dtypes[0])
            if found is not None:
                return [self.cast(found, dtypes[0])]
        return self._code(op, args, dtypes)

    def _composite(self, op: basic.ScalarOp, args: Sequence[int], dtypes: Sequence[str]) -> list[int]:
        values: dict[Any, int] = {}
        graph = op.fgraph
        for variable, value in zip(graph.inputs, args):
            values[variable] = self.cast(value, variable.type.dtype)
        for node in graph.toposort():
            for variable in node.inputs:
                if variable not in values:
                    values[variable] = self.constant(variable.data, variable.type.dtype)
            found = self.apply(node.op, [values[v] for v in node.inputs], [v.type.dtype for v in node.outputs])
            values.update(zip(node.outputs, found))
        results = []
        for variable, dtype in zip(graph.outputs, dtypes):
            if variable not in values:
                values[variable] = self.constant(variable.data, variable.type.dtype)
            results.append(self.cast(values[variable], dtype))
        return results

    def _code(self, op: basic.ScalarOp, args: Sequence[int], dtypes: Sequence[str]) -> list[int]:
        """Let an op take part by its own C."""
        node = Apply(
            op,
            [ps.get_scalar_type(self.dtypes[value])() for value in args],
            [ps.get_scalar_type(dtype)() for dtype in dtypes],
        )
        inputs = [f"{VARIABLE}{i}" for i in range(len(args))]
        outputs = [f"{VARIABLE}{len(args) + i}" for i in range(len(dtypes))]
        try:
            code = op.c_code(node, NAME, inputs, outputs, op_sub(False))
        except (NotImplementedError, Undefined):
            raise Unknown(str(op)) from None
        self.owned.append((op, node))
        first = len(self.dtypes)
        self.instructions.append(
            {"op": "code", "label": type(op).__name__, "args": list(args), "dtypes": list(dtypes), "code": code}
        )
        self.dtypes += dtypes
        return list(range(first, len(self.dtypes)))

    @property
    def lang(self) -> str:
        """The language: that of PyTensor's ops is C++, but where theirs is known to be C."""
        return "c" if all(self._is_c(op) for op, _ in self.owned) else "c++"

    @staticmethod
    def _is_c(op: basic.ScalarOp) -> bool:
        """Whether an op's texts are C: an expression, or what the tests compile in C."""
        if type(op) in SCALARS_IN_C:
            return True
        return type(op).__module__.startswith("pytensor.scalar.") and not listed(op.c_support_code())

    def shared(self, hook: str, **more: Any) -> list[Any]:
        """What the ops that take part by their own C give for the module or its build."""
        found = []
        for op, _ in self.owned:
            found += listed(getattr(op, hook)(**more))
            if hook == "c_headers":
                found += ["<math.h>", "<numpy/npy_math.h>"]
        return list(dict.fromkeys(found))

    def support_apply(self, name: str) -> str:
        """What the ops that take part by their own C write for a node."""
        return "\n".join([str(op.c_support_code_apply(node, name) or "") for op, node in self.owned]).strip()


def _check(dtype: str) -> None:
    if dtype not in DTYPES:
        raise Unknown(dtype)


Writing = Callable[[Body, Any, list[int], str], "int | None"]  # None: the op's own C


def _of_floats(name: str) -> Writing:
    """A function of floats: computed in the dtype of the output."""

    def write(body: Body, op: basic.ScalarOp, args: list[int], dtype: str) -> int | None:
        if dtype not in _FLOATS:
            return None
        return body.make(name, [body.cast(value, dtype) for value in args], dtype)

    return write


def _same(name: str) -> Writing:
    """An operation in the dtype of the output, whatever it is."""

    def write(body: Body, op: basic.ScalarOp, args: list[int], dtype: str) -> int | None:
        return body.make(name, [body.cast(value, dtype) for value in args], dtype)

    return write


def _numeric(name: str) -> Writing:
    """The same, but for bools, of which C and NumPy think otherwise."""

    def write(body: Body, op: basic.ScalarOp, args: list[int], dtype: str) -> int | None:
        if dtype == "bool" or any(body.dtypes[value] == "bool" for value in args):
            return None
        return body.make(name, [body.cast(value, dtype) for value in args], dtype)

    return write


def _chain(name: str) -> Writing:
    """An operation of any number of inputs, from the left."""

    def write(body: Body, op: basic.ScalarOp, args: list[int], dtype: str) -> int | None:
        values = [body.cast(value, dtype) for value in args]
        found = values[0]
        for value in values[1:]:
            found = body.make(name, [found, value], dtype)
        return found

    return write


def _of_bits(name: str) -> Writing:
    """An operation on the bits of integers and bools."""
    chain = _chain(name)

    def write(body: Body, op: basic.ScalarOp, args: list[int], dtype: str) -> int | None:
        floats = any(one in _FLOATS for one in (dtype, *[body.dtypes[value] for value in args]))
        if floats:
            return None
        return _same(name)(body, op, args, dtype) if len(args) == 1 else chain(body, op, args, dtype)

    return write


def _compared(name: str) -> Writing:
    """A comparison, in a dtype that holds both exactly, or as C converts them."""

    def write(body: Body, op: basic.ScalarOp, args: list[int], dtype: str) -> int | None:
        have = [body.dtypes[value] for value in args]
        common = str(np.result_type(*have))
        if common.startswith("float") and not any(one.startswith("float") for one in have):
            return None  # of int64 and uint64
        return body.make(name, [body.cast(value, common) for value in args], "bool")

    return write


def _tested(name: str) -> Writing:
    def write(body: Body, op: basic.ScalarOp, args: list[int], dtype: str) -> int | None:
        return body.make(name, args, "bool") if body.dtypes[args[0]] in _FLOATS else None

    return write


def _cast(body: Body, op: basic.ScalarOp, args: list[int], dtype: str) -> int:
    return body.cast(args[-1], dtype)


def _switch(body: Body, op: basic.ScalarOp, args: list[int], dtype: str) -> int:
    condition, yes, no = args
    return body.make("where", [body.cast(condition, "bool"), body.cast(yes, dtype), body.cast(no, dtype)], dtype)


def _clip(body: Body, op: basic.ScalarOp, args: list[int], dtype: str) -> int | None:
    if any(body.dtypes[value] != dtype for value in args):
        return None
    x, low, high = args
    above = body.make("where", [body.make("greater", [x, high], "bool"), high, x], dtype)
    return body.make("where", [body.make("less", [x, low], "bool"), low, above], dtype)


def _sigmoid(body: Body, op: basic.ScalarOp, args: list[int], dtype: str) -> int | None:
    if dtype not in _FLOATS or body.dtypes[args[0]] != dtype:
        return None
    one = body.constant(1, dtype)
    power = body.make("exp", [body.make("negative", args, dtype)], dtype)
    return body.make("divide", [one, body.make("add", [one, power], dtype)], dtype)


def _softplus(body: Body, op: basic.ScalarOp, args: list[int], dtype: str) -> int | None:
    if dtype not in _FLOATS or body.dtypes[args[0]] != dtype:
        return None
    x = args[0]
    power = body.make("exp", args, dtype)
    found = body.make("add", [x, body.make("exp", [body.make("negative", args, dtype)], dtype)], dtype)
    less = [body.make("less", [x, body.constant(limit, dtype)], "bool") for limit in (33.3, 18.0, -37.0)]
    found = body.make("where", [less[0], found, x], dtype)
    found = body.make("where", [less[1], body.make("log1p", [power], dtype), found], dtype)
    return body.make("where", [less[2], power, found], dtype)


def _log1mexp(body: Body, op: basic.ScalarOp, args: list[int], dtype: str) -> int | None:
    if dtype not in _FLOATS or body.dtypes[args[0]] != dtype:
        return None
    small = body.make("less", [args[0], body.constant(-0.6931471805599453, dtype)], "bool")
    power = body.make("negative", [body.make("exp", args, dtype)], dtype)
    less = body.make("negative", [body.make("expm1", args, dtype)], dtype)
    logs = [body.make("log1p", [power], dtype), body.make("log", [less], dtype)]
    return body.make("where", [small, *logs], dtype)


_UNARY = {
    "Exp": "exp", "Exp2": "exp2", "Expm1": "expm1", "Log": "log", "Log2": "log2", "Log10": "log10", "Log1p": "log1p",
    "Sqrt": "sqrt", "Sin": "sin", "Cos": "cos", "Tan": "tan", "ArcSin": "arcsin", "ArcCos": "arccos",
    "ArcTan": "arctan", "Sinh": "sinh", "Cosh": "cosh", "Tanh": "tanh", "ArcSinh": "arcsinh", "ArcCosh": "arccosh",
    "ArcTanh": "arctanh", "Ceil": "ceil", "Floor": "floor", "Trunc": "trunc", "RoundHalfToEven": "rint",
    "Reciprocal": "reciprocal", "Deg2Rad": "deg2rad", "Rad2Deg": "rad2deg", "TrueDiv": "divide", "Pow": "power",
    "ArcTan2": "arctan2",
}  # fmt: skip
_COMPARED = {
    "LT": "less",
    "GT": "greater",
    "LE": "less_equal",
    "GE": "greater_equal",
    "EQ": "equal",
    "NEQ": "not_equal",
}

_WRITTEN: dict[type, Writing] = {
    **{getattr(basic, theirs): _of_floats(name) for theirs, name in _UNARY.items()},
    **{getattr(basic, theirs): _compared(name) for theirs, name in _COMPARED.items()},
    basic.Add: _chain("add"), basic.Mul: _chain("multiply"), basic.Sub: _numeric("subtract"),
    basic.Neg: _numeric("negative"), basic.Abs: _numeric("absolute"), basic.Sqr: _numeric("square"),
    basic.Sign: _numeric("sign"), basic.Maximum: _same("maximum"), basic.Minimum: _same("minimum"),
    basic.OR: _of_bits("bitwise_or"), basic.XOR: _of_bits("bitwise_xor"), basic.AND: _of_bits("bitwise_and"),
    basic.Invert: _of_bits("invert"), basic.IsNan: _tested("isnan"), basic.IsInf: _tested("isinf"),
    basic.Cast: _cast, basic.Identity: _cast, basic.Second: _cast, basic.Switch: _switch, basic.Clip: _clip,
    math.Sigmoid: _sigmoid, math.Softplus: _softplus, math.Log1mexp: _log1mexp,
}  # fmt: skip
