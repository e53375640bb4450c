"""Ops that are written in C."""

from __future__ import annotations

from typing import Any

from opweld.errors import MethodNotDefined
from opweld.graph.basic import Apply
from opweld.graph.op import Op
from opweld.hooks.clinker import CLinkerObject

__all__ = ["COp"]


class COp(CLinkerObject, Op):
    """An op whose work is written in C. Texts are asked for under canonical names; see the page on the C contract.

    Only `c_code` must be written; a plain `Op` may carry the same methods.
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
