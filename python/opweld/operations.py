"""The names of the engine's scalar operations: `make golden` writes this file from gen/scalar/table.go."""

from __future__ import annotations

__all__ = ["FUNCTIONS", "NAMES", "PARTS", "ROUNDED", "ROUNDED_COMPLEX"]

# NumPy's ufuncs, by the names that they call themselves.
NAMES = frozenset(
    """absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_count bitwise_or
    bitwise_xor cbrt ceil conjugate copysign cos cosh deg2rad degrees divide divmod equal exp exp2 expm1 fabs
    float_power floor floor_divide fmax fmin fmod frexp gcd greater greater_equal heaviside hypot invert isfinite
    isinf isnan lcm ldexp left_shift less less_equal log log10 log1p log2 logaddexp logaddexp2 logical_and
    logical_not logical_or logical_xor maximum minimum modf multiply negative nextafter not_equal positive power
    rad2deg radians reciprocal remainder right_shift rint sign signbit sin sinh spacing sqrt square subtract tan
    tanh trunc""".split()
)
# Of those that have several results, what gives each of them.
PARTS = {
    "divmod": ("floor_divide", "remainder"),
    "frexp": ("frexp_mantissa", "frexp_exponent"),
    "modf": ("modf_fraction", "modf_integer"),
}
# What no rounding rule of IEEE 754 fixes; everything else that NumPy computes element by element is exact.
ROUNDED = frozenset(
    """arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt cos cosh deg2rad degrees exp exp2 expm1 float_power
    hypot log log10 log1p log2 logaddexp logaddexp2 power rad2deg radians sin sinh tan tanh""".split()
)
ROUNDED_COMPLEX = ROUNDED | frozenset("""absolute divide multiply reciprocal sign sqrt square""".split())
# Every name that opweld.tensor.ufuncs has for them.
FUNCTIONS = tuple(
    """abs absolute acos acosh add and_ arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2
    atanh bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
    bitwise_xor cbrt ceil conj conjugate copysign cos cosh deg2rad degrees divide divmod eq equal exp exp2 expm1
    fabs float_power floor floor_div floor_divide fmax fmin fmod frexp gcd ge greater greater_equal gt heaviside
    hypot int_div invert isfinite isinf isnan lcm ldexp le left_shift less less_equal log log10 log1p log2 logaddexp
    logaddexp2 logical_and logical_not logical_or logical_xor lt maximum minimum mod modf mul multiply neg negative
    neq nextafter not_equal or_ positive pow power rad2deg radians reciprocal remainder right_shift rint sgn sign
    signbit sin sinh spacing sqr sqrt square sub subtract tan tanh true_div true_divide trunc xor""".split()
)
