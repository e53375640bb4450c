"""What is known of a function before any rewriter or hook is asked: the Program that it had when it was made before.

The graph of a function of this library's own ops is written down, and its sum names what is remembered: Program, and
the values that the module is bound to. What else Program depends on is in the sum too (options, NumPy, the engine), or
is looked at (the library's own files). Of ops of others nothing is remembered: what their hooks read nobody knows.

docs/cache.md says what lies in a cache.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from operator import is_
from types import FunctionType
from typing import Any

import numpy as np

from opweld.compile import remembered
from opweld.compile.asked import Asked
from opweld.compile.data import STANDARD
from opweld.compile.remembered import is_own
from opweld.config import Options
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.order import depth_first
from opweld.graph.shared import SharedVariable
from opweld.hooks import registered
from opweld.hooks.classes import COp
from opweld.rooms import late

__all__ = ["described", "recall", "worth"]

promotion: Any = late("opweld.promotion")  # a graph with somebody else's op is not written to its end

# Where one of these is loaded, so is what a memo spares; rewriters may be others, or somebody collects Programs.
_LOWERS = ("opweld.rewriting.standard", "opweld.compile.program")
_MOST = 256  # nodes
_LARGE = 4096  # bytes of a constant


class _Unknown(Exception):
    """Something in a graph of which a text does not say all."""


def worth(recipe: Asked) -> bool:
    """Say whether a function may be remembered, as far as its recipe shows at a glance."""
    return isinstance(recipe.mode, str) and recipe.mode in STANDARD


def recall(recipe: Asked, options: Options, shared: Sequence[SharedVariable]) -> tuple[dict[str, Any] | None, str]:
    """Look for what is remembered of a function.

    Parameters
    ----------
    recipe : Asked
        What its user asked for.
    options : Options
        Its options.
    shared : list of SharedVariable
        What it reads and updates besides.

    Returns
    -------
    dict or None, str
        What is remembered, and the name under which it is; no name: it was not looked for.
    """
    if any([name in sys.modules for name in _LOWERS]) or not remembered.may(options) or not worth(recipe):
        return None, ""
    name = described(recipe, options, shared)
    return (remembered.look(name, options) if name else None), name


def described(recipe: Asked, options: Options, shared: Sequence[SharedVariable]) -> str:
    """Name what a recipe asks for.

    Parameters
    ----------
    recipe, options, shared
        As for `recall`.

    Returns
    -------
    str
        64 hexadecimal digits, the same for what has the same Program; empty: there is more to it than a text can say.
    """
    given = [*[spec.variable for spec in recipe.inputs], *shared]
    try:
        nodes = depth_first(recipe.wanted, set(given))
        if len(nodes) > _MOST:
            return ""
        write = _Writer(given)
        write.class_(COp)
        write.parts += [recipe.name or "", str(recipe.mode or "FAST_RUN")]
        for spec in recipe.inputs:
            write.parts.append(
                f"{spec.name!r} {spec.value is not None} {spec.strict} {spec.allow_downcast} {spec.mutable}"
            )
        for node in nodes:
            write.node(node)
        for out in recipe.outputs:
            write.parts.append(f"{out.borrow} {write.known(out.variable)}")
        for variable, new in recipe.updates.items():
            write.parts.append(f"{write.known(variable)}={write.known(new)}")
        write.parts.append(str(recipe.single))
        write.class_(promotion.Rule)  # by which NumPy's functions go, though none may be loaded
        write.copies([*recipe.wanted, *given])
    except (_Unknown, RecursionError):
        return ""
    return remembered.named(recipe.known_by or "\n".join(write.parts), options)


class _Writer:
    """Writes a graph down: two graphs of one text have one Program."""

    def __init__(self, given: Sequence[Variable]) -> None:
        self.parts: list[str] = []
        self._numbers: dict[Variable, int] = {}
        self._texts: dict[int, tuple[object, str]] = {}
        self._classes: dict[type, str] = {}
        for variable in given:
            self._enter(variable)

    def _enter(self, variable: Variable) -> None:
        if variable not in self._numbers:
            self._numbers[variable] = len(self._numbers)
            held = (variable.strict, variable.allow_downcast) if isinstance(variable, SharedVariable) else ()
            cls = self.class_(type(variable))
            self.parts.append(f"{cls} {variable.name!r} {held} {self.thing(variable.type)}")

    def known(self, variable: Variable) -> str:
        """Give the number of a variable that a node computes or that is given; a constant is written out."""
        number = self._numbers.get(variable)
        if number is not None:
            return str(number)
        if not isinstance(variable, Constant):
            raise _Unknown("a variable that is not given")
        held = f"{self.thing(variable.type)} {self.thing(variable.data)}"
        return f"({self.class_(type(variable))} {variable.name!r} {held})"

    def node(self, node: Apply) -> None:
        """Write a node, whose inputs are written."""
        if type(node) is not Apply:
            raise _Unknown("a node of another kind")
        self.parts.append(f"{self.thing(node.op)} {' '.join(map(self.known, node.inputs))}")
        for output in node.outputs:
            self._enter(output)

    def copies(self, variables: Sequence[Variable]) -> None:
        """Write by what C results are copied; the ops that copy them are the library's own, or nothing is known."""
        for cls in dict.fromkeys([type(variable.type) for variable in variables]):
            self.parts.append(f"{registered.COPIES.get(cls)!r} {registered.VIEWS.get(cls)!r}")
        loaded = vars(sys.modules.get("opweld.hooks.copying", registered))  # who has not loaded it has not changed it
        for name, texts in (("deep_copy_op", registered.COPIES), ("view_op", registered.VIEWS)):
            op = loaded.get(name)
            if op is not None:
                if vars(op) or op.c_code_and_version is not texts:
                    raise _Unknown("an op that copies")
                for base in type(op).__mro__:  # the texts are everybody's, and those of these types are written
                    if base.__module__ not in _PYTHON:
                        if not is_own(base.__module__) or any([_theirs(item, base) for item in vars(base).values()]):
                            raise _Unknown("an op that copies")

    def class_(self, cls: type) -> str:
        """Name a class of the library's own, or of Python's; what is in it, and in its bases, is written once."""
        text = self._classes.get(cls)
        if text is None:
            bases = [base for base in cls.__mro__ if base.__module__ not in _PYTHON]
            self.parts += map(_content, bases)
            home = next((base for base in bases if base in _seen), cls)  # a short form has a class of its own
            text = self._classes[cls] = f"{cls.__qualname__} {home.__module__}:{home.__qualname__}"
        return text

    def thing(self, value: object) -> str:
        """Write what an op or a type is made of."""
        plain = _plainly(value, self.thing)
        if plain is not None:
            return plain
        kept = self._texts.get(id(value))
        if kept is None:
            self._texts[id(value)] = value, _open  # whoever holds itself is found
            kept = self._texts[id(value)] = value, self._object(value)
        if kept[1] is _open:
            raise _Unknown("a ring")
        return kept[1]

    def _object(self, value: object) -> str:
        if isinstance(value, (np.ndarray, np.generic)):
            if value.nbytes > _LARGE or value.dtype.hasobject or type(value).__module__ != "numpy":
                raise _Unknown("an array")
            laid = f"{type(value).__name__} {value.dtype.str} {value.shape} {value.strides}"
            return f"array({laid} {value.tobytes().hex()})"
        if isinstance(value, np.dtype):
            if value.hasobject:
                raise _Unknown("a dtype")
            return f"dtype({value.descr if value.fields else value.str})"
        if isinstance(value, type):
            return self.class_(value)
        if isinstance(value, FunctionType):
            if not (is_own(value.__module__) or value.__module__ == "copyreg") or not _at_home(value):
                raise _Unknown("a function")
            return f"{value.__module__}:{value.__qualname__}"
        if isinstance(value, Variable):
            return self.known(value)
        cls = self.class_(type(value))
        if getattr(value, "beside_program", False):
            return cls
        if isinstance(value, (set, frozenset)):
            raise _Unknown("what has no order")
        try:
            reduced = value.__reduce_ex__(2)
        except Exception as err:  # whatever a class says that cannot be pickled
            raise _Unknown("what is not pickled") from err
        held = ""
        if isinstance(reduced, str) or getattr(reduced[0], "__module__", "") != "copyreg":
            inside = getattr(value, "__dict__", {}).items()  # of which what was set later may be forgotten
            held = self.thing({key: item for key, item in inside if key[0] != "_" and hasattr(type(value), key)})
        said = reduced if isinstance(reduced, str) else f"[{','.join(map(self.thing, reduced))}]"
        return f"{cls}:{said}{held}"


_PLAIN = frozenset([str, bytes, int, float, complex, bool, type(None), type(...), type(NotImplemented)])
_PYTHON = frozenset(["builtins", "abc", "typing"])
_NAMED = ("_collections", "collections")  # where what makes the fields of named tuples says that it is from, by version
_open = "…"
_seen: dict[type, tuple[tuple[object, ...], str]] = {}  # of the library's classes: what is in one, and that as text


def _at_home(value: type | FunctionType) -> bool:
    """Whether a class or function is what its module has by its name."""
    found: Any = sys.modules.get(value.__module__)
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is value


def _content(cls: type) -> str:
    """Say what is in a class of the library's own, as far as it can be said: somebody else may have set it."""
    inside = tuple(vars(cls).values())
    kept = _seen.get(cls)
    if kept is not None and len(kept[0]) == len(inside) and all(map(is_, kept[0], inside)):
        return kept[1]
    home = getattr(sys.modules.get(cls.__module__), "__dict__", None)  # where nearly all of it was written
    others = [item for item in inside if type(item) is not FunctionType or item.__globals__ is not home]
    if not is_own(cls.__module__) or any([_theirs(value, cls) for value in others if type(value) not in _PLAIN]):
        raise _Unknown("a class")
    methods = [item.__qualname__ for item in inside if type(item) is FunctionType]  # each in its place
    own = {name: value for name, value in vars(cls).items() if name[:2] != "__" or name == "__props__"}
    said = [f"{name}={_said(value)}" for name, value in own.items() if type(value) is not FunctionType]
    text = f"{cls.__module__}:{cls.__qualname__} {' '.join(methods)} {' '.join(said)}"
    if _at_home(cls):
        _seen[cls] = inside, text
    elif own:
        raise _Unknown("a class that others may be called as")
    return text


def _plainly(value: object, write: Callable[[object], str]) -> str | None:
    """Write what Python itself writes down, and what lists, tuples and dicts of it hold; None: it is something else."""
    cls = type(value)
    if cls in _PLAIN:
        return repr(value)
    if isinstance(value, (tuple, list)) and cls in (tuple, list):
        return f"{cls.__name__}({','.join(map(write, value))})"
    if isinstance(value, dict) and cls is dict:
        return f"dict({','.join([f'{write(key)}:{write(item)}' for key, item in value.items()])})"
    return None


def _said(value: object) -> str:
    """Write what is in a class down, so that something else in its place is seen."""
    plain = _plainly(value, _said)
    if plain is not None:
        return plain
    cls = type(value)
    if isinstance(value, property):
        return f"property({_said(value.fget)},{_said(value.fset)},{_said(value.fdel)})"
    if isinstance(value, (staticmethod, classmethod, cached_property)):
        return f"{cls.__name__}({_said(getattr(value, '__func__', None) or value.func)})"  # type: ignore[union-attr]
    if isinstance(value, (type, FunctionType)):
        home = value.__module__
        if not is_own(home) and home not in (*_PYTHON, "collections") and not home.startswith("namedtuple_"):
            raise _Unknown("what is in a class")
        return f"{home}:{value.__qualname__}"
    if not is_own(cls.__module__) and cls.__module__ not in ("builtins", *_NAMED, "_abc"):
        raise _Unknown("what is in a class")
    return cls.__qualname__


def _theirs(value: object, cls: type) -> bool:
    """Whether what is in a class is a method that was not written in the library, whatever it says of itself."""
    if isinstance(value, property):
        return any([_theirs(part, cls) for part in (value.fget, value.fset, value.fdel)])
    value = getattr(value, "__func__", getattr(value, "func", value))
    if not isinstance(value, FunctionType):
        kind = type(value).__module__
        called = callable(value) or hasattr(value, "__get__")
        return called and kind not in ("builtins", *_NAMED) and not is_own(kind)
    written = value.__globals__.get("__name__")
    return not is_own(written) and written not in ("collections", f"namedtuple_{cls.__name__}")
