"""C for PyTensor's ops that read and write parts of arrays, or fill them: no call of NumPy's where none is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pytensor.graph.basic import Apply, Constant, Variable
from pytensor.scalar import ScalarType
from pytensor.tensor import basic, subtensor
from pytensor.tensor.shape import Shape_i

from opweld.pytensor.scalars import DTYPES
from opweld.pytensor.types import is_plain
from opweld.sections import Beside

__all__ = ["WRITING", "Writing", "Written", "is_narrow"]

_C = Beside(__file__)
_INTEGERS = frozenset(("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"))


class Written:
    """A node's work as C that is written here.

    Parameters
    ----------
    lines : str
        What the node does: ``{0}``, ``{1}`` stand for inputs, ``{out}`` for the output, ``{fail}`` for how it fails.
    *support : str
        What of the file beside this module is used, written out for dtypes: equal texts stand once.
    """

    lang = "c"

    def __init__(self, lines: str, *support: str) -> None:
        self._support = support
        self._lines = lines

    def code(self, inputs: list[str], outputs: list[str], fail: str) -> str:
        """Write the C of a node."""
        return self._lines.format(*inputs, out=outputs[0], fail=fail)

    def shared(self, hook: str, **more: Any) -> list[str]:
        """What the module needs."""
        return [_C.section(), *self._support] if hook == "c_support_code" else []

    def support_apply(self, name: str) -> str:
        """Nothing."""
        return ""


Writing = Callable[[Apply], "Written | None"]  # None: it is left to the op's own


def _of_arrays(write: Writing) -> Writing:
    """Leave nodes whose arrays are of another kind, or another dtype, to the op's own."""

    def written(node: Apply) -> Written | None:
        return write(node) if _has_arrays(node) else None

    return written


def _has_arrays(node: Apply) -> bool:
    arrays = [v.type for v in (*node.inputs, *node.outputs) if type(v.type) is not ScalarType]
    return all(is_plain(type_) and type_.dtype in DTYPES for type_ in arrays)


def _gather(node: Apply) -> Written | None:
    x, index = node.inputs
    if index.type.dtype not in _INTEGERS:
        return None
    numbers = _number_dtype(node, 1)
    name = f"pt_gather_{x.type.dtype}_{numbers}"
    support = f"PT_GATHER({name}, npy_{x.type.dtype}, npy_{numbers})\n"
    return Written(f"if ({name}(&{{out}}, {{0}}, {{1}}, {_bounds(index)})) {{{{ {{fail}} }}}}", support)


def _bounds(index: Variable) -> str:
    """Whether the least and the largest of some numbers are known, and which these are."""
    if not isinstance(index, Constant) or not index.data.size:
        return "0, 0, 0"
    return f"1, {index.data.min()}, {index.data.max()}"


def is_narrow(node: Apply, at: int) -> bool:
    """Say whether an input is held as bytes: the numbers of rows that are read or added to, where all are small.

    Parameters
    ----------
    node : Apply
        PyTensor's.
    at : int
        Which of its inputs.

    Returns
    -------
    bool
    """
    index = node.inputs[at]
    if type(node.op) not in _NUMBERED or at != _NUMBERED[type(node.op)] or not isinstance(index, Constant):
        return False
    if not index.data.size or index.data.min() < 0 or index.data.max() > 255 or index.type.dtype not in _INTEGERS:
        return False
    return _has_arrays(node) and (at == 1 or _is_scatter(node))


_NUMBERED = {subtensor.AdvancedSubtensor1: 1, subtensor.AdvancedIncSubtensor1: 2}  # which input is the numbers


def _number_dtype(node: Apply, at: int) -> str:
    return "uint8" if is_narrow(node, at) else str(node.inputs[at].type.dtype)


def _is_scatter(node: Apply) -> bool:
    """Whether elements of a vector are added to those of another, or set there, each to its place."""
    x, y, index = node.inputs
    plain = x.type.ndim == y.type.ndim == 1 and y.type.broadcastable == index.type.broadcastable
    return plain and x.type.dtype == y.type.dtype != "bool" and index.type.dtype in _INTEGERS


def _scatter(node: Apply) -> Written | None:
    op = node.op
    x, _, index = node.inputs
    if not _is_scatter(node):
        return None
    dtype = _number_dtype(node, 2)
    types = f"npy_{x.type.dtype}, npy_{dtype}"
    name = f"pt_{'put' if op.set_instead_of_inc else 'add'}_{x.type.dtype}_{dtype}"
    if op.set_instead_of_inc:
        support = [f"PT_SCATTER({name}, {types}, *to = *from, (void)0)\n"]
    else:
        few = f"{name}_few(places, rows, all, numbers, n); return 0"
        support = [f"PT_SUMS({name}_few, {types})\n", f"PT_SCATTER({name}, {types}, *to += *from, {few})\n"]
    return Written(
        f"if (pt_part_of(&{{out}}, {{0}}, {int(op.inplace)}) || {name}({{out}}, {{1}}, {{2}}, {_bounds(index)})) "
        f"{{{{ {{fail}} }}}}",
        *support,
    )


def _part(node: Apply) -> Written | None:
    op = node.op
    x, y = node.inputs[:2]
    if x.type.dtype != y.type.dtype or x.type.dtype == "bool" or not all(_is_index(v) for v in node.inputs[2:]):
        return None
    verb, statement = ("put", "*to = *from") if op.set_instead_of_inc else ("add", "*to += *from")
    name = f"pt_part_{verb}_{x.type.dtype}"
    cuts, at = [], 2
    for axis, entry in enumerate(op.idx_list):
        if not isinstance(entry, slice):
            cuts.append(f"pt_part_at(&part, {{out}}, {axis}, {{{at}}})")
            at += 1
            continue
        given, numbers = 0, []
        for bit, number in ((1, entry.start), (2, entry.stop), (4, entry.step)):
            numbers.append("0" if number is None else f"{{{at}}}")
            given, at = (given, at) if number is None else (given | bit, at + 1)
        cuts.append(f"pt_part_slice(&part, {{out}}, {axis}, {given}, {', '.join(numbers)})")
    whole = "".join(f" pt_part_whole(&part, {{out}}, {axis});" for axis in range(len(op.idx_list), x.type.ndim))
    lines = (
        "pt_part part;\n"
        "npy_intp step[NPY_MAXDIMS];\n"
        f"if (pt_part_of(&{{out}}, {{0}}, {int(op.inplace)})) {{{{ {{fail}} }}}}\n"
        "part.ndim = 0, part.data = PyArray_BYTES({out});\n"
        f"if ({' || '.join(cuts) or '0'}) {{{{ {{fail}} }}}}\n"
        f"{whole}\n"
        "if (pt_part_spread(&part, {out}, {1}, step)) {{ {fail} }}\n"
        f"{name}(&part, PyArray_BYTES({{1}}), step);"
    )
    return Written(lines, f"PT_PART_LOOP({name}, npy_{x.type.dtype}, {statement})\n")


def _is_index(variable: Variable) -> bool:
    return type(variable.type) is ScalarType and np.dtype(variable.type.dtype).kind in "iu"


def _fill(node: Apply) -> Written | None:
    value, *sizes = node.inputs
    if not all(value.type.broadcastable) or not all(v.type.ndim == 0 and v.type.dtype in _INTEGERS for v in sizes):
        return None
    dtype, ndim = value.type.dtype, node.outputs[0].type.ndim
    dims = ", ".join(f"*(npy_{v.type.dtype} *)PyArray_DATA({{{i + 1}}})" for i, v in enumerate(sizes))
    lines = (
        f"npy_intp k, n, dims[{max(ndim, 1)}] = {{{{ {dims or '0'} }}}};\n"
        f"const npy_{dtype} value = *(npy_{dtype} *)PyArray_DATA({{0}});\n"
        f"npy_{dtype} *to;\n"
        f"if (pt_made(&{{out}}, {ndim}, dims, NPY_{dtype.upper()})) {{{{ {{fail}} }}}}\n"
        f"to = (npy_{dtype} *)PyArray_DATA({{out}});\n"
        "n = PyArray_SIZE({out});\n"
        "for (k = 0; k < n; k++) to[k] = value;"
    )
    return Written(lines)


def _join(node: Apply) -> Written | None:
    axis, *arrays = node.inputs
    dtype, ndim = node.outputs[0].type.dtype, node.outputs[0].type.ndim
    if not isinstance(axis, Constant) or any(v.type.dtype != dtype for v in arrays):
        return None
    put, name = f"pt_part_put_{dtype}", f"pt_join_{dtype}"
    parts = ", ".join([f"{{{i + 1}}}" for i in range(len(arrays))])
    return Written(
        f"PyArrayObject *parts[] = {{{{ {parts} }}}};\n"
        f"if ({name}(&{{out}}, parts, {len(arrays)}, {int(axis.data) % ndim})) {{{{ {{fail}} }}}}",
        f"PT_PART_LOOP({put}, npy_{dtype}, *to = *from)\n",
        f"PT_JOIN({name}, {put})\n",
    )


def _vector(node: Apply) -> Written | None:
    dtype, n = node.outputs[0].type.dtype, len(node.inputs)
    if any(v.type.dtype != dtype for v in node.inputs):
        return None
    puts = "".join([f"\nto[{i}] = *(const npy_{dtype} *)PyArray_DATA({{{i}}});" for i in range(n)])
    return Written(
        f"npy_intp dims[] = {{{{ {n} }}}};\n"
        f"npy_{dtype} *to;\n"
        f"if (pt_made(&{{out}}, 1, dims, NPY_{dtype.upper()})) {{{{ {{fail}} }}}}\n"
        f"to = (npy_{dtype} *)PyArray_DATA({{out}});{puts}"
    )


def _size(node: Apply) -> Written:
    return Written(
        "if (pt_made(&{out}, 0, NULL, NPY_INT64)) {{ {fail} }}\n"
        f"*(npy_int64 *)PyArray_DATA({{out}}) = PyArray_DIM({{0}}, {node.op.i});"
    )


#: Of each class of ops what writes its nodes.
WRITING: dict[type, Writing] = {
    cls: _of_arrays(write)
    for cls, write in (
        (subtensor.AdvancedSubtensor1, _gather),
        (subtensor.AdvancedIncSubtensor1, _scatter),
        (subtensor.IncSubtensor, _part),
        (basic.Alloc, _fill),
        (basic.Join, _join),
        (basic.MakeVector, _vector),
        (Shape_i, _size),
    )
}
