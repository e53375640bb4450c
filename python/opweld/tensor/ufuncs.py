"""NumPy's elementwise functions on tensors, under NumPy's names and those of Theano, Aesara and PyTensor.

`make golden` writes this file from gen/scalar/table.go.
"""

from __future__ import annotations

from typing import Any

from opweld.scalar.ufuncs import ufunc
from opweld.tensor.elemwise import Elemwise, documented

__all__ = [
    "abs", "absolute", "acos", "acosh", "add", "and_", "arccos", "arccosh", "arcsin", "arcsinh", "arctan",
    "arctan2", "arctanh", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_count",
    "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "cbrt", "ceil", "conj", "conjugate", "copysign", "cos", "cosh", "deg2rad", "degrees", "divide", "divmod", "eq",
    "equal", "exp", "exp2", "expm1", "fabs", "float_power", "floor", "floor_div", "floor_divide", "fmax", "fmin",
    "fmod", "frexp", "gcd", "ge", "greater", "greater_equal", "gt", "heaviside", "hypot", "int_div", "invert",
    "isfinite", "isinf", "isnan", "lcm", "ldexp", "le", "left_shift", "less", "less_equal", "log", "log10", "log1p",
    "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "lt", "maximum",
    "minimum", "mod", "modf", "mul", "multiply", "neg", "negative", "neq", "nextafter", "not_equal", "or_",
    "positive", "pow", "power", "rad2deg", "radians", "reciprocal", "remainder", "right_shift", "rint", "sgn",
    "sign", "signbit", "sin", "sinh", "spacing", "sqr", "sqrt", "square", "sub", "subtract", "tan", "tanh",
    "true_div", "true_divide", "trunc", "xor",
]  # fmt: skip


def _of(name: str, summary: str) -> Elemwise:
    return documented(ufunc(name), summary)


def _several(name: str, summary: str) -> Any:
    """Of several results, which a call gives as a list."""
    return _of(name, summary)


add = _of("add", "Add.")
subtract = sub = _of("subtract", "Subtract the second from the first.")
multiply = mul = _of("multiply", "Multiply.")
divide = true_divide = true_div = _of("divide", "Divide the first by the second; of integers floating point.")
floor_divide = floor_div = int_div = _of("floor_divide", "Divide, and round down.")
remainder = mod = _of("remainder", "Give the rest of `floor_divide`, of the divisor's sign.")
divmod = _several("divmod", "Give `floor_divide` and `remainder`.")
fmod = _of("fmod", "Give the rest of a division that rounds towards zero, of the dividend's sign.")
power = pow = _of("power", "Raise the first to the power of the second.")
float_power = _of("float_power", "Raise to a power, in float64 or complex128 at least.")
negative = neg = _of("negative", "Change the sign.")
positive = _of("positive", "Give a copy, of numbers.")
absolute = abs = _of("absolute", "Give the absolute value.")
fabs = _of("fabs", "Give the absolute value in floating point; not of complex numbers.")
sign = sgn = _of("sign", "Give -1, 0 or 1; of a complex number x / abs(x).")
heaviside = _of("heaviside", "Give 0 below zero, 1 above, the second where the first is zero.")
conjugate = conj = _of("conjugate", "Give the complex conjugate.")
square = sqr = _of("square", "Give x * x.")
reciprocal = _of("reciprocal", "Give 1 / x; of integers rounded towards zero.")
exp = _of("exp", "Give e to the power of x.")
log = _of("log", "Give the natural logarithm.")
sqrt = _of("sqrt", "Give the square root.")
sin = _of("sin", "Give the sine of an angle in radians.")
cos = _of("cos", "Give the cosine of an angle in radians.")
tan = _of("tan", "Give the tangent of an angle in radians.")
sinh = _of("sinh", "Give the hyperbolic sine.")
cosh = _of("cosh", "Give the hyperbolic cosine.")
tanh = _of("tanh", "Give the hyperbolic tangent.")
exp2 = _of("exp2", "Give 2 to the power of x.")
log2 = _of("log2", "Give the logarithm to base 2.")
log10 = _of("log10", "Give the logarithm to base 10.")
expm1 = _of("expm1", "Give exp(x) - 1, exact near zero.")
log1p = _of("log1p", "Give log(1 + x), exact near zero.")
cbrt = _of("cbrt", "Give the cube root.")
arcsin = asin = _of("arcsin", "Give the angle of a sine, in radians.")
arccos = acos = _of("arccos", "Give the angle of a cosine, in radians.")
arctan = atan = _of("arctan", "Give the angle of a tangent, in radians.")
arcsinh = asinh = _of("arcsinh", "Give the inverse of the hyperbolic sine.")
arccosh = acosh = _of("arccosh", "Give the inverse of the hyperbolic cosine.")
arctanh = atanh = _of("arctanh", "Give the inverse of the hyperbolic tangent.")
arctan2 = atan2 = _of("arctan2", "Give the angle of the point (x2, x1), in radians.")
hypot = _of("hypot", "Give the length of the hypotenuse, sqrt(x1**2 + x2**2).")
degrees = _of("degrees", "Turn radians into degrees.")
radians = _of("radians", "Turn degrees into radians.")
rad2deg = _of("rad2deg", "Turn radians into degrees.")
deg2rad = _of("deg2rad", "Turn degrees into radians.")
logaddexp = _of("logaddexp", "Give log(exp(x1) + exp(x2)).")
logaddexp2 = _of("logaddexp2", "Give log2(2**x1 + 2**x2).")
floor = _of("floor", "Round down.")
ceil = _of("ceil", "Round up.")
trunc = _of("trunc", "Round towards zero.")
rint = _of("rint", "Round to the nearest whole number, halves to even.")
spacing = _of("spacing", "Give the distance to the next number.")
nextafter = _of("nextafter", "Give the next number after the first towards the second.")
copysign = _of("copysign", "Give the first with the sign of the second.")
signbit = _of("signbit", "Say where the sign bit is set.")
isnan = _of("isnan", "Say where it is NaN.")
isinf = _of("isinf", "Say where it is infinite.")
isfinite = _of("isfinite", "Say where it is neither infinite nor NaN.")
ldexp = _of("ldexp", "Give x1 * 2**x2.")
frexp = _several("frexp", "Give mantissa and exponent.")
modf = _several("modf", "Give the fraction and the whole part.")
bitwise_and = and_ = _of("bitwise_and", "Give the bits that both have; of bool: both.")
bitwise_or = or_ = _of("bitwise_or", "Give the bits that either has; of bool: either.")
bitwise_xor = xor = _of("bitwise_xor", "Give the bits that one has and the other has not.")
invert = bitwise_not = bitwise_invert = _of("invert", "Turn every bit; of bool: not.")
left_shift = bitwise_left_shift = _of("left_shift", "Shift bits to the left.")
right_shift = bitwise_right_shift = _of("right_shift", "Shift bits to the right.")
bitwise_count = _of("bitwise_count", "Count the bits of the absolute value.")
gcd = _of("gcd", "Give the greatest common divisor of integers.")
lcm = _of("lcm", "Give the lowest common multiple of integers.")
less = lt = _of("less", "Say where the first is less.")
less_equal = le = _of("less_equal", "Say where the first is less or equal.")
greater = gt = _of("greater", "Say where the first is greater.")
greater_equal = ge = _of("greater_equal", "Say where the first is greater or equal.")
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
