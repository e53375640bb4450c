# Names of __init__.py, which finds them on first use; written by `make stubs`.
from opweld.tensor.basic import NotScalarConstantError as NotScalarConstantError
from opweld.tensor.careduce import CAReduce as CAReduce
from opweld.tensor.convert import Constructor as _Constructor, constant as constant
from opweld.tensor.diagonals import diag as diag, diagonal as diagonal, trace as trace, tril as tril, triu as triu
from opweld.tensor.elemwise import Elemwise as Elemwise
from opweld.tensor.math import (
    allclose as allclose,
    angle as angle,
    cast as cast,
    clip as clip,
    fill as fill,
    imag as imag,
    isclose as isclose,
    real as real,
    round as round,
    second as second,
    size as size,
    switch as switch,
    tensor_copy as tensor_copy,
    where as where,
)
from opweld.tensor.ofnumpy import (
    bincount as bincount,
    cholesky as cholesky,
    det as det,
    einsum as einsum,
    histogram as histogram,
    inv as inv,
    norm as norm,
    searchsorted as searchsorted,
    solve as solve,
    unique as unique,
)
from opweld.tensor.rearranging import (
    flip as flip,
    kron as kron,
    meshgrid as meshgrid,
    pad as pad,
    roll as roll,
    rot90 as rot90,
)
from opweld.tensor.special import (
    erf as erf,
    erfc as erfc,
    logsumexp as logsumexp,
    relu as relu,
    sigmoid as sigmoid,
    softmax as softmax,
    softplus as softplus,
)
from opweld.tensor.specify import SpecifyShape as SpecifyShape, specify_shape as specify_shape
from opweld.tensor.ufuncs import (
    abs as abs,
    absolute as absolute,
    acos as acos,
    acosh as acosh,
    add as add,
    and_ as and_,
    arccos as arccos,
    arccosh as arccosh,
    arcsin as arcsin,
    arcsinh as arcsinh,
    arctan as arctan,
    arctan2 as arctan2,
    arctanh as arctanh,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    bitwise_and as bitwise_and,
    bitwise_count as bitwise_count,
    bitwise_invert as bitwise_invert,
    bitwise_left_shift as bitwise_left_shift,
    bitwise_not as bitwise_not,
    bitwise_or as bitwise_or,
    bitwise_right_shift as bitwise_right_shift,
    bitwise_xor as bitwise_xor,
    cbrt as cbrt,
    ceil as ceil,
    conj as conj,
    conjugate as conjugate,
    copysign as copysign,
    cos as cos,
    cosh as cosh,
    deg2rad as deg2rad,
    degrees as degrees,
    divide as divide,
    divmod as divmod,
    eq as eq,
    equal as equal,
    exp as exp,
    exp2 as exp2,
    expm1 as expm1,
    fabs as fabs,
    float_power as float_power,
    floor as floor,
    floor_div as floor_div,
    floor_divide as floor_divide,
    fmax as fmax,
    fmin as fmin,
    fmod as fmod,
    frexp as frexp,
    gcd as gcd,
    ge as ge,
    greater as greater,
    greater_equal as greater_equal,
    gt as gt,
    heaviside as heaviside,
    hypot as hypot,
    int_div as int_div,
    invert as invert,
    isfinite as isfinite,
    isinf as isinf,
    isnan as isnan,
    lcm as lcm,
    ldexp as ldexp,
    le as le,
    left_shift as left_shift,
    less as less,
    less_equal as less_equal,
    log as log,
    log10 as log10,
    log1p as log1p,
    log2 as log2,
    logaddexp as logaddexp,
    logaddexp2 as logaddexp2,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    lt as lt,
    maximum as maximum,
    minimum as minimum,
    mod as mod,
    modf as modf,
    mul as mul,
    multiply as multiply,
    neg as neg,
    negative as negative,
    neq as neq,
    nextafter as nextafter,
    not_equal as not_equal,
    or_ as or_,
    positive as positive,
    pow as pow,
    power as power,
    rad2deg as rad2deg,
    radians as radians,
    reciprocal as reciprocal,
    remainder as remainder,
    right_shift as right_shift,
    rint as rint,
    sgn as sgn,
    sign as sign,
    signbit as signbit,
    sin as sin,
    sinh as sinh,
    spacing as spacing,
    sqr as sqr,
    sqrt as sqrt,
    square as square,
    sub as sub,
    subtract as subtract,
    tan as tan,
    tanh as tanh,
    true_div as true_div,
    true_divide as true_divide,
    trunc as trunc,
    xor as xor,
)

__all__ = [
    "CAReduce", "Elemwise", "NotScalarConstantError", "SpecifyShape", "TensorConstant", "TensorType", "TensorVariable",
    "abs", "absolute", "acos", "acosh", "add", "all", "allclose", "alloc", "amax", "amin", "and_", "angle", "any",
    "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argsort",
    "as_tensor_variable", "asin", "asinh", "atan", "atan2", "atanh", "atleast_1d", "atleast_2d", "atleast_3d", "bcol",
    "bincount", "bitwise_and", "bitwise_count", "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "bmatrix", "broadcast_to", "brow", "bscalar", "btensor3", "btensor4",
    "btensor5", "btensor6", "btensor7", "bvector", "cast", "cbrt", "ccol", "ceil", "cholesky", "clip", "cmatrix", "col",
    "concatenate", "conj", "conjugate", "constant", "copysign", "cos", "cosh", "crow", "cscalar", "ctensor3",
    "ctensor4", "ctensor5", "ctensor6", "ctensor7", "cumprod", "cumsum", "cvector", "dcol", "deg2rad", "degrees", "det",
    "diag", "diagonal", "dimshuffle", "divide", "divmod", "dmatrix", "dot", "drow", "dscalar", "dtensor3", "dtensor4",
    "dtensor5", "dtensor6", "dtensor7", "dvector", "einsum", "empty", "empty_like", "eq", "equal", "erf", "erfc", "exp",
    "exp2", "expand_dims", "expm1", "eye", "fabs", "fcol", "fill", "flatnonzero", "flatten", "flip", "float_power",
    "floor", "floor_div", "floor_divide", "fmatrix", "fmax", "fmin", "fmod", "frexp", "frow", "fscalar", "ftensor3",
    "ftensor4", "ftensor5", "ftensor6", "ftensor7", "full", "full_like", "fvector", "gcd", "ge",
    "get_scalar_constant_value", "greater", "greater_equal", "gt", "heaviside", "histogram", "hstack", "hypot", "icol",
    "identity", "imag", "imatrix", "inc_subtensor", "inner", "int_div", "inv", "invert", "irow", "iscalar", "isclose",
    "isfinite", "isinf", "isnan", "itensor3", "itensor4", "itensor5", "itensor6", "itensor7", "ivector", "join", "kron",
    "lcm", "lcol", "ldexp", "le", "left_shift", "less", "less_equal", "linspace", "lmatrix", "log", "log10", "log1p",
    "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "logsumexp", "lrow",
    "lscalar", "lt", "ltensor3", "ltensor4", "ltensor5", "ltensor6", "ltensor7", "lvector", "matmul", "matrix", "max",
    "max_and_argmax", "maximum", "mean", "meshgrid", "min", "minimum", "mod", "modf", "moveaxis", "mul", "multiply",
    "neg", "negative", "neq", "nextafter", "nonzero", "norm", "not_equal", "ones", "ones_like", "or_", "outer", "pad",
    "positive", "pow", "power", "prod", "ptp", "rad2deg", "radians", "ravel", "real", "reciprocal", "relu", "remainder",
    "repeat", "reshape", "right_shift", "rint", "roll", "rot90", "round", "row", "scalar", "searchsorted", "second",
    "set_subtensor", "sgn", "shape", "shape_i", "sigmoid", "sign", "signbit", "sin", "sinh", "size", "softmax",
    "softplus", "solve", "sort", "spacing", "specify_shape", "split", "sqr", "sqrt", "square", "squeeze", "stack",
    "std", "sub", "subtract", "sum", "swapaxes", "switch", "take", "tan", "tanh", "tensor", "tensor3", "tensor4",
    "tensor5", "tensor6", "tensor7", "tensor_copy", "tensordot", "tile", "trace", "transpose", "tril", "triu",
    "true_div", "true_divide", "trunc", "ubcol", "ubmatrix", "ubrow", "ubscalar", "ubtensor3", "ubtensor4", "ubtensor5",
    "ubtensor6", "ubtensor7", "ubvector", "uicol", "uimatrix", "uirow", "uiscalar", "uitensor3", "uitensor4",
    "uitensor5", "uitensor6", "uitensor7", "uivector", "ulcol", "ulmatrix", "ulrow", "ulscalar", "ultensor3",
    "ultensor4", "ultensor5", "ultensor6", "ultensor7", "ulvector", "unique", "uwcol", "uwmatrix", "uwrow", "uwscalar",
    "uwtensor3", "uwtensor4", "uwtensor5", "uwtensor6", "uwtensor7", "uwvector", "var", "vdot", "vector", "vstack",
    "wcol", "where", "wmatrix", "wrow", "wscalar", "wtensor3", "wtensor4", "wtensor5", "wtensor6", "wtensor7",
    "wvector", "xor", "zcol", "zeros", "zeros_like", "zmatrix", "zrow", "zscalar", "ztensor3", "ztensor4", "ztensor5",
    "ztensor6", "ztensor7", "zvector",
]  # fmt: skip

bcol: TensorType
bmatrix: TensorType
brow: TensorType
bscalar: TensorType
btensor3: TensorType
btensor4: TensorType
btensor5: TensorType
btensor6: TensorType
btensor7: TensorType
bvector: TensorType
ccol: TensorType
cmatrix: TensorType
col: _Constructor
crow: TensorType
cscalar: TensorType
ctensor3: TensorType
ctensor4: TensorType
ctensor5: TensorType
ctensor6: TensorType
ctensor7: TensorType
cvector: TensorType
dcol: TensorType
dmatrix: TensorType
drow: TensorType
dscalar: TensorType
dtensor3: TensorType
dtensor4: TensorType
dtensor5: TensorType
dtensor6: TensorType
dtensor7: TensorType
dvector: TensorType
fcol: TensorType
fmatrix: TensorType
frow: TensorType
fscalar: TensorType
ftensor3: TensorType
ftensor4: TensorType
ftensor5: TensorType
ftensor6: TensorType
ftensor7: TensorType
fvector: TensorType
icol: TensorType
imatrix: TensorType
irow: TensorType
iscalar: TensorType
itensor3: TensorType
itensor4: TensorType
itensor5: TensorType
itensor6: TensorType
itensor7: TensorType
ivector: TensorType
lcol: TensorType
lmatrix: TensorType
lrow: TensorType
lscalar: TensorType
ltensor3: TensorType
ltensor4: TensorType
ltensor5: TensorType
ltensor6: TensorType
ltensor7: TensorType
lvector: TensorType
matrix: _Constructor
row: _Constructor
scalar: _Constructor
tensor3: _Constructor
tensor4: _Constructor
tensor5: _Constructor
tensor6: _Constructor
tensor7: _Constructor
ubcol: TensorType
ubmatrix: TensorType
ubrow: TensorType
ubscalar: TensorType
ubtensor3: TensorType
ubtensor4: TensorType
ubtensor5: TensorType
ubtensor6: TensorType
ubtensor7: TensorType
ubvector: TensorType
uicol: TensorType
uimatrix: TensorType
uirow: TensorType
uiscalar: TensorType
uitensor3: TensorType
uitensor4: TensorType
uitensor5: TensorType
uitensor6: TensorType
uitensor7: TensorType
uivector: TensorType
ulcol: TensorType
ulmatrix: TensorType
ulrow: TensorType
ulscalar: TensorType
ultensor3: TensorType
ultensor4: TensorType
ultensor5: TensorType
ultensor6: TensorType
ultensor7: TensorType
ulvector: TensorType
uwcol: TensorType
uwmatrix: TensorType
uwrow: TensorType
uwscalar: TensorType
uwtensor3: TensorType
uwtensor4: TensorType
uwtensor5: TensorType
uwtensor6: TensorType
uwtensor7: TensorType
uwvector: TensorType
vector: _Constructor
wcol: TensorType
wmatrix: TensorType
wrow: TensorType
wscalar: TensorType
wtensor3: TensorType
wtensor4: TensorType
wtensor5: TensorType
wtensor6: TensorType
wtensor7: TensorType
wvector: TensorType
zcol: TensorType
zmatrix: TensorType
zrow: TensorType
zscalar: TensorType
ztensor3: TensorType
ztensor4: TensorType
ztensor5: TensorType
ztensor6: TensorType
ztensor7: TensorType
zvector: TensorType

# -- by hand --
from collections.abc import Iterable
from typing import Any

import numpy as np
from typing_extensions import Self

from opweld.tensor.likes import Axes as _Axes
from opweld.tensor.likes import DType as _DType
from opweld.tensor.likes import Places as _Places
from opweld.tensor.likes import Size as _Size
from opweld.tensor.likes import Sizes as _Sizes
from opweld.tensor.likes import TensorLike as _TensorLike
from opweld.tensor.likes import TensorList as _TensorList
from opweld.tensor.type import TensorType as _Arrays
from opweld.tensor.variable import TensorConstant, TensorVariable

class TensorType(_Arrays):
    # At run time the class of opweld.tensor.type itself; here with what its methods give.
    def __call__(self, name: str | None = None) -> TensorVariable: ...
    def make_variable(self, name: str | None = None) -> TensorVariable: ...
    def make_constant(self, value: object, name: str | None = None) -> TensorConstant: ...
    def clone(
        self, dtype: _DType = None, shape: Iterable[Any] | None = None, broadcastable: Iterable[bool] | None = None
    ) -> Self: ...

def alloc(value: _TensorLike, *shape: _Size) -> TensorVariable: ...

# An array, number or list becomes a TensorConstant, which differs from a TensorVariable by what it has besides.
def as_tensor_variable(x: _TensorLike, name: str | None = None, ndim: int | None = None) -> TensorVariable: ...
def get_scalar_constant_value(v: _TensorLike) -> np.ndarray[Any, Any]: ...
def ones(shape: _Sizes, dtype: _DType = None) -> TensorVariable: ...
def ones_like(x: _TensorLike, dtype: _DType = None) -> TensorVariable: ...
def shape(x: _TensorLike) -> TensorVariable: ...
def shape_i(x: _TensorLike, i: int) -> TensorVariable: ...
def tensor(
    *args: Any, name: Any = None, dtype: _DType = None, shape: Any = None, broadcastable: Any = None
) -> TensorVariable: ...
def zeros(shape: _Sizes, dtype: _DType = None) -> TensorVariable: ...
def zeros_like(x: _TensorLike, dtype: _DType = None) -> TensorVariable: ...

# Reductions, products, sorting, creation
def inner(x: _TensorLike, y: _TensorLike) -> TensorVariable: ...
def outer(x: _TensorLike, y: _TensorLike) -> TensorVariable: ...
def tensordot(x: _TensorLike, y: _TensorLike, axes: Any = 2) -> TensorVariable: ...
def vdot(x: _TensorLike, y: _TensorLike) -> TensorVariable: ...
def arange(
    start: _TensorLike | None = None,
    stop: _TensorLike | None = None,
    step: _TensorLike | None = None,
    *,
    dtype: _DType = None,
) -> TensorVariable: ...
def empty(shape: _Sizes, dtype: _DType = None) -> TensorVariable: ...
def empty_like(x: _TensorLike, dtype: _DType = None) -> TensorVariable: ...
def eye(n: _Size, m: _Size | None = None, k: _Size = 0, dtype: _DType = None) -> TensorVariable: ...
def full(shape: _Sizes, fill_value: _TensorLike, dtype: _DType = None) -> TensorVariable: ...
def full_like(x: _TensorLike, fill_value: _TensorLike, dtype: _DType = None) -> TensorVariable: ...
def identity(n: _Size, dtype: _DType = None) -> TensorVariable: ...
def linspace(
    start: _TensorLike, stop: _TensorLike, num: int = 50, endpoint: bool = True, *, dtype: _DType = None
) -> TensorVariable: ...
def amax(x: _TensorLike, axis: _Axes = None, keepdims: bool = False) -> TensorVariable: ...
def amin(x: _TensorLike, axis: _Axes = None, keepdims: bool = False) -> TensorVariable: ...
def all(x: _TensorLike, axis: _Axes = None, keepdims: bool = False) -> TensorVariable: ...
def any(x: _TensorLike, axis: _Axes = None, keepdims: bool = False) -> TensorVariable: ...
def argmax(x: _TensorLike, axis: _Axes = None, keepdims: bool = False) -> TensorVariable: ...
def argmin(x: _TensorLike, axis: _Axes = None, keepdims: bool = False) -> TensorVariable: ...
def argsort(
    x: _TensorLike, axis: _Axes = -1, kind: str | None = None, *, stable: bool | None = None
) -> TensorVariable: ...
def cumprod(x: _TensorLike, axis: _Axes = None, dtype: _DType = None) -> TensorVariable: ...
def cumsum(x: _TensorLike, axis: _Axes = None, dtype: _DType = None) -> TensorVariable: ...
def dot(x: _TensorLike, y: _TensorLike) -> TensorVariable: ...
def matmul(x: _TensorLike, y: _TensorLike) -> TensorVariable: ...
def max(x: _TensorLike, axis: _Axes = None, keepdims: bool = False) -> TensorVariable: ...
def max_and_argmax(
    x: _TensorLike, axis: _Axes = None, keepdims: bool = False
) -> tuple[TensorVariable, TensorVariable]: ...
def mean(x: _TensorLike, axis: _Axes = None, dtype: _DType = None, keepdims: bool = False) -> TensorVariable: ...
def min(x: _TensorLike, axis: _Axes = None, keepdims: bool = False) -> TensorVariable: ...
def prod(x: _TensorLike, axis: _Axes = None, dtype: _DType = None, keepdims: bool = False) -> TensorVariable: ...
def ptp(x: _TensorLike, axis: _Axes = None, keepdims: bool = False) -> TensorVariable: ...
def sort(
    x: _TensorLike, axis: _Axes = -1, kind: str | None = None, *, stable: bool | None = None
) -> TensorVariable: ...
def std(
    x: _TensorLike, axis: _Axes = None, dtype: _DType = None, ddof: _TensorLike = 0, keepdims: bool = False
) -> TensorVariable: ...
def sum(x: _TensorLike, axis: _Axes = None, dtype: _DType = None, keepdims: bool = False) -> TensorVariable: ...
def var(
    x: _TensorLike, axis: _Axes = None, dtype: _DType = None, ddof: _TensorLike = 0, keepdims: bool = False
) -> TensorVariable: ...

# Shapes, joining, indexing
def atleast_1d(x: _TensorLike) -> TensorVariable: ...
def atleast_2d(x: _TensorLike) -> TensorVariable: ...
def atleast_3d(x: _TensorLike) -> TensorVariable: ...
def broadcast_to(x: _TensorLike, shape: _Sizes) -> TensorVariable: ...
def concatenate(arrays: _TensorList, axis: int | None = 0) -> TensorVariable: ...
def dimshuffle(x: _TensorLike, *pattern: Any) -> TensorVariable: ...
def expand_dims(x: _TensorLike, axis: _Places) -> TensorVariable: ...
def flatnonzero(x: _TensorLike) -> TensorVariable: ...
def flatten(x: _TensorLike, ndim: int = 1) -> TensorVariable: ...
def hstack(arrays: _TensorList) -> TensorVariable: ...
def inc_subtensor(x: _TensorLike, y: _TensorLike, inplace: bool = False) -> TensorVariable: ...
def join(axis: int, *arrays: _TensorLike) -> TensorVariable: ...
def moveaxis(x: _TensorLike, source: _Places, destination: _Places) -> TensorVariable: ...
def nonzero(x: _TensorLike, return_matrix: bool = False) -> Any: ...
def ravel(x: _TensorLike) -> TensorVariable: ...
def repeat(x: _TensorLike, repeats: _TensorLike, axis: int | None = None) -> TensorVariable: ...
def reshape(x: _TensorLike, shape: _Sizes, ndim: int | None = None) -> TensorVariable: ...
def set_subtensor(x: _TensorLike, y: _TensorLike, inplace: bool = False) -> TensorVariable: ...
def split(x: _TensorLike, indices_or_sections: _Sizes, axis: int = 0) -> list[TensorVariable]: ...
def squeeze(x: _TensorLike, axis: _Axes = None) -> TensorVariable: ...
def stack(arrays: _TensorList, axis: int = 0) -> TensorVariable: ...
def swapaxes(x: _TensorLike, axis1: int, axis2: int) -> TensorVariable: ...
def take(x: _TensorLike, indices: _TensorLike, axis: int | None = None, mode: str = "raise") -> TensorVariable: ...
def tile(x: _TensorLike, reps: _Sizes) -> TensorVariable: ...
def transpose(x: _TensorLike, axes: Any = None) -> TensorVariable: ...
def vstack(arrays: _TensorList) -> TensorVariable: ...
