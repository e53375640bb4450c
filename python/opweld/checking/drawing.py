"""Values that arguments may have, drawn from their types by hypothesis: sizes, layouts, elements at the edges."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations, islice
from typing import Any, TypeAlias

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from opweld.errors import OpweldError
from opweld.graph.type import Type
from opweld.tensor.type import TensorType

__all__ = ["drawn"]

Draw: TypeAlias = Callable[[object], Any]

_OTHERS: list[Any] = [1.5, 2, True, "text", b"bytes", None, [1.0], (1.0, 2.0), {"a": 1}, np.ones(3)]


def drawn(types: Sequence[Any], examples: int) -> list[tuple[Any, ...]]:
    """Draw arguments.

    Parameters
    ----------
    types : sequence of Type
        Of each argument.
    examples : int
        How many, at most.

    Returns
    -------
    list of tuple
        The same with each call. The first are plain: sizes of 3, then of 1, then of 0, then one or a few of 0 alone.
        None where a type's values are not known, and its `filter` takes nothing that is tried.
    """
    if not types:
        return [()]
    found = [tuple([_plain(type_, size) for type_ in types]) for size in (3, 1, 0)]
    if any(value is _NOTHING for value in found[0]):
        return []
    found += islice(_lacking(types), examples // 4)

    quietly = settings(
        max_examples=max(examples - len(found), 1), database=None, derandomize=True, deadline=None,
        phases=(Phase.generate,), suppress_health_check=list(HealthCheck),
    )  # fmt: skip

    def keep(arguments: tuple[Any, ...]) -> None:
        found.append(arguments)

    collect: Any = quietly(given(_arguments(types))(keep))
    collect()
    return found


class _Nothing:
    """No value is known."""


_NOTHING = _Nothing()


def _plain(type_: Type, size: int, without: Collection[int] = ()) -> object:
    if not isinstance(type_, TensorType):
        return _taken(type_)[0] if _taken(type_) else _NOTHING
    shape = _shape(type_, [0 if axis in without else size for axis in range(type_.ndim)])
    values = np.arange(1, int(np.prod(shape)) + 1).reshape(shape) % 7
    return (values if _COUNT not in without else values * 0).astype(type_.dtype)


_COUNT = -1  # the place of an integer that may be a size, where an array has its axes


def _lacking(types: Sequence[Any]) -> Iterator[tuple[object, ...]]:
    """Plain arguments of which one size is 0, or those that an op may ask to be the same: no points, and centres."""
    places = [
        (at, axis)
        for at, type_ in enumerate(types)
        if isinstance(type_, TensorType)
        for axis in (range(type_.ndim) if type_.ndim else [_COUNT] if np.dtype(type_.dtype).kind in "iu" else [])
        if axis == _COUNT or type_.shape[axis] is None
    ]
    sizes = [place for place in places if place[1] != _COUNT]
    along = [[place for place in sizes if place[1] == axis] for axis in sorted({axis for _, axis in sizes})]
    done: list[list[tuple[int, int]]] = [sizes]
    for chosen in [*([place] for place in places), *along, *map(list, combinations(sizes, 2))]:
        if chosen not in done:
            done.append(chosen)
            yield tuple([_plain(one, 3, {axis for to, axis in chosen if to == at}) for at, one in enumerate(types)])


def _shape(type_: TensorType, sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple([size if fixed is None else fixed for size, fixed in zip(sizes, type_.shape)])


def _taken(type_: Type) -> list[object]:
    """Values that a type that is no array's takes."""
    taken = []
    for value in _OTHERS:
        try:
            taken.append(type_.filter(value, strict=False, allow_downcast=None))
        except (TypeError, ValueError, AttributeError, OpweldError):
            continue
    return taken


def _arguments(types: Sequence[Any]) -> Any:
    """All arguments together: most sizes are the same, as ops ask of their inputs."""

    def together(draw: Draw) -> tuple[object, ...]:
        common = draw(st.sampled_from([3, 5, 2, 1, 40, 0]))
        size = st.sampled_from([common, common, common, common, common, 1, 4])
        return tuple([_argument(draw, type_, size) for type_ in types])

    return st.composite(together)()


def _argument(draw: Draw, type_: Type, size: object) -> object:
    if not isinstance(type_, TensorType):
        return draw(st.sampled_from(_taken(type_)))
    shape = _shape(type_, [draw(size) for _ in range(type_.ndim)])
    dtype = np.dtype(type_.dtype)
    elements: Any = st.integers(0, 3) if dtype.kind in "iu" and draw(st.booleans()) else None
    fill = arrays.from_dtype(dtype) if elements is None else elements
    value = draw(arrays.arrays(dtype, shape, elements=elements, fill=fill))
    return _laid_out(value, draw(st.sampled_from(["C", "C", "F", "strided", "reversed"])))


def _laid_out(value: np.ndarray[Any, Any], way: str) -> np.ndarray[Any, Any]:
    """The same elements, elsewhere in memory."""
    if way == "F":
        return np.asfortranarray(value)
    if way == "C" or value.ndim == 0:
        return value
    step = 2 if way == "strided" else -1
    room = np.zeros((*value.shape[:-1], value.shape[-1] * abs(step)), value.dtype)
    view = room[..., ::step]
    view[...] = value
    return view
