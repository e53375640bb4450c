"""float16 in C is an integer that holds the bits: which ops' C may see it, and what the others are told."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from opweld.graph.op import Op

if TYPE_CHECKING:
    from opweld.hooks.protocols import Node, Variable

__all__ = ["half_of", "refusal", "says_float16"]

_NAMES = ("c_float16", "_f16_ok")  # ours, and the one of Theano, Aesara and PyTensor


def says_float16(op: object) -> bool:
    """Say whether an op calls its C right with float16.

    Parameters
    ----------
    op : Op
        Asked for ``c_float16`` and ``_f16_ok``: what is written nearest, on the instance, its class or one that it
        inherits from, counts. What the library says of its own ops does not count for a class that writes another
        `c_code`.

    Returns
    -------
    bool
    """
    rewritten = False  # whether a class of a user's, further down, writes another c_code
    for place in (getattr(op, "__dict__", {}), *[cls.__dict__ for cls in type(op).__mro__ if cls is not Op]):
        library = place.get("__module__", "").partition(".")[0] == "opweld"
        said = [bool(getattr(op, name)) for name in _NAMES if name in place]
        if said:
            return all(said) and not (library and rewritten)
        rewritten = rewritten or ("c_code" in place and not library)
    return bool(getattr(op, _NAMES[1], False))  # what a __getattr__ of the class answers


def half_of(op: object, node: Node) -> str | None:
    """Find what keeps a node from running its op's C: a float16 variable, where the op does not call its C right.

    Parameters
    ----------
    op : Op
        The op.
    node : Node
        The node.

    Returns
    -------
    str or None
        The first such variable, for a message; None: the C may run.
    """
    for role, variables in (("input", node.inputs), ("output", node.outputs)):
        for i, variable in enumerate(variables):
            if _is_half(variable):
                return None if says_float16(op) else f"{role} {i}{f', {variable.name},' if variable.name else ''}"
    return None


def refusal(op: object, which: str) -> str:
    """Word that an op cannot be run with float16.

    Parameters
    ----------
    op : Op
        The op.
    which : str
        What `half_of` gave.

    Returns
    -------
    str
    """
    method = "impl" if hasattr(op, "impl") else "perform"
    return (
        f"{op}: {which} is float16, which C sees as bits (npy_float16 is an integer), and {type(op).__name__} does not "
        f"say that its C is right with them: write {method}, which runs in its place; or cast to float32 first; or, "
        f"where the C converts by npy_half_to_float and npy_float_to_half or only copies elements, set "
        f"c_float16 = True on the class (older name: _f16_ok)"
    )


def _is_half(variable: Variable) -> bool:
    """Whether a variable's type has the dtype float16, however its class writes that down."""
    dtype = getattr(variable.type, "dtype", None)
    if isinstance(dtype, (str, np.dtype, type)):
        return _names_half(dtype)
    return False


@lru_cache(maxsize=256)
def _names_half(dtype: Any) -> bool:
    try:
        return np.dtype(dtype).type is np.float16
    except TypeError:  # a type's own word for something else
        return False
