"""Complex numbers in C: NumPy's types in C, which does arithmetic on them; classes with arithmetic in C++."""

from __future__ import annotations

from opweld.sections import Beside

__all__ = ["support_code"]

_C = Beside(__file__)


def support_code() -> str:
    """Give what must stand at file scope for the C types of complex numbers.

    Returns
    -------
    str
        It defines what `opweld.dtypes.c_name` gives.
    """
    return _C.section()
