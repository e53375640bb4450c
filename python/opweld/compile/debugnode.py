"""One node in DebugMode: run in C and in Python, and checked against what its op promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opweld.compile import builder
from opweld.compile.code import Code, bind, performer
from opweld.compile.comparing import aliased, copied, equal, nearly_equal, text_of, tolerance_of, where_apart
from opweld.compile.failure import explain
from opweld.compile.program import make_program
from opweld.config import Options
from opweld.errors import OpweldError
from opweld.generic import generic
from opweld.graph.aliasing import alias_pairs
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.op import Op
from opweld.signatures import filter_of

if TYPE_CHECKING:
    from opweld.compile.debugmode import DebugMode


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


class CheckedNode:
    """A node, and how it is run.

    Parameters
    ----------
    node : Apply
        The node.
    mode : DebugMode
        Says in which ways.
    called : str
        The function's name, for messages.

    Attributes
    ----------
    destroyed : list of int
        The inputs that it may write over.
    wants_c, in_c : bool
        Whether its C is to run, and whether it has some: known once a `Module` is made.
    """

    def __init__(self, node: Apply, mode: DebugMode, called: str) -> None:
        self.node = node
        self.called = called
        self.destroyed = sorted({source for _, source in alias_pairs(node, "destroy_map")})
        self.sources: list[set[int]] = [set() for _ in node.outputs]  # of each output: whose memory it may have
        for out, source in alias_pairs(node, "destroy_map") + alias_pairs(node, "view_map"):
            self.sources[out].add(source)
        self._performs = node.op.has_perform()
        self._check_py = mode.check_py
        self.wants_c = mode.check_c or not self._performs
        self.in_c = False
        self._perform: Any = None

    @property
    def perform(self) -> Any:
        """Of the inputs' values; gives the outputs'. None: it is not to run."""
        if not self._performs or (self.in_c and not self._check_py):
            return None
        if self._perform is None:
            self._perform = performer(self.node)
        return self._perform


class Module:
    """The C of several nodes in one module. Each asks Python what it is to work on, and hands over what it made.

    Parameters
    ----------
    nodes : list of CheckedNode
        In the order in which they run; those that turn out to have no C are left out.
    called : str
        The function's name.
    options : Options or None
        What they are compiled with.
    """

    def __init__(self, nodes: list[CheckedNode], called: str, options: Options | None) -> None:
        name = f"DebugMode of {called}"
        for node in nodes:
            node.in_c = True
        self._run: Any = None
        self._code: Code | None = None
        self._call = _named_after(nodes[0].node) if len(nodes) == 1 else _call
        while present := [node for node in nodes if node.in_c]:
            graph, own = _chain(present)
            program = make_program(graph, name, single=True, keywords=[None])
            bare = [own[performed] for performed in program.performs if performed in own]
            for node in bare:
                node.in_c = False
            if not bare:
                break
        if present:
            self._code = Code(graph, program, builder.build(program, options), fused=False)
            self._run = bind(
                self._code, called, lambda index, value: value, perform=lambda step: step.op.call, explained=False
            )

    def __call__(self, run: Any) -> None:
        """Run the nodes.

        Parameters
        ----------
        run : object
            Its ``enter(node)`` gives the values of the node's inputs, its ``leave(outputs)`` takes what came out.
        """
        if self._run is not None:
            self._call(self._run, run)

    def source(self) -> str:
        """Give the module's C; empty: none of the nodes has some."""
        return "" if self._code is None else self._code.source()


def _call(function: Any, argument: object) -> None:
    function(argument)


def _named_after(node: Apply) -> Any:
    """`_call` under the name of an op, as if it stood in the line that applied it: for a traceback of a crash."""
    from types import FunctionType

    file, line = node.made_at[:2] if node.made_at else (_call.__code__.co_filename, _call.__code__.co_firstlineno)
    names: Any = {name: str(node.op) for name in ("co_name", "co_qualname") if hasattr(_call.__code__, name)}
    return FunctionType(_call.__code__.replace(co_filename=file, co_firstlineno=line - 1, **names), globals())


def _chain(nodes: list[CheckedNode]) -> tuple[FunctionGraph, dict[Apply, CheckedNode]]:
    """A graph that runs nodes one after another, each between two calls of Python; which node is whose copy."""
    token = first = generic.make_variable()
    own: dict[Apply, CheckedNode] = {}
    for node in nodes:
        places = {v: i for i, v in reversed([*enumerate(node.node.inputs)]) if not isinstance(v, Constant)}
        variables = [v.type.make_variable(v.name) for v in places]
        entered = Apply(_Enter(node, list(places.values())), [token], [generic(), *variables])
        given = dict(zip(places, entered.outputs[1:]))
        copied = node.node.copy([given.get(v, v) for v in node.node.inputs], {})
        own[copied] = node
        token = Apply(_Leave(), [entered.outputs[0], *copied.outputs], [generic()]).outputs[0]
    return FunctionGraph([first], [token]), own


class _Enter(Op):
    """Asks what a node is to work on."""

    check_input = False

    def __init__(self, node: CheckedNode, places: list[int]) -> None:
        self._node = node
        self._places = places

    def call(self, run: Any) -> tuple[Any, ...]:
        given = run.enter(self._node)
        return (run, *[given[i] for i in self._places])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        for cell, value in zip(output_storage, self.call(*inputs)):
            cell[0] = value


class _Leave(Op):
    """Takes what a node made."""

    check_input = False

    def call(self, run: Any, *found: Any) -> tuple[Any, ...]:
        run.leave(list(found))
        return (run,)

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        (output_storage[0][0],) = self.call(*inputs)


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

    def perform(self, last: bool) -> None:
        """Run in Python, where that is to be."""
        call = self.node.perform
        if call is None:
            return
        used = self.give("perform", last)
        try:
            found: Any = list(call(*used))
        except MemoryError:
            raise
        except Exception as err:
            found = err
        self._take("perform", found)

    def settle(self, found: object) -> list[Any]:
        """Check, and compare.

        Parameters
        ----------
        found : list, Exception or None
            What the node's C gave, or raised; None: it did not run.

        Returns
        -------
        list
            What the node's outputs are.
        """
        if found is not None:
            if isinstance(self._answers.get("perform"), NotImplementedError) and not isinstance(found, Exception):
                del self._answers["perform"]  # it says that there is none: such ops run in C alone
            self._take("C code", found)
        self._compare()
        results: Any = self._answers.get("C code", self._answers.get("perform"))
        if isinstance(results, Exception):
            explain(results, self.node.called, self.node.node, dict(enumerate(self.given)))
            raise results
        return list(results)

    def _take(self, way: str, found: Any) -> None:
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
                    f"{node.op.destroy_map}\n  before: {text_of(before)}\n  after: {text_of(value)}",
                    {"node": node, "input": i, "before": before, "after": value},
                )

    def _check_outputs(self, way: str, found: list[Any]) -> None:
        node = self.node.node
        for i, (value, variable) in enumerate(zip(found, node.outputs)):
            try:
                filter_of(variable.type, strict=True)(value)
            except Exception as err:  # a filter may raise what it likes
                raise InvalidValueError(
                    f"{node}: its {way} gave an output {i} that is not of type {variable.type}: {err}",
                    {"node": node, "output": i, "value": value},
                ) from None
        for i, value in enumerate(found):
            self._check_memory(way, i, value, found)

    def _check_memory(self, way: str, i: int, value: object, found: list[Any]) -> None:
        """Refuse an output whose memory is that of an input that it does not name, or of an earlier output."""
        node, sources = self.node.node, self.node.sources
        maps = f"view_map is {node.op.view_map}, destroy_map {node.op.destroy_map}"
        for j, other in enumerate(self.used):
            if aliased(value, other) and not any(self._meet(j, source) for source in sources[i]):
                raise BadViewMap(
                    f"{node}: its {way} gave an output {i} that shares memory with input {j}, {node.inputs[j]}, and "
                    f"{maps}",
                    {"node": node, "output": i, "input": j},
                )
        for k, other in enumerate(found[:i]):
            if aliased(value, other) and not any(self._meet(a, b) for a in sources[i] for b in sources[k]):
                raise BadViewMap(
                    f"{node}: its {way} gave outputs {k} and {i} that share memory with each other and with no input "
                    f"that both may view: {maps}",
                    {"node": node, "output": i, "other": k},
                )

    def _meet(self, i: int, j: int) -> bool:
        """Whether two inputs are one, or share memory."""
        return self.used[i] is self.used[j] or aliased(self.used[i], self.used[j])

    def _compare(self) -> None:
        if len(self._answers) < 2:
            return
        node, kept = self.node.node, self.kept
        python, c = self._answers["perform"], self._answers["C code"]
        inputs = "\n".join(f"  input {i}, {v}: {text_of(kept[i])}" for i, v in enumerate(node.inputs))
        details = {"node": node, "inputs": kept, "perform": python, "c": c}
        if isinstance(python, Exception) != isinstance(c, Exception):
            ways = ("perform", "C code") if isinstance(python, Exception) else ("C code", "perform")
            err, (way, other) = self._answers[ways[0]], ways
            raise BadThunkOutput(
                f"{node}: its {way} raises and its {other} does not\n{inputs}\n  {way}: {type(err).__name__}: {err}",
                details,
            ) from err
        if isinstance(c, Exception):
            return
        allowed = tolerance_of(node, kept)
        for i, variable in enumerate(node.outputs):
            if not nearly_equal(variable, python[i], c[i], allowed):
                raise BadThunkOutput(
                    f"{node}: its C code and its perform do not agree on output {i} of type {variable.type}\n"
                    f"{inputs}\n  C code: {text_of(c[i])}\n  perform: {text_of(python[i])}"
                    f"{where_apart(c[i], python[i], allowed)}",
                    {**details, "output": i},
                )
