"""Parts of tensors, by NumPy's indexing, and tensors of which a part is another."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from opweld.errors import _what
from opweld.graph.basic import Variable
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.indexing import read_key
from opweld.tensor.likes import TensorLike
from opweld.tensor.operators import functions
from opweld.tensor.subtensor import IncSubtensor, Subtensor

__all__ = ["inc_subtensor", "set_subtensor", "subtensor"]

_view_by = lru_cache(maxsize=1024)(Subtensor)


def subtensor(x: TensorLike, key: object) -> Any:
    """Index `x`, as NumPy does.

    Parameters
    ----------
    x : Variable or array_like
        What is indexed.
    key : object
        What stands between brackets: integers, slices, ``...``, None, arrays and lists of integers or booleans, and
        variables in the place of each of those numbers and arrays; a tuple of them.

    Returns
    -------
    TensorVariable
        A view, or where an array is in `key` a copy.

    Raises
    ------
    IndexError
        For what is no index, for too many, and for one out of bounds; in a call, where that is not known before.
    """
    x = as_tensor_variable(x)
    index, numbers, advanced = read_key(x, key)
    if advanced:
        return functions.advanced.AdvancedSubtensor(index)(x, *numbers)
    return _view_by(index)(x, *numbers)


def set_subtensor(x: TensorLike, y: TensorLike, inplace: bool = False) -> Any:
    """Give an array that differs in what an index selects.

    Parameters
    ----------
    x : TensorVariable
        ``z[key]``.
    y : Variable or array_like
        The new values, broadcast to it.
    inplace : bool
        Write over ``z``.

    Returns
    -------
    TensorVariable
        ``z`` with ``y`` there: ``z`` itself stays as it is unless `inplace` is set.

    Raises
    ------
    TypeError
        If `x` is no ``z[key]``, or `y` cannot be cast to its dtype within its kind.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.set_subtensor(x[1:], 10))([1, 2, 3])
    array([ 1, 10, 10])
    """
    return _write("set_subtensor", x, y, True, inplace)


def inc_subtensor(x: TensorLike, y: TensorLike, inplace: bool = False) -> Any:
    """Give an array to which something is added in what an index selects; as often as an element is selected.

    Parameters
    ----------
    x : TensorVariable
        ``z[key]``.
    y, inplace
        As for `set_subtensor`.

    Returns
    -------
    TensorVariable
        ``z`` with ``y`` added there.

    Raises
    ------
    TypeError
        As by `set_subtensor`.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.inc_subtensor(x[1:], 10))([1, 2, 3])
    array([ 1, 12, 13])
    """
    return _write("inc_subtensor", x, y, False, inplace)


def _write(what: str, x: TensorLike, y: TensorLike, set_: bool, inplace: bool) -> Any:
    advanced = functions.advanced
    node = x.owner if isinstance(x, Variable) else None
    if node is not None and isinstance(node.op, functions.diagonals.ExtractDiag):
        node = node.op.by_places(node.inputs[0]).owner
    op = None if node is None else node.op
    if node is None or not isinstance(op, (Subtensor, advanced.AdvancedSubtensor)):
        raise TypeError(f"{what}: expected z[key], got {x if isinstance(x, Variable) else _what(x)}")
    class_ = IncSubtensor if isinstance(op, Subtensor) else advanced.AdvancedIncSubtensor
    return class_(op.index, set_, inplace)(node.inputs[0], y, *node.inputs[1:])
