"""Complex numbers in C: NumPy's types in C, which does arithmetic on them; classes with arithmetic in C++."""

from __future__ import annotations

from opweld.dtypes import DType
from opweld.sections import Beside

__all__ = ["c_support_code"]

_C = Beside(__file__)


def c_support_code(dtype: DType) -> str:
    """Give what must stand at file scope for the C type of a dtype, which `opweld.dtypes.c_name` gives.

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
