"""The C of a reduction, for classes over ``CAReduce`` that put their own text behind it.

What only reduces is structure, and the engine writes its loops; this text is for what asks its base for `c_code`.
"""

from __future__ import annotations

from typing import Any

from opweld.compat.cgen import make_checks, make_declare, make_reordered_loop_careduce
from opweld.dtypes import dtype_of
from opweld.errors import MethodNotDefined
from opweld.graph.basic import Apply
from opweld.scalar.ufuncs import Ufunc
from opweld.tensor.axis import many_axes
from opweld.tensor.careduce import CAReduce

__all__ = ["fold_text"]

# What becomes of what has been folded, a, and an element, x; and what it begins with.
_FOLDS = {
    "add": ("a + x", "0"),
    "multiply": ("a * x", "1"),
    "maximum": ("a >= x ? a : x", None),
    "minimum": ("a <= x ? a : x", None),
    "logical_and": ("a && x", "1"),
    "logical_or": ("a || x", "0"),
    "bitwise_and": ("a & x", "-1"),
    "bitwise_or": ("a | x", "0"),
    "bitwise_xor": ("a ^ x", "0"),
}


def fold_text(
    op: CAReduce, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
) -> str:
    """Write a reduction in C++.

    Parameters
    ----------
    op : CAReduce
        What is reduced, and along which axes.
    node, name, input_names, output_names, sub
        As ``c_code`` is given them.

    Returns
    -------
    str
        What makes a new array of the sums, products … and fills it.

    Raises
    ------
    MethodNotDefined
        If elements are complex or float16; if the scalar op has no C, or no identity.
    """
    (x,), (z,) = input_names, output_names
    have, made = node.inputs[0].type.dtype, node.outputs[0].type.dtype
    if dtype_of(have).np.kind == "c" or "float16" in (have, made):
        raise MethodNotDefined(f"{op}: there is no text of reductions of {have}; the engine's loops have them")
    ndim = node.inputs[0].type.ndim
    axes = many_axes(op.axis, ndim)
    acc, element = f"npy_{made}", f"npy_{have}"
    begin, step = _task(op, node, name, x, z, made, sub)
    inner = {"lv0": x, "lv1": z, "fail": sub["fail"]}
    orders, dtypes = [list(range(ndim)), list(range(ndim - len(axes)))], [element, acc]
    kept = [axis for axis in range(ndim) if axis not in axes]
    sizes = ", ".join([f"PyArray_DIMS({x})[{axis}]" for axis in kept]) or "0"
    shown = ", ".join([f"PyArray_DIMS({x})[{axis}]" if axis in kept else "1" for axis in range(ndim)]) or "0"
    again = ""
    if op.keepdims:
        again = (
            f"npy_intp opw_shown[{ndim or 1}] = {{{shown}}};\nPyArray_Dims opw_new = {{opw_shown, {ndim}}};\n"
            f"PyObject *opw_kept = PyArray_Newshape({z}, &opw_new, NPY_CORDER);\n"
            f"Py_DECREF({z});\n{z} = (PyArrayObject *)opw_kept;\nif ({z} == NULL) {{ {sub['fail']} }}\n"
        )
    empty = ""
    if isinstance(op.scalar_op, Ufunc) and _FOLDS[str(op.scalar_op.name)][1] is None:
        message = f"zero-size array to reduction operation {op.scalar_op.name} which has no identity"
        empty = (
            f"if (PyArray_SIZE({x}) == 0 && PyArray_SIZE({z}) != 0) {{\n"
            f'    PyErr_SetString(PyExc_ValueError, "{message}");\n    {sub["fail"]}\n}}\n'
        )
    loop = make_reordered_loop_careduce(x, z, element, acc, ndim, axes, begin, step)
    return (
        f"{{\nnpy_intp opw_sizes[{max(len(kept), 1)}] = {{{sizes}}};\nPy_XDECREF({z});\n"
        f"{z} = (PyArrayObject *)PyArray_EMPTY({len(kept)}, opw_sizes, NPY_{made.upper()}, 0);\n"
        f"if ({z} == NULL) {{ {sub['fail']} }}\n{empty}"
        f"{make_declare(orders[:1], dtypes[:1], inner, False)}{make_declare(orders[1:], dtypes[1:], {'lv0': z}, False)}"
        f"{make_checks(orders[:1], dtypes[:1], inner, False)}"
        f"{make_checks(orders[1:], dtypes[1:], {**inner, 'lv0': z}, False)}{loop}{again}}}\n"
    )


def _task(op: CAReduce, node: Apply, name: str, x: str, z: str, dtype: str, sub: dict[str, Any]) -> tuple[str, str]:
    """What a result begins with, and what an element does to it."""
    if isinstance(op.scalar_op, Ufunc):
        text, begin = _FOLDS[str(op.scalar_op.name)]
        if begin is None and dtype_of(dtype).np.kind == "f":
            text = f"a != a || {text}"  # a NaN stays
        read = f"npy_{dtype} a = {z}_i, x = (npy_{dtype}){x}_i;"
        return f"{z}_i = {begin or _end(str(op.scalar_op.name), dtype)};", f"{read}\n{z}_i = {text};"
    identity, write = getattr(op.scalar_op, "identity", None), getattr(op.scalar_op, "c_code", None)
    if identity is None or write is None:
        raise MethodNotDefined(f"{op}: {op.scalar_op} has no {'c_code' if write is None else 'identity'}")
    inner = op.scalar_op.scalar_node((dtype, dtype))
    element = f"npy_{dtype} opw_element = (npy_{dtype}){x}_i;"
    return f"{z}_i = {identity!r};", f"{element}\n{write(inner, name, [f'{z}_i', 'opw_element'], [f'{z}_i'], sub)}"


def _end(name: str, dtype: str) -> str:
    """What every element is at least, or at most."""
    low = name == "maximum"
    kind, size = dtype_of(dtype).np.kind, dtype_of(dtype).np.itemsize * 8
    if kind == "f":
        return "-NPY_INFINITY" if low else "NPY_INFINITY"
    if kind == "b" or (kind == "u" and low):
        return "0" if low else "1"
    return f"NPY_{'MIN' if low else 'MAX'}_{'U' if kind == 'u' else ''}INT{size}"
