"""Tensors: arrays of known dtype and number of dimensions."""

from __future__ import annotations

from typing import Any

from opweld.tensor.type import TensorType as TensorType
from opweld.tensor.type import tensor as tensor
from opweld.tensor.variable import TensorConstant as TensorConstant
from opweld.tensor.variable import TensorVariable as TensorVariable
from opweld.tensor.variable import as_tensor_variable as as_tensor_variable
from opweld.tensor.variable import constant as constant

_EAGER = ("TensorConstant", "TensorType", "TensorVariable", "as_tensor_variable", "constant", "tensor")
_NAMES: dict[str, tuple[str, ...]] = {  # module -> what is found there on first use
    "basic": (
        "NotScalarConstantError", "alloc", "get_scalar_constant_value", "ones", "ones_like", "zeros", "zeros_like",
    ),
    "contraction": ("inner", "outer", "tensordot", "vdot"),
    "creation": ("empty", "empty_like", "eye", "full", "full_like", "identity"),
    "elemwise": ("Elemwise",),
    "along": ("argmax", "argmin", "cumprod", "cumsum", "max_and_argmax"),
    "joining": ("concatenate", "hstack", "join", "stack", "vstack"),
    "manipulation": ("broadcast_to", "flatten", "ravel", "reshape"),
    "permute": (
        "atleast_1d", "atleast_2d", "atleast_3d", "dimshuffle", "expand_dims", "moveaxis", "squeeze", "swapaxes",
        "transpose",
    ),
    "ranges": ("arange", "linspace"),
    "reduce": ("CAReduce", "all", "amax", "amin", "any", "max", "min", "prod", "ptp", "sum"),
    "repetition": ("repeat", "tile"),
    "selection": ("flatnonzero", "nonzero", "take"),
    "statistics": ("mean", "std", "var"),
    "linalg": ("dot", "matmul"),
    "math": (
        "abs", "absolute", "acos", "acosh", "add", "allclose", "and_", "angle", "arccos", "arccosh", "arcsin",
        "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and",
        "bitwise_count", "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_or",
        "bitwise_right_shift", "bitwise_xor", "cast", "cbrt", "ceil", "clip", "conj", "conjugate", "copysign",
        "cos", "cosh", "deg2rad", "degrees", "divide", "divmod", "eq", "equal", "exp", "exp2", "expm1", "fabs",
        "fill", "float_power", "floor", "floor_div", "floor_divide", "fmax", "fmin", "fmod", "frexp", "gcd",
        "ge", "greater", "greater_equal", "gt", "heaviside", "hypot", "imag", "int_div", "invert", "isclose",
        "isfinite", "isinf", "isnan", "lcm", "ldexp", "le", "left_shift", "less", "less_equal", "log", "log10",
        "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor",
        "lt", "maximum", "minimum", "mod", "modf", "mul", "multiply", "neg", "negative", "neq", "nextafter",
        "not_equal", "or_", "positive", "pow", "power", "rad2deg", "radians", "real", "reciprocal", "remainder",
        "right_shift", "rint", "round", "second", "sgn", "sign", "signbit", "sin", "sinh", "size", "spacing",
        "sqr", "sqrt", "square", "sub", "subtract", "switch", "tan", "tanh", "tensor_copy", "true_div",
        "true_divide", "trunc", "where", "xor",
    ),
    "shapes": ("shape", "shape_i"),
    "sorting": ("argsort", "sort"),
    "specify": ("SpecifyShape", "specify_shape"),
    "splitting": ("split",),
    "subtensor": ("inc_subtensor", "set_subtensor"),
}  # fmt: skip
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted([*_EAGER, *_HOME])

_KINDS: dict[str, tuple[int | None, ...]] = {
    "scalar": (),
    "vector": (None,),
    "matrix": (None, None),
    "row": (1, None),
    "col": (None, 1),
    "tensor3": (None,) * 3,
    "tensor4": (None,) * 4,
    "tensor5": (None,) * 5,
    "tensor6": (None,) * 6,
    "tensor7": (None,) * 7,
}
_PREFIXES = {
    "b": "int8", "w": "int16", "i": "int32", "l": "int64", "f": "float32", "d": "float64", "c": "complex64",
    "z": "complex128", "ub": "uint8", "uw": "uint16", "ui": "uint32", "ul": "uint64",
}  # fmt: skip


class _Constructor:
    """``vector("x")``: a variable of ``config.floatX``, or of the dtype given."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __call__(self, name: str | None = None, dtype: Any = None, shape: Any = None) -> Any:
        sizes = _KINDS[self._kind]
        if shape is not None:
            if len(tuple(shape)) != len(sizes):
                raise ValueError(f"{self._kind}: expected {len(sizes)} sizes, got shape {tuple(shape)}")
            sizes = tuple(shape)
        return TensorType("floatX" if dtype is None else dtype, sizes)(name)

    def __repr__(self) -> str:
        return f"<constructor of a {self._kind} of config.floatX>"


def __getattr__(name: str) -> Any:
    """The constructors, ``vector``, ``dmatrix``, ``ultensor3`` …, and what is loaded when it is first asked for."""
    if name in _HOME:
        from importlib import import_module

        found = getattr(import_module("opweld.tensor." + _HOME[name]), name)
        globals()[name] = found
        return found
    for kind in _KINDS:
        if name.endswith(kind):
            prefix = name[: -len(kind)]
            if not prefix:
                made: Any = _Constructor(kind)
            elif prefix in _PREFIXES:
                made = TensorType(_PREFIXES[prefix], _KINDS[kind])
            else:
                continue
            globals()[name] = made
            return made
    from opweld.rooms import submodule

    return submodule(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *[prefix + kind for prefix in ("", *_PREFIXES) for kind in _KINDS]})
