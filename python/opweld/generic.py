"""Generic: any Python object."""

from __future__ import annotations

from typing import Any

from opweld.hooks.classes import CType

__all__ = ["Generic", "generic"]


class Generic(CType):
    """Any Python object, as a ``PyObject*`` that C code owns a reference to.

    Examples
    --------
    >>> g = opweld.generic.generic("g")
    >>> opweld.function([g], g)({"any": "object"})
    {'any': 'object'}
    """

    __props__ = ()

    def filter(self, value: object, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Give the object itself."""
        return value

    def c_declare(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Declare the pointer."""
        return f"PyObject* {name};"

    def c_init(self, name: str, sub: dict[str, Any]) -> str:
        """Begin with nothing."""
        return f"{name} = NULL;"

    def c_extract(self, name: str, sub: dict[str, Any], check_input: bool = True, **kwargs: Any) -> str:
        """Take a reference."""
        return f"{name} = py_{name};\nPy_INCREF({name});"

    def c_sync(self, name: str, sub: dict[str, Any]) -> str:
        """Give a reference back; NULL becomes None."""
        return (
            f"if ({name} == NULL) {{\n    {name} = Py_None;\n    Py_INCREF({name});\n}}\n"
            f"if (py_{name} != {name}) {{\n    PyObject* {name}_old = py_{name};\n    Py_INCREF({name});\n"
            f"    py_{name} = {name};\n    Py_XDECREF({name}_old);\n}}"
        )

    def c_cleanup(self, name: str, sub: dict[str, Any]) -> str:
        """Release the reference."""
        return f"Py_XDECREF({name});"

    def c_accept(self, name: str, writeable: bool = False) -> str | None:
        """Take everything; offer nothing as storage."""
        return None if writeable else "1"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of these texts."""
        return (1,)


generic = Generic()
