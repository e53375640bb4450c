"""`opweld.function` as Theano, Aesara and PyTensor have it: their rules hold for its calls."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from opweld.compile.function import function as _function

__all__ = ["function"]


@functools.wraps(_function)
def function(*args: Any, **keywords: Any) -> Any:
    """Compile a graph; see `opweld.function`. The option `conventions` is "theano" unless it is given."""
    given = keywords.get("options")
    if len(args) < 10 and (given is None or isinstance(given, Mapping)):
        keywords["options"] = {"conventions": "theano", **(given or {})}
    return _function(*args, **keywords)
