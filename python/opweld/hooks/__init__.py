"""What is written in C: the classes of ops and types that have hooks for it, and who asks these hooks."""

from opweld.rooms import door

__all__, __getattr__, __dir__ = door(__name__, {"classes": ("CLinkerObject", "COp", "CType")})
