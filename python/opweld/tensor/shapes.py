"""The shape of a value, as an op: `Shape` gives all of it, `Shape_i` one size."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from opweld.errors import _what
from opweld.graph.basic import Apply, Variable
from opweld.hooks.copying import RegisteredCOp
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import TensorLike
from opweld.tensor.type import TensorType

__all__ = ["Shape", "Shape_i", "register_shape_c_code", "register_shape_i_c_code", "shape", "shape_i"]


class Shape(RegisteredCOp):
    """Give the sizes of a value as a vector of int64.

    For a type that `register_shape_c_code` knows, in C; for others by ``value.shape``. Where the value comes from an op
    that has ``infer_shape``, the op itself need not run.
    """

    c_code_and_version: ClassVar[dict[type, tuple[str, tuple[Any, ...]]]] = {}

    def make_node(self, x: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            Whose shape.

        Returns
        -------
        Apply
            One output: as many int64 as there are dimensions.
        """
        x = _variable(x)
        return Apply(self, [x], [TensorType("int64", (getattr(x.type, "ndim", None),))()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Ask the value in Python."""
        output_storage[0][0] = np.array(inputs[0].shape, "int64")


class Shape_i(RegisteredCOp):
    """Give one size of a value.

    Parameters
    ----------
    i : int
        Which dimension, from 0.
    """

    __props__ = ("i",)
    shape_only = True
    c_code_and_version: ClassVar[dict[type, tuple[str, tuple[Any, ...]]]] = {}

    def __init__(self, i: int) -> None:
        if isinstance(i, bool) or not hasattr(i, "__index__") or i.__index__() < 0:
            raise TypeError(f"Shape_i: expected a dimension, 0 or more, got {_what(i)}")
        self.i = i.__index__()

    def make_node(self, x: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            Whose shape.

        Returns
        -------
        Apply
            One output: an int64 without dimensions.

        Raises
        ------
        TypeError
            If it is known that there are not as many dimensions.
        """
        x = _variable(x)
        ndim = getattr(x.type, "ndim", None)
        if ndim is not None and self.i >= ndim:
            raise TypeError(f"{self}: {x} has {ndim} dimensions")
        return Apply(self, [x], [TensorType("int64", ())()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Ask the value in Python."""
        output_storage[0][0] = np.array(inputs[0].shape[self.i], "int64")

    def fields(self, iname: str, oname: str, sub: dict[str, Any]) -> dict[str, Any]:
        """Add ``%(i)s``."""
        return {**super().fields(iname, oname, sub), "i": self.i}


def _variable(x: TensorLike) -> Variable:
    if isinstance(x, Variable):
        return x
    found: Variable = as_tensor_variable(x)
    return found


_shape = Shape()


def shape(x: TensorLike) -> Any:
    """Give the shape of `x`, as a variable.

    Parameters
    ----------
    x : Variable or array_like
        Whose shape.

    Returns
    -------
    TensorVariable
        A vector of int64.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.shape(x))([[1, 2], [3, 4]])
    array([2, 2])
    """
    return _shape(x)


def shape_i(x: TensorLike, i: int) -> Any:
    """Give one size of `x`, as a variable.

    Parameters
    ----------
    x : Variable or array_like
        Whose shape.
    i : int
        Which dimension, from 0.

    Returns
    -------
    TensorVariable
        An int64 without dimensions.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.shape_i(x, 1))([[1, 2, 3]])
    np.int64(3)
    """
    return Shape_i(i)(x)


def register_shape_c_code(type_: type, code: str, version: object = ()) -> None:
    """Tell `Shape` how to find the shape of a type's values in C.

    Parameters
    ----------
    type_ : type
        The Type's class; its subclasses are not meant.
    code : str
        C with ``%(iname)s``, ``%(oname)s`` (a ``PyArrayObject*``, NULL or an int64 vector of the right length) and
        ``%(fail)s``; other percent signs are doubled.
    version : tuple or int
        Version of `code`; ``()``: built anew in each process.
    """
    Shape.register(type_, code, version)


def register_shape_i_c_code(type_: type, code: str, check_input: str = "", version: object = ()) -> None:
    """Tell `Shape_i` how to find one size of a type's values in C.

    Parameters
    ----------
    type_ : type
        The Type's class; its subclasses are not meant.
    code : str
        C with ``%(iname)s``, ``%(oname)s`` (a ``PyArrayObject*``, NULL or an int64 without dimensions), ``%(i)s`` and
        ``%(fail)s``; other percent signs are doubled.
    check_input : str
        C that stands before `code` and fails where there is no dimension ``%(i)s``.
    version : tuple or int
        Version of both; ``()``: built anew in each process.
    """
    Shape_i.register(type_, f"{check_input}\n{code}" if check_input else code, version)


register_shape_c_code(
    TensorType,
    """
{
    npy_intp opw_length = PyArray_NDIM(%(iname)s), opw_axis;
    if (%(oname)s == NULL || PyArray_DIM(%(oname)s, 0) != opw_length) {
        Py_XDECREF(%(oname)s);
        %(oname)s = (PyArrayObject*)PyArray_SimpleNew(1, &opw_length, NPY_INT64);
        if (%(oname)s == NULL) {
            %(fail)s
        }
    }
    for (opw_axis = 0; opw_axis < opw_length; opw_axis++) {
        *(npy_int64*)PyArray_GETPTR1(%(oname)s, opw_axis) = PyArray_DIM(%(iname)s, (int)opw_axis);
    }
}
""",
    (1,),
)
register_shape_i_c_code(
    TensorType,
    """
if (%(oname)s == NULL) {
    %(oname)s = (PyArrayObject*)PyArray_SimpleNew(0, NULL, NPY_INT64);
    if (%(oname)s == NULL) {
        %(fail)s
    }
}
*(npy_int64*)PyArray_DATA(%(oname)s) = PyArray_DIM(%(iname)s, %(i)s);
""",
    """
if (%(i)s >= PyArray_NDIM(%(iname)s)) {
    PyErr_Format(PyExc_TypeError, "no dimension %(i)s in an array of %%d", PyArray_NDIM(%(iname)s));
    %(fail)s
}
""",
    (1,),
)
