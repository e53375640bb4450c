"""What of PyTensor's nodes is known as structure: loops and views that the engine writes (docs/program.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from pytensor.compile.ops import DeepCopyOp, ViewOp
from pytensor.graph.basic import Apply, Constant
from pytensor.graph.op import Op
from pytensor.scalar import ScalarType, basic
from pytensor.tensor.elemwise import CAReduce, DimShuffle, Elemwise
from pytensor.tensor.subtensor import Subtensor

from opweld.pytensor.scalars import DTYPES, Body, Unknown
from opweld.pytensor.types import is_plain

__all__ = ["Structure", "is_part", "structure_of"]


class Structure:
    """A node's work as data.

    Parameters
    ----------
    fields : dict
        ``loop`` or ``view``.
    body : Body, optional
        Of a loop: has the scalar ops that take part by their own C.
    held : str, optional
        The dtype of what a loop makes, where the node's output is of another: that is made of it.
    """

    def __init__(self, fields: dict[str, Any], body: Body | None = None, held: str | None = None) -> None:
        self.fields = fields
        self.held = held
        self._body = body if body is not None and body.owned else None
        self.lang = "c" if self._body is None else self._body.lang

    def of(self, fields: dict[str, Any]) -> Structure:
        """Give other work with the same scalar ops."""
        return Structure(fields, self._body)

    def shared(self, hook: str, **more: Any) -> list[Any]:
        """What the scalar ops give for the module or its build."""
        return [] if self._body is None else self._body.shared(hook, **more)

    def support_apply(self, name: str) -> str:
        """What the scalar ops write for a node."""
        return "" if self._body is None else self._body.support_apply(name)


def structure_of(node: Apply) -> Structure | None:
    """Find what is known of a node.

    Parameters
    ----------
    node : Apply
        PyTensor's; its variables are arrays.

    Returns
    -------
    Structure or None
        None: its work is not known, but as the C that its op writes.
    """
    op = node.op
    try:
        if type(op) is Elemwise:
            return _elementwise(op, node)
        if type(op) is DeepCopyOp:
            return _copy(node)
        if type(op) is DimShuffle:
            return _view(node, op.new_order)
        if type(op) is ViewOp:
            return _view(node, range(node.inputs[0].type.ndim))
        if is_part(node):
            return _part(op, node)
        if isinstance(op, CAReduce) and type(op).c_code is CAReduce.c_code:
            return _fold(op, node)
    except Unknown:
        pass
    return None


def _elementwise(op: Op, node: Apply) -> Structure:
    body = Body([x.type.dtype for x in node.inputs])
    results = body.apply(op.scalar_op, range(len(node.inputs)), [x.type.dtype for x in node.outputs])
    outputs: list[Any] = [{"value": value} for value in results]
    for output, source in op.inplace_pattern.items():
        if node.inputs[source].type.dtype == node.outputs[output].type.dtype:
            outputs[output]["over"] = source
    return Structure({"loop": _loop(node, body, outputs)}, body)


def _loop(node: Apply, body: Body, outputs: list[Any]) -> dict[str, Any]:
    exact = _exact(node)
    return {"body": body.instructions, "outputs": outputs, **({"exact": exact} if exact else {})}


def _exact(node: Apply) -> list[list[int]]:
    """List the axes, each behind its input, whose types do not state 1: they are not broadcast.

    Those of nodes that broadcast nothing too: what they make may be read inside of a loop of several nodes, where only
    inputs are looked at first.
    """
    return [[i, axis] for i, x in enumerate(node.inputs) for axis, size in enumerate(x.type.shape) if size != 1]


def _copy(node: Apply) -> Structure:
    _check_moved(node)
    return Structure({"loop": _loop(node, Body([]), [{"value": 0}])})


def _check_moved(node: Apply) -> None:
    """Refuse a dtype whose elements neither copies nor views of the engine's move."""
    if node.inputs[0].type.dtype not in _MOVED:
        raise Unknown(node.inputs[0].type.dtype)


def _view(node: Apply, order: Iterable[int | str]) -> Structure:
    axes = [int(i) for i in order if i != "x"]
    new = [place for place, i in enumerate(order) if i == "x"]
    _check_moved(node)
    return Structure({"view": {"axes": axes, "new": new, "cuts": []}})


def _part(op: Op, node: Apply) -> Structure:
    cuts, axes = [], []
    for axis, entry in enumerate(op.idx_list):
        whole = isinstance(entry, slice)
        numbers = {name: getattr(entry, name) for name in ("start", "stop", "step")} if whole else {"at": entry}
        cut = {name: 1 + number for name, number in numbers.items() if number is not None}
        if cut:
            cuts.append({"axis": axis, **cut})
        if whole:
            axes.append(axis)
    axes += range(len(op.idx_list), node.inputs[0].type.ndim)
    return Structure({"view": {"axes": axes, "new": [], "cuts": cuts}})


def is_part(node: Apply) -> bool:
    """Say whether a node takes slices and elements by numbers that are known: a view then reads these as arrays.

    Parameters
    ----------
    node : Apply
        PyTensor's.

    Returns
    -------
    bool
    """
    if type(node.op) is not Subtensor or not is_plain(node.inputs[0].type) or node.inputs[0].type.dtype not in _MOVED:
        return False
    return all(
        isinstance(x, Constant)
        and type(x.type) is ScalarType
        and x.type.dtype in _INDICES
        and -(2**63) <= int(x.data) < 2**63
        for x in node.inputs[1:]
    )


_MOVED = DTYPES | {"complex64", "complex128"}
_INDICES = frozenset(("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"))
_FOLDS = {basic.Add: "add", basic.Mul: "multiply", basic.Maximum: "maximum", basic.Minimum: "minimum"}
_OF_BITS = {basic.OR: "bitwise_or", basic.AND: "bitwise_and", basic.XOR: "bitwise_xor"}
_OF_BOOLS = {basic.Add: "logical_or", basic.Mul: "logical_and", basic.OR: "logical_or", basic.AND: "logical_and"}


def _fold(op: Op, node: Apply) -> Structure:
    (x,), (y,) = node.inputs, node.outputs
    dtype = y.type.dtype
    kind = np.dtype(dtype).kind
    more = {"b": _OF_BOOLS, "i": _OF_BITS, "u": _OF_BITS}.get(kind, {})
    name = {**_FOLDS, **more}.get(type(op.scalar_op))
    axes = list(range(x.type.ndim)) if op.axis is None else sorted(op.axis)
    held = op.acc_dtype or dtype
    if name is None or not axes:
        raise Unknown(str(op))
    wraps = kind in "iu" and name not in ("maximum", "minimum")
    if np.dtype(held).kind in "iu" and (wraps or x.type.dtype == dtype):
        held = dtype  # the low bits of sums and products, and all of the rest, are what they are in wider integers
    if held != dtype and not (kind == "f" and held == "float64"):
        raise Unknown(str(op))
    body = Body([x.type.dtype])
    value = body.cast(0, held)
    fold = {"op": name, "dtypes": [held], "values": [value]}
    outputs = [{"fold": 0, "value": 0}]
    loop = {"body": body.instructions, "folds": [fold], "axes": axes, "outputs": outputs}
    return Structure({"loop": loop}, body, held if held != dtype else None)
