"""Scalar ops that NumPy has no ufunc for: choice, limits, casts, parts of complex numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from opweld import tolerances
from opweld.dtypes import dtype_of
from opweld.graph.basic import Apply
from opweld.promotion import Spec, number
from opweld.quiet import quiet
from opweld.scalar.arity import BinaryScalarOp, UnaryScalarOp
from opweld.scalar.op import Body, ScalarOp, StructuredScalarOp
from opweld.scalar.type import ScalarType, common_dtype, get_scalar_type
from opweld.scalar.ufuncs import cast_of

if TYPE_CHECKING:
    from opweld.schema import InstructionFields

__all__ = ["Cast", "Clip", "Erf", "Erfc", "Identity", "Imag", "Real", "Second", "Where"]

_PART = {"complex64": "float32", "complex128": "float64", "clongdouble": "longdouble"}


class Where(StructuredScalarOp):
    """The second number where the first is true, else the third; as ``numpy.where``.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.Elemwise(opweld.scalar.Where())(x > 0, x, 0.0))([-1.0, 2.0])
    array([0., 2.])
    """

    __props__ = ()
    nin = 3
    name = "where"

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give the type that NumPy promotes the two alternatives to."""
        return [get_scalar_type(common_dtype((types[1].dtype, types[2].dtype)))]

    def strengthen(self, spec: Spec, values: list[Any]) -> tuple[ScalarOp, list[Any]]:
        """Give Python's numbers the dtype of the other alternative; the condition its truth."""
        dtype = common_dtype(spec[1:])
        condition = np.bool_(values[0]) if isinstance(spec[0], type) else values[0]
        chosen = [number(value, dtype) if isinstance(s, type) else value for s, value in zip(spec[1:], values[1:])]
        return self, [condition, *chosen]

    def make_body(self, dtypes: tuple[str, ...]) -> Body:
        """Write the casts and `where`."""
        dtype = self.output_dtypes(dtypes)[0]
        instructions: list[InstructionFields] = []
        wanted = zip(dtypes, ("bool", dtype, dtype))
        args = [cast_of(i, have, want, 3, instructions) for i, (have, want) in enumerate(wanted)]
        instructions.append({"op": "where", "args": args, "dtype": dtype})
        return Body(instructions, [2 + len(instructions)], (dtype,))

    def compute(self, arrays: list[Any], dtypes: list[str]) -> list[np.ndarray[Any, Any]]:
        """Compute by NumPy."""
        return [np.where(*arrays)]


class Clip(StructuredScalarOp):
    """The first number, not below the second and not above the third; as ``numpy.clip``.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.Elemwise(opweld.scalar.Clip())(x, 0.0, 1.0))([-2.0, 0.5])
    array([0. , 0.5])
    """

    __props__ = ()
    nin = 3
    name = "clip"

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give the type that NumPy promotes all to."""
        return [get_scalar_type(common_dtype(tuple([type_.dtype for type_ in types])))]

    def make_body(self, dtypes: tuple[str, ...]) -> Body:
        """Write the casts, `maximum` and `minimum`."""
        dtype = self.output_dtypes(dtypes)[0]
        instructions: list[InstructionFields] = []
        x, low, high = [cast_of(i, have, dtype, 3, instructions) for i, have in enumerate(dtypes)]
        instructions.append({"op": "maximum", "args": [x, low], "dtype": dtype})
        instructions.append({"op": "minimum", "args": [1 + 1 + len(instructions), high], "dtype": dtype})
        return Body(instructions, [2 + len(instructions)], (dtype,))

    def compute(self, arrays: list[Any], dtypes: list[str]) -> list[np.ndarray[Any, Any]]:
        """Compute by NumPy."""
        with quiet():
            return [np.asarray(np.clip(*arrays))]


class Cast(StructuredScalarOp, UnaryScalarOp):
    """The number as another dtype, as ``numpy.ndarray.astype`` makes it; of a complex number the real part.

    Parameters
    ----------
    dtype : str or numpy.dtype
        The dtype.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.Elemwise(opweld.scalar.Cast("int8"))(x))([1.7, -1.7])
    array([ 1, -1], dtype=int8)
    """

    __props__ = ("dtype",)

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype_of(dtype).name
        super().__init__(name=f"cast to {self.dtype}")

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give the type of the dtype."""
        return [get_scalar_type(self.dtype)]

    def make_body(self, dtypes: tuple[str, ...]) -> Body:
        """Write the cast, unless there is nothing to do."""
        instructions: list[InstructionFields] = []
        return Body(instructions, [cast_of(0, dtypes[0], self.dtype, 1, instructions)], (self.dtype,))

    def compute(self, arrays: list[Any], dtypes: list[str]) -> list[np.ndarray[Any, Any]]:
        """Compute by NumPy, without its warning about the imaginary part."""
        wanted = dtype_of(self.dtype).np
        array = arrays[0]
        with quiet():
            return [(array.real if array.dtype.kind == "c" and wanted.kind not in "cb" else array).astype(wanted)]


class Real(StructuredScalarOp, UnaryScalarOp):
    """The real part.

    Examples
    --------
    >>> z = T.zvector("z")
    >>> opweld.function([z], T.Elemwise(opweld.scalar.Real())(z))([1 + 2j])
    array([1.])
    """

    __props__ = ()
    name = "real"

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give the type of the part."""
        return [get_scalar_type(_PART.get(types[0].dtype, types[0].dtype))]

    def make_body(self, dtypes: tuple[str, ...]) -> Body:
        """Write `real`; of a real number the number itself."""
        if dtypes[0] not in _PART:
            return Body([], [0], dtypes)
        dtype = _PART[dtypes[0]]
        return Body([{"op": "real", "args": [0], "dtype": dtype}], [1], (dtype,))

    def compute(self, arrays: list[Any], dtypes: list[str]) -> list[np.ndarray[Any, Any]]:
        """Compute by NumPy."""
        return [np.array(arrays[0].real)]


class Imag(Real):
    """The imaginary part.

    Examples
    --------
    >>> z = T.zvector("z")
    >>> opweld.function([z], T.Elemwise(opweld.scalar.Imag())(z))([1 + 2j])
    array([2.])
    """

    name = "imag"

    def make_body(self, dtypes: tuple[str, ...]) -> Body:
        """Write `imag`; of a real number zero."""
        dtype = _PART.get(dtypes[0])
        if dtype is None:
            zero = {"b": "false", "f": "0.0"}.get(dtype_of(dtypes[0]).np.kind, "0")
            return Body([{"op": "constant", "dtype": dtypes[0], "value": zero}], [1], dtypes)
        return Body([{"op": "imag", "args": [0], "dtype": dtype}], [1], (dtype,))

    def compute(self, arrays: list[Any], dtypes: list[str]) -> list[np.ndarray[Any, Any]]:
        """Compute by NumPy."""
        return [np.array(arrays[0].imag)]


class Erf(StructuredScalarOp, UnaryScalarOp):
    """The error function; dtypes are those of ``scipy.special.erf``, for real numbers.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.Elemwise(opweld.scalar.Erf())(x))([0.0]).tolist()
    [0.0]
    """

    __props__ = ()
    name = "erf"
    function = "erf"  # as the engine knows it

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give the first of float32, float64, longdouble that the input can be cast to."""
        have = dtype_of(types[0].dtype).np
        for char in "fdg":
            if np.can_cast(have, char):
                return [get_scalar_type(np.dtype(char).name if char != "g" else "longdouble")]
        raise TypeError(f"{self.function} is of real numbers, got {types[0].dtype}")

    def make_body(self, dtypes: tuple[str, ...]) -> Body:
        """Write the cast and the function."""
        dtype = self.output_dtypes(dtypes)[0]
        instructions: list[InstructionFields] = []
        args = [cast_of(0, dtypes[0], dtype, 1, instructions)]
        instructions.append({"op": self.function, "args": args, "dtype": dtype})
        return Body(instructions, [len(instructions)], (dtype,))

    def impl(self, x: float) -> float:
        """Compute in float64."""
        return float(getattr(math, self.function)(x))

    def debug_tolerance(self, node: Apply, inputs: list[Any]) -> Any:
        """Say that it is rounded; Python's function knows float64 alone."""
        return tolerances.Tolerance(1 << 16 if node.outputs[0].type.dtype == "longdouble" else 4)


class Erfc(Erf):
    """What the error function leaves of 1; as ``scipy.special.erfc``.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.Elemwise(opweld.scalar.Erfc())(x))([0.0]).tolist()
    [1.0]
    """

    __props__ = ()
    name = "erfc"
    function = "erfc"


class Identity(StructuredScalarOp, UnaryScalarOp):
    """The number itself: a copy.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.Elemwise(opweld.scalar.Identity())(x))([2.0])
    array([2.])
    """

    __props__ = ()
    name = "identity"

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give the input's type."""
        return types

    def make_body(self, dtypes: tuple[str, ...]) -> Body:
        """Write nothing: the result is the input."""
        return Body([], [0], dtypes)

    def compute(self, arrays: list[Any], dtypes: list[str]) -> list[np.ndarray[Any, Any]]:
        """Copy."""
        return [np.array(arrays[0])]


class Second(StructuredScalarOp, BinaryScalarOp):
    """The second number; over arrays it fills the shape of the first with it.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.Elemwise(opweld.scalar.Second())(x, 7.0))([1.0, 2.0])
    array([7., 7.])
    """

    __props__ = ()
    name = "second"

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give the second input's type."""
        return [types[1]]

    def strengthen(self, spec: Spec, values: list[Any]) -> tuple[ScalarOp, list[Any]]:
        """Give Python's numbers the dtype that NumPy gives them alone."""
        return self, [np.asarray(value)[()] if isinstance(s, type) else value for s, value in zip(spec, values)]

    def make_body(self, dtypes: tuple[str, ...]) -> Body:
        """Write nothing: the result is the second input."""
        return Body([], [1], (dtypes[1],))

    def compute(self, arrays: list[Any], dtypes: list[str]) -> list[np.ndarray[Any, Any]]:
        """Copy, broadcast."""
        return [np.array(np.broadcast_arrays(*arrays)[1])]
