"""``idx_list``, as rewriters of Theano, Aesara and PyTensor read it of an op that takes parts of a tensor.

opweld's own ops hold an index in a form of their own (`opweld.tensor.indexing`); they are given the attribute when the
packages' classes of them are first asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from opweld.compat.bases import Place
from opweld.compat.values import constant_value
from opweld.graph.basic import Variable
from opweld.graph.type import Type
from opweld.scalar.type import ScalarConstant, get_scalar_type
from opweld.tensor.basic import NotScalarConstantError
from opweld.tensor.convert import as_tensor_variable

__all__ = [
    "as_index_constant", "as_index_literal", "get_constant_idx", "get_idx_list", "give_idx_list",
    "indices_from_subtensor", "make_constant",
]  # fmt: skip


def _idx_list(self: Any) -> tuple[Any, ...]:
    """Give the index as the packages do: for each number where it stands, in slices too."""
    if "None" in self.entries:
        raise AttributeError(f"{self} has no idx_list: it makes new axes, which the packages make by DimShuffle")
    found, place = [], 0
    for entry in self.entries:
        parts = {letter: Place(place + i) for i, letter in enumerate(entry.replace(":", ""))}
        place += len(parts)
        found.append(parts["i"] if "i" in parts else slice(*[parts.get(letter) for letter in "abc"]))
    return tuple(found)


def give_idx_list(*classes: type) -> None:
    """Let ops of these classes answer ``idx_list``."""
    for cls in classes:
        cls.idx_list = property(_idx_list)  # type: ignore[attr-defined]


def indices_from_subtensor(op_indices: Sequence[Variable], idx_list: Iterable[Any]) -> tuple[Any, ...]:
    """Give an index of what ``idx_list`` says and the numbers that an op was applied to.

    Parameters
    ----------
    op_indices : sequence of Variable
        The numbers.
    idx_list : iterable
        Of the op.

    Returns
    -------
    tuple
        Of variables and slices; what is a number in ``idx_list`` itself stays.
    """
    left = list(op_indices)[::-1]

    def entry(one: object) -> Any:
        if isinstance(one, slice):
            return slice(entry(one.start), entry(one.stop), entry(one.step))
        return left.pop() if isinstance(one, (Place, Type)) else one

    return tuple([entry(one) for one in idx_list])


def get_idx_list(inputs: Sequence[Variable], idx_list: Iterable[Any], get_count: bool = False) -> Any:
    """Give an index of what ``idx_list`` says and an op's inputs; `get_count`: how many of them it needs."""
    found = indices_from_subtensor(inputs[1:], idx_list)
    if not get_count:
        return found
    flat = [x for one in found for x in ((one.start, one.stop, one.step) if isinstance(one, slice) else (one,))]
    return sum(isinstance(x, Variable) for x in flat)


def get_constant_idx(
    idx_list: Iterable[Any],
    inputs: Sequence[Variable],
    allow_partial: bool = False,
    only_process_constants: bool = False,
    elemwise: bool = True,
) -> list[Any]:
    """Give an index with Python's numbers in the place of constants.

    Parameters
    ----------
    idx_list, inputs
        Of the op, and of the node.
    allow_partial : bool
        Leave variables that are no constants.
    only_process_constants, elemwise
        As ``get_scalar_constant_value`` has them.

    Returns
    -------
    list
        Of numbers and slices.

    Raises
    ------
    NotScalarConstantError
        If one is no constant.
    """

    def entry(one: object) -> Any:
        if isinstance(one, slice):
            return slice(entry(one.start), entry(one.stop), entry(one.step))
        if not isinstance(one, Variable):
            return one
        try:
            return constant_value(one, elemwise=elemwise, only_process_constants=only_process_constants).item()
        except NotScalarConstantError:
            if allow_partial:
                return one
            raise

    return [entry(one) for one in get_idx_list(inputs, idx_list)]


def as_index_constant(a: object) -> Any:
    """Give a constant for a number of Python's in an index; None and variables stay, slices hold constants."""
    if isinstance(a, slice):
        return slice(as_index_constant(a.start), as_index_constant(a.stop), as_index_constant(a.step))
    if isinstance(a, (int, np.integer)):
        return ScalarConstant(get_scalar_type("int64"), get_scalar_type("int64").filter(int(a)))
    return a if a is None or isinstance(a, Variable) else as_tensor_variable(a)  # type: ignore[arg-type]


def make_constant(args: Iterable[Any]) -> tuple[Any, ...]:
    """Give an index with constants for numbers of Python's."""
    return tuple([as_index_constant(a) for a in args])


def as_index_literal(idx: object) -> Any:
    """Give a number of Python's for a constant in an index; what is none stays."""
    if isinstance(idx, slice):
        return slice(as_index_literal(idx.start), as_index_literal(idx.stop), as_index_literal(idx.step))
    if not isinstance(idx, Variable):
        return idx
    try:
        return constant_value(idx).item()
    except NotScalarConstantError:
        return idx
