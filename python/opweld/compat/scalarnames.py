"""The scalar ops of Theano, Aesara and PyTensor, and their classes, by the names they have there.

An op is opweld's own. A class stands for it: its instances are that op, and calling it gives it, whatever name and
output types it is given.
"""

from __future__ import annotations

from typing import Any

from opweld.compat.bases import Kin
from opweld.compat.scalars import ScalarOp
from opweld.scalar.basic import Cast, Clip, Identity, Imag, Real, Second, Where
from opweld.scalar.ufuncs import ufunc

__all__ = ["CLASSES", "OPS"]

#: The ops whose name is another here.
OPS: dict[str, str] = {
    "mul": "multiply", "sub": "subtract", "true_div": "divide", "int_div": "floor_divide", "mod": "remainder",
    "pow": "power", "neg": "negative", "sqr": "square", "abs": "absolute", "abs_": "absolute", "sgn": "sign",
    "eq": "equal", "neq": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
    "and_": "bitwise_and", "or_": "bitwise_or", "xor": "bitwise_xor", "scalar_maximum": "maximum",
    "scalar_minimum": "minimum", "conj": "conjugate", "round_half_to_even": "rint", "inv": "reciprocal",
}  # fmt: skip
_ALIKE = (
    "add sqrt exp exp2 expm1 log log2 log10 log1p sign maximum minimum ceil floor trunc sin cos tan sinh cosh tanh "
    "arcsin arccos arctan arcsinh arccosh arctanh arctan2 invert deg2rad rad2deg isnan isinf reciprocal"
).split()
_ODD = {
    "EQ": "eq", "NEQ": "neq", "LT": "lt", "LE": "le", "GT": "gt", "GE": "ge", "AND": "and_", "OR": "or_", "XOR": "xor",
    "ArcSin": "arcsin", "ArcCos": "arccos", "ArcTan": "arctan", "ArcSinh": "arcsinh", "ArcCosh": "arccosh",
    "ArcTanh": "arctanh", "ArcTan2": "arctan2", "IsNan": "isnan", "IsInf": "isinf", "Deg2Rad": "deg2rad",
    "Rad2Deg": "rad2deg",
}  # fmt: skip
#: The classes, and the op that is the one instance of each, by its old name.
CLASSES: dict[str, str] = {
    **_ODD,
    **{
        "".join([part.capitalize() for part in name.split("_")]): name
        for name in (*OPS, *_ALIKE)
        if name not in _ODD.values()
    },
}
_WHOLE = {
    "Cast": Cast,
    "Clip": Clip,
    "Identity": Identity,
    "Imag": Imag,
    "Real": Real,
    "Second": Second,
    "Switch": Where,
}


class _Named(Kin):
    """Makes the class of one op."""

    op: Any

    def __instancecheck__(cls, instance: object) -> bool:
        return bool(instance == cls.op)

    def __call__(cls, *args: object, **kwargs: object) -> Any:
        return cls.op


def _op(name: str) -> Any:
    return ufunc(OPS.get(name, name))


def __getattr__(name: str) -> Any:
    found: Any
    if name in CLASSES:
        op = _op(CLASSES[name])
        found = _Named(name, (ScalarOp,), {"op": op, "__doc__": f"The class of {op}.", "__module__": __name__})
    elif name in _WHOLE:
        found = _WHOLE[name]
    elif name in ("clip", "identity", "imag", "real", "second", "switch"):
        found = _WHOLE[name.capitalize()]()
    elif name.startswith("convert_to_"):
        found = Cast(name[len("convert_to_") :])
    elif name in OPS or name in _ALIKE:
        found = _op(name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found
