"""What a short form is among graphs: nodes of its op, and the functions of a graph that is one such node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from opweld.compile import recipe
from opweld.compile.binding import Code, converter, refuser
from opweld.compile.data import STANDARD, Program
from opweld.compile.io import In, Out
from opweld.compile.maker import Maker, modes
from opweld.config import Options
from opweld.cops.op import Cop, op_of
from opweld.cops.types import FUNCTION, shape_of
from opweld.generic import generic
from opweld.tensor.type import TensorType

__all__ = ["function", "maker", "op_of", "refused", "taken"]


def maker(
    op: Cop,
    types: Mapping[str, str],
    options: Mapping[str, Any],
    mode: str,
    known_by: str,
    program: Program | None = None,
) -> Maker:
    """Make what makes the function of a graph that is one node.

    Parameters
    ----------
    op : Cop
        Its op.
    types : dict of str to str
        What the type variables are.
    options : dict of str to object
        Those that are not as configured.
    mode : str
        How it runs.
    known_by : str
        A text that says all of this, by which it is remembered.
    program : Program, optional
        What it is, where that is remembered: nothing is built, and who knows the module says so in ``code.built``.

    Returns
    -------
    Maker
    """
    signature = op.text.signature
    unknown = dict.fromkeys([size[0] for size in signature.sizes])
    variables = [
        generic(a.name)
        if a.dtype == FUNCTION
        else TensorType(types.get(a.dtype, a.dtype), shape_of(a, unknown))(a.name)
        for a in signature.inputs
    ]
    node = op.working_in_place().apply_node(*variables)
    count = len(signature.outputs)
    found = None if mode in STANDARD else modes.read_mode(mode)
    chosen = Options(options, getattr(found, "options", None) or {})
    downcast = chosen.allow_input_downcast
    inputs = [In(v, allow_downcast=downcast, mutable=a.inout) for a, v in zip(signature.inputs, variables)]
    outputs = [*map(Out, node.outputs[:count]), *[Out(v, borrow=True) for v in node.outputs[count:]]]
    single = len(outputs) == 1 and count == 1
    asked = recipe.Recipe(inputs, outputs, {}, single, op.said.name, mode, dict(options), known_by)
    code = None if program is None else Code(None, program, None, chosen.fuse)
    return Maker(asked, chosen, [], found, code)


def function(maker: Maker) -> Any:
    """Make the function."""
    made = maker.create(explained=False)  # there is one node, and what it says names it
    return made if recipe.watch is None else recipe.watch(made)


def taken(maker: Maker) -> Callable[[int, Any], Any]:
    """Make what the module calls for an argument that it cannot take as it is."""
    return converter(maker.called, maker.inputs, maker.keywords, (), maker.conventions == "numpy")


def refused(maker: Maker) -> Callable[[int, int, Any], None]:
    """Make what the module calls when the op left what a type may not allow."""
    return refuser(maker.called, maker.program, maker.returned)
