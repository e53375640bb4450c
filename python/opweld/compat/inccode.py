"""``tensor.inc_code``: the C behind assignments to elements that are named by arrays."""

from __future__ import annotations

from opweld.sections import Beside

__all__ = ["inc_code"]

_C = Beside(__file__)


def inc_code() -> str:
    """Give the C function ``inplace_increment(array, index, values, inc)``.

    Returns
    -------
    str
        For `c_support_code`. The function adds values to elements, as often as an element is named, or sets them where
        ``inc`` is 0; it gives 0, or sets an exception.

    Notes
    -----
    NumPy 2 shows C no iterator over an index: the function asks ``numpy.add.at``.
    """
    return _C.section()
