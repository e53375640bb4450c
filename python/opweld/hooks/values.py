"""The values of params: Python objects by the names of fields, which cannot be changed, and what equal ones share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from opweld.dtypes import bits
from opweld.errors import _what

if TYPE_CHECKING:
    from opweld.params import ParamsType

__all__ = ["Params", "frozen"]


def frozen(value: Any) -> Any:
    """Turn a value into one that hashes and that equals another only where both are the same to C code.

    Parameters
    ----------
    value : object
        What a type's `filter` gave.

    Returns
    -------
    object
        Hashable: an array counts by dtype, shape and content.

    Raises
    ------
    TypeError
        If `value` does not hash.

    Examples
    --------
    >>> try:
    ...     opweld.params.frozen([1, 2])
    ... except TypeError as err:
    ...     print(err)
    [1, 2] (list)
    >>> opweld.params.frozen((1, 2))
    (<class 'tuple'>, (<class 'int'>, 1), (<class 'int'>, 2))
    """
    if hasattr(value, "tobytes") and hasattr(value, "dtype"):
        return type(value), value.dtype.str, value.shape, value.tobytes()
    if type(value) in (float, complex):
        return bits(value)
    if isinstance(value, tuple):
        return type(value), *map(frozen, value)
    if isinstance(value, frozenset):
        return type(value), frozenset(map(frozen, value))
    try:
        hash(value)
    except TypeError as err:
        if isinstance(value, Params):
            raise
        raise TypeError(f"{_what(value)}") from err
    return type(value), value


class Params:
    """Values of the fields of a `ParamsType`, as attributes and by ``[]``. They cannot be changed.

    Parameters
    ----------
    params_type : ParamsType
        Names the fields.
    **values
        One for each field; they are taken as they are: `ParamsType.filter` converts.

    Examples
    --------
    >>> kind = opweld.params.ParamsType(n=opweld.scalar.int64)
    >>> params = opweld.params.Params(kind, n=3)
    >>> params.n
    3
    """

    __slots__ = ("__weakref__", "_type", "_values")
    _type: ParamsType
    _values: dict[str, Any]

    def __init__(self, params_type: ParamsType, **values: Any) -> None:
        _check_names(params_type, values)
        object.__setattr__(self, "_type", params_type)
        object.__setattr__(self, "_values", {field: values[field] for field in params_type.fields})

    def __getattr__(self, name: str) -> Any:
        if name in Params.__slots__:  # not there yet: a copy is being made
            raise AttributeError(name)
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"Params has no field {name!r}; there are {', '.join(self._values)}") from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Params cannot be changed: {name!r}")

    __delattr__ = __setattr__  # type: ignore[assignment]

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def keys(self) -> Any:
        """Give the names of the fields."""
        return self._values.keys()

    def _frozen(self) -> tuple[Any, ...]:
        found = []
        for field, value in self._values.items():
            try:
                found.append(frozen(value))
            except TypeError as err:
                raise TypeError(f"field {field!r}: {err}") from None
        return (self._type, *found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Params) and self._frozen() == other._frozen()

    def __hash__(self) -> int:
        return hash(self._frozen())

    def __repr__(self) -> str:
        return f"Params({', '.join(f'{field}={value!r}' for field, value in self._values.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _params, (self._type, self._values)


def _params(params_type: ParamsType, values: dict[str, Any]) -> Params:
    return Params(params_type, **values)


def _check_names(params_type: ParamsType, values: dict[str, Any]) -> None:
    for field in params_type.fields:
        if field not in values:
            raise TypeError(f"ParamsType: no value for field {field!r}")
    for name in values:
        if name not in params_type.fields:
            raise TypeError(f"ParamsType: no field {name!r}; there are {', '.join(params_type.fields)}")
