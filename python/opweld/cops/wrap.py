"""``opweld.wrap``: a C function that exists as a function on arrays, and an op."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any

from opweld.cops.reading import Place, place_of, wrapped
from opweld.cops.said import said_of
from opweld.cops.short import called
from opweld.errors import _what
from opweld.hooks.reading import label_of
from opweld.rooms import ending

__all__ = ["wrap"]


@ending
def wrap(
    prototype: str,
    *,
    signature: str,
    name: str | None = None,
    sources: Iterable[Any] = (),
    headers: Iterable[str] = (),
    **options: Any,
) -> Any:
    """Make a function on arrays of a C function that exists.

    Parameters
    ----------
    prototype : str
        As a header declares it: ``"int lev(const int *a, long n, const int *b, long m)"``. Its parameters have the
        names of the signature's arguments and sizes.
    signature : str
        ``"a: int32[n], b: int32[m] -> int32"``: an output without a name is what the function returns. Where there is
        none, an integer that it returns is a code: a RuntimeError unless 0.
    name : str, optional
        What messages call it; the function's if left out.
    sources : list of path
        Files of C that define it, relative to the file that asks; compiled with it.
    headers : list of str
        Headers that declare it; left out: the prototype does.
    **options
        `libraries`, `lib_dirs`, `header_dirs`, `args`, `support`, `nogil`, `perform` as for `opweld.cop`.

    Returns
    -------
    callable
        As `opweld.cop` gives it.

    Raises
    ------
    SignatureError
        If prototype and signature do not fit.

    Examples
    --------
    >>> hypot = opweld.wrap("double hypot(double x, double y)", signature="x: float64, y: float64 -> float64")
    >>> hypot(3, 4)
    np.float64(5.0)
    """
    frame = sys._getframe(1)
    place, _ = place_of(frame)
    for what, text in (("prototype", prototype), ("signature", signature)):
        if not isinstance(text, str):
            raise TypeError(f"wrap: {what} must be a string, got {_what(text)}")
    if isinstance(sources, (str, os.PathLike)):
        raise TypeError(f"wrap: sources is {_what(sources)}, expected a list of paths")
    found = wrapped(prototype, signature)
    name = name or found["name"]
    folder = os.path.dirname(place.file) if os.path.isabs(place.file) else ""
    paths = [os.path.abspath(os.path.join(folder, os.fspath(source))) for source in sources]
    support = options.pop("support", "")
    files = {f"{number}-{label_of(os.path.basename(path))}": path for number, path in enumerate(paths)}
    for label, path in files.items():
        with open(path, encoding="utf-8") as opened:
            support += f'\n#line 1 "{name}/{label}"\n{opened.read()}'
    if not paths:
        support += f"\n{prototype.rstrip().rstrip(';')};"
    perform = options.pop("perform", None)
    options["functions"] = sorted(found["functions"].items())
    said = said_of(found["signature"], found["body"], name=name, support=support, headers=headers, **options)
    return called(said, Place(place.file, place.line, (), tuple(files.items())), perform)
