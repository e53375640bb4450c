"""function(): from inputs and outputs to a callable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from opweld.compile.binding import converter, performer, rejecter
from opweld.compile.prepare import Record, prepare
from opweld.config import config
from opweld.errors import OpweldWarning, UnusedInputError
from opweld.graph.basic import Constant, Variable, _named, _what
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.type import Type

if TYPE_CHECKING:
    import inspect

    from opweld.compile.builder import Built
    from opweld.compile.debugmode import DebugMode
    from opweld.compile.program import Program

__all__ = ["Function", "In", "Maker", "function", "source"]

_MODES = {"": "fast_run", "FAST_RUN": "fast_run", "FAST_COMPILE": "fast_compile"}  # mode -> tag of its rewriters


class Function(Protocol):
    """What `function` gives: a callable that is C from its entry to its return.

    Attributes
    ----------
    name : str or None
        As given to `function`.
    maker : Maker
        How it was made; ``maker.fgraph.toposort()`` lists its nodes.
    """

    name: str | None
    maker: Maker

    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """Run.

        Parameters
        ----------
        *args, **kwargs
            The inputs, in order or by name.
        out : ndarray or list of (ndarray or None), optional
            Where to put the outputs.

        Returns
        -------
        object or list
            The output, or a list of them.
        """


class In:
    """An input of a function, with what is particular to it.

    Parameters
    ----------
    variable : Variable
        The input.
    name : str, optional
        The argument's name; the variable's if left out.
    value : object, optional
        A default; converted and, if it is an array, copied when the function is made.
    strict : bool
        Refuse arguments that need a conversion.
    allow_downcast : bool, optional
        Whether arguments are cast where values may change; None: as the function says.
    mutable : bool
        The function may write into the argument.
    borrow : bool
        Accepted; arguments are never copied unless they must be.
    """

    def __init__(
        self,
        variable: Variable,
        name: str | None = None,
        value: Any = None,
        strict: bool = False,
        allow_downcast: bool | None = None,
        mutable: bool = False,
        borrow: bool = False,
    ) -> None:
        if not isinstance(variable, Variable):
            raise TypeError(f"In: expected a Variable, got {_what(variable)}")
        if mutable and value is not None:
            raise ValueError(f"In({variable}): mutable and value exclude each other: a call would change the default")
        self.variable = variable
        self.name = variable.name if name is None else name
        self.value = value
        self.strict = strict
        self.allow_downcast = allow_downcast
        self.mutable = mutable
        self.borrow = borrow

    def __repr__(self) -> str:
        return f"In({self.variable})"


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
        One output is returned bare.
    program : Program
        What the engine was given.
    built : Built
        The module.
    """

    def __init__(self, inputs: list[In], graph: FunctionGraph, single: bool, name: str | None) -> None:
        from opweld.compile import builder
        from opweld.compile.program import make_program

        self.inputs = inputs
        self.single = single
        self.name = name
        self.fgraph = graph
        self.keywords = _keywords(inputs)
        self.program: Program = make_program(
            graph,
            self.called,
            single,
            self.keywords,
            [spec.value is not None for spec in inputs],
            [spec.mutable for spec in inputs],
        )
        self.built: Built = builder.build(self.program)

    @property
    def called(self) -> str:
        """The function's name in messages."""
        return self.name or "f"

    def create(self) -> Any:
        """Bind the module to this function's Python objects.

        Returns
        -------
        Function
        """
        convert = converter(self.called, self.inputs, self.keywords)
        defaults = tuple([self._default(i, convert) for i in range(len(self.inputs))])
        made = self.built.module.make(
            self.called,
            convert,
            rejecter(self.called, [variable.type for variable in self.fgraph.outputs]),
            tuple([performer(node) for node in self.program.performs]),
            tuple([constant.data for constant in self.program.constants]),
            defaults,
            (),
            None,
        )
        made.name = self.name
        made.maker = self
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

    def reduce(self, made: Any) -> Any:
        """Refuse to be pickled."""
        raise TypeError(
            f"{self.called}() cannot be pickled yet: make the function in each process; the cache has its module"
        )

    def _doc(self) -> str:
        names = [keyword or f"arg{i}" for i, keyword in enumerate(self.keywords)]
        lines = [f"{self.called}({', '.join([*names, '*', 'out=None'])})", "", "Compiled function.", ""]
        lines += ["Parameters", "----------"]
        for name, spec in zip(names, self.inputs):
            lines.append(f"{name} : {_type_text(spec.variable.type)}{'' if spec.value is None else ', optional'}")
            if spec.mutable:
                lines.append("    Is written into.")
        lines += ["out : array or list, optional", "    Where to put the outputs.", "", "Returns", "-------"]
        results = [_type_text(variable.type) for variable in self.fgraph.outputs]
        if self.single:
            lines += results
        else:
            lines += [f"list of {len(results)}", *(f"    {i}: {text}" for i, text in enumerate(results))]
        return "\n".join(lines) + "\n"


def function(
    inputs: Sequence[Variable | In],
    outputs: Variable | Sequence[Variable],
    mode: Any = None,
    name: str | None = None,
    on_unused_input: str | None = None,
    allow_input_downcast: bool | None = None,
    givens: Any = None,
    updates: Any = None,
) -> Any:
    """Compile a graph.

    Parameters
    ----------
    inputs : list of Variable or In
        The arguments, in order.
    outputs : Variable or list of Variable
        What the function computes; a bare variable is returned bare, a list as a list.
    mode : str or DebugMode, optional
        ``"FAST_RUN"``, the default: every rewriter runs. ``"FAST_COMPILE"``: those that bring the graph into its
        canonical form. ``"DebugMode"``: nothing is fused into one module; each node is run by itself and checked.
    name : str, optional
        The function's name, for messages.
    on_unused_input : {"raise", "warn", "ignore"}, optional
        What to do about an input that no output needs; ``config.on_unused_input`` if left out.
    allow_input_downcast : bool, optional
        Whether arguments are cast where values may change; ``config.allow_input_downcast`` if left out.
    givens, updates
        Not there yet.

    Returns
    -------
    Function
        Takes the inputs by position or by name, and ``out=``.

    Raises
    ------
    TypeError
        If something other than a Variable stands among inputs or outputs.
    UnusedInputError, MissingInputError, InconsistencyError
        If inputs, outputs and ops do not fit together.
    RewriteError
        If a rewriter gives what does not fit, or rewriters undo one another's work.
    CompileError, CompilerNotFoundError, CacheError, EngineError, LoadError
        If the module cannot be built or loaded.
    """
    mode = config.mode if mode is None else mode
    tag, debug = _mode(mode)
    downcast = config.allow_input_downcast if allow_input_downcast is None else allow_input_downcast
    specs = _inputs(inputs, downcast)
    single = isinstance(outputs, Variable)
    results = _outputs([outputs] if single else outputs)
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name must be a string, got {_what(name)}")
    for argument, given in (("givens", givens), ("updates", updates)):
        if given:
            raise NotImplementedError(f"function({argument}=...) is not there yet")
    record: Record | None = None if debug is None else []
    graph = prepare(specs, results, tag, record)
    _check_unused(specs, results, config.on_unused_input if on_unused_input is None else on_unused_input)
    if debug is not None:
        return debug.function(specs, results, graph, record or [], single, name)
    return Maker(specs, graph, single, name).create()


def source(made: Any) -> str:
    """Show the C that a function came from.

    Parameters
    ----------
    made : Function
        What `function` gave.

    Returns
    -------
    str
        The whole translation unit.

    Raises
    ------
    TypeError
        If it is not such a function.
    """
    maker = getattr(made, "maker", None)
    if not isinstance(maker, Maker):
        raise TypeError(f"expected what opweld.function() gave, got {_what(made)}")
    try:
        with open(maker.built.source, encoding="utf-8") as file:
            return file.read()
    except OSError:  # the cache was cleared since
        from opweld import engine

        return str(engine.render(maker.program.text)["text"])


def _mode(mode: Any) -> tuple[str, DebugMode | None]:
    """The tag of the rewriters that a mode runs, and the mode itself where it debugs."""
    if isinstance(mode, str) and mode in _MODES:
        return _MODES[mode], None
    from opweld.compile.debugmode import DebugMode

    if mode in ("DebugMode", "DEBUG_MODE", DebugMode):
        return "fast_run", DebugMode()
    if isinstance(mode, DebugMode):
        return "fast_run", mode
    known = ", ".join(map(repr, [*_MODES, "DebugMode"][1:]))
    raise ValueError(f"no mode {mode!r}; known are {known}")


def _inputs(given: Any, downcast: bool | None) -> list[In]:
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"inputs must be a list of Variables, got {_what(given)}")
    specs: list[In] = []
    seen: dict[Variable, int] = {}
    for position, item in enumerate(given):
        if isinstance(item, In):
            allow = downcast if item.allow_downcast is None else item.allow_downcast
            spec = In(item.variable, item.name, item.value, item.strict, allow, item.mutable, item.borrow)
        elif isinstance(item, Variable):
            spec = In(item, allow_downcast=downcast)
        else:
            raise TypeError(f"inputs[{position}] must be a Variable or In, got {_what(item)}")
        if isinstance(spec.variable, Constant):
            raise TypeError(f"inputs[{position}] is the constant {spec.variable}; a constant cannot be given")
        if spec.variable in seen:
            raise ValueError(
                f"inputs[{position}] is {spec.variable}, and so is inputs[{seen[spec.variable]}]: give it once"
            )
        seen[spec.variable] = position
        specs.append(spec)
    return specs


def _outputs(given: Any) -> list[Variable]:
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"outputs must be a Variable or a list of them, got {_what(given)}")
    for position, item in enumerate(given):
        if not isinstance(item, Variable):
            raise TypeError(f"outputs[{position}] must be a Variable, got {_what(item)}")
    return list(given)


def _check_unused(specs: list[In], outputs: list[Variable], action: str) -> None:
    if action not in ("raise", "warn", "ignore"):
        raise ValueError(f"on_unused_input must be 'raise', 'warn' or 'ignore', got {action!r}")
    if action == "ignore":
        return
    used = _needed({spec.variable for spec in specs}, outputs)
    for position, spec in enumerate(specs):
        if spec.variable in used:
            continue
        message = (
            f"inputs[{position}], {_named(spec.variable)}, is not needed by any output: leave it out, or pass "
            f"on_unused_input='ignore'"
        )
        if action == "raise":
            raise UnusedInputError(message)
        from warnings import warn

        warn(message, OpweldWarning, stacklevel=3)


def _needed(given: set[Variable], outputs: list[Variable]) -> set[Variable]:
    """Those of the given variables that outputs are computed from."""
    found: set[Variable] = set()
    seen: set[Any] = set()
    stack = list(outputs)
    while stack and len(found) < len(given):
        variable = stack.pop()
        if variable in given:
            found.add(variable)
        elif variable.owner is not None and variable.owner not in seen:
            seen.add(variable.owner)
            stack.extend(variable.owner.inputs)
    return found


def _keywords(specs: list[In]) -> list[str | None]:
    """The arguments' names; a name that two share, and ``out``, name none."""
    names = [spec.name for spec in specs]
    return [name if name and name != "out" and names.count(name) == 1 else None for name in names]


def _type_text(type_: Type) -> str:
    shape = getattr(type_, "shape", None)
    dtype = getattr(type_, "dtype", None)
    if dtype is not None and shape:
        from opweld.dtypes import shape_text

        return f"{dtype} array of shape {shape_text(shape)}"
    return str(type_) if dtype is None else str(dtype)
