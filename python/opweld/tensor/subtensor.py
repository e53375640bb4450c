"""Indexing: views by integers and slices; and the forms that write instead of read."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.graph.basic import Apply
from opweld.hooks.classes import COp
from opweld.tensor.convert import as_tensor_variable, constant
from opweld.tensor.indexing import check_numbers, entries_of, key_of, viewed_shape
from opweld.tensor.type import TensorType
from opweld.tensor.views import VIEW, store

__all__ = ["IncSubtensor", "Subtensor", "Writing"]

_SUBTENSOR = """
/* The view of x that a form selects, with the numbers that the form needs. i: an integer, n: a new axis, a colon: a
   whole axis, a digit: a slice, of which start, stop and step are given by its bits 1, 2 and 4. */
static PyArrayObject* opw_subtensor(PyArrayObject* x, const char* form, const npy_intp* number)
{
    npy_intp dims[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    char* data = PyArray_BYTES(x);
    int axis = 0, ndim = 0;
    for (; *form != 0; form++) {
        npy_intp size, stride;
        if (*form == 'n') {
            dims[ndim] = 1;
            strides[ndim++] = 0;
            continue;
        }
        size = PyArray_DIM(x, axis);
        stride = PyArray_STRIDE(x, axis);
        if (*form == 'i') {
            const npy_intp at = *number++;
            if (at < -size || at >= size) {
                PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis %d with size %zd", (Py_ssize_t)at,
                             axis, (Py_ssize_t)size);
                return NULL;
            }
            data += (at < 0 ? at + size : at) * stride;
        } else if (*form == ':') {
            dims[ndim] = size;
            strides[ndim++] = stride;
        } else {
            const int given = *form - '0';
            Py_ssize_t start = given & 1 ? (Py_ssize_t)*number++ : 0;
            Py_ssize_t stop = given & 2 ? (Py_ssize_t)*number++ : PY_SSIZE_T_MAX;
            Py_ssize_t step = given & 4 ? (Py_ssize_t)*number++ : 1;
            if (step == 0) {
                PyErr_SetString(PyExc_ValueError, "slice step cannot be zero");
                return NULL;
            }
            if (step < -PY_SSIZE_T_MAX) step = -PY_SSIZE_T_MAX; /* it must have a negative */
            if (step < 0 && !(given & 1)) start = PY_SSIZE_T_MAX;
            if (step < 0 && !(given & 2)) stop = PY_SSIZE_T_MIN;
            dims[ndim] = (npy_intp)PySlice_AdjustIndices((Py_ssize_t)size, &start, &stop, step);
            if (dims[ndim] == 0) { /* as NumPy: what is empty points nowhere else */
                start = 0;
                step = 1;
            }
            data += start * stride;
            strides[ndim++] = (npy_intp)step * stride;
        }
        axis++;
    }
    for (; axis < PyArray_NDIM(x); axis++) {
        dims[ndim] = PyArray_DIM(x, axis);
        strides[ndim++] = PyArray_STRIDE(x, axis);
    }
    return opw_view(x, ndim, dims, strides, data, PyArray_FLAGS(x) & NPY_ARRAY_WRITEABLE);
}
"""


def _numbers(entries: tuple[str, ...], node: Apply, names: list[str], fail: str) -> str:
    """Write the C that reads the numbers of a form into ``opw_numbers``."""
    read = f"npy_intp opw_numbers[{len(names)} + 1] = {{0}};\n"
    letters = "".join([entry for entry in entries if entry not in (":", "None")]).replace(":", "")
    inputs = node.inputs[len(node.inputs) - len(names) :]
    for place, (name, letter, variable) in enumerate(zip(names, letters, inputs)):
        value = f"*(dtype_{name}*)PyArray_DATA({name})"
        if variable.type.dtype == "uint64":  # type: ignore[attr-defined]
            large = f"{value} > (npy_uint64)NPY_MAX_INT64"
            if letter == "i":
                text = "Python int too large to convert to C long"
                read += f'if ({large}) {{\n    PyErr_SetString(PyExc_OverflowError, "{text}");\n    {fail}\n}}\n'
            else:
                value = f"({large}) ? NPY_MAX_INTP : (npy_intp){value}"
        read += f"opw_numbers[{place}] = (npy_intp)({value});\n"
    return read


def _form(entries: tuple[str, ...]) -> str:
    """A form, as `opw_subtensor` takes it."""
    bits = {"a": 1, "b": 2, "c": 4}
    short = {"i": "i", "None": "n", ":": ":"}
    return "".join([short.get(entry) or str(sum(bits.get(letter, 0) for letter in entry)) for entry in entries])


class Subtensor(COp):
    """A view by integers, slices and new axes.

    Parameters
    ----------
    index : str
        The form; see `opweld.tensor.indexing`.
    """

    __props__ = ("index",)
    c_float16 = True
    view_map = {0: [0]}

    def __init__(self, index: str) -> None:
        self.index = index
        self.entries = entries_of(index)
        if "v" in self.entries or "..." in self.entries:
            raise ValueError(f"Subtensor: {index!r} holds more than integers, slices and None")

    def make_node(self, x: Any, *numbers: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is viewed.
        *numbers : Variable or int
            As many as the form needs.

        Returns
        -------
        Apply
            One output of the same dtype.

        Raises
        ------
        IndexError
            If there are more entries than dimensions.
        """
        x, found = _read(self, x, numbers)
        return Apply(self, [x, *found], [TensorType(x.type.dtype, viewed_shape(x.type.shape, self.entries, found))()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """View in Python."""
        key = (*key_of(self.entries, inputs[1:]), Ellipsis)  # so that a number stays a view
        output_storage[0][0] = inputs[0][key]

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the sizes, where slices leave them as they are."""
        sizes = viewed_shape(input_shapes[0], self.entries, node.inputs[1:])
        if None in sizes:
            raise NotImplementedError
        return [tuple(sizes)]

    def c_support_code(self) -> list[str]:
        """Define the view."""
        return [VIEW, _SUBTENSOR]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Call it with the numbers as a table."""
        x, *numbers = input_names
        made = f'opw_subtensor({x}, "{_form(self.entries)}", opw_numbers)'
        read = _numbers(self.entries, node, numbers, sub["fail"])
        return f"{{\n{read}{store(output_names[0], made, sub['fail'])}}}\n"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


def _read(op: Any, x: Any, numbers: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """What is indexed by a basic form, and the numbers."""
    x = as_tensor_variable(x)
    used = len([entry for entry in op.entries if entry != "None"])
    if used > x.ndim:
        raise IndexError(f"too many indices for array: array is {x.ndim}-dimensional, but {used} were indexed")
    return x, check_numbers(op, op.entries, numbers)


class Writing(COp):
    """What ops have alike that give an array with some elements set, or added to.

    Parameters
    ----------
    index : str
        The form; see `opweld.tensor.indexing`.
    set_instead_of_inc : bool
        Set; else add.
    inplace : bool
        Write over the input.
    """

    __props__ = ("index", "set_instead_of_inc", "inplace")
    c_float16 = True
    destroyhandler_tolerate_aliased = ((0, 1),)  # NumPy copies what it writes from where that overlaps

    def __init__(self, index: str, set_instead_of_inc: bool = False, inplace: bool = False) -> None:
        self.index = index
        self.entries = entries_of(index)
        self.set_instead_of_inc = bool(set_instead_of_inc)
        self.inplace = bool(inplace)
        if self.inplace:
            self.destroy_map = {0: [0]}

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the shape of what is written into."""
        return [input_shapes[0]]

    def value(self, x: Any, y: Any) -> Any:
        """Read what is written.

        Parameters
        ----------
        x : TensorVariable
            What is written into.
        y : Variable or array_like
            Python's numbers take the dtype of `x`.

        Returns
        -------
        TensorVariable

        Raises
        ------
        TypeError
            If its dtype is of another kind than that of `x`: NumPy would have to cast unsafely.
        """
        dtype = x.type.numpy_dtype
        if type(y) in (bool, int, float, complex) and np.result_type(dtype, y) == dtype:
            return constant(np.array(y, dtype))
        y = as_tensor_variable(y)
        if not np.can_cast(y.type.numpy_dtype, dtype, "same_kind"):
            what = "set_subtensor" if self.set_instead_of_inc else "inc_subtensor"
            raise TypeError(
                f"{what}: cannot write {y.type.dtype} into {dtype.name} with casting rule 'same_kind'; cast it first"
            )
        return y

    def begin(self, x: str, out: str, fail: str) -> str:
        """Write the C that makes the output what it is written into: the input, or a copy of it."""
        if self.inplace:
            return f"Py_INCREF({x});\nPy_XDECREF({out});\n{out} = {x};\n"
        return f"""if ({out} != NULL && PyArray_SAMESHAPE({out}, {x})) {{
    if (PyArray_CopyInto({out}, {x}) != 0) {{
        {fail}
    }}
}} else {{
    Py_XDECREF({out});
    {out} = (PyArrayObject*)PyArray_NewCopy({x}, NPY_ANYORDER);
    if ({out} == NULL) {{
        {fail}
    }}
}}
"""

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of these texts."""
        return (1,)


class IncSubtensor(Writing):
    """An array with a view of it set, or added to. Parameters as for `Writing`."""

    def make_node(self, x: Any, y: Any, *numbers: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is written into.
        y : Variable or array_like
            What is written: broadcast to the view.
        *numbers : Variable or int
            As many as the form needs.

        Returns
        -------
        Apply
            One output of the type of `x`.
        """
        x, found = _read(self, x, numbers)
        return Apply(self, [x, self.value(x, y), *found], [x.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Write in Python."""
        x, y, *numbers = inputs
        made = x if self.inplace else x.copy()
        key = (*key_of(self.entries, numbers), Ellipsis)
        view = made[key]
        if self.set_instead_of_inc:
            view[...] = y
        else:
            view += y
        output_storage[0][0] = made

    def c_support_code(self) -> list[str]:
        """Define the view."""
        return [VIEW, _SUBTENSOR]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Let NumPy write into the view."""
        x, y, *numbers = input_names
        out, fail = output_names[0], sub["fail"]
        if self.set_instead_of_inc:
            write = f"opw_failed = PyArray_CopyInto(opw_at, {y}) != 0;"
        else:
            write = f"""{{
    PyObject* opw_sum = PyNumber_InPlaceAdd((PyObject*)opw_at, (PyObject*){y});
    opw_failed = opw_sum == NULL;
    Py_XDECREF(opw_sum);
}}"""
        return f"""{{
PyArrayObject* opw_at;
int opw_failed;
{_numbers(self.entries, node, numbers, fail)}{self.begin(x, out, fail)}opw_at = opw_subtensor({out}, \
"{_form(self.entries)}", opw_numbers);
if (opw_at == NULL) {{
    {fail}
}}
{write}
Py_DECREF(opw_at);
if (opw_failed) {{
    {fail}
}}
}}
"""
