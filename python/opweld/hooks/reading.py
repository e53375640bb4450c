"""What a type's C can do, read off the type, and the names under which the hooks are asked and classes stand in C."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from opweld.errors import MethodNotDefined, OpweldWarning, _what
from opweld.generic import generic
from opweld.graph.type import knows_of
from opweld.hooks import float16
from opweld.hooks.asking import ABSENT, ask, text
from opweld.hooks.classes import COp, CType
from opweld.rooms import late

if TYPE_CHECKING:
    from opweld.hooks.protocols import Node, Type
    from opweld.schema import ArrayFields, FitFields

__all__ = [
    "FAIL", "NAME", "PARAMS", "VARIABLE", "accept", "array", "behind", "carries_c", "driver", "fit", "is_unwritten",
    "keeps_gil", "keeps_storage", "label_of", "lang_of", "op_sub", "performs", "scalar_code", "type_sub",
    "writer_of",
]  # fmt: skip

params_room: Any = late("opweld.params")  # few graphs have an op with params

FAIL = "{ opw_failure = 1; goto opw_fail; }"
NAME = "OPW_NAME"
VARIABLE = "opw_V"
PARAMS = VARIABLE + "P"

_FAILURE = "opw_failure"
_LIFECYCLE = ("c_init", "c_extract", "c_extract_out", "c_sync", "c_cleanup")
_ACCEPTING = (*_LIFECYCLE, "c_declare", "c_accept", "filter")


def behind(owner: object) -> object:
    """Find who writes what an op or type answers.

    Parameters
    ----------
    owner : Op or Type
        Who is asked.

    Returns
    -------
    object
        Its ``stands_for``, where its class has that: it answers for an op or type of another package. Else itself.
    """
    return owner.stands_for if hasattr(type(owner), "stands_for") else owner  # type: ignore[attr-defined]


def carries_c(type_: Type) -> bool:
    """Say whether a type's values have a form of their own in C.

    Parameters
    ----------
    type_ : Type
        The type.

    Returns
    -------
    bool
        False: they are carried as Python objects.
    """
    declare = getattr(type(type_), "c_declare", None) or getattr(type_, "c_declare", None)
    return declare is not None and declare is not CType.c_declare and not getattr(declare, "undefined", False)


def accept(type_: Type, writeable: bool) -> str | None:
    """Ask a type for the test that spares an argument its `filter`.

    A `c_accept` written higher up than the class's `filter`, `c_declare` or `c_extract` knows nothing of them: it does
    not count.

    Parameters
    ----------
    type_ : Type
        The type.
    writeable : bool
        Whether the argument will be written into.

    Returns
    -------
    str or None
        A C expression over ``py_opw_V``.
    """
    if not knows_of(type_, "c_accept", ("filter", "c_declare", "c_extract")):
        return None
    answer = ask(type_, "c_accept", VARIABLE, writeable=writeable)
    if answer is None or answer is ABSENT:
        return None
    return text(type_, "c_accept", answer)


def array(type_: Type) -> ArrayFields | None:
    """Ask a type whether what it declares is one array, on which the engine's own loops can work.

    Parameters
    ----------
    type_ : Type
        The type.

    Returns
    -------
    dict or None
        ``dtype`` and ``ndim``, and ``plain`` where the other texts hold a reference to the array and do no more. As for
        `accept`, a `c_array` written higher up than `c_declare` does not count; nor what it says of texts that are
        written below it.
    """
    if not knows_of(type_, "c_array", ("c_declare",)):
        return None
    found: Any = dict(type_.c_array())  # type: ignore[attr-defined]
    found.pop("sizes", None)
    if "plain" in found and not knows_of(type_, "c_array", _LIFECYCLE):
        del found["plain"]
    return found  # type: ignore[no-any-return]


def fit(type_: Type, writeable: bool) -> FitFields | None:
    """Ask a type what `accept` tests, as data.

    Parameters
    ----------
    type_ : Type
        The type.
    writeable : bool
        Whether the argument will be written into.

    Returns
    -------
    dict or None
        As Program has it, where `c_array` says ``sizes``, is ``plain``, and knows of the `c_accept` and of what that
        speaks of.
    """
    if not knows_of(type_, "c_array", _ACCEPTING):
        return None
    found = type_.c_array()  # type: ignore[attr-defined]
    if "sizes" not in found or "plain" not in found:
        return None
    fields: FitFields = {}
    if found["sizes"]:
        fields["sizes"] = found["sizes"]
    if writeable:
        fields["writeable"] = True
    return fields


def is_constant(variable: Any) -> bool:
    """Say whether a variable is a constant.

    Parameters
    ----------
    variable : Variable
        Of any graph.

    Returns
    -------
    bool
    """
    return variable.owner is None and hasattr(variable, "data")


def performs(op: object) -> bool:
    """Say whether an op can be run in Python.

    Parameters
    ----------
    op : Op
        The op.

    Returns
    -------
    bool
        As its `has_perform` says; where it has none, whether it has ``perform``.
    """
    asked = getattr(op, "has_perform", None)
    return bool(asked()) if asked is not None else callable(getattr(op, "perform", None))


def keeps_storage(type_: Type) -> bool:
    """Say whether a temporary of a type may be kept between runs.

    Parameters
    ----------
    type_ : Type
        The type.

    Returns
    -------
    bool
    """
    return getattr(type_, "keep_storage", False) is True and carries_c(type_) and ask(type_, "c_is_simple") is not True


def driver(writer: object, answer: object) -> str | None:
    """Read an answer of `c_compiler`.

    Parameters
    ----------
    writer : Op or Type
        Whose answer.
    answer : object
        What it gave: None, a name, a path, or a class with an attribute ``command``; without one, the class stands for
        the driver that is configured.

    Returns
    -------
    str or None
        A name or path.

    Raises
    ------
    TypeError
        For anything else.
    """
    command: Any = getattr(answer, "command", None) if isinstance(answer, type) else answer
    if hasattr(command, "__fspath__"):
        command = command.__fspath__()
    if command is None or isinstance(command, str):
        return command or None
    raise TypeError(
        f"{writer}: c_compiler must return None, the name or path of a driver, or a class, got {_what(answer)}"
    )


def type_sub(name: str) -> dict[str, Any]:
    """Give a type's hooks their ``sub``.

    Parameters
    ----------
    name : str
        The C variable's.

    Returns
    -------
    dict
    """
    return {
        "fail": FAIL, "failure_var": _FAILURE, "id": 0, "py_ptr": f"py_{name}", "stor_ptr": f"storage_{name}"
    }  # fmt: skip


def op_sub(params: bool) -> dict[str, Any]:
    """Give an op's hooks their ``sub``.

    Parameters
    ----------
    params : bool
        Whether the op has params.

    Returns
    -------
    dict
    """
    sub: dict[str, Any] = {"fail": FAIL, "failure_var": _FAILURE, "id": 0}
    if params:
        sub["params"] = PARAMS
    return sub


def scalar_code(op: Any, node: Node, inputs: list[str], outputs: list[str]) -> str:
    """Ask a scalar op for its C, which stands in a loop's body.

    Parameters
    ----------
    op, node, inputs, outputs
        The op, its node of scalars, and the names of its C variables.

    Returns
    -------
    str

    Raises
    ------
    MethodNotDefined
        If there is none, or it is not for float16 and the op can be run in Python.
    TypeError
        If it is no text, or not for float16.
    """
    half = float16.half_of(op, node)
    if half is not None and op.has_perform():
        raise MethodNotDefined(f"{op}: its c_code is not for float16")
    answer = ask(op, "c_code", node, NAME, inputs, outputs, op_sub(False))
    if answer is ABSENT:
        raise MethodNotDefined(f"{op} has no c_code")
    if half is not None:
        raise TypeError(float16.refusal(op, half))
    return text(op, "c_code", answer, needed=True)


def is_unwritten(writer: object) -> bool:
    """Say whether a type or op writes no version of its texts and relies on the texts themselves, which every key has.

    Parameters
    ----------
    writer : Op or Type
        Whose.

    Returns
    -------
    bool
        False for classes over those of the older packages: there no version means that nothing is kept.
    """
    cls = type(writer)
    return bool(getattr(cls, "c_unversioned", False)) and not any(
        [
            getattr(cls, hook, None) not in (None, getattr(COp, hook))
            for hook in ("c_code_cache_version", "c_code_cache_version_apply")
        ]
    )


def lang_of(writer: object, default: Literal["c", "c++"]) -> Literal["c", "c++"]:
    """Read the language of a type's or an op's texts.

    Parameters
    ----------
    writer : Op or Type
        Whose.
    default : str
        Where it says none.

    Returns
    -------
    {"c", "c++"}

    Raises
    ------
    TypeError
        If it says another.
    """
    lang = getattr(writer, "c_lang", None)
    if lang is None:
        return default
    if lang not in ("c", "c++"):
        raise TypeError(f"{writer}: c_lang must be 'c' or 'c++', got {lang!r}")
    return "c" if lang == "c" else "c++"


_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_FIT = frozenset(_LETTERS + _LETTERS.upper() + "0123456789_ .,+-=~()[]{}<>|&^!@*'")  # gen/words.go refuses others
_NAME = "OPW_NAME"  # the engine writes another name in its place
_LONGEST = 80  # of four bytes at most, with what may follow


def label_of(name: str) -> str:
    """Make any name fit for ``#line``, comments and strings of C alike.

    Parameters
    ----------
    name : str
        Of a class, which `type` makes of any text, an op or a file.

    Returns
    -------
    str
        With ``_`` in the place of what cannot stand there: what would end a comment or a string, break a line, or be
        taken for the parts of a place in a diagnostic. Names that differ only there have one label.
    """
    found = "".join([c if c in _FIT or (not c.isascii() and c.isalnum()) else "_" for c in name]).strip()
    found = found.replace(_NAME, _NAME.replace("_", "-"))
    if len(found) > _LONGEST:
        found = found[: _LONGEST - 1].rstrip() + "~"
    return "_" + found if found[:1] in ("", ".", "<") else found


def writer_of(type_: Type) -> Any:
    """Give who writes the C of a type: itself, or `Generic`."""
    if carries_c(type_):
        return type_
    return generic


_told_of_gil: list[bool] = []


def keeps_gil(op: object) -> None:
    """Warn, once a process, where an interpreter without a GIL will have one for an op that needs none.

    Parameters
    ----------
    op : Op
        Whose ``gil`` is ``"free-threaded"``.
    """
    from sysconfig import get_config_var

    if _told_of_gil or not get_config_var("Py_GIL_DISABLED"):
        return
    from warnings import warn

    _told_of_gil.append(True)
    warn(
        f"{op}: gil = 'free-threaded' has no effect yet on this interpreter: what functions keep between calls and "
        f"shared values are not safe without the GIL, so it stays on for every function; do not force it off by "
        f"PYTHON_GIL=0 or -X gil=0",
        OpweldWarning,
        stacklevel=2,
    )
