"""NumPy's elementwise functions as scalar ops: dtypes, exceptions and Python values are NumPy's own."""

from __future__ import annotations

from functools import cache
from operator import is_
from typing import TYPE_CHECKING, Any

import numpy as np

from opweld.dtypes import dtype_of
from opweld.graph.basic import Apply
from opweld.graph.type import tolerances
from opweld.operations import PARTS
from opweld.promotion import Spec, rule
from opweld.quiet import quiet
from opweld.scalar.op import Body, ScalarOp, StructuredScalarOp
from opweld.scalar.type import ScalarType, get_scalar_type

if TYPE_CHECKING:
    from opweld.schema import InstructionFields

__all__ = ["Ufunc", "as_written", "cast_of", "ufunc"]


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
        self.rule = rule(name)
        super().__init__(name=name)
        self.function: Any = self.rule.function
        self.nin = self.rule.nin
        self.nout = self.rule.nout

    def __reduce__(self) -> Any:
        return type(self), (self.name,)

    def debug_tolerance(self, node: Apply, inputs: list[Any]) -> Any:
        """Look up the table; of several dtypes that of the loop counts: a result's, or a complex operand's."""
        dtypes = [variable.type.dtype for variable in [*node.inputs, *node.outputs]]
        whole = [dtype for dtype in dtypes if dtype_of(dtype).np.kind == "c"]
        return tolerances.of_operation(self.function.__name__, (whole or dtypes)[-1], [np.asarray(x) for x in inputs])

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give what NumPy's loop for these types gives."""
        return [get_scalar_type(dtype) for dtype in self.rule.output_dtypes(tuple([t.dtype for t in types]))]

    def output_dtypes(self, dtypes: tuple[str, ...]) -> tuple[str, ...]:
        """Give what NumPy's loop for these dtypes gives."""
        return self.rule.output_dtypes(dtypes)

    def strengthen(self, spec: Spec, values: list[Any]) -> tuple[ScalarOp, list[Any]]:
        """Give Python's numbers the dtype of the loop; compare with integers beyond the dtype's range as NumPy does."""
        found, values = self.rule.strengthen(spec, values)
        return self if found is self.rule else ufunc(found.name), values

    def make_body(self, dtypes: tuple[str, ...]) -> Body:
        """Write a cast for each input that the loop takes as another dtype, then the function."""
        wanted, made = self.rule.loop(dtypes)
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


_written = {cls: tuple(vars(cls).values()) for cls in (Ufunc, StructuredScalarOp, ScalarOp)}


def as_written(op: object, name: str) -> bool:
    """Say whether an op is no more than a name says: that `Ufunc`, to which, and to whose classes, nobody did anything.

    Parameters
    ----------
    op : object
        The op.
    name : str
        As the ufunc calls itself.

    Returns
    -------
    bool
    """
    if type(op) is not Ufunc:
        return False
    for cls, written in _written.items():
        inside = vars(cls).values()
        if len(inside) != len(written) or not all(map(is_, inside, written)):
            return False
    return {key: value for key, value in vars(op).items() if key[0] != "_"} == vars(Ufunc(name))


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
