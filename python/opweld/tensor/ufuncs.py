"""NumPy's elementwise functions on tensors, under NumPy's names and those of Theano, Aesara and PyTensor.

`make golden` writes this file from gen/scalar/table.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opweld.promotion import rule
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

_SAYS = {
    "add": "Add.",
    "subtract": "Subtract the second from the first.",
    "multiply": "Multiply.",
    "divide": "Divide the first by the second; of integers floating point.",
    "floor_divide": "Divide, and round down.",
    "remainder": "Give the rest of `floor_divide`, of the divisor's sign.",
    "divmod": "Give `floor_divide` and `remainder`.",
    "fmod": "Give the rest of a division that rounds towards zero, of the dividend's sign.",
    "power": "Raise the first to the power of the second.",
    "float_power": "Raise to a power, in float64 or complex128 at least.",
    "negative": "Change the sign.",
    "positive": "Give a copy, of numbers.",
    "absolute": "Give the absolute value.",
    "fabs": "Give the absolute value in floating point; not of complex numbers.",
    "sign": "Give -1, 0 or 1; of a complex number x / abs(x).",
    "heaviside": "Give 0 below zero, 1 above, the second where the first is zero.",
    "conjugate": "Give the complex conjugate.",
    "square": "Give x * x.",
    "reciprocal": "Give 1 / x; of integers rounded towards zero.",
    "exp": "Give e to the power of x.",
    "log": "Give the natural logarithm.",
    "sqrt": "Give the square root.",
    "sin": "Give the sine of an angle in radians.",
    "cos": "Give the cosine of an angle in radians.",
    "tan": "Give the tangent of an angle in radians.",
    "sinh": "Give the hyperbolic sine.",
    "cosh": "Give the hyperbolic cosine.",
    "tanh": "Give the hyperbolic tangent.",
    "exp2": "Give 2 to the power of x.",
    "log2": "Give the logarithm to base 2.",
    "log10": "Give the logarithm to base 10.",
    "expm1": "Give exp(x) - 1, exact near zero.",
    "log1p": "Give log(1 + x), exact near zero.",
    "cbrt": "Give the cube root.",
    "arcsin": "Give the angle of a sine, in radians.",
    "arccos": "Give the angle of a cosine, in radians.",
    "arctan": "Give the angle of a tangent, in radians.",
    "arcsinh": "Give the inverse of the hyperbolic sine.",
    "arccosh": "Give the inverse of the hyperbolic cosine.",
    "arctanh": "Give the inverse of the hyperbolic tangent.",
    "arctan2": "Give the angle of the point (x2, x1), in radians.",
    "hypot": "Give the length of the hypotenuse, sqrt(x1**2 + x2**2).",
    "degrees": "Turn radians into degrees.",
    "radians": "Turn degrees into radians.",
    "rad2deg": "Turn radians into degrees.",
    "deg2rad": "Turn degrees into radians.",
    "logaddexp": "Give log(exp(x1) + exp(x2)).",
    "logaddexp2": "Give log2(2**x1 + 2**x2).",
    "floor": "Round down.",
    "ceil": "Round up.",
    "trunc": "Round towards zero.",
    "rint": "Round to the nearest whole number, halves to even.",
    "spacing": "Give the distance to the next number.",
    "nextafter": "Give the next number after the first towards the second.",
    "copysign": "Give the first with the sign of the second.",
    "signbit": "Say where the sign bit is set.",
    "isnan": "Say where it is NaN.",
    "isinf": "Say where it is infinite.",
    "isfinite": "Say where it is neither infinite nor NaN.",
    "ldexp": "Give x1 * 2**x2.",
    "frexp": "Give mantissa and exponent.",
    "modf": "Give the fraction and the whole part.",
    "bitwise_and": "Give the bits that both have; of bool: both.",
    "bitwise_or": "Give the bits that either has; of bool: either.",
    "bitwise_xor": "Give the bits that one has and the other has not.",
    "invert": "Turn every bit; of bool: not.",
    "left_shift": "Shift bits to the left.",
    "right_shift": "Shift bits to the right.",
    "bitwise_count": "Count the bits of the absolute value.",
    "gcd": "Give the greatest common divisor of integers.",
    "lcm": "Give the lowest common multiple of integers.",
    "less": "Say where the first is less.",
    "less_equal": "Say where the first is less or equal.",
    "greater": "Say where the first is greater.",
    "greater_equal": "Say where the first is greater or equal.",
    "equal": "Say where both are equal.",
    "not_equal": "Say where they differ.",
    "logical_and": "Say where both are true: not zero.",
    "logical_or": "Say where one is true: not zero.",
    "logical_xor": "Say where one is true and the other is not.",
    "logical_not": "Say where it is zero.",
    "maximum": "Give the larger; NaN where one is NaN.",
    "minimum": "Give the smaller; NaN where one is NaN.",
    "fmax": "Give the larger; the other where one is NaN.",
    "fmin": "Give the smaller; the other where one is NaN.",
}
_SHOWS = {
    "add": "[1, 2]; [10, 20] = array([11, 22])",
    "subtract": "[1, 2]; [10, 20] = array([ -9, -18])",
    "multiply": "[1, 2]; [10, 20] = array([10, 40])",
    "divide": "[7, -7]; [2, 2] = array([ 3.5, -3.5])",
    "floor_divide": "[7, -7]; [2, 2] = array([ 3, -4])",
    "remainder": "[7, -7]; [2, 2] = array([1, 1])",
    "divmod": "[7, -7]; [2, 2] = [array([ 3, -4]), array([1, 1])]",
    "fmod": "[7.0, -7.0]; [2.0, 2.0] = array([ 1., -1.])",
    "power": "[2, 3]; [3, 2] = array([8, 9])",
    "float_power": "[2, 3]; [0.5, 2.0] = array([1.41421356, 9.        ])",
    "negative": "[-2, 0, 3] = array([ 2,  0, -3])",
    "positive": "[-2, 0, 3] = array([-2,  0,  3])",
    "absolute": "[-2, 0, 3] = array([2, 0, 3])",
    "fabs": "[-1.5, 2.0] = array([1.5, 2. ])",
    "sign": "[-2, 0, 3] = array([-1,  0,  1])",
    "heaviside": "[-1.0, 0.0, 2.0]; [0.5, 0.5, 0.5] = array([0. , 0.5, 1. ])",
    "conjugate": "[1 + 2j] = array([1.-2.j])",
    "square": "[-2, 0, 3] = array([4, 0, 9])",
    "reciprocal": "[2.0, 4.0] = array([0.5 , 0.25])",
    "exp": "[0.0, 1.0] = array([1.        , 2.71828183])",
    "log": "[1.0, 100.0] = array([0.        , 4.60517019])",
    "sqrt": "[1.0, 100.0] = array([ 1., 10.])",
    "sin": "[0.0, 1.0] = array([0.        , 0.84147098])",
    "cos": "[0.0, 1.0] = array([1.        , 0.54030231])",
    "tan": "[0.0, 1.0] = array([0.        , 1.55740772])",
    "sinh": "[0.0, 1.0] = array([0.        , 1.17520119])",
    "cosh": "[0.0, 1.0] = array([1.        , 1.54308063])",
    "tanh": "[0.0, 1.0] = array([0.        , 0.76159416])",
    "exp2": "[0.0, 1.0] = array([1., 2.])",
    "log2": "[1.0, 100.0] = array([0.        , 6.64385619])",
    "log10": "[1.0, 100.0] = array([0., 2.])",
    "expm1": "[0.0, 1.0] = array([0.        , 1.71828183])",
    "log1p": "[0.0, 1e-10] = array([0.e+00, 1.e-10])",
    "cbrt": "[1.0, 100.0] = array([1.        , 4.64158883])",
    "arcsin": "[0.0, 1.0] = array([0.        , 1.57079633])",
    "arccos": "[0.0, 1.0] = array([1.57079633, 0.        ])",
    "arctan": "[0.0, 1.0] = array([0.        , 0.78539816])",
    "arcsinh": "[0.0, 1.0] = array([0.        , 0.88137359])",
    "arccosh": "[1.0, 2.0] = array([0.       , 1.3169579])",
    "arctanh": "[0.0, 0.5] = array([0.        , 0.54930614])",
    "arctan2": "[3.0, 0.0]; [4.0, -1.0] = array([0.64350111, 3.14159265])",
    "hypot": "[3.0, 0.0]; [4.0, -1.0] = array([5., 1.])",
    "degrees": "[1.0, 2.0] = array([ 57.29577951, 114.59155903])",
    "radians": "[180.0, 90.0] = array([3.14159265, 1.57079633])",
    "rad2deg": "[1.0, 2.0] = array([ 57.29577951, 114.59155903])",
    "deg2rad": "[180.0, 90.0] = array([3.14159265, 1.57079633])",
    "logaddexp": "[-1000.0, 0.0]; [-1000.0, 1.0] = array([-999.30685282,    1.31326169])",
    "logaddexp2": "[-1000.0, 0.0]; [-1000.0, 1.0] = array([-999.       ,    1.5849625])",
    "floor": "[-1.5, 0.5, 2.7] = array([-2.,  0.,  2.])",
    "ceil": "[-1.5, 0.5, 2.7] = array([-1.,  1.,  3.])",
    "trunc": "[-1.5, 0.5, 2.7] = array([-1.,  0.,  2.])",
    "rint": "[-1.5, 0.5, 2.7] = array([-2.,  0.,  3.])",
    "spacing": "[1.0, 1e10] = array([2.22044605e-16, 1.90734863e-06])",
    "nextafter": "[1.0, 0.0]; [2.0, 1.0] = array([1.e+000, 5.e-324])",
    "copysign": "[1.0, 2.0]; [-0.0, 3.0] = array([-1.,  2.])",
    "signbit": "[-0.0, 1.0] = array([ True, False])",
    "isnan": "[0.0, np.nan, np.inf] = array([False,  True, False])",
    "isinf": "[0.0, np.nan, np.inf] = array([False, False,  True])",
    "isfinite": "[0.0, np.nan, np.inf] = array([ True, False, False])",
    "ldexp": "[0.5, 3.0]; [4, 1] = array([8., 6.])",
    "frexp": "[8.5, -0.75] = [array([ 0.53125, -0.75   ]), array([4, 0], dtype=int32)]",
    "modf": "[8.5, -0.75] = [array([ 0.5 , -0.75]), array([ 8., -0.])]",
    "bitwise_and": "[12, 10]; [10, 3] = array([8, 2])",
    "bitwise_or": "[12, 10]; [10, 3] = array([14, 11])",
    "bitwise_xor": "[12, 10]; [10, 3] = array([6, 9])",
    "invert": "[0, 6, 255] = array([  -1,   -7, -256])",
    "left_shift": "[1, 12]; [3, 2] = array([ 8, 48])",
    "right_shift": "[1, 12]; [3, 2] = array([0, 3])",
    "bitwise_count": "[0, 6, 255] = array([0, 2, 8], dtype=uint8)",
    "gcd": "[12, 7]; [18, 3] = array([6, 1])",
    "lcm": "[12, 7]; [18, 3] = array([36, 21])",
    "less": "[1, 2, 3]; [3, 2, 1] = array([ True, False, False])",
    "less_equal": "[1, 2, 3]; [3, 2, 1] = array([ True,  True, False])",
    "greater": "[1, 2, 3]; [3, 2, 1] = array([False, False,  True])",
    "greater_equal": "[1, 2, 3]; [3, 2, 1] = array([False,  True,  True])",
    "equal": "[1, 2, 3]; [3, 2, 1] = array([False,  True, False])",
    "not_equal": "[1, 2, 3]; [3, 2, 1] = array([ True, False,  True])",
    "logical_and": "[0, 0, 2]; [0, 1, 1] = array([False, False,  True])",
    "logical_or": "[0, 0, 2]; [0, 1, 1] = array([False,  True,  True])",
    "logical_xor": "[0, 0, 2]; [0, 1, 1] = array([False,  True, False])",
    "logical_not": "[0, 1, 2] = array([ True, False, False])",
    "maximum": "[1.0, np.nan]; [2.0, 0.0] = array([ 2., nan])",
    "minimum": "[1.0, np.nan]; [2.0, 0.0] = array([ 1., nan])",
    "fmax": "[1.0, np.nan]; [2.0, 0.0] = array([2., 0.])",
    "fmin": "[1.0, np.nan]; [2.0, 0.0] = array([1., 0.])",
}
_ALSO = {
    "sub": "subtract",
    "mul": "multiply",
    "true_divide": "divide",
    "true_div": "divide",
    "floor_div": "floor_divide",
    "int_div": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "neg": "negative",
    "abs": "absolute",
    "sgn": "sign",
    "conj": "conjugate",
    "sqr": "square",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "atan2": "arctan2",
    "and_": "bitwise_and",
    "or_": "bitwise_or",
    "xor": "bitwise_xor",
    "bitwise_not": "invert",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "neq": "not_equal",
}


def __getattr__(name: str) -> Any:
    """Make a function when it is first asked for: a process needs few of them."""
    known = _ALSO.get(name, name)
    if known not in _SAYS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    if known != name:
        made = globals().get(known) or __getattr__(known)
    else:
        made = documented(rule(name), _SAYS[name], _SHOWS[name])
    return globals().setdefault(name, made)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if TYPE_CHECKING:
    add: Elemwise
    subtract: Elemwise
    sub: Elemwise
    multiply: Elemwise
    mul: Elemwise
    divide: Elemwise
    true_divide: Elemwise
    true_div: Elemwise
    floor_divide: Elemwise
    floor_div: Elemwise
    int_div: Elemwise
    remainder: Elemwise
    mod: Elemwise
    divmod: Any
    fmod: Elemwise
    power: Elemwise
    pow: Elemwise
    float_power: Elemwise
    negative: Elemwise
    neg: Elemwise
    positive: Elemwise
    absolute: Elemwise
    abs: Elemwise
    fabs: Elemwise
    sign: Elemwise
    sgn: Elemwise
    heaviside: Elemwise
    conjugate: Elemwise
    conj: Elemwise
    square: Elemwise
    sqr: Elemwise
    reciprocal: Elemwise
    exp: Elemwise
    log: Elemwise
    sqrt: Elemwise
    sin: Elemwise
    cos: Elemwise
    tan: Elemwise
    sinh: Elemwise
    cosh: Elemwise
    tanh: Elemwise
    exp2: Elemwise
    log2: Elemwise
    log10: Elemwise
    expm1: Elemwise
    log1p: Elemwise
    cbrt: Elemwise
    arcsin: Elemwise
    asin: Elemwise
    arccos: Elemwise
    acos: Elemwise
    arctan: Elemwise
    atan: Elemwise
    arcsinh: Elemwise
    asinh: Elemwise
    arccosh: Elemwise
    acosh: Elemwise
    arctanh: Elemwise
    atanh: Elemwise
    arctan2: Elemwise
    atan2: Elemwise
    hypot: Elemwise
    degrees: Elemwise
    radians: Elemwise
    rad2deg: Elemwise
    deg2rad: Elemwise
    logaddexp: Elemwise
    logaddexp2: Elemwise
    floor: Elemwise
    ceil: Elemwise
    trunc: Elemwise
    rint: Elemwise
    spacing: Elemwise
    nextafter: Elemwise
    copysign: Elemwise
    signbit: Elemwise
    isnan: Elemwise
    isinf: Elemwise
    isfinite: Elemwise
    ldexp: Elemwise
    frexp: Any
    modf: Any
    bitwise_and: Elemwise
    and_: Elemwise
    bitwise_or: Elemwise
    or_: Elemwise
    bitwise_xor: Elemwise
    xor: Elemwise
    invert: Elemwise
    bitwise_not: Elemwise
    bitwise_invert: Elemwise
    left_shift: Elemwise
    bitwise_left_shift: Elemwise
    right_shift: Elemwise
    bitwise_right_shift: Elemwise
    bitwise_count: Elemwise
    gcd: Elemwise
    lcm: Elemwise
    less: Elemwise
    lt: Elemwise
    less_equal: Elemwise
    le: Elemwise
    greater: Elemwise
    gt: Elemwise
    greater_equal: Elemwise
    ge: Elemwise
    equal: Elemwise
    eq: Elemwise
    not_equal: Elemwise
    neq: Elemwise
    logical_and: Elemwise
    logical_or: Elemwise
    logical_xor: Elemwise
    logical_not: Elemwise
    maximum: Elemwise
    minimum: Elemwise
    fmax: Elemwise
    fmin: Elemwise
