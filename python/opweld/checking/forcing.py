"""Every place of a function's module that can fail is made to, and every request for memory: what comes of it.

The module is built once more with the option ``faults``; the one that the user runs knows nothing of it.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from opweld.compile import builder
from opweld.compile.cache import map_warnings
from opweld.compile.comparing import as_it_lies
from opweld.compile.recipe import Recipe
from opweld.compile.written import placed

__all__ = [
    "FIRST_OF_UNIT", "NOTHING", "Call", "Forced", "Outcome", "Place", "Places", "Trial", "called", "copies_of",
    "copy_of", "names_of",
]  # fmt: skip

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
FIRST_OF_UNIT = 4096  # gen/faults
NOTHING = -1  # the number of no place
_NOWHERE = 2**32 - 1


class Forced(Exception):
    """What a place raises that is forced to fail."""


class Call(tuple[Any, ...]):
    """Arguments of a call, some of them by name: ``Call(x, 2, out=y)``. A tuple says as much where none is.

    Parameters
    ----------
    *values : object
        By position.
    **names : object
        By name, ``out`` among them.
    """

    names: dict[str, Any]

    def __new__(cls, *values: object, **names: object) -> Call:
        """Hold them."""
        made = super().__new__(cls, values)
        made.names = names
        return made


class Place(NamedTuple):
    """One place that can fail.

    Attributes
    ----------
    number : int
        Of the place, from `FIRST_OF_UNIT` on in the function's own C, below in what is the same in every module.
    kind : str
        ``call``: of the C API; ``memory``; ``fail``: what ``sub['fail']`` stands for.
    name : str
        What is called.
    file : str
        The user's file, or the text's name where it has none.
    line : int
        Of the file; where `exact` is false, of the method that the text came out of.
    exact : bool
        Whether it is the line itself.
    branch : bool
        Of ``fail``: it can be forced by the condition that leads there.
    """

    number: int
    kind: str
    name: str
    file: str
    line: int
    exact: bool
    branch: bool

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.name}"


class Outcome(NamedTuple):
    """What came of it when a place failed, or memory was refused.

    Attributes
    ----------
    what : str
        ``raised``, ``survived``; or a fault: ``leak``, ``over-release``, ``crash``, ``hang``, ``lost exception``,
        ``wrong result``, ``wrong exception``.
    said : str
        More about it.
    """

    what: str
    said: str

    @property
    def good(self) -> bool:
        """Whether that is as it should be."""
        return self.what in ("raised", "survived")


class Trial(NamedTuple):
    """What is made to fail, in which scene.

    Attributes
    ----------
    scene : str
        ``call``, ``make`` or ``load``, or one of the subject's own.
    inputs : int
        Which of the inputs.
    place : int
        Which place, or which request for memory.
    nth : int
        Which time it is come to; of memory: 0, from there on all are refused.
    """

    scene: str
    inputs: int
    place: int
    nth: int


class Places:
    """A function whose places can be forced.

    Parameters
    ----------
    recipe : Recipe
        Of the function.
    inputs : list of tuple
        Arguments for it.
    scenes : dict of str to callable, optional
        What else is done with it, which each gets.
    options : dict of str to object, optional
        Of the build, besides those of the function.

    Attributes
    ----------
    listed : dict of int to Place
        All of its module.
    """

    def __init__(
        self,
        recipe: Recipe,
        inputs: Sequence[tuple[Any, ...]],
        scenes: Mapping[str, Callable[[Any], Any]] | None = None,
        options: Mapping[str, object] | None = None,
    ) -> None:
        self.inputs = list(inputs)
        self.scenes = dict(scenes or {})
        self.mutable = [spec.mutable for spec in recipe.inputs]
        self.stateful = bool(recipe.updates)
        plain = {"profile": False, "account": False, "isolate": False, "sanitize": ""}
        options = {**recipe.options, **plain, **(options or {}), "faults": True}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the compiler's, which the plain module has said
            made = Recipe(
                recipe.inputs, recipe.outputs, recipe.updates, recipe.single, recipe.name, "FAST_RUN", options
            ).make()
        self.function = made
        self.built = made.maker.built
        self.module: Any = self.built.module
        program = made.maker.program
        raw = (json.loads(line) for line in self.module.fault_places().splitlines())
        self.listed = {one["number"]: _place(one, program.sources, program.data) for one in raw}
        self.listed[NOTHING] = Place(NOTHING, "none", "nothing is forced", "", 0, False, False)

    @property
    def own(self) -> list[Place]:
        """Those of the user's C."""
        return [place for number, place in self.listed.items() if number >= FIRST_OF_UNIT and not _ours(place)]

    def arm(self, place: int = NOTHING, nth: int = 1) -> None:
        """Have a place fail from now on, or none; counts begin anew."""
        self.module.fault_arm(Forced, place if place >= 0 else _NOWHERE, nth)

    def counts(self) -> tuple[Any, Any]:
        """How often each place was asked, and each ``fail`` come to, since it was armed."""
        *_, asked, reached = self.module.fault_state()
        return np.frombuffer(asked, np.uint32), np.frombuffer(reached, np.uint32)

    def run(self, scene: str, inputs: tuple[Any, ...]) -> Any:
        """Do what is done in a scene."""
        if scene == "call":
            return called(self.function, inputs, self.mutable)
        if scene == "make":
            self.function.maker.create()
        elif scene in self.scenes:
            return self.scenes[scene](self.function)
        else:
            _, why = builder.load(self.built.path)
            if why is not None:
                raise why
        return None


def _place(raw: dict[str, Any], sources: Mapping[str, Any], data: object) -> Place:
    """A place at the user's line: where only the method is known, where its strings say that it was written."""
    op, _, hook = raw["at"].rpartition(".")
    text = raw["text"].replace("opw_V", "V")
    said = {
        "op": op, "hook": hook, "file": raw["at"], "line": raw["line"], "fragment_line": raw["line"], "text": text,
        "column": 1, "message": "", "exact": False,
    }  # fmt: skip
    (here,) = map_warnings([said], sources)
    here = placed(here, data) or here
    return Place(raw["number"], raw["kind"], raw["name"], here["file"], here["line"], here["exact"], raw["branch"])


def _ours(place: Place) -> bool:
    """Whether a place is in C that comes with the library."""
    return place.file.startswith(_HERE) or place.file in ("opweld.c", "opweld.cc") or place.file.endswith("/glue")


def names_of(inputs: tuple[Any, ...]) -> dict[str, Any]:
    """Give the arguments of a call that go by name."""
    return inputs.names if isinstance(inputs, Call) else {}


def copies_of(inputs: tuple[Any, ...], written: Sequence[bool] | None = None) -> tuple[Any, ...]:
    """Give those by position, those that are written as copies: all if left out."""
    which = [True] * len(inputs) if written is None else written[: len(inputs)]  # there may be too many
    return tuple([copy_of(one) if copied else one for one, copied in zip_longest(inputs, which, fillvalue=False)])


def called(function: Callable[..., Any], inputs: tuple[Any, ...], written: Sequence[bool] | None = None) -> Any:
    """Call a function.

    Parameters
    ----------
    function : callable
        The function.
    inputs : tuple
        Its arguments, or a `Call`.
    written : sequence of bool, optional
        Which of those by position it gets as copies; all if left out.

    Returns
    -------
    object
        What it gives.
    """
    return function(*copies_of(inputs, written), **names_of(inputs))


def copy_of(value: object) -> object:
    """Give a copy of an array, which lies in memory as it does, and is as writeable; of anything else itself."""
    if not isinstance(value, np.ndarray):
        return value
    made = as_it_lies(value)
    made.flags.writeable = value.flags.writeable
    return made
