"""Which versions of PyTensor its graphs are understood of."""

from __future__ import annotations

__all__ = ["FIRST", "LAST", "check"]

#: The first version that is supported, and the first that is not any more.
FIRST, LAST = (3, 0, 7), (4,)
_WANTED = "opweld.pytensor works with PyTensor 3.0.7 or newer, before 4"

try:
    import pytensor
except ImportError as err:
    raise ImportError(f"{_WANTED}, and none can be imported: pip install 'opweld[pytensor]' ({err})") from err


def check() -> None:
    """Refuse a PyTensor whose graphs may be others.

    Raises
    ------
    ImportError
        If it is out of range: names the version.
    """
    version = str(pytensor.__version__)
    numbers = []
    for part in version.partition("+")[0].split(".")[:3]:
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    if not FIRST <= tuple(numbers) < LAST:
        raise ImportError(f"{_WANTED}; this is {version}: pip install 'opweld[pytensor]'")
