"""The functions of short forms by their addresses, for ufuncs and for C that calls back."""

from __future__ import annotations

from typing import Any

from opweld.compile.modes import InC
from opweld.cops.op import CORE_ID, Cop
from opweld.cops.reading import Place, Text
from opweld.cops.said import Said
from opweld.generic import generic
from opweld.graph.basic import Apply
from opweld.graph.fgraph import FunctionGraph

__all__ = ["Address", "addressing"]


class Address(Cop):
    """An op without inputs whose output is the address of a function of C, in a capsule."""

    def __init__(self, said: Said, text: Text, place: Place, types: dict[str, str], name: str) -> None:
        super().__init__(said, text, place, None)
        self.types = types
        self.name = name

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def make_node(self, *inputs: Any) -> Apply:
        """Build the node."""
        return Apply(self, [], [generic()])

    def _dtypes(self, node: Apply) -> dict[str, str]:
        return self.types

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Give the address."""
        (out,) = output_names
        return f"""
            {out} = PyCapsule_New({self.text.call.replace(CORE_ID, name)}, "{self.name}", NULL);
            if ({out} == NULL) {sub["fail"]}
        """


def addressing(said: Said, text: Text, place: Place, types: dict[str, str], name: str) -> InC:
    """Make the module of C, not compiled yet, that a text's function is in for these dtypes.

    Returns
    -------
    InC
        Called, it gives the function's address: a list of one capsule of that name.
    """
    cls = type(said.name, (Address,), {"__module__": Address.__module__})  # by it messages of the compiler call it
    return InC(FunctionGraph([], [cls(said, text, place, types, name)()]), name=said.name)
