"""Indexing by arrays, which copies: by NumPy's own code."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.graph.basic import Apply
from opweld.hooks.classes import COp
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.indexing import check_numbers, entries_of, key_of, numbers_in, selected_shape
from opweld.tensor.subtensor import Writing
from opweld.tensor.type import TensorType
from opweld.tensor.views import store

__all__ = ["AdvancedIncSubtensor", "AdvancedSubtensor"]

_KEY = """
/* The tuple that NumPy takes between brackets; forms as in opw_subtensor, with v: an array, and e: an ellipsis. */
static PyObject* opw_key(const char* form, PyArrayObject** number)
{
    PyObject* key = PyTuple_New((Py_ssize_t)strlen(form));
    Py_ssize_t i;
    for (i = 0; key != NULL && form[i] != 0; i++) {
        PyObject* part;
        if (form[i] == 'n' || form[i] == 'e') {
            part = form[i] == 'n' ? Py_None : Py_Ellipsis;
            Py_INCREF(part);
        } else if (form[i] == 'i' || form[i] == 'v') {
            part = (PyObject*)*number++;
            Py_INCREF(part);
        } else {
            const int given = form[i] - '0';
            PyObject* start = given & 1 ? (PyObject*)*number++ : NULL;
            PyObject* stop = given & 2 ? (PyObject*)*number++ : NULL;
            PyObject* step = given & 4 ? (PyObject*)*number++ : NULL;
            part = PySlice_New(start, stop, step);
            if (part == NULL) {
                Py_DECREF(key);
                return NULL;
            }
        }
        PyTuple_SET_ITEM(key, i, part);
    }
    return key;
}
"""

_ADD_AT = """
/* numpy.add.at */
static int opw_add_at(PyArrayObject* x, PyObject* key, PyArrayObject* y)
{
    PyObject *numpy = PyImport_ImportModule("numpy"), *add = NULL, *done = NULL;
    if (numpy != NULL) add = PyObject_GetAttrString(numpy, "add");
    if (add != NULL) done = PyObject_CallMethod(add, "at", "OOO", (PyObject*)x, key, (PyObject*)y);
    Py_XDECREF(done);
    Py_XDECREF(add);
    Py_XDECREF(numpy);
    return done == NULL ? -1 : 0;
}
"""


def _form(entries: tuple[str, ...]) -> str:
    """A form, as `opw_key` takes it."""
    bits = {"a": 1, "b": 2, "c": 4}
    short = {"i": "i", "v": "v", "None": "n", "...": "e"}
    return "".join([short.get(entry) or str(sum(bits.get(letter, 0) for letter in entry)) for entry in entries])


def _read(op: Any, x: Any, numbers: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """What is indexed, and the numbers and arrays."""
    x, found = as_tensor_variable(x), check_numbers(op, op.entries, numbers)
    used = place = 0
    for entry in op.entries:
        type_ = found[place].type if entry == "v" else None
        used += entry not in ("None", "...") if type_ is None or type_.numpy_dtype.kind != "b" else type_.ndim
        place += numbers_in((entry,))
    if used > x.ndim:
        raise IndexError(f"too many indices for array: array is {x.ndim}-dimensional, but {used} were indexed")
    return x, found


def _key(entries: tuple[str, ...], numbers: list[str], fail: str) -> str:
    """Write the C that makes ``opw_index``, which is owned."""
    table = ", ".join([*numbers, "NULL"])
    return f"""PyArrayObject* opw_numbers[] = {{{table}}};
PyObject* opw_index = opw_key("{_form(entries)}", opw_numbers);
if (opw_index == NULL) {{
    {fail}
}}
"""


class AdvancedSubtensor(COp):
    """What an index with arrays selects, as a copy.

    Parameters
    ----------
    index : str
        The form; see `opweld.tensor.indexing`.
    """

    __props__ = ("index",)
    c_float16 = True

    def __init__(self, index: str) -> None:
        self.index = index
        self.entries = entries_of(index)
        if "v" not in self.entries:
            raise ValueError(f"AdvancedSubtensor: {index!r} holds no array")

    def make_node(self, x: Any, *numbers: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is indexed.
        *numbers : Variable or array_like
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
        return Apply(self, [x, *found], [TensorType(x.type.dtype, selected_shape(x.type.shape, self.entries, found))()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Select in Python."""
        output_storage[0][0] = inputs[0][key_of(self.entries, inputs[1:])]

    def c_support_code(self) -> list[str]:
        """Define what makes the index."""
        return [_KEY]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Ask NumPy."""
        x, *numbers = input_names
        return f"""{{
{_key(self.entries, numbers, sub["fail"])}PyObject* opw_found = PyObject_GetItem((PyObject*){x}, opw_index);
Py_DECREF(opw_index);
{store(output_names[0], "opw_found", sub["fail"])}}}
"""

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


class AdvancedIncSubtensor(Writing):
    """An array with what an index with arrays selects set, or added to. Parameters as for `Writing`.

    An element that is selected twice is added to twice.
    """

    def make_node(self, x: Any, y: Any, *numbers: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is written into.
        y : Variable or array_like
            What is written: broadcast to the selection.
        *numbers : Variable or array_like
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
        key = key_of(self.entries, numbers)
        if self.set_instead_of_inc:
            made[key] = y
        else:
            np.add.at(made, key, y)
        output_storage[0][0] = made

    def c_support_code(self) -> list[str]:
        """Define what makes the index, and ``add.at``."""
        return [_KEY] if self.set_instead_of_inc else [_KEY, _ADD_AT]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Ask NumPy."""
        x, y, *numbers = input_names
        out, fail = output_names[0], sub["fail"]
        if self.set_instead_of_inc:
            write = f"PyObject_SetItem((PyObject*){out}, opw_index, (PyObject*){y})"
        else:
            write = f"opw_add_at({out}, opw_index, {y})"
        return f"""{{
int opw_failed;
{self.begin(x, out, fail)}{{
{_key(self.entries, numbers, fail)}opw_failed = {write} < 0;
Py_DECREF(opw_index);
}}
if (opw_failed) {{
    {fail}
}}
}}
"""
