"""Modes: how the graph of a function is rewritten, and what runs it. docs/modes.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from opweld.compile.asked import Asked
from opweld.compile.code import Code, bind, compile_graph
from opweld.compile.data import STANDARD
from opweld.compile.keeping import keep
from opweld.compile.prepare import Replaced, prepare
from opweld.compile.program import make_program
from opweld.config import Options
from opweld.errors import ConfigError, _what
from opweld.graph.basic import Apply, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.op import Op
from opweld.rewriting.sets import RewriteSet
from opweld.rewriting.standard import registry
from opweld.rooms import late
from opweld.signatures import fitting, signature_of

__all__ = [
    "FAST_COMPILE", "FAST_RUN", "Compiled", "InC", "Linked", "Mode", "keep", "link", "lowered", "make_program",
    "one_node", "read_mode", "rewrites_of", "standard", "wants_replaced",
]  # fmt: skip

debugmode: Any = late("opweld.compile.debugmode")  # 2 ms, for those who debug
_OPTIMIZERS = ("default", "fast_run", "fast_compile", "merge", "None")


class Mode(Protocol):
    """How a function is made of its graph. Any object with these two is one; `opweld.function` takes it as ``mode=``.

    It may have ``options``, a mapping: those of the function (`opweld.config`) that no keyword says.
    """

    @property
    def rewrites(self) -> RewriteSet | None:
        """The rewriters that run on the graph; None: it is copied, and not even merged."""

    def link(self, graph: FunctionGraph) -> Callable[..., Sequence[Any]]:
        """Make what runs a graph.

        Parameters
        ----------
        graph : FunctionGraph
            Rewritten; its outputs share no memory with its inputs, unless the user allowed it. Its last inputs are the
            shared variables, and its last outputs what becomes their values.

        Returns
        -------
        callable
            Of the values of the graph's inputs, each of its variable's type; gives those of the outputs. A method
            ``source`` of it, which gives the C, is what `opweld.source` asks; a text ``unfused``, why it makes no
            loops of several nodes, is what `opweld.fusion` says.

        Notes
        -----
        Where its signature has a place for them, it is also given ``name``, the function's name, ``options``, its
        `Options`, and ``replaced``, a list of what was put for what on the way from the user's graph to this one: who
        did it, the variable before, the variable after, the outputs last.
        """


class InC:
    """A graph that runs as one module of C: what the standard modes link.

    `opweld.function` compiles it together with what a call of the function looks like. Called by hand, it takes the
    values of the graph's inputs, which are converted as a function's arguments are, and gives the list of the outputs'.

    Parameters
    ----------
    graph : FunctionGraph
        The graph.
    options : Options, optional
        What it is compiled with.
    name : str, optional
        Its name, for messages.
    """

    def __init__(self, graph: FunctionGraph, options: Options | None = None, name: str | None = None) -> None:
        self.graph = graph
        self.options = options
        self.name = name or "f"
        self._code: Code | None = None
        self._run: Callable[..., Any] | None = None

    def ready(self) -> InC:
        """Compile now, not at the first call.

        Returns
        -------
        InC
            Itself.
        """
        if self._run is None:
            graph = self.graph
            self._code = compile_graph(graph, self.name, self.options, keywords=[None] * len(graph.inputs))
            self._run = bind(self._code, self.name)
        return self

    def __call__(self, *values: Any) -> Any:
        """Run.

        Parameters
        ----------
        *values
            Those of the graph's inputs.

        Returns
        -------
        list
            Those of its outputs.
        """
        return (self._run or self.ready()._run)(*values)  # type: ignore[misc]

    def source(self) -> str:
        """Give the C.

        Returns
        -------
        str
        """
        code = self.ready()._code
        assert code is not None
        return code.source()


class Compiled:
    """The standard modes: rewriters of one tag among those that are registered, then one module of C.

    Parameters
    ----------
    *tags : str
        Which rewriters run: ``"fast_run"``, ``"fast_compile"``, or tags of one's own.
    options : mapping of str to object, optional
        Options of functions of this mode.
    """

    def __init__(self, *tags: str, options: Mapping[str, Any] | None = None) -> None:
        self.tags = tags
        self.without: tuple[str, ...] = ()
        self.options = dict(options or {})
        if options:
            Options(options)  # what is wrong is said here

    @property
    def rewrites(self) -> RewriteSet:
        """Those that are registered now."""
        found = registry.rewrites.including(*self.tags)
        return found.excluding(*self.without) if self.without else found

    def including(self, *tags: str) -> Compiled:
        """Give a mode that runs what has one of these tags besides; one that was taken out is back."""
        made = Compiled(*self.tags, *tags, options=self.options)
        made.without = tuple([tag for tag in self.without if tag not in tags])
        return made

    def excluding(self, *tags: str) -> Compiled:
        """Give a mode that runs nothing that has one of these tags."""
        made = Compiled(*self.tags, options=self.options)
        made.without = (*self.without, *tags)
        return made

    def link(self, graph: FunctionGraph, options: Options | None = None, name: str | None = None) -> InC:
        """Leave the graph to be compiled with the function's arguments."""
        return InC(graph, options, name)

    def __repr__(self) -> str:
        given = [*map(repr, self.tags), *([f"options={self.options!r}"] if self.options else [])]
        without = f".excluding({', '.join(map(repr, self.without))})" if self.without else ""
        return f"{type(self).__name__}({', '.join(given)}){without}"


FAST_RUN = Compiled("fast_run")
FAST_COMPILE = Compiled("fast_compile")
_NAMED = {name: FAST_RUN if tag in FAST_RUN.tags else FAST_COMPILE for name, tag in STANDARD.items()}


def read_mode(mode: Any) -> Mode:
    """Find what a user means by a mode.

    Parameters
    ----------
    mode : str, Mode or type
        A name; a mode; or a class of modes, which stands for what it makes of nothing.

    Returns
    -------
    Mode

    Raises
    ------
    ValueError
        If it is none.
    """
    if isinstance(mode, str) and mode in _NAMED:
        return _NAMED[mode]
    if isinstance(mode, str) and mode in ("DebugMode", "DEBUG_MODE"):
        debug: Mode = debugmode.DebugMode()
        return debug
    if hasattr(mode, "rewrites") and callable(getattr(mode, "link", None)):
        made: Mode = mode() if isinstance(mode, type) else mode
        return made
    known = ", ".join(map(repr, [*_NAMED, "DebugMode"][1:]))
    also = "" if isinstance(mode, str) else ", and objects with `rewrites` and `link`"
    raise ValueError(f"no mode {mode!r}; known are {known}{also}")


class _Standard(Compiled):
    """A standard mode as it is where nobody has registered rewriters."""

    @property
    def rewrites(self) -> RewriteSet:
        """Those that come with the library."""
        return registry.first.including(*self.tags)


def standard(name: str) -> Mode:
    """Give a standard mode as it is where nobody has registered rewriters: that of a function that is remembered.

    Parameters
    ----------
    name : str
        Its name.

    Returns
    -------
    Mode
    """
    return _Standard(STANDARD[name])


def rewrites_of(mode: Mode, optimizer: str) -> RewriteSet | None:
    """Choose the rewriters of a function.

    Parameters
    ----------
    mode : Mode
        Its mode.
    optimizer : str
        The option of this name, which may overrule the mode.

    Returns
    -------
    RewriteSet or None
        None: the graph is not even merged.

    Raises
    ------
    ConfigError
        If there is no such `optimizer`.
    TypeError
        If the mode's are none.
    """
    if optimizer not in _OPTIMIZERS:
        raise ConfigError(f"config.optimizer: expected one of {', '.join(map(repr, _OPTIMIZERS))}, got {optimizer!r}")
    if optimizer in ("merge", "None"):
        return RewriteSet() if optimizer == "merge" else None
    if optimizer != "default":
        return (registry.first if isinstance(mode, _Standard) else registry.rewrites).including(optimizer)
    found: Any = mode.rewrites
    if found is not None and not isinstance(found, RewriteSet):
        raise TypeError(f"{mode!r}: rewrites must be an opweld.rewriting.RewriteSet or None, got {_what(found)}")
    return found


def wants_replaced(mode: Mode) -> bool:
    """Say whether a mode's `link` takes ``replaced``.

    Parameters
    ----------
    mode : Mode
        The mode.

    Returns
    -------
    bool
    """
    found = signature_of(mode.link)
    return found is not None and (found.accepts("replaced") or "replaced" in found.positional)


def link(
    mode: Mode, graph: FunctionGraph, options: Options, name: str | None, replaced: Replaced | None
) -> Callable[..., Any]:
    """Let a mode make what runs a graph.

    Parameters
    ----------
    mode : Mode
        The mode.
    graph : FunctionGraph
        As `Mode.link` takes it.
    options : Options
        The function's.
    name : str or None
        Its name.
    replaced : list or None
        As `Mode.link` takes it.

    Returns
    -------
    callable

    Raises
    ------
    TypeError
        If it made nothing that can be called.
    """
    further, named = fitting(mode.link, 1, {"options": options, "name": name, "replaced": replaced})
    made = mode.link(graph, *further, **named)
    if (options.isolate or options.sanitize) and isinstance(made, InC):
        made = debugmode.Isolated(graph, options, name)
    if not callable(made):
        raise TypeError(f"{mode!r}: link must give a callable of the values of the graph's inputs, got {_what(made)}")
    return made


def lowered(
    recipe: Asked, options: Options, shared: Sequence[Variable], mode: Mode | None = None
) -> tuple[FunctionGraph, Callable[..., Any]]:
    """Go from what a user asked for to the graph that runs, and to what runs it.

    Parameters
    ----------
    recipe : Asked
        What the user asked for.
    options : Options
        The function's.
    shared : list of SharedVariable
        What it reads and updates besides.
    mode : Mode, optional
        What the recipe's means, if that is known.

    Returns
    -------
    FunctionGraph, callable
        What `Mode.link` takes, and what it gives.
    """
    mode = read_mode(recipe.mode) if mode is None else mode
    given = [spec.variable for spec in recipe.inputs]
    wanted = recipe.wanted
    replaced: Replaced | None = [] if wants_replaced(mode) else None
    graph = prepare(
        [*given, *shared],
        wanted,
        rewrites_of(mode, options.optimizer),
        replaced,
        {spec.variable for spec in recipe.inputs if spec.mutable},
        {position for position, out in enumerate(recipe.outputs) if out.borrow},
    )
    if replaced is not None:
        replaced += [("merging and rewriting", old, new) for old, new in zip(wanted, graph.outputs)]
    return graph, link(mode, graph, options, recipe.name, replaced)


def one_node(run: Callable[..., Any], graph: FunctionGraph) -> FunctionGraph:
    """Make a graph of one node, in Python, that runs what a mode has linked; so that its arguments are a function's.

    Parameters
    ----------
    run : callable
        What `link` gave.
    graph : FunctionGraph
        What it runs.

    Returns
    -------
    FunctionGraph
        With the inputs of `graph`, and outputs of the types of its outputs.
    """
    made = Apply(Linked(run), graph.inputs, [variable.type() for variable in graph.outputs])
    return FunctionGraph(graph.inputs, made.outputs)


class Linked(Op):
    """A whole graph as one op: what a mode has linked."""

    def __init__(self, run: Callable[..., Any]) -> None:
        self._run = run

    def __str__(self) -> str:
        return "what the mode has linked"

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Run it."""
        found = self._run(*inputs)
        if not isinstance(found, (list, tuple)) or len(found) != len(output_storage):
            raise TypeError(
                f"{self} must give a list of {len(output_storage)}, a value for each output of the "
                f"graph, got {_what(found)}{f' of {len(found)}' if isinstance(found, (list, tuple)) else ''}"
            )
        for cell, value in zip(output_storage, found):
            cell[0] = value
