"""What a program hangs onto variables and nodes."""

from __future__ import annotations

from typing import Any

__all__ = ["Tag", "Tagged"]


class Tag:
    """What a program hangs onto a variable or a node: any attributes. DebugMode reads ``values_eq_approx``."""

    def __repr__(self) -> str:
        return f"Tag({', '.join([f'{name}={value!r}' for name, value in self.__dict__.items()])})"


class Tagged:
    """Has a `Tag` of its own, made when it is first asked for."""

    @property
    def tag(self) -> Any:
        """Attributes of one's own."""
        found = self.__dict__.get("_tag")
        if found is None:
            found = self.__dict__["_tag"] = Tag()
        return found

    @tag.setter
    def tag(self, value: object) -> None:
        self.__dict__["_tag"] = value
