"""A short form's function that an earlier process has made: bound to its module, and nothing of its graph is made.

What a graph would say of it (its rewritten nodes, the text of an error, a copy) is found by making it after all, when
somebody asks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opweld.compile import builder
from opweld.compile.data import STANDARD, remarker, tie
from opweld.compile.remembered import Recalled, look, may, named
from opweld.config import Options
from opweld.cops.reading import Argument, Signature
from opweld.cops.said import Said
from opweld.cops.types import FUNCTION, shape_of
from opweld.dtypes import dtype_of, rule_of
from opweld.lean import dumps
from opweld.rooms import late

__all__ = ["Later", "function", "graphs", "known_by"]

graphs: Any = late("opweld.cops.graphs")  # what is spared here

# Where one of these is loaded, so is what is spared; classes may be others by now, or somebody watches functions.
_SPARED = ("opweld.cops.op", "opweld.compile.maker", "opweld.compile.program", "opweld.rewriting.standard")


def known_by(said: Said, types: Mapping[str, str], mode: str) -> str:
    """Say what a function is, besides its options."""
    return "opweld.cop " + dumps([*said.parts(), [*types.items()], STANDARD.get(mode, mode)])


class Later:
    """How a function was made, for one that was made without: found when somebody asks.

    Parameters
    ----------
    make : callable
        Gives, for the Program that is remembered, what would have made it.

    Attributes
    ----------
    program : Program
        What is remembered.
    built : Built or None
        The module, once it is there.
    """

    def __init__(self, make: Callable[[Any], Any], entry: dict[str, Any]) -> None:
        self.program = Recalled(entry, lambda: self.maker()._program())
        self.built: builder.Built | None = None
        self._make = make
        self._found: Any = None

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__" or "_found" not in self.__dict__:  # what copies and prints asks whether it is there
            raise AttributeError(name)
        return getattr(self.maker(), name)

    def maker(self) -> Any:
        """Give the maker that there would have been."""
        if self._found is None:
            self._found = self._make(self.program)
        self._found.code.built = self.built
        return self._found

    def copy(self, *args: Any, **keywords: Any) -> Any:
        """Make a function like this one: `opweld.compile.maker.Maker.copy`."""
        return self.maker().copy(*args, **keywords)

    def get_shared(self) -> list[Any]:
        """List the shared variables: there are none."""
        return []


def function(
    said: Said,
    signature: Signature,
    types: Mapping[str, str],
    given: Mapping[str, Any],
    mode: str,
    make: Callable[[Any], Any],
) -> Any:
    """Make the function of a short form, if it is remembered.

    Parameters
    ----------
    said : Said
        What the short form is made of.
    signature : Signature
        Its signature.
    types : dict of str to str
        What the type variables are.
    given : dict of str to object
        Options that are not as configured.
    mode : str
        How it runs.
    make : callable
        As for `Later`.

    Returns
    -------
    Function or None
        None: it is not.
    """
    arguments = [*signature.inputs, *signature.outputs]
    if mode not in STANDARD or any([name in sys.modules for name in _SPARED]):
        return None
    if any([a.dtype == FUNCTION for a in arguments]):
        return None
    options = Options(given)
    if not may(options) or options.profile or options.account:
        return None
    entry = look(named(known_by(said, types, mode), options), options)
    if entry is None or entry["constants"]:
        return None
    later = Later(make, entry)
    later.built = builder.build(later.program, options)
    return _bound(said.name, signature, types, options, later)


def _bound(name: str, signature: Signature, types: Mapping[str, str], options: Options, later: Later) -> Any:
    unknown = dict.fromkeys([size[0] for size in signature.sizes])
    outputs = [*signature.outputs, *[signature.inputs[i] for i in signature.changed]]

    def rule(argument: Argument, downcast: bool | None, writeable: bool, name: str) -> tuple[Any, ...]:
        dtype = dtype_of(types.get(argument.dtype, argument.dtype))
        return rule_of(dtype, shape_of(argument, unknown), False, downcast, writeable, name)

    def rules() -> Sequence[tuple[Any, ...]]:
        downcast = options.allow_input_downcast
        weak = (True,) if downcast is None else ()
        return [(*rule(a, downcast, a.inout, a.name), *weak) for a in signature.inputs]

    assert later.built is not None and later.built.module is not None, "it is here to be called"
    made = tie(
        later.built.module,
        name,
        len(signature.inputs),
        lambda index, value: graphs.taken(later.maker())(index, value),
        [rule(a, None, True, "out") for a in outputs],
        lambda step, position, value: graphs.refused(later.maker())(step, position, value),
        rules=rules(),
        remark=None if signature.changed else remarker(lambda: later.maker().remarks()),
        threads=options.threads,
    )
    made.name = name
    made.maker = later
    made.copy = later.copy
    made.get_shared = later.get_shared
    made.__name__ = made.__qualname__ = name
    return made
