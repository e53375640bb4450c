"""Rewriters that put an op, its inputs or a formula in the place of another, as the older packages have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from opweld.compat.rewriters import LocalOptimizer
from opweld.errors import _what
from opweld.graph import fgraph as _fgraph
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.op import Op
from opweld.graph.type import fits
from opweld.tensor.convert import as_tensor_variable

__all__ = ["OpRemove", "OpSub", "PatternSub"]

Pattern: TypeAlias = Any  # a tuple of patterns, a name, a number, a Constant, a dict


class OpSub(LocalOptimizer):
    """Puts one op in the place of another.

    Parameters
    ----------
    op1, op2 : Op
        What is there, and what takes its place.
    transfer_tags : bool
        Whether the outputs take the tags.
    """

    retains_inputs = True

    def __init__(self, op1: Op, op2: Op, transfer_tags: bool = True) -> None:
        self.op1, self.op2, self.transfer_tags = op1, op2, transfer_tags
        self.__name__ = f"{op1} -> {op2}"

    def op_key(self) -> Op:
        """Give the op that it is for."""
        return self.op1

    def tracks(self) -> list[Any]:
        """Give the op that it is for."""
        return [self.op1]

    def transform(self, fgraph: _fgraph.FunctionGraph, node: Apply) -> Any:
        """Put the other op there."""
        if node.op != self.op1:
            return False
        made = self.op2.make_node(*node.inputs)
        if self.transfer_tags:
            made.tag = node.tag
            for new, old in zip(made.outputs, node.outputs):
                new.tag = old.tag
        return made.outputs


class OpRemove(LocalOptimizer):
    """Puts the inputs of an op in the place of its outputs.

    Parameters
    ----------
    op : Op
        Of as many inputs as outputs.
    """

    def __init__(self, op: Op) -> None:
        self.op = op
        self.__name__ = f"{op}(x) -> x"

    def op_key(self) -> Op:
        """Give the op that it is for."""
        return self.op

    def tracks(self) -> list[Any]:
        """Give the op that it is for."""
        return [self.op]

    def transform(self, fgraph: _fgraph.FunctionGraph, node: Apply) -> Any:
        """Give the inputs."""
        return list(node.inputs) if node.op == self.op else False


class PatternSub(LocalOptimizer):
    """Puts one formula in the place of another.

    Parameters
    ----------
    in_pattern : tuple
        ``(op, part, part …)``. A part is a pattern; a name, which stands for any variable, the same wherever it
        stands; a number or a Constant, which stands for itself; or ``{"pattern": part, "constraint": f}``, which
        stands for what it says if ``f(variable)`` is true.
    out_pattern : tuple or str
        What takes its place, in the same names.
    allow_multiple_clients : bool
        Whether what lies inside the formula may be read elsewhere too.
    skip_identities_fn : callable, optional
        Gives the variable behind one that changes nothing; None where it changes something.
    name : str, optional
        What messages say.
    tracks, get_nodes, values_eq_approx
        Accepted: the node is found by the pattern's first op.
    """

    def __init__(
        self,
        in_pattern: Pattern,
        out_pattern: Pattern,
        allow_multiple_clients: bool = False,
        skip_identities_fn: Callable[[Variable], Any] | None = None,
        name: str | None = None,
        tracks: object = (),
        get_nodes: object = None,
        values_eq_approx: object = None,
    ) -> None:
        if not isinstance(in_pattern, (tuple, list)) or not in_pattern:
            raise TypeError(f"PatternSub: the pattern must begin with an op: (op, …), got {_what(in_pattern)}")
        self.in_pattern, self.out_pattern = in_pattern, out_pattern
        self.op = in_pattern[0]
        self.allow_multiple_clients = allow_multiple_clients
        self.skip_identities_fn = skip_identities_fn
        self.name = name
        self.__name__ = name or f"{_formula(in_pattern)} -> {_formula(out_pattern)}"

    def op_key(self) -> Any:
        """Give the op that it is for."""
        return self.op

    def tracks(self) -> list[Any]:
        """Give the op that it is for."""
        return [self.op]

    def transform(self, fgraph: _fgraph.FunctionGraph, node: Apply) -> Any:
        """Put the other formula there, if the node is the first."""
        known: dict[str, Variable] = {}
        if len(node.outputs) != 1 or not self._matches(self.in_pattern, node.outputs[0], known, fgraph, True):
            return False
        made = _built(self.out_pattern, known)
        (old,) = node.outputs
        return [made] if fits(old.type, made.type) else False

    def _matches(
        self, pattern: Pattern, variable: Variable, known: dict[str, Variable], fgraph: _fgraph.FunctionGraph, top: bool
    ) -> bool:
        if isinstance(pattern, dict):
            inner = pattern["pattern"]
            return self._matches(inner, variable, known, fgraph, top) and bool(pattern["constraint"](variable))
        if isinstance(pattern, str):
            return known.setdefault(pattern, variable) is variable or _equal(known[pattern], variable)
        if not isinstance(pattern, (tuple, list)):
            return _equal(variable, as_tensor_variable(pattern))
        op, *parts = pattern
        node = variable.owner
        if node is None or not (node.op == op or (isinstance(op, type) and isinstance(node.op, op))):
            skip = self.skip_identities_fn
            behind = None if skip is None else skip(variable)
            return behind is not None and self._matches(pattern, behind, known, fgraph, top)
        if len(node.inputs) != len(parts):
            return False
        if not top and not self.allow_multiple_clients and len(fgraph.clients.get(variable, ())) > 1:
            return False
        return all(self._matches(part, x, known, fgraph, False) for part, x in zip(parts, node.inputs))


def _equal(one: Variable, other: Variable) -> bool:
    if one is other:
        return True
    if not isinstance(one, Constant) or not isinstance(other, Constant):
        return False
    return bool(one.data.shape in ((), other.data.shape) or other.data.shape == ()) and bool(
        (one.data == other.data).all()
    )


def _built(pattern: Pattern, known: dict[str, Variable]) -> Any:
    if isinstance(pattern, str):
        return known[pattern]
    if isinstance(pattern, (tuple, list)):
        op, *parts = pattern
        return op(*[_built(part, known) for part in parts])
    return pattern


def _formula(pattern: Pattern) -> str:
    if isinstance(pattern, dict):
        return _formula(pattern["pattern"])
    if isinstance(pattern, (tuple, list)):
        return f"{pattern[0]}({', '.join([_formula(part) for part in pattern[1:]])})"
    return str(pattern)
