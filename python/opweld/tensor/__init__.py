"""Tensors: arrays of known dtype and number of dimensions."""

from __future__ import annotations

from typing import Any

from opweld.operations import FUNCTIONS
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
        "allclose", "angle", "cast", "clip", "fill", "imag", "isclose", "real", "round", "second", "size",
        "switch", "tensor_copy", "where",
    ),
    "shapes": ("shape", "shape_i"),
    "sorting": ("argsort", "sort"),
    "specify": ("SpecifyShape", "specify_shape"),
    "splitting": ("split",),
    "subtensor": ("inc_subtensor", "set_subtensor"),
    "ufuncs": FUNCTIONS,
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
