"""``%load_ext opweld``: the magic ``%%cop``, a cell of C."""

from __future__ import annotations

from typing import Any

from opweld.cops.file import forms_of
from opweld.cops.reading import Place
from opweld.cops.said import said_of
from opweld.cops.short import formed
from opweld.rooms import ending

__all__ = ["load_ipython_extension"]

_OPTIONS = {
    "--check": ("check", True), "--nogil": ("nogil", True), "--ufunc": ("ufunc", True), "--c++": ("lang", "c++"),
}  # fmt: skip


def load_ipython_extension(shell: Any) -> None:
    """Register ``%%cop``.

    ``%%cop smooth(x: T[n], a: T) -> y: T[n]`` makes a function of the cell, which is the body; ``%%cop`` alone makes
    those whose signatures stand in comments of the cell (`opweld.cop.file`). ``--check``, ``--nogil``, ``--ufunc`` and
    ``--c++`` before the signature are options.

    Parameters
    ----------
    shell : InteractiveShell
        IPython's.

    Examples
    --------
    >>> # In IPython:  %load_ext opweld
    >>> # and a cell:  %%cop halves(x: float64[n]) -> y: float64[n]
    >>> #              for (npy_intp i = 0; i < n; i++) y[i] = x[i] / 2;
    >>> callable(opweld.load_ipython_extension)
    True
    """

    @ending
    def cell_of_c(line: str, cell: str) -> None:
        """Make functions on arrays of a cell of C; see `opweld.cop`."""
        options, signature = _read(line)
        where = f"In[{_number(shell)}]"
        if signature:
            if not signature.partition("(")[0].strip().isidentifier():
                raise ValueError("%%cop: the signature needs a name: write `%%cop name(x: T[n]) -> y: T[n]`")
            place = Place(where, 1, (("body", 2),))
            name, ufunc = signature.partition("(")[0].strip(), options.pop("ufunc", False)
            found = [formed(said_of(signature, cell, name=name, **options), place, ufunc=ufunc)]
        else:
            found = forms_of(f"\n{cell}", where, where, **options)
        shell.user_ns.update({form.__name__: form for form in found})

    shell.register_magic_function(cell_of_c, magic_kind="cell", magic_name="cop")


def _number(shell: Any) -> int:
    """The number of the cell that runs: IPython lists what it runs, and counts on before or after it."""
    return max(len(shell.user_ns.get("In", ())) - 1, 0) or int(shell.execution_count)


def _read(line: str) -> tuple[dict[str, Any], str]:
    """The options of a line, and what comes after them."""
    options: dict[str, Any] = {}
    line = line.strip()
    while line.startswith("--"):
        word, _, line = line.partition(" ")
        if word not in _OPTIONS:
            raise ValueError(f"%%cop: unknown option {word}; there are {', '.join(_OPTIONS)}")
        key, value = _OPTIONS[word]
        options[key], line = value, line.strip()
    return options, line
