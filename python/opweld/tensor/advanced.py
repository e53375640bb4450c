"""Indexing by arrays, which copies: by NumPy's own code."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.graph.basic import Apply
from opweld.hooks.classes import COp
from opweld.sections import Beside
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.indexing import check_numbers, entries_of, key_of, numbers_in, selected_shape
from opweld.tensor.likes import TensorLike
from opweld.tensor.outputs import OUTPUTS, by_value, checked, table
from opweld.tensor.subtensor import BEGIN, Writing
from opweld.tensor.type import TensorType
from opweld.tensor.variable import TensorVariable

__all__ = ["AdvancedIncSubtensor", "AdvancedSubtensor"]

_C = Beside(__file__)


def _form(entries: tuple[str, ...]) -> str:
    """A form, as `opw_key` takes it."""
    bits = {"a": 1, "b": 2, "c": 4}
    short = {"i": "i", "v": "v", "None": "n", "...": "e"}
    return "".join([short.get(entry) or str(sum(bits.get(letter, 0) for letter in entry)) for entry in entries])


def _read(op: Any, x: TensorLike, numbers: tuple[Any, ...]) -> tuple[TensorVariable, list[Any]]:
    """What is indexed, and the numbers and arrays."""
    x, found = as_tensor_variable(x), check_numbers(op, op.entries, numbers)
    used = place = 0
    for entry in op.entries:
        type_ = found[place].type if entry == "v" else None
        used += entry not in ("None", "...") if type_ is None or type_.numpy_dtype.kind != "b" else type_.ndim
        place += numbers_in((entry,))
    if used > x.ndim:
        raise IndexError(f"too many indices for array: array is {x.ndim}-dimensional, but {used} were indexed")
    return x, found


class AdvancedSubtensor(COp):
    """What an index with arrays selects, as a copy.

    Parameters
    ----------
    index : str
        The form; see `opweld.tensor.indexing`.
    """

    __props__ = ("index",)
    c_float16 = True

    def __init__(self, index: str) -> None:
        self.index = index
        self.entries = entries_of(index)
        if "v" not in self.entries:
            raise ValueError(f"AdvancedSubtensor: {index!r} holds no array")

    def make_node(self, x: TensorLike, *numbers: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is indexed.
        *numbers : Variable or array_like
            As many as the form needs.

        Returns
        -------
        Apply
            One output of the same dtype.

        Raises
        ------
        IndexError
            If there are more entries than dimensions.
        """
        base, found = _read(self, x, numbers)
        shape = selected_shape(base.type.shape, self.entries, found)
        return Apply(self, [base, *found], [TensorType(base.type.dtype, shape)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Select in Python."""
        output_storage[0][0] = inputs[0][key_of(self.entries, inputs[1:])]

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section(), _C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Ask NumPy."""
        x, *numbers = input_names
        call = f'opw_select(&{output_names[0]}, {by_value(x)}, "{_form(self.entries)}", opw_numbers)'
        return f"{{\n{table('opw_numbers', numbers, 'PyArrayObject*')}{checked(call, sub['fail'])}}}\n"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


class AdvancedIncSubtensor(Writing):
    """An array with what an index with arrays selects set, or added to. Parameters as for `Writing`.

    An element that is selected twice is added to twice.
    """

    def make_node(self, x: TensorLike, y: TensorLike, *numbers: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is written into.
        y : Variable or array_like
            What is written: broadcast to the selection.
        *numbers : Variable or array_like
            As many as the form needs.

        Returns
        -------
        Apply
            One output of the type of `x`.
        """
        base, found = _read(self, x, numbers)
        return Apply(self, [base, self.value(base, y), *found], [base.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Write in Python."""
        x, y, *numbers = inputs
        made = x if self.inplace else x.copy()
        key = key_of(self.entries, numbers)
        if self.set_instead_of_inc:
            made[key] = y
        else:
            np.add.at(made, key, y)
        output_storage[0][0] = made

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section(), BEGIN.section(), _C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Ask NumPy."""
        x, y, *numbers = input_names
        out, fail = output_names[0], sub["fail"]
        begin = checked(f"opw_begin(&{out}, {by_value(x)}, {int(self.inplace)})", fail)
        sets = int(self.set_instead_of_inc)
        put = checked(f'opw_put({out}, "{_form(self.entries)}", opw_numbers, {by_value(y)}, {sets})', fail)
        return f"{{\n{table('opw_numbers', numbers, 'PyArrayObject*')}{begin}{put}}}\n"
