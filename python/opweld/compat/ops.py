"""Ops of tensors that Theano, Aesara and PyTensor name, and opweld has under another form or not at all.

Each is an op of its own, in C++: checks, changes between arrays and scalars.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from opweld.compat.bases import COp, Generic, Op, ShapeOfFirst
from opweld.compat.scalars import Element
from opweld.errors import _what
from opweld.graph.basic import Apply, Variable
from opweld.hooks.copying import RegisteredCOp
from opweld.scalar.type import as_scalar, get_scalar_type
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import TensorLike
from opweld.tensor.type import TensorType

__all__ = [
    "Assert", "CheckAndRaise", "ExceptionType", "Rebroadcast", "ScalarFromTensor", "SpecifyShape",
    "TensorFromScalar", "assert_", "assert_op", "register_rebroadcast_c_code", "register_specify_shape_c_code",
    "scalar_from_tensor", "tensor_from_scalar",
]  # fmt: skip


class TensorFromScalar(COp):
    """An array without dimensions of a scalar."""

    __props__ = ()

    def make_node(self, s: Element) -> Apply:
        """Build the node.

        Raises
        ------
        TypeError
            If it is no scalar.
        """
        s = as_scalar(s)
        return Apply(self, [s], [TensorType(s.type.dtype, ())()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Make the array."""
        output_storage[0][0] = np.asarray(inputs[0], node.outputs[0].type.dtype)

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give no sizes: there are none."""
        return [()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Write the value into an array."""
        (x,), (z,) = input_names, output_names
        kind = f"npy_{node.outputs[0].type.dtype}"
        number = f"NPY_{node.outputs[0].type.dtype.upper()}"
        return (
            f"if ({z} == NULL) {z} = (PyArrayObject *)PyArray_EMPTY(0, NULL, {number}, 0);\n"
            f"if ({z} == NULL) {{ {sub['fail']} }}\n"
            f"*({kind} *)PyArray_DATA({z}) = {x};"
        )

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


class ScalarFromTensor(COp):
    """The scalar that an array without dimensions holds."""

    __props__ = ()

    def make_node(self, t: TensorLike) -> Apply:
        """Build the node.

        Raises
        ------
        TypeError
            If it has dimensions.
        """
        if not isinstance(t, Variable) or not isinstance(t.type, TensorType) or t.type.ndim:
            raise TypeError(f"ScalarFromTensor: expected a tensor without dimensions, got {_what(t)}")
        return Apply(self, [t], [get_scalar_type(t.type.dtype)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Take the element."""
        output_storage[0][0] = inputs[0][()]

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give no sizes: there are none."""
        return [()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Read the element."""
        return f"{output_names[0]} = *(npy_{node.inputs[0].type.dtype} *)PyArray_DATA({input_names[0]});"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


tensor_from_scalar = TensorFromScalar()
scalar_from_tensor = ScalarFromTensor()


class ExceptionType(Generic):
    """The type of a class of exceptions."""


class CheckAndRaise(ShapeOfFirst, Op):
    """The first input itself; an exception where one of the others, a condition, is zero.

    Parameters
    ----------
    exc_type : class
        Of exceptions.
    msg : str
        What it says.

    Raises
    ------
    ValueError
        If it is no class of exceptions.
    """

    __props__: tuple[str, ...] | None = ("msg", "exc_type")
    view_map = {0: [0]}

    def __init__(self, exc_type: type, msg: str = "") -> None:
        if not isinstance(exc_type, type) or not issubclass(exc_type, Exception):
            raise ValueError(f"expected a class of exceptions, got {_what(exc_type)}")
        self.exc_type = exc_type
        self.msg = msg

    def make_node(self, value: TensorLike, *conds: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        value : Variable or array_like
            What goes through.
        *conds : Variable or array_like
            Without dimensions.

        Raises
        ------
        TypeError
            If a condition has dimensions.
        """
        value = value if isinstance(value, Variable) else as_tensor_variable(value)
        given = [cond if isinstance(cond, Variable) else as_tensor_variable(cond) for cond in conds]
        for cond in given:
            if getattr(cond.type, "ndim", 0):
                raise TypeError(f"{self}: a condition must have no dimensions, got {cond.type}")
        return Apply(self, [value, *given], [value.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Look at the conditions."""
        if not all(np.all(cond) for cond in inputs[1:]):
            raise self.exc_type(self.msg)
        output_storage[0][0] = inputs[0]

    def __str__(self) -> str:
        return f"{type(self).__name__}{{{self.exc_type.__name__}, {self.msg!r}}}"


class Assert(CheckAndRaise):
    """The first input itself; an AssertionError where one of the others is zero.

    Parameters
    ----------
    msg : str
        What it says.
    """

    __props__: tuple[str, ...] | None = ("msg",)

    def __init__(self, msg: str = "Theano Assert failed!") -> None:
        super().__init__(AssertionError, msg)


assert_op = assert_ = Assert()


class Rebroadcast(ShapeOfFirst, RegisteredCOp):
    """The array itself, of a type that knows of some sizes that they are 1, or does not.

    Parameters
    ----------
    *axis : (int, bool)
        Which axes, and whether the type knows of their size that it is 1.
    """

    __props__: tuple[str, ...] | None = ("axis",)
    view_map = {0: [0]}
    c_code_and_version: ClassVar[dict[type, tuple[str, tuple[Any, ...]]]] = {}

    def __init__(self, *axis: tuple[int, bool]) -> None:
        self.axis = dict((int(i), bool(one)) for i, one in axis)

    def __hash__(self) -> int:
        return hash((type(self), tuple(sorted(self.axis.items()))))

    def make_node(self, x: TensorLike) -> Apply:
        """Build the node.

        Raises
        ------
        ValueError
            If there is no such axis.
        """
        x = x if isinstance(x, Variable) else as_tensor_variable(x)
        if self.axis and x.type.ndim <= max(self.axis):
            raise ValueError(f"Rebroadcast: {x} has {x.type.ndim} dimensions, and no axis {max(self.axis)}")
        known = [self.axis.get(i, one) for i, one in enumerate(x.type.broadcastable)]
        return Apply(self, [x], [x.type.clone(broadcastable=known)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Look at the sizes."""
        for axis, one in self.axis.items():
            if one and inputs[0].shape[axis] != 1:
                size = inputs[0].shape[axis]
                raise ValueError(f"Dimension {axis} in Rebroadcast's input was supposed to be 1 (got {size} instead)")
        output_storage[0][0] = inputs[0]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Write the text that is registered for the input's type, once for each axis that must be of size 1."""
        found = self.c_code_and_version.get(type(node.inputs[0].type))
        if found is None:
            return super().c_code(node, name, input_names, output_names, sub)
        fields = self.fields(input_names[0], output_names[0], sub)
        checks = "\n".join([found[0] % {**fields, "axis": axis} for axis, one in self.axis.items() if one])
        x, z = input_names[0], output_names[0]
        return f"{checks}\nPy_XDECREF({z});\n{z} = {x};\nPy_INCREF({z});"


class SpecifyShape(ShapeOfFirst, COp, RegisteredCOp):
    """The array itself; an error where its shape is another than a vector says."""

    view_map = {0: [0]}
    check_input = True
    c_float16 = False
    c_code_and_version: ClassVar[dict[type, tuple[str, tuple[Any, ...], str]]] = {}  # type: ignore[assignment]

    def make_node(self, x: TensorLike, shape: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            The tensor.
        shape : Variable or sequence of int
            A vector of integers.

        Raises
        ------
        TypeError
            If it is none.
        """
        x, shape = as_tensor_variable(x), as_tensor_variable(shape)
        if shape.type.ndim != 1 or not shape.type.dtype.startswith(("int", "uint")):
            raise TypeError(f"SpecifyShape: expected a vector of integers, got {shape.type}")
        return Apply(self, [x, shape], [x.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Look at the shape."""
        x, shape = inputs
        if x.ndim != len(shape) or tuple(x.shape) != tuple(shape):
            raise AssertionError(f"SpecifyShape: got shape {x.shape}, expected {tuple(map(int, shape))}")
        output_storage[0][0] = x

    def c_support_code_apply(self, node: Apply, name: str) -> str:
        """Write what is registered for the input's type."""
        found = self.c_code_and_version.get(type(node.inputs[0].type))
        return "" if found is None else found[2]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Write the text that is registered for the input's type."""
        found = self.c_code_and_version.get(type(node.inputs[0].type))
        if found is None:
            return super().c_code(node, name, input_names, output_names, sub)
        return found[0] % {**self.fields(input_names[0], output_names[0], sub), "shape": input_names[1]}


def register_rebroadcast_c_code(typ: type, code: str, version: tuple[Any, ...] | int = ()) -> None:
    """Enter the C that checks one axis: ``%(iname)s``, ``%(axis)s``, ``%(fail)s``.

    Parameters
    ----------
    typ : type
        A class of types.
    code : str
        C.
    version : tuple or int
        Its version.
    """
    Rebroadcast.register(typ, code, version)


def register_specify_shape_c_code(
    typ: type, code: str, version: tuple[Any, ...] | int = (), c_support_code_apply: str | None = None
) -> None:
    """Enter the C that checks a shape: ``%(iname)s``, ``%(oname)s``, ``%(shape)s``, ``%(fail)s``.

    Parameters
    ----------
    typ : type
        A class of types.
    code : str
        C.
    version : tuple or int
        Its version.
    c_support_code_apply : str, optional
        What stands before.
    """
    number = version if isinstance(version, tuple) else (version,)
    SpecifyShape.c_code_and_version[typ] = code, number, c_support_code_apply or ""
