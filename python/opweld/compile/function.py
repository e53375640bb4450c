"""function(): from inputs and outputs to a callable."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from opweld.compile import recipe
from opweld.compile.data import STANDARD
from opweld.compile.io import (
    In,
    Out,
    Substitution,
    add_default_updates,
    check_arguments,
    read_givens,
    read_updates,
    shared_of,
)
from opweld.compile.maker import Maker, modes
from opweld.compile.recipe import Recipe
from opweld.config import Options, config
from opweld.errors import OpweldWarning, UnusedInputError, _instead, _named, _what, _yes_or_no
from opweld.graph.basic import Variable
from opweld.graph.shared import SharedVariable
from opweld.rooms import ending

__all__ = ["Function", "In", "Maker", "Out", "SharedVariable", "function"]


class Function(ABC):
    """What `function` gives: a callable that is C from its entry to its return.

    Attributes
    ----------
    name : str or None
        As given to `function`.
    maker : Maker
        How it was made; ``maker.fgraph.toposort()`` lists its nodes.
    profile : Profile
        What its calls have cost, where it was made with ``profile=True``; else there is none.
    account : Account
        What its C has lost of references and memory, where it was made with the option ``account``; else there is none.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> f = opweld.function([x], x * 2, name="twice")
    >>> isinstance(f, opweld.Function), f.name, f([1.0, 2.0])
    (True, 'twice', array([2., 4.]))
    """

    name: str | None
    maker: Maker
    profile: Any
    account: Any

    @classmethod
    def __subclasshook__(cls, other: type) -> Any:
        """Know the classes of functions: each module has its own, all of one name."""
        if cls is Function and (other.__module__, other.__qualname__) == ("opweld", "Function"):
            return True
        return NotImplemented

    @abstractmethod
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
            The output, or a list of them; None where the function was given none. An array without dimensions comes as
            a scalar of NumPy's.
        """

    @abstractmethod
    def copy(
        self,
        share_memory: bool = False,
        swap: Mapping[SharedVariable, SharedVariable] | None = None,
        delete_updates: bool = False,
        name: str | None = None,
    ) -> Function:
        """Make a function like this one; see `opweld.compile.maker.Maker.copy`."""
        raise NotImplementedError

    @abstractmethod
    def get_shared(self) -> list[SharedVariable]:
        """Give the shared variables that it reads or updates."""
        raise NotImplementedError


@ending
def function(
    inputs: Sequence[Variable | In],
    outputs: Variable | Out | Sequence[Variable | Out] | None = None,
    mode: object = None,
    name: str | None = None,
    on_unused_input: str | None = None,
    allow_input_downcast: bool | None = None,
    givens: object = None,
    updates: object = None,
    no_default_updates: object = False,
    fuse: bool | None = None,
    options: Mapping[str, Any] | None = None,
    profile: bool | None = None,
    threads: int | None = None,
    isolate: bool | None = None,
    lint: str | None = None,
    sanitize: str | bool | None = None,
    fastmath: bool | None = None,
) -> Any:
    """Compile a graph.

    Shared variables that the graph contains are read at each call; they are no arguments.

    Parameters
    ----------
    inputs : list of Variable or In
        The arguments, in order.
    outputs : Variable, Out or list of them, optional
        What the function computes; a bare one is returned bare, a list as a list. Left out: it returns None.
    mode : str or Mode, optional
        ``"FAST_RUN"``, the default: every rewriter runs. ``"FAST_COMPILE"``: those that bring the graph into its
        canonical form. ``"DebugMode"``: nothing is fused into one module; each node is run by itself and checked.
        Or a mode of one's own: any object with ``rewrites`` and ``link`` (`opweld.compile.modes.Mode`).
    name : str, optional
        The function's name, for messages.
    on_unused_input : {"raise", "warn", "ignore"}, optional
        What to do about an input that no output or update needs; ``config.on_unused_input`` if left out.
    allow_input_downcast : bool, optional
        Whether arguments are cast where values may change; ``config.allow_input_downcast`` if left out.
    givens : list of (Variable, Variable or value), or dict, optional
        What to compute with in the place of which variable of the graph. Each may need variables that another pair
        replaces; where it needs the variable that it replaces, that one itself is meant.
    updates : list of (SharedVariable, Variable or value), or dict, optional
        What becomes the value of which shared variable when a call has succeeded; all are computed from the values
        before the call.
    no_default_updates : bool or list of SharedVariable
        Do without the updates that shared variables come with: all, or those of these.
    fuse : bool, optional
        Make one loop of nodes that walk the same elements, so that what lies between them never reaches memory;
        ``config.fuse`` if left out. What comes out is the same, but for the order in which floating point sums add.
    options : dict of str to object, optional
        Settings of this function, by their names in the configuration, such as ``{"cflags": "-O1"}``. What they leave
        out the mode says, else the configuration.
    profile : bool, optional
        Time each node and loop of each call: `Function.profile`; ``config.profile`` if left out. Such a function is a
        build of its own; others know nothing of clocks.
    threads : int, optional
        On how many threads long loops run, at most; ``config.threads``, which is 1 unless set, if left out. What comes
        out is the same.
    isolate : bool, optional
        Run each node by itself, and its C in a process of its own: what crashes there is `OpCrashed` here, what does
        not come back `OpTimeout`; ``config.isolate`` if left out, which is False unless set.
    lint : {"off", "warn", "error"}, optional
        What to say of what the lint finds on the paths of the C of the function's ops (docs/lint.md): nothing, a
        LintWarning at the user's line, or a LintError; ``config.lint``, which is ``"off"`` unless set, if left out.
        Every build looks, and what it finds is kept with the module.
    sanitize : str or bool, optional
        Compile C with sanitizers, and run it in a process of its own that has them: ``"address,undefined"``, also
        True, or ``"thread"``. What they find is a `SanitizerError` at the user's line (docs/sanitize.md);
        ``config.sanitize``, which is none unless set, if left out.
    fastmath : bool, optional
        Let the compiler reorder sums and products of floating point, divide by multiplying, and contract a product and
        a sum, in the function's loops and in the C of its ops: quicker, and no longer NumPy's bits (docs/functions.md);
        ``config.fastmath``, which is False unless set, if left out. NaN, infinities and warnings stay.

    Returns
    -------
    Function
        Takes the inputs by position or by name, and ``out=``.

    Raises
    ------
    TypeError
        If something other than a Variable stands among inputs or outputs, something other than a shared variable is to
        be updated, or types do not fit.
    ValueError
        If an input is given, or a variable is replaced or updated, twice.
    UnusedInputError, MissingInputError, InconsistencyError
        If inputs, outputs and ops do not fit together.
    ConfigError
        If there is no such option, or it cannot have such a value.
    LintError
        If the lint finds something, and ``lint`` is ``"error"``.
    RewriteError
        If a rewriter gives what does not fit, or rewriters undo one another's work.
    CompileError, CompilerNotFoundError, ToolError, CacheError, EngineError, LoadError
        If the module cannot be built or loaded.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> total = opweld.shared(0.0, name="total")
    >>> f = opweld.function([x], 2 * x, updates=[(total, total + x.sum())])
    >>> f([1.0, 2.0])
    array([2., 4.])
    >>> total.get_value()
    array(3.)
    """
    if isinstance(mode, Variable):
        raise TypeError(f"mode must be a name or a Mode, got {_what(mode)}; several inputs or outputs are one list")
    mode = config.mode if mode is None else mode
    flags = {"fuse": fuse, "profile": profile, "isolate": isolate, "fastmath": fastmath}
    given = _options(options, allow_input_downcast, on_unused_input, flags, threads, lint)
    if sanitize is not None:
        given["sanitize"] = sanitize
    found = None if isinstance(mode, str) and mode in STANDARD else modes.read_mode(mode)
    chosen = Options(given, getattr(found, "options", None) or {})
    specs = _inputs(inputs, chosen.allow_input_downcast)
    single = outputs is None or isinstance(outputs, (Variable, Out))
    results = _outputs([] if outputs is None else [outputs] if single else outputs)
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name must be a string, got {_what(name)}")
    new = read_updates(updates)
    put = Substitution(read_givens(givens))
    if givens:
        results = [Out(put(out.variable), out.borrow) for out in results]
        new = {variable: put(expression) for variable, expression in new.items()}
    wanted = [out.variable for out in results]
    add_default_updates(wanted, new, {spec.variable for spec in specs}, put, no_default_updates)
    if outputs is None and not new and specs and chosen.on_unused_input == "raise":
        names = ", ".join([str(spec.variable) for spec in specs])
        raise UnusedInputError(f"function([{names}]) has neither outputs nor updates: give what it computes")
    _check_unused(specs, wanted + list(new.values()), chosen.on_unused_input)
    kept = mode if found is None or isinstance(mode, str) else found
    made = Recipe(specs, results, new, single, name, kept, given).make(found, chosen)
    return made if recipe.watch is None else recipe.watch(made)


def _options(
    options: object,
    downcast: object,
    unused: object,
    flags: Mapping[str, object],
    threads: object,
    lint: object,
) -> dict[str, Any]:
    """What the user says of options, by whichever keyword."""
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"options must be a dict of settings to values, got {_what(options)}")
    given = dict(options or {})
    allowed = _yes_or_no("allow_input_downcast", downcast, maybe=True)
    if allowed is not None:
        given["allow_input_downcast"] = allowed
    for name, value in flags.items():
        wanted = _yes_or_no(name, value, maybe=True)
        if wanted is not None:
            given[name] = wanted
    if unused is not None:
        if unused not in ("raise", "warn", "ignore"):
            raise ValueError(f"on_unused_input must be 'raise', 'warn' or 'ignore', got {unused!r}")
        given["on_unused_input"] = unused
    if lint is not None:
        if lint not in ("off", "warn", "error"):
            raise ValueError(f"lint must be 'off', 'warn' or 'error', got {lint!r}")
        given["lint"] = lint
    if threads is not None:
        given["threads"] = threads
    return given


def _inputs(given: object, downcast: bool | None) -> list[In]:
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"inputs must be a list of Variables, got {_what(given)}{_listed(given)}")
    specs: list[In] = []
    seen: dict[Variable, int] = {}
    for position, item in enumerate(given):
        if isinstance(item, In):
            allow = downcast if item.allow_downcast is None else item.allow_downcast
            from copy import copy  # takes 0.3 ms to load

            spec = copy(item)
            spec.allow_downcast = allow
        elif isinstance(item, Variable):
            spec = In(item, allow_downcast=downcast)
        else:
            raise TypeError(f"inputs[{position}] must be a Variable or In, got {_what(item)}{_instead(item)}")
        if spec.variable in seen:
            raise ValueError(
                f"inputs[{position}] is {spec.variable}, and so is inputs[{seen[spec.variable]}]: give it once"
            )
        seen[spec.variable] = position
        specs.append(spec)
    check_arguments(spec.variable for spec in specs)
    _check_names(specs)
    return specs


def _check_names(specs: list[In]) -> None:
    """Refuse a name that was asked for and cannot be used; of variables' own names, those that two share name none."""
    for position, spec in enumerate(specs):
        if spec.name is not None and not isinstance(spec.name, str):
            raise TypeError(f"inputs[{position}]: a name must be a string, got {_what(spec.name)}")
        if not spec.named:
            continue
        if spec.name == "out":
            raise ValueError(f"inputs[{position}] is named 'out', by which a call takes storage: give it another name")
        for other, twin in enumerate(specs):
            if twin is not spec and twin.name == spec.name:
                raise ValueError(
                    f"inputs[{position}] is named {spec.name!r}, and so is inputs[{other}]: name one of them "
                    f"otherwise, as by In(variable, name=...)"
                )


def _outputs(given: object) -> list[Out]:
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"outputs must be a Variable or a list of them, got {_what(given)}{_instead(given)}")
    for position, item in enumerate(given):
        if not isinstance(item, (Variable, Out)):
            raise TypeError(f"outputs[{position}] must be a Variable, got {_what(item)}{_instead(item)}")
    return [item if isinstance(item, Out) else Out(item) for item in given]


def _listed(given: object) -> str:
    """What is to be written for one input that is given without a list."""
    return f"; write [{given}]" if isinstance(given, Variable) and given.name else ""


def _check_unused(specs: list[In], outputs: list[Variable], action: str) -> None:
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
            given = [other.variable for other in specs]
            modes.FunctionGraph([*given, *shared_of(outputs, set(given))], outputs)  # one that is missing is the reason
            raise UnusedInputError(message)
        from warnings import warn

        warn(message, OpweldWarning, stacklevel=4)


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
