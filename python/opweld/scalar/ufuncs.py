"""NumPy's elementwise functions as scalar ops: dtypes, exceptions and Python values are NumPy's own."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from opweld.dtypes import dtype_of
from opweld.graph.basic import Apply
from opweld.graph.type import tolerances
from opweld.operations import NAMES, PARTS
from opweld.quiet import quiet
from opweld.scalar.op import Body, ScalarOp, Spec, StructuredScalarOp, number
from opweld.scalar.type import ScalarType, get_scalar_type

if TYPE_CHECKING:
    from opweld.schema import InstructionFields

__all__ = ["Ufunc", "short_power", "ufunc"]

_POWERS = {2: "square", -1: "reciprocal", 0.5: "sqrt"}
# What a comparison says of an integer x where the other side is above, or below, all that x can be: the same as
# another comparison with the end of the range of x.
_ABOVE = {
    "less": "less_equal", "less_equal": "less_equal", "greater": "greater", "greater_equal": "greater",
    "equal": "greater", "not_equal": "less_equal",
}  # fmt: skip
_BELOW = {
    "less": "less", "less_equal": "less", "greater": "greater_equal", "greater_equal": "greater_equal",
    "equal": "less", "not_equal": "greater_equal",
}  # fmt: skip
_MIRRORED = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}


@cache
def _loop(name: str, spec: Spec) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The dtypes of inputs and outputs of the loop that NumPy runs."""
    function = getattr(np, name)
    parts = [entry if isinstance(entry, type) else dtype_of(entry).np for entry in spec]
    found = [dtype_of(dtype).name for dtype in function.resolve_dtypes((*parts, *[None] * function.nout))]
    return tuple(found[: len(spec)]), tuple(found[len(spec) :])


def short_power(exponent: Any, kind: str) -> str | None:
    """Say what NumPy's ``x ** 2`` and its like compute in place of a power.

    Parameters
    ----------
    exponent : object
        One of Python's numbers counts, `int` or `float`; nothing else does.
    kind : str
        That of the dtype of ``x``: ``dtype.kind``.

    Returns
    -------
    str or None
        ``"square"``, ``"reciprocal"`` or ``"sqrt"``. None: it is a power; of complex numbers and a float that is no
        square root also because of what powers give of infinities and zeros.
    """
    if type(exponent) not in (int, float):
        return None
    found = _POWERS.get(exponent)
    if kind not in "fc":
        return found if type(exponent) is int and found == "square" else None
    return None if kind == "c" and type(exponent) is float and found != "sqrt" else found


class Ufunc(StructuredScalarOp):
    """One of NumPy's elementwise functions.

    Parameters
    ----------
    name : str
        As the ufunc calls itself: ``absolute``, not ``abs``.

    Examples
    --------
    >>> opweld.scalar.Ufunc("hypot") == opweld.scalar.hypot
    True
    >>> opweld.scalar.hypot.output_dtypes(("float32", "float64"))
    ('float64',)
    """

    __props__ = ("name",)

    def __init__(self, name: str) -> None:
        if name not in NAMES:
            raise ValueError(f"{name!r} is no elementwise function of NumPy's that is known here; see opweld.tensor")
        super().__init__(name=name)
        self.function: Any = getattr(np, name)
        self.nin = self.function.nin
        self.nout = self.function.nout

    def __reduce__(self) -> Any:
        return type(self), (self.name,)

    def debug_tolerance(self, node: Apply, inputs: list[Any]) -> Any:
        """Look up the table; of several dtypes that of the loop counts: a result's, or a complex operand's."""
        dtypes = [variable.type.dtype for variable in [*node.inputs, *node.outputs]]
        whole = [dtype for dtype in dtypes if dtype_of(dtype).np.kind == "c"]
        return tolerances.of_operation(self.function.__name__, (whole or dtypes)[-1], [np.asarray(x) for x in inputs])

    def _loop(self, spec: Spec) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return _loop(self.function.__name__, spec)

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give what NumPy's loop for these types gives."""
        return [get_scalar_type(dtype) for dtype in self._loop(tuple([type_.dtype for type_ in types]))[1]]

    def output_dtypes(self, dtypes: tuple[str, ...]) -> tuple[str, ...]:
        """Give what NumPy's loop for these dtypes gives."""
        return self._loop(dtypes)[1]

    def strengthen(self, spec: Spec, values: list[Any]) -> tuple[ScalarOp, list[Any]]:
        """Give Python's numbers the dtype of the loop; compare with integers beyond the dtype's range as NumPy does."""
        if str(self.name).startswith("logical_"):  # a number has a truth value whether it fits beside the array or not
            return self, [
                np.bool_(number(x, "int64") if s is int else x) if isinstance(s, type) else x
                for s, x in zip(spec, values)
            ]
        if self.name in _ABOVE and int in spec:
            found = self._compared(spec, values)
            if found is not None:
                return found
        wanted = self._loop(spec)[0]
        if self.name == "power" and spec[0] == wanted[0] in ("float32", "float64") and isinstance(spec[1], type):
            short = short_power(values[1], "f")
            if short is not None:
                return ufunc(short), values[:1]
        return self, [
            number(value, dtype) if isinstance(entry, type) else value
            for entry, dtype, value in zip(spec, wanted, values)
        ]

    def _compared(self, spec: Spec, values: list[Any]) -> tuple[ScalarOp, list[Any]] | None:
        """The comparison that says the same where Python's integer is beyond the range of the other side's dtype."""
        weak = spec.index(int)
        other = spec[1 - weak]
        if isinstance(other, type) or dtype_of(other).np.kind not in "iu":
            return None
        limits = np.iinfo(dtype_of(other).np)
        if limits.min <= values[weak] <= limits.max:
            return None
        above = values[weak] > limits.max
        name = str(self.name) if weak == 1 else _MIRRORED.get(str(self.name), str(self.name))
        limit = number(int(limits.max if above else limits.min), other)
        return ufunc((_ABOVE if above else _BELOW)[name]), [values[1 - weak], limit]

    def make_body(self, dtypes: tuple[str, ...]) -> Body:
        """Write a cast for each input that the loop takes as another dtype, then the function."""
        wanted, made = self._loop(dtypes)
        instructions: list[InstructionFields] = []
        args = list(range(len(dtypes)))
        for position, (have, want) in enumerate(zip(dtypes, wanted)):
            args[position] = cast_of(position, have, want, len(dtypes), instructions)
        first = len(dtypes) + len(instructions)
        for part, dtype in zip(PARTS.get(self.function.__name__, (self.function.__name__,)), made):
            instructions.append({"op": part, "args": args, "dtype": dtype})
        return Body(instructions, list(range(first, first + len(made))), made)

    def impl(self, *inputs: Any) -> Any:
        """Compute by NumPy."""
        return self.function(*inputs)

    def compute(self, arrays: list[Any], dtypes: list[str]) -> list[np.ndarray[Any, Any]]:
        """Compute by NumPy."""
        with quiet():
            found = self.function(*arrays)
        return [np.asarray(part) for part in (found if self.nout > 1 else (found,))]


def cast_of(value: int, have: str, want: str, nin: int, instructions: list[InstructionFields]) -> int:
    """Give the number of a value as another dtype, after adding the `cast` that it needs, if it needs one.

    Parameters
    ----------
    value : int
        The value's number.
    have, want : str
        Its dtype, and the one wanted.
    nin : int
        How many values are there before the first instruction.
    instructions : list
        Takes the cast.

    Returns
    -------
    int
    """
    if have == want:
        return value
    instructions.append({"op": "cast", "args": [value], "dtype": want})
    return nin + len(instructions) - 1


@cache
def ufunc(name: str) -> Ufunc:
    """Find a function of NumPy's as an op.

    Parameters
    ----------
    name : str
        As the ufunc calls itself.

    Returns
    -------
    Ufunc
        The same each time.

    Examples
    --------
    >>> a, b = opweld.scalar.float64("a"), opweld.scalar.float64("b")
    >>> opweld.function([a, b], opweld.scalar.ufunc("hypot")(a, b))(3.0, 4.0)
    np.float64(5.0)
    """
    return Ufunc(name)
