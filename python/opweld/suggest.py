"""What may have been meant by a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module

__all__ = ["attribute", "instead", "meant"]


def meant(name: str, known: Iterable[str]) -> str:
    """Give the end of a message: the known name that is nearest.

    Parameters
    ----------
    name : str
        What was asked for.
    known : iterable of str
        What there is.

    Returns
    -------
    str
        Empty: nothing is near.
    """
    by_lower: dict[str, list[str]] = {}
    for other in sorted(known, reverse=True):
        if not other.startswith("_"):
            by_lower.setdefault(other.lower(), []).append(other)
    near = get_close_matches(name.lower(), by_lower, 1, 0.7)
    if not near:
        return ""
    words = by_lower[near[0]] if near[0] == name.lower() else by_lower[near[0]][:1]
    return f"; is {' or '.join(map(repr, words))} meant?"


def instead(name: str) -> str:
    """Give the end of a message: what is written here for a name of NumPy's that is not here.

    Parameters
    ----------
    name : str
        The name.

    Returns
    -------
    str
        As docs/numpy.md has it; empty: it is no such name.
    """
    rows = import_module("opweld.tensor.elsewhere").INSTEAD
    word = next((word for names, word in rows if name in names.split()), "")
    return f"; here it is: {word} (docs/numpy.md)" if word else ""


def attribute(package: str, name: str, known: Iterable[str]) -> str:
    """Give the end of a message about a name that a package does not have.

    Parameters
    ----------
    package, name : str
        The package's full name, and what was asked for.
    known : iterable of str
        What it has.

    Returns
    -------
    str
        Empty: nothing is known.
    """
    if name.startswith("_"):
        return ""
    if package == "opweld" and name in import_module("opweld.tensor").__all__:
        return f"; it is opweld.tensor.{name}"
    if package == "opweld.tensor":
        found = instead(name)
        if found:
            return found
        if name in ("fft", "random"):
            return f"; numpy.{name} has no counterpart: an op whose perform calls it has (docs/numpy.md)"
    if name in ("grad", "jacobian", "hessian"):
        return "; opweld computes no gradients"
    return meant(name, known)
