"""The ops that function() itself places."""

from __future__ import annotations

from typing import Any

from opweld.graph.basic import Apply, Variable
from opweld.graph.op import COp

__all__ = ["DeepCopyOp", "deep_copy_op", "register_deep_copy_op_c_code"]


class DeepCopyOp(COp):
    """Copy a value, so that nobody outside holds the memory it came from.

    For a type that `register_deep_copy_op_c_code` knows, in C; for others by ``value.copy()``, else ``copy.deepcopy``.
    """

    __props__ = ()
    check_input = False
    c_code_and_version: dict[type, tuple[str, tuple[Any, ...]]] = {}

    def make_node(self, x: Variable) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable
            What to copy.

        Returns
        -------
        Apply
            One output of the same type.
        """
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Copy in Python."""
        value = inputs[0]
        if hasattr(value, "copy"):
            output_storage[0][0] = value.copy()
        else:
            from copy import deepcopy

            output_storage[0][0] = deepcopy(value)

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Write the copy, for a type that has C code registered."""
        found = self.c_code_and_version.get(type(node.inputs[0].type))
        if found is None:
            return super().c_code(node, name, input_names, output_names, sub)
        return found[0] % {"iname": input_names[0], "oname": output_names[0], "fail": sub["fail"]}

    def c_code_cache_version_apply(self, node: Apply) -> tuple[Any, ...]:
        """Give the version registered with the type's code."""
        found = self.c_code_and_version.get(type(node.inputs[0].type))
        return () if found is None else found[1]


deep_copy_op = DeepCopyOp()


def register_deep_copy_op_c_code(type_: type, code: str, version: Any = ()) -> None:
    """Tell `DeepCopyOp` how to copy values of a type in C.

    Parameters
    ----------
    type_ : type
        The Type's class; its subclasses are not meant.
    code : str
        C with ``%(iname)s``, ``%(oname)s`` and ``%(fail)s``.
    version : tuple or int
        Version of `code`; ``()``: built anew in each process.
    """
    DeepCopyOp.c_code_and_version[type_] = (code, version if isinstance(version, tuple) else (version,))
