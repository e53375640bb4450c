"""How a function is made: what the user asked for, and the module bound to this function's Python objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from opweld.compile.binding import converter, performer, rejecter
from opweld.compile.failure import failer, refuser
from opweld.compile.io import In, Out
from opweld.compile.prepare import Record, prepare
from opweld.compile.rebuild import Substitution, shared_of
from opweld.compile.sharedvalue import SharedVariable
from opweld.config import config
from opweld.errors import ConfigError
from opweld.graph.basic import Variable, _what
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.type import Type
from opweld.rewriting.registering import registry
from opweld.rewriting.sets import RewriteSet

if TYPE_CHECKING:
    import inspect

    from opweld.compile.builder import Built
    from opweld.compile.debugmode import Checks, DebugMode
    from opweld.compile.program import Program

__all__ = ["Maker", "Recipe"]

_MODES = {"": "fast_run", "FAST_RUN": "fast_run", "FAST_COMPILE": "fast_compile"}  # mode -> tag of its rewriters
_OPTIMIZERS = ("default", "fast_run", "fast_compile", "merge", "None")


class Recipe:
    """What a function is made of: all that is pickled of it.

    Parameters
    ----------
    inputs : list of In
        The arguments.
    outputs : list of Out
        The results; givens stand in their places.
    updates : dict of SharedVariable to Variable
        What becomes the value of which shared variable.
    single : bool
        There is no list of results, but one result, or None.
    name : str or None
        The function's name.
    mode : str or DebugMode
        How it runs.
    """

    def __init__(
        self,
        inputs: list[In],
        outputs: list[Out],
        updates: dict[SharedVariable, Variable],
        single: bool,
        name: str | None,
        mode: Any,
    ) -> None:
        self.inputs = inputs
        self.outputs = outputs
        self.updates = updates
        self.single = single
        self.name = name
        self.mode = mode

    def make(self) -> Any:
        """Make the function.

        Returns
        -------
        Function
        """
        tag, debug = read_mode(self.mode)
        given = [spec.variable for spec in self.inputs]
        wanted = [*(out.variable for out in self.outputs), *self.updates.values()]
        shared = shared_of(wanted, set(given))
        shared += [variable for variable in self.updates if variable not in shared]
        record: Record | None = None if debug is None else []
        graph = prepare(
            [*given, *shared],
            wanted,
            rewrites_of(tag),
            record,
            {spec.variable for spec in self.inputs if spec.mutable},
            {position for position, out in enumerate(self.outputs) if out.borrow},
        )
        runs, checks = graph, None
        if debug is not None:
            runs, checks = debug.checked(graph, wanted, record or [], self.name or "f")
        updated = list(self.updates)
        return Maker(self.inputs, graph, self.single, self.name, shared, updated, self, runs, checks).create()

    def swapped(self, swap: Mapping[SharedVariable, SharedVariable]) -> Recipe:
        """Put shared variables in the place of others.

        Returns
        -------
        Recipe
        """
        put = Substitution(swap)
        outputs = [Out(put(out.variable), out.borrow) for out in self.outputs]
        updates = {swap.get(variable, variable): put(new) for variable, new in self.updates.items()}
        return Recipe(self.inputs, outputs, updates, self.single, self.name, self.mode)


def read_mode(mode: Any) -> tuple[str, DebugMode | None]:
    """Find what a mode means.

    Returns
    -------
    str
        The tag of the rewriters that it runs.
    DebugMode or None
        The mode itself where it debugs.
    """
    if isinstance(mode, str) and mode in _MODES:
        return _MODES[mode], None
    from opweld.compile.debugmode import DebugMode

    if mode in ("DebugMode", "DEBUG_MODE", DebugMode):
        return "fast_run", DebugMode()
    if isinstance(mode, DebugMode):
        return "fast_run", mode
    known = ", ".join(map(repr, [*_MODES, "DebugMode"][1:]))
    raise ValueError(f"no mode {mode!r}; known are {known}")


def rewrites_of(tag: str) -> RewriteSet | None:
    """Choose the rewriters of a function.

    Parameters
    ----------
    tag : str
        The mode's; ``config.optimizer`` may overrule it.

    Returns
    -------
    RewriteSet or None
        Of those that are registered now; None: the graph is not even merged.

    Raises
    ------
    ConfigError
        If ``config.optimizer`` is none of those that there are.
    """
    chosen = config.optimizer
    if chosen not in _OPTIMIZERS:
        raise ConfigError(f"config.optimizer: expected one of {', '.join(map(repr, _OPTIMIZERS))}, got {chosen!r}")
    if chosen in ("merge", "None"):
        return RewriteSet() if chosen == "merge" else None
    return registry.rewrites.including(tag if chosen == "default" else chosen)


class Maker:
    """How a function was made.

    Attributes
    ----------
    fgraph : FunctionGraph
        The graph that runs: rewritten, with the copies that keep outputs apart from inputs. Its nodes are not the
        user's.
    inputs : list of In
        The arguments.
    name : str or None
        As given.
    single : bool
        There is no list of results, but one result, or None.
    shared : list of SharedVariable
        What is read, and updated, besides the arguments: the last inputs of `fgraph`.
    updates : dict of int to SharedVariable
        Which output of `fgraph` is no result, but the new value of which shared variable: the last ones.
    recipe : Recipe or None
        What the user asked for.
    program : Program
        What the engine was given.
    built : Built
        The module.
    checks : Checks or None
        What the module calls in DebugMode, in the place of `fgraph`.
    """

    def __init__(
        self,
        inputs: list[In],
        graph: FunctionGraph,
        single: bool,
        name: str | None,
        shared: Sequence[SharedVariable] = (),
        updated: Sequence[SharedVariable] = (),
        recipe: Recipe | None = None,
        runs: FunctionGraph | None = None,
        checks: Checks | None = None,
    ) -> None:
        from opweld.compile import builder
        from opweld.compile.program import make_program

        self.inputs = inputs
        self.single = single
        self.name = name
        self.fgraph = graph
        self.shared = list(shared)
        self.updates = dict(enumerate(updated, len(graph.outputs) - len(updated)))
        self.recipe = recipe
        self.checks = checks
        self.keywords = keywords_of(inputs)
        self.program: Program = make_program(
            graph if runs is None else runs,
            self.called,
            single,
            self.keywords,
            [spec.value is not None for spec in inputs],
            [spec.mutable for spec in inputs],
            cells=len(shared),
            updates=[len(inputs) + self.shared.index(variable) for variable in updated],
        )
        self.built: Built = builder.build(self.program)

    @property
    def called(self) -> str:
        """The function's name in messages."""
        return self.name or "f"

    @property
    def returned(self) -> list[Variable]:
        """The outputs of `fgraph` that are results."""
        return self.fgraph.outputs[: len(self.fgraph.outputs) - len(self.updates)]

    def create(self) -> Any:
        """Bind the module to this function's Python objects.

        Returns
        -------
        Function
        """
        convert = converter(self.called, self.inputs, self.keywords, self.shared)
        defaults = tuple([self._default(i, convert) for i in range(len(self.inputs))])
        made = self.built.module.make(
            0,  # the only one of its module
            self.called,
            convert,
            rejecter(self.called, [variable.type for variable in self.returned]),
            tuple([performer(node) for node in self.program.performs]),
            tuple([constant.data for constant in self.program.constants]),
            defaults,
            tuple([variable.cell for variable in self.shared]),
            failer(self.called, self.program.steps) if self.checks is None else None,
            refuser(self.called, self.program, self.fgraph.outputs),
        )
        made.name = self.name
        made.maker = self
        made.copy = self.copy
        made.get_shared = self.get_shared
        made.__name__ = made.__qualname__ = self.called
        made.__doc__ = self._doc()
        return made

    def _default(self, index: int, convert: Callable[[int, Any], Any]) -> tuple[Any] | None:
        given = self.inputs[index].value
        if given is None:
            return None
        value = convert(index, given)
        if hasattr(value, "flags") and hasattr(value, "copy"):  # the caller's own, or a view of it
            value = value.copy()
        return (value,)

    def signature(self) -> inspect.Signature:
        """Give the callable's signature.

        Returns
        -------
        inspect.Signature
            Inputs without a name are positional only, and ``out`` comes last.
        """
        from inspect import Parameter, Signature

        unnamed = max((i for i, keyword in enumerate(self.keywords) if keyword is None), default=-1)
        parameters = []
        optional = False
        for i, (spec, keyword) in enumerate(zip(self.inputs, self.keywords)):
            default = Parameter.empty if spec.value is None else spec.value
            kind: Any = Parameter.POSITIONAL_ONLY if i <= unnamed else Parameter.POSITIONAL_OR_KEYWORD
            if optional and default is Parameter.empty:
                kind = Parameter.KEYWORD_ONLY
            optional = optional or default is not Parameter.empty
            name = keyword if keyword is not None and keyword.isidentifier() else f"arg{i}"
            parameters.append(Parameter(name, kind, default=default))
        parameters.append(Parameter("out", Parameter.KEYWORD_ONLY, default=None))
        try:
            return Signature(sorted(parameters, key=lambda parameter: parameter.kind))
        except ValueError:  # optional before required, and positional only
            return Signature([p.replace(default=Parameter.empty) for p in parameters[:-1]] + parameters[-1:])

    def get_shared(self) -> list[SharedVariable]:
        """Give the shared variables that the function reads or updates.

        Returns
        -------
        list of SharedVariable
        """
        return list(self.shared)

    def copy(
        self,
        share_memory: bool = False,
        swap: Mapping[SharedVariable, SharedVariable] | None = None,
        delete_updates: bool = False,
        name: str | None = None,
    ) -> Any:
        """Make a function like this one. Nothing is compiled, unless updates are left out.

        Parameters
        ----------
        share_memory : bool
            Accepted; functions share no memory but the values of shared variables.
        swap : dict of SharedVariable to SharedVariable, optional
            Which shared variables others of the same type shall stand for.
        delete_updates : bool
            Leave all updates out.
        name : str, optional
            Its name; this function's if left out.

        Returns
        -------
        Function

        Raises
        ------
        TypeError
            If what is swapped in is no shared variable of the same type.
        ValueError
            If what is swapped out is not this function's, or what is swapped in is.
        """
        recipe = altered(self, swap or {}, delete_updates, name)
        if (delete_updates and self.updates) or self.checks is not None:
            return recipe.make()
        made = object.__new__(Maker)
        made.__dict__.update(self.__dict__)
        made.recipe, made.name = recipe, recipe.name
        if swap:
            made.shared = [swap.get(variable, variable) for variable in self.shared]
            made.updates = {position: swap.get(variable, variable) for position, variable in self.updates.items()}
            put = Substitution(swap)
            inputs = [*(spec.variable for spec in self.inputs), *made.shared]
            made.fgraph = FunctionGraph(inputs, [put(variable) for variable in self.fgraph.outputs])
        return made.create()

    def reduce(self, made: Any) -> Any:
        """Pickle the function as what it is made of; it is made again where it is loaded, of a module in the cache.

        Parameters
        ----------
        made : Function
            What `create` gave.

        Returns
        -------
        tuple
            As ``__reduce__`` gives it.
        """
        return pickled(self.recipe)

    def source(self) -> str:
        """Give the C that the function came from; in DebugMode, that of its nodes.

        Returns
        -------
        str
        """
        texts = [] if self.checks is None else [text for text in self.checks.sources if text]
        return "\n".join(texts) or source_of(self.built, self.program)

    def _doc(self) -> str:
        names = [keyword or f"arg{i}" for i, keyword in enumerate(self.keywords)]
        lines = [f"{self.called}({', '.join([*names, '*', 'out=None'])})", "", "Compiled function.", ""]
        lines += ["Parameters", "----------"]
        for name, spec in zip(names, self.inputs):
            lines.append(f"{name} : {_type_text(spec.variable.type)}{'' if spec.value is None else ', optional'}")
            if spec.mutable:
                lines.append("    Is written into.")
        lines += ["out : array or list, optional", "    Where to put the outputs.", "", "Returns", "-------"]
        results = [_type_text(variable.type) for variable in self.returned]
        if self.single:
            lines += results or ["None"]
        else:
            lines += [f"list of {len(results)}", *(f"    {i}: {text}" for i, text in enumerate(results))]
        if self.updates:
            lines += ["", "Notes", "-----", f"Updates {', '.join(map(str, self.updates.values()))}."]
        return "\n".join(lines) + "\n"


def source_of(built: Built, program: Program) -> str:
    """Give the C of a module.

    Parameters
    ----------
    built : Built
        The module.
    program : Program
        What it was made of.

    Returns
    -------
    str
        The whole translation unit.
    """
    from opweld.compile.cache import sha256

    try:
        with open(built.source, "rb") as file:
            text = file.read()
        if sha256(text).hexdigest() == built.text:
            return text.decode()
    except OSError:
        pass
    from opweld import engine  # the cache was cleared since, or another file lies there

    return str(engine.render(program.text)["text"])


def altered(
    maker: Any, swap: Mapping[SharedVariable, SharedVariable], delete_updates: bool, name: str | None
) -> Recipe:
    """Change a function's recipe as its `copy` was asked to; `Maker.copy` says how.

    Returns
    -------
    Recipe
    """
    recipe: Recipe = maker.recipe
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name must be a string, got {_what(name)}")
    if not isinstance(swap, Mapping):
        raise TypeError(f"swap must be a dict of shared variables to shared variables, got {_what(swap)}")
    for old, new in swap.items():
        if old not in maker.shared:
            raise ValueError(f"swap: {_what(old)} is not a shared variable of {maker.called}()")
        if not isinstance(new, SharedVariable):
            raise TypeError(f"swap: expected a shared variable for {old}, got {_what(new)}")
        if new.type != old.type:
            raise TypeError(f"swap: {new} of type {new.type} cannot stand for {old} of type {old.type}")
    stand = [swap.get(variable, variable) for variable in maker.shared]
    for new in swap.values():
        if stand.count(new) > 1:
            raise ValueError(f"swap: {maker.called}() would have {new} twice: it stands for two shared variables")
    updates = {} if delete_updates else recipe.updates
    called = recipe.name if name is None else name
    return Recipe(recipe.inputs, recipe.outputs, updates, recipe.single, called, recipe.mode).swapped(swap)


def pickled(recipe: Recipe | None) -> tuple[Any, ...]:
    """Say how a function is pickled.

    Returns
    -------
    tuple
        As ``__reduce__`` gives it.
    """
    from opweld.graph.pickling import Batch

    assert recipe is not None  # what `function` makes has one
    variables = [*(out.variable for out in recipe.outputs), *recipe.updates.values()]
    return _again, (Batch(variables), recipe)


def _again(nodes: Any, recipe: Recipe) -> Any:
    """A function from its pickle; its nodes come first, so that none is pickled inside another."""
    return recipe.make()


def keywords_of(specs: list[In]) -> list[str | None]:
    """Name the arguments; a name that two share, and ``out``, name none.

    Returns
    -------
    list of str or None
    """
    names = [spec.name for spec in specs]
    return [name if name and name != "out" and names.count(name) == 1 else None for name in names]


def _type_text(type_: Type) -> str:
    shape = getattr(type_, "shape", None)
    dtype = getattr(type_, "dtype", None)
    if dtype is not None and shape:
        from opweld.dtypes import shape_text

        return f"{dtype} array of shape {shape_text(shape)}"
    return str(type_) if dtype is None else str(dtype)
