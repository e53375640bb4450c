"""The Python side of the border to the engine (docs/engine.md): strings in, JSON out, errors as exceptions.

The engine is loaded by the first call, never by an import of opweld. A process that was forked from one which had
loaded it must not call Go, whose threads did not survive: there each call is made in a fresh process.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Callable, Generator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from opweld import errors

if TYPE_CHECKING:
    import subprocess

__all__ = ["build", "compilers", "parse", "render", "version"]

Progress = Callable[[dict[str, Any]], object]

_SLICE = 50  # milliseconds: how long a signal may have to wait for the interpreter
_REAP = 1000  # milliseconds that a cancelled job is given to end; killing the compiler takes about one

_KINDS: dict[str, type[errors.OpweldError]] = {
    "program": errors.ProgramError,
    "no_compiler": errors.CompilerNotFoundError,
    "compile": errors.CompileError,
    "cache": errors.CacheError,
    "expression": errors.ExpressionError,
}

_loaded_in: int | None = None  # the process that loaded the engine
_serial = itertools.count()


def version() -> dict[str, Any]:
    """Tell which engine this is.

    Returns
    -------
    dict
        ``version``, ``program`` and ``cache`` (formats), ``go``.
    """
    return _ask("Version", "")


def render(program: str) -> dict[str, Any]:
    """Give the C that a Program becomes; nothing is compiled.

    Parameters
    ----------
    program : str
        Program's text (docs/program.md).

    Returns
    -------
    dict
        ``text`` and ``lang``.

    Raises
    ------
    ProgramError
        If Program is malformed.
    """
    return _ask("Render", program)


def parse(text: str, args: list[str] | None = None) -> dict[str, Any]:
    """Read the text of an elementwise expression.

    Parameters
    ----------
    text : str
        What `opweld.scalar.expr` takes.
    args : list of str, optional
        The arguments' names, in order; left out: those of the text.

    Returns
    -------
    dict
        ``args``, ``body`` and ``results``, as in docs/engine.md.

    Raises
    ------
    ExpressionError
        If the text is no expression; ``details`` has ``line`` and ``column``, both from 1.
    """
    return _ask("Parse", json.dumps({"text": text, "args": args}))


def compilers(drivers: list[str], root: str = "") -> list[dict[str, Any]]:
    """Tell what the compiler drivers are.

    Parameters
    ----------
    drivers : list of str
        Absolute paths.
    root : str, optional
        The cache folder, where a driver's identity is remembered.

    Returns
    -------
    list of dict
        For each ``driver`` its ``family``, ``version``, ``target``, or why it cannot run (``error``).
    """
    answer = _ask("Compilers", json.dumps({"drivers": drivers, "root": root}))
    return list(answer["compilers"])


def build(request: dict[str, Any], progress: Progress | None = None) -> dict[str, Any]:
    """Build a module, or find it in the cache.

    Parameters
    ----------
    request : dict
        As in docs/engine.md.
    progress : callable, optional
        Called about every 50 ms while the build runs, with a dict of ``stage`` and ``seconds``. An exception from it
        cancels the build.

    Returns
    -------
    dict
        The result, as in docs/engine.md.

    Raises
    ------
    ProgramError, CompilerNotFoundError, CompileError, CacheError, EngineError
        By the kind of error; ``details`` is the engine's answer.
    KeyboardInterrupt
        At once on Ctrl-C; the compiler has then been killed.
    """
    text = json.dumps(request)
    with closing(_run_apart("Build", text) if _is_forked() else _run_here(text)) as answers:
        for answer in answers:
            if answer["state"] == "done":
                return dict(_checked(answer)["result"])
            if progress is not None:
                progress(answer)
    raise errors.EngineError("the engine ended a build without an answer")


def _is_forked() -> bool:
    return _loaded_in is not None and _loaded_in != os.getpid()


def _load() -> Any:
    """Give the bound engine."""
    global _loaded_in
    try:
        from opweld import _engine
    except ImportError as error:
        raise errors.EngineError(
            f"the engine, which is needed to build a module, cannot be loaded: {error}. Install opweld's wheel for "
            f"this CPython, or in a source tree run: make engine"
        ) from error
    if _loaded_in is None:
        _loaded_in = os.getpid()
    return _engine


def _call(name: str, *arguments: str | int) -> dict[str, Any]:
    """Call a function of the engine in this process."""
    try:
        answer = getattr(_load(), "pyext_" + name)(*arguments)
    except (RuntimeError, ValueError) as error:  # a Go error; text that is no C string
        raise errors.EngineError(f"engine call {name}: {error}") from error
    return dict(json.loads(answer))


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    """Give the answer, or raise the error that it carries."""
    error = answer.get("error")
    if error is None:
        return answer
    raise _KINDS.get(error.get("kind", ""), errors.EngineError)(error["message"], error)


def _ask(name: str, argument: str) -> dict[str, Any]:
    """Make one call that answers without delay."""
    if not _is_forked():
        return _checked(_call(name, argument))
    answers = list(_run_apart(name, argument))
    return _checked(answers[-1])


def _run_here(request: str) -> Generator[dict[str, Any], None, None]:
    """Build in this process; yield the answers, the last of which is "done". Leaving early cancels."""
    job = f"{os.getpid()}-{next(_serial)}"  # known before the start: an interrupt in between finds it
    ended = False
    try:
        _call("Start", job, request)
        while not ended:
            answer = _call("Wait", job, _SLICE)
            ended = answer["state"] == "done"
            yield answer
    finally:
        if not ended:
            _abandon(job)


def _abandon(job: str) -> None:
    """Cancel a job and wait for its end, so that nothing of it is left."""
    try:
        _call("Cancel", job)
        _call("Wait", job, _REAP)
    except errors.EngineError:
        pass  # it was never started, or its end was heard in the moment of the interrupt


def _run_apart(name: str, argument: str) -> Generator[dict[str, Any], None, None]:
    """Make a call in a fresh process; yield its answers. Leaving early cancels."""
    import subprocess
    import tempfile

    if not sys.executable:
        raise errors.EngineError(
            "this process was forked from one that had loaded the engine, and there is no Python interpreter to "
            "build in: sys.executable is empty. Build the function before the fork, or start processes by spawn"
        )
    # The same modules are found as here, whatever was done to sys.path; -m would put the current folder before them.
    path = [entry for entry in sys.path if isinstance(entry, str)]
    code = f"import sys; sys.path[:] = {path!r}; from opweld.engine import _serve; _serve()"
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            start_new_session=True,  # Ctrl-C in a terminal is for us to pass on
        )
        assert process.stdin is not None and process.stdout is not None
        try:
            try:
                process.stdin.write(json.dumps([name, argument]).encode())
                process.stdin.close()
            except BrokenPipeError:
                pass  # it ended early; what it said tells why
            for line in process.stdout:
                yield json.loads(line)
            if process.wait() != 0:
                complaints.seek(0)
                said = complaints.read().decode(errors="replace").strip()
                raise errors.EngineError(
                    f"engine call {name}: the process that was started for it ended with code {process.returncode}: "
                    f"{said or 'no message'}"
                )
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process of ours that may still be building."""
    import subprocess

    if process.poll() is None:
        process.terminate()  # it cancels its build and goes
        try:
            process.wait(2 * _REAP / 1000)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    assert process.stdin is not None and process.stdout is not None
    process.stdout.close()
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass


def _serve() -> None:
    """Be the fresh process: one request on stdin, its answers on stdout, a line each. SIGTERM cancels."""
    import signal

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        name, argument = json.load(sys.stdin)
        if name != "Build":
            print(json.dumps(_call(name, argument)), flush=True)
            return
        with closing(_run_here(argument)) as answers:
            for answer in answers:
                print(json.dumps(answer), flush=True)
    except (KeyboardInterrupt, BrokenPipeError):
        # Nobody listens any more; leave without the interpreter's own complaint about a lost stdout.
        os._exit(1)


if __name__ == "__main__":
    _serve()
