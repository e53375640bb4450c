"""Scalar ops that compute a graph of scalar ops: `Composite`, once; `ScalarLoop`, again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from opweld.compat.abstract import FrozenFunctionGraph, OfInnerGraph
from opweld.compat.cloning import clone_replace
from opweld.compat.scalars import Element, ScalarOp
from opweld.errors import MethodNotDefined
from opweld.graph.basic import Apply, Constant, Variable
from opweld.scalar import op as _op
from opweld.scalar.type import ScalarType, as_scalar

__all__ = ["Composite", "ScalarInnerGraphOp", "ScalarLoop"]


class ScalarInnerGraphOp(ScalarOp, OfInnerGraph):
    """A scalar op over a graph of scalar ops. A subclass sets ``fgraph``, and writes what it does with it."""

    __props__: tuple[str, ...] | None = ("fgraph",)

    def _validate_inner_graph(self, fgraph: FrozenFunctionGraph) -> None:
        for node in fgraph.apply_nodes:
            if not isinstance(node.op, _op.ScalarOp):
                raise TypeError(f"{type(self).__name__}: {node.op} is no scalar op")

    @property
    def fn(self) -> Any:
        """What computes the graph in Python."""
        return self.py_perform_fn

    def clone(self) -> Any:
        """Give the op itself: it does not change."""
        return self

    @property
    def py_perform_fn(self) -> Callable[..., tuple[Any, ...]]:
        """What computes the graph in Python: of the inputs' values, a tuple of the outputs'."""
        order, outputs = self.fgraph.toposort(), self.fgraph.outputs

        def run(*values: Any) -> tuple[Any, ...]:
            known: dict[Variable, Any] = dict(zip(self.fgraph.inputs, values))
            for node in order:
                given = [v.data if isinstance(v, Constant) else known[v] for v in node.inputs]
                cells: list[list[Any]] = [[None] for _ in node.outputs]
                node.op.perform(node, given, cells)
                known.update(zip(node.outputs, [cell[0] for cell in cells]))
            return tuple([v.data if isinstance(v, Constant) else known[v] for v in outputs])

        return run

    def c_body(self, names: dict[Variable, str], nodename: str, sub: dict[str, Any]) -> str:
        """Write the C of the graph's nodes.

        Parameters
        ----------
        names : dict
            What the inputs are called in C; takes the names of everything else.
        nodename : str
            As `c_code` has it.
        sub : dict
            As `c_code` has it.

        Returns
        -------
        str
            Declarations and statements.

        Raises
        ------
        MethodNotDefined
            If a node's op has no C.
        """
        lines = []
        for number, node in enumerate(self.fgraph.toposort()):
            for variable in node.inputs:
                if variable not in names:
                    names[variable] = f"({variable.type.c_literal(variable.data)})"
            for place, output in enumerate(node.outputs):
                names[output] = f"opw_{nodename}_{number}_{place}"
                lines.append(f"{output.type.dtype_specs()[1]} {names[output]};")
            text = getattr(node.op, "c_code", None)
            if text is None:
                raise MethodNotDefined(f"{self}: {node.op} has no c_code")
            inputs, outputs = ([names[v] for v in side] for side in (node.inputs, node.outputs))
            lines.append(text(node, f"{nodename}_{number}", inputs, outputs, sub))
        return "\n".join(lines) + "\n"

    def c_support_code(self, **kwargs: Any) -> str:
        """Write what the nodes' ops want before, each text once."""
        found = [node.op.c_support_code() for node in self.fgraph.apply_nodes if hasattr(node.op, "c_code")]
        texts = [text if isinstance(text, str) else "\n".join(text) for text in found]
        return "\n".join(dict.fromkeys(texts))

    def c_code_cache_version_outer(self) -> tuple[int, ...]:
        """Version of what stands round the nodes' texts."""
        return (1,)

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of the text and of those of the nodes' ops; empty: one of these has none."""
        inner = [node.op.c_code_cache_version() for node in self.fgraph.toposort()]
        return (*self.c_code_cache_version_outer(), *inner) if all(inner) else ()


class Composite(ScalarInnerGraphOp):
    """A graph of scalar ops as one.

    Parameters
    ----------
    inputs, outputs : list of Variable
        Scalars. No output may be an input.
    name : str
        What messages say.

    Raises
    ------
    TypeError
        If an op of the graph is none of scalars.
    """

    def __init__(self, inputs: Sequence[Variable], outputs: Sequence[Variable], name: str = "Composite") -> None:
        self.fgraph = FrozenFunctionGraph(inputs, outputs)
        self._validate_inner_graph(self.fgraph)
        self.inputs, self.outputs = self.fgraph.inputs, self.fgraph.outputs
        self.inputs_type = tuple([v.type for v in self.inputs])
        self.outputs_type = tuple([v.type for v in self.outputs])
        self.nin, self.nout = len(self.inputs), len(self.outputs)
        super().__init__(name=name)

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give the graph's, if these are its inputs'.

        Raises
        ------
        TypeError
            If they are not.
        """
        if tuple(types) != self.inputs_type:
            raise TypeError(
                f"{self}: expected {', '.join(map(str, self.inputs_type))}, got {', '.join(map(str, types))}"
            )
        return list(self.outputs_type)

    def make_node(self, *inputs: Any) -> Apply:
        """Build the node; for inputs of other types, of a graph that is made anew for them."""
        given = [as_scalar(x) for x in inputs]
        if tuple([x.type for x in given]) == self.inputs_type:
            return super().make_node(*given)
        fresh = [x.type() for x in given]
        made = type(self)(fresh, clone_replace(self.outputs, dict(zip(self.inputs, fresh))), str(self.name))
        return made.make_node(*given)

    def impl(self, *inputs: Any) -> Any:
        """Compute the graph in Python."""
        found = self.py_perform_fn(*inputs)
        return found[0] if self.nout == 1 else found

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Write the graph's nodes, one after the other."""
        names = dict(zip(self.inputs, input_names))
        body = self.c_body(names, name, sub)
        results = "\n".join([f"{out} = {names[v]};" for out, v in zip(output_names, self.outputs)])
        return f"{{\n{body}{results}\n}}"


class ScalarLoop(ScalarInnerGraphOp):
    """A graph of scalar ops, computed a number of times, each time of what came out the time before.

    Its inputs are the number of rounds, the first values, the constants; its outputs the last values, and with `until`
    whether that came true: true also where there was no round.

    Parameters
    ----------
    init, update : list of Variable
        The values of a round, and those of the next, of the same types.
    constant : list of Variable, optional
        What does not change.
    until : Variable, optional
        A bool: where it is true after a round, there is no other.
    name : str
        What messages say.

    Raises
    ------
    ValueError
        If there are not as many updates as first values.
    TypeError
        If types differ, or `until` is no bool.
    """

    def __init__(
        self,
        init: Sequence[Variable],
        update: Sequence[Variable],
        constant: Sequence[Variable] | None = None,
        until: Variable | None = None,
        name: str = "ScalarLoop",
    ) -> None:
        if len(init) != len(update):
            raise ValueError(f"{name}: {len(update)} updates for {len(init)} values")
        for one, other in zip(init, update):
            if one.type != other.type:
                raise TypeError(f"{name}: {one} of type {one.type} becomes {other} of type {other.type}")
        if until is not None and until.type.dtype != "bool":
            raise TypeError(f"{name}: until must be a bool, got {until.type}")
        self.is_while = until is not None
        outputs = list(update) if until is None else [*update, until]
        self.fgraph = FrozenFunctionGraph([*init, *(constant or ())], outputs)
        self._validate_inner_graph(self.fgraph)
        self.inputs, self.outputs = self.fgraph.inputs, self.fgraph.outputs
        self.carried = len(init)
        self.nin, self.nout = len(self.inputs) + 1, len(self.outputs)
        super().__init__(name=name)

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give the graph's."""
        return [v.type for v in self.outputs]

    def make_node(self, n_steps: Element, *inputs: Any) -> Apply:
        """Build the node.

        Raises
        ------
        TypeError
            If the number of rounds is no integer, or inputs are of other types than the graph's.
        """
        rounds, given = as_scalar(n_steps), [as_scalar(x) for x in inputs]
        if not rounds.type.dtype.startswith("int"):
            raise TypeError(f"{self}: the number of rounds must be an integer, got {rounds.type}")
        if [x.type for x in given] != [v.type for v in self.inputs]:
            raise TypeError(
                f"{self}: expected {[str(v.type) for v in self.inputs]}, got {[str(x.type) for x in given]}"
            )
        return super().make_node(rounds, *given)

    def impl(self, n_steps: Element, *inputs: Any) -> Any:
        """Compute the rounds in Python."""
        carry, constants, done = list(inputs[: self.carried]), inputs[self.carried :], True
        run = self.py_perform_fn
        for _ in range(int(n_steps)):
            found = run(*carry, *constants)
            carry = list(found[: self.carried])
            if self.is_while:
                done = bool(found[-1])
                if done:
                    break
        results = (*carry, done) if self.is_while else tuple(carry)
        return results[0] if self.nout == 1 else results

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Write a loop over the graph's nodes."""
        rounds, *given = input_names
        held = [f"opw_{name}_held{i}" for i in range(self.carried)]
        kinds = [v.type.dtype_specs()[1] for v in self.inputs]
        names = dict(zip(self.inputs, [*held, *given[self.carried :]]))
        begins = "\n".join([f"{kind} {own} = {x};" for kind, own, x in zip(kinds, held, given)])
        body = self.c_body(names, name, sub)
        new = [f"{kind} {own}_new = {names[v]};" for kind, own, v in zip(kinds, held, self.outputs)]
        moves = "\n".join([*new, *[f"{own} = {own}_new;" for own in held]])
        done = f"opw_{name}_done"
        until = f"{done} = {names[self.outputs[-1]]};\nif ({done}) break;" if self.is_while else ""
        ends = "\n".join([f"{out} = {own};" for out, own in zip(output_names, [*held, done])])
        return (
            f"{{\n{begins}\nbool {done} = true;\n(void){done};\n"
            f"for (npy_int64 opw_{name}_round = 0; opw_{name}_round < (npy_int64){rounds}; opw_{name}_round++) {{\n"
            f"{body}{moves}\n{until}\n}}\n{ends}\n}}"
        )
