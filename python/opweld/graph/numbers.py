"""Numbers that stand for objects: equal ones have one."""

from __future__ import annotations

from typing import Any

__all__ = ["Numbers"]


class Numbers:
    """Gives numbers to objects, the same to those that are equal. Each object is asked for its hash once.

    Examples
    --------
    >>> from opweld.graph.numbers import Numbers
    >>> numbers = Numbers()
    >>> numbers.of("a"), numbers.of("b"), numbers.of("a")
    (0, 1, 0)
    """

    def __init__(self) -> None:
        self._of: dict[int, tuple[object, int]] = {}  # by id of what is kept alive
        self._equal: dict[Any, int] = {}

    def of(self, item: object) -> int:
        """Give the number of an object.

        Parameters
        ----------
        item : object
            One that does not hash at all (``__eq__`` without ``__hash__``) is equal to itself only.

        Returns
        -------
        int

        Raises
        ------
        TypeError
            If its hash fails.
        """
        known = self._of.get(id(item))
        if known is None:
            number = len(self._of)
            if item.__hash__ is not None:
                number = self._equal.setdefault(item, number)
            known = self._of[id(item)] = item, number
        return known[1]
