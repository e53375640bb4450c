"""What `opweld.cop` is to who imports it: the function, with what it has as attributes."""

from __future__ import annotations

import os
from typing import Any

from opweld.cops.short import cop
from opweld.rooms import ending, late

__all__ = ["cop"]

files: Any = late("opweld.cops.file")  # few programs keep short forms in files


@ending
def file(path: str | os.PathLike[str], **options: Any) -> Any:
    """Make the short forms of a file; see `opweld.cops.file.file`."""
    return files.file(path, **options)


cop.file = file  # type: ignore[attr-defined]
