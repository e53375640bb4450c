"""The exceptions and warnings that opweld raises.

Errors that an engine answer can cause are made as ``cls(message, details)``: ``details`` is the answer's JSON object
(see docs/engine.md), kept so that tools can read op, file, line and diagnostics without parsing the message.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from types import CodeType
from typing import Any

__all__ = [
    "AccountWarning",
    "CacheError",
    "CacheWarning",
    "CompileError",
    "CompileWarning",
    "CompilerNotFoundError",
    "ConfigError",
    "EngineError",
    "ExpressionError",
    "InconsistencyError",
    "LintError",
    "LintWarning",
    "LoadError",
    "MethodNotDefined",
    "MissingInputError",
    "OpCrashed",
    "OpTimeout",
    "OpweldError",
    "OpweldWarning",
    "OutOfBoundsError",
    "ProgramError",
    "RewriteError",
    "SanitizerError",
    "SignatureError",
    "ToolError",
    "UnusedInputError",
]


class OpweldError(Exception):
    """Base of the errors that are opweld's own.

    Parameters
    ----------
    message : str
        What went wrong, and what to do about it.
    details : dict, optional
        Machine-readable facts: for errors from the engine the ``error`` object of docs/engine.md.
    """

    def __init__(self, message: str = "", details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.details: dict[str, Any] = {} if details is None else details

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.details)


class ProgramError(OpweldError):
    """Program is malformed, or of a version that this engine does not read."""


class CompilerNotFoundError(OpweldError):
    """A module must be built and there is no compiler that can run."""


class CompileError(OpweldError):
    """The compiler refused the text."""


class SignatureError(OpweldError, ValueError):
    """The signature of a short form, or its body, cannot be what it is; shows the line."""


class ToolError(OpweldError):
    """A program that builds modules died, was missing, could not be started, or ran out of time or memory."""


class CacheError(OpweldError):
    """Nothing could be written where something must be."""


class EngineError(OpweldError):
    """The engine is missing, cannot be loaded, or has a defect."""


class ExpressionError(OpweldError, ValueError):
    """The text given to `opweld.scalar.expr` is no expression."""


class LoadError(OpweldError, ImportError):
    """A module was built and cannot be imported."""


class ConfigError(OpweldError, ValueError):
    """A configuration key that does not exist, or a value that does not fit."""


class InconsistencyError(OpweldError):
    """What the ops of a graph destroy and view cannot be honoured by any order of execution."""


class RewriteError(OpweldError):
    """A rewriter gave what cannot stand in the place of a node, or rewriters undo one another's work for ever."""


class MissingInputError(OpweldError):
    """The outputs depend on a variable that is neither computed, nor constant, nor given."""


class UnusedInputError(OpweldError):
    """An input of a function that no output depends on."""


class OpCrashed(OpweldError):
    """An op's C ended the process that it ran in; the caller's lives on.

    ``details``: ``op``, ``node``, ``function``, ``file`` and ``line`` of the user's source, ``signal`` (its name, or
    empty), ``code`` (the exit code, where no signal came), ``backtrace`` (a text a frame), ``stderr`` (what was written
    there).
    """


class OpTimeout(OpCrashed):
    """An op's C did not come back in time, and was ended; ``details`` as of `OpCrashed`, and ``seconds``."""


class OutOfBoundsError(OpweldError):
    """An op's C wrote beside an array.

    ``details``: ``op``, ``node``, ``function``, and ``beside``, a list of: ``"input"`` or ``"output"``, its number, how
    many bytes, and how many bytes from the array's first the first of them lies.
    """


class SanitizerError(OpweldError):
    """A sanitizer found something in an op's C, and ended the process that it ran in; the caller's lives on.

    ``details``: ``op``, ``node``, ``function``, ``sanitizer`` (``"address"``, ``"undefined"``, ``"thread"``), ``kind``
    (its own word, such as ``"heap-buffer-overflow"``), ``file`` and ``line`` of the user's source, ``origins`` (a list
    of: what happened there, ``file``, ``line``; such as where what is used was released), ``backtrace`` (a text a
    frame), ``report`` (all that the sanitizer wrote).
    """


class MethodNotDefined(OpweldError, NotImplementedError):
    """What a hook raises to say that the op or type does not write it.

    Parameters
    ----------
    *args : object
        What it says: one text, or, in the manner of older packages, several things.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(", ".join(map(str, args)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self),)


def not_written(err: BaseException) -> bool:
    """Say whether an exception that a hook raised means that it is not written.

    Parameters
    ----------
    err : BaseException
        What was raised.

    Returns
    -------
    bool
        True for a bare NotImplementedError and for `MethodNotDefined`. Another subclass of NotImplementedError is an
        error of its author's.
    """
    return type(err) is NotImplementedError or isinstance(err, MethodNotDefined)


class LintError(OpweldError):
    """The lint finds something in the C of a function that was to have none: ``details["findings"]`` lists it."""


class OpweldWarning(UserWarning):
    """Base of the warnings that are opweld's own."""


class AccountWarning(OpweldWarning):
    """What an op's C has lost of references and memory, or given up too often, where that is counted."""


class CacheWarning(OpweldWarning):
    """A folder of the cache is not used, for somebody else could have put code there."""


class LintWarning(OpweldWarning):
    """What the lint finds in a user's C, before it runs."""


class CompileWarning(OpweldWarning):
    """What the compiler warned about in a user's fragment."""


def _yes_or_no(where: str, value: object, maybe: bool = False) -> Any:
    """Refuse what is no truth value: a text such as "no" would count as yes. `maybe`: None is one too."""
    if isinstance(value, bool) or (maybe and value is None):
        return value
    if type(value).__name__ in ("bool", "bool_") or (isinstance(value, int) and value in (0, 1)):  # NumPy's; 0 and 1
        return bool(value)
    raise TypeError(f"{where} must be True{', False or None' if maybe else ' or False'}, got {_what(value)}")


def _refuse_unknown(called: str, given: Iterable[str], known: Iterable[str], ignored: Iterable[str] = ()) -> None:
    """Refuse keywords that are neither known nor among those that other packages have, and that are ignored."""
    from difflib import get_close_matches

    for name in given:
        if name not in ignored:
            near = get_close_matches(name, [*known, *ignored], 1)
            meant = f"; is {near[0]!r} meant?" if near else f"; it takes {', '.join(known)}"
            raise TypeError(f"{called}() got an unexpected keyword argument {name!r}{meant}")


def _what(thing: object) -> str:
    """Describe something that is not what was asked for, in a few words."""
    if thing is None:
        return "None"
    text = _by_name(thing)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(thing).__name__})"


def _by_name(thing: object) -> str:
    """How Python writes something, but of variables their names."""
    if isinstance(thing, (list, tuple)) and any([hasattr(item, "owner") for item in thing]):
        return f"[{', '.join(map(_by_name, thing))}]"
    return str(thing) if hasattr(thing, "owner") and hasattr(thing, "type") else repr(thing)


def _instead(thing: object) -> str:
    """Say what is to be written for something that stands where a variable belongs; empty: nothing is known."""
    if hasattr(thing, "make_node"):
        if isinstance(thing, type):
            return f"; write {thing.__name__}()(x) to apply it"
        return f"; apply it: {type(thing).__name__}(...)(x)"
    if hasattr(thing, "owner") and hasattr(thing, "type"):
        package = type(thing).__module__.partition(".")[0]
        return f"; it is a variable of {package}: build the graph of opweld.tensor, or see docs/front-ends.md"
    if hasattr(thing, "dtype") and hasattr(thing, "shape"):
        sizes = (None,) * len(thing.shape)
        return f"; a variable is T.tensor('x', dtype='{thing.dtype}', shape={sizes!r}), a constant T.constant(array)"
    return ""


def _described(variable: Any) -> str:
    """A variable as it is shown: its name, what computes it, its dtype and shape."""
    what = str(variable)
    if variable.owner is not None:
        what = f"{variable.name} = {variable.owner}" if variable.name else str(variable.owner)
    what = what if len(what) <= 120 else f"{what[:117]}..."
    shape = getattr(variable.type, "shape", None)
    if shape is None or not hasattr(variable.type, "dtype"):
        return f"<{type(variable).__name__} {what}: {variable.type}>"
    sizes = ", ".join(["?" if size is None else str(size) for size in shape]) + "," * (len(shape) == 1)
    name = "" if what.startswith("<") else f" {what}"
    return f"<{type(variable).__name__}{name}: {variable.type.dtype}, shape ({sizes})>"


def _named(variable: Any) -> str:
    """A variable and its type, for messages."""
    if variable.name is None and variable.owner is None:
        return f"a variable without a name, of type {variable.type}"
    return f"{variable} of type {variable.type}"


_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_theirs: dict[str, bool] = {}  # file name -> whether it is neither opweld's nor NumPy's


def _place(depth: int) -> tuple[CodeType, int] | None:
    """The nearest code outside opweld and NumPy that is running, and which of its instructions; the line can wait.

    A `make_node` does not count: who called it is meant.
    """
    frame: Any = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        file = code.co_filename
        theirs = _theirs.get(file)
        if theirs is None:
            theirs = _theirs[file] = not file.startswith((_PACKAGE, _numpy_folder()))
        if theirs and code.co_name != "make_node":
            return code, frame.f_lasti
        frame = frame.f_back
    return None


def _numpy_folder() -> str:
    """NumPy's folder: an array's operators come through its Python where the other operand is a variable."""
    import numpy as np

    return os.path.dirname(os.path.abspath(np.__file__)) + os.sep


def _prefix(err: Exception, where: str) -> None:
    """Say in an exception where it arose; its class stays."""
    if err.args and isinstance(err.args[0], str):
        err.args = (f"{where}: {err.args[0]}", *err.args[1:])
    elif not err.args:
        err.args = (where,)
