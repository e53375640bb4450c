"""Classes of opweld's ops by the names and arguments that Theano, Aesara and PyTensor have.

``isinstance(node.op, Sum)`` and a rewriter that tracks ``Sum`` find opweld's own ops; ``Sum(axis=0)`` makes one.
"""

from __future__ import annotations

from typing import Any

from opweld.compat.bases import Kin
from opweld.compat.foldtext import fold_text
from opweld.compat.indices import give_idx_list
from opweld.errors import MethodNotDefined
from opweld.graph.basic import Apply, Variable
from opweld.scalar.ufuncs import ufunc
from opweld.tensor import (
    advanced,
    along,
    careduce,
    creation,
    elemwise,
    linalg,
    manipulation,
    permute,
    ranges,
    subtensor,
)
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import TensorLike
from opweld.tensor.specify import specify_shape

__all__ = [
    "ARange", "AdvancedIncSubtensor", "AdvancedIncSubtensor1", "AdvancedSubtensor", "AdvancedSubtensor1", "All",
    "AllocEmpty", "Any", "Argmax", "CAReduce", "DimShuffle", "Dot", "Elemwise", "IncSubtensor", "MaxAndArgmax", "Prod",
    "Reshape", "Subtensor", "Sum", "advanced_inc_subtensor1", "advanced_subtensor", "advanced_subtensor1",
    "specify_broadcastable",
]  # fmt: skip
_Any = Any  # the name of a class below


class _Stands(Kin):
    """Makes the class that stands for one of opweld's, or for those of its ops that `takes` names."""

    stands = True

    def __call__(cls, *args: _Any, **kwargs: _Any) -> _Any:
        make = cls.__dict__.get("make")
        return super().__call__(*args, **kwargs) if make is None else make(*args, **kwargs)


class _Structured:
    """A base of facades of ops whose loops the engine writes: a subclass that writes its own work is asked for it."""

    def __init_subclass__(cls, **kwargs: _Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.__module__.startswith("opweld.") and ("c_code" in cls.__dict__ or "perform" in cls.__dict__):
            cls.structure = None  # type: ignore[attr-defined]

    def c_code(self, *_: object) -> str:
        """Refuse: the loops have no text of their own.

        Raises
        ------
        MethodNotDefined
            Always.
        """
        raise MethodNotDefined(f"{self}: the engine writes its loops, and there is no text of them to add to")


class DimShuffle(permute.DimShuffle, metaclass=_Stands):
    """Other axes; see `opweld.tensor.dimshuffle`. ``DimShuffle(input_broadcastable, new_order)``."""

    kin = (permute.DimShuffle,)

    @staticmethod
    def make(
        input_broadcastable: _Any = None, new_order: _Any = (), inplace: bool = True, *, input_ndim: int | None = None
    ) -> _Any:
        """Make opweld's op. What the input's type knows is seen when it is applied."""
        return permute.DimShuffle(new_order)


class Elemwise(_Structured, elemwise.Elemwise, metaclass=_Stands):
    """A scalar op for each element; see `opweld.tensor.Elemwise`."""

    kin = (elemwise.Elemwise,)

    @staticmethod
    def make(
        scalar_op: _Any,
        inplace_pattern: _Any = None,
        name: str | None = None,
        nfunc_spec: _Any = None,
        openmp: bool | None = None,
    ) -> _Any:
        """Make opweld's op. ``nfunc_spec`` and ``openmp`` are accepted: the loops are the engine's."""
        return elemwise.Elemwise(scalar_op, inplace_pattern, name)


class CAReduce(_Structured, careduce.CAReduce, metaclass=_Stands):
    """A reduction; see `opweld.tensor.CAReduce`.

    A subclass may say by ``_output_dtype(dtype)`` which dtype comes out, and add to the text that `c_code` gives.
    """

    kin = (careduce.CAReduce,)

    def __init__(
        self, scalar_op: _Any, axis: _Any = None, dtype: _Any = None, acc_dtype: _Any = None, keepdims: bool = False
    ) -> None:
        axes = axis if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        super().__init__(scalar_op, axes, dtype, keepdims)
        self.c_lang = "c++"

    def make_node(self, x: TensorLike) -> Apply:
        """Build the node; see `opweld.tensor.CAReduce.make_node`."""
        node = super().make_node(x)
        said = getattr(self, "_output_dtype", None)
        if said is not None:
            (output,) = node.outputs
            output.type = output.type.clone(dtype=said(node.inputs[0].type.dtype))
        return node

    def c_code(self, *given: _Any) -> str:
        """Write the reduction; see `opweld.compat.foldtext.fold_text`."""
        return fold_text(self, *given)

    @staticmethod
    def make(
        scalar_op: _Any, axis: _Any = None, dtype: _Any = None, acc_dtype: _Any = None, keepdims: bool = False
    ) -> _Any:
        """Make opweld's op; it folds in the dtype of the result."""
        axes = axis if axis is None or isinstance(axis, int) else tuple(axis)
        return careduce.CAReduce(scalar_op, axes, dtype, keepdims)


def _reduction(name: str, op: str) -> _Any:
    """The class of the reductions by one of NumPy's ufuncs."""

    def takes(found: _Any) -> bool:
        return isinstance(found, careduce.CAReduce) and found.scalar_op == ufunc(op)

    def make(axis: _Any = None, dtype: _Any = None, acc_dtype: _Any = None) -> _Any:
        return CAReduce(ufunc(op), axis, dtype, acc_dtype)

    fields = {"takes": staticmethod(takes), "make": staticmethod(make), "kin": (), "__module__": __name__}
    return _Stands(name, (careduce.CAReduce,), {**fields, "__doc__": f"Reductions by {op}: {name}(axis, dtype)."})


Sum = _reduction("Sum", "add")
Prod = _reduction("Prod", "multiply")
All = _reduction("All", "logical_and")
Any = _reduction("Any", "logical_or")  # type: ignore[misc]


def _same(cls: type, doc: str) -> _Any:
    """The class of all ops of one of opweld's, with its arguments."""
    return _Stands(
        cls.__name__, (cls,), {"kin": (cls,), "make": staticmethod(cls), "__module__": __name__, "__doc__": doc}
    )


ARange = _same(ranges.ARange, "Numbers in a row: ARange(dtype).")
AllocEmpty = _same(creation.AllocEmpty, "An array of no values yet: AllocEmpty(dtype).")
Dot = _same(linalg.Dot, "The product of matrices and vectors.")


class Reshape(manipulation.Reshape, metaclass=_Stands):
    """Another shape; see `opweld.tensor.reshape`. ``Reshape(ndim)(x, shape)``, the shape a vector."""

    kin = (manipulation.Reshape,)

    @staticmethod
    def make(ndim: int, name: str | None = None) -> _Any:
        """Make what is applied to an array and a vector."""
        return _Reshapes(ndim)


class _Reshapes:
    """``Reshape(ndim)``: opweld's op reads the sizes one by one."""

    def __init__(self, ndim: int) -> None:
        self.ndim = ndim

    def __call__(self, x: TensorLike, shape: TensorLike) -> _Any:
        shape = shape if isinstance(shape, (list, tuple)) else as_tensor_variable(shape)
        return manipulation.reshape(x, shape, ndim=self.ndim)

    def make_node(self, x: TensorLike, shape: TensorLike) -> _Any:
        """Build the node."""
        return self(x, shape).owner


class MaxAndArgmax(along.ArgExtreme, metaclass=_Stands):
    """The places of the largest elements: opweld computes maxima and their places by two ops."""

    kin = ()
    takes = staticmethod(lambda op: isinstance(op, along.ArgExtreme) and op.which == "max")

    @staticmethod
    def make(axis: _Any = None) -> _Any:
        """Make opweld's op of places."""
        axes = axis if axis is None or isinstance(axis, int) else tuple(axis)
        if isinstance(axes, tuple) and len(axes) != 1:
            raise NotImplementedError("the places of maxima along several axes: reshape the array first")
        return along.ArgExtreme("max", axes[0] if isinstance(axes, tuple) else axes)


Argmax = MaxAndArgmax


def _indexing(name: str, cls: type, doc: str) -> _Any:
    def make(*args: object, **kwargs: object) -> _Any:
        raise NotImplementedError(
            f"{name}: opweld's op takes an index in another form; write x[i], x[i].set(y), x[i].inc(y)"
        )

    return _Stands(name, (cls,), {"kin": (cls,), "make": staticmethod(make), "__module__": __name__, "__doc__": doc})


Subtensor = _indexing("Subtensor", subtensor.Subtensor, "Parts by slices and numbers: x[i].")
IncSubtensor = _indexing("IncSubtensor", subtensor.IncSubtensor, "Parts written: x[i].set(y), x[i].inc(y).")
AdvancedSubtensor = _indexing("AdvancedSubtensor", advanced.AdvancedSubtensor, "Elements by arrays: x[i].")
AdvancedIncSubtensor = _indexing(
    "AdvancedIncSubtensor", advanced.AdvancedIncSubtensor, "Elements written: x[i].set(y)."
)
give_idx_list(subtensor.Subtensor, subtensor.Writing)
AdvancedSubtensor1, AdvancedIncSubtensor1 = AdvancedSubtensor, AdvancedIncSubtensor


def advanced_subtensor(x: TensorLike, *index: _Any) -> _Any:
    """Give elements of a tensor, by arrays of places."""
    return as_tensor_variable(x)[index]


def advanced_subtensor1(x: TensorLike, ilist: TensorLike) -> _Any:
    """Give rows of a tensor, by a vector of places."""
    return as_tensor_variable(x)[as_tensor_variable(ilist)]


def advanced_inc_subtensor1(x: TensorLike, y: TensorLike, ilist: TensorLike) -> _Any:
    """Add to rows of a tensor, by a vector of places: to a row as often as it is named."""
    return as_tensor_variable(x)[as_tensor_variable(ilist)].inc(y)


def specify_broadcastable(x: TensorLike, *axes: int) -> Variable:
    """Say that sizes along axes are 1; that is checked when it is computed."""
    x = as_tensor_variable(x)
    ones = {axis % x.type.ndim for axis in axes}
    made: Variable = specify_shape(x, [1 if axis in ones else None for axis in range(x.type.ndim)])
    return made
