"""A process beside this one, in which users' C runs: what it crashes, corrupts or hangs in is not the caller's."""

from opweld.rooms import door

__all__, __getattr__, __dir__ = door(__name__, {"worker": ("Worker", "worker")})
