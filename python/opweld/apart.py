"""Calls of the engine in a process of their own: started, listened to and ended."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from collections.abc import Generator
from typing import Any

from opweld import errors, room

__all__ = ["fresh", "run_apart"]

_REAP = 2.0  # seconds that such a process is given to cancel its build and go


def fresh(statements: str) -> list[str]:
    """Write the command of a fresh interpreter that finds the modules that this one finds.

    Parameters
    ----------
    statements : str
        What it runs.

    Returns
    -------
    list of str
    """
    # Whatever was done to sys.path; -m would put the current folder before it.
    path = [entry for entry in sys.path if isinstance(entry, str)]
    return [sys.executable, "-c", f"import sys; sys.path[:] = {path!r}; {statements}"]


def run_apart(name: str, argument: object) -> Generator[dict[str, Any], None, None]:
    """Make a call in a fresh process. Leaving early cancels.

    Parameters
    ----------
    name : str
        Of the engine's function.
    argument : object
        What it takes.

    Yields
    ------
    dict
        Its answers.

    Raises
    ------
    EngineError
        If no process can be started, or it ends without an answer.
    """
    if not sys.executable:
        raise errors.EngineError(
            "the engine cannot run in this process, which was forked from one that had loaded it or lacks memory, "
            "threads or files for it, and there is no Python interpreter to start: sys.executable is empty. Build "
            "the function before the fork, or start processes by spawn"
        )
    try:
        process = subprocess.Popen(
            fresh("from opweld.engine import _serve; _serve()"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C in a terminal is for us to pass on
        )
    except OSError as err:
        raise errors.EngineError(
            f"the engine needs a process of its own here, and none can be started: {err.strerror}{_advice(err)}"
        ) from err
    assert process.stdin is not None and process.stdout is not None
    said: list[str] = []  # what is no answer
    answered = False
    try:
        try:
            process.stdin.write(json.dumps([name, argument]).encode())
            process.stdin.close()
        except BrokenPipeError:
            pass  # it ended early; what it said tells why
        for line in process.stdout:
            if line.startswith(b'{"'):
                answer = json.loads(line)
                answered = answer.get("state", "done") == "done"
                yield answer
            else:
                said.append(line.decode(errors="replace").rstrip())
        if not answered:
            raise errors.EngineError(_ended(name, process.wait(), said))
    finally:
        _end(process)


def _advice(err: OSError) -> str:
    """What to do where no process can be started."""
    if err.errno == errno.EAGAIN:
        return f"; {room.MORE_THREADS}"
    return f"; {room.MORE_FILES}" if err.errno in (errno.EMFILE, errno.ENFILE) else ""


def _ended(name: str, code: int, said: list[str]) -> str:
    """Say how a process of ours ended without an answer."""
    lacking = room.lacking(False)
    if lacking:
        return f"the engine cannot run here: {lacking}"
    if any("pthread_create failed" in line or "create new OS thread" in line for line in said):
        return f"the engine cannot run here: no more threads can be started; {room.MORE_THREADS}"
    word = next((line for line in said if line and not line.startswith(("Traceback", " "))), "no message")
    return f"engine call {name}: the process that was started for it ended with code {code}: {word}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process of ours that may still be building."""
    if process.poll() is None:
        process.terminate()  # it cancels its build and goes
        try:
            process.wait(_REAP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    assert process.stdin is not None and process.stdout is not None
    process.stdout.close()
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass
