"""What is written in C: the classes of ops and types that have hooks for it, and who asks these hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if not TYPE_CHECKING:  # which would take every name for one that is there

    def __getattr__(name: str) -> Any:
        from opweld.rooms import submodule

        return submodule(__name__, name)
