"""Indexing: views by integers and slices; and the forms that write instead of read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from opweld.graph.basic import Apply
from opweld.graph.op import Op
from opweld.hooks.classes import COp
from opweld.sections import Beside
from opweld.tensor.convert import as_tensor_variable, constant
from opweld.tensor.indexing import check_numbers, entries_of, key_of, viewed_shape
from opweld.tensor.likes import TensorLike
from opweld.tensor.outputs import OUTPUTS, by_value, checked
from opweld.tensor.type import TensorType
from opweld.tensor.variable import TensorVariable
from opweld.tensor.views import VIEW

if TYPE_CHECKING:
    from opweld.schema import AccessFields, CutFields

__all__ = ["BEGIN", "IncSubtensor", "Subtensor", "Writing"]

BEGIN = Beside(__file__, "writing")
_C = Beside(__file__)
_NUMBERS: tuple[tuple[str, Literal["at", "start", "stop", "step"]], ...] = (
    ("i", "at"),
    ("a", "start"),
    ("b", "stop"),
    ("c", "step"),
)


def _numbers(entries: tuple[str, ...], node: Apply, names: list[str], fail: str) -> str:
    """Write the C that reads the numbers of a form into ``opw_numbers``."""
    read = f"npy_intp opw_numbers[{len(names)} + 1] = {{0}};\n"
    letters = "".join([entry for entry in entries if entry not in (":", "None")]).replace(":", "")
    inputs = node.inputs[len(node.inputs) - len(names) :]
    for place, (name, letter, variable) in enumerate(zip(names, letters, inputs)):
        value = f"*(dtype_{name}*)PyArray_DATA({name})"
        if variable.type.dtype == "uint64":
            large = f"{value} > (npy_uint64)NPY_MAX_INT64"
            if letter == "i":
                text = "Python int too large to convert to C long"
                read += f'if ({large}) {{\n    PyErr_SetString(PyExc_OverflowError, "{text}");\n    {fail}\n}}\n'
            else:
                value = f"({large}) ? NPY_MAX_INTP : (npy_intp){value}"
        read += f"opw_numbers[{place}] = (npy_intp)({value});\n"
    return read


def _form(entries: tuple[str, ...]) -> str:
    """A form, as `opw_subtensor` takes it."""
    bits = {"a": 1, "b": 2, "c": 4}
    short = {"i": "i", "None": "n", ":": ":"}
    return "".join([short.get(entry) or str(sum(bits.get(letter, 0) for letter in entry)) for entry in entries])


class Subtensor(Op):
    """A view by integers, slices and new axes.

    Parameters
    ----------
    index : str
        The form; see `opweld.tensor.indexing`.
    """

    __props__ = ("index",)
    view_map = {0: [0]}

    def __init__(self, index: str) -> None:
        self.index = index
        self.entries = entries_of(index)
        if "v" in self.entries or "..." in self.entries:
            raise ValueError(f"Subtensor: {index!r} holds more than integers, slices and None")

    def make_node(self, x: TensorLike, *numbers: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is viewed.
        *numbers : Variable or int
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
        shape = viewed_shape(base.type.shape, self.entries, found)
        return Apply(self, [base, *found], [TensorType(base.type.dtype, shape)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """View in Python."""
        key = (*key_of(self.entries, inputs[1:]), Ellipsis)  # so that a number stays a view
        output_storage[0][0] = inputs[0][key]

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the sizes, where slices leave them as they are."""
        sizes = viewed_shape(input_shapes[0], self.entries, node.inputs[1:])
        if None in sizes:
            raise NotImplementedError
        return [tuple(sizes)]

    def structure(self, node: Apply) -> dict[str, AccessFields]:
        """Give the view as data, for the engine (docs/program.md).

        Parameters
        ----------
        node : Apply
            The node.

        Returns
        -------
        dict
            Under ``view``.
        """
        axes: list[int] = []
        new: list[int] = []
        cuts: list[CutFields] = []
        axis, number = 0, 1
        for entry in self.entries:
            if entry == "None":
                new.append(len(axes) + len(new))
                continue
            cut: CutFields = {"axis": axis}
            for letter, field in _NUMBERS:
                if letter in entry:
                    cut[field] = number
                    number += 1
            if len(cut) > 1:
                cuts.append(cut)
            if entry != "i":
                axes.append(axis)
            axis += 1
        axes += range(axis, node.inputs[0].type.ndim)
        return {"view": {"axes": axes, "new": new, "cuts": cuts}}

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of what `structure` says."""
        return (1,)


def _read(op: Any, x: TensorLike, numbers: tuple[Any, ...]) -> tuple[TensorVariable, list[Any]]:
    """What is indexed by a basic form, and the numbers."""
    x = as_tensor_variable(x)
    used = len([entry for entry in op.entries if entry != "None"])
    if used > x.ndim:
        raise IndexError(f"too many indices for array: array is {x.ndim}-dimensional, but {used} were indexed")
    return x, check_numbers(op, op.entries, numbers)


class Writing(COp):
    """What ops have alike that give an array with some elements set, or added to.

    Parameters
    ----------
    index : str
        The form; see `opweld.tensor.indexing`.
    set_instead_of_inc : bool
        Set; else add.
    inplace : bool
        Write over the input.
    """

    __props__ = ("index", "set_instead_of_inc", "inplace")
    c_float16 = True
    destroyhandler_tolerate_aliased = ((0, 1),)  # NumPy copies what it writes from where that overlaps

    def __init__(self, index: str, set_instead_of_inc: bool = False, inplace: bool = False) -> None:
        self.index = index
        self.entries = entries_of(index)
        self.set_instead_of_inc = bool(set_instead_of_inc)
        self.inplace = bool(inplace)
        if self.inplace:
            self.destroy_map = {0: [0]}

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the shape of what is written into."""
        return [input_shapes[0]]

    def value(self, x: TensorVariable, y: Any) -> Any:
        """Read what is written.

        Parameters
        ----------
        x : TensorVariable
            What is written into.
        y : Variable or array_like
            Python's numbers take the dtype of `x`.

        Returns
        -------
        TensorVariable

        Raises
        ------
        TypeError
            If its dtype is of another kind than that of `x`: NumPy would have to cast unsafely.
        """
        dtype = x.type.numpy_dtype
        if type(y) in (bool, int, float, complex) and np.result_type(dtype, y) == dtype:
            return constant(np.array(y, dtype))
        y = as_tensor_variable(y)
        if not np.can_cast(y.type.numpy_dtype, dtype, "same_kind"):
            what = "set_subtensor" if self.set_instead_of_inc else "inc_subtensor"
            raise TypeError(
                f"{what}: cannot write {y.type.dtype} into {dtype.name} with casting rule 'same_kind'; cast it first"
            )
        return y

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of these texts."""
        return (1,)


class IncSubtensor(Writing):
    """An array with a view of it set, or added to. Parameters as for `Writing`."""

    def make_node(self, x: TensorLike, y: TensorLike, *numbers: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is written into.
        y : Variable or array_like
            What is written: broadcast to the view.
        *numbers : Variable or int
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
        key = (*key_of(self.entries, numbers), Ellipsis)
        view = made[key]
        if self.set_instead_of_inc:
            view[...] = y
        else:
            view += y
        output_storage[0][0] = made

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section(), VIEW.section(), BEGIN.section(), _C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Let NumPy write into the view."""
        x, y, *numbers = input_names
        out, fail = output_names[0], sub["fail"]
        begin = checked(f"opw_begin(&{out}, {by_value(x)}, {int(self.inplace)})", fail)
        sets = int(self.set_instead_of_inc)
        write = checked(f'opw_write({out}, "{_form(self.entries)}", opw_numbers, {by_value(y)}, {sets})', fail)
        return f"{{\n{_numbers(self.entries, node, numbers, fail)}{begin}{write}}}\n"
