"""Asking the hooks: what ops and types write, under whatever signature they write it.

Whether a hook takes ``check_input`` or ``c_compiler`` is read off its signature, never found out by catching TypeError.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Protocol

from opweld.errors import MethodNotDefined, _what, not_written
from opweld.signatures import code_of, fitting, signature_of

__all__ = [
    "ABSENT", "Said", "ask", "ask_for_build", "attribute", "origin", "plain", "settled", "text", "texts", "title",
    "words",
]  # fmt: skip

_MOST = 4096  # of what is kept
_PLAIN = (int, str, bytes, float, bool, type(None))


class _Absent:
    """What `ask` gives where there is no such hook."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Any = _Absent()


def ask(owner: object, hook: str, *args: Any, **optional: Any) -> Any:
    """Call one hook.

    Parameters
    ----------
    owner : Op or Type
        Whose hook.
    hook : str
        Its name.
    *args
        Passed as they are.
    **optional
        Passed only if the hook's signature has a place for them.

    Returns
    -------
    object
        What the hook gave; `ABSENT` if it does not exist or says that it is not written.
    """
    method = getattr(owner, hook, None)
    if method is None:
        return ABSENT
    further, named = fitting(method, len(args), optional) if optional else ((), {})
    try:
        return method(*args, *further, **named)
    except NotImplementedError as err:
        if not_written(err):
            return ABSENT
        raise


def ask_for_build(owner: object, hook: str) -> Any:
    """Call a hook that older code writes with an argument for the compiler, under whatever name; it is given None.

    Parameters
    ----------
    owner, hook
        As for `ask`.

    Returns
    -------
    object
        As for `ask`.
    """
    method = getattr(owner, hook, None)
    found = None if method is None else signature_of(method)
    if found is not None and found.needed and not found.accepts("c_compiler"):
        return ask(owner, hook, None)
    return ask(owner, hook, c_compiler=None)


def attribute(owner: object, name: str) -> Any:
    """Read what an op or type says of itself.

    Parameters
    ----------
    owner : Op or Type
        Whose.
    name : str
        The attribute.

    Returns
    -------
    object
        None where there is no such attribute. What a property raises is raised, an AttributeError too.
    """
    try:
        return getattr(owner, name)
    except AttributeError:
        if hasattr(type(owner), name):
            raise
        return None


def origin(owner: object, hook: str) -> tuple[str, int] | None:
    """Find where a hook is written.

    Parameters
    ----------
    owner : Op or Type
        Whose hook.
    hook : str
        Its name.

    Returns
    -------
    (str, int) or None
        File and line of the function; None where it is not written in Python.
    """
    code = code_of(getattr(owner, hook, None))
    return None if code is None else (code.co_filename, code.co_firstlineno)


def text(owner: object, hook: str, answer: object, needed: bool = False) -> str:
    """Read an answer that is C.

    Parameters
    ----------
    owner : Op or Type
        Whose hook.
    hook : str
        Its name.
    answer : object
        What it gave: a string, a list of strings, or None for nothing.
    needed : bool
        Refuse None.

    Returns
    -------
    str
        The lines, joined.

    Raises
    ------
    MethodNotDefined
        If it is needed, and the hook says that it is not written.
    TypeError
        For anything else; names owner, hook and what came.
    """
    if answer is ABSENT and needed:
        raise MethodNotDefined(f"{owner}: {hook} is not written, and without it there is no C")
    if isinstance(answer, str):
        return answer
    if answer is None and not needed:
        return ""
    if isinstance(answer, (list, tuple)) and all(isinstance(part, str) for part in answer):
        return "\n".join(answer)
    missing = "; is its return missing?" if answer is None else ""
    raise TypeError(f"{owner}: {hook} must return a string of C, got {_what(answer)}{missing}")


def texts(owner: object, hook: str, answer: object) -> list[str]:
    """Read an answer that is pieces of C.

    Parameters
    ----------
    owner, hook, answer
        As for `text`.

    Returns
    -------
    list of str
        Without empty ones.
    """
    if isinstance(answer, str):
        answer = [answer]
    elif answer is None:
        answer = []
    elif not isinstance(answer, (list, tuple)) or not all(isinstance(part, str) for part in answer):
        raise TypeError(f"{owner}: {hook} must return a string of C or a list of them, got {_what(answer)}")
    return [part for part in answer if part.strip()]


def words(owner: object, hook: str, answer: object) -> list[str]:
    """Read an answer that is names, folders or flags.

    Parameters
    ----------
    owner, hook, answer
        As for `text`; folders may be path objects.

    Returns
    -------
    list of str
        In order, each once.
    """
    if isinstance(answer, str):
        answer = [answer]
    elif answer is None:
        answer = []
    found: list[str] = []
    if not isinstance(answer, (list, tuple, set, frozenset)):
        raise TypeError(f"{owner}: {hook} must return a list of strings, got {_what(answer)}")
    for part in sorted(answer, key=str) if isinstance(answer, (set, frozenset)) else answer:
        word = part if isinstance(part, str) else getattr(part, "__fspath__", lambda: None)()
        if not isinstance(word, str):
            raise TypeError(f"{owner}: {hook} must return a list of strings, got {_what(part)} in it")
        if word not in found:
            found.append(_bare(owner, hook, word))
    return found


def _bare(owner: object, hook: str, word: str) -> str:
    """Refuse a name that is written as C or as a command line has it."""
    meant = word
    if hook == "c_headers" and "#" in word:
        meant = word.strip().removeprefix("#").lstrip().removeprefix("include").strip()
    elif hook == "c_libraries":
        meant = word.removeprefix("-l")
        if meant.endswith((".so", ".a")):
            meant = meant.rpartition(".")[0].removeprefix("lib")
    if meant != word:
        raise TypeError(f"{owner}: {hook} gives {word!r}; write the bare name, {meant!r}")
    return word


def title(op: Any) -> str:
    """What an op inside another is called: the same in each process, which no address and no order of a set is."""
    name = getattr(op, "name", None)
    if name and isinstance(name, str):
        return name
    ours = str(getattr(type(op).__str__, "__module__", "")).startswith("opweld.")
    told = ours and all([plain(getattr(op, prop)) for prop in op.__props__ or ()])
    return str(op) if told else type(op).__name__


def plain(value: object) -> bool:
    """Whether a version is made of what counts."""
    if isinstance(value, tuple):
        return all(plain(part) for part in value)
    return type(value) in _PLAIN


def settled(owner: object) -> bool:
    """Say whether an op or type says the same each time: it is one of the library's, whose texts its props decide.

    Parameters
    ----------
    owner : Op or Type
        Who. Its class itself has a method ``settled`` that says so: a class below may write what depends on anything.

    Returns
    -------
    bool
    """
    own = type(owner).__dict__.get("settled")
    return own is not None and bool(own(owner))


class _Asker(Protocol):
    """Notes where texts are written."""

    sources: dict[str, dict[str, Any]]


class Said:
    """What `settled` ops and types have said, so that each is asked once a process."""

    def __init__(self) -> None:
        self._kept: dict[Any, tuple[Any, dict[str, Any]]] = {}

    def once(self, asker: _Asker, owner: object, key: Hashable, say: Callable[[], Any]) -> Any:
        """Ask, unless the answer is known.

        Parameters
        ----------
        asker : Fragments
            Its ``sources`` takes where the texts are written; the first one of a name stays.
        owner : Op or Type
            Who is asked.
        key : hashable
            What is asked, with all that the answer depends on.
        say : callable
            Gives the answer, fields or None, and enters where texts are written.

        Returns
        -------
        dict or None
            The answer's fields in a dict of their own.
        """
        if not settled(owner):
            return say()
        found = self._kept.get(key)
        if found is None:
            sources, asker.sources = asker.sources, {}
            try:
                answer = say()
            finally:
                written, asker.sources = asker.sources, sources
            if len(self._kept) >= _MOST:
                self._kept.clear()
            found = self._kept[key] = answer, written
        for name, place in found[1].items():
            asker.sources.setdefault(name, place)
        return None if found[0] is None else {**found[0]}
