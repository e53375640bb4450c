"""Types: what values a variable can take, and how they look in C."""

from __future__ import annotations

from typing import Any

from opweld.errors import MethodNotDefined
from opweld.graph.basic import Constant, Props, Variable
from opweld.graph.clinker import CLinkerObject
from opweld.tolerances import alike

__all__ = ["CType", "Type"]


class Type(Props):
    """What values a variable can take.

    A subclass writes `filter`. Equality is identity unless ``__props__`` or ``__eq__`` says otherwise. A plain Type
    that has ``c_declare`` counts as a `CType`; one without is carried through C as a Python object.

    Attributes
    ----------
    c_lang : {"c", "c++"} or None
        The language of the C hooks' texts. None: C.
    check_input : bool
        Whether `c_declare` and `c_extract` are asked to check what they are given.
    keep_storage : bool
        Whether a temporary's object is kept between runs and offered to the op that computes it again.
    """

    variable_type: type[Variable] = Variable
    constant_type: type[Constant] = Constant
    c_lang: str | None = None
    check_input: bool = True
    keep_storage: bool = False

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Turn a value into one of this type, or refuse.

        Parameters
        ----------
        value : object
            What came.
        strict : bool
            Refuse what is not of this type already.
        allow_downcast : bool, optional
            Whether a conversion may change values.

        Returns
        -------
        object
            A value of this type: `value` itself where it is one.

        Raises
        ------
        TypeError
            If it cannot be.
        """
        raise NotImplementedError(f"{self}: filter is not written")

    def is_valid_value(self, value: Any) -> bool:
        """Say whether `filter` takes `value` strictly.

        Returns
        -------
        bool
        """
        try:
            self.filter(value, strict=True)
        except (TypeError, ValueError):
            return False
        return True

    def make_variable(self, name: str | None = None) -> Variable:
        """Make a free variable of this type.

        Parameters
        ----------
        name : str, optional
            Its name.

        Returns
        -------
        Variable
        """
        return self.variable_type(self, None, None, name)

    def make_constant(self, value: Any, name: str | None = None) -> Constant:
        """Make a constant of this type.

        Parameters
        ----------
        value : object
            Passes `filter`.
        name : str, optional
            Its name.

        Returns
        -------
        Constant
        """
        return self.constant_type(self, value, name)

    def __call__(self, name: str | None = None) -> Variable:
        """Make a free variable of this type; see `make_variable`."""
        return self.make_variable(name)

    @classmethod
    def values_eq(cls, a: Any, b: Any) -> bool:
        """Say whether two values are equal, and what they hold is; see `opweld.tolerances.alike`.

        Returns
        -------
        bool
        """
        return alike(a, b)

    def values_eq_approx(self, a: Any, b: Any) -> bool:
        """Say whether two values are equal up to rounding.

        Returns
        -------
        bool
            Unless it is overridden: what `values_eq` says where that is, else what `opweld.tolerances.alike` says.
        """
        if getattr(self.values_eq, "__func__", None) is Type.values_eq.__func__:  # type: ignore[attr-defined]
            return alike(a, b, approx=True)
        return self.values_eq(a, b)


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
        from opweld.compile.hooks import ask  # a subclass's c_extract may not know check_input

        init = ask(self, "c_init", name, sub)
        extract = ask(self, "c_extract", name, sub, check_input=check_input)
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
