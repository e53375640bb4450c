"""Products of vectors, matrices and stacks of them, by NumPy's own C."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from opweld.dtypes import shape_text, upcast
from opweld.graph.basic import Apply
from opweld.hooks.classes import COp
from opweld.tensor.axis import storage
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.operators import functions
from opweld.tensor.type import TensorType
from opweld.tolerances import magnitude, of_sums

__all__ = ["Dot", "MatMul", "dot", "matmul"]

_promoted = cache(upcast)
_MISMATCH = (
    "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) "
    "(size {} is different from {})"
)
_FEW = (
    "matmul: Input operand {} does not have enough dimensions (has 0, gufunc core with signature "
    "(n?,k),(k,m?)->(n?,m?) requires 1)"
)


class Dot(COp):
    """The product over the last axis of one array and the last but one of another, as ``numpy.dot`` has it."""

    __props__ = ()
    c_float16 = True

    def make_node(self, x: Any, y: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        x, y : Variable or array_like
            Of one dimension or more.

        Returns
        -------
        Apply
            One output, of the dtype that NumPy promotes the inputs' to.

        Raises
        ------
        TypeError
            If an input has no dimensions.
        ValueError
            If the sizes are known and differ.
        """
        x, y = as_tensor_variable(x), as_tensor_variable(y)
        left, right = x.type.shape, y.type.shape
        if not left or not right:
            raise TypeError(f"Dot: both inputs need dimensions, got {x.type} and {y.type}")
        at = max(len(right) - 2, 0)
        if left[-1] is not None and right[at] is not None and left[-1] != right[at]:
            raise ValueError(
                f"shapes {_tight(left)} and {_tight(right)} not aligned: {left[-1]} (dim {len(left) - 1}) != "
                f"{right[at]} (dim {at})"
            )
        shape = left[:-1] + right[:at] + right[at + 1 :]
        return Apply(self, [x, y], [TensorType(_promoted(x.type.dtype, y.type.dtype), shape)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Multiply in Python."""
        output_storage[0][0] = np.asarray(np.dot(inputs[0], inputs[1]))

    def debug_tolerance(self, node: Apply, inputs: list[Any]) -> Any:
        """Leave the order open in which products are added."""
        x, y = map(magnitude, inputs)
        return of_sums(x.shape[-1], np.dot(x, y), node.outputs[0].type.dtype)  # type: ignore[attr-defined]

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the sizes that are not summed over."""
        left, right = input_shapes
        at = max(len(right) - 2, 0)
        return [left[:-1] + right[:at] + right[at + 1 :]]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Hand it to NumPy, with the storage that is there."""
        x, y = input_names
        nx, ny = (v.type.ndim for v in node.inputs)  # type: ignore[attr-defined]
        at = max(ny - 2, 0)
        return _product(x, nx, y, [i for i in range(ny) if i != at], output_names[0], "", sub["fail"])

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


class MatMul(COp):
    """The product of matrices, or of stacks of them that are broadcast, as ``numpy.matmul`` has it."""

    __props__ = ()
    c_float16 = True

    def make_node(self, x: Any, y: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        x, y : Variable or array_like
            Of one dimension or more. Vectors stand for a matrix of one row, or one column.

        Returns
        -------
        Apply
            One output, of the dtype that NumPy promotes the inputs' to.

        Raises
        ------
        ValueError
            If an input has no dimensions, or sizes are known and do not fit.
        """
        x, y = as_tensor_variable(x), as_tensor_variable(y)
        left, right = x.type.shape, y.type.shape
        for position, shape in enumerate((left, right)):
            if not shape:
                raise ValueError(_FEW.format(position))
        inner = right[max(len(right) - 2, 0)]
        if left[-1] is not None and inner is not None and left[-1] != inner:
            raise ValueError(_MISMATCH.format(inner, left[-1]))
        shape = _stack(left, right) + left[-2:-1] + (right[-1:] if len(right) > 1 else ())
        return Apply(self, [x, y], [TensorType(_promoted(x.type.dtype, y.type.dtype), shape)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Multiply in Python."""
        output_storage[0][0] = np.asarray(np.matmul(inputs[0], inputs[1]))

    def debug_tolerance(self, node: Apply, inputs: list[Any]) -> Any:
        """Leave the order open in which products are added."""
        x, y = map(magnitude, inputs)
        return of_sums(x.shape[-1], np.matmul(x, y), node.outputs[0].type.dtype)  # type: ignore[attr-defined]

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the sizes, but where it is open which of two is broadcast to the other."""
        left, right = input_shapes
        known = [v.type.shape for v in node.inputs]  # type: ignore[attr-defined]
        depth = max(len(left), len(right), 2) - 2
        stack = []
        for axis in range(-depth - 2, -2):
            if -axis > len(left) or (-axis <= len(right) and known[0][axis] == 1):
                stack.append(right[axis])
            elif -axis > len(right) or known[1][axis] == 1 or known[0][axis] is not None:
                stack.append(left[axis])
            elif known[1][axis] is not None:
                stack.append(right[axis])
            else:
                return [None]
        return [(*stack, *left[-2:-1], *(right[-1:] if len(right) > 1 else ()))]

    def c_support_code(self) -> str:
        """Hold NumPy's ufunc, which multiplies stacks."""
        return "static PyObject* opw_matmul = NULL;"

    def c_init_code(self) -> str:
        """Find the ufunc."""
        return """
{
    PyObject* opw_numpy = PyImport_ImportModule("numpy");
    if (opw_numpy == NULL) {
        return NULL;
    }
    Py_XSETREF(opw_matmul, PyObject_GetAttrString(opw_numpy, "matmul"));
    Py_DECREF(opw_numpy);
    if (opw_matmul == NULL) {
        return NULL;
    }
}
"""

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Hand it to NumPy: one product to its BLAS directly, a stack to the ufunc."""
        (x, y), out, fail = input_names, output_names[0], sub["fail"]
        nx, ny = (v.type.ndim for v in node.inputs)  # type: ignore[attr-defined]
        if nx > 2 or ny > 2:
            return _STACK.format(x=x, y=y, out=out, fail=fail, nx=nx, ny=ny, depth=max(nx, ny) - 2)
        message = _MISMATCH.format("%zd", "%zd")
        check = f"""if (PyArray_DIM({y}, 0) != PyArray_DIM({x}, {nx - 1})) {{
    PyErr_Format(PyExc_ValueError, "{message}",
                 (Py_ssize_t)PyArray_DIM({y}, 0), (Py_ssize_t)PyArray_DIM({x}, {nx - 1}));
    {fail}
}}
"""
        return _product(x, nx, y, list(range(1, ny)), out, check, fail)

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of these texts."""
        return (1,)


# What the ufunc stores into must have the sizes that the stacks broadcast to: where it has, it is handed on.
_STACK = """
{{
    const int opw_nx = {nx}, opw_ny = {ny}, opw_depth = {depth};
    int opw_fits = {out} != NULL, opw_axis, opw_at = opw_depth;
    PyObject* opw_made;
    for (opw_axis = 0; opw_fits && opw_axis < opw_depth; opw_axis++) {{
        const int opw_ax = opw_axis + opw_nx - 2 - opw_depth, opw_ay = opw_axis + opw_ny - 2 - opw_depth;
        npy_intp opw_size = opw_ax < 0 ? 1 : PyArray_DIM({x}, opw_ax);
        if (opw_size == 1 && opw_ay >= 0) {{
            opw_size = PyArray_DIM({y}, opw_ay);
        }}
        opw_fits = PyArray_DIM({out}, opw_axis) == opw_size;
    }}
    if (opw_fits && opw_nx > 1) {{
        opw_fits = PyArray_DIM({out}, opw_at++) == PyArray_DIM({x}, opw_nx - 2);
    }}
    if (opw_fits && opw_ny > 1) {{
        opw_fits = PyArray_DIM({out}, opw_at) == PyArray_DIM({y}, opw_ny - 1);
    }}
    /* A third argument is what it stores into. */
    opw_made = PyObject_CallFunctionObjArgs(opw_matmul, (PyObject*){x}, (PyObject*){y},
                                            opw_fits ? (PyObject*){out} : NULL, NULL);
    if (opw_made == NULL) {{
        {fail}
    }}
    Py_XDECREF({out});
    {out} = (PyArrayObject*)opw_made;
}}
"""


def _product(x: str, nx: int, y: str, kept: list[int], out: str, check: str, fail: str) -> str:
    """C for ``PyArray_MatrixProduct2``; `kept` are the axes of `y` that are not summed over."""
    sizes = [f"PyArray_DIM({x}, {i})" for i in range(nx - 1)] + [f"PyArray_DIM({y}, {i})" for i in kept]
    return f"""
{{
    PyObject* opw_made;
{check}{storage(out, sizes, fail)}
    opw_made = PyArray_MatrixProduct2((PyObject*){x}, (PyObject*){y}, {out});
    if (opw_made == NULL) {{
        {fail}
    }}
    Py_DECREF(opw_made); /* it is the output */
}}
"""


def _tight(shape: tuple[int | None, ...]) -> str:
    """A shape as ``numpy.dot`` writes it."""
    return shape_text(shape).replace(" ", "")


def _stack(left: tuple[int | None, ...], right: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """The sizes that the stacks broadcast to, as far as they are known."""
    if len(left) < 3 and len(right) < 3:
        return ()
    a, b = left[:-2], right[:-2]
    depth = max(len(a), len(b))
    a, b = (1,) * (depth - len(a)) + a, (1,) * (depth - len(b)) + b
    found: list[int | None] = []
    for one, other in zip(a, b):
        if one is not None and other is not None and one != other and 1 not in (one, other):
            raise ValueError(
                f"operands could not be broadcast together with shapes {_tight(left)} {_tight(right)} : matmul of "
                f"stacks of sizes {one} and {other}"
            )
        if one == 1:
            found.append(other)
        elif other == 1 or one is not None:
            found.append(one)
        else:
            found.append(other)
    return tuple(found)


_dot = Dot()
_matmul = MatMul()


def dot(x: Any, y: Any) -> Any:
    """Multiply as ``numpy.dot`` does.

    Parameters
    ----------
    x, y : Variable or array_like
        Vectors, matrices or arrays of more dimensions: summed over the last axis of `x` and the last but one of `y`.
        A number multiplies every element.

    Returns
    -------
    TensorVariable
        Of the dtype that NumPy promotes the inputs' to.

    Raises
    ------
    ValueError
        If the sizes that are summed over differ; at the call where they are not known before.
    """
    left, right = as_tensor_variable(x), as_tensor_variable(y)
    if left.ndim == 0 or right.ndim == 0:
        return functions.mul(x, y)
    return _dot(left, right)


def matmul(x: Any, y: Any) -> Any:
    """Multiply as ``numpy.matmul`` does.

    Parameters
    ----------
    x, y : Variable or array_like
        Vectors, matrices, or stacks of matrices whose leading axes are broadcast.

    Returns
    -------
    TensorVariable
        Of the dtype that NumPy promotes the inputs' to.

    Raises
    ------
    ValueError
        If an input has no dimensions, or sizes do not fit; at the call where they are not known before.
    """
    return _matmul(x, y)
