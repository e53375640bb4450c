"""Types that C code handles."""

from __future__ import annotations

from typing import Any

from opweld.errors import MethodNotDefined
from opweld.graph.type import Type
from opweld.hooks.asking import ask
from opweld.hooks.clinker import CLinkerObject

__all__ = ["CType"]


class CType(CLinkerObject, Type):
    """A type that C code handles. Each method returns C; ``py_<name>`` is the Python object, `name` the C variable."""

    def c_declare(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Declare the variables; their names contain `name`.

        Parameters
        ----------
        name : str
            The C variable's name.
        sub : dict
            ``sub['fail']``.
        check_input : bool
            Whether inputs will be checked.

        Returns
        -------
        str
            C declarations.
        """
        raise MethodNotDefined(f"{self} has no c_declare")

    def c_init(self, name: str, sub: dict[str, Any]) -> str:
        """Give the declared variables a harmless value.

        Returns
        -------
        str
            C statements.
        """
        raise MethodNotDefined(f"{self} has no c_init")

    def c_extract(self, name: str, sub: dict[str, Any], check_input: bool = True, **kwargs: Any) -> str:
        """Take ``py_<name>`` into the declared variables.

        Returns
        -------
        str
            C statements.
        """
        raise MethodNotDefined(f"{self} has no c_extract")

    def c_extract_out(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Take offered storage, which may be None, into the declared variables.

        Returns
        -------
        str
            C statements.
        """
        init = ask(self, "c_init", name, sub)
        extract = ask(self, "c_extract", name, sub, check_input=check_input)  # a subclass's may not know check_input
        return f"if (py_{name} == Py_None) {{\n{init}\n}} else {{\n{extract}\n}}"

    def c_sync(self, name: str, sub: dict[str, Any]) -> str:
        """Make ``py_<name>`` hold the result.

        Returns
        -------
        str
            C statements.
        """
        raise MethodNotDefined(f"{self} has no c_sync")

    def c_cleanup(self, name: str, sub: dict[str, Any]) -> str:
        """Free what was allocated.

        Returns
        -------
        str
            C statements.
        """
        return ""

    def c_accept(self, name: str, writeable: bool = False) -> str | None:
        """Write the test that spares an argument the way through `filter`.

        It is used only while no subclass overrides `filter`, `c_declare` or `c_extract` below the class that wrote it.

        Parameters
        ----------
        name : str
            The object is ``py_<name>``.
        writeable : bool
            Whether the object will be written into.

        Returns
        -------
        str or None
            A C expression that is true for an object that `c_extract` can take unchecked; None: there is no such test.
        """
        return None

    def c_element_type(self) -> str:
        """Give the C name of the element, such as ``npy_int32``.

        Returns
        -------
        str
        """
        raise MethodNotDefined(f"{self} has no c_element_type")

    def c_is_simple(self) -> bool:
        """Say whether a value is so small that nothing is won by keeping it between runs.

        Returns
        -------
        bool
        """
        return False

    def c_literal(self, data: Any) -> str | None:
        """Write a value as an expression; a constant is then no variable in C.

        Parameters
        ----------
        data : object
            What `filter` gave.

        Returns
        -------
        str or None
            A C expression; None: there is none for this value.
        """
        raise MethodNotDefined(f"{self} has no c_literal")
