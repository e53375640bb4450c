"""The ops that are the same for every type: copies and views. Types that have C for them say so by ``register_…``."""

from __future__ import annotations

from typing import Any, ClassVar

from opweld.graph.basic import Apply, Variable
from opweld.hooks import registered
from opweld.hooks.classes import COp
from opweld.hooks.registered import register_deep_copy_op_c_code, register_view_op_c_code

__all__ = [
    "DeepCopyOp",
    "RegisteredCOp",
    "ViewOp",
    "deep_copy_op",
    "register_deep_copy_op_c_code",
    "register_view_op_c_code",
    "view_op",
]


class RegisteredCOp(COp):
    """An op of one input whose C is registered for each class of types; the others are served by `perform`.

    Attributes
    ----------
    c_code_and_version : dict of type to (str, tuple)
        Each class's text and its version; subclasses of it are not meant.
    """

    __props__: tuple[str, ...] | None = ()
    check_input = False
    c_float16 = True
    c_code_and_version: ClassVar[dict[type, tuple[str, tuple[Any, ...]]]] = {}

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Write the text that is registered for the input's type."""
        found = self.c_code_and_version.get(type(node.inputs[0].type))
        if found is None:
            return super().c_code(node, name, input_names, output_names, sub)
        return found[0] % self.fields(input_names[0], output_names[0], sub)

    def fields(self, iname: str, oname: str, sub: dict[str, Any]) -> dict[str, Any]:
        """Give what the registered text may name.

        Parameters
        ----------
        iname, oname : str
            The C variables of input and output.
        sub : dict
            As for `c_code`.

        Returns
        -------
        dict
        """
        return {"iname": iname, "oname": oname, "fail": sub["fail"]}

    def c_code_cache_version_apply(self, node: Apply) -> tuple[Any, ...]:
        """Give the version registered with the type's text."""
        found = self.c_code_and_version.get(type(node.inputs[0].type))
        return () if found is None else found[1]

    @classmethod
    def register(cls, type_: type, code: str, version: object) -> None:
        """Enter the text of a class of types.

        Parameters
        ----------
        type_ : type
            The class.
        code : str
            C.
        version : tuple or int
            Its version.
        """
        registered.enter(cls.c_code_and_version, cls.__name__, type_, code, version)


class OfOneType(RegisteredCOp):
    """An op whose output is of its input's type, and shape."""

    def make_node(self, x: Variable) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable
            What to copy or to view.

        Returns
        -------
        Apply
            One output of the same type.
        """
        return Apply(self, [x], [x.type()])

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the input's shape."""
        return input_shapes


class DeepCopyOp(OfOneType):
    """Copy a value, so that nobody outside holds the memory it came from.

    For a type that `register_deep_copy_op_c_code` knows, in C; for others by ``value.copy()``, else ``copy.deepcopy``.
    """

    c_code_and_version = registered.COPIES

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Copy in Python."""
        value = inputs[0]
        if hasattr(value, "copy"):
            output_storage[0][0] = value.copy()
        else:
            from copy import deepcopy

            output_storage[0][0] = deepcopy(value)


class ViewOp(OfOneType):
    """Give the value itself: an output that shares its input's memory, and says so.

    For a type that `register_view_op_c_code` knows, in C; for others in Python.
    """

    view_map = {0: [0]}
    c_code_and_version = registered.VIEWS

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Hand on in Python."""
        output_storage[0][0] = inputs[0]


deep_copy_op = DeepCopyOp()
view_op = ViewOp()
