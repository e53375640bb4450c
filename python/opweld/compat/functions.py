"""`opweld.function` as Theano, Aesara and PyTensor have it: their rules hold for its calls."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from opweld.compat.modes import mode_of
from opweld.compile.function import function as _function

__all__ = ["function"]


@functools.wraps(_function)
def function(*args: Any, **keywords: Any) -> Any:
    """Compile a graph; see `opweld.function`. The option `conventions` is "theano" unless it is given.

    A mode may have a name that it has in the packages, such as ``"CVM"`` or ``"py"``; see `opweld.compat.modes`.
    """
    if "mode" in keywords:
        keywords["mode"] = mode_of(keywords["mode"])
    given = keywords.get("options")
    if len(args) < 10 and (given is None or isinstance(given, Mapping)):
        keywords["options"] = {"conventions": "theano", **(given or {})}
    return _function(*args, **keywords)
