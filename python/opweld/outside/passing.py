"""What is said between two processes: pickles on a socket."""

from __future__ import annotations

import pickle
import select
import socket
import struct
from typing import Any

__all__ = ["Channel", "Unpicklable", "pickled"]

_LENGTH = struct.Struct("<Q")


class Unpicklable(Exception):
    """A value cannot travel; says why."""


class Channel:
    """A socket on which pickles go to and fro.

    Parameters
    ----------
    connection : socket
        Connected.
    """

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection

    def send(self, message: object) -> None:
        """Send an object."""
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self.socket.sendall(_LENGTH.pack(len(data)) + data)

    def hear(self) -> None:
        """Say that an object was received."""
        self.socket.sendall(b"!")

    def heard(self, seconds: float) -> None:
        """Wait until the other process says that it has received an object; raises as `receive` does."""
        self._wait(seconds)
        self._exactly(1)

    def receive(self, seconds: float = 0.0) -> Any:
        """Wait for an object.

        Parameters
        ----------
        seconds : float
            How long; 0: as long as it takes.

        Returns
        -------
        object

        Raises
        ------
        EOFError
            If the other process is gone.
        TimeoutError
            If it says nothing.
        """
        self._wait(seconds)
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size))
        return pickle.loads(self._exactly(length))

    def _wait(self, seconds: float) -> None:
        if not seconds:
            return
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        if not poll.poll(seconds * 1000):
            raise TimeoutError

    def _exactly(self, length: int) -> bytes:
        found = bytearray()
        while len(found) < length:
            try:
                some = self.socket.recv(min(length - len(found), 1 << 20))
            except ConnectionError:
                some = b""
            if not some:
                raise EOFError
            found += some
        return bytes(found)


def pickled(value: object) -> bytes:
    """Pickle a value.

    Parameters
    ----------
    value : object
        The value.

    Returns
    -------
    bytes

    Raises
    ------
    Unpicklable
        If it cannot be.
    """
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except Exception as err:  # a class's own hooks may raise what they like
        raise Unpicklable(f"{type(err).__name__}: {err}") from None
