"""A function of a module, called in a worker's process as if it were called here."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple

from opweld.outside.memory import Array, Block, Memory, Overrun, bare, view_of
from opweld.outside.passing import Unpicklable, pickled
from opweld.outside.worker import PLAIN, Died, Place, Worker, worker

__all__ = ["Inside", "Outside", "Recipe", "Refused"]

_NUMBERS = count()


class Inside(Exception):
    """What must run in the caller's own process: says which value cannot travel, and why."""


class Refused(Exception):
    """The module refuses what a kernel left: the number of a step, of an output, and the value."""


class Recipe(NamedTuple):
    """A function of a module, as data: what the child binds. ``nones`` are the results that may be None."""

    path: str
    number: int
    called: str
    outs: tuple[Any, ...]
    constants: Sequence[object]
    arguments: int
    threads: int = 1
    nones: tuple[int, ...] = ()


class Outside:
    """A function of a module, called in a worker's process.

    Parameters
    ----------
    recipe : Recipe
        The function.
    seconds : float
        How long a call may take; 0: as long as it likes.
    place : Place
        Whose worker runs it.

    Attributes
    ----------
    overruns : list of (str, int, Overrun)
        What the last call wrote beside ``"input"`` or ``"output"`` and its number.
    """

    def __init__(self, recipe: Recipe, seconds: float = 0.0, place: Place = PLAIN) -> None:
        self._recipe = recipe
        self._seconds = seconds
        self.place = place
        self._number = next(_NUMBERS)
        self._constants: list[bytes] | None = None
        self.overruns: list[tuple[str, int, Overrun]] = []

    def __call__(
        self,
        values: Sequence[Any],
        out: Sequence[Any] | None = None,
        guard: tuple[int, bool] | None = None,
    ) -> list[Any]:
        """Run.

        Parameters
        ----------
        values : sequence
            What the inputs are. What C writes into arrays is written into these.
        out : sequence of (ndarray or None), optional
            The storage that is offered for the outputs.
        guard : (int, bool), optional
            Arrays that C makes are full of this byte, and lie between bytes of a pattern; whether pages beside these,
            and beside the inputs, are closed.

        Returns
        -------
        list
            The outputs; one that views an input views it here too.

        Raises
        ------
        Inside
            If a value cannot travel.
        Refused
            If the module refuses what C left.
        Died
            If the process ends.
        """
        try:
            return self._once(values, out, guard)
        except Died as err:
            if err.begun:
                raise
        return self._once(values, out, guard)  # it had been ended from outside, a moment ago

    def _once(self, values: Sequence[Any], out: Sequence[Any] | None, guard: tuple[int, bool] | None) -> list[Any]:
        asked = worker(self.place)
        with asked.lock:
            asked.ready()
            self._bind(asked)
            try:
                return self._call(asked, values, out, guard)
            finally:
                asked.forget()

    def _bind(self, asked: Worker) -> None:
        if self._number in asked.known:
            return
        recipe = self._recipe
        if self._constants is None:
            self._constants = [_travelling(f"constant {i}", value) for i, value in enumerate(recipe.constants)]
        message = recipe._replace(constants=self._constants)
        what, answer = asked.ask(self._seconds, "load", self._number, tuple(message))
        self._check(what, answer, "constant")
        asked.known.add(self._number)

    def _call(
        self,
        asked: Worker,
        values: Sequence[Any],
        out: Sequence[Any] | None,
        guard: tuple[int, bool] | None,
    ) -> list[Any]:
        memory = asked.memory
        fenced = guard is not None and guard[1]
        try:
            blocks = {i: Block(memory, value, fenced) for i, value in enumerate(values) if bare(value)}
            offered = {i: Block(memory, value, fenced) for i, value in enumerate(out or ()) if value is not None}
        except OSError as err:
            raise Inside(f"its arrays find no room in shared memory ({err.strerror})") from None
        sent = [blocks[i].array if i in blocks else _travelling(f"input {i}", value) for i, value in enumerate(values)]
        outs = None if out is None else [offered[i].array if i in offered else None for i in range(len(out))]
        every = [("input", i, block) for i, block in blocks.items()] + [("output", i, b) for i, b in offered.items()]
        fences = [at for *_, block in every for at in block.fences]
        try:
            what, answer = asked.ask(self._seconds, "call", self._number, sent, outs, memory.end, guard, fences)
        except Died as err:
            err.blocks = [(kind, i, block.start, block.end) for kind, i, block in every]
            raise
        memory.map(memory.end)
        for _, _, block in every:
            block.take_back()
        found = [(kind, i, block.overrun()) for kind, i, block in every]
        self.overruns = [(kind, i, over) for kind, i, over in found if over is not None]
        self._check(what, answer, "input", memory)
        made: dict[int, Any] = {}
        results, beside = answer
        self.overruns += beside
        for i, (kind, one) in results:
            if kind == "new":
                made[i] = self._value(memory, [block for *_, block in every], one)
            elif kind == "same":
                made[i] = values[one]
            else:
                other, by, like = one
                made[i] = view_of(made[other], by, like)
        return [made[i] for i in range(len(made))]

    def _check(self, what: str, told: object, kind: str, memory: Memory | None = None) -> None:
        """Go on where all went well."""
        answer: Any = told
        if what == "raised":
            raise pickle.loads(answer)
        if what == "unreadable":
            place, why = answer
            raise Inside(f"its {kind} {place} cannot be unpickled in another process ({why})")
        if what == "unwritable":
            raise Inside(f"what it computes cannot travel ({answer})")
        if what == "refused":
            step, position, value = answer
            assert memory is not None
            raise Refused(step, position, self._value(memory, [], value))

    def _value(self, memory: Memory, blocks: Sequence[Block], found: Array | bytes) -> Any:
        """A value of the child's, here: a view of what the caller has, or a copy."""
        if not isinstance(found, Array):
            return pickle.loads(found)
        for block in blocks:
            if block.start <= found.offset < block.end:
                return view_of(block.value, found.offset - block.array.offset, found)
        made = memory.array(found).copy(order="K")
        made.flags.writeable = found.writeable
        return made


def _travelling(name: str, value: object) -> bytes:
    try:
        return pickled(value)
    except Unpicklable as err:
        raise Inside(f"its {name} does not pickle ({err})") from None
