"""What a function is asked for: its inputs and outputs, what stands for what in its graph, and updates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from opweld.errors import _named, _what, _yes_or_no
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.order import depth_first
from opweld.graph.shared import SharedVariable
from opweld.graph.type import Type
from opweld.rooms import late

__all__ = [
    "In",
    "Out",
    "Substitution",
    "add_default_updates",
    "keywords_of",
    "read_givens",
    "read_updates",
    "shared_of",
]


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

    Attributes
    ----------
    named : bool
        `name` was given: a call must be able to use it.

    Examples
    --------
    >>> x, y = T.dvector("x"), T.dvector("y")
    >>> f = opweld.function([x, opweld.In(y, name="by", value=[1.0, 2.0])], x * y)
    >>> f([3.0, 4.0])
    array([3., 8.])
    >>> f([3.0, 4.0], by=[0.0, 1.0])
    array([0., 4.])
    """

    def __init__(
        self,
        variable: Variable,
        name: str | None = None,
        value: object = None,
        strict: bool = False,
        allow_downcast: bool | None = None,
        mutable: bool = False,
        borrow: bool = False,
    ) -> None:
        if not isinstance(variable, Variable):
            raise TypeError(f"In: expected a Variable, got {_what(variable)}")
        mutable = _yes_or_no("In: mutable", mutable)
        if mutable and value is not None:
            raise ValueError(f"In({variable}): mutable and value exclude each other: a call would change the default")
        self.variable = variable
        if name is not None and not isinstance(name, str):
            raise TypeError(f"In({variable}): name must be a string, got {_what(name)}")
        self.name = variable.name if name is None else name
        self.named = name is not None
        self.value = value
        self.strict = _yes_or_no("In: strict", strict)
        self.allow_downcast = _yes_or_no("In: allow_downcast", allow_downcast, maybe=True)
        self.mutable = mutable
        self.borrow = _yes_or_no("In: borrow", borrow)

    def __repr__(self) -> str:
        return f"In({self.variable})"


class Out:
    """An output of a function, with what is particular to it.

    Parameters
    ----------
    variable : Variable
        What is computed.
    borrow : bool
        The result may share memory with an argument, with a shared variable's value, or with another result. False: it
        is copied where it would.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> f = opweld.function([x], opweld.Out(x[::-1], borrow=True))
    >>> given = np.arange(3.0)
    >>> np.shares_memory(f(given), given)
    True
    """

    def __init__(self, variable: Variable, borrow: bool = False) -> None:
        if not isinstance(variable, Variable):
            raise TypeError(f"Out: expected a Variable, got {_what(variable)}")
        self.variable = variable
        self.borrow = _yes_or_no("Out: borrow", borrow)

    def __repr__(self) -> str:
        return f"Out({self.variable}{', borrow=True' if self.borrow else ''})"


specify: Any = late("opweld.tensor.specify")  # few updates know less of a shape than the variable

Updates = dict[SharedVariable, Variable]


class Substitution:
    """Puts variables in the place of others, in copies of the nodes between.

    Parameters
    ----------
    found : mapping of Variable to Variable
        What stands for what.
    """

    def __init__(self, found: Mapping[Any, Variable]) -> None:
        self._found: dict[Variable, Variable] = dict(found)

    def __call__(self, variable: Variable) -> Variable:
        """Give what stands for a variable.

        Parameters
        ----------
        variable : Variable
            Of any graph.

        Returns
        -------
        Variable
            `variable` itself where nothing that it is computed from is replaced.

        Raises
        ------
        ValueError
            If the graph has a cycle.
        """
        found = self._found
        for node in depth_first([variable], found):
            inputs = [found.setdefault(v, v) for v in node.inputs]
            if any(new is not old for new, old in zip(inputs, node.inputs)):
                node.copy(inputs, found)
            else:
                for output in node.outputs:
                    found.setdefault(output, output)
        return found.setdefault(variable, variable)


def read_givens(givens: object) -> dict[Variable, Variable]:
    """Check what shall stand for which variable; where one of these needs another, that one's stands in it.

    Parameters
    ----------
    givens : list of (Variable, Variable or value), dict or None
        As `function` takes it.

    Returns
    -------
    dict of Variable to Variable
        What a `Substitution` takes.

    Raises
    ------
    TypeError
        If it is no such list, or types do not fit.
    ValueError
        If a variable is replaced twice, or two wait for one another.
    """
    wanted: dict[Variable, Variable] = {}
    for position, (old, new) in enumerate(_pairs("givens", givens)):
        if not isinstance(old, Variable):
            raise TypeError(f"givens[{position}]: expected a Variable to replace, got {_what(old)}")
        if old in wanted:
            raise ValueError(f"givens[{position}] replaces {old}, and so does an earlier one: replace it once")
        wanted[old] = _fitting(old.type, new, f"givens[{position}]: {old}", "be replaced by")
    needs = {old: _met([new], wanted.keys() - {old}) for old, new in wanted.items()}
    resolved: dict[Variable, Variable] = {}
    while len(resolved) < len(wanted):
        ready = [old for old in wanted if old not in resolved and needs[old] <= resolved.keys()]
        if not ready:
            left = ", ".join(str(old) for old in wanted if old not in resolved)
            raise ValueError(f"givens: each of {left} needs another of them: replace them one after the other")
        for old in ready:
            resolved[old] = Substitution({other: resolved[other] for other in needs[old]})(wanted[old])
    return resolved


def read_updates(updates: object) -> Updates:
    """Check what shall become the value of which shared variable.

    Parameters
    ----------
    updates : list of (SharedVariable, Variable or value), dict or None
        As `function` takes it.

    Returns
    -------
    dict of SharedVariable to Variable
        Each of the variable's type.

    Raises
    ------
    TypeError
        If it is no such list, a variable is not shared, or a new value is of another type.
    ValueError
        If a variable is updated twice.
    """
    found: Updates = {}
    for position, (variable, new) in enumerate(_pairs("updates", updates)):
        if not isinstance(variable, SharedVariable):
            raise TypeError(
                f"updates[{position}]: expected a shared variable, got {_what(variable)}; use opweld.shared(value)"
            )
        if variable in found:
            raise ValueError(f"updates[{position}] updates {variable}, and so does an earlier one: update it once")
        found[variable] = _fitting(variable.type, new, f"updates[{position}]: {variable}", "become")
    return found


def add_default_updates(
    outputs: list[Variable], updates: Updates, given: set[Variable], substitution: Substitution, without: object
) -> None:
    """Add the updates that shared variables come with.

    Parameters
    ----------
    outputs : list of Variable
        What is computed, besides the updates.
    updates : dict
        What the user asked for; is added to.
    given : set of Variable
        The function's arguments.
    substitution : Substitution
        Of the function's givens.
    without : bool or list of Variable
        True: add none; variables: none of these.

    Raises
    ------
    TypeError
        If such an update is not of the variable's type, or `without` is something else.
    """
    if without is True:
        return
    if without is not False and not isinstance(without, (list, tuple, set, frozenset)):
        raise TypeError(f"no_default_updates must be True, False or a list of shared variables, got {_what(without)}")
    spared = set() if without is False else set(without)
    todo = [*outputs, *updates.values()]
    while todo:
        found = shared_of(todo, given)
        todo = []
        for variable in found:
            if variable.default_update is None or variable in updates or variable in spared:
                continue
            new = _fitting(variable.type, variable.default_update, f"{variable}.default_update: {variable}", "become")
            updates[variable] = substitution(new)
            todo.append(updates[variable])


def shared_of(outputs: Iterable[Variable], given: set[Variable]) -> list[SharedVariable]:
    """Find the shared variables that outputs are computed from.

    Parameters
    ----------
    outputs : iterable of Variable
        What is computed.
    given : set of Variable
        Where to stop.

    Returns
    -------
    list of SharedVariable
        In the order in which the graph's nodes name them.
    """
    found: dict[SharedVariable, None] = {}
    seen: set[Apply] = set()
    stack = list(outputs)[::-1]
    while stack:
        variable = stack.pop()
        if variable in given:
            continue
        if variable.owner is None:
            if isinstance(variable, SharedVariable):
                found[variable] = None
        elif variable.owner not in seen:
            seen.add(variable.owner)
            stack.extend(reversed(variable.owner.inputs))
    return list(found)


def _met(outputs: list[Variable], wanted: Any) -> set[Variable]:
    """Which of the wanted variables outputs are computed from, without those behind them."""
    found: set[Variable] = set()
    seen: set[Apply] = set()
    stack = list(outputs)
    while stack:
        variable = stack.pop()
        if variable in wanted:
            found.add(variable)
        elif variable.owner is not None and variable.owner not in seen:
            seen.add(variable.owner)
            stack.extend(variable.owner.inputs)
    return found


def _pairs(what: str, given: object) -> list[tuple[Any, Any]]:
    if given is None:
        return []
    if isinstance(given, Mapping):
        return list(given.items())
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"{what} must be a list of pairs or a dict, got {_what(given)}")
    for position, item in enumerate(given):
        if not isinstance(item, (list, tuple)) or len(item) != 2:
            raise TypeError(f"{what}[{position}] must be a pair (variable, new), got {_what(item)}")
    return [(old, new) for old, new in given]


def _fitting(type_: Type, new: object, who: str, verb: str) -> Variable:
    """`new` as a variable of a type; one whose sizes may be others is checked when it is computed."""
    if not isinstance(new, Variable):
        try:
            return type_.make_constant(new)
        except (TypeError, ValueError) as err:
            raise TypeError(f"{who} of type {type_} cannot {verb} {_what(new)}: {err}") from None
    wider = getattr(type_, "is_super", None)
    if new.type == type_ or (wider is not None and wider(new.type)):
        return new
    message = f"{who} of type {type_} cannot {verb} {_named(new)}"
    dtype, ndim = getattr(type_, "dtype", None), getattr(type_, "ndim", None)
    if type(new.type) is not type(type_) or dtype is None:
        raise TypeError(f"{message}: the types must be equal")
    if getattr(new, "ndim", None) != ndim:
        raise TypeError(f"{message}: the number of dimensions differs; reshape it, or index it")
    if getattr(new, "dtype", None) != dtype:
        raise TypeError(f"{message}: its dtype differs; cast it by .astype({dtype!r})")
    try:
        found: Variable = specify.specify_shape(new, type_.shape)  # type: ignore[attr-defined]
    except ValueError as err:
        raise TypeError(f"{message}: {err}") from None
    return found


def check_arguments(variables: Iterable[Variable]) -> None:
    """Refuse arguments that are constants or shared variables.

    Parameters
    ----------
    variables : iterable of Variable
        The function's inputs.

    Raises
    ------
    TypeError
        If one is such.
    """
    for position, variable in enumerate(variables):
        if isinstance(variable, Constant):
            raise TypeError(f"inputs[{position}] is the constant {variable}; a constant cannot be given")
        if isinstance(variable, SharedVariable):
            raise TypeError(
                f"inputs[{position}] is the shared variable {variable}: a function reads it by itself; leave it out, "
                f"or let an input stand for it: givens=[({variable}, x)]"
            )


def keywords_of(specs: list[In]) -> list[str | None]:
    """Name the arguments; a name that two share, and ``out``, name none.

    Returns
    -------
    list of str or None
    """
    names = [spec.name for spec in specs]
    return [name if name and name != "out" and names.count(name) == 1 else None for name in names]
