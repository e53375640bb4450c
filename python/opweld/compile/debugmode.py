"""DebugMode: each node is run by itself and checked against what its op promises. Slow, and written in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from opweld.compile.comparing import nearly_equal, text_of, tolerance_of, where_apart
from opweld.compile.debugnode import (
    BadDestroyMap,
    BadRewrite,
    BadThunkOutput,
    BadViewMap,
    CheckedNode,
    DebugModeError,
    InvalidValueError,
    Module,
    Work,
)
from opweld.compile.isolated import Isolated
from opweld.compile.prepare import Replaced
from opweld.config import Options
from opweld.errors import CompileError, _yes_or_no
from opweld.graph.aliasing import Buffers
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.rewriting.sets import RewriteSet
from opweld.rewriting.standard import registry
from opweld.tolerances import ANY, Tolerance

__all__ = [
    "BadDestroyMap", "BadRewrite", "BadThunkOutput", "BadViewMap", "DebugMode", "DebugModeError",
    "InvalidValueError", "Isolated",
]  # fmt: skip


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
    apart : bool
        Compile a module for each node, not one for all, and call it by Python code that bears the op's name: where C
        crashes, what ``python -X faulthandler`` prints names the op, and the file and line that it was applied in.
    """

    def __init__(
        self, check_c: bool = True, check_py: bool = True, check_rewrites: bool = True, apart: bool = False
    ) -> None:
        self.check_c = _yes_or_no("DebugMode: check_c", check_c)
        self.check_py = _yes_or_no("DebugMode: check_py", check_py)
        self.check_rewrites = _yes_or_no("DebugMode: check_rewrites", check_rewrites)
        self.apart = _yes_or_no("DebugMode: apart", apart)

    def __repr__(self) -> str:
        return "DebugMode()"

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
        self.pairs = replaced if mode.check_rewrites else []
        needed = [*graph.outputs, *(v for _, old, new in self.pairs for v in (old, new))]
        self.same: dict[Variable, Variable] = {}
        nodes = self._distinct(FunctionGraph(graph.inputs, needed).apply_nodes)
        buffers = Buffers()
        buffers.stop_at(graph.inputs)
        given = set(graph.inputs)
        self.theirs = {v for node in nodes for v in node.inputs if not given.isdisjoint(buffers.of(v))}
        self.nodes = [CheckedNode(node, mode, called) for node in nodes]
        self._modules = self._build([node for node in self.nodes if node.wants_c], mode.apart)

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

    def _build(self, nodes: list[CheckedNode], apart: bool) -> list[Module]:
        """The modules that hold the C of nodes; those that turn out to have none run in Python."""
        if nodes and not apart:
            try:
                return [Module(nodes, self.called, self.options)]
            except CompileError:  # what was replaced may not stand beside what replaced it
                if len(nodes) == 1:
                    raise
        return [Module([node], self.called, self.options) for node in nodes]

    def source(self) -> str:
        """Give the C of the nodes.

        Returns
        -------
        str
            A text a module; empty: there is none.
        """
        return "\n".join(filter(None, [module.source() for module in self._modules]))

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
        for module in self._modules:
            run.through(module)
        run.up_to(None)
        for reason, old, new in self.pairs:
            self._check_rewrite(reason, old, new, run.values)
        run.write_back()
        return [self.value(variable, run.values) for variable in self.graph.outputs]

    def _check_rewrite(self, reason: str, old: Variable, new: Variable, values: dict[Variable, Any]) -> None:
        before, after = self.value(old, values), self.value(new, values)
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
            f"  before: {old} = {text_of(before)}\n  after: {new} = {text_of(after)}{where}",
            {"reason": reason, "node": old.owner, "inputs": [v for _, v in inputs], "before": before, "after": after},
        )


class _Run:
    """One call: what is known, and how far it has come."""

    def __init__(self, checks: Checks, given: Sequence[Any]) -> None:
        self.checks = checks
        self.values = dict(zip(checks.graph.inputs, given))
        self._written: list[tuple[Variable, Any]] = []
        self._position = 0
        self._work: Work | None = None  # the node whose C is running

    def through(self, module: Module) -> None:
        """Run the nodes of a module, and those that stand before them."""
        try:
            module(self)
        except MemoryError:
            raise
        except Exception as err:
            work, self._work = self._work, None
            if work is None:  # Python's own
                raise
            self._settle(work, err)

    def up_to(self, node: CheckedNode | None) -> None:
        """Run in Python what stands before a node, or all that is left."""
        nodes = self.checks.nodes
        while self._position < len(nodes) and nodes[self._position] is not node:
            work = self._begin(nodes[self._position])
            work.perform(last=True)
            self._settle(work, None)
            self._position += 1
        self._position += 1

    def enter(self, node: CheckedNode) -> list[Any]:
        """Give the node's C what it is to work on."""
        self.up_to(node)
        work = self._begin(node)
        work.perform(last=False)
        given = work.give("C code", last=True)
        self._work = work
        return given

    def leave(self, found: list[Any]) -> None:
        """Take what the node's C made."""
        work, self._work = self._work, None
        assert work is not None  # `enter` came before
        self._settle(work, found)

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

    def _settle(self, work: Work, found: object) -> None:
        """Check what a node made, and go on with it."""
        results = work.settle(found)
        for i in work.node.destroyed:
            self._written.append((work.node.node.inputs[i], work.used[i]))
        self.values.update(zip(work.node.node.outputs, results))

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
