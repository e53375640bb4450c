"""One node in DebugMode: run in C and in Python, and checked against what its op promises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from opweld.compile.code import performer
from opweld.compile.comparing import (
    aliased,
    copied,
    equal,
    first_apart,
    nearly_equal,
    surely_equal,
    text_of,
    tolerance_of,
    where_apart,
)
from opweld.compile.debugerrors import (
    BadDestroyMap,
    BadThunkOutput,
    BadViewMap,
    InvalidValueError,
    facts,
    inputs_text,
    made_at,
)
from opweld.compile.failure import explain
from opweld.compile.isolated import Runner
from opweld.compile.variations import Scratch, Varied
from opweld.errors import OpCrashed, OutOfBoundsError, SanitizerError
from opweld.graph.aliasing import alias_pairs
from opweld.graph.basic import Apply, Variable
from opweld.hooks.classes import own_hook
from opweld.signatures import filter_of
from opweld.tolerances import EXACT, Tolerance

_FILLS = (0x55, 0xD5)  # bytes of fresh memory: large numbers of either sign


class CheckedNode:
    """A node, and how it is run.

    Parameters
    ----------
    node : Apply
        The node.
    called : str
        The function's name, for messages.
    wants : callable
        Of the name of a check: whether it is made.
    check_c, check_py : bool
        In which ways it runs where it has both.

    Attributes
    ----------
    destroyed : list of int
        The inputs that it may write over.
    wants_c : bool
        Whether its C is to run, where it has some.
    runner : Runner or None
        What runs its C; None: it has none, or is not to run it.
    performs : bool
        Whether it has `perform`.
    named : bool
        Its C is called by Python code that bears the op's name.
    scratch : Scratch
        Where it is run again.
    """

    def __init__(
        self, node: Apply, called: str, wants: Callable[[str], bool], check_c: bool = True, check_py: bool = True
    ) -> None:
        self.node = node
        self.called = called
        self.destroyed = sorted({source for _, source in alias_pairs(node, "destroy_map")})
        self.sources: list[set[int]] = [set() for _ in node.outputs]  # of each output: whose memory it may have
        for out, source in alias_pairs(node, "destroy_map") + alias_pairs(node, "view_map"):
            self.sources[out].add(source)
        self.performs = node.op.has_perform()
        self.wants = wants
        self._check_py = check_py
        self.wants_c = check_c or not self.performs
        self.runner: Runner | None = None
        self.named = False
        self.scratch = Scratch()
        self._perform: Any = None

    @property
    def in_c(self) -> bool:
        """Whether its C runs."""
        return self.runner is not None

    def guard(self, other: bool) -> tuple[int, bool] | None:
        """How memory that its C asks for is guarded: what fills it, one byte or the other; whether pages are closed."""
        wants = self.wants
        if not (wants("bounds") or wants("unset")):
            return None
        return _FILLS[other], wants("bounds")

    @property
    def perform(self) -> Any:
        """Of the inputs' values; gives the outputs'. None: it is not to run."""
        if not self.performs or (self.runner is not None and not self._check_py):
            return None
        if self._perform is None:
            self._perform = performer(self.node)
        return self._perform


class Work:
    """One node in one call.

    Attributes
    ----------
    node : CheckedNode
        The node.
    given, kept : list
        What its inputs are, and copies of that.
    used : list
        What the last way to run it was given.
    lent : set of Variable
        Inputs that the last way may write into as they are.
    """

    def __init__(self, node: CheckedNode, given: list[Any]) -> None:
        self.node = node
        self.given = given
        self.kept = [copied(value) for value in given]
        self.used: list[Any] = given
        self.lent: set[Variable] = set()
        self._answers: dict[str, Any] = {}
        self._allowed: list[Tolerance | None] = []

    def give(self, way: str, last: bool) -> list[Any]:
        """Give what one way to run the node is to work on: copies of what it may destroy."""
        inputs = self.node.node.inputs
        destroyed = {inputs[i] for i in self.node.destroyed}
        chosen: dict[Variable, Any] = {}
        for variable, value in zip(inputs, self.given):
            if variable not in chosen:
                lent = last and variable in self.lent
                chosen[variable] = copied(value) if variable in destroyed and not lent else value
        self.used = [chosen[variable] for variable in inputs]
        return self.used

    def perform(self) -> None:
        """Run in Python, where that is to be."""
        call = self.node.perform
        if call is None:
            return
        used = self.give("perform", self.node.runner is None)
        try:
            found: Any = list(call(*used))
        except MemoryError:
            raise
        except Exception as err:
            found = err
        self._take("perform", found)

    def run_c(self) -> None:
        """Run the C, where that is to be; then again in other ways, which must give the same."""
        runner = self.node.runner
        if runner is None:
            return
        first = Varied(self.node, runner, self.kept, self.allowed) if self._repeats() else None
        used = self.give("C code", True)
        try:
            guard = self.node.guard(False)
            found: Any = (
                _named_after(self.node.node)(runner, used, None, guard)
                if self.node.named
                else runner(used, None, guard)
            )
        except (MemoryError, OpCrashed, OutOfBoundsError, SanitizerError):
            raise
        except Exception as err:
            found = err
        self._take("C code", found)
        if first is not None and not isinstance(found, Exception):
            first.check(found)

    def allowed(self) -> Tolerance | None:
        """Ask the op, once, how far apart results on these inputs may lie.

        Returns
        -------
        Tolerance or None
        """
        if not self._allowed:
            self._allowed = [tolerance_of(self.node.node, self.kept)]
        return self._allowed[0]

    def _repeats(self) -> bool:
        """Whether the C may run more than once in a call: it keeps nothing, and writes into arrays alone."""
        node = self.node
        return not keeps_state(node.node.op) and all(isinstance(self.given[i], np.ndarray) for i in node.destroyed)

    def settle(self) -> list[Any]:
        """Compare.

        Returns
        -------
        list
            What the node's outputs are.
        """
        c = self._answers.get("C code")
        if isinstance(self._answers.get("perform"), NotImplementedError) and c and not isinstance(c, Exception):
            del self._answers["perform"]  # it says that there is none: such ops run in C alone
        if self.node.wants("perform"):
            self._compare()
        results: Any = self._answers.get("C code", self._answers.get("perform"))
        if isinstance(results, Exception):
            explain(results, self.node.called, self.node.node, dict(enumerate(self.given)))
            raise results
        return list(results)

    def _take(self, way: str, found: Any) -> None:
        if self.node.wants("inputs"):
            self._check_inputs(way)
        if not isinstance(found, Exception):
            self._check_outputs(way, found)
        self._answers[way] = found

    def _check_inputs(self, way: str) -> None:
        node = self.node.node
        destroyed = {node.inputs[i] for i in self.node.destroyed}
        for i, (value, before) in enumerate(zip(self.given, self.kept)):
            variable = node.inputs[i]
            if variable not in destroyed and not equal(variable.type, before, value):
                raise BadDestroyMap(
                    f"{node}: its {way} changed input {i}, {variable}, and destroy_map is "
                    f"{node.op.destroy_map}\n  before: {text_of(before)}\n  after: {text_of(value)}"
                    f"{where_apart(before, value, EXACT)}{made_at(node)}",
                    facts(
                        "inputs", node, input=i, inputs=self.kept, before=before, after=value,
                        index=first_apart(before, value, EXACT),
                    ),
                )  # fmt: skip

    def _check_outputs(self, way: str, found: list[Any]) -> None:
        node = self.node.node
        wants = self.node.wants
        for i, (value, variable) in enumerate(zip(found, node.outputs) if wants("types") else ()):
            try:
                filter_of(variable.type, strict=True)(value)
            except Exception as err:  # a filter may raise what it likes
                raise InvalidValueError(
                    f"{node}: its {way} gave an output {i} that is not of type {variable.type}: {err}{made_at(node)}",
                    facts("types", node, output=i, inputs=self.kept, value=value),
                ) from None
        for i, value in enumerate(found):
            if wants("aliases"):
                self._check_memory(way, i, value, found)
            if wants("finite"):
                self._check_finite(way, i, value)

    def _check_finite(self, way: str, i: int, value: object) -> None:
        """Refuse NaN and infinities that come of finite numbers."""
        wrong = _not_finite(value)
        if wrong is None or any(_not_finite(given) is not None for given in self.kept):
            return
        node, at = self.node.node, ", ".join(map(str, wrong))
        raise InvalidValueError(
            f"{node}: its {way} gave an output {i} that is not finite, of inputs that are\n"
            f"{inputs_text(node, self.kept)}\n  {way}: {text_of(value)}\n"
            f"  the first such element is at [{at}]{made_at(node)}",
            facts("finite", node, output=i, inputs=self.kept, value=value, index=wrong),
        )

    def _check_memory(self, way: str, i: int, value: object, found: list[Any]) -> None:
        """Refuse an output whose memory is that of an input that it does not name, or of an earlier output."""
        node, sources = self.node.node, self.node.sources
        maps = f"view_map is {node.op.view_map}, destroy_map {node.op.destroy_map}"
        for j, other in enumerate(self.used):
            if aliased(value, other) and not any(self._meet(j, source) for source in sources[i]):
                raise BadViewMap(
                    f"{node}: its {way} gave an output {i} that shares memory with input {j}, {node.inputs[j]}, and "
                    f"{maps}{made_at(node)}",
                    facts("aliases", node, output=i, input=j, inputs=self.kept, value=value),
                )
        for k, other in enumerate(found[:i]):
            if aliased(value, other) and not any(self._meet(a, b) for a in sources[i] for b in sources[k]):
                raise BadViewMap(
                    f"{node}: its {way} gave outputs {k} and {i} that share memory with each other and with no input "
                    f"that both may view: {maps}{made_at(node)}",
                    facts("aliases", node, output=i, other=k, inputs=self.kept, value=value),
                )

    def _meet(self, i: int, j: int) -> bool:
        """Whether two inputs are one, or share memory."""
        return self.used[i] is self.used[j] or aliased(self.used[i], self.used[j])

    def _compare(self) -> None:
        if len(self._answers) < 2:
            return
        node, kept = self.node.node, self.kept
        python, c = self._answers["perform"], self._answers["C code"]
        if isinstance(python, Exception) != isinstance(c, Exception):
            ways = ("perform", "C code") if isinstance(python, Exception) else ("C code", "perform")
            err, (way, other) = self._answers[ways[0]], ways
            raise BadThunkOutput(
                f"{node}: its {way} raises and its {other} does not{made_at(node)}\n{inputs_text(node, kept)}\n"
                f"  {way}: {type(err).__name__}: {err}",
                facts("perform", node, inputs=kept, perform=python, c=c),
            ) from err
        if isinstance(c, Exception):
            return
        allowed = self.allowed()
        if all(map(surely_equal, node.outputs, python, c)):
            return
        for i, variable in enumerate(node.outputs):
            if not nearly_equal(variable, python[i], c[i], allowed):
                raise BadThunkOutput(
                    f"{node}: its C code and its perform do not agree on output {i} of type {variable.type}"
                    f"{made_at(node)}\n{inputs_text(node, kept)}\n  C code: {text_of(c[i])}\n"
                    f"  perform: {text_of(python[i])}{where_apart(c[i], python[i], allowed)}",
                    facts(
                        "perform", node, inputs=kept, perform=python, c=c, output=i,
                        index=first_apart(c[i], python[i], allowed),
                    ),
                )  # fmt: skip


def _call(function: Any, *arguments: object) -> Any:
    return function(*arguments)


def _named_after(node: Apply) -> Any:
    """`_call` under the name of an op, as if it stood in the line that applied it: for a traceback of a crash."""
    from types import FunctionType

    file, line = node.made_at[:2] if node.made_at else (_call.__code__.co_filename, _call.__code__.co_firstlineno)
    names: Any = {name: str(node.op) for name in ("co_name", "co_qualname") if hasattr(_call.__code__, name)}
    return FunctionType(_call.__code__.replace(co_filename=file, co_firstlineno=line - 1, **names), globals())


def keeps_state(op: object) -> bool:
    """Say whether an op's C keeps something from one call to the next, as far as its hooks tell."""
    return any(own_hook(op, hook) for hook in ("c_init_code_struct", "c_support_code_struct", "c_cleanup_code_struct"))


def _not_finite(value: object) -> tuple[int, ...] | None:
    """The index of the first element that is NaN or infinite; None: there is none."""
    if not isinstance(value, (np.ndarray, np.inexact, float, complex)):
        return None
    array = np.asarray(value)
    if array.dtype.kind not in "fc":
        return None
    finite = np.isfinite(array)
    return None if finite.all() else tuple([int(i) for i in np.argwhere(~finite)[0]])
