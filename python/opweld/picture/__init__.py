"""Pictures of graphs."""

from opweld.rooms import door

__all__, __getattr__, __dir__ = door(__name__, {"show": ("Picture", "picture")})
