"""Mathematics on tensors, element by element, under NumPy's names and PyTensor's.

Dtypes, broadcasting and exceptions are NumPy's; Python's numbers are weak, as in NumPy.
"""

from __future__ import annotations

from functools import cache
from operator import index
from typing import Any

from opweld.dtypes import dtype_of, upcast
from opweld.graph.basic import Variable
from opweld.scalar.basic import Cast, Clip, Identity, Imag, Real, Second, Where
from opweld.scalar.op import ScalarOp, weak_kind
from opweld.scalar.ufuncs import ufunc
from opweld.tensor.elemwise import Elemwise
from opweld.tensor.variable import as_tensor_variable, constant

__all__ = [
    "abs", "absolute", "acos", "acosh", "add", "allclose", "and_", "angle", "arccos", "arccosh", "arcsin",
    "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and",
    "bitwise_count", "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift",
    "bitwise_xor", "cast", "cbrt", "ceil", "clip", "conj", "conjugate", "copysign", "cos", "cosh", "deg2rad",
    "degrees", "divide", "divmod", "eq", "equal", "exp", "exp2", "expm1", "fabs", "fill", "float_power",
    "floor", "floor_div", "floor_divide", "fmax", "fmin", "fmod", "frexp", "gcd", "ge", "greater",
    "greater_equal", "gt", "heaviside", "hypot", "imag", "int_div", "invert", "isclose", "isfinite", "isinf",
    "isnan", "lcm", "ldexp", "le", "left_shift", "less", "less_equal", "log", "log10", "log1p", "log2",
    "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "lt", "maximum",
    "minimum", "mod", "modf", "mul", "multiply", "neg", "negative", "neq", "nextafter", "not_equal", "or_",
    "positive", "pow", "power", "rad2deg", "radians", "real", "reciprocal", "remainder", "right_shift", "rint",
    "round", "second", "sgn", "sign", "signbit", "sin", "sinh", "size", "spacing", "sqr", "sqrt", "square",
    "sub", "subtract", "switch", "tan", "tanh", "tensor_copy", "true_div", "true_divide", "trunc", "where",
    "xor",
]  # fmt: skip

_INPUTS = {1: ("x",), 2: ("x1", "x2"), 3: ("x1", "x2", "x3")}


def _elemwise(op: ScalarOp, summary: str) -> Elemwise:
    """The op on tensors, with a docstring of its own."""
    made = Elemwise(op)
    names = ", ".join(_INPUTS[op.nin])
    numpy = f"\n    As ``numpy.{op.name}``; broadcast." if op.nin > 1 else f"\n    As for ``numpy.{op.name}``."
    result = "TensorVariable" if op.nout == 1 else "list of TensorVariable"
    made.__doc__ = (
        f"{summary}\n\nParameters\n----------\n{names} : Variable or array_like{numpy}\n\n"
        f"Returns\n-------\n{result}\n    Of the dtype that NumPy gives.\n"
    )
    return made


def _of(name: str, summary: str) -> Elemwise:
    return _elemwise(ufunc(name), summary)


add = _of("add", "Add.")
subtract = sub = _of("subtract", "Subtract the second from the first.")
multiply = mul = _of("multiply", "Multiply.")
divide = true_divide = true_div = _of("divide", "Divide the first by the second; of integers floating point.")
floor_divide = floor_div = int_div = _of("floor_divide", "Divide, and round down.")
remainder = mod = _of("remainder", "Give the rest of `floor_divide`, of the divisor's sign.")
fmod = _of("fmod", "Give the rest of a division that rounds towards zero, of the dividend's sign.")
divmod = _of("divmod", "Give `floor_divide` and `remainder`.")
power = pow = _of("power", "Raise the first to the power of the second.")
float_power = _of("float_power", "Raise to a power, in float64 or complex128 at least.")
negative = neg = _of("negative", "Change the sign.")
positive = _of("positive", "Give a copy, of numbers.")
absolute = abs = _of("absolute", "Give the absolute value.")
fabs = _of("fabs", "Give the absolute value in floating point; not of complex numbers.")
rint = _of("rint", "Round to the nearest whole number, halves to even.")
sign = sgn = _of("sign", "Give -1, 0 or 1; of a complex number x / abs(x).")
heaviside = _of("heaviside", "Give 0 below zero, 1 above, the second where the first is zero.")
conjugate = conj = _of("conjugate", "Give the complex conjugate.")
exp = _of("exp", "Give e to the power of x.")
exp2 = _of("exp2", "Give 2 to the power of x.")
expm1 = _of("expm1", "Give exp(x) - 1, exact near zero.")
log = _of("log", "Give the natural logarithm.")
log2 = _of("log2", "Give the logarithm to base 2.")
log10 = _of("log10", "Give the logarithm to base 10.")
log1p = _of("log1p", "Give log(1 + x), exact near zero.")
logaddexp = _of("logaddexp", "Give log(exp(x1) + exp(x2)).")
logaddexp2 = _of("logaddexp2", "Give log2(2**x1 + 2**x2).")
sqrt = _of("sqrt", "Give the square root.")
square = sqr = _of("square", "Give x * x.")
cbrt = _of("cbrt", "Give the cube root.")
reciprocal = _of("reciprocal", "Give 1 / x; of integers rounded towards zero.")
gcd = _of("gcd", "Give the greatest common divisor of integers.")
lcm = _of("lcm", "Give the lowest common multiple of integers.")
sin = _of("sin", "Give the sine of an angle in radians.")
cos = _of("cos", "Give the cosine of an angle in radians.")
tan = _of("tan", "Give the tangent of an angle in radians.")
arcsin = asin = _of("arcsin", "Give the angle of a sine, in radians.")
arccos = acos = _of("arccos", "Give the angle of a cosine, in radians.")
arctan = atan = _of("arctan", "Give the angle of a tangent, in radians.")
arctan2 = atan2 = _of("arctan2", "Give the angle of the point (x2, x1), in radians.")
hypot = _of("hypot", "Give the length of the hypotenuse, sqrt(x1**2 + x2**2).")
sinh = _of("sinh", "Give the hyperbolic sine.")
cosh = _of("cosh", "Give the hyperbolic cosine.")
tanh = _of("tanh", "Give the hyperbolic tangent.")
arcsinh = asinh = _of("arcsinh", "Give the inverse of the hyperbolic sine.")
arccosh = acosh = _of("arccosh", "Give the inverse of the hyperbolic cosine.")
arctanh = atanh = _of("arctanh", "Give the inverse of the hyperbolic tangent.")
degrees = _of("degrees", "Turn radians into degrees.")
radians = _of("radians", "Turn degrees into radians.")
deg2rad = _of("deg2rad", "Turn degrees into radians.")
rad2deg = _of("rad2deg", "Turn radians into degrees.")
bitwise_and = and_ = _of("bitwise_and", "Give the bits that both have; of bool: both.")
bitwise_or = or_ = _of("bitwise_or", "Give the bits that either has; of bool: either.")
bitwise_xor = xor = _of("bitwise_xor", "Give the bits that one has and the other has not.")
invert = bitwise_not = bitwise_invert = _of("invert", "Turn every bit; of bool: not.")
left_shift = bitwise_left_shift = _of("left_shift", "Shift bits to the left.")
right_shift = bitwise_right_shift = _of("right_shift", "Shift bits to the right.")
bitwise_count = _of("bitwise_count", "Count the bits of the absolute value.")
greater = gt = _of("greater", "Say where the first is greater.")
greater_equal = ge = _of("greater_equal", "Say where the first is greater or equal.")
less = lt = _of("less", "Say where the first is less.")
less_equal = le = _of("less_equal", "Say where the first is less or equal.")
equal = eq = _of("equal", "Say where both are equal.")
not_equal = neq = _of("not_equal", "Say where they differ.")
logical_and = _of("logical_and", "Say where both are true: not zero.")
logical_or = _of("logical_or", "Say where one is true: not zero.")
logical_xor = _of("logical_xor", "Say where one is true and the other is not.")
logical_not = _of("logical_not", "Say where it is zero.")
maximum = _of("maximum", "Give the larger; NaN where one is NaN.")
minimum = _of("minimum", "Give the smaller; NaN where one is NaN.")
fmax = _of("fmax", "Give the larger; the other where one is NaN.")
fmin = _of("fmin", "Give the smaller; the other where one is NaN.")
isfinite = _of("isfinite", "Say where it is neither infinite nor NaN.")
isinf = _of("isinf", "Say where it is infinite.")
isnan = _of("isnan", "Say where it is NaN.")
signbit = _of("signbit", "Say where the sign bit is set.")
copysign = _of("copysign", "Give the first with the sign of the second.")
nextafter = _of("nextafter", "Give the next number after the first towards the second.")
spacing = _of("spacing", "Give the distance to the next number.")
modf = _of("modf", "Give the fraction and the whole part.")
ldexp = _of("ldexp", "Give x1 * 2**x2.")
frexp = _of("frexp", "Give mantissa and exponent.")
floor = _of("floor", "Round down.")
ceil = _of("ceil", "Round up.")
trunc = _of("trunc", "Round towards zero.")
where = switch = _elemwise(Where(), "Give the second where the first is true, else the third.")
second = fill = _elemwise(Second(), "Give the second in the shape that both broadcast to.")
tensor_copy = _elemwise(Identity(), "Give a copy.")

_clip = Elemwise(Clip())
_real = Elemwise(Real())
_imag = Elemwise(Imag())


@cache
def _cast(dtype: str) -> Elemwise:
    return Elemwise(Cast(dtype))


def cast(x: Any, dtype: Any) -> Any:
    """Convert to another dtype, as ``numpy.ndarray.astype`` does.

    Parameters
    ----------
    x : Variable or array_like
        What to convert.
    dtype : str or numpy.dtype
        The dtype wanted.

    Returns
    -------
    TensorVariable
        `x` itself where it has the dtype.

    Warns
    -----
    numpy.exceptions.ComplexWarning
        If imaginary parts will be lost.
    """
    x = as_tensor_variable(x)
    wanted = dtype_of(dtype)
    if wanted.name == x.type.dtype:
        return x
    if dtype_of(x.type.dtype).np.kind == "c" and wanted.np.kind not in "cb":
        from warnings import warn

        from numpy.exceptions import ComplexWarning

        warn("Casting complex values to real discards the imaginary part", ComplexWarning, stacklevel=2)
    return _cast(wanted.name)(x)


def clip(x: Any, min: Any = None, max: Any = None) -> Any:
    """Limit values, as ``numpy.clip`` does.

    Parameters
    ----------
    x : Variable or array_like
        The values.
    min, max : Variable or array_like, optional
        The limits; None: none. One of Python's integers that is no limit for the dtype of `x` is none, either.

    Returns
    -------
    TensorVariable
    """
    x = as_tensor_variable(x)
    kind = dtype_of(x.type.dtype).np
    if kind.kind in "iu":
        from numpy import iinfo

        limits = iinfo(kind)
        if not isinstance(min, Variable) and weak_kind(min) is int and min <= limits.min:
            min = None
        if not isinstance(max, Variable) and weak_kind(max) is int and max >= limits.max:
            max = None
    if min is None:
        return positive(x) if max is None else minimum(x, max)
    return maximum(x, min) if max is None else _clip(x, min, max)


def round(x: Any, decimals: int = 0) -> Any:
    """Round to a number of decimals, halves to even, as ``numpy.round`` does.

    Parameters
    ----------
    x : Variable or array_like
        The values.
    decimals : int
        How many; of a negative number that many places before the point.

    Returns
    -------
    TensorVariable
        `x` itself where there is nothing to round.
    """
    x = as_tensor_variable(x)
    decimals = index(decimals)  # as NumPy refuses what is none
    kind = dtype_of(x.type.dtype).np.kind
    if decimals == 0 and kind not in "iu":
        return rint(x)
    factor = 10.0 ** max(decimals, -decimals) if -309 < decimals < 309 else float("inf")
    if decimals >= 0:
        return x if kind in "iu" else divide(rint(multiply(x, factor)), factor)
    return cast(multiply(rint(divide(x, factor)), factor), x.type.dtype)


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Say where two tensors are equal within a tolerance, as ``numpy.isclose`` does.

    Parameters
    ----------
    a, b : Variable or array_like
        What is compared.
    rtol, atol : float
        They may differ by ``atol + rtol * abs(b)``.
    equal_nan : bool
        NaN is equal to NaN.

    Returns
    -------
    TensorVariable
        Of bool.
    """
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    if dtype_of(b.type.dtype).np.kind in "biu":
        b = cast(b, upcast(b.type.dtype, "float64"))
    near = less_equal(absolute(subtract(a, b)), add(atol, multiply(rtol, absolute(b))))
    found = bitwise_or(bitwise_and(near, isfinite(b)), equal(a, b))
    return bitwise_or(found, bitwise_and(isnan(a), isnan(b))) if equal_nan else found


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Say whether two tensors are equal throughout, within a tolerance.

    Parameters
    ----------
    a, b, rtol, atol, equal_nan
        As for `isclose`.

    Returns
    -------
    TensorVariable
        A bool without dimensions.
    """
    return isclose(a, b, rtol, atol, equal_nan).all()


def size(x: Any) -> Any:
    """Count the elements.

    Parameters
    ----------
    x : Variable or array_like
        Whose.

    Returns
    -------
    TensorVariable
        An int64 without dimensions.
    """
    from opweld.tensor.shapes import shape_i

    x = as_tensor_variable(x)
    found: Any = constant(1, dtype="int64")
    for axis in range(x.type.ndim):
        one = shape_i(x, axis)
        found = multiply(found, one) if axis else one
    return found


def real(z: Any) -> Any:
    """Give the real part.

    Parameters
    ----------
    z : Variable or array_like
        Any numbers.

    Returns
    -------
    TensorVariable
        `z` itself where it is real.
    """
    z = as_tensor_variable(z)
    return _real(z) if dtype_of(z.type.dtype).np.kind == "c" else z


def imag(z: Any) -> Any:
    """Give the imaginary part: of real numbers zeros.

    Parameters
    ----------
    z : Variable or array_like
        Any numbers.

    Returns
    -------
    TensorVariable
    """
    return _imag(z)


def angle(z: Any, deg: bool = False) -> Any:
    """Give the angle of complex numbers, counter-clockwise from the real axis.

    Parameters
    ----------
    z : Variable or array_like
        Any numbers.
    deg : bool
        In degrees; else in radians.

    Returns
    -------
    TensorVariable
    """
    z = as_tensor_variable(z)
    complex_ = dtype_of(z.type.dtype).np.kind == "c"
    found = arctan2(_imag(z) if complex_ else 0, real(z))
    if not deg:
        return found
    from math import pi

    return multiply(found, 180 / pi)
