"""One node's C run again in other ways that must give the same: other storage, other layouts of inputs, once more."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from opweld.compile.comparing import (
    copied,
    equal,
    first_apart,
    nearly_equal,
    same_bits,
    surely_equal,
    text_of,
    where_apart,
)
from opweld.compile.debugerrors import BadThunkOutput, facts, inputs_text, made_at
from opweld.compile.isolated import Runner
from opweld.errors import OpCrashed, OutOfBoundsError, SanitizerError
from opweld.graph.basic import Variable
from opweld.hooks.reading import accept
from opweld.outside.memory import bare
from opweld.signatures import filter_of
from opweld.tolerances import ANY, Tolerance

if TYPE_CHECKING:
    from opweld.compile.debugnode import CheckedNode

__all__ = ["Scratch", "Varied"]

Array = np.ndarray[Any, Any]
_KEPT = 1 << 26  # bytes of scratch memory, of each array
_FILL = 0x7A  # bytes of storage that is to be written over: large numbers, other ones than in fresh memory


class Varied:
    """The C of a node on one set of inputs, to be run again.

    Parameters
    ----------
    node : CheckedNode
        The node.
    runner : Runner
        Its C.
    kept : list
        What its inputs were.
    allowed : callable
        Gives what its results may differ by.
    """

    def __init__(
        self, node: CheckedNode, runner: Runner, kept: Sequence[Any], allowed: Callable[[], Tolerance | None]
    ) -> None:
        self._node = node
        self._runner = runner
        self._kept = kept
        self._allowed = allowed

    def check(self, found: Sequence[Any]) -> None:
        """Run again in every way that is wanted, and compare with what came out first.

        Parameters
        ----------
        found : sequence
            That.

        Raises
        ------
        BadThunkOutput
            If something else comes out, or nothing does.
        """
        wants = self._node.wants
        first = [copied(value) for value in found] if self._node.destroyed else list(found)
        if wants("deterministic") or wants("unset"):
            self._again(first)
        if wants("storage"):
            for name, out in _storages(self._node.scratch, first, self._node.node.outputs):
                self._compare("storage", f"with {name}", first, self._run(self._given(), out, f"with {name}"))
        if wants("layouts"):
            for name, given in self._layouts():
                self._compare("layouts", f"on {name}", first, self._run(given, None, f"on {name}"))

    def _given(self, change: Callable[[Variable, Any], Any] | None = None) -> list[Any]:
        """The inputs anew: copies of what may be written over."""
        chosen: dict[Variable, Any] = {}
        inputs = self._node.node.inputs
        written = {inputs[i] for i in self._node.destroyed}
        for variable, value in zip(inputs, self._kept):
            if variable not in chosen:
                fresh = copied(value) if variable in written else value
                chosen[variable] = fresh if change is None else change(variable, fresh)
        return [chosen[variable] for variable in inputs]

    def _run(self, given: Sequence[Any], out: Sequence[Any] | None, name: str, other: bool = False) -> Any:
        try:
            return self._runner(given, out, self._node.guard(other))
        except (OpCrashed, OutOfBoundsError, SanitizerError) as err:
            if not name:
                raise
            raise type(err)(f"{err}\n  {name}; not before", {**err.details, "variation": name}) from None
        except MemoryError:
            raise
        except Exception as err:
            return err

    def _again(self, first: Sequence[Any]) -> None:
        """Run it once more, with other bytes in the memory that it asks for, if it may leave some there."""
        wants = self._node.wants
        at = self._other(first, self._run(self._given(), None, "", wants("unset")))
        if at is None or self._anything():
            return
        i, second = at
        if wants("unset") and self._other(first, self._run(self._given(), None, "")) is None:
            how = "with other bytes in fresh memory, which it leaves in elements that it does not set"
            self._refuse("unset", how, i, first[i], second, None)
        if wants("deterministic"):
            self._refuse("deterministic", "again on the same inputs", i, first[i], second, None)

    def _anything(self) -> bool:
        """Whether the op says that its results may be anything."""
        allowed = self._allowed()
        return allowed is not None and allowed.ulps == ANY.ulps

    def _other(self, first: Sequence[Any], found: Any) -> tuple[int, Any] | None:
        """The first output that has other bits, and what it is; None: there is none."""
        if isinstance(found, Exception):
            self._compare("deterministic", "again", first, found)
        for i, (variable, a, b) in enumerate(zip(self._node.node.outputs, first, found)):
            own = getattr(variable.tag, "values_eq_approx", None)
            if own is not None and own(a, b):
                continue
            decided = isinstance(a, np.ndarray) and a.dtype.itemsize in (1, 2, 4, 8) and not a.dtype.hasobject
            if not same_bits(a, b) and (decided or not equal(variable.type, a, b)):
                return i, b
        return None

    def _layouts(self) -> Iterator[tuple[str, list[Any]]]:
        """Each way in which the inputs may lie, where it is another than theirs."""
        for name, change in _LAYOUTS.items():
            changed: list[Variable] = []

            def one(variable: Variable, value: Any, change: Layout = change, changed: list[Variable] = changed) -> Any:
                other = change(self._node.scratch, ("in", variable), value) if bare(value) else None
                if other is None or not _accepted(variable, other):
                    return value
                changed.append(variable)
                return other

            given = self._given(one)
            if changed:
                yield name, given

    def _compare(self, check: str, how: str, first: Sequence[Any], found: Any) -> None:
        if isinstance(found, Exception):
            if check == "storage" and str(found).startswith(f"{self._node.called}() got out= of shape "):
                return  # it was not taken: the C made an array of its own
            node = self._node.node
            raise BadThunkOutput(
                f"{node}: its C code raises when run {how}, and did not before{made_at(node)}\n"
                f"{inputs_text(node, self._kept)}\n  then: {type(found).__name__}: {found}",
                facts(check, node, inputs=self._kept, first=first, then=found, variation=how),
            ) from found
        if all(map(surely_equal, self._node.node.outputs, first, found)):
            return
        allowed = self._allowed()
        for i, (variable, a, b) in enumerate(zip(self._node.node.outputs, first, found)):
            if not nearly_equal(variable, a, b, allowed):
                self._refuse(check, how, i, a, copied(b), allowed)

    def _refuse(self, check: str, how: str, i: int, a: object, b: object, allowed: Tolerance | None) -> None:
        node = self._node.node
        raise BadThunkOutput(
            f"{node}: its C code gives another output {i} when run {how}{made_at(node)}\n"
            f"{inputs_text(node, self._kept)}\n"
            f"  first: {text_of(a)}\n  then: {text_of(b)}{where_apart(a, b, allowed)}",
            facts(
                check, node, inputs=self._kept, output=i, first=a, then=b, variation=how,
                index=first_apart(a, b, allowed),
            ),
        )  # fmt: skip


class Scratch:
    """Memory in which a node is run again, kept from call to call: fresh pages cost more than what is done in them."""

    def __init__(self) -> None:
        self._kept: dict[Any, Array] = {}

    def take(
        self, key: object, shape: Sequence[int], dtype: np.dtype[Any], order: Literal["C", "F"] = "C", fill: bool = True
    ) -> Array:
        """Give an array whose bytes are no number that turns up by itself.

        Parameters
        ----------
        key : object
            What it is for: what was last given for it is given again.
        shape, dtype, order
            The array's.
        fill : bool
            False: all is written over, but for what stands between its elements.

        Returns
        -------
        ndarray
        """
        if dtype.hasobject:
            return np.empty(shape, dtype, order)
        size = math.prod(shape) * dtype.itemsize
        found = self._kept.get(key)
        if found is None or not size <= len(found) <= 4 * size + 4096:
            found = np.empty(size, np.uint8)
            fill = True
            if size <= _KEPT:
                self._kept[key] = found
        if fill:
            found[:size] = _FILL
        made: Array = np.ndarray(tuple(shape), dtype, found, order=order)
        return made


Storage = Callable[[Scratch, Any, Array, Variable], "Array | None"]
Layout = Callable[[Scratch, Any, Array], "Array | None"]


def _storages(
    scratch: Scratch, found: Sequence[Any], variables: Sequence[Variable]
) -> Iterator[tuple[str, list[Array | None]]]:
    """What C may be offered for outputs: of every kind that fits one of them at least."""
    for name, make in _STORAGES.items():
        out = [
            make(scratch, ("out", i), value, variable)
            if bare(value) and value.size and accept(variable.type, True) is not None
            else None
            for i, (value, variable) in enumerate(zip(found, variables))
        ]
        if any(one is not None for one in out):
            yield name, out


def _previous(scratch: Scratch, key: object, value: Array, variable: Variable) -> Array | None:
    return scratch.take(key, value.shape, value.dtype)


def _fortran(scratch: Scratch, key: object, value: Array, variable: Variable) -> Array | None:
    return scratch.take(key, value.shape, value.dtype, "F") if _long_axes(value) > 1 else None


def _strided(scratch: Scratch, key: object, value: Array, variable: Variable) -> Array | None:
    return _every_second(scratch.take(key, [2 * n for n in value.shape], value.dtype)) if value.ndim else None


def _of_another_size(by: int) -> Storage:
    def make(scratch: Scratch, key: object, value: Array, variable: Variable) -> Array | None:
        known = getattr(variable.type, "shape", None)
        if not value.ndim or known is None or len(known) != value.ndim or None not in known:
            return None
        return scratch.take(key, [n + by if size is None else n for n, size in zip(value.shape, known)], value.dtype)

    return make


_STORAGES: dict[str, Storage] = {
    "storage of an earlier call": _previous,
    "storage in Fortran order": _fortran,
    "strided storage": _strided,
    "larger storage": _of_another_size(1),
    "smaller storage": _of_another_size(-1),
}


def _every_second(array: Array) -> Array:
    return array[(slice(None, None, 2),) * array.ndim]


def _long_axes(array: Array) -> int:
    return sum([n > 1 for n in array.shape])


def _in_the_other_order(scratch: Scratch, key: object, value: Array) -> Array | None:
    if _long_axes(value) < 2:
        return None
    made = scratch.take((key, "other"), value.shape, value.dtype, "C" if value.flags.f_contiguous else "F", fill=False)
    made[...] = value
    return made


def _with_gaps(scratch: Scratch, key: object, value: Array) -> Array | None:
    if not _long_axes(value):
        return None
    made = _every_second(scratch.take((key, "gaps"), [2 * n for n in value.shape], value.dtype, fill=False))
    made[...] = value
    return made


def _backwards(scratch: Scratch, key: object, value: Array) -> Array | None:
    if not _long_axes(value):
        return None
    made: Array = scratch.take((key, "other"), value.shape, value.dtype, fill=False)[
        (slice(None, None, -1),) * value.ndim
    ]
    made[...] = value
    return made


_LAYOUTS: dict[str, Layout] = {
    "inputs in the other order": _in_the_other_order,
    "strided inputs": _with_gaps,
    "reversed inputs": _backwards,
}


def _accepted(variable: Variable, value: Array) -> bool:
    """Whether a value, lying as it does, is one of the variable's type."""
    try:
        return filter_of(variable.type, strict=True)(value) is value
    except Exception:  # a filter may raise what it likes
        return False
