"""Loops in C over arrays, as ops of Theano, Aesara and PyTensor put them into their fragments (``elemwise_cgen``).

Every function gives C. ``sub["lv0"]``, ``sub["lv1"]`` … name the arrays, ``sub["olv"]`` the one to be allocated, and
``sub["fail"]`` is what ends the op with an error. An order says for each loop which axis of an array it goes along, or
``"x"``: none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = [
    "compute_output_dims_lengths", "make_alloc", "make_checks", "make_complete_loop_careduce", "make_declare",
    "make_loop", "make_loop_careduce", "make_reordered_loop", "make_reordered_loop_careduce",
]  # fmt: skip

Order = Sequence[Any]
Sub = dict[str, Any]


def _arrays(orders: Iterable[Order], dtypes: Iterable[str], sub: Sub) -> list[tuple[str, Order, str]]:
    return [(sub[f"lv{i}"], order, dtype) for i, (order, dtype) in enumerate(zip(orders, dtypes))]


def _fails(sub: Sub, kind: str, text: str, *values: str) -> str:
    """Set an exception and end."""
    given = "".join([f", (long long)({value})" for value in values])
    return f'{{ PyErr_Format(PyExc_{kind}, "{text}"{given}); {sub["fail"]} }}'


def make_declare(
    loop_orders: Sequence[Order], dtypes: Sequence[str], sub: Sub, compute_stride_jump: bool = True
) -> str:
    """Declare what `make_checks` sets: sizes, strides in elements, jumps from the end of one loop to the next round."""
    lines = []
    for var, order, dtype in _arrays(loop_orders, dtypes, sub):
        lines.append(f"{dtype} *{var}_iter;")
        for loop, axis in enumerate(order):
            if axis != "x":
                lines.append(f"npy_intp {var}_n{axis}; npy_intp {var}_stride{axis};")
            if compute_stride_jump:
                lines.append(f"npy_intp {var}_jump{loop}_{axis};")
    return "\n".join(lines) + "\n"


def make_checks(loop_orders: Sequence[Order], dtypes: Sequence[str], sub: Sub, compute_stride_jump: bool = True) -> str:
    """Read sizes and strides, and fail where dimensions are too few or sizes do not fit."""
    lines = []
    for var, order, dtype in _arrays(loop_orders, dtypes, sub):
        axes = [axis for axis in order if axis != "x"]
        if axes:
            least = max(axes) + 1
            lines.append(
                f"if (PyArray_NDIM({var}) < {least}) "
                + _fails(sub, "ValueError", "Not enough dimensions on input: %lld, needed %lld",
                         f"PyArray_NDIM({var})", str(least))
            )  # fmt: skip
        for axis in sorted(axes):
            lines.append(f"{var}_n{axis} = PyArray_DIMS({var})[{axis}];")
            lines.append(
                f"{var}_stride{axis} = {var}_n{axis} == 1 ? 0 : "
                f"PyArray_STRIDES({var})[{axis}] / (npy_intp)sizeof({dtype});"
            )
        behind = "0"  # how far the inner loops have gone
        for loop, axis in reversed(list(enumerate(order))) if compute_stride_jump else ():
            step = "0" if axis == "x" else f"{var}_stride{axis}"
            lines.append(f"{var}_jump{loop}_{axis} = {step} - ({behind});")
            behind = "0" if axis == "x" else f"{var}_n{axis} * {var}_stride{axis}"
    for loop, along in enumerate(zip(*loop_orders)):
        lines += _sizes_fit(loop, [(sub[f"lv{i}"], axis) for i, axis in enumerate(along) if axis != "x"], sub)
    return "\n".join(lines) + "\n"


def _sizes_fit(loop: int, ends: list[tuple[str, Any]], sub: Sub) -> list[str]:
    """What fails where arrays have other sizes along a loop than the first."""
    if len(ends) < 2:
        return []
    (first, axis), *rest = ends
    text = "Input dimension mismatch: (input[%lld].shape[%lld] = %lld, input[%lld].shape[%lld] = %lld)"
    return [
        f"if ({first}_n{axis} != {var}_n{other}) "
        + _fails(sub, "ValueError", text, "0", str(loop), f"{first}_n{axis}", str(i + 1), str(loop), f"{var}_n{other}")
        for i, (var, other) in enumerate(rest)
    ]


def compute_output_dims_lengths(array_name: str, loop_orders: Sequence[Order], sub: Sub) -> str:
    """Set the elements of a C array to the sizes of the loops: those of the first array that goes along each."""
    lines = []
    for loop, axes in enumerate(zip(*loop_orders)):
        known = [f"{sub[f'lv{i}']}_n{axis}" for i, axis in enumerate(axes) if axis != "x"]
        lines.append(f"{array_name}[{loop}] = {known[0] if known else '1'};")
    return "\n".join(lines) + "\n"


def make_alloc(loop_orders: Sequence[Order], dtype: str, sub: Sub, fortran: str = "0") -> str:
    """Give ``sub["olv"]`` an array of the loops' sizes, unless it has one.

    Parameters
    ----------
    dtype : str
        Of its elements, as C names it: ``npy_float64``.
    fortran : str
        C: where it is true, a new array lies column by column.
    """
    number = dtype.upper()
    for prefix in ("THEANO_", "PYTENSOR_", "AESARA_"):
        number = number.replace(prefix + "COMPLEX", "NPY_COMPLEX")
    out, loops = sub["olv"], len(loop_orders[0]) if loop_orders else 0
    same = "".join([f" && PyArray_DIMS({out})[{i}] == dims[{i}]" for i in range(loops)])
    return f"""{{
npy_intp dims[{max(loops, 1)}];
{compute_output_dims_lengths("dims", loop_orders, sub)}
if (!({out} != NULL && PyArray_NDIM({out}) == {loops} && PyArray_TYPE({out}) == {number}{same})) {{
    Py_XDECREF({out});
    {out} = (PyArrayObject *)PyArray_EMPTY({loops}, dims, {number}, {fortran});
}}
if ({out} == NULL) {{ {sub["fail"]} }}
}}
"""


def _starts(arrays: Iterable[tuple[str, str]]) -> str:
    return "\n".join([f"{var}_iter = ({dtype} *)PyArray_DATA({var});" for var, dtype in arrays])


def make_loop(
    loop_orders: Sequence[Order], dtypes: Sequence[str], loop_tasks: Sequence[Any], sub: Sub, openmp: object = None
) -> str:
    """Write a loop in a loop.

    Parameters
    ----------
    loop_tasks : sequence
        For each loop what stands before it and in it: (before, in); at last, what stands behind all.
        ``<array>_i`` is the current element.

    Notes
    -----
    `openmp` is accepted; the loop runs in one thread.
    """
    arrays = _arrays(loop_orders, dtypes, sub)
    depth = len(loop_orders[0]) if loop_orders else 0

    def level(loop: int) -> str:
        if loop == depth:
            return ""
        before, task = loop_tasks[loop]
        sizes = [f"{var}_n{order[loop]}" for var, order, _ in arrays if order[loop] != "x"]
        here = _one(arrays) if task else ""
        steps = "".join([f", {var}_iter += {var}_jump{loop}_{order[loop]}" for var, order, _ in arrays])
        return (
            f"{before}\nfor (npy_intp iterator_{loop} = {sizes[0] if sizes else '1'}; iterator_{loop} > 0; "
            f"iterator_{loop}--{steps}) {{\n{here}\n{task}\n{level(loop + 1)}\n}}\n"
        )

    if depth == 0:  # one element, and one task
        return f"{{\n{_starts([(v, d) for v, _, d in arrays])}\n{_one(arrays)}\n{''.join(loop_tasks[0])}\n}}\n"
    return f"{{\n{_starts([(v, d) for v, _, d in arrays])}\n{level(0)}\n{loop_tasks[-1]}\n}}\n"


make_loop_careduce = make_loop


def make_reordered_loop(
    init_loop_orders: Sequence[Order],
    olv_index: int,
    dtypes: Sequence[str],
    inner_task: str,
    sub: Sub,
    openmp: object = None,
) -> str:
    """Write a loop in a loop, the innermost along the axis in which the output lies closest.

    Parameters
    ----------
    olv_index : int
        Which of the arrays is the output.
    inner_task : str
        What is done for each element.

    Notes
    -----
    `openmp` is accepted; the loop runs in one thread.
    """
    arrays = _arrays(init_loop_orders, dtypes, sub)
    depth = len(init_loop_orders[olv_index])
    out, order, _ = arrays[olv_index]
    if depth == 0:
        return make_loop(init_loop_orders, dtypes, [("", inner_task), ""], sub)
    sizes = ", ".join([_size_of(arrays, loop) for loop in range(depth)])
    closeness = ", ".join([f"{out}_stride{axis}" if axis != "x" else "0" for axis in order])
    lines = [
        f"npy_intp opw_size[{depth}] = {{{sizes}}};",
        f"npy_intp opw_step[{depth}] = {{{closeness}}};",
        f"int opw_loop[{depth}];",
        f"for (int i = 0; i < {depth}; i++) {{",
        "    int at = i;",
        "    npy_intp own = opw_step[i] < 0 ? -opw_step[i] : opw_step[i];",
        "    for (; at > 0; at--) {",
        "        npy_intp other = opw_step[opw_loop[at - 1]];",
        "        if ((other < 0 ? -other : other) >= own) break;",
        "        opw_loop[at] = opw_loop[at - 1];",
        "    }",
        "    opw_loop[at] = i;",
        "}",
    ]
    for var, own, _ in arrays:
        steps = ", ".join([f"{var}_stride{axis}" if axis != "x" else "0" for axis in own])
        lines.append(f"npy_intp {var}_opw[{depth}] = {{{steps}}};")
    body = f"{_one(arrays)}\n{inner_task}\n"
    for loop in reversed(range(depth)):
        steps = "".join([f", {var}_iter += {var}_opw[opw_loop[{loop}]]" for var, _, _ in arrays])
        back = "\n".join([f"{v}_iter -= opw_size[opw_loop[{loop}]] * {v}_opw[opw_loop[{loop}]];" for v, _, _ in arrays])
        body = (
            f"for (npy_intp opw_{loop} = 0; opw_{loop} < opw_size[opw_loop[{loop}]]; opw_{loop}++{steps}) {{\n"
            f"{body}}}\n{back}\n"
        )
    return "{\n" + "\n".join(lines) + f"\n{_starts([(v, d) for v, _, d in arrays])}\n{body}}}\n"


def _one(arrays: Sequence[tuple[str, Order, str]]) -> str:
    """Name the current elements."""
    return "\n".join([f"{dtype} &{var}_i = *{var}_iter;" for var, _, dtype in arrays])


def _size_of(arrays: Sequence[tuple[str, Order, str]], loop: int) -> str:
    return next((f"{var}_n{order[loop]}" for var, order, _ in arrays if order[loop] != "x"), "1")


def make_complete_loop_careduce(
    inp_var: str, acc_var: str, inp_dtype: str, acc_dtype: str, initial_value: str, inner_task: str, fail_code: str
) -> str:
    """Fold all elements of an array into one: what `initial_value` and `inner_task` do to ``<inp>_i``, ``<acc>_i``."""
    return f"""{{
PyArrayIterObject *opw_all = (PyArrayIterObject *)PyArray_IterNew((PyObject *){inp_var});
if (opw_all == NULL) {{ {fail_code} }}
{acc_var}_iter = ({acc_dtype} *)PyArray_DATA({acc_var});
{acc_dtype} &{acc_var}_i = *{acc_var}_iter;
{initial_value}
while (PyArray_ITER_NOTDONE(opw_all)) {{
    {inp_dtype} &{inp_var}_i = *({inp_dtype} *)PyArray_ITER_DATA(opw_all);
    {inner_task}
    PyArray_ITER_NEXT(opw_all);
}}
Py_DECREF(opw_all);
}}
"""


def make_reordered_loop_careduce(
    inp_var: str,
    acc_var: str,
    inp_dtype: str,
    acc_dtype: str,
    inp_ndim: int,
    reduction_axes: Sequence[int],
    initial_value: str,
    inner_task: str,
) -> str:
    """Fold an array along axes: what `initial_value` and `inner_task` do to ``<inp>_i``, ``<acc>_i``."""
    kept = [axis for axis in range(inp_ndim) if axis not in reduction_axes]
    steps = ["0" if axis in reduction_axes else f"{acc_var}_stride{kept.index(axis)}" for axis in range(inp_ndim)]
    moves = " + ".join([f"opw_{axis} * {step}" for axis, step in enumerate(steps) if step != "0"]) or "0"
    reads = " + ".join([f"opw_{axis} * {inp_var}_stride{axis}" for axis in range(inp_ndim)]) or "0"
    loops = "\n".join([f"for (npy_intp opw_{a} = 0; opw_{a} < {inp_var}_n{a}; opw_{a}++)" for a in range(inp_ndim)])
    fresh = " + ".join([f"opw_{i} * {acc_var}_stride{i}" for i in range(len(kept))]) or "0"
    clears = "\n".join([f"for (npy_intp opw_{i} = 0; opw_{i} < {acc_var}_n{i}; opw_{i}++)" for i in range(len(kept))])
    return f"""{{
{inp_var}_iter = ({inp_dtype} *)PyArray_DATA({inp_var});
{acc_var}_iter = ({acc_dtype} *)PyArray_DATA({acc_var});
{clears}
{{
    {acc_dtype} &{acc_var}_i = {acc_var}_iter[{fresh}];
    {initial_value}
}}
{loops}
{{
    {inp_dtype} &{inp_var}_i = {inp_var}_iter[{reads}];
    {acc_dtype} &{acc_var}_i = {acc_var}_iter[{moves}];
    {inner_task}
}}
}}
"""
