"""The special functions of ``scalar.basic_scipy`` and ``pytensor.scalar.math``, as scalar ops.

In C where the C library has the function or a formula gives it; the others run in Python, by SciPy.
"""

from __future__ import annotations

import math
import pkgutil
from collections.abc import Callable
from typing import Any, NamedTuple

from opweld.compat.scalars import Element, ScalarOp
from opweld.errors import MethodNotDefined
from opweld.graph.basic import Apply
from opweld.scalar.expression import expr
from opweld.scalar.op import Body
from opweld.scalar.preferences import upgrade_to_float, upgrade_to_float_no_complex

__all__ = ["CLASSES", "FUNCTIONS", "Special"]


class _Row(NamedTuple):
    """What is known of a function."""

    nin: int
    scipy: str | Callable[..., Any]  # of scipy.special, or what computes it by that module
    c: str = ""
    python: Callable[..., Any] | None = None  # where there is no SciPy
    loop: str = ""  # a formula in the engine's operations: what loops over arrays compute


def _sigmoid(x: float) -> float:
    small = math.exp(-abs(x))
    return (1.0 if x >= 0 else small) / (1 + small)


def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _log1mexp(x: float) -> float:
    return math.log1p(-math.exp(x)) if x < -math.log(2) else math.log(-math.expm1(x))


FUNCTIONS: dict[str, _Row] = {
    "erf": _Row(1, "erf", "erf({0})", math.erf),
    "erfc": _Row(1, "erfc", "erfc({0})", math.erfc),
    "erfcx": _Row(1, "erfcx"),
    "erfinv": _Row(1, "erfinv"),
    "erfcinv": _Row(1, "erfcinv"),
    "owens_t": _Row(2, "owens_t"),
    "gamma": _Row(1, "gamma", "tgamma({0})", math.gamma),
    "gammaln": _Row(1, "gammaln", "lgamma({0})", math.lgamma),
    "psi": _Row(1, "psi"),
    "tri_gamma": _Row(1, lambda special, x: special.polygamma(1, x)),
    "polygamma": _Row(2, lambda special, n, x: special.polygamma(n, x)),
    "gammainc": _Row(2, "gammainc"),
    "gammaincc": _Row(2, "gammaincc"),
    "gammaincinv": _Row(2, "gammaincinv"),
    "gammainccinv": _Row(2, "gammainccinv"),
    "gammau": _Row(2, lambda special, k, x: special.gammaincc(k, x) * special.gamma(k)),
    "gammal": _Row(2, lambda special, k, x: special.gammainc(k, x) * special.gamma(k)),
    "chi2sf": _Row(2, lambda special, x, k: 1 - special.gammainc(k / 2.0, x / 2.0)),
    "jv": _Row(2, "jv"),
    "j0": _Row(1, "j0", "j0({0})"),
    "j1": _Row(1, "j1", "j1({0})"),
    "iv": _Row(2, "iv"),
    "i0": _Row(1, "i0"),
    "i1": _Row(1, "i1"),
    "ive": _Row(2, "ive"),
    "kve": _Row(2, "kve"),
    "sigmoid": _Row(
        1,
        "expit",
        "({0} >= 0 ? 1 / (1 + exp(-({0}))) : exp({0}) / (1 + exp({0})))",
        _sigmoid,
        "where(x >= 0, 1, exp(-abs(x))) / (exp(-abs(x)) + 1)",
    ),
    "softplus": _Row(
        1, lambda _, x: _softplus(x), "(({0} > 0 ? {0} : 0) + log1p(exp(-fabs({0}))))", _softplus, "logaddexp(x, 0)"
    ),
    "log1mexp": _Row(
        1,
        lambda _, x: _log1mexp(x),
        "({0} < -M_LN2 ? log1p(-exp({0})) : log(-expm1({0})))",
        _log1mexp,
        "where(x < -0.6931471805599453, log1p(-exp(x)), log(-expm1(x)))",
    ),
    "betainc": _Row(3, "betainc"),
    "betaincinv": _Row(3, "betaincinv"),
    "hyp2f1": _Row(4, "hyp2f1"),
}
_CLASSES = {"gammaln": "GammaLn", "tri_gamma": "TriGamma", "polygamma": "PolyGamma", "gammainc": "GammaInc",
            "gammaincc": "GammaIncC", "gammaincinv": "GammaIncInv", "gammainccinv": "GammaIncCInv", "gammau": "GammaU",
            "gammal": "GammaL", "chi2sf": "Chi2SF", "betainc": "BetaInc", "betaincinv": "BetaIncInv",
            "hyp2f1": "Hyp2F1", "owens_t": "Owens_t"}  # fmt: skip
#: The classes, and the function of each.
CLASSES: dict[str, str] = {_CLASSES.get(name, name.capitalize()): name for name in FUNCTIONS}


class Special(ScalarOp):
    """One of these functions.

    Parameters
    ----------
    function : str
        Its name here.
    output_types_preference, name
        As for `ScalarOp`; floats come out unless it says otherwise.
    """

    __props__: tuple[str, ...] | None = ("function",)

    def __init__(self, function: str, output_types_preference: object = None, name: str | None = None) -> None:
        self.function = function
        self.nin = FUNCTIONS[function].nin
        real = upgrade_to_float if self.nin == 1 else upgrade_to_float_no_complex
        super().__init__(output_types_preference or real, name or function)

    def __reduce__(self) -> Any:
        return Special, (self.function,)

    def impl(self, *inputs: Any) -> Any:
        """Compute by SciPy, or by Python's own functions where there is none.

        Raises
        ------
        ImportError
            If SciPy is not installed, and Python has no such function.
        """
        row = FUNCTIONS[self.function]
        try:
            special = pkgutil.resolve_name("scipy.special")
        except ImportError:
            if row.python is None:
                raise ImportError(
                    f"{self.function} is computed by SciPy, which is not installed: pip install scipy"
                ) from None
            return row.python(*map(float, inputs))
        given = [
            float(x) if isinstance(x, (bool, int)) or getattr(x, "dtype", None) == "float16" else x for x in inputs
        ]
        return getattr(special, row.scipy)(*given) if isinstance(row.scipy, str) else row.scipy(special, *given)

    def make_body(self, dtypes: tuple[str, ...]) -> Body:
        """Write the function as a formula in the engine's operations, where that is known."""
        text = FUNCTIONS[self.function].loop
        made = expr(text) if text else None
        if made is None or "complex" in dtypes[0] or made.output_dtypes(dtypes) != self.output_dtypes(dtypes):
            return super().make_body(dtypes)
        return made.body(dtypes)

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Write the function or the formula.

        Raises
        ------
        MethodNotDefined
            If C has neither, or the type is complex.
        """
        text = FUNCTIONS[self.function].c
        kind = node.outputs[0].type.dtype
        if not text or kind.startswith("complex") or any(v.type.dtype.startswith("complex") for v in node.inputs):
            raise MethodNotDefined(f"{self} has no C for {node.inputs[0].type.dtype}")
        wide = [f"((double){x})" for x in input_names]
        return f"{output_names[0]} = (npy_{kind}){text.format(*wide)};"

    def c_headers(self, c_compiler: object = None, **kwargs: Any) -> list[str]:
        """Name the header of functions."""
        return ["<math.h>"]

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


_Class: Any = type(Special)


def betaln(a: Element, b: Element) -> Any:
    """Give the logarithm of the beta function, of `gammaln`."""
    gammaln = _op("gammaln")
    return gammaln(a) + gammaln(b) - gammaln(a + b)


def _op(name: str) -> Special:
    found = globals().get(name)
    if found is None:
        found = globals()[name] = Special(name)
    return found


def __getattr__(name: str) -> Any:
    if name in FUNCTIONS:
        return _op(name)
    if name not in CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = CLASSES[name]

    def __init__(self: Any, output_types_preference: object = None, name: str | None = None) -> None:
        Special.__init__(self, function, output_types_preference, name)

    takes = staticmethod(lambda op: isinstance(op, Special) and op.function == function)
    fields = {
        "__init__": __init__,
        "takes": takes,
        "kin": (),
        "__module__": __name__,
        "__doc__": f"{function}, as a class.",
    }
    found = globals()[name] = _Class(name, (Special,), fields)
    return found
