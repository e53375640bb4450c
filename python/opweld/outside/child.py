"""The child: loads modules, calls their functions on what it is sent, and says what came of it. It knows no op."""

from __future__ import annotations

import ctypes
import mmap
import os
import pickle
import socket
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from opweld.compile.builder import load
from opweld.config import config
from opweld.dtypes import compiled
from opweld.outside.heap import Lent, lent_at
from opweld.outside.memory import Array, Memory, bare, lies_in, put, whose
from opweld.outside.passing import Channel, Unpicklable, pickled
from opweld.outside.racing import together

__all__ = ["serve"]


_libc = ctypes.CDLL(None)


class _Refused(Exception):
    """The module refuses what a kernel left: the numbers that it says, and the value."""


class _Unreadable(Exception):
    """A value cannot be unpickled here: its place, and why."""


def serve(connection: int, memory: int, words: int, heap: bool, racing: bool) -> None:
    """Do what is asked, until nobody asks any more.

    Parameters
    ----------
    connection : int
        The number of the socket.
    memory, words : int
        Those of the files where arrays lie, and where it is written what a signal ends.
    heap, racing : bool
        As `opweld.outside.worker.Place` has them.
    """
    compiled().last_words(words)
    if heap:
        compiled().unkept()
    channel = Channel(socket.socket(fileno=connection))
    child = _Child(Memory(memory), words if heap else -1, racing)
    channel.send(None)
    while True:
        try:
            message = channel.receive()
            channel.hear()
        except (EOFError, ConnectionError):
            os._exit(0)  # nothing here is worth an end in order
        reply = child.do(*message)
        _libc.fflush(None)
        sys.stdout.flush()
        channel.send((*reply, child.memory.end, child.warned))


class _Child:
    def __init__(self, memory: Memory, words: int, racing: bool) -> None:
        self.memory = memory
        self._words = words  # where it is told at which addresses copies of arrays lie; -1: there are none
        self._racing = racing
        self._lent: list[Lent] = []  # these copies
        self._modules: dict[str, Any] = {}
        self._functions: dict[int, Any] = {}
        self.warned: list[tuple[str, type[Warning]]] = []  # of the last call
        self._given: list[Any] = []  # what the last call worked on; views of it may live as long

    def do(self, what: str, *arguments: Any) -> tuple[Any, ...]:
        """Answer a message."""
        self.warned = []
        try:
            return self._load(*arguments) if what == "load" else self._call(*arguments)
        except _Unreadable as err:
            return "unreadable", err.args
        except _Refused as err:
            step, position, value = err.args
            return "refused", (step, position, self._sent(value))
        except Unpicklable as err:
            return "unwritable", str(err)
        except BaseException as err:  # SystemExit of a callback among them
            return "raised", _pickled_error(err)

    def _load(
        self, key: int, recipe: tuple[str, int, str, Sequence[Any], list[bytes], int, int, tuple[int, ...]]
    ) -> tuple[Any, ...]:
        """Bind a function of a module to its constants."""
        path, number, called, outs, constants, n, threads, nones = recipe

        def refuse(step: int, position: int, value: object) -> None:
            if step != -1 or value is not None or position not in nones:
                raise _Refused(step, position, value)

        module = self._modules.get(path)
        if module is None:
            module, why = load(path)
            if why is not None:
                raise why
            self._modules[path] = module
        self._functions[key] = module.make(
            number, called, (None,) * n, lambda index, value: value,
            tuple([out if isinstance(out, str) else (*out, config) for out in outs]), (),
            tuple([_read(i, data) for i, data in enumerate(constants)]), (None,) * n, (), None, refuse, None, threads,
        )  # fmt: skip
        return "done", None

    def _call(
        self,
        key: int,
        values: list[Array | bytes],
        outs: list[Array | None] | None,
        end: int,
        guard: tuple[int, bool] | None,
        fences: list[int],
    ) -> tuple[Any, ...]:
        """Call a function."""
        self.memory.end = end
        self.memory.map(end)
        self._lent = []
        given = self._given = self._read_all(values, self._lent)
        offered = (
            {} if outs is None else {"out": [None if out is None else self._array(out, self._lent) for out in outs]}
        )
        if self._words >= 0:  # its bounds are known without pages
            fences, guard = [], guard and (guard[0], False)
            self._tell_places(values, given)
        beside: list[tuple[int, ...]] = []
        self._close(fences, True)
        if guard is not None:
            compiled().guarded(*guard)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                function = self._functions[key]
                if self._racing:
                    found = together(function, given, lambda: self._read_all(values, []), **offered)
                else:
                    found = function(*given, **offered)
            finally:
                if guard is not None:
                    beside = compiled().unguarded()
                self._close(fences, False)
                self.warned = [(str(one.message), one.category) for one in said]
        for lent in self._lent:
            lent.give_back()
        largest = sorted(range(len(found)), key=lambda i: -getattr(found[i], "nbytes", 0))
        sent: dict[int, Any] = {}
        for i in largest:
            sent[i] = self._result(found[i], given, {k: found[k] for k in sent})
        return "done", (list(sent.items()), whose(beside, found))

    def _read_all(self, values: list[Array | bytes], lent: list[Lent]) -> list[Any]:
        return [self._array(v, lent) if isinstance(v, Array) else _read(i, v) for i, v in enumerate(values)]

    def _array(self, found: Array, lent: list[Lent]) -> Any:
        """An array that was sent: there, or a copy."""
        if self._words < 0:
            return self.memory.array(found)
        lent.append(Lent(self.memory, found))
        return lent[-1].array

    def _tell_places(self, values: list[Array | bytes], given: list[Any]) -> None:
        """Write down where copies of arrays lie: who reads what a tool says of addresses knows then which they are."""
        inputs = [i for i, value in enumerate(values) if isinstance(value, Array)]
        told = [f"input {i} {lent.start:x}\n" for i, lent in zip(inputs, self._lent)]
        os.ftruncate(self._words, 0)
        os.lseek(self._words, 0, os.SEEK_SET)
        os.write(self._words, "".join(told).encode())

    def _within(self, value: np.ndarray[Any, Any]) -> int | None:
        """Where a value lies in the memory that both map, or what it is a copy of; None: elsewhere."""
        at = self.memory.within(value)
        return lent_at(self._lent, value) if at is None else at

    def _close(self, fences: list[int], closed: bool) -> None:
        """Close pages, or open them again."""
        for at in fences:
            if _libc.mprotect(ctypes.c_void_p(self.memory.address + at), mmap.PAGESIZE, 0 if closed else 3):
                raise MemoryError("the system has no more room to close pages in: vm.max_map_count")

    def _result(self, value: object, given: Sequence[object], others: Mapping[int, Any]) -> tuple[Any, ...]:
        """How a result travels: as an input, as a view of another result, by the place where it lies, or as a copy."""
        for i, one in enumerate(given):
            if value is one:
                return "same", i
        if bare(value) and self._within(value) is None:
            for k, other in others.items():
                by = lies_in(value, other) if bare(other) else None
                if by is not None:
                    return "view", (k, by, Array(0, value.shape, value.strides, value.dtype, value.flags.writeable))
        return "new", self._sent(value)

    def _sent(self, value: object) -> Array | bytes:
        if not bare(value):
            return pickled(value)
        at = self._within(value)
        if at is None:
            try:
                return put(self.memory, value)
            except OSError as err:
                raise Unpicklable(f"there is no room in shared memory: {err.strerror}") from None
        return Array(at, value.shape, value.strides, value.dtype, bool(value.flags.writeable))


def _read(place: int, data: bytes) -> Any:
    try:
        return pickle.loads(data)
    except Exception as err:  # a class's own hooks may raise what they like
        raise _Unreadable(place, f"{type(err).__name__}: {err}") from None


def _pickled_error(err: BaseException) -> bytes:
    err.__traceback__ = None
    try:
        data = pickle.dumps(err)
        if type(pickle.loads(data)) is type(err):
            return data
    except Exception:
        pass
    return pickle.dumps(RuntimeError(f"{type(err).__name__}: {err}"))
