"""The Python side of the border to the engine (docs/engine.md): strings in, JSON out, errors as exceptions.

The engine is loaded by the first call, never by an import of opweld. Where it cannot live each call is made in a fresh
process: in one that was forked from a process which had loaded it, since Go's threads did not survive; where memory,
threads or open files are so short that Go's runtime, which ends its process when it lacks one, might not get them;
where somebody else waits for this process's children; and where its mask keeps its own files from it.
"""

from __future__ import annotations

import atexit
import itertools
import os
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from typing import Any

from opweld import errors, library, lifeline, room
from opweld.border import of_system, to_engine
from opweld.lean import dumps, loads
from opweld.rooms import late

__all__ = [
    "build", "compilers", "cop", "finish", "fusion", "lint", "message", "parse", "render", "rules", "version", "wrap",
]  # fmt: skip

apart: Any = late("opweld.apart")  # where the engine cannot live in this process

Progress = Callable[[dict[str, Any]], object]

_SLICE = 50  # milliseconds that a signal may wait for the interpreter
_REAP = 1000  # milliseconds that a cancelled job is given to end; killing the compiler takes about one
_FINISH = 20_000  # milliseconds that the end of a process waits for what builds have begun for later ones
_KINDS: dict[str, type[errors.OpweldError]] = {
    "program": errors.ProgramError, "no_compiler": errors.CompilerNotFoundError, "compile": errors.CompileError,
    "cache": errors.CacheError, "private": errors.CacheError, "tool": errors.ToolError,
    "expression": errors.ExpressionError, "signature": errors.SignatureError,
}  # fmt: skip

_serial = itertools.count()


def version() -> dict[str, Any]:
    """Tell which engine this is.

    Returns
    -------
    dict
        ``version``, ``program`` and ``cache`` (formats), ``go``.
    """
    return _ask("Version", "")


def render(*programs: str, module: str = "opweld_module", fuse: bool = True) -> dict[str, Any]:
    """Give the C of a module that has a function for each Program; nothing is compiled.

    Parameters
    ----------
    *programs : str
        Programs' texts (docs/program.md), in the order in which the module's ``make`` knows their functions.
    module : str, optional
        Python's name of the module. Left out: that of all modules in the cache.
    fuse : bool, optional
        One loop for steps that walk the same elements.

    Returns
    -------
    dict
        ``text`` and ``lang``.

    Raises
    ------
    ProgramError
        If a Program is malformed, or the name is no identifier.
    """
    return _ask("Render", dumps({"module": module, "programs": programs, "fuse": fuse}))


def fusion(program: str) -> dict[str, Any]:
    """Say which steps of a Program become one loop.

    Parameters
    ----------
    program : str
        Program's text (docs/program.md).

    Returns
    -------
    dict
        ``loops``: lists of steps, each of one loop, by their places in Program; a step that takes little may be in
        several. ``apart``: ``from``, ``to`` and ``why`` for each step that is not in the loop whose result it reads.

    Raises
    ------
    ProgramError
        If the Program is malformed.
    """
    return _ask("Fusion", dumps({"program": program}))


def lint(program: str = "", fragments: Sequence[Mapping[str, Any]] = (), mend: bool = False) -> dict[str, Any]:
    """Say what goes wrong on the paths of users' C.

    Parameters
    ----------
    program : str, optional
        Program's text (docs/program.md).
    fragments : sequence of dict
        Texts that are of no Program, each with what its surroundings say of it (docs/engine.md).
    mend : bool
        Whether texts are wanted in which what has one mend is mended.

    Returns
    -------
    dict
        ``version`` of the lint, ``fragments``, how many texts were looked at, ``findings``, a list for each text, and
        ``mended``: of each text ``old``, ``new``, and ``fixed``, which findings are gone, if that is wanted.

    Raises
    ------
    ProgramError
        If the Program is malformed.
    """
    return _ask("Lint", to_engine({"program": program, "fragments": list(fragments), "mend": mend}))


def rules() -> list[dict[str, str]]:
    """List what the lint looks for: ``id``, ``severity``, ``title`` and ``mend`` of each rule."""
    return list(_ask("Rules", "")["rules"])


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
    return _ask("Parse", dumps({"text": text, "args": args}))


def cop(request: dict[str, Any]) -> dict[str, Any]:
    """Read a short form and write its C.

    Parameters
    ----------
    request : dict
        ``signature``, ``body``, ``name``, ``check``, ``cxx`` and ``nogil``.

    Returns
    -------
    dict
        As in docs/engine.md.

    Raises
    ------
    SignatureError
        If a text is none; ``details`` has ``in``, ``line`` and ``column``.
    """
    return _ask("Cop", dumps(request))


def wrap(prototype: str, signature: str) -> dict[str, Any]:
    """Check a prototype against a signature.

    Parameters
    ----------
    prototype, signature : str
        What `opweld.wrap` takes.

    Returns
    -------
    dict
        ``name``, ``signature`` and ``body`` of the short form that calls the function.

    Raises
    ------
    SignatureError
        If one is none, or they do not fit.
    """
    return _ask("Wrap", dumps({"prototype": prototype, "signature": signature}))


def members(text: str) -> dict[str, Any]:
    """Read what the text of a `c_declare` declares, in C.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    dict
        ``members``: for each declaration of variables its ``text``, without initialisers, their ``names``, and of those
        that it gives a value, ``given``; ``refused``: why the text cannot be read with certainty, or nothing.
    """
    return _ask("Members", text)


def message(diagnostics: list[dict[str, Any]], log: str) -> str:
    """Tell a person what the compiler refused, of diagnostics as in docs/engine.md, and where the whole output lies."""
    return str(_ask("Message", to_engine({"diagnostics": diagnostics, "log": log}))["message"])


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
    return list(_ask("Compilers", to_engine({"drivers": drivers, "root": root}))["compilers"])


def build(request: dict[str, Any], progress: Progress | None = None, here: bool | None = None) -> dict[str, Any]:
    """Build a module, or find it in the cache.

    Parameters
    ----------
    request : dict
        As in docs/engine.md.
    progress : callable, optional
        Called about every 50 ms while the build runs, with a dict of ``stage`` and ``seconds``. An exception from it
        cancels the build.
    here : bool, optional
        What `opweld.library.begin` has just said.

    Returns
    -------
    dict
        The result, as in docs/engine.md.

    Raises
    ------
    ProgramError, CompilerNotFoundError, CompileError, ToolError, CacheError, EngineError
        By the kind of error; ``details`` is the engine's answer.
    KeyboardInterrupt
        At once on Ctrl-C; the compiler has then been killed.
    """
    here = library.is_at_home() if here is None else here
    answer = _built(_run_here(request) if here else apart.run_apart("Build", request), progress)
    if here and (answer.get("error") or {}).get("kind") == "unseen":
        answer = _built(apart.run_apart("Build", request), progress)
    return dict(_checked(answer)["result"])


def finish() -> None:
    """Wait for what builds have begun for later ones. The end of the process, which would be its end, calls it."""
    if not library.is_here():
        return
    with suppress(KeyboardInterrupt):  # it is begun anew by a later build
        for _ in range(_FINISH // _SLICE):
            if _call("Finish", _SLICE)["state"] == "done":
                return


atexit.register(finish)


def _built(answers: Generator[dict[str, Any], None, None], progress: Progress | None) -> dict[str, Any]:
    """Give the last answer of a build, and show the others."""
    with closing(answers):
        for answer in answers:
            if answer["state"] == "done":
                return answer
            if progress is not None:
                progress(answer)
    raise errors.EngineError("the engine ended a build without an answer")


def _call(name: str, *arguments: str | int) -> dict[str, Any]:
    """Call a function of the engine in this process."""
    try:
        answer = getattr(library.load(), "pyext_" + name)(*arguments)
    except (RuntimeError, ValueError) as error:  # a Go error; text that is no C string
        raise errors.EngineError(f"engine call {name}: {error}") from error
    return dict(of_system(loads(answer)))


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    """Give the answer, or raise the error that it carries."""
    error = answer.get("error")
    if error is None:
        return answer
    raise _KINDS.get(error.get("kind", ""), errors.EngineError)(error["message"], error)


def _ask(name: str, argument: str) -> dict[str, Any]:
    """Make one call that answers without delay."""
    if library.is_at_home():
        return _checked(_call(name, argument))
    answers = list(apart.run_apart(name, argument))
    return _checked(answers[-1])


def _run_here(request: dict[str, Any]) -> Generator[dict[str, Any], None, None]:
    """Build in this process; yield the answers, the last of which is "done". Leaving early cancels."""
    text = to_engine({**request, "bounds": {**request.get("bounds", {}), "lifeline": lifeline.line()}})
    job = f"{os.getpid()}-{next(_serial)}"  # known before the start: an interrupt in between finds it
    ended = False
    try:
        _call("Start", job, text)
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


def _serve() -> None:
    """Be the fresh process: one request on stdin, its answers on stdout, a line each. SIGTERM cancels."""
    import signal

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # a parent that ignores it hands that down
    os.umask(room.mask() & 0o077)  # compilers read what they write
    try:
        name, argument = loads(sys.stdin.buffer.read().decode())
        try:
            lacking = room.lacking(False)
            if lacking:
                raise errors.EngineError(f"the engine cannot run here: {lacking}")
            if name != "Build":
                print(dumps(_call(name, argument)), flush=True)
                return
            with closing(_run_here(argument)) as answers:
                for answer in answers:
                    if answer["state"] == "done":  # whoever reads that ends this process
                        finish()
                    print(dumps(answer), flush=True)
        except errors.OpweldError as error:
            fault = {"kind": "internal", **error.details, "message": str(error)}
            print(dumps({"state": "done", "error": fault}), flush=True)
    except (KeyboardInterrupt, BrokenPipeError):
        # Nobody listens any more; leave without the interpreter's own complaint about a lost stdout.
        os._exit(1)


if __name__ == "__main__":
    _serve()
