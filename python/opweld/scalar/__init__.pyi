# Names of __init__.py, which finds them on first use; written by `make stubs`.
from opweld.dtypes import upcast as upcast
from opweld.scalar.arity import BinaryScalarOp as BinaryScalarOp, UnaryScalarOp as UnaryScalarOp
from opweld.scalar.basic import (
    Cast as Cast,
    Clip as Clip,
    Erf as Erf,
    Erfc as Erfc,
    Identity as Identity,
    Imag as Imag,
    Real as Real,
    Second as Second,
    Where as Where,
)
from opweld.scalar.expression import expr as expr
from opweld.scalar.op import ScalarOp as ScalarOp
from opweld.scalar.preferences import (
    float_out as float_out,
    int_out as int_out,
    same_out as same_out,
    same_out_float_only as same_out_float_only,
    same_out_nobool as same_out_nobool,
    specific_out as specific_out,
    transfer_type as transfer_type,
    upcast_out as upcast_out,
    upcast_out_nobool as upcast_out_nobool,
    upgrade_to_float as upgrade_to_float,
    upgrade_to_float64 as upgrade_to_float64,
    upgrade_to_float_no_complex as upgrade_to_float_no_complex,
)
from opweld.scalar.type import (
    ScalarConstant as ScalarConstant,
    ScalarType as ScalarType,
    ScalarType as _ScalarType,
    ScalarVariable as ScalarVariable,
    as_scalar as as_scalar,
    get_scalar_type as get_scalar_type,
)
from opweld.scalar.ufuncs import Ufunc as Ufunc, Ufunc as _Ufunc, ufunc as ufunc

__all__ = [
    "BinaryScalarOp", "Cast", "Clip", "Erf", "Erfc", "Identity", "Imag", "Real", "ScalarConstant", "ScalarOp",
    "ScalarType", "ScalarVariable", "Second", "Ufunc", "UnaryScalarOp", "Where", "absolute", "add", "all_types",
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "as_scalar", "bitwise_and",
    "bitwise_count", "bitwise_or", "bitwise_xor", "bool", "bool_types", "cbrt", "ceil", "clongdouble", "complex128",
    "complex64", "complex_types", "conjugate", "continuous_types", "copysign", "cos", "cosh", "deg2rad", "degrees",
    "discrete_types", "divide", "divmod", "equal", "exp", "exp2", "expm1", "expr", "fabs", "float16", "float32",
    "float64", "float_out", "float_power", "float_types", "floor", "floor_divide", "fmax", "fmin", "fmod", "frexp",
    "gcd", "get_scalar_type", "greater", "greater_equal", "heaviside", "hypot", "int16", "int32", "int64", "int8",
    "int_out", "int_types", "integer_types", "invert", "isfinite", "isinf", "isnan", "lcm", "ldexp", "left_shift",
    "less", "less_equal", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not",
    "logical_or", "logical_xor", "longdouble", "maximum", "minimum", "modf", "multiply", "negative", "nextafter",
    "not_equal", "positive", "power", "rad2deg", "radians", "reciprocal", "remainder", "right_shift", "rint",
    "same_out", "same_out_float_only", "same_out_nobool", "sign", "signbit", "sin", "sinh", "spacing", "specific_out",
    "sqrt", "square", "subtract", "tan", "tanh", "transfer_type", "trunc", "ufunc", "uint16", "uint32", "uint64",
    "uint8", "uint_types", "upcast", "upcast_out", "upcast_out_nobool", "upgrade_to_float", "upgrade_to_float64",
    "upgrade_to_float_no_complex",
]  # fmt: skip

bool: _ScalarType
clongdouble: _ScalarType
complex128: _ScalarType
complex64: _ScalarType
float16: _ScalarType
float32: _ScalarType
float64: _ScalarType
int16: _ScalarType
int32: _ScalarType
int64: _ScalarType
int8: _ScalarType
longdouble: _ScalarType
uint16: _ScalarType
uint32: _ScalarType
uint64: _ScalarType
uint8: _ScalarType
all_types: tuple[_ScalarType, ...]
bool_types: tuple[_ScalarType, ...]
complex_types: tuple[_ScalarType, ...]
continuous_types: tuple[_ScalarType, ...]
discrete_types: tuple[_ScalarType, ...]
float_types: tuple[_ScalarType, ...]
int_types: tuple[_ScalarType, ...]
integer_types: tuple[_ScalarType, ...]
uint_types: tuple[_ScalarType, ...]
absolute: _Ufunc
add: _Ufunc
arccos: _Ufunc
arccosh: _Ufunc
arcsin: _Ufunc
arcsinh: _Ufunc
arctan: _Ufunc
arctan2: _Ufunc
arctanh: _Ufunc
bitwise_and: _Ufunc
bitwise_count: _Ufunc
bitwise_or: _Ufunc
bitwise_xor: _Ufunc
cbrt: _Ufunc
ceil: _Ufunc
conjugate: _Ufunc
copysign: _Ufunc
cos: _Ufunc
cosh: _Ufunc
deg2rad: _Ufunc
degrees: _Ufunc
divide: _Ufunc
divmod: _Ufunc
equal: _Ufunc
exp: _Ufunc
exp2: _Ufunc
expm1: _Ufunc
fabs: _Ufunc
float_power: _Ufunc
floor: _Ufunc
floor_divide: _Ufunc
fmax: _Ufunc
fmin: _Ufunc
fmod: _Ufunc
frexp: _Ufunc
gcd: _Ufunc
greater: _Ufunc
greater_equal: _Ufunc
heaviside: _Ufunc
hypot: _Ufunc
invert: _Ufunc
isfinite: _Ufunc
isinf: _Ufunc
isnan: _Ufunc
lcm: _Ufunc
ldexp: _Ufunc
left_shift: _Ufunc
less: _Ufunc
less_equal: _Ufunc
log: _Ufunc
log10: _Ufunc
log1p: _Ufunc
log2: _Ufunc
logaddexp: _Ufunc
logaddexp2: _Ufunc
logical_and: _Ufunc
logical_not: _Ufunc
logical_or: _Ufunc
logical_xor: _Ufunc
maximum: _Ufunc
minimum: _Ufunc
modf: _Ufunc
multiply: _Ufunc
negative: _Ufunc
nextafter: _Ufunc
not_equal: _Ufunc
positive: _Ufunc
power: _Ufunc
rad2deg: _Ufunc
radians: _Ufunc
reciprocal: _Ufunc
remainder: _Ufunc
right_shift: _Ufunc
rint: _Ufunc
sign: _Ufunc
signbit: _Ufunc
sin: _Ufunc
sinh: _Ufunc
spacing: _Ufunc
sqrt: _Ufunc
square: _Ufunc
subtract: _Ufunc
tan: _Ufunc
tanh: _Ufunc
trunc: _Ufunc
