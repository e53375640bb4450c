"""How arrays travel between two processes: through memory that both map.

An array is put down byte by byte as it lies, with its strides, its alignment and what stands between its elements: C
meets the layout that the caller has. Before and behind each lie bytes of a known pattern: what was written is found.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np

__all__ = [
    "Array", "Block", "Memory", "Overrun", "bare", "bounds_of", "lies_in", "put", "unnamed", "view_of", "whose",
]  # fmt: skip

_PAD = 64  # bytes of pattern on each side, at least; what NumPy's own buffers are aligned to
_PATTERN = 0xC5
_FENCED = 1 << 28  # bytes of the largest array that lies between closed pages


class Array(NamedTuple):
    """An array that lies in the memory that both map: where its first element is, and how it is read."""

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]
    writeable: bool = True


class Overrun(NamedTuple):
    """Bytes beside an array that were written over: how many, and where the first one is, counted from its bytes."""

    number: int
    at: int
    size: int

    def __str__(self) -> str:
        where = f"{-self.at} bytes before it" if self.at < 0 else f"{self.at - self.size} bytes behind its end"
        return f"{self.number} byte{'s' * (self.number > 1)}, the first {where}"


def unnamed(name: str) -> int:
    """Make a file that has no name in any folder, and lies in memory where the system can do that.

    Parameters
    ----------
    name : str
        What it is for.

    Returns
    -------
    int
        Its number.
    """
    if hasattr(os, "memfd_create"):
        return os.memfd_create(f"opweld-{name}")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def bounds_of(array: np.ndarray[Any, Any]) -> tuple[int, int]:
    """Say where the bytes of an array begin and end.

    Parameters
    ----------
    array : ndarray
        The array.

    Returns
    -------
    int, int
        From its first element.
    """
    if array.size == 0:
        return 0, 0
    steps = [(size - 1) * stride for size, stride in zip(array.shape, array.strides)]
    return sum([step for step in steps if step < 0]), sum([step for step in steps if step > 0]) + array.itemsize


class _Lent:
    """Memory of an array's, for NumPy, as bytes."""

    def __init__(self, owner: np.ndarray[Any, Any], at: int, size: int) -> None:
        self._owner = owner
        data = owner.__array_interface__["data"][0] + at, not owner.flags.writeable
        self.__array_interface__ = {"version": 3, "data": data, "shape": (size,), "typestr": "|u1"}


def _bytes_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """All bytes from an array's first to its last."""
    low, high = bounds_of(array)
    return np.asarray(_Lent(array, low, high - low))


def view_of(array: np.ndarray[Any, Any], by: int, like: Array) -> np.ndarray[Any, Any]:
    """Give another view of the memory that an array lies in.

    Parameters
    ----------
    array : ndarray
        The array.
    by : int
        How many bytes behind its first element the view's first element lies.
    like : Array
        Shape, strides and dtype of the view.

    Returns
    -------
    ndarray
    """
    made: np.ndarray[Any, Any] = np.ndarray(
        like.shape, like.dtype, _bytes_of(array), by - bounds_of(array)[0], like.strides
    )
    made.flags.writeable = made.flags.writeable and like.writeable
    return made


def bare(value: object) -> TypeGuard[np.ndarray[Any, Any]]:
    """Say whether a value travels as memory: an array of NumPy's own class whose elements hold no objects."""
    return type(value) is np.ndarray and not value.dtype.hasobject


class Memory:
    """Memory that two processes map.

    Parameters
    ----------
    file : int, optional
        The number of its file; left out: it is made.
    """

    def __init__(self, file: int | None = None) -> None:
        self.file = unnamed("arrays") if file is None else file
        self._map: mmap.mmap | None = None
        self._bytes: np.ndarray[Any, Any] = np.empty(0, np.uint8)
        self.end = 0

    def reserve(self, size: int) -> int:
        """Take memory behind what is taken.

        Parameters
        ----------
        size : int
            In bytes.

        Returns
        -------
        int
            Where it begins.

        Raises
        ------
        OSError
            If there is no room for it.
        """
        start, self.end = self.end, self.end + size
        self.map(self.end)
        return start

    def map(self, size: int) -> None:
        """Map so many bytes at least; the file grows where it is shorter: the other process may have cut it."""
        if size > os.fstat(self.file).st_size:
            grown = max(1 << 20, -(-size * 5 // 4 // mmap.PAGESIZE) * mmap.PAGESIZE)
            os.posix_fallocate(self.file, 0, grown)  # now, not when it is written to: that would be a signal
        if size > len(self._bytes):
            self._map = mmap.mmap(self.file, os.fstat(self.file).st_size)
            self._bytes = np.frombuffer(self._map, np.uint8)

    def forget(self, keep: int) -> None:
        """Take from the start again, and give back what is beyond so many bytes."""
        self.end = 0
        if len(self._bytes) > keep:
            self._bytes, self._map = np.empty(0, np.uint8), None
            os.ftruncate(self.file, 0)

    def array(self, found: Array) -> np.ndarray[Any, Any]:
        """An array that lies here."""
        made: np.ndarray[Any, Any] = np.ndarray(found.shape, found.dtype, self._map, found.offset, found.strides)
        made.flags.writeable = found.writeable
        return made

    def within(self, array: np.ndarray[Any, Any]) -> int | None:
        """Where the first element of an array lies here; None: it lies elsewhere."""
        if not len(self._bytes) or not array.size:
            return None
        at = int(array.__array_interface__["data"][0] - self._bytes.__array_interface__["data"][0])
        return at if 0 <= at < len(self._bytes) else None

    @property
    def address(self) -> int:
        """Where it lies in this process."""
        return int(self._bytes.__array_interface__["data"][0])

    def raw(self, start: int, end: int) -> np.ndarray[Any, Any]:
        """The bytes between two places."""
        return self._bytes[start:end]

    def close(self) -> None:
        """Give it up."""
        self._bytes, self._map = np.empty(0, np.uint8), None
        os.close(self.file)


class Block:
    """An array of the caller's, put down in memory that both map.

    Parameters
    ----------
    memory : Memory
        The memory.
    value : ndarray
        The array.
    fenced : bool
        It lies between two pages that the other process is to close, and ends where the second begins, but for what
        its alignment takes.

    Attributes
    ----------
    fences : list of int
        Where these pages begin.
    start, end : int
        Where its bytes lie.
    array : Array
        How it is found there.
    """

    def __init__(self, memory: Memory, value: np.ndarray[Any, Any], fenced: bool = False) -> None:
        self.value = value
        self._memory = memory
        own = _bytes_of(value)
        place = own.__array_interface__["data"][0]
        self.fences: list[int] = []
        if fenced and len(own) <= _FENCED:
            body = -(-(len(own) + _PAD) // mmap.PAGESIZE) * mmap.PAGESIZE
            first = -(-memory.reserve(body + 3 * mmap.PAGESIZE) // mmap.PAGESIZE) * mmap.PAGESIZE
            self._to = first + mmap.PAGESIZE + body
            self.fences = [first, self._to]
            self.start = self._to - len(own) - (self._to - len(own) - place) % value.dtype.alignment
            self._from = max(first + mmap.PAGESIZE, self.start - _PAD)
        else:
            self._from = memory.reserve(len(own) + 3 * _PAD)
            self._to = self._from + len(own) + 3 * _PAD
            self.start = self._from + _PAD + (place - self._from) % _PAD
        self.end = self.start + len(own)
        self.array = Array(
            self.start - bounds_of(value)[0], value.shape, value.strides, value.dtype, bool(value.flags.writeable)
        )
        memory.raw(self._from, self.start)[:] = _PATTERN
        memory.raw(self.start, self.end)[:] = own
        memory.raw(self.end, self._to)[:] = _PATTERN

    def take_back(self) -> None:
        """Write into the caller's array what was written into this one."""
        if self.value.flags.writeable and not _same(_bytes_of(self.value), self._memory.raw(self.start, self.end)):
            self.value[...] = self._memory.array(self.array)

    def overrun(self) -> Overrun | None:
        """What was written beside the array; None: nothing was."""
        for start, end in ((self._from, self.start), (self.end, self._to)):
            wrong = np.flatnonzero(self._memory.raw(start, end) != _PATTERN)
            if len(wrong):
                first = start + int(wrong[-1 if end == self.start else 0])
                return Overrun(len(wrong), first - self.start, self.end - self.start)
        return None


def _same(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    whole = len(a) // 8 * 8
    return bool((a[:whole].view(np.uint64) == b[:whole].view(np.uint64)).all() and (a[whole:] == b[whole:]).all())


def whose(beside: Sequence[tuple[int, ...]], results: Sequence[object]) -> list[tuple[str, int, Overrun]]:
    """Say beside which of a function's results was written what guarded memory tells.

    Parameters
    ----------
    beside : list of (int, int, int, int)
        As ``unguarded`` of the library's C gives it: address, size, first and number.
    results : sequence
        What the function gave.

    Returns
    -------
    list of (str, int, Overrun)
        ``"output"`` and its number; ``"own"`` and -1: an array that is none.
    """
    found = []
    for address, size, first, number in beside:
        at = [
            i
            for i, value in enumerate(results)
            if isinstance(value, np.ndarray) and 0 <= value.__array_interface__["data"][0] - address < max(size, 1)
        ]
        found.append(("output" if at else "own", at[0] if at else -1, Overrun(number, first, size)))
    return found


def put(memory: Memory, value: np.ndarray[Any, Any]) -> Array:
    """Put down a result as it lies.

    Parameters
    ----------
    memory : Memory
        Where.
    value : ndarray
        The result.

    Returns
    -------
    Array
    """
    own = _bytes_of(value)
    start = -(-memory.reserve(len(own) + _PAD) // _PAD) * _PAD
    memory.raw(start, start + len(own))[:] = own
    first = start - bounds_of(value)[0]
    return Array(first, value.shape, value.strides, value.dtype, bool(value.flags.writeable))


def lies_in(value: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> int | None:
    """Say how many bytes behind another's first element an array's lies, if all of it lies among the other's bytes.

    Parameters
    ----------
    value, other : ndarray
        The arrays.

    Returns
    -------
    int or None
        None: it does not.
    """
    by = int(value.__array_interface__["data"][0] - other.__array_interface__["data"][0])
    (low, high), (first, last) = bounds_of(value), bounds_of(other)
    return by if value.size and first <= by + low and by + high <= last else None
