"""The C that puts what an op makes into its outputs."""

from __future__ import annotations

from collections.abc import Iterable

from opweld.sections import Beside

__all__ = ["OUTPUTS", "by_value", "checked", "integer_in", "table"]

OUTPUTS = Beside(__file__)


def checked(call: str, fail: str) -> str:
    """Write a call of a C function that gives -1 with an exception set.

    Parameters
    ----------
    call : str
        The call.
    fail : str
        ``sub['fail']``.

    Returns
    -------
    str
        A C statement.
    """
    return f"if ({call} < 0) {{\n    {fail}\n}}\n"


def table(name: str, entries: Iterable[str], ctype: str = "npy_intp") -> str:
    """Write an array of C.

    Parameters
    ----------
    name : str
        What it is called.
    entries : iterable of str
        C expressions; one more follows, for in C no array is empty.
    ctype : str
        The type of each.

    Returns
    -------
    str
        A C declaration.
    """
    return f"{ctype} {name}[] = {{{''.join([f'{entry}, ' for entry in entries])}0}};\n"


def integer_in(variable: str) -> str:
    """Write the value of an integer without dimensions.

    Parameters
    ----------
    variable : str
        The C variable.

    Returns
    -------
    str
        A C expression, of ``npy_intp``.
    """
    return f"(npy_intp)*(dtype_{variable}*)PyArray_DATA({variable})"


def by_value(variable: str) -> str:
    """Write an input as a function takes it that leaves it as it is: what takes the bare name may be a macro.

    Parameters
    ----------
    variable : str
        The C variable.

    Returns
    -------
    str
        A C expression.
    """
    return f"(PyArrayObject*){variable}"
