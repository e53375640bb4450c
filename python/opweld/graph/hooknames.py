"""What the hooks of ops and types are called and given: a class that misspells one is told so when it is made."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any

from opweld.rooms import late

__all__ = ["look_at"]

misspelt: Any = late("opweld.graph.misspelt")  # most classes have hooks of the right names

_CODE, _NODE, _TYPE = "self, node, name, input_names, output_names, sub", "self, node, name", "self, name, sub"
_BUILD = "self, c_compiler="  # older code has an argument for the compiler
# What each hook is given; what ends in = it may have no place for.
_BOTH = {
    "c_support_code": "self", "c_init_code": "self", "c_headers": _BUILD, "c_header_dirs": _BUILD,
    "c_libraries": _BUILD, "c_lib_dirs": _BUILD, "c_compile_args": _BUILD, "c_no_compile_args": _BUILD,
    "c_compiler": "self", "c_code_cache_version": "self",
}  # fmt: skip
_OF_OPS = {
    **_BOTH, "c_code": _CODE, "c_code_cleanup": _CODE, "c_support_code_apply": _NODE, "c_init_code_apply": _NODE,
    "c_support_code_struct": _NODE, "c_init_code_struct": "self, node, name, sub", "c_cleanup_code_struct": _NODE,
    "c_code_cache_version_apply": "self, node", "perform": "self, node, inputs, output_storage, params=",
    "get_params": "self, node", "infer_shape": "self, node, input_shapes, fgraph=",
}  # fmt: skip
_OF_TYPES = {
    **_BOTH, "c_declare": _TYPE + ", check_input=", "c_init": _TYPE, "c_extract": _TYPE + ", check_input=",
    "c_extract_out": _TYPE + ", check_input=", "c_sync": _TYPE, "c_cleanup": _TYPE,
    "c_accept": "self, name, writeable=", "c_element_type": "self", "c_is_simple": "self", "c_literal": "self, data",
    "filter": "self, value, strict=, allow_downcast=",
}  # fmt: skip
_HOOKS = {**_OF_TYPES, **_OF_OPS}
_MOST = {hook: given.count(",") + 1 for hook, given in _HOOKS.items()}
_LEAST = {hook: most - _HOOKS[hook].count("=") for hook, most in _MOST.items()}
_OTHERS = ("make_node", "view_map", "destroy_map", "params_type", "default_output", "__props__", "itypes", "otypes")


def _shorter(name: str) -> Iterator[str]:
    """A name, its letters in order, and the name without one of them, or without its underscores."""
    yield name
    yield "".join(sorted(name))
    yield name.replace("_", "").lower()
    for i in range(len(name)):
        yield name[:i] + name[i + 1 :]


_NEAR = frozenset(
    [short for name in (*_OTHERS, "perform", "get_params", "infer_shape", "filter") for short in _shorter(name)]
)


def look_at(cls: type) -> None:
    """Look at what a class that is being made calls its hooks, and what they take.

    Parameters
    ----------
    cls : type
        A class of ops or types.

    Raises
    ------
    TypeError
        If a hook is misspelt, or cannot be given what it is given; for classes over those of the older packages that
        is a warning.
    """
    props = cls.__dict__.get("__props__")
    if isinstance(props, str):
        raise TypeError(
            f"{cls.__name__}: __props__ is the string {props!r}, expected a tuple of names: write ({props!r},), with a "
            f"comma"
        )
    for name, value in cls.__dict__.items():
        most = _MOST.get(name)
        if most is None or (name in _OF_TYPES) != (name in _OF_OPS):
            if name not in _OTHERS and (name.startswith("c_") or not _NEAR.isdisjoint(_shorter(name))):
                own, other = (_OF_OPS, _OF_TYPES) if hasattr(cls, "make_node") else (_OF_TYPES, _OF_OPS)
                if name not in own:
                    misspelt.name(cls, name, [*own, *_OTHERS], other)
                    continue
        if most is not None and type(value) is FunctionType and "__wrapped__" not in value.__dict__:
            code = value.__code__
            needed = code.co_argcount - len(value.__defaults__ or ())
            if needed > most or (code.co_argcount < _LEAST[name] and not code.co_flags & 0x04):
                misspelt.signature(cls, name, value, _HOOKS[name])
