"""Enumerations: named numbers that an op's Python and its C code share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opweld.dtypes import c_number
from opweld.errors import _what
from opweld.hooks.classes import CType

__all__ = ["CEnumType", "EnumList", "EnumType"]


class EnumType(CType):
    """A number that is one of several constants; each is a macro in C, an attribute and an item in Python.

    Parameters
    ----------
    ctype : str
        The C type of a value.
    cname : str, optional
        What the enumeration is called in C; made of `ctype` and the names if left out.
    **constants : number or (number, str)
        The constants by name, in capital letters; with an alias: another name by which `filter` knows the constant. The
        alias may stand first, as in Theano.

    Examples
    --------
    >>> kinds = opweld.enums.EnumType(VALID=0, FULL=2)
    >>> kinds.FULL
    2
    """

    _aliased: dict[str, str]
    _values: dict[str, Any]

    def __init__(self, ctype: str = "double", cname: str | None = None, **constants: Any) -> None:
        self._aliased = {}
        self._values = {}
        for name in sorted(constants):
            value = constants[name]
            if isinstance(value, (tuple, list)):
                if len(value) != 2 or sum(isinstance(part, str) for part in value) != 1:
                    raise TypeError(f"{type(self).__name__}: the constant {name!r} must be a number or (alias, number)")
                alias, value = sorted(value, key=lambda part: not isinstance(part, str))
                self._add_alias(name, alias)
            if not isinstance(value, (bool, int, float)):
                raise TypeError(f"{type(self).__name__}: the constant {name!r} must be a number, got {_what(value)}")
            self._add(name, int(value) if isinstance(value, bool) else value)
        self._finish(ctype, cname)

    def _add(self, name: str, value: object) -> None:
        good = isinstance(name, str) and name.isidentifier() and name.isascii() and name.upper() == name
        if not good or name[0] == "_":
            raise AttributeError(f"{type(self).__name__}: a constant must be a C name in capital letters, got {name!r}")
        if name in self._values:
            raise TypeError(f"{type(self).__name__}: the constant {name!r} occurs twice")
        self._values[name] = value

    def _add_alias(self, name: str, alias: object) -> None:
        if not isinstance(alias, str) or alias in self._aliased:
            raise TypeError(f"{type(self).__name__}: {alias!r} cannot be an alias of {name!r}: a string, used once")
        self._aliased[alias] = name

    def _finish(self, ctype: str, cname: str | None) -> None:
        clash = next((alias for alias in self._aliased if alias in self._values), None)
        if clash is not None:
            raise TypeError(f"{type(self).__name__}: {clash!r} is a constant and an alias")
        self.ctype = ctype
        self.cname = cname if cname is not None else "_".join([ctype.replace(" ", "_"), *self._values])

    @property
    def aliases(self) -> dict[str, str]:
        """The constants' names, by alias."""
        return dict(self._aliased)

    def fromalias(self, alias: str) -> Any:
        """Give the value of a constant by its alias or name."""
        return self._values[self._aliased.get(alias, alias)]

    def has_alias(self, alias: str) -> bool:
        """Say whether there is such an alias."""
        return alias in self._aliased

    def get_aliases(self) -> tuple[str, ...]:
        """Give the aliases, sorted."""
        return tuple(sorted(self._aliased))

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self.__dict__.get("_values", ()):
            return self._values[name]
        if hasattr(type(self), name):  # a property that raised: in its own words
            return object.__getattribute__(self, name)
        raise AttributeError(f"{type(self).__name__} has no constant {name!r}")

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def keys(self) -> Any:
        """Give the constants' names."""
        return self._values.keys()

    def values(self) -> Any:
        """Give the constants' values."""
        return self._values.values()

    def items(self) -> Any:
        """Give names and values."""
        return self._values.items()

    def _key(self) -> tuple[Any, ...]:
        constants = tuple([(name, type(value), value) for name, value in self._values.items()])
        return type(self), self.ctype, self.cname, constants, tuple(sorted(self._aliased.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EnumType) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        pairs = ", ".join(f"{name}:{value}" for name, value in self._values.items())
        return f"{type(self).__name__}<{self.ctype}>({pairs})"

    __repr__ = __str__

    def filter(self, value: object, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Turn a constant's name, alias or value into its value.

        Parameters
        ----------
        value : str or number
            What came.
        strict : bool
            Take values only.
        allow_downcast : bool, optional
            Has no meaning here.

        Returns
        -------
        number

        Raises
        ------
        TypeError
            If it is no constant of the enumeration.
        """
        found = value
        if not strict and isinstance(value, str):
            found = self._values.get(self._aliased.get(value, value))
        if found is None or isinstance(found, str) or found not in self._values.values():
            raise TypeError(f"expected one of {', '.join([*self._values, *map(repr, self._aliased)])}, got {value!r}")
        return int(found) if isinstance(found, bool) else found

    def c_support_code(self) -> Any:
        """Define each constant as a macro."""
        return "".join(f"#undef {name}\n#define {name} {c_number(value)}\n" for name, value in self._values.items())

    def c_element_type(self) -> str:
        """Give the C type of a value."""
        return self.ctype

    def c_declare(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Declare the number."""
        return f"{self.ctype} {name};"

    def c_init(self, name: str, sub: dict[str, Any]) -> str:
        """Begin with zero."""
        return f"{name} = ({self.ctype})0;"

    def c_extract(self, name: str, sub: dict[str, Any], check_input: bool = True, **kwargs: Any) -> str:
        """Read the number."""
        return (
            f"if (PyLong_Check(py_{name})) {{\n    {name} = ({self.ctype})PyLong_AsLongLong(py_{name});\n"
            f"}} else {{\n    {name} = ({self.ctype})PyFloat_AsDouble(py_{name});\n}}\n"
            f"if (PyErr_Occurred()) {sub['fail']}"
        )

    def c_cleanup(self, name: str, sub: dict[str, Any]) -> str:
        """Nothing is held."""
        return ""

    def c_is_simple(self) -> bool:
        """Say that a number is not worth keeping between runs."""
        return True

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of these texts."""
        return (1,)


class EnumList(EnumType):
    """An enumeration whose constants are 0, 1, 2, …, in the order given.

    Parameters
    ----------
    *names : str or (str, str)
        The constants, in capital letters; with an alias.
    ctype : str
        The C type of a value.
    cname : str, optional
        As for `EnumType`.

    Examples
    --------
    >>> kinds = opweld.enums.EnumList("VALID", ("FULL", "full"))
    >>> kinds.VALID, kinds.fromalias("full")
    (0, 1)
    """

    def __init__(self, *names: Any, ctype: str = "int", cname: str | None = None) -> None:
        self._aliased = {}
        self._values = {}
        for position, given in enumerate(names):
            name = given
            if isinstance(given, (tuple, list)):
                if len(given) != 2:
                    raise TypeError(f"{type(self).__name__}: expected a name or (name, alias), got {_what(given)}")
                name, alias = given
                self._add_alias(name, alias)
            self._add(name, position)
        self._finish(ctype, cname)


class CEnumType(EnumList):
    """An enumeration whose constants are defined in C: by a header of the op, for instance.

    In Python their values are 0, 1, 2, …; a variable holds the constant's value in C. The parameters are those of
    `EnumList`.

    Examples
    --------
    >>> opweld.enums.CEnumType("SEEK_SET", "SEEK_END", ctype="int").ctype
    'int'
    """

    def c_support_code(self) -> Any:
        """Write nothing: the constants exist."""
        return ""

    def c_extract(self, name: str, sub: dict[str, Any], check_input: bool = True, **kwargs: Any) -> str:
        """Turn the position into the constant."""
        cases = "".join(f"    case {value}: {name} = {constant}; break;\n" for constant, value in self._values.items())
        return (
            f"switch (PyLong_AsLong(py_{name})) {{\n{cases}    default:\n        if (!PyErr_Occurred())\n"
            f'            PyErr_SetString(PyExc_ValueError, "not a constant of the enumeration");\n'
            f"        {sub['fail']}\n}}"
        )
