"""The classes of ops and types that are written in C, and what they have alike."""

from __future__ import annotations

from typing import Any

from opweld.errors import MethodNotDefined
from opweld.graph.basic import Apply
from opweld.graph.op import Op
from opweld.graph.type import Type
from opweld.rooms import late

__all__ = ["CLinkerObject", "COp", "CType", "own_hook", "says_nothing"]

asking: Any = late("opweld.hooks.asking")  # a graph that is remembered asks no hook


class CLinkerObject:
    """The hooks about the module and its build; to be mixed into an op or a type."""

    def c_support_code(self) -> Any:
        """Write what stands at file scope, once for each distinct text.

        Returns
        -------
        str or list of str
            C declarations and functions.
        """
        return ""

    def c_init_code(self) -> Any:
        """Write what runs when the module is loaded.

        Returns
        -------
        str or list of str
            C statements.
        """
        return []

    def c_headers(self) -> list[str]:
        """Name headers: ``<math.h>``, ``"mine.h"``; without either sign, quotes are added."""
        return []

    def c_header_dirs(self) -> list[str]:
        """Name folders of headers."""
        return []

    def c_libraries(self) -> list[str]:
        """Name libraries, without ``lib`` and suffix."""
        return []

    def c_lib_dirs(self) -> list[str]:
        """Name folders of libraries; they are searched at load time too."""
        return []

    def c_compile_args(self) -> list[str]:
        """Give flags for the compiler."""
        return []

    def c_no_compile_args(self) -> list[str]:
        """Give flags that must be taken away, by exact match."""
        return []

    def c_compiler(self) -> Any:
        """Name the compiler driver that must be used; None: whichever is configured."""
        return None

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Give the version of the texts.

        Returns
        -------
        tuple
            ``()``: not kept for another process.
        """
        return ()


class Lenient(CLinkerObject):
    """Hooks that may be asked as the older packages ask: with nothing, with a compiler, with keywords."""

    def c_support_code(self, **kwargs: Any) -> Any:
        """Write nothing: a class may write some."""
        return super().c_support_code()

    def c_init_code(self, **kwargs: Any) -> Any:
        """Write nothing: a class may write some."""
        return super().c_init_code()

    def c_headers(self, c_compiler: object = None, **kwargs: Any) -> list[str]:
        """Name none: a class may write some."""
        return super().c_headers()

    def c_header_dirs(self, c_compiler: object = None, **kwargs: Any) -> list[str]:
        """Name none: a class may write some."""
        return super().c_header_dirs()

    def c_libraries(self, c_compiler: object = None, **kwargs: Any) -> list[str]:
        """Name none: a class may write some."""
        return super().c_libraries()

    def c_lib_dirs(self, c_compiler: object = None, **kwargs: Any) -> list[str]:
        """Name none: a class may write some."""
        return super().c_lib_dirs()

    def c_compile_args(self, c_compiler: object = None, **kwargs: Any) -> list[str]:
        """Give none: a class may write some."""
        return super().c_compile_args()

    def c_no_compile_args(self, c_compiler: object = None, **kwargs: Any) -> list[str]:
        """Give none: a class may write some."""
        return super().c_no_compile_args()


class COp(CLinkerObject, Op):
    """An op whose work is written in C. Texts are asked for under canonical names; see the page on the C contract.

    Only `c_code` must be written; a plain `Op` may carry the same methods.

    Examples
    --------
    >>> class Twice(opweld.COp):
    ...     itypes, otypes = [opweld.scalar.float64], [opweld.scalar.float64]
    ...     def c_code(self, node, name, inputs, outputs, sub):
    ...         return f"{outputs[0]} = 2 * {inputs[0]};"
    ...
    >>> a = opweld.scalar.float64("a")
    >>> opweld.function([a], Twice()(a))(21)
    np.float64(42.0)
    """

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Write the statements that compute the outputs.

        Parameters
        ----------
        node : Apply
            The node.
        name : str
            The kernel's name, for identifiers.
        input_names, output_names : list of str
            The C variables.
        sub : dict
            ``sub['fail']``: what to write where an exception is set and the call must fail; ``sub['params']``: the
            params' variable, where the op has some; ``sub['failure_var']``, ``sub['id']``.

        Returns
        -------
        str
            C statements.
        """
        raise MethodNotDefined(f"{self} has no c_code")

    def c_code_cleanup(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Write what runs after `c_code`, failed or not.

        Returns
        -------
        str
            C statements.
        """
        return ""

    def c_support_code_apply(self, node: Apply, name: str) -> str:
        """Write what stands at file scope, for each kernel.

        Returns
        -------
        str
            C declarations and functions whose identifiers carry `name`.
        """
        return ""

    def c_support_code_struct(self, node: Apply, name: str) -> str:
        """Write the members of a C++ struct that each instance of the function has for this node.

        Returns
        -------
        str
            C++ members; `c_code`, `c_code_cleanup` and the other ``_struct`` hooks see them by their bare names.
        """
        return ""

    def c_init_code_struct(self, node: Apply, name: str, sub: dict[str, Any]) -> str:
        """Write what runs when an instance of the function is made.

        Parameters
        ----------
        node : Apply
            The node.
        name : str
            The kernel's name, for identifiers.
        sub : dict
            ``sub['fail']``, and ``sub['params']`` where the op has params.

        Returns
        -------
        str
            C++ statements.
        """
        return ""

    def c_cleanup_code_struct(self, node: Apply, name: str) -> str:
        """Write what runs when an instance of the function dies.

        Returns
        -------
        str
            C++ statements.
        """
        return ""

    def c_init_code_apply(self, node: Apply, name: str) -> str:
        """Write what runs when the module is loaded, for each kernel.

        Returns
        -------
        str
            C statements.
        """
        return ""

    def c_code_cache_version_apply(self, node: Apply) -> tuple[Any, ...]:
        """Give the version of the texts where it depends on the node."""
        return self.c_code_cache_version()


class CType(CLinkerObject, Type):
    """A type that C code handles. Each method returns C; ``py_<name>`` is the Python object, `name` the C variable.

    Examples
    --------
    >>> class Whole(opweld.CType):
    ...     __props__ = ()
    ...     def filter(self, value, strict=False, allow_downcast=None):
    ...         return int(value)
    ...     def c_declare(self, name, sub, check_input=True):
    ...         return f"long {name};"
    ...     def c_init(self, name, sub):
    ...         return f"{name} = 0;"
    ...     def c_extract(self, name, sub, check_input=True):
    ...         return f"{name} = PyLong_AsLong(py_{name}); if (PyErr_Occurred()) {sub['fail']}"
    ...     def c_sync(self, name, sub):
    ...         return f"Py_XSETREF(py_{name}, PyLong_FromLong({name})); if (!py_{name}) {sub['fail']}"
    >>> class Next(opweld.COp):
    ...     __props__ = ()
    ...     def make_node(self, n):
    ...         return opweld.Apply(self, [n], [n.type()])
    ...     def c_code(self, node, name, inputs, outputs, sub):
    ...         return f"{outputs[0]} = {inputs[0]} + 1;"
    >>> n = Whole()("n")
    >>> opweld.function([n], Next()(n))(41)
    42
    """

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
        init = asking.ask(self, "c_init", name, sub)
        # A subclass's may not know check_input.
        extract = asking.ask(self, "c_extract", name, sub, check_input=check_input)
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


def own_hook(op: object, hook: str) -> bool:
    """Say whether an op writes a hook; what `COp` has for it does not count."""
    method = getattr(op, hook, None)
    return method is not None and getattr(method, "__func__", method) is not getattr(COp, hook, None)


def says_nothing(owner: object, hook: str) -> bool:
    """Say whether a hook about the module and its build is the one that gives nothing: it need not be asked."""
    method: Any = getattr(owner, hook, None)
    function = getattr(method, "__func__", None)
    if function is not None and function is Lenient.__dict__.get(hook):  # which asks who comes behind it
        who = method.__self__  # a scalar op, where the owner maps one
        function = getattr(getattr(super(Lenient, who), hook), "__func__", None)
    return method is None or function is getattr(CLinkerObject, hook)
