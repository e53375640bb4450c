"""What ops are applied to where they are checked: what graphs begin with, and variables that an op takes."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from opweld.cops.reading import Argument, Signature
from opweld.cops.types import FUNCTION
from opweld.dtypes import dtype_of
from opweld.errors import OpweldError
from opweld.generic import generic
from opweld.graph.aliasing import alias_pairs
from opweld.graph.basic import Constant, Variable
from opweld.graph.op import Op
from opweld.graph.order import depth_first
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.type import TensorType

__all__ = ["applied", "destroyed", "inputs_of", "leaves", "says_inputs", "variable_of"]

_TRIED = [(dtype, ndim) for dtype in ("float64", "int64", "float32", "bool") for ndim in (1, 2, 0, 3, 4)]
_MOST_ARGUMENTS = 4


def leaves(outputs: Sequence[Variable]) -> list[Variable]:
    """Say what a graph begins with.

    Parameters
    ----------
    outputs : sequence of Variable
        What it computes.

    Returns
    -------
    list of Variable
    """
    inputs: list[Variable] = []
    seen: set[Variable] = set()
    waiting = list(outputs)
    while waiting:
        variable = waiting.pop()
        if variable in seen:
            continue
        seen.add(variable)
        if variable.owner is not None:
            waiting += variable.owner.inputs
        elif not isinstance(variable, Constant) and not hasattr(variable, "cell"):
            inputs.append(variable)
    return inputs[::-1]


def destroyed(outputs: Sequence[Variable]) -> set[Variable]:
    """Say what the ops of a graph write over, by their ``destroy_map``.

    Parameters
    ----------
    outputs : sequence of Variable
        What it computes.

    Returns
    -------
    set of Variable
    """
    nodes = depth_first([variable for variable in outputs if variable.owner is not None])
    return {node.inputs[i] for node in nodes for _, i in alias_pairs(node, "destroy_map")}


def applied(op: Op, inputs: Sequence[Variable]) -> list[Variable] | None:
    """Give the outputs of an op.

    Parameters
    ----------
    op : Op
        The op.
    inputs : sequence of Variable
        What it is applied to.

    Returns
    -------
    list of Variable or None
        None: it takes other inputs, or has no C for these.
    """
    try:
        node = op.make_node(*inputs)
        node._made = None  # no line of the user's applied it
    except (TypeError, ValueError, AttributeError, IndexError, NotImplementedError, OpweldError):
        return None
    return list(node.outputs)


def says_inputs(op: Op) -> bool:
    """Say whether an op says itself what it takes.

    Parameters
    ----------
    op : Op
        The op.

    Returns
    -------
    bool
    """
    return isinstance(getattr(op, "itypes", None), (list, tuple)) or hasattr(getattr(op, "text", None), "signature")


def inputs_of(op: Op, given: Sequence[tuple[Any, ...]]) -> Iterator[list[Variable]]:
    """Give inputs that an op may take: of the values that are given, by what it says, or by trial.

    Parameters
    ----------
    op : Op
        The op.
    given : sequence of tuple
        Values that it is called with.

    Yields
    ------
    list of Variable
    """
    said = getattr(op, "itypes", None)
    if isinstance(said, (list, tuple)):
        yield [type_() for type_ in said]
        return
    signature = getattr(getattr(op, "text", None), "signature", None)
    if signature is not None:
        yield [variable_of(signature, argument) for argument in signature.inputs]
        return
    if given:
        types = [as_tensor_variable(value).type for value in given[0]]
        yield [TensorType(type_.dtype, shape=(None,) * type_.ndim)() for type_ in types]
        return
    least, most = _arity(op.make_node)
    for count in range(max(least, 1), most + 1):
        kinds = itertools.chain(
            ([kind] * count for kind in _TRIED), itertools.product(_TRIED[:10], repeat=count) if count < 4 else ()
        )
        for chosen in kinds:
            yield [TensorType(dtype, shape=(None,) * ndim)() for dtype, ndim in chosen]


def variable_of(signature: Signature, argument: Argument) -> Variable:
    """Give a variable that an argument of a short form may be.

    Parameters
    ----------
    signature : Signature
        The short form's; a dtype that it leaves open is float64 where it may be.
    argument : Argument
        Of the signature.

    Returns
    -------
    Variable
    """
    dtype = argument.dtype
    if dtype == FUNCTION:
        return generic(argument.name)
    if dtype in signature.types:
        bound = signature.types[dtype]
        dtype = "float64" if "float64" in bound or not bound else bound[0]
    return TensorType(dtype_of(dtype).name, shape=(None,) * len(argument.dims))(argument.name)


def _arity(make: Callable[..., Any]) -> tuple[int, int]:
    """How many inputs make_node takes, at least and at most."""
    try:
        parameters = list(inspect.signature(make).parameters.values())
    except (TypeError, ValueError):
        return 1, 2
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    least = len([p for p in positional if p.default is p.empty])
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return max(least, 1), min(least + 2, _MOST_ARGUMENTS)
    return least, min(max(least, 1), _MOST_ARGUMENTS)
