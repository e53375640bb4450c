"""The short form: ops made of a signature and a few lines of C."""

from opweld.rooms import door

__all__, __getattr__, __dir__ = door(__name__, {"entry": ("cop",)})
