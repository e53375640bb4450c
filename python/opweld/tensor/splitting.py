"""One array into several."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from opweld.errors import _what
from opweld.graph.basic import Apply, Variable
from opweld.hooks.classes import COp
from opweld.sections import Beside
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import Sizes, TensorLike
from opweld.tensor.outputs import OUTPUTS, by_value, checked, table
from opweld.tensor.parts import subtensor
from opweld.tensor.type import TensorType
from opweld.tensor.views import VIEW

__all__ = ["Split", "split"]

_C = Beside(__file__)

_UNEVEN = "array split does not result in an equal division"


class Split(COp):
    """Equal pieces of an array along an axis, as views.

    Parameters
    ----------
    axis : int
        The axis, from 0.
    count : int
        How many pieces.
    """

    __props__ = ("axis", "count")
    c_float16 = True

    def __init__(self, axis: int, count: int) -> None:
        self.axis = int(axis)
        self.count = int(count)
        self.view_map = {i: [0] for i in range(self.count)}

    def make_node(self, x: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is taken apart.

        Returns
        -------
        Apply
            As many outputs as there are pieces.

        Raises
        ------
        ValueError
            If it is known that the pieces would not be equal.
        """
        x = as_tensor_variable(x)
        shape = list(x.type.shape)
        size = shape[self.axis]
        if size is not None:
            if size % self.count:
                raise ValueError(_UNEVEN)
            shape[self.axis] = size // self.count
        type_ = TensorType(x.type.dtype, shape)
        return Apply(self, [x], [type_() for _ in range(self.count)])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Split in Python."""
        for cell, piece in zip(output_storage, np.split(inputs[0], self.count, self.axis)):
            cell[0] = piece

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section(), VIEW.section(), _C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Make one view after another."""
        outs = table("opw_outs", [f"&{out}" for out in output_names], "PyArrayObject** const")
        call = f"opw_split(opw_outs, {self.count}, {by_value(input_names[0])}, {self.axis})"
        return f"{{\n{outs}{checked(call, sub['fail'])}}}\n"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


def split(x: TensorLike, indices_or_sections: Sizes, axis: int = 0) -> list[Any]:
    """Take an array apart along an axis.

    Parameters
    ----------
    x : Variable or array_like
        What is taken apart.
    indices_or_sections : int, or sequence of (int or Variable)
        How many equal pieces; or where each piece but the first begins.
    axis : int
        The axis.

    Returns
    -------
    list of TensorVariable
        The pieces, as views.

    Raises
    ------
    ValueError
        If the pieces would not be equal; in a call, where the size is not known before.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.split(x, [1]))([1, 2, 3])
    [array([1]), array([2, 3])]
    """
    x = as_tensor_variable(x)
    axis = normalize_axis_index(axis, x.ndim)
    if hasattr(indices_or_sections, "__index__") and not isinstance(indices_or_sections, (np.ndarray, Variable)):
        count = indices_or_sections.__index__()
        if count <= 0:
            raise ValueError("number sections must be larger than 0.")
        return Split(axis, count)(x, return_list=True)  # type: ignore[no-any-return]
    if isinstance(indices_or_sections, Variable):
        raise TypeError(
            "split: how many pieces there are must be known: pass an integer, or a list of where they begin"
        )
    try:
        bounds = [None, *indices_or_sections, None]  # type: ignore[misc]
    except TypeError:
        raise TypeError(
            f"split: expected an integer, or a list of where pieces begin, got {_what(indices_or_sections)}"
        ) from None
    lead = (slice(None),) * axis
    return [subtensor(x, (*lead, slice(start, stop))) for start, stop in pairwise(bounds)]
