"""The caller's side of the process in which C runs: started when it is needed, kept, replaced when it has died.

What such a process has in its environment, and what watches it, is its caller's to say: there is one worker for each
such `Place`.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any, NamedTuple
from warnings import warn

from opweld.apart import fresh
from opweld.errors import OpweldError
from opweld.outside.memory import Memory, unnamed
from opweld.outside.passing import Channel

__all__ = ["PLAIN", "Died", "Place", "Worker", "worker"]

_KEPT = 1 << 28  # bytes of shared memory that a worker holds on to between calls
_BEGIN = 120.0  # seconds that a process may take until it listens
_WORDS = 2.0  # seconds that a process is given to write its last words
_workers: dict[Any, Worker] = {}


class Place(NamedTuple):
    """What a process is started with.

    Attributes
    ----------
    environment : tuple of (str, str)
        What it has in its environment besides what this one has: ``LD_PRELOAD``, options of sanitizers.
    before : tuple of str
        The command that runs its command: a tool that watches it.
    heap : bool
        Arrays lie each in memory of its own from ``malloc``, whose bounds what watches it knows.
    racing : bool
        Each call is made by two threads at once.
    """

    environment: tuple[tuple[str, str], ...] = ()
    before: tuple[str, ...] = ()
    heap: bool = False
    racing: bool = False


PLAIN = Place()


class Died(Exception):
    """The process ended in a call.

    Attributes
    ----------
    signal : int
        What ended it; 0: it ended by itself.
    code : int
        Its exit code, where it ended by itself.
    slow : float
        The seconds after which it was ended by its caller; 0: it was not.
    words : str
        Its last words: templates/runtime/lastwords.c.
    said : str
        What it wrote to stderr in the call.
    blocks : list of (str, int, int, int)
        What lay in the memory that both map: ``"input"`` or ``"output"``, its number, where its bytes begin and end.
    begun : bool
        It was told what to do before it ended.
    """

    def __init__(self, status: int | None, slow: float, words: str, said: str, begun: bool) -> None:
        super().__init__(status)
        self.signal = -status if status is not None and status < 0 else 0
        self.code = status if status is not None and status >= 0 else 0
        self.slow = slow
        self.words = words
        self.said = said
        self.begun = begun
        self.blocks: list[tuple[str, int, int, int]] = []


class Worker:
    """A process that runs C, and is replaced when it has died.

    Parameters
    ----------
    place : Place
        What its process is started with.

    Attributes
    ----------
    started : int
        How many processes it has had.
    """

    def __init__(self, place: Place = PLAIN) -> None:
        self.place = place
        self.started = 0
        self.lock = threading.RLock()
        self.known: set[int] = set()  # the functions that the process has bound
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The number of its process, which is started if there is none."""
        with self.lock:
            self.ready()
            assert self._process is not None
            return self._process.pid

    def ask(self, seconds: float, *message: Any) -> Any:
        """Have the process do something; a fresh one, where it has died since it was last asked.

        Parameters
        ----------
        seconds : float
            How long it may take; 0: as long as it likes.
        *message
            As ``opweld.outside.child`` takes it.

        Returns
        -------
        object
            Its answer.

        Raises
        ------
        Died
            If it ends.
        """
        begun = False
        try:
            self._channel.send(message)
            self._channel.heard(seconds)
            begun = True
            what, answer, self.memory.end, warned = self._channel.receive(seconds)
        except (EOFError, ConnectionError):
            raise self._died(0.0, begun) from None
        except TimeoutError:
            raise self._died(seconds, begun) from None
        except BaseException:  # Ctrl-C: what it says later is no answer to what it is asked next
            self.end()
            raise
        self._pass_on()
        for text, category in warned:
            warn(text, category, stacklevel=2)
        return what, answer

    def ready(self) -> bool:
        """Have a process to ask.

        Returns
        -------
        bool
            Whether it is a new one, which has bound nothing.

        Raises
        ------
        OpweldError
            If none can be started.
        """
        if self._process is not None and self._process.poll() is None:
            return False
        self.end()
        self._start()
        return True

    def _start(self) -> None:
        if not sys.executable:
            raise OpweldError("no process can be started for C to run in: sys.executable is empty; pass isolate=False")
        ours, theirs = socket.socketpair()
        self.memory, self._words, self._stderr = Memory(), unnamed("words"), unnamed("stderr")
        files = theirs.fileno(), self.memory.file, self._words
        asked = *files, self.place.heap, self.place.racing
        try:
            self._process = subprocess.Popen(
                [*self.place.before, *fresh(f"from opweld.outside.child import serve; serve{asked}")],
                stdin=subprocess.DEVNULL,
                stderr=self._stderr,
                pass_fds=files,
                env={**os.environ, **dict(self.place.environment)},
                start_new_session=True,  # Ctrl-C in a terminal is for us to act on
            )
        except OSError as err:
            ours.close()
            self._close_files()
            raise OpweldError(f"no process can be started for C to run in: {err.strerror}") from err
        finally:
            theirs.close()
        self._channel = Channel(ours)
        self.known = set()
        self.started += 1
        try:
            self._channel.receive(_BEGIN)
        except (EOFError, TimeoutError):
            said = self.said().strip().splitlines()[-1:]
            tool = " ".join(
                [*self.place.before[:1], *[value for name, value in self.place.environment if name == "LD_PRELOAD"]]
            )
            self.end()
            raise OpweldError(
                f"the process for C to run in does not begin{f' under {tool}' if tool else ''}: "
                f"{''.join(said) or 'it says nothing'}"
            ) from None

    def forget(self) -> None:
        """Give up what calls have put into shared memory."""
        if self._process is not None:
            self.memory.forget(_KEPT)

    def said(self) -> str:
        """Give, and forget, what the process has written to stderr."""
        size = os.fstat(self._stderr).st_size
        if not size:
            return ""
        text = os.pread(self._stderr, size, 0).decode(errors="replace")
        os.ftruncate(self._stderr, 0)
        os.lseek(self._stderr, 0, os.SEEK_SET)
        return text

    def _pass_on(self) -> None:
        """Show what C has written to stderr where this process shows such things."""
        text = self.said()
        if text and sys.stderr is not None:
            sys.stderr.write(text)

    def _died(self, slow: float, begun: bool) -> Died:
        """Tell how the process ended; one that does not is ended."""
        process = self._process
        assert process is not None
        if slow:
            process.send_signal(signal.SIGABRT)  # it says where it stands
        try:
            status: int | None = process.wait(_WORDS)
        except subprocess.TimeoutExpired:
            process.kill()
            try:
                status = process.wait(_WORDS)
            except subprocess.TimeoutExpired:  # the system itself holds it; it will go when that lets it
                status = None
        words = os.pread(self._words, os.fstat(self._words).st_size, 0).decode(errors="replace")
        found = Died(status, slow, words, self.said(), begun)
        self.end()
        return found

    def finish(self, seconds: float) -> None:
        """Let the process end by itself, and what watches it say what it has to; one that does not end is ended.

        Parameters
        ----------
        seconds : float
            How long it may take.
        """
        if self._process is not None:
            self._channel.socket.close()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
            self.end()

    def end(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        self._channel.socket.close()
        if process.poll() is None:
            process.kill()
            try:
                process.wait(_WORDS)
            except subprocess.TimeoutExpired:
                pass
        self._close_files()

    def _close_files(self) -> None:
        self.memory.close()
        os.close(self._words)
        os.close(self._stderr)


def worker(place: Place = PLAIN) -> Worker:
    """Give the worker of a place; a process that was forked has workers of its own.

    Parameters
    ----------
    place : Place
        What its process is started with.

    Returns
    -------
    Worker
    """
    key = os.getpid(), place
    found = _workers.get(key)
    if found is None:
        if not _workers:
            atexit.register(_end_all)
        found = _workers.setdefault(key, Worker(place))
    return found


def _end_all() -> None:
    for (pid, _), found in _workers.items():
        if pid == os.getpid():
            found.end()
