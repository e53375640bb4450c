"""Ops whose C++ is C, most of them PyTensor's own: a unit of it is compiled in a third of the time."""

from __future__ import annotations

import builtins
import re
from collections.abc import Mapping

import numpy as np
from pytensor import raise_op
from pytensor.compile import ops
from pytensor.link.c.op import COp
from pytensor.link.c.params_type import ParamsType
from pytensor.scalar import ScalarType, math
from pytensor.scalar import basic as scalars
from pytensor.tensor import basic, subtensor
from pytensor.tensor.extra_ops import CpuContiguous
from pytensor.tensor.math import Argmax
from pytensor.tensor.shape import Reshape, Shape, Shape_i, SpecifyShape

from opweld.hooks.reading import VARIABLE

__all__ = ["IN_C", "SCALARS_IN_C", "OpInC", "numbers_of", "with_numbers"]

#: Compiled in C by the tests; a class that inherits from one may write what it likes.
IN_C = frozenset((
    ops.DeepCopyOp, ops.ViewOp, raise_op.CheckAndRaise, raise_op.Assert, basic.Alloc, basic.AllocEmpty,
    basic.ARange, basic.ExtractDiag, basic.MakeVector, basic.ScalarFromTensor, basic.TensorFromScalar, basic.Join,
    basic.Split, CpuContiguous, Argmax, Shape, Shape_i, SpecifyShape, Reshape, subtensor.Subtensor,
    subtensor.IncSubtensor, subtensor.AdvancedSubtensor1, subtensor.AdvancedIncSubtensor1,
))  # fmt: skip
#: Scalar ops with texts of the whole module, compiled in C by the tests too.
SCALARS_IN_C = frozenset((
    scalars.IntDiv, scalars.Mod, math.Psi, math.TriGamma, math.GammaInc, math.GammaIncC, math.GammaU, math.GammaL,
    math.BetaInc,
))  # fmt: skip
_PARAM = re.compile(rf"\b{VARIABLE}P\s*->\s*(\w+)")


class OpInC(COp):
    """An op of opweld's own, whose texts are C."""


def numbers_of(type_: object, params: object) -> dict[str, str] | None:
    """Give each of a node's params as C; None: they are not all numbers, or exceptions of Python's.

    Parameters
    ----------
    type_ : Type
        Of the params.
    params : Params
        The params.

    Returns
    -------
    dict of str to str, or None
    """
    if not isinstance(type_, ParamsType):
        return None
    found = {}
    for field, kind in zip(type_.fields, type_.types):
        value = getattr(params, field)
        if isinstance(kind, ScalarType) and np.dtype(kind.dtype).kind in "biu":
            found[field] = str(int(value))
        elif _is_builtin(value):
            found[field] = f"PyExc_{value.__name__}"
        else:
            return None
    return found


def _is_builtin(value: object) -> bool:
    """Whether a value is one of the exceptions that C has by name."""
    return isinstance(value, type) and issubclass(value, Exception) and vars(builtins).get(value.__name__) is value


def with_numbers(text: str, params: Mapping[str, str]) -> str:
    """Write params into a text that reads them.

    Parameters
    ----------
    text : str
        The C.
    params : mapping of str to str
        What `numbers_of` gave.

    Returns
    -------
    str
    """
    return _PARAM.sub(lambda match: params[match[1]], text) if params else text
