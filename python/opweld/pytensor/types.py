"""PyTensor's types as the types of a graph that is compiled (`opweld.hooks.protocols`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pytensor.configdefaults import config
from pytensor.graph.type import Type
from pytensor.link.c.cmodule import GCC_compiler
from pytensor.link.c.interface import CLinkerType
from pytensor.link.c.type import Generic
from pytensor.scalar import ScalarType
from pytensor.tensor.type import DenseTensorType, TensorType
from pytensor.tensor.type_other import NoneTypeT

from opweld.hooks.reading import VARIABLE

__all__ = ["Array", "Foreign", "Types", "Uncarried", "is_in_c", "is_plain", "listed"]

#: What a TensorType's texts do more than hold a reference to an array, if a class of a user's writes it.
_TEXTS = ("c_declare", "c_init", "c_extract", "c_extract_out", "c_sync", "c_cleanup", "filter")


def listed(answer: str | Sequence[Any] | None) -> list[Any]:
    """Read an answer that may be one text or several.

    Parameters
    ----------
    answer : str, list or None
        What a hook of PyTensor's gave.

    Returns
    -------
    list
        Without empty ones.
    """
    return [part for part in ([answer] if isinstance(answer, str) else answer or ()) if part]


class Array:
    """Arrays of a dtype and a number of dimensions: a `TensorType`, whose texts hold a reference to an array.

    What a static shape says beyond that PyTensor's functions see to.

    Parameters
    ----------
    type_ : TensorType
        One of them.
    """

    c_lang = "c"
    keep_storage = True
    stands_for: Any = None

    def __init__(self, type_: Type) -> None:
        self.stands_for = type_
        self.dtype: str = type_.dtype
        self.ndim: int = type_.ndim
        self.numpy_dtype = np.dtype(type_.dtype)
        self.shape = (None,) * self.ndim

    def __str__(self) -> str:
        return f"{self.dtype} array of {self.ndim} dimensions"

    def filter(self, value: object) -> Any:
        """Give an array as C takes it, or raise what PyTensor's own C raises."""
        if not isinstance(value, np.ndarray):
            raise ValueError("expected an ndarray, not None" if value is None else "expected an ndarray")
        if not value.flags.aligned:
            raise NotImplementedError(f"expected an aligned array of {self.dtype}, got a non-aligned one")
        if value.dtype.num != self.numpy_dtype.num and value.dtype != self.numpy_dtype:
            raise TypeError(f"expected type_num {self.numpy_dtype.num} ({self.dtype}) got {value.dtype.num}")
        if value.ndim != self.ndim:
            raise TypeError(f"expected an array of {self.ndim} dimensions, got {value.ndim}")
        return np.asarray(value, dtype=self.numpy_dtype)

    def c_declare(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Declare the array; where a kernel reads it, as PyTensor's type does for ops that check what they read."""
        if name == VARIABLE:
            return f"PyArrayObject* {name};"
        return str(self.stands_for.c_declare(name, sub, True))

    def c_array(self) -> dict[str, Any]:
        """Say that this is all: a reference to an array; of what sizes is not asked."""
        return {"dtype": self.dtype, "ndim": self.ndim, "plain": True, "sizes": []}

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Rely on the texts, which every key has."""
        return ("text",)


class Foreign:
    """A type that writes its own C.

    Parameters
    ----------
    type_ : CLinkerType
        The type.
    """

    c_lang = "c++"
    keep_storage = False
    stands_for: Any = None

    def __init__(self, type_: Type) -> None:
        self.stands_for = type_
        self._tests = bool(config.check_input)
        if is_in_c(type_):
            self.c_lang = "c"

    def __str__(self) -> str:
        return str(self.stands_for)

    def filter(self, value: object) -> Any:
        """Ask the type."""
        return self.stands_for.filter(value)

    def c_accept(self, name: str, writeable: bool = False) -> str | None:
        """Take everything as it is: the type's `c_extract` tests it."""
        return None if writeable else "1"

    def c_declare(self, name: str, sub: dict[str, Any], check_input: bool = True) -> Any:
        """Ask the type."""
        return self.stands_for.c_declare(name, sub, check_input)

    def c_init(self, name: str, sub: dict[str, Any]) -> Any:
        """Ask the type."""
        return self.stands_for.c_init(name, sub)

    def c_extract(self, name: str, sub: dict[str, Any]) -> Any:
        """Ask the type for an extraction that tests, unless PyTensor's configuration says otherwise."""
        return self.stands_for.c_extract(name, sub, self._tests)

    def c_sync(self, name: str, sub: dict[str, Any]) -> Any:
        """Ask the type."""
        return self.stands_for.c_sync(name, sub)

    def c_cleanup(self, name: str, sub: dict[str, Any]) -> Any:
        """Ask the type."""
        return self.stands_for.c_cleanup(name, sub)

    def c_literal(self, data: object) -> str | None:
        """Ask the type; an empty text means that there is none."""
        return self.stands_for.c_literal(data) or None

    def c_support_code(self) -> list[str]:
        """Ask the type."""
        return listed(self.stands_for.c_support_code())

    def c_init_code(self) -> list[str]:
        """Ask the type."""
        return listed(self.stands_for.c_init_code())

    def c_headers(self) -> list[str]:
        """Ask the type."""
        return listed(self.stands_for.c_headers(c_compiler=GCC_compiler))

    def c_header_dirs(self) -> list[str]:
        """Ask the type."""
        return listed(self.stands_for.c_header_dirs(c_compiler=GCC_compiler))

    def c_libraries(self) -> list[str]:
        """Ask the type."""
        return listed(self.stands_for.c_libraries(c_compiler=GCC_compiler))

    def c_lib_dirs(self) -> list[str]:
        """Ask the type."""
        return listed(self.stands_for.c_lib_dirs(c_compiler=GCC_compiler))

    def c_compile_args(self) -> list[str]:
        """Ask the type."""
        return listed(self.stands_for.c_compile_args(c_compiler=GCC_compiler))

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Rely on the texts, which every key has."""
        return ("text",)


class Uncarried:
    """A type without C, whose values are carried as objects.

    Parameters
    ----------
    type_ : Type
        The type.
    """

    def __init__(self, type_: Type) -> None:
        self.stands_for = type_

    def __eq__(self, other: object) -> bool:
        return type(other) is Uncarried

    def __hash__(self) -> int:
        return hash(Uncarried)

    def __str__(self) -> str:
        return str(self.stands_for)

    def filter(self, value: object) -> Any:
        """Take everything: PyTensor has seen to it."""
        return value


_arrays: dict[tuple[str, int], Array] = {}


class Types:
    """The types of one graph: equal ones of PyTensor's are one."""

    def __init__(self) -> None:
        self._found: dict[Any, Foreign | Uncarried] = {}

    def of(self, type_: Type) -> Array | Foreign | Uncarried:
        """Find what stands for a type.

        Parameters
        ----------
        type_ : Type
            PyTensor's.

        Returns
        -------
        Array, Foreign or Uncarried
        """
        if is_plain(type_):
            key = type_.dtype, type_.ndim
            array = _arrays.get(key)
            if array is None:
                array = _arrays[key] = Array(TensorType(dtype=type_.dtype, shape=(None,) * type_.ndim))
            return array
        found = self._found.get(type_)
        if found is None:
            carried = isinstance(type_, CLinkerType) and not _no_array(type(type_))
            found = self._found[type_] = Foreign(type_) if carried else Uncarried(type_)
        return found


_known: dict[type, bool] = {TensorType: True, DenseTensorType: True}


def is_plain(type_: Type) -> bool:
    """Tell whether a type is a `TensorType` whose class writes none of its texts anew.

    Parameters
    ----------
    type_ : Type
        PyTensor's.

    Returns
    -------
    bool
    """
    cls = type(type_)
    if not isinstance(type_, TensorType):
        return False
    if cls not in _known:
        _known[cls] = all(getattr(cls, hook, None) is getattr(TensorType, hook, None) for hook in _TEXTS)
    return _known[cls]


def is_in_c(type_: Type) -> bool:
    """Tell whether a type's texts are C: an array's, a number's, or those of what is an object and no more.

    Parameters
    ----------
    type_ : Type
        PyTensor's.

    Returns
    -------
    bool
    """
    if type(type_) in (Generic, NoneTypeT):
        return True
    return (is_plain(type_) or type(type_) is ScalarType) and not type_.dtype.startswith("complex")


def _no_array(cls: type[TensorType]) -> bool:
    """Whether a class of tensor types has values that are no arrays, as sparse ones, and no C for them."""
    return issubclass(cls, TensorType) and cls.filter is not TensorType.filter and cls.c_extract is TensorType.c_extract
