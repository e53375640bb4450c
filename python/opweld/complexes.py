"""Complex numbers in C: NumPy's types in C, which does arithmetic on them; classes with arithmetic in C++."""

from __future__ import annotations

from opweld.dtypes import DType
from opweld.sections import Beside

__all__ = ["c_name", "support_code"]

_C = Beside(__file__)


def c_name(dtype: DType) -> str:
    """Give the C type that a fragment computes with.

    Parameters
    ----------
    dtype : DType
        The dtype.

    Returns
    -------
    str
        NumPy's name, such as ``npy_int32``; of a complex dtype one that `support_code` defines.
    """
    return dtype.ctype.replace("npy_", "opw_", 1) if dtype.np.kind == "c" else dtype.ctype


def support_code(dtype: DType) -> str:
    """Give what must stand at file scope for the C type of a dtype.

    Parameters
    ----------
    dtype : DType
        The dtype.

    Returns
    -------
    str
        Empty unless the dtype is complex.
    """
    return _C.section() if dtype.np.kind == "c" else ""
