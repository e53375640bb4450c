"""The graph: variables, the nodes that apply ops to them, types and ops. Nothing here knows C or NumPy arrays."""

from opweld.rooms import door

__all__, __getattr__, __dir__ = door(
    __name__,
    {
        "basic": ("Apply", "Constant", "Variable"),
        "fgraph": ("FunctionGraph",),
        "op": ("Op",),
        "type": ("Type",),
        "opweld.hooks.classes": ("COp", "CType"),  # for users, beside Op and Type
    },
)
