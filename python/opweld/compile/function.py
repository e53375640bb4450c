"""function(): from inputs and outputs to a callable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from opweld.compile.hooks import taken
from opweld.config import config
from opweld.errors import OpweldWarning, UnusedInputError
from opweld.graph.aliasing import check_destroyed, roots
from opweld.graph.basic import Apply, Constant, Variable, _named, _what
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.type import Type

if TYPE_CHECKING:
    import inspect

    from opweld.compile.builder import Built
    from opweld.compile.program import Program

__all__ = ["Function", "In", "Maker", "function", "source"]

_MODES = ("", "FAST_RUN", "FAST_COMPILE")


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
        The graph, with the copies that keep outputs apart from inputs.
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

    def __init__(
        self, inputs: list[In], outputs: list[Variable], single: bool, name: str | None, on_unused_input: str = "raise"
    ) -> None:
        from opweld.compile import builder
        from opweld.compile.program import make_program

        self.inputs = inputs
        self.single = single
        self.name = name
        variables = [spec.variable for spec in inputs]
        self.fgraph = FunctionGraph(variables, _set_apart(variables, outputs))
        _check_unused(inputs, self.fgraph, on_unused_input)
        mutable = [spec.mutable for spec in inputs]
        if any(node.op.destroy_map for node in self.fgraph.apply_nodes):
            check_destroyed(self.fgraph.apply_nodes, variables, {spec.variable for spec in inputs if spec.mutable})
        self.keywords = _keywords(inputs)
        self.program: Program = make_program(
            self.fgraph, self.called, single, self.keywords, [spec.value is not None for spec in inputs], mutable
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
        convert = _converter(self.called, self.inputs, self.keywords)
        defaults = tuple([self._default(i, convert) for i in range(len(self.inputs))])
        made = self.built.module.make(
            self.called,
            convert,
            _rejecter(self.called, [variable.type for variable in self.fgraph.outputs]),
            tuple([_performer(node) for node in self.program.performs]),
            tuple([constant.data for constant in self.program.constants]),
            defaults,
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
        if value is given and hasattr(value, "flags") and hasattr(value, "copy"):
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
    mode: str | None = None,
    name: str | None = None,
    on_unused_input: str | None = None,
    allow_input_downcast: bool | None = None,
) -> Any:
    """Compile a graph.

    Parameters
    ----------
    inputs : list of Variable or In
        The arguments, in order.
    outputs : Variable or list of Variable
        What the function computes; a bare variable is returned bare, a list as a list.
    mode : str, optional
        Nothing, ``"FAST_RUN"`` or ``"FAST_COMPILE"``: they do the same for now.
    name : str, optional
        The function's name, for messages.
    on_unused_input : {"raise", "warn", "ignore"}, optional
        What to do about an input that no output needs; ``config.on_unused_input`` if left out.
    allow_input_downcast : bool, optional
        Whether arguments are cast where values may change; ``config.allow_input_downcast`` if left out.

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
    CompileError, CompilerNotFoundError, CacheError, EngineError, LoadError
        If the module cannot be built or loaded.
    """
    _check_mode(config.mode if mode is None else mode)
    downcast = config.allow_input_downcast if allow_input_downcast is None else allow_input_downcast
    specs = _inputs(inputs, downcast)
    single = isinstance(outputs, Variable)
    results = _outputs([outputs] if single else outputs)
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name must be a string, got {_what(name)}")
    unused = config.on_unused_input if on_unused_input is None else on_unused_input
    return Maker(specs, results, single, name, unused).create()


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


def _check_mode(mode: Any) -> None:
    if mode == "DebugMode":
        raise NotImplementedError("mode 'DebugMode' is not there yet")
    if mode not in _MODES:
        raise ValueError(f"no mode {mode!r}; known are {', '.join(map(repr, _MODES[1:]))}")


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


def _check_unused(specs: list[In], graph: FunctionGraph, action: str) -> None:
    if action not in ("raise", "warn", "ignore"):
        raise ValueError(f"on_unused_input must be 'raise', 'warn' or 'ignore', got {action!r}")
    if action == "ignore":
        return
    used = {variable for node in graph.apply_nodes for variable in node.inputs}
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

        warn(message, OpweldWarning, stacklevel=4)


def _set_apart(inputs: list[Variable], outputs: list[Variable]) -> list[Variable]:
    """Put a copy between each output and memory that an input, a constant or an earlier output holds."""
    from opweld.compile.ops import deep_copy_op

    known: dict[Variable, frozenset[Variable]] = {variable: frozenset((variable,)) for variable in inputs}
    taken_already: set[Variable] = set(inputs)
    results: list[Variable] = []
    for output in outputs:
        owners = roots(output, known)
        if not owners.isdisjoint(taken_already) or any(isinstance(owner, Constant) for owner in owners):
            copied: Variable = deep_copy_op(output)
            copied.name = output.name
            results.append(copied)
        else:
            taken_already |= owners
            results.append(output)
    return results


def _keywords(specs: list[In]) -> list[str | None]:
    """The arguments' names; a name that two share, and ``out``, name none."""
    names = [spec.name for spec in specs]
    return [name if name and name != "out" and names.count(name) == 1 else None for name in names]


def _filter_of(type_: Type, strict: bool = False, allow_downcast: bool | None = None) -> Callable[[Any], Any]:
    """A type's `filter` with the keywords that it takes."""
    method = type_.filter
    known = taken(getattr(method, "__func__", method))
    options: dict[str, Any] = {"strict": strict, "allow_downcast": allow_downcast}
    if known is not None:
        options = {key: value for key, value in options.items() if key in known}

    def convert(value: Any) -> Any:
        return method(value, **options)

    return convert


def _converter(called: str, specs: list[In], keywords: list[str | None]) -> Callable[[int, Any], Any]:
    """What the module calls for an argument that it cannot take as it is."""
    filters: list[Callable[[Any], Any] | None] = [None] * len(specs)

    def make(index: int) -> Callable[[Any], Any]:
        spec = specs[index]
        named = getattr(spec.variable.type, "filter_argument", None)
        if named is not None and type(spec.variable.type).filter is _tensor_filter():
            name = keywords[index] or "x"
            return lambda value: named(value, spec.strict, spec.allow_downcast, spec.mutable, name)
        return _filter_of(spec.variable.type, spec.strict, spec.allow_downcast)

    def convert(index: int, value: Any) -> Any:
        found = filters[index]
        if found is None:
            found = filters[index] = make(index)
        try:
            return found(value)
        except Exception as err:
            name = keywords[index]
            place = repr(name) if name is not None else str(index + 1)
            _prefix(err, f"{called}() argument {place}")
            raise

    return convert


def _tensor_filter() -> Any:
    from opweld.tensor.type import TensorType

    return TensorType.filter


def _prefix(err: Exception, where: str) -> None:
    """Say in an exception where it arose; its class stays."""
    if err.args and isinstance(err.args[0], str):
        err.args = (f"{where}: {err.args[0]}", *err.args[1:])
    elif not err.args:
        err.args = (where,)


def _rejecter(called: str, types: list[Type]) -> Callable[[int, Any], None]:
    """What the module calls to refuse an ``out=``."""

    def reject(position: int, value: Any) -> None:
        import numpy as np

        from opweld.dtypes import describe, expected, shape_text
        from opweld.tensor.type import TensorType

        type_ = types[position]
        where = f"{called}() out" if len(types) == 1 else f"{called}() out[{position}]"
        if not isinstance(type_, TensorType):
            raise TypeError(f"{where}: an output of type {type_} cannot be written into a given object; pass None")
        message = f"{where}: expected {expected(type_._dtype, type_.shape, True)}; got {describe(value)}"
        advice = f"pass np.empty({shape_text(type_.shape)}, {type_.dtype!r})"
        if any(size is None for size in type_.shape):
            advice = f"pass np.empty(shape, {type_.dtype!r})"
        if not isinstance(value, np.ndarray):
            raise TypeError(f"{message}: {advice}")
        if type(value) is not np.ndarray:
            raise TypeError(f"{message}: subclasses are not written into; pass out.view(np.ndarray)")
        if value.ndim != type_.ndim:
            raise TypeError(f"{message}: its number of dimensions differs; {advice}")
        if any(want is not None and have != want for have, want in zip(value.shape, type_.shape)):
            raise ValueError(f"{message}: its shape differs; {advice}")
        if value.dtype.num != type_.numpy_dtype.num:
            raise TypeError(f"{message}: its dtype differs; {advice}")
        if not value.dtype.isnative:
            raise TypeError(f"{message}: it is in swapped byte order; {advice}")
        if not value.flags.aligned:
            raise TypeError(f"{message}: it is misaligned; {advice}")
        raise TypeError(f"{message}: it is read-only; {advice}")

    return reject


def _performer(node: Apply) -> Callable[..., tuple[Any, ...]]:
    """What the module calls for a node that runs in Python."""
    op = node.op
    perform = op.perform
    filters = [_filter_of(output.type) for output in node.outputs]

    def run(*values: Any) -> tuple[Any, ...]:
        cells: list[list[Any]] = [[None] for _ in filters]
        storage = list(cells)
        perform(node, list(values), storage)
        results = []
        for position, convert in enumerate(filters):
            cell = f"output_storage[{position}]"
            if len(storage) <= position or storage[position] is not cells[position] or len(cells[position]) != 1:
                raise TypeError(f"{op}: perform put something in place of {cell}; write {cell}[0] = …")
            value = cells[position][0]
            try:
                results.append(convert(value))
            except (TypeError, ValueError) as err:
                _prefix(err, f"{op}: perform did not set {cell}[0]" if value is None else f"{op}: perform's {cell}[0]")
                raise
        return tuple(results)

    return run


def _type_text(type_: Type) -> str:
    shape = getattr(type_, "shape", None)
    dtype = getattr(type_, "dtype", None)
    if dtype is not None and shape:
        from opweld.dtypes import shape_text

        return f"{dtype} array of shape {shape_text(shape)}"
    return str(type_) if dtype is None else str(dtype)
