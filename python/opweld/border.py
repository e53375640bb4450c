"""What crosses the border to the engine: requests in UTF-8, and paths in its answers as this Python has them."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from typing import Any

from opweld import errors
from opweld.lean import dumps

__all__ = ["of_system", "to_engine"]

_PATHS = frozenset(("module", "source", "log", "folder", "file", "driver"))  # fields of answers


def to_engine(request: object) -> str:
    """Give a request as JSON in UTF-8, whatever encoding this Python takes file names to have."""
    text = dumps(request, ascii=False)
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeError:
        words = sorted(word for word in _strings(request) if not _is_utf8(word))
        raise errors.CacheError(
            f"the engine reads names of files in UTF-8, and these are not: {', '.join(map(repr, words[:3]))}; set "
            f"config.compiledir to a folder whose name is"
        ) from None


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeError:
        return False
    return True


def _strings(value: object) -> Generator[str, None, None]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for item in value.items() if isinstance(value, dict) else value:
            yield from _strings(item)


def of_system(answer: object) -> Any:
    """Turn the paths of an answer, which are UTF-8, into what this Python takes for names of files."""
    if sys.getfilesystemencoding() == "utf-8":
        return answer
    if isinstance(answer, list):
        return [of_system(item) for item in answer]
    if isinstance(answer, dict):
        return {
            key: os.fsdecode(value.encode()) if key in _PATHS and isinstance(value, str) else of_system(value)
            for key, value in answer.items()
        }
    return answer
