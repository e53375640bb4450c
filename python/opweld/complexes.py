"""Complex numbers in C: NumPy's types in C, which does arithmetic on them; classes with arithmetic in C++."""

from __future__ import annotations

from functools import cache
from typing import Any

from opweld.dtypes import DType
from opweld.rooms import late

__all__ = ["c_support_code"]

sections: Any = late("opweld.sections")  # few arrays are complex


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
    return _text() if dtype.np.kind == "c" else ""


@cache
def _text() -> str:
    """Read the C beside this file."""
    found: str = sections.Beside(__file__).section()
    return found
