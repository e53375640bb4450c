"""DebugMode: each node is run by itself and checked against what its op promises. Slow, and written in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from warnings import warn

import numpy as np

from opweld.compile.apiece import functions
from opweld.compile.comparing import first_apart, nearly_equal, surely_equal, text_of, tolerance_of, where_apart
from opweld.compile.debugerrors import (
    BadDestroyMap,
    BadHook,
    BadOptimization,
    BadRewrite,
    BadThunkOutput,
    BadViewMap,
    DebugModeError,
    InvalidValueError,
    facts,
    made_at,
)
from opweld.compile.debughooks import check_hooks
from opweld.compile.debugnode import CheckedNode, Work
from opweld.compile.isolated import Isolated, Runner
from opweld.compile.prepare import Replaced
from opweld.config import Options
from opweld.errors import OpweldWarning, _refuse_unknown, _yes_or_no
from opweld.graph.aliasing import Buffers
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.rewriting.sets import RewriteSet
from opweld.rewriting.standard import registry
from opweld.tolerances import ANY, Tolerance

__all__ = [
    "BadDestroyMap", "BadHook", "BadOptimization", "BadRewrite", "BadThunkOutput", "BadViewMap", "CHECKS", "DebugMode",
    "DebugModeError", "InvalidValueError", "Isolated",
]  # fmt: skip


#: What is checked: its name, whether by itself, and what it says. docs/debugmode.md tells what each sees.
CHECKS: dict[str, tuple[bool, str]] = {
    "perform": (True, "C and `perform` agree, where an op has both"),
    "rewrites": (True, "what rewriters replace has the same value before and after"),
    "inputs": (True, "inputs stay as they are, unless ``destroy_map`` names them"),
    "aliases": (True, "outputs share memory with nothing, unless ``view_map`` or ``destroy_map`` says so"),
    "types": (True, "outputs are of their types"),
    "storage": (True, "C gives the same whatever storage it is offered for its outputs"),
    "layouts": (True, "C gives the same however its inputs lie in memory"),
    "bounds": (True, "C writes and reads nothing beside its arrays"),
    "unset": (True, "C sets every element of the outputs that it makes"),
    "deterministic": (True, "C gives the same bits when it is run again"),
    "hooks": (True, "ops and types stay as they are while they are asked, and equal ones write the same C"),
    "finite": (False, "of finite inputs come finite outputs"),
}


class DebugMode:
    """Run each node by itself, in C and in Python, and check what its op promises, on the values of each call.

    Parameters
    ----------
    check_c : bool
        Run the C of ops that have `perform` too. Ops that have no `perform` always run in C.
    check_py : bool
        Run the `perform` of ops that have C too.
    check_rewrites : bool
        Compute what rewriters have replaced, and compare: the check ``rewrites``.
    apart : bool
        Compile a module for each node, not one for all, and call it by Python code that bears the op's name: where C
        crashes this process, what ``python -X faulthandler`` prints names the op, and the line that it was applied in.
    isolate : bool, optional
        Run C in a process of its own; left out: unless `apart`.
    **checks : bool
        Each check of `CHECKS` by its name: whether it is made.
    """

    def __init__(
        self,
        check_c: bool = True,
        check_py: bool = True,
        check_rewrites: bool = True,
        apart: bool = False,
        isolate: bool | None = None,
        **checks: bool,
    ) -> None:
        self.check_c = _yes_or_no("DebugMode: check_c", check_c)
        self.check_py = _yes_or_no("DebugMode: check_py", check_py)
        self.check_rewrites = _yes_or_no("DebugMode: check_rewrites", check_rewrites)
        self.apart = _yes_or_no("DebugMode: apart", apart)
        self.isolate = _yes_or_no("DebugMode: isolate", isolate, maybe=True)
        _refuse_unknown("DebugMode", [name for name in checks if name not in CHECKS], CHECKS)
        self._checks = {
            name: _yes_or_no(f"DebugMode: {name}", checks.get(name, wanted)) for name, (wanted, _) in CHECKS.items()
        }

    def __repr__(self) -> str:
        return "DebugMode()"

    def wants(self, check: str) -> bool:
        """Say whether a check is made.

        Parameters
        ----------
        check : str
            A name of `CHECKS`.

        Returns
        -------
        bool
        """
        return self._checks[check] and (check != "rewrites" or self.check_rewrites)

    @property
    def options(self) -> dict[str, bool]:
        """The options that the mode brings."""
        return {"isolate": not self.apart if self.isolate is None else self.isolate}

    @property
    def rewrites(self) -> RewriteSet:
        """Those of ``FAST_RUN``."""
        return registry.rewrites.including("fast_run")

    def link(
        self,
        graph: FunctionGraph,
        name: str | None = None,
        options: Options | None = None,
        replaced: Replaced | None = None,
    ) -> Checks:
        """Make what runs a graph node by node, and checks it.

        Parameters
        ----------
        graph : FunctionGraph
            What was made of the user's graph.
        name : str, optional
            The function's name.
        options : Options, optional
            What the nodes are compiled with.
        replaced : list, optional
            Each replacement: who made it, the variable before, the variable after.

        Returns
        -------
        Checks
        """
        return Checks(self, graph, replaced or [], name or "f", options)


class Checks:
    """The nodes of a function, and their C: one module, or, where that does not compile, one a node.

    Attributes
    ----------
    unfused : str
        What `opweld.fusion` says.
    """

    unfused = "DebugMode runs each node by itself"

    def __init__(
        self, mode: DebugMode, graph: FunctionGraph, replaced: Replaced, called: str, options: Options | None
    ) -> None:
        self.graph = graph
        self.called = called
        self.options = options
        self.pairs = replaced if mode.wants("rewrites") else []
        needed = [*graph.outputs, *(v for _, old, new in self.pairs for v in (old, new))]
        self.same: dict[Variable, Variable] = {}
        nodes = self._distinct(FunctionGraph(graph.inputs, needed).apply_nodes)
        buffers = Buffers()
        buffers.stop_at(graph.inputs)
        given = set(graph.inputs)
        self.theirs = {v for node in nodes for v in node.inputs if not given.isdisjoint(buffers.of(v))}
        self.nodes = [CheckedNode(node, called, mode.wants, mode.check_c, mode.check_py) for node in nodes]
        if mode.wants("hooks"):
            check_hooks([node.node for node in self.nodes if node.wants_c], called)
        self._source = self._build(mode, Options({}, mode.options) if options is None else options)
        if mode.wants("perform"):
            self._say_what_is_alone()

    def _distinct(self, nodes: list[Apply]) -> list[Apply]:
        """The nodes without those that apply the same op to the same variables as an earlier one does."""
        seen: dict[Any, Apply] = {}
        found = []
        for node in nodes:
            inputs = tuple([self.same.get(v, v) for v in node.inputs])
            key = id(node.op), inputs, tuple([_type_key(v.type) for v in node.outputs])
            first = seen.setdefault(key, node)
            if first is node:
                found.append(node)
            else:
                self.same.update(zip(node.outputs, first.outputs))
        return found

    def _build(self, mode: DebugMode, options: Options) -> str:
        """Have the nodes' C compiled; those that turn out to have none run in Python. Gives the C."""
        wanted = [node.node for node in self.nodes if node.wants_c]
        found = functions(wanted, self.called, options, mode.apart, f"DebugMode of {self.called}")
        for node in self.nodes:
            if node.node in found:
                node.runner = Runner(found[node.node], options, options.isolate, mode.wants("bounds"))
                node.named = mode.apart
        return "\n".join(dict.fromkeys([function.source() for function in found.values()]))

    def _say_what_is_alone(self) -> None:
        """Say, once a function, which ops have nothing to be compared with."""
        alone = dict.fromkeys([str(node.node.op) for node in self.nodes if node.runner and not node.performs])
        if alone:
            warn(
                f"{self.called}(): no perform: results were not compared: {', '.join(alone)}",
                OpweldWarning,
                stacklevel=2,
            )

    def source(self) -> str:
        """Give the C of the nodes.

        Returns
        -------
        str
            A text a module; empty: there is none.
        """
        return self._source

    def value(self, variable: Variable, values: dict[Variable, Any]) -> Any:
        """Look up what a variable is in a run."""
        return variable.data if isinstance(variable, Constant) else values[self.same.get(variable, variable)]

    def __call__(self, *given: Any) -> list[Any]:
        """Compute and check.

        Parameters
        ----------
        *given
            What the inputs of the graph are.

        Returns
        -------
        list
            What its outputs are.
        """
        run = _Run(self, given)
        for node in self.nodes:
            run.through(node)
        for reason, old, new in self.pairs:
            self._check_rewrite(reason, old, new, run.values)
        run.write_back()
        return [self.value(variable, run.values) for variable in self.graph.outputs]

    def _check_rewrite(self, reason: str, old: Variable, new: Variable, values: dict[Variable, Any]) -> None:
        before, after = self.value(old, values), self.value(new, values)
        if surely_equal(old, before, after):
            return
        inputs = [] if old.owner is None else [(v, self.value(v, values)) for v in old.owner.inputs]
        allowed = None if old.owner is None else tolerance_of(old.owner, [value for _, value in inputs])
        if allowed is not None and allowed.ulps != ANY.ulps:  # the op that stands there now may round in other places
            allowed = Tolerance(None, allowed.floor)
        if nearly_equal(old, before, after, allowed):
            return
        lines = "".join(f"  input {i}, {v}: {text_of(value)}\n" for i, (v, value) in enumerate(inputs))
        where = where_apart(before, after, allowed)
        raise BadRewrite(
            f"rewriter {reason!r} changed the value of {old}\n  node: {old.owner}\n{lines}"
            f"  before: {old} = {text_of(before)}\n  after: {new} = {text_of(after)}{where}{made_at(old.owner)}",
            facts(
                "rewrites", old.owner, reason=reason, inputs=[v for _, v in inputs], before=before, after=after,
                index=first_apart(before, after, allowed),
            ),
        )  # fmt: skip


class _Run:
    """One call: what is known, and how far it has come."""

    def __init__(self, checks: Checks, given: Sequence[Any]) -> None:
        self.checks = checks
        self.values = dict(zip(checks.graph.inputs, given))
        self._written: list[tuple[Variable, Any]] = []

    def through(self, node: CheckedNode) -> None:
        """Run a node, check what it made, and go on with it."""
        work = self._begin(node)
        work.perform()
        work.run_c()
        results = work.settle()
        for i in node.destroyed:
            self._written.append((node.node.inputs[i], work.used[i]))
        self.values.update(zip(node.node.outputs, results))

    def _begin(self, node: CheckedNode) -> Work:
        """What a node has to work on, and what its `perform` makes of it."""
        value = self.checks.value
        work = Work(node, [value(variable, self.values) for variable in node.node.inputs])
        if not all(isinstance(work.given[i], np.ndarray) for i in node.destroyed):
            self._let_go(work)
        return work

    def _let_go(self, work: Work) -> None:
        """Let a node write into the caller's own object where that is no array; who reads it later reads a copy."""
        for i in work.node.destroyed:
            variable = work.node.node.inputs[i]
            if variable in self.checks.theirs and not isinstance(work.given[i], np.ndarray):
                work.lent.add(variable)
                self.values[self.checks.same.get(variable, variable)] = work.kept[i]

    def write_back(self) -> None:
        """Write into the caller's arrays what the function writes there; the last first, since views are of copies."""
        for variable, value in reversed(self._written):
            if variable in self.checks.theirs and isinstance(value, np.ndarray):
                self.checks.value(variable, self.values)[...] = value


def _type_key(type_: object) -> Any:
    try:
        hash(type_)
    except TypeError:  # __eq__ without __hash__
        return id(type_)
    return type_
