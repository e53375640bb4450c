"""DebugMode: each node is run by itself and checked against what its op promises. Slow, and written in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from opweld.compile.binding import converter, filter_of
from opweld.compile.failure import explain
from opweld.errors import OpweldError
from opweld.graph.aliasing import alias_pairs
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph

if TYPE_CHECKING:
    from opweld.compile.maker import Recipe
    from opweld.compile.prepare import Record
    from opweld.compile.sharedvalue import SharedVariable

__all__ = [
    "BadDestroyMap", "BadRewrite", "BadThunkOutput", "BadViewMap", "DebugMode", "DebugModeError", "InvalidValueError",
]  # fmt: skip

_IMMUTABLE = (bool, int, float, complex, str, bytes, tuple, frozenset, type, type(None), np.generic)


class DebugModeError(OpweldError):
    """Base of what DebugMode finds; ``details`` holds ``node`` and what else the message names, as objects."""


class BadThunkOutput(DebugModeError):
    """A node's C and its `perform` do not agree."""


class BadRewrite(DebugModeError):
    """What a rewriter put in place of a variable has another value."""


class BadDestroyMap(DebugModeError):
    """A node changed an input that its op's ``destroy_map`` does not name."""


class BadViewMap(DebugModeError):
    """An output shares memory with an input, and neither of the op's maps says so."""


class InvalidValueError(DebugModeError):
    """An output is not of its variable's type."""


class DebugMode:
    """Run each node by itself, in C and in Python, and check what its op promises.

    Checked on each call, on the values that come:

    * C and `perform`, where an op has both, give values that the output's type calls approximately equal;
    * so do the variables before and after each rewrite;
    * inputs stay as they are, unless ``destroy_map`` names them;
    * outputs share no memory with inputs, unless ``view_map`` or ``destroy_map`` says so;
    * outputs are of their types.

    Parameters
    ----------
    check_c : bool
        Run the C of ops that have `perform` too. Ops that have no `perform` always run in C.
    check_py : bool
        Run the `perform` of ops that have C too.
    check_rewrites : bool
        Compute what rewriters have replaced, and compare.
    """

    def __init__(self, check_c: bool = True, check_py: bool = True, check_rewrites: bool = True) -> None:
        self.check_c = check_c
        self.check_py = check_py
        self.check_rewrites = check_rewrites

    def __repr__(self) -> str:
        return "DebugMode()"

    def function(
        self,
        recipe: Recipe,
        graph: FunctionGraph,
        shared: list[SharedVariable],
        wanted: list[Variable],
        record: Record,
    ) -> DebugFunction:
        """Make the function that checks itself.

        Parameters
        ----------
        recipe : Recipe
            What the user asked for.
        graph : FunctionGraph
            What was made of it.
        shared : list of SharedVariable
            The last inputs of `graph`.
        wanted : list of Variable
            The user's variables that the outputs of `graph` stand for.
        record : list
            How: each replacement.

        Returns
        -------
        DebugFunction
        """
        return DebugFunction(self, recipe, graph, shared, wanted, record)


class DebugMaker:
    """How a function in DebugMode was made; see `opweld.compile.maker.Maker`."""

    def __init__(self, recipe: Recipe, fgraph: FunctionGraph, shared: list[SharedVariable]) -> None:
        self.recipe = recipe
        self.inputs = recipe.inputs
        self.single = recipe.single
        self.name = recipe.name
        self.called = recipe.name or "f"
        self.fgraph = fgraph
        self.shared = shared
        self.updates = dict(enumerate(recipe.updates, len(recipe.outputs)))


class DebugFunction:
    """A function that checks each of its nodes on each call.

    Attributes
    ----------
    name : str or None
        As given to `function`.
    maker : DebugMaker
        ``maker.fgraph.toposort()`` lists its nodes.
    """

    def __init__(
        self,
        mode: DebugMode,
        recipe: Recipe,
        graph: FunctionGraph,
        shared: list[SharedVariable],
        wanted: list[Variable],
        record: Record,
    ) -> None:
        from opweld.compile.maker import keywords_of

        self.mode = mode
        self.name = recipe.name
        self.maker = DebugMaker(recipe, graph, shared)
        self._called = self.maker.called
        self._keywords = keywords_of(recipe.inputs)
        self._convert = converter(self._called, recipe.inputs, self._keywords, shared)
        pairs = [("merging and rewriting", old, new) for old, new in zip(wanted, graph.outputs)]
        self._pairs = [*record, *pairs] if mode.check_rewrites else []
        needed = [*graph.outputs, *(v for _, old, new in self._pairs for v in (old, new))]
        self._nodes = [_Node(node, mode, self._called) for node in FunctionGraph(graph.inputs, needed).apply_nodes]

    def copy(
        self,
        share_memory: bool = False,
        swap: Mapping[SharedVariable, SharedVariable] | None = None,
        delete_updates: bool = False,
        name: str | None = None,
    ) -> Any:
        """Make a function like this one; see `opweld.compile.maker.Maker.copy`."""
        from opweld.compile.maker import altered

        return altered(self.maker, swap or {}, delete_updates, name).make()

    def get_shared(self) -> list[SharedVariable]:
        """Give the shared variables that the function reads or updates."""
        return list(self.maker.shared)

    def __reduce__(self) -> tuple[Any, ...]:
        from opweld.compile.maker import pickled

        return pickled(self.maker.recipe)

    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """Run and check.

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

        Raises
        ------
        DebugModeError
            If a check fails; it names the op, its inputs, and both values.
        """
        graph = self.maker.fgraph
        given = [*self._bound(args, kwargs), *(variable.cell[0] for variable in self.maker.shared)]
        values = {v: self._convert(i, given[i]) for i, v in enumerate(graph.inputs)}
        written: list[tuple[Variable, Any]] = []
        for node in self._nodes:
            node.run(values, written)
        for reason, old, new in self._pairs:
            _check_rewrite(reason, old, new, values)
        for variable, value in written:
            if variable in graph.inputs:
                values[variable][...] = value
        results = [_value(variable, values) for variable in graph.outputs]
        updates = [(variable, _copied(results[i])) for i, variable in self.maker.updates.items()]
        del results[len(results) - len(updates) :]
        if out is not None:
            for i, target in enumerate(out if isinstance(out, (list, tuple)) else [out]):
                if target is not None:
                    target[...] = results[i]
                    results[i] = target
        for target, value in updates:
            target.cell[0] = value
        if self.maker.single:
            return results[0] if results else None
        return results

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        specs = self.maker.inputs
        if len(args) > len(specs):
            raise TypeError(f"{self._called}() takes {len(specs)} arguments, got {len(args)}")
        missing = object()
        found: list[Any] = [*args, *[missing] * (len(specs) - len(args))]
        for keyword, value in kwargs.items():
            if keyword not in self._keywords:
                raise TypeError(f"{self._called}() got an unexpected keyword argument {keyword!r}")
            position = self._keywords.index(keyword)
            if found[position] is not missing:
                raise TypeError(f"{self._called}() got argument {keyword!r} twice")
            found[position] = value
        for position, spec in enumerate(specs):
            if found[position] is missing:
                if spec.value is None:
                    place = self._keywords[position]
                    named = repr(place) if place else str(position + 1)
                    raise TypeError(f"{self._called}() misses argument {named}")
                found[position] = _copied(spec.value)
        return found


class _Node:
    """One node, compiled by itself."""

    def __init__(self, node: Apply, mode: DebugMode, called: str) -> None:
        self.node = node
        self.called = called
        self.destroyed = sorted({source for _, source in alias_pairs(node, "destroy_map")})
        self.shared = {*alias_pairs(node, "destroy_map"), *alias_pairs(node, "view_map")}
        performs = node.op.has_perform()
        self.c = _in_c(node, self.destroyed) if mode.check_c or not performs else None
        self.py = _in_python(node) if performs and (mode.check_py or self.c is None) else None

    def run(self, values: dict[Variable, Any], written: list[tuple[Variable, Any]]) -> None:
        """Compute the outputs in every way there is, and check them."""
        given = [_value(variable, values) for variable in self.node.inputs]
        kept = [_copied(value) for value in given]
        answers: dict[str, Any] = {}
        for way, call in (("perform", self.py), ("C code", self.c)):
            if call is None:
                continue
            used = [_copied(value) if i in self.destroyed else value for i, value in enumerate(given)]
            try:
                found = call(used)
            except MemoryError:
                raise
            except Exception as err:
                self._check_inputs(way, given, kept)
                answers[way] = err
                continue
            self._check_inputs(way, given, kept)
            self._check_outputs(way, found, used)
            answers[way] = found
        self._compare(answers, kept)
        results: Any = answers.get("C code", answers.get("perform"))
        if isinstance(results, Exception):
            explain(results, self.called, self.node, dict(enumerate(given)))
            raise results
        for i in self.destroyed:
            written.append((self.node.inputs[i], used[i]))
        values.update(zip(self.node.outputs, results))

    def _check_inputs(self, way: str, given: list[Any], kept: list[Any]) -> None:
        for i, (value, before) in enumerate(zip(given, kept)):
            variable = self.node.inputs[i]
            if i not in self.destroyed and not _equal(variable.type, before, value):
                raise BadDestroyMap(
                    f"{self.node}: its {way} changed input {i}, {variable}, and destroy_map is "
                    f"{self.node.op.destroy_map}\n  before: {_text(before)}\n  after: {_text(value)}",
                    {"node": self.node, "input": i, "before": before, "after": value},
                )

    def _check_outputs(self, way: str, found: list[Any], used: list[Any]) -> None:
        for i, (value, variable) in enumerate(zip(found, self.node.outputs)):
            try:
                filter_of(variable.type, strict=True)(value)
            except (TypeError, ValueError) as err:
                raise InvalidValueError(
                    f"{self.node}: its {way} gave an output {i} that is not of type {variable.type}: {err}",
                    {"node": self.node, "output": i, "value": value},
                ) from None
            for j, other in enumerate(used):
                if (i, j) not in self.shared and _aliased(value, other):
                    raise BadViewMap(
                        f"{self.node}: its {way} gave an output {i} that shares memory with input {j}, "
                        f"{self.node.inputs[j]}, and view_map is {self.node.op.view_map}, destroy_map "
                        f"{self.node.op.destroy_map}",
                        {"node": self.node, "output": i, "input": j},
                    )

    def _compare(self, answers: dict[str, Any], kept: list[Any]) -> None:
        if len(answers) < 2:
            return
        python, c = answers["perform"], answers["C code"]
        inputs = "\n".join(f"  input {i}, {v}: {_text(kept[i])}" for i, v in enumerate(self.node.inputs))
        details = {"node": self.node, "inputs": kept, "perform": python, "c": c}
        if isinstance(python, Exception) != isinstance(c, Exception):
            ways = ("perform", "C code") if isinstance(python, Exception) else ("C code", "perform")
            err, (way, other) = answers[ways[0]], ways
            raise BadThunkOutput(
                f"{self.node}: its {way} raises and its {other} does not\n{inputs}\n"
                f"  {way}: {type(err).__name__}: {err}",
                details,
            ) from err
        if isinstance(c, Exception):
            return
        for i, variable in enumerate(self.node.outputs):
            if not _nearly_equal(variable.type, python[i], c[i]):
                raise BadThunkOutput(
                    f"{self.node}: its C code and its perform do not agree on output {i} of type {variable.type}\n"
                    f"{inputs}\n  C code: {_text(c[i])}\n  perform: {_text(python[i])}{_where(c[i], python[i])}",
                    {**details, "output": i},
                )


def _in_c(node: Apply, destroyed: list[int]) -> Callable[[list[Any]], list[Any]] | None:
    """The node's C as a function of its inputs that gives its outputs as they are; None: there is no C."""
    from opweld.compile.io import In
    from opweld.compile.maker import Maker

    inputs = [v if isinstance(v, Constant) else v.type.make_variable(v.name) for v in node.inputs]
    given = [i for i, v in enumerate(inputs) if not isinstance(v, Constant)]
    copied = node.copy(inputs, {})
    specs = [In(inputs[i], name=f"input{i}", mutable=i in destroyed) for i in given]
    maker = Maker(specs, FunctionGraph([inputs[i] for i in given], copied.outputs), False, f"DebugMode of {node.op}")
    if maker.program.performs:
        return None
    made = maker.create(explained=False)

    def call(values: list[Any]) -> list[Any]:
        return list(made(*[values[i] for i in given]))

    return call


def _in_python(node: Apply) -> Callable[[list[Any]], list[Any]]:
    from opweld.compile.binding import performer

    perform = performer(node)
    return lambda values: list(perform(*values))


def _value(variable: Variable, values: dict[Variable, Any]) -> Any:
    return variable.data if isinstance(variable, Constant) else values[variable]


def _check_rewrite(reason: str, old: Variable, new: Variable, values: dict[Variable, Any]) -> None:
    before, after = _value(old, values), _value(new, values)
    if not _nearly_equal(old.type, before, after):
        inputs = [] if old.owner is None else [(v, _value(v, values)) for v in old.owner.inputs]
        lines = "".join(f"  input {i}, {v}: {_text(value)}\n" for i, (v, value) in enumerate(inputs))
        raise BadRewrite(
            f"rewriter {reason!r} changed the value of {old}\n  node: {old.owner}\n{lines}"
            f"  before: {old} = {_text(before)}\n  after: {new} = {_text(after)}{_where(before, after)}",
            {"reason": reason, "node": old.owner, "inputs": [v for _, v in inputs], "before": before, "after": after},
        )


def _copied(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    if isinstance(value, _IMMUTABLE):
        return value
    from copy import deepcopy

    try:
        return deepcopy(value)
    except Exception:  # what cannot be copied cannot be compared with its earlier self
        return value


def _equal(type_: Any, a: Any, b: Any) -> bool:
    """Whether a type's values are the same; what it cannot compare counts as the same."""
    if a is b:
        return True
    try:
        return bool(type_.values_eq(a, b))
    except Exception:
        return True


def _nearly_equal(type_: Any, a: Any, b: Any) -> bool:
    if a is b:
        return True
    try:
        if type_.values_eq(a, b):  # asked first: a tolerance that divides by the values knows no 0
            return True
    except Exception:  # the next question decides
        pass
    return bool(type_.values_eq_approx(a, b))


def _aliased(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if not np.may_share_memory(a, b):
            return False
        try:
            return bool(np.shares_memory(a, b, max_work=100_000))  # type: ignore[arg-type]
        except (RuntimeError, OverflowError):  # too hard to tell
            return True
    return a is b and not isinstance(a, _IMMUTABLE)


def _where(a: Any, b: Any) -> str:
    """A line that says how many elements of two arrays differ, and which differ most; empty for other values."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray) or a.shape != b.shape or a.size < 2:
        return ""
    differ = ~((a == b) | ((a != a) & (b != b)))
    with np.errstate(all="ignore"):
        gap = np.where(differ, np.abs(np.subtract(a, b, dtype=np.result_type(a, b, np.float64))), 0)
    at = np.unravel_index(int(np.argmax(np.where(np.isnan(gap), np.inf, gap))), a.shape)
    place = ", ".join(map(str, at))
    return f"\n  {int(differ.sum())} of {a.size} elements differ, most at [{place}]: {a[at]} and {b[at]}"


def _text(value: Any) -> str:
    if isinstance(value, Exception):
        return f"{type(value).__name__}: {value}"
    text = np.array2string(value, threshold=20) if isinstance(value, np.ndarray) else repr(value)
    text = " ".join(text.split())
    if len(text) > 300:
        text = text[:297] + "..."
    if isinstance(value, np.ndarray):
        return f"{text} ({value.dtype}, shape {value.shape}, strides {value.strides})"
    return text
