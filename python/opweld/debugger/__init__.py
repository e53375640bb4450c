"""A script under gdb: breakpoints by the lines of files, arrays that can be read (docs/gdb.md)."""

from opweld.rooms import door

__all__, __getattr__, __dir__ = door(__name__, {"start": ("SCRIPT", "command")})
