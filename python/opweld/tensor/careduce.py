"""CAReduce: axes that go, by one of NumPy's or the user's two-argument scalar ops."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from opweld.dtypes import dtype_of, number_text
from opweld.errors import MethodNotDefined, _what
from opweld.graph.basic import Apply
from opweld.graph.op import Op
from opweld.quiet import quiet
from opweld.scalar.op import ScalarOp
from opweld.scalar.ufuncs import Ufunc
from opweld.tensor.axis import many_axes
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.elemwise import OfScalar
from opweld.tensor.likes import Axes, DType, TensorLike
from opweld.tensor.type import TensorType
from opweld.tolerances import EXACT, magnitude, of_products, of_sums

if TYPE_CHECKING:
    from opweld.schema import FoldFields, InstructionFields, LoopFields

__all__ = ["CAReduce"]

_OPS = frozenset(
    "add multiply maximum minimum logical_and logical_or bitwise_and bitwise_or bitwise_xor".split()
)  # what docs/program.md knows by name


class CAReduce(Op):
    """A reduction by a scalar op that is commutative and associative; in which order elements meet is left open.

    Parameters
    ----------
    scalar_op : ScalarOp
        What makes one of two: an op of NumPy's, such as ``opweld.scalar.add``, or the user's own. Its attribute
        ``identity``, where it has one, is what a reduction of nothing gives.
    axis : None, int or tuple of int
        Which axes go; None: all.
    dtype : str or numpy.dtype, optional
        Of the accumulator and the result; elements are cast to it. Left out: what NumPy takes, or, for the user's op,
        the dtype that it makes of two elements.
    keepdims : bool
        The axes stay, of size 1.

    Examples
    --------
    >>> x = T.dmatrix("x")
    >>> largest = T.CAReduce(opweld.scalar.maximum, axis=1)
    >>> opweld.function([x], largest(x))([[1.0, 3.0], [5.0, 2.0]])
    array([3., 5.])
    """

    __props__ = ("scalar_op", "axis", "dtype", "keepdims")

    def __init__(self, scalar_op: ScalarOp, axis: Axes = None, dtype: DType = None, keepdims: bool = False) -> None:
        if not isinstance(scalar_op, ScalarOp):
            raise TypeError(f"CAReduce: expected a ScalarOp, got {_what(scalar_op)}")
        if isinstance(scalar_op, Ufunc) and scalar_op.name not in _OPS:
            raise TypeError(f"CAReduce: {scalar_op} does not reduce here; {', '.join(sorted(_OPS))} do")
        if scalar_op.nin not in (2, -1) or scalar_op.nout != 1:
            raise TypeError(f"CAReduce: expected a ScalarOp of two inputs and one output, got {scalar_op}")
        self.scalar_op = scalar_op
        self.axis = axis
        self.dtype = None if dtype is None else dtype_of(dtype).name
        self.keepdims = bool(keepdims)
        self.c_lang = scalar_op.c_lang

    def __str__(self) -> str:
        axis = "" if self.axis is None else f", axis={self.axis}"
        return f"CAReduce{{{self.scalar_op}{axis}}}"

    c_support_code, c_init_code, c_headers, c_header_dirs, c_libraries, c_lib_dirs = OfScalar.several(6)
    c_compile_args, c_no_compile_args, c_compiler, c_code_cache_version = OfScalar.several(4)

    def make_node(self, x: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is reduced.

        Returns
        -------
        Apply
            One output.

        Raises
        ------
        TypeError
            If an axis is no integer, or the scalar op cannot reduce this dtype.
        ValueError
            If an axis is given twice; if it is known that there is nothing to reduce, and that needs something.
        numpy.exceptions.AxisError
            If there is no such axis.
        """
        x = as_tensor_variable(x)
        sizes = x.type.shape
        axes = many_axes(self.axis, len(sizes))
        if self.keepdims:
            shape = tuple([1 if i in axes else size for i, size in enumerate(sizes)])
        else:
            shape = tuple([size for i, size in enumerate(sizes) if i not in axes]) if axes else sizes
        dtype = _accumulator(self.scalar_op, x.type.dtype, self.dtype)
        if 0 in sizes and 0 not in shape and None not in shape:
            self._identity(dtype)
        return Apply(self, [x], [TensorType(dtype, shape)()])

    def _identity(self, dtype: str) -> Any:
        """What a reduction of nothing gives."""
        if isinstance(self.scalar_op, Ufunc):
            found: Any = None if self.scalar_op.name in ("maximum", "minimum") else True
        else:
            found = getattr(self.scalar_op, "identity", None)
        if found is None:
            name = self.scalar_op.name or str(self.scalar_op)
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
        made = dtype_of(dtype).np
        if made.kind == "c" and isinstance(found, int):  # NumPy makes a double of it on its way
            found = np.finfo(made).dtype.type(found)
        return made.type(found)

    def has_perform(self) -> bool:
        """Say whether the op can be run in Python: as the scalar op can, where no class writes another `perform`."""
        return getattr(self.perform, "__func__", None) is not CAReduce.perform or self.scalar_op.has_perform()

    def debug_tolerance(self, node: Apply, inputs: list[Any]) -> Any:
        """Leave the order open where floats are added or multiplied."""
        (x,) = inputs
        if not isinstance(self.scalar_op, Ufunc):
            return None
        dtype: str = node.outputs[0].type.dtype
        axes = many_axes(self.axis, x.ndim)
        count = int(np.prod([x.shape[axis] for axis in axes], dtype=np.int64))
        if self.scalar_op.name == "multiply":
            return of_products(count, dtype)
        if self.scalar_op.name != "add":
            return EXACT
        return of_sums(count, magnitude(x).sum(axis=axes, keepdims=self.keepdims), dtype)

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Reduce by NumPy, or by the scalar op's `impl`."""
        (x,) = inputs
        dtype: str = node.outputs[0].type.dtype
        axes = many_axes(self.axis, x.ndim)
        if isinstance(self.scalar_op, Ufunc):
            with quiet():
                made = self.scalar_op.function.reduce(x, axis=axes, dtype=dtype_of(dtype).np, keepdims=self.keepdims)
            output_storage[0][0] = np.asarray(made)
            return
        with np.errstate(all="ignore"):
            x = np.moveaxis(x.astype(dtype_of(dtype).np), axes, range(len(axes)))
        rest = x.shape[len(axes) :]
        rows = x.reshape((-1 if x.size else int(np.prod(x.shape[: len(axes)])), *rest))
        if len(rows):
            made = rows[0].copy()
            for row in rows[1:]:
                (made,) = self.scalar_op.compute([made, row], [dtype])
        else:
            made = np.full(rest, self._identity(dtype)) if 0 not in rest else np.empty(rest, dtype_of(dtype).np)
        output_storage[0][0] = np.expand_dims(made, axes) if self.keepdims else made

    def structure(self, node: Apply) -> dict[str, LoopFields] | None:
        """Give the work as data, for the engine's loops (docs/program.md).

        Parameters
        ----------
        node : Apply
            The node.

        Returns
        -------
        dict or None
            Under ``loop``; None: the scalar op is written in Python only.
        """
        dtype: str = node.outputs[0].type.dtype
        (x,) = node.inputs
        fold: FoldFields = {"op": "body", "dtypes": [dtype], "values": [0]}
        elements: list[InstructionFields] = []
        if x.type.dtype != dtype:
            elements, fold["values"] = [{"op": "cast", "args": [0], "dtype": dtype}], [1]
        if isinstance(self.scalar_op, Ufunc):
            fold["op"] = str(self.scalar_op.name)
        else:
            try:
                body = self.scalar_op.body((dtype, dtype))
            except MethodNotDefined:
                return None
            if len(body.results) != 1 or body.dtypes[0] != dtype:
                return None
            fold["body"], fold["results"] = body.instructions, list(body.results)
            if getattr(self.scalar_op, "identity", None) is not None:
                fold["identity"] = [number_text(self._identity(dtype))]
        fields: LoopFields = {
            "axes": list(many_axes(self.axis, x.type.ndim)),
            "body": elements, "folds": [fold], "outputs": [{"fold": 0, "value": 0}],
        }  # fmt: skip
        if self.keepdims:
            fields["keepdims"] = True
        return {"loop": fields}

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the sizes that stay."""
        axes = many_axes(self.axis, len(input_shapes[0]))
        if self.keepdims:
            return [tuple([1 if i in axes else size for i, size in enumerate(input_shapes[0])])]
        return [tuple([size for i, size in enumerate(input_shapes[0]) if i not in axes])]

    def c_support_code_apply(self, node: Apply, name: str) -> str:
        """Write what the scalar op writes for the accumulator's dtype."""
        return self.scalar_op.c_support_code_apply(self._scalar_node(node), name)

    def c_init_code_apply(self, node: Apply, name: str) -> str:
        """Write what the scalar op writes for the accumulator's dtype."""
        return self.scalar_op.c_init_code_apply(self._scalar_node(node), name)

    def c_code_cache_version_apply(self, node: Apply) -> tuple[Any, ...]:
        """Give what the scalar op gives for the accumulator's dtype."""
        return self.scalar_op.c_code_cache_version_apply(self._scalar_node(node))

    def _scalar_node(self, node: Apply) -> Apply:
        return self.scalar_op.scalar_node((node.outputs[0].type.dtype,) * 2)


@cache
def _loop_dtype(name: str, dtype: str) -> str:
    """What NumPy reduces a dtype to; TypeError: it does not."""
    function = getattr(np, name)
    return dtype_of(function.reduce(np.ones(1, dtype_of(dtype).np)).dtype).name


def _accumulator(op: ScalarOp, have: str, wanted: str | None) -> str:
    """The dtype of the accumulator and the result."""
    if isinstance(op, Ufunc):
        if wanted is None:
            return _loop_dtype(str(op.name), have)
        if _loop_dtype(str(op.name), wanted) != wanted and op.name not in ("add", "multiply"):
            raise TypeError(f"CAReduce: {op} of {wanted} is no {wanted}")
        return wanted
    dtype = op.output_dtypes((have, have))[0] if wanted is None else wanted
    if op.output_dtypes((dtype, dtype))[0] != dtype:
        raise TypeError(
            f"CAReduce: {op} of two {dtype} gives {op.output_dtypes((dtype, dtype))[0]}, so it cannot be the "
            f"accumulator; pass a dtype that the op keeps"
        )
    return dtype
