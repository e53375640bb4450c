"""From a graph to a callable: Program, the cache, the engine, the module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if not TYPE_CHECKING:  # which would take every name for one that is there

    def __getattr__(name: str) -> Any:
        from opweld.rooms import submodule

        return submodule(__name__, name)
