"""Functions of learning that Theano has among those of its networks, made of others."""

from __future__ import annotations

from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import TensorLike
from opweld.tensor.operators import functions
from opweld.tensor.ranges import arange
from opweld.tensor.variable import TensorVariable

__all__ = ["binary_crossentropy", "categorical_crossentropy", "hard_sigmoid"]


def binary_crossentropy(output: TensorLike, target: TensorLike) -> TensorVariable:
    """Give ``-(target * log(output) + (1 - target) * log(1 - output))``, element by element."""
    output, target = as_tensor_variable(output), as_tensor_variable(target)
    made: TensorVariable = -(target * functions.log(output) + (1 - target) * functions.log(1 - output))
    return made


def categorical_crossentropy(coding_dist: TensorLike, true_dist: TensorLike) -> TensorVariable:
    """Give the cross entropy of each row of probabilities with another one, or with the place of a 1.

    Raises
    ------
    TypeError
        If there are not as many dimensions, or one less.
    """
    coding, true = as_tensor_variable(coding_dist), as_tensor_variable(true_dist)
    if true.type.ndim == coding.type.ndim:
        made: TensorVariable = -functions.sum(true * functions.log(coding), axis=coding.type.ndim - 1)
    elif true.type.ndim == 1 and coding.type.ndim == 2:
        made = -functions.log(coding[arange(coding.shape[0]), true])
    else:
        raise TypeError(f"categorical_crossentropy: the dimensions of {coding.type} and {true.type} do not fit")
    return made


def hard_sigmoid(x: TensorLike) -> TensorVariable:
    """Give ``clip(0.2 x + 0.5, 0, 1)``."""
    made: TensorVariable = functions.clip(as_tensor_variable(x) * 0.2 + 0.5, 0, 1)
    return made
