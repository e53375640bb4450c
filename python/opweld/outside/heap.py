"""Arrays in memory of the C library's own, whose bounds a sanitizer, or valgrind, knows: copies of what both map."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from opweld.outside.memory import Array, Memory, bounds_of

__all__ = ["Lent", "lent_at"]

_libc = ctypes.CDLL(None)
_libc.malloc.restype = ctypes.c_void_p
_libc.malloc.argtypes = [ctypes.c_size_t]
_libc.free.argtypes = [ctypes.c_void_p]


class _Bytes:
    """Memory that was asked for, for NumPy, as bytes; it goes with the last array that lies there."""

    def __init__(self, size: int, by: int) -> None:
        self._block = _libc.malloc(size + by)
        if not self._block:
            raise MemoryError(f"no {size} bytes of memory for an array")
        self.start = self._block + by
        self.__array_interface__ = {"version": 3, "data": (self.start, False), "shape": (size,), "typestr": "|u1"}

    def __del__(self) -> None:
        if self._block:
            _libc.free(self._block)


class Lent:
    """A copy of an array that lies in memory which both map: as long as that, to the byte, with its strides.

    Parameters
    ----------
    memory : Memory
        Where it lies.
    found : Array
        How it lies there.

    Attributes
    ----------
    array : ndarray
        The copy.
    start, size : int
        Where its bytes begin in this process, and how many there are.
    """

    def __init__(self, memory: Memory, found: Array) -> None:
        there = memory.array(found)
        low, high = bounds_of(there)
        self._memory = memory
        self._at = found.offset + low
        self.size = high - low
        place = memory.address + self._at
        own = _Bytes(self.size, place % found.dtype.alignment)
        self.start = own.start
        ctypes.memmove(self.start, place, self.size)
        self.array: np.ndarray[Any, Any] = np.ndarray(found.shape, found.dtype, np.asarray(own), -low, found.strides)
        self.array.flags.writeable = found.writeable

    def give_back(self) -> None:
        """Write what it holds now where it came from."""
        ctypes.memmove(self._memory.address + self._at, self.start, self.size)

    def within(self, address: int) -> int | None:
        """Say where in the memory that both map stands what is at an address of the copy; None: it is not there."""
        return self._at + address - self.start if self.start <= address < self.start + self.size else None


def lent_at(every: list[Lent], array: np.ndarray[Any, Any]) -> int | None:
    """Say where in the memory that both map the first element of an array stands that lies in one of these copies.

    Parameters
    ----------
    every : list of Lent
        The copies.
    array : ndarray
        The array.

    Returns
    -------
    int or None
        None: it lies elsewhere.
    """
    if not array.size:
        return None
    address = int(array.__array_interface__["data"][0])
    return next((at for one in every if (at := one.within(address)) is not None), None)
