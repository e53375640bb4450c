# What the names of __init__.py are, which finds most of them on first use.

from collections.abc import Iterable
from typing import Any

import numpy as np
from typing_extensions import Self

from opweld.tensor.basic import NotScalarConstantError
from opweld.tensor.elemwise import Elemwise
from opweld.tensor.math import (
    allclose,
    angle,
    cast,
    clip,
    fill,
    imag,
    isclose,
    real,
    round,
    second,
    size,
    switch,
    tensor_copy,
    where,
)
from opweld.tensor.reduce import CAReduce
from opweld.tensor.specify import SpecifyShape, specify_shape
from opweld.tensor.type import TensorType as _TensorType
from opweld.tensor.ufuncs import (
    abs,
    absolute,
    acos,
    acosh,
    add,
    and_,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_count,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    cbrt,
    ceil,
    conj,
    conjugate,
    copysign,
    cos,
    cosh,
    deg2rad,
    degrees,
    divide,
    divmod,
    eq,
    equal,
    exp,
    exp2,
    expm1,
    fabs,
    float_power,
    floor,
    floor_div,
    floor_divide,
    fmax,
    fmin,
    fmod,
    frexp,
    gcd,
    ge,
    greater,
    greater_equal,
    gt,
    heaviside,
    hypot,
    int_div,
    invert,
    isfinite,
    isinf,
    isnan,
    lcm,
    ldexp,
    le,
    left_shift,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logaddexp2,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    lt,
    maximum,
    minimum,
    mod,
    modf,
    mul,
    multiply,
    neg,
    negative,
    neq,
    nextafter,
    not_equal,
    or_,
    positive,
    pow,
    power,
    rad2deg,
    radians,
    reciprocal,
    remainder,
    right_shift,
    rint,
    sgn,
    sign,
    signbit,
    sin,
    sinh,
    spacing,
    sqr,
    sqrt,
    square,
    sub,
    subtract,
    tan,
    tanh,
    true_div,
    true_divide,
    trunc,
    xor,
)
from opweld.tensor.variable import TensorConstant, TensorVariable, constant

__all__ = [
    "CAReduce", "Elemwise", "NotScalarConstantError", "SpecifyShape", "TensorConstant", "TensorType",
    "TensorVariable", "abs", "absolute", "acos", "acosh", "add", "all", "allclose", "alloc", "amax", "amin",
    "and_", "angle", "any",
    "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin",
    "argsort", "as_tensor_variable", "asin", "asinh", "atan", "atan2", "atanh", "atleast_1d", "atleast_2d",
    "atleast_3d", "bitwise_and", "bitwise_count", "bitwise_invert", "bitwise_left_shift", "bitwise_not",
    "bitwise_or", "bitwise_right_shift", "bitwise_xor", "broadcast_to", "cast", "cbrt", "ceil", "clip",
    "concatenate", "conj", "conjugate", "constant", "copysign", "cos", "cosh", "cumprod", "cumsum", "deg2rad",
    "degrees", "dimshuffle", "divide", "divmod", "dot", "empty", "empty_like", "eq", "equal", "exp", "exp2",
    "expand_dims", "expm1", "eye", "fabs", "fill", "flatnonzero", "flatten", "float_power", "floor",
    "floor_div", "floor_divide", "fmax", "fmin", "fmod", "frexp", "full", "full_like", "gcd", "ge",
    "get_scalar_constant_value", "greater", "greater_equal", "gt", "heaviside", "hstack", "hypot", "identity",
    "imag", "inc_subtensor", "inner", "int_div", "invert", "isclose", "isfinite", "isinf", "isnan", "join",
    "lcm", "ldexp", "le", "left_shift", "less", "less_equal", "linspace", "log", "log10", "log1p", "log2",
    "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "lt", "matmul", "max",
    "max_and_argmax", "maximum", "mean", "min", "minimum", "mod", "modf", "moveaxis", "mul", "multiply", "neg",
    "negative", "neq", "nextafter", "nonzero", "not_equal", "ones", "ones_like", "or_", "outer", "positive",
    "pow", "power", "prod", "ptp", "rad2deg", "radians", "ravel", "real", "reciprocal", "remainder", "repeat",
    "reshape", "right_shift", "rint", "round", "second", "set_subtensor", "sgn", "shape", "shape_i", "sign",
    "signbit", "sin", "sinh", "size", "sort", "spacing", "specify_shape", "split", "sqr", "sqrt", "square",
    "squeeze", "stack", "std", "sub", "subtract", "sum", "swapaxes", "switch", "take", "tan", "tanh", "tensor",
    "tensor_copy",
    "tensordot", "tile", "transpose", "true_div", "true_divide", "trunc", "var", "vdot", "vstack", "where",
    "xor", "zeros", "zeros_like",
]  # fmt: skip

class TensorType(_TensorType):
    # At run time the class of opweld.tensor.type itself; here with what its methods give.
    def __call__(self, name: str | None = None) -> TensorVariable: ...
    def make_variable(self, name: str | None = None) -> TensorVariable: ...
    def make_constant(self, value: Any, name: str | None = None) -> TensorConstant: ...
    def clone(self, dtype: Any = None, shape: Iterable[Any] | None = None) -> Self: ...

class _Constructor:
    def __init__(self, kind: str) -> None: ...
    def __call__(self, name: str | None = None, dtype: Any = None, shape: Any = None) -> TensorVariable: ...

def alloc(value: Any, *shape: Any) -> TensorVariable: ...

# An array, number or list becomes a TensorConstant, which differs from a TensorVariable by what it has besides.
def as_tensor_variable(x: Any, name: str | None = None, ndim: int | None = None) -> TensorVariable: ...
def get_scalar_constant_value(v: Any) -> np.ndarray[Any, Any]: ...
def ones(shape: Any, dtype: Any = None) -> TensorVariable: ...
def ones_like(x: Any, dtype: Any = None) -> TensorVariable: ...
def shape(x: Any) -> TensorVariable: ...
def shape_i(x: Any, i: int) -> TensorVariable: ...
def tensor(
    *args: Any, name: Any = None, dtype: Any = None, shape: Any = None, broadcastable: Any = None
) -> TensorVariable: ...
def zeros(shape: Any, dtype: Any = None) -> TensorVariable: ...
def zeros_like(x: Any, dtype: Any = None) -> TensorVariable: ...

# Reductions, products, sorting, creation
def inner(x: Any, y: Any) -> TensorVariable: ...
def outer(x: Any, y: Any) -> TensorVariable: ...
def tensordot(x: Any, y: Any, axes: Any = 2) -> TensorVariable: ...
def vdot(x: Any, y: Any) -> TensorVariable: ...
def arange(start: Any = None, stop: Any = None, step: Any = None, *, dtype: Any = None) -> TensorVariable: ...
def empty(shape: Any, dtype: Any = None) -> TensorVariable: ...
def empty_like(x: Any, dtype: Any = None) -> TensorVariable: ...
def eye(n: Any, m: Any = None, k: Any = 0, dtype: Any = None) -> TensorVariable: ...
def full(shape: Any, fill_value: Any, dtype: Any = None) -> TensorVariable: ...
def full_like(x: Any, fill_value: Any, dtype: Any = None) -> TensorVariable: ...
def identity(n: Any, dtype: Any = None) -> TensorVariable: ...
def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, *, dtype: Any = None) -> TensorVariable: ...
def amax(x: Any, axis: Any = None, keepdims: bool = False) -> TensorVariable: ...
def amin(x: Any, axis: Any = None, keepdims: bool = False) -> TensorVariable: ...
def all(x: Any, axis: Any = None, keepdims: bool = False) -> TensorVariable: ...
def any(x: Any, axis: Any = None, keepdims: bool = False) -> TensorVariable: ...
def argmax(x: Any, axis: Any = None, keepdims: bool = False) -> TensorVariable: ...
def argmin(x: Any, axis: Any = None, keepdims: bool = False) -> TensorVariable: ...
def argsort(x: Any, axis: Any = -1, kind: str | None = None, *, stable: bool | None = None) -> TensorVariable: ...
def cumprod(x: Any, axis: Any = None, dtype: Any = None) -> TensorVariable: ...
def cumsum(x: Any, axis: Any = None, dtype: Any = None) -> TensorVariable: ...
def dot(x: Any, y: Any) -> TensorVariable: ...
def matmul(x: Any, y: Any) -> TensorVariable: ...
def max(x: Any, axis: Any = None, keepdims: bool = False) -> TensorVariable: ...
def max_and_argmax(x: Any, axis: Any = None, keepdims: bool = False) -> tuple[TensorVariable, TensorVariable]: ...
def mean(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> TensorVariable: ...
def min(x: Any, axis: Any = None, keepdims: bool = False) -> TensorVariable: ...
def prod(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> TensorVariable: ...
def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> TensorVariable: ...
def sort(x: Any, axis: Any = -1, kind: str | None = None, *, stable: bool | None = None) -> TensorVariable: ...
def std(x: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: bool = False) -> TensorVariable: ...
def sum(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> TensorVariable: ...
def var(x: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: bool = False) -> TensorVariable: ...

# Shapes, joining, indexing
def atleast_1d(x: Any) -> TensorVariable: ...
def atleast_2d(x: Any) -> TensorVariable: ...
def atleast_3d(x: Any) -> TensorVariable: ...
def broadcast_to(x: Any, shape: Any) -> TensorVariable: ...
def concatenate(arrays: Any, axis: int | None = 0) -> TensorVariable: ...
def dimshuffle(x: Any, *pattern: Any) -> TensorVariable: ...
def expand_dims(x: Any, axis: Any) -> TensorVariable: ...
def flatnonzero(x: Any) -> TensorVariable: ...
def flatten(x: Any, ndim: int = 1) -> TensorVariable: ...
def hstack(arrays: Any) -> TensorVariable: ...
def inc_subtensor(x: Any, y: Any, inplace: bool = False) -> TensorVariable: ...
def join(axis: int, *arrays: Any) -> TensorVariable: ...
def moveaxis(x: Any, source: Any, destination: Any) -> TensorVariable: ...
def nonzero(x: Any, return_matrix: bool = False) -> Any: ...
def ravel(x: Any) -> TensorVariable: ...
def repeat(x: Any, repeats: Any, axis: int | None = None) -> TensorVariable: ...
def reshape(x: Any, shape: Any, ndim: int | None = None) -> TensorVariable: ...
def set_subtensor(x: Any, y: Any, inplace: bool = False) -> TensorVariable: ...
def split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[TensorVariable]: ...
def squeeze(x: Any, axis: Any = None) -> TensorVariable: ...
def stack(arrays: Any, axis: int = 0) -> TensorVariable: ...
def swapaxes(x: Any, axis1: int, axis2: int) -> TensorVariable: ...
def take(x: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> TensorVariable: ...
def tile(x: Any, reps: Any) -> TensorVariable: ...
def transpose(x: Any, axes: Any = None) -> TensorVariable: ...
def vstack(arrays: Any) -> TensorVariable: ...

# Of config.floatX, or of the dtype given
scalar: _Constructor
vector: _Constructor
matrix: _Constructor
row: _Constructor
col: _Constructor
tensor3: _Constructor
tensor4: _Constructor
tensor5: _Constructor
tensor6: _Constructor
tensor7: _Constructor

# int8
bscalar: TensorType
bvector: TensorType
bmatrix: TensorType
brow: TensorType
bcol: TensorType
btensor3: TensorType
btensor4: TensorType
btensor5: TensorType
btensor6: TensorType
btensor7: TensorType

# int16
wscalar: TensorType
wvector: TensorType
wmatrix: TensorType
wrow: TensorType
wcol: TensorType
wtensor3: TensorType
wtensor4: TensorType
wtensor5: TensorType
wtensor6: TensorType
wtensor7: TensorType

# int32
iscalar: TensorType
ivector: TensorType
imatrix: TensorType
irow: TensorType
icol: TensorType
itensor3: TensorType
itensor4: TensorType
itensor5: TensorType
itensor6: TensorType
itensor7: TensorType

# int64
lscalar: TensorType
lvector: TensorType
lmatrix: TensorType
lrow: TensorType
lcol: TensorType
ltensor3: TensorType
ltensor4: TensorType
ltensor5: TensorType
ltensor6: TensorType
ltensor7: TensorType

# float32
fscalar: TensorType
fvector: TensorType
fmatrix: TensorType
frow: TensorType
fcol: TensorType
ftensor3: TensorType
ftensor4: TensorType
ftensor5: TensorType
ftensor6: TensorType
ftensor7: TensorType

# float64
dscalar: TensorType
dvector: TensorType
dmatrix: TensorType
drow: TensorType
dcol: TensorType
dtensor3: TensorType
dtensor4: TensorType
dtensor5: TensorType
dtensor6: TensorType
dtensor7: TensorType

# complex64
cscalar: TensorType
cvector: TensorType
cmatrix: TensorType
crow: TensorType
ccol: TensorType
ctensor3: TensorType
ctensor4: TensorType
ctensor5: TensorType
ctensor6: TensorType
ctensor7: TensorType

# complex128
zscalar: TensorType
zvector: TensorType
zmatrix: TensorType
zrow: TensorType
zcol: TensorType
ztensor3: TensorType
ztensor4: TensorType
ztensor5: TensorType
ztensor6: TensorType
ztensor7: TensorType

# uint8
ubscalar: TensorType
ubvector: TensorType
ubmatrix: TensorType
ubrow: TensorType
ubcol: TensorType
ubtensor3: TensorType
ubtensor4: TensorType
ubtensor5: TensorType
ubtensor6: TensorType
ubtensor7: TensorType

# uint16
uwscalar: TensorType
uwvector: TensorType
uwmatrix: TensorType
uwrow: TensorType
uwcol: TensorType
uwtensor3: TensorType
uwtensor4: TensorType
uwtensor5: TensorType
uwtensor6: TensorType
uwtensor7: TensorType

# uint32
uiscalar: TensorType
uivector: TensorType
uimatrix: TensorType
uirow: TensorType
uicol: TensorType
uitensor3: TensorType
uitensor4: TensorType
uitensor5: TensorType
uitensor6: TensorType
uitensor7: TensorType

# uint64
ulscalar: TensorType
ulvector: TensorType
ulmatrix: TensorType
ulrow: TensorType
ulcol: TensorType
ultensor3: TensorType
ultensor4: TensorType
ultensor5: TensorType
ultensor6: TensorType
ultensor7: TensorType
