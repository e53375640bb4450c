"""What the classes of types have registered: the C by which the ops of `opweld.hooks.copying` copy and view values."""

from __future__ import annotations

from typing import Any

__all__ = ["COPIES", "VIEWS", "enter", "register_deep_copy_op_c_code", "register_view_op_c_code"]

Texts = dict[type, tuple[str, tuple[Any, ...]]]

COPIES: Texts = {}
VIEWS: Texts = {}


def enter(texts: Texts, op: str, type_: type, code: str, version: object) -> None:
    """Enter the text of a class of types.

    Parameters
    ----------
    texts : dict of type to (str, tuple)
        Each class's text and its version.
    op : str
        Whose texts they are, for messages.
    type_ : type
        The class.
    code : str
        C.
    version : tuple or int
        Its version.

    Raises
    ------
    TypeError
        If it is not a class, or the C is no string.
    """
    if not isinstance(type_, type):
        raise TypeError(f"{op}: expected a class of types, got {type_!r}; pass type(t), not t")
    if not isinstance(code, str):
        raise TypeError(f"{op}: the C code for {type_.__name__} must be a string, got {code!r}")
    texts[type_] = (code, version if isinstance(version, tuple) else (version,))


def register_deep_copy_op_c_code(type_: type, code: str, version: object = ()) -> None:
    """Tell `DeepCopyOp` how to copy values of a type in C.

    Parameters
    ----------
    type_ : type
        The Type's class; its subclasses are not meant.
    code : str
        C with ``%(iname)s``, ``%(oname)s`` and ``%(fail)s``; other percent signs are doubled.
    version : tuple or int
        Version of `code`; ``()``: built anew in each process.
    """
    enter(COPIES, "DeepCopyOp", type_, code, version)


def register_view_op_c_code(type_: type, code: str, version: object = ()) -> None:
    """Tell `ViewOp` how to hand on values of a type in C.

    Parameters
    ----------
    type_, code, version
        As for `register_deep_copy_op_c_code`.
    """
    enter(VIEWS, "ViewOp", type_, code, version)
