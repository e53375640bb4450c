"""From a graph to a callable: Program, the cache, the engine, the module."""

from opweld.rooms import door

__all__, __getattr__, __dir__ = door(
    __name__, {"function": ("Function", "In", "Out", "function"), "sharedvalue": ("SharedVariable", "shared")}
)
