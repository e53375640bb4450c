"""``sandbox.multinomial``: draws from multinomial distributions by numbers that are uniform."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.compat.bases import Op
from opweld.graph.basic import Apply
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import TensorLike
from opweld.tensor.type import TensorType

Array = np.ndarray[Any, Any]

__all__ = ["ChoiceFromUniform", "MultinomialFromUniform"]


class MultinomialFromUniform(Op):
    """How often each outcome is drawn.

    Parameters
    ----------
    odtype : str
        Of the counts; ``"auto"``: that of the probabilities.
    """

    __props__: tuple[str, ...] | None = ("odtype",)

    def __init__(self, odtype: str) -> None:
        self.odtype = odtype

    def _inputs(self, pvals: TensorLike, unis: TensorLike, n: TensorLike) -> list[Any]:
        pvals, unis, n = map(as_tensor_variable, (pvals, unis, n))
        if pvals.type.ndim != 2:
            raise NotImplementedError(f"{self}: the probabilities must be a matrix, got {pvals.type}")
        if unis.type.ndim != 1:
            raise NotImplementedError(f"{self}: the uniform numbers must be a vector, got {unis.type}")
        return [pvals, unis, n]

    def make_node(self, pvals: TensorLike, unis: TensorLike, n: TensorLike = 1) -> Apply:
        """Build the node.

        Parameters
        ----------
        pvals : Variable
            A distribution a row.
        unis : Variable
            From 0 to 1, `n` for each row: those of the first draw first.
        n : int or Variable
            How many draws.

        Raises
        ------
        NotImplementedError
            If dimensions are others.
        """
        inputs = self._inputs(pvals, unis, n)
        dtype = inputs[0].type.dtype if self.odtype == "auto" else self.odtype
        return Apply(self, inputs, [TensorType(dtype, inputs[0].type.shape)()])

    def _drawn(self, pvals: Array, unis: Array, n: int) -> Array:
        if len(unis) != len(pvals) * n:
            raise ValueError(f"{self}: {len(unis)} uniform numbers for {len(pvals)} rows and {n} draws")
        return np.asarray(unis).reshape(n, len(pvals))

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Draw."""
        pvals, unis, n = inputs
        counts = np.zeros(pvals.shape, node.outputs[0].type.dtype)
        sums = np.cumsum(pvals, axis=1, dtype="float64")
        sums[:, -1:] = np.inf  # rounding leaves nobody without an outcome
        for uniform in self._drawn(pvals, unis, int(n)):
            counts[np.arange(len(pvals)), (sums > uniform[:, None]).argmax(axis=1)] += 1
        output_storage[0][0] = counts


class ChoiceFromUniform(MultinomialFromUniform):
    """Which outcomes are drawn.

    Parameters
    ----------
    odtype : str
        Of the outcomes' numbers; ``"auto"``: int64.
    replace : bool
        Whether an outcome may be drawn again.
    """

    __props__: tuple[str, ...] | None = ("odtype", "replace")

    def __init__(self, odtype: str, replace: bool = False, *args: object, **kwargs: object) -> None:
        super().__init__(odtype)
        self.replace = replace

    def make_node(self, pvals: TensorLike, unis: TensorLike, n: TensorLike = 1) -> Apply:
        """Build the node; see `MultinomialFromUniform.make_node`."""
        inputs = self._inputs(pvals, unis, n)
        dtype = "int64" if self.odtype == "auto" else self.odtype
        return Apply(self, inputs, [TensorType(dtype, (None, None))()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Draw.

        Raises
        ------
        ValueError
            If more are to be drawn than there are.
        """
        pvals, unis, n = np.array(inputs[0], "float64"), inputs[1], int(inputs[2])
        if n > pvals.shape[1] and not self.replace:
            raise ValueError(f"{self}: {n} draws of {pvals.shape[1]} outcomes without putting any back")
        found = np.empty((len(pvals), n), node.outputs[0].type.dtype)
        for place, uniform in enumerate(self._drawn(pvals, unis, n)):
            sums = np.cumsum(pvals, axis=1)
            chosen = (sums > (uniform * sums[:, -1])[:, None]).argmax(axis=1)
            found[:, place] = chosen
            if not self.replace:
                pvals[np.arange(len(pvals)), chosen] = 0
        output_storage[0][0] = found
