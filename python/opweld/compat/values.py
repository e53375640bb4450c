"""What Theano, Aesara and PyTensor offer about values and dtypes beside types: lists, None as a value, comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from opweld.compat.bases import Generic
from opweld.dtypes import GROUPS, dtype_of
from opweld.errors import _what
from opweld.graph.basic import Constant
from opweld.graph.type import Type
from opweld.tensor.basic import NotScalarConstantError, get_scalar_constant_value
from opweld.tensor.likes import TensorLike
from opweld.tolerances import near

__all__ = [
    "NoneConst", "NoneTypeT", "_asarray", "all_dtypes", "complex_dtypes", "constant_value", "continuous_dtypes",
    "discrete_dtypes",
    "extract_constant", "float_dtypes", "hashtype", "int_dtypes", "integer_dtypes", "none_type_t", "uint_dtypes",
    "values_eq_approx_always_true", "values_eq_approx_remove_inf", "values_eq_approx_remove_inf_nan",
    "values_eq_approx_remove_nan",
]  # fmt: skip

Array = np.ndarray[Any, Any]

# The dtypes' names. The packages know no long double.
_NAMES = {group: tuple([name for name in names if "long" not in name]) for group, names in GROUPS.items()}
int_dtypes = _NAMES["int_types"]
uint_dtypes = _NAMES["uint_types"]
float_dtypes = _NAMES["float_types"]
complex_dtypes = _NAMES["complex_types"]
integer_dtypes = _NAMES["integer_types"]
discrete_dtypes = _NAMES["discrete_types"]
continuous_dtypes = _NAMES["continuous_types"]
all_dtypes = _NAMES["all_types"]


def _asarray(
    a: ArrayLike, dtype: object = None, order: Literal["C", "F", "A", "K"] | None = None
) -> np.ndarray[Any, Any]:
    """Make an array, of the dtype itself and not of one of another name that is as wide.

    Parameters
    ----------
    a : array_like
        What is converted.
    dtype : str or numpy.dtype, optional
        ``"floatX"`` is what the configuration says.
    order : {"C", "F", "A", "K"}, optional
        As for `numpy.asarray`.

    Returns
    -------
    numpy.ndarray
    """
    found: np.ndarray[Any, Any] = np.asarray(a, dtype if dtype is None else dtype_of(dtype).np, order)
    return found


def extract_constant(x: TensorLike, elemwise: bool = True, only_process_constants: bool = False) -> Any:
    """Give the one number that a variable is known to hold throughout, or the variable.

    Parameters
    ----------
    x : Variable or array_like
        What to look at.
    elemwise : bool
        Has no meaning here: nodes are not computed to find out.
    only_process_constants : bool
        Look at constants only.

    Returns
    -------
    numpy.ndarray or Variable
        Without dimensions; `x` itself where no number is known.
    """
    if only_process_constants and not isinstance(x, Constant):
        return x
    try:
        return get_scalar_constant_value(x)
    except NotScalarConstantError:
        return x


def constant_value(
    v: TensorLike, elemwise: bool = True, only_process_constants: bool = False, max_recur: int = 10, **_: object
) -> Any:
    """Give the one number that a variable is known to hold throughout, as `get_scalar_constant_value` does.

    Raises
    ------
    NotScalarConstantError
        If none is known; with `only_process_constants`, also of what is no constant.
    """
    if only_process_constants and not isinstance(v, Constant):
        raise NotScalarConstantError(f"{v} is no constant")
    return get_scalar_constant_value(v)


def hashtype(self: object) -> int:
    """Hash an object by its class: for the ``__hash__`` of ops and types that have no props."""
    cls = type(self)
    return hash((cls.__name__, cls.__module__))


class NoneTypeT(Generic):
    """The type of None."""

    def filter(self, value: object, strict: bool = False, allow_downcast: bool | None = None) -> None:
        """Take None.

        Raises
        ------
        TypeError
            Of anything else.
        """
        if value is not None:
            raise TypeError(f"expected None, got {_what(value)}")


none_type_t = NoneTypeT()
NoneConst: Constant[Type] = Constant(none_type_t, None, name="NoneConst")


def _close(left: object, right: object, without: Callable[[Array], Array]) -> bool:
    """Whether two arrays are equal up to rounding where neither is to be left out."""
    a, b = np.asarray(left), np.asarray(right)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    kept = ~(without(a) | without(b))
    return near(a[kept], b[kept])


def values_eq_approx_remove_inf(a: object, b: object) -> bool:
    """Compare two arrays where neither is infinite."""
    return _close(a, b, np.isinf)


def values_eq_approx_remove_nan(a: object, b: object) -> bool:
    """Compare two arrays where neither is not a number."""
    return _close(a, b, np.isnan)


def values_eq_approx_remove_inf_nan(a: object, b: object) -> bool:
    """Compare two arrays where both are finite."""
    return _close(a, b, lambda x: ~np.isfinite(x))


def values_eq_approx_always_true(a: object, b: object) -> bool:
    """Take two arrays for equal, whatever they hold."""
    return True
