"""Walks over graphs that Theano, Aesara and PyTensor offer, and what their convolutions say of shapes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.order import depth_first
from opweld.graph.shared import SharedVariable
from opweld.params import KEYWORDS
from opweld.tensor.likes import Size

__all__ = [
    "ancestors", "apply_depends_on", "applys_between", "c_cpp_keywords", "explicit_graph_inputs",
    "get_conv_output_shape", "get_conv_shape_1axis", "graph_inputs", "io_toposort", "list_of_nodes", "local_bitwidth",
    "orphans_between", "python_int_bitwidth", "toposort", "truncated_graph_inputs", "variable_depends_on",
    "vars_between",
]  # fmt: skip

c_cpp_keywords = KEYWORDS


def io_toposort(inputs: Iterable[Variable], outputs: Iterable[Variable], orderings: None = None) -> list[Apply]:
    """Give the nodes between variables, each behind those that it reads.

    Parameters
    ----------
    inputs, outputs : iterable of Variable
        Where to stop, and where to begin.
    orderings : None
        There are no others.

    Returns
    -------
    list of Apply
    """
    return depth_first(list(outputs), set(inputs))


applys_between = io_toposort


def vars_between(ins: Iterable[Variable], outs: Iterable[Variable]) -> list[Variable]:
    """Give the variables between some, those among them."""
    outs = list(outs)
    nodes = io_toposort(ins, outs)
    found = [*outs, *[variable for node in nodes for variable in (*node.inputs, *node.outputs)]]
    return list(dict.fromkeys(found))


def orphans_between(ins: Iterable[Variable], outs: Iterable[Variable]) -> list[Variable]:
    """Give the variables that outputs depend on, no node computes, and that are no inputs: constants, as a rule."""
    known = set(ins)
    return [variable for variable in vars_between(known, outs) if variable.owner is None and variable not in known]


def ancestors(graphs: Iterable[Variable], blockers: Collection[Variable] | None = None) -> list[Variable]:
    """Give the variables on which some depend, themselves among them; none beyond the blockers."""
    return vars_between(blockers or (), graphs)


def graph_inputs(graphs: Iterable[Variable], blockers: Collection[Variable] | None = None) -> list[Variable]:
    """Give the variables on which some depend, and that no node computes: inputs, shared variables, constants."""
    return [variable for variable in ancestors(graphs, blockers) if variable.owner is None]


def local_bitwidth() -> int:
    """Give the bits of a pointer."""
    return 64


python_int_bitwidth = local_bitwidth


def get_conv_shape_1axis(
    image_shape: Size | None,
    kernel_shape: Size | None,
    border_mode: str | Size | tuple[Size, Size] | None,
    subsample: Size | None,
    dilation: Size | None = 1,
) -> Any:
    """Give the size of a convolution's output along an axis.

    Parameters
    ----------
    image_shape, kernel_shape : int, Variable or None
        Sizes along the axis; None: not known.
    border_mode : {"valid", "half", "full"} or int or (int, int)
        How many zeros stand on each side.
    subsample, dilation : int or Variable
        How far the kernel moves, and how far its elements are apart.

    Returns
    -------
    int, Variable or None
        floor((image + zeros - (kernel - 1) * dilation - 1) / subsample) + 1; None: not known.

    Raises
    ------
    ValueError
        If there are fewer than no zeros.
    """
    given: tuple[Any, ...] = (image_shape, kernel_shape, subsample, dilation, border_mode)
    image, kernel, step, apart, sides = given
    if image is None or kernel is None or step is None or apart is None or sides is None:
        return None
    reach = (kernel - 1) * apart
    if isinstance(sides, str):
        if sides not in ("valid", "half", "full"):
            raise ValueError(f"border_mode must be 'valid', 'half', 'full' or numbers, got {sides!r}")
        one = {"valid": 0, "half": (reach + 1) // 2, "full": reach}[sides]
        zeros = one + one
    else:
        left, right = sides if isinstance(sides, tuple) else (sides, sides)
        if any(not isinstance(side, Variable) and side < 0 for side in (left, right)):
            raise ValueError(f"border_mode must not be negative, got {sides!r}")
        zeros = left + right
    return (image + zeros - reach - 1) // step + 1


def get_conv_output_shape(
    image_shape: Sequence[Size | None],
    kernel_shape: Sequence[Size | None],
    border_mode: str | Size | tuple[Any, ...],
    subsample: Sequence[Size],
    filter_dilation: Sequence[Size] | None = None,
) -> tuple[Any, ...]:
    """Give the shape of a convolution's output.

    Parameters
    ----------
    image_shape : sequence
        Batch, channels, then the sizes along which the kernel moves; None: not known.
    kernel_shape : sequence
        Channels of the output first, the sizes last.
    border_mode : str, int or tuple
        Of each axis, or of all; see `get_conv_shape_1axis`.
    subsample, filter_dilation : sequence
        Of each axis.

    Returns
    -------
    tuple
        Batch, channels, then the sizes.
    """
    axes = len(image_shape) - 2
    modes = border_mode if isinstance(border_mode, tuple) else (border_mode,) * axes
    apart = (1,) * axes if filter_dilation is None else filter_dilation
    sizes = [
        get_conv_shape_1axis(*of_axis)
        for of_axis in zip(image_shape[2:], kernel_shape[len(kernel_shape) - axes :], modes, subsample, apart)
    ]
    return (image_shape[0], kernel_shape[0], *sizes)


def toposort(graphs: Iterable[Variable], blockers: Iterable[Variable] | None = None) -> Iterator[Apply]:
    """Give the nodes that variables need, each behind those that it reads; none beyond the blockers."""
    return iter(depth_first(list(graphs), set(blockers or ())))


def explicit_graph_inputs(graph: Variable | Iterable[Variable]) -> Iterator[Variable]:
    """Give the variables on which some depend, that no node computes, and that are not constant or shared."""
    graphs = [graph] if isinstance(graph, Variable) else graph
    return iter([v for v in graph_inputs(graphs) if not isinstance(v, (Constant, SharedVariable))])


def truncated_graph_inputs(
    outputs: Sequence[Variable], ancestors_to_include: Iterable[Variable] | None = None
) -> list[Variable]:
    """Give the variables from which outputs are computed, no further back than those that shall be included.

    Parameters
    ----------
    outputs : sequence of Variable
        What is computed.
    ancestors_to_include : iterable of Variable, optional
        Where to stop. What does not depend on one of these is not taken apart either.

    Returns
    -------
    list of Variable
    """
    stops = set(ancestors_to_include or ())
    depends: set[Variable] = set()
    for node in depth_first(list(outputs), stops):
        if any(v in stops or v in depends for v in node.inputs):
            depends.update(node.outputs)
    found: dict[Variable, None] = {}
    stack, seen = list(reversed(outputs)), set()
    while stack:
        variable = stack.pop()
        if variable in seen:
            continue
        seen.add(variable)
        if variable.owner is None or variable in stops or (stops and variable not in depends):
            found[variable] = None
        else:
            stack += reversed(variable.owner.inputs)
    return list(found)


def variable_depends_on(variable: Variable, depends_on: Variable | Iterable[Variable]) -> bool:
    """Say whether a variable is, or depends on, one of some."""
    wanted = {depends_on} if isinstance(depends_on, Variable) else set(depends_on)
    return not wanted.isdisjoint(ancestors([variable]))


def apply_depends_on(apply: Apply, depends_on: Apply | Iterable[Apply]) -> bool:
    """Say whether a node is, or depends on, one of some."""
    wanted = {depends_on} if isinstance(depends_on, Apply) else set(depends_on)
    return not wanted.isdisjoint(depth_first(list(apply.outputs), set()))


def list_of_nodes(inputs: Iterable[Variable], outputs: Iterable[Variable]) -> list[Apply]:
    """Give the nodes between variables."""
    return depth_first(list(outputs), set(inputs))
