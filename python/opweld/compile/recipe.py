"""What a function is made of: what its user asked for, and how it is made, changed and pickled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from opweld.compile.asked import Asked
from opweld.compile.io import Out, Substitution, shared_of
from opweld.compile.maker import Maker, modes
from opweld.config import Options
from opweld.errors import _what
from opweld.graph.basic import pickling
from opweld.graph.shared import SharedVariable

__all__ = ["Recipe"]

#: Is given every function that `opweld.function` makes, and gives what its user gets; None: nobody watches.
watch: Callable[[Any], object] | None = None


class Recipe(Asked):
    """What a function is made of: all that is pickled of it."""

    def make(self, mode: object = None, options: Options | None = None) -> Any:
        """Make the function.

        Parameters
        ----------
        mode, options : Mode and Options, optional
            What those of the recipe mean, if that is known.

        Returns
        -------
        Function
        """
        if options is None:
            mode = modes.read_mode(self.mode)
            options = Options(self.options, getattr(mode, "options", None) or {})
        given = {spec.variable for spec in self.inputs}
        shared = shared_of(self.wanted, given)
        shared += [variable for variable in self.updates if variable not in shared]
        return Maker(self, options, shared, mode).create()

    def altered(
        self,
        maker: Maker,
        swap: Mapping[SharedVariable, SharedVariable],
        delete_updates: bool,
        name: str | None,
    ) -> Recipe:
        """Change it as a function's `copy` was asked to; `Maker.copy` says how.

        Returns
        -------
        Recipe
        """
        if name is not None and not isinstance(name, str):
            raise TypeError(f"name must be a string, got {_what(name)}")
        if not isinstance(swap, Mapping):
            raise TypeError(f"swap must be a dict of shared variables to shared variables, got {_what(swap)}")
        for old, new in swap.items():
            if old not in maker.shared:
                raise ValueError(f"swap: {_what(old)} is not a shared variable of {maker.called}()")
            if not isinstance(new, SharedVariable):
                raise TypeError(f"swap: expected a shared variable for {old}, got {_what(new)}")
            if new.type != old.type:
                raise TypeError(f"swap: {new} of type {new.type} cannot stand for {old} of type {old.type}")
        stand = [swap.get(variable, variable) for variable in maker.shared]
        for new in swap.values():
            if stand.count(new) > 1:
                raise ValueError(f"swap: {maker.called}() would have {new} twice: it stands for two shared variables")
        put = Substitution(swap)
        outputs = [Out(put(out.variable), out.borrow) for out in self.outputs]
        updates = {} if delete_updates else self.updates
        updates = {swap.get(variable, variable): put(new) for variable, new in updates.items()}
        called = self.name if name is None else name
        return Recipe(self.inputs, outputs, updates, self.single, called, self.mode, self.options)

    def pickled(self) -> tuple[Any, ...]:
        """Say how the function is pickled.

        Returns
        -------
        tuple
            As ``__reduce__`` gives it.
        """
        return _again, (pickling.Batch(self.wanted), self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({"options": {}, **state})


def _again(nodes: object, recipe: Recipe) -> Any:
    """A function from its pickle; its nodes come first, so that none is pickled inside another."""
    return recipe.make()
