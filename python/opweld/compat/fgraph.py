"""``FunctionGraph`` as Theano, Aesara and PyTensor have it: replacements that are checked, and features that listen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from weakref import WeakSet

from opweld.compat.bases import Kin
from opweld.compat.graphs import graph_inputs
from opweld.errors import InconsistencyError
from opweld.graph import fgraph as _fgraph
from opweld.graph.basic import Apply, Constant, Variable, rewriting
from opweld.graph.type import fits
from opweld.rewriting.inplace import is_destroyed

__all__ = ["Feature", "FunctionGraph", "ReplaceValidate", "ReplacementDidntRemovedError", "Updater", "Validator"]


class ReplacementDidntRemovedError(Exception):
    """A replacement was to remove a node, and did not."""


class Feature:
    """Listens to the changes of a graph. A subclass writes what it wants to hear."""

    def on_attach(self, fgraph: FunctionGraph) -> None:
        """Hear that a graph takes this feature."""

    def on_detach(self, fgraph: FunctionGraph) -> None:
        """Hear that a graph gives this feature up."""

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        """Hear of a node that came."""

    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        """Hear of a node that went."""

    def on_change_input(
        self, fgraph: FunctionGraph, node: Apply, i: int, r: Variable, new_r: Variable, reason: str | None = None
    ) -> None:
        """Hear that a node, or ``"output"``, reads another variable."""

    def orderings(self, fgraph: FunctionGraph) -> dict[Any, Any]:
        """Give no order of nodes besides what they read."""
        return {}


class Updater(Feature):
    """Calls functions when a graph changes.

    Parameters
    ----------
    importer, pruner : callable, optional
        Of a node.
    chin : callable, optional
        Of a node, the number of its input, the variable before and the one after, and the reason.
    name : str, optional
        What it is called.
    """

    def __init__(
        self,
        importer: Callable[[Apply], Any] | None,
        pruner: Callable[[Apply], Any] | None,
        chin: Callable[..., Any] | None,
        name: str | None = None,
    ) -> None:
        self.importer, self.pruner, self.chin, self.name = importer, pruner, chin, name

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        """Call the function for that."""
        if self.importer:
            self.importer(node)

    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        """Call the function for that."""
        if self.pruner:
            self.pruner(node)

    def on_change_input(
        self, fgraph: FunctionGraph, node: Apply, i: int, r: Variable, new_r: Variable, reason: str | None = None
    ) -> None:
        """Call the function for that."""
        if self.chin:
            self.chin(node, i, r, new_r, reason)


class ReplaceValidate(Feature):
    """Asks for replacements that are checked: every graph has them."""


Validator = ReplaceValidate


class FunctionGraph(_fgraph.FunctionGraph, metaclass=Kin):
    """`opweld.FunctionGraph`, with what rewriters of whole graphs ask of one.

    Parameters
    ----------
    inputs, outputs : sequence of Variable
        As for `opweld.FunctionGraph`. No inputs: all that the outputs come from, but for constants.
    features : iterable of Feature
        Who listens.
    clone : bool
        Work on copies of the nodes.
    """

    kin = (_fgraph.FunctionGraph,)
    profile = None

    def __init__(
        self,
        inputs: Iterable[Variable] | None = None,
        outputs: Iterable[Variable] = (),
        features: Iterable[Any] = (),
        clone: bool = False,
        **kwargs: object,
    ) -> None:
        outputs = list(outputs)
        if inputs is None:
            inputs = [v for v in graph_inputs(outputs) if not isinstance(v, Constant)]
        super().__init__(inputs, outputs, clone=clone)
        self._given = frozenset(self.inputs) if clone else frozenset()  # what others have too
        rewriting.__dict__.setdefault("others", WeakSet()).add(self)
        self._features: list[Any] = []
        for feature in features or ():
            self.attach_feature(feature)

    def owns(self, variable: object) -> bool:
        """Say whether a variable may be asked for its readers: an input that is not the graph's alone may not."""
        return variable in self and variable not in self._given

    def attach_feature(self, feature: Feature) -> None:
        """Let a feature listen."""
        if feature not in self._features:
            self._features.append(feature)
            self._tell(feature, "on_attach", self)

    def remove_feature(self, feature: Feature) -> None:
        """Let a feature listen no longer."""
        if feature in self._features:
            self._features.remove(feature)
            self._tell(feature, "on_detach", self)

    @staticmethod
    def _tell(feature: Feature, what: str, *args: Any) -> None:
        heard = getattr(feature, what, None)
        if heard is not None:
            heard(*args)

    def replace(
        self,
        old: Variable,
        new: Variable,
        reason: str | None = None,
        readers: Iterable[tuple[Any, int]] | None = None,
        **kwargs: object,
    ) -> list[Apply]:
        """Let `new` be read wherever `old` is read; see `opweld.FunctionGraph.replace`."""
        if not self._features:
            return super().replace(old, new, reason, readers)
        before = set(self.apply_nodes)
        read = list(self.clients.get(old, ()))
        entered = super().replace(old, new, reason, readers)
        still = set(self.clients.get(old, ())) if old in self else set()
        after = set(self.apply_nodes)
        for feature in list(self._features):
            for node in entered:
                self._tell(feature, "on_import", self, node, reason)
            for node, position in read:
                if (node, position) not in still:
                    self._tell(feature, "on_change_input", self, node, position, old, new, reason)
            for node in before - after:
                self._tell(feature, "on_prune", self, node, reason)
        return entered

    def replace_all(self, pairs: Iterable[tuple[Variable, Variable]], reason: str | None = None, **_: object) -> None:
        """Replace variables, one after the other."""
        for old, new in pairs:
            self.replace(old, new, reason)

    def replace_validate(self, old: Variable, new: Variable, reason: str | None = None, **_: object) -> None:
        """Replace a variable; see `replace_all_validate`."""
        self.replace_all_validate([(old, new)], reason)

    def replace_all_validate(
        self, replacements: Sequence[tuple[Variable, Variable]], reason: str | None = None, **_: object
    ) -> None:
        """Replace variables, unless no order of the nodes honours what they destroy.

        Raises
        ------
        TypeError
            If a type is another.
        InconsistencyError
            If there is no order; the graph is as before.
        """
        replacements = list(replacements)
        for old, new in replacements:
            if not fits(old.type, new.type):
                raise TypeError(f"{reason}: {old} of type {old.type} cannot be replaced by {new} of type {new.type}")
        done: list[tuple[Variable, Variable, list[tuple[Any, int]]]] = []
        recorded = None if self.rewrites is None else len(self.rewrites)
        for old, new in replacements:
            readers = self.clients.get(old, [])
            came = self.replace(old, new, reason)
            done.append((old, new, [item for item in readers if item[0] not in came]))
        try:
            self.validate()
        except InconsistencyError:
            for old, new, readers in reversed(done):
                self.replace(new, old, reason, readers)
            if self.rewrites is not None:
                del self.rewrites[recorded:]
            raise

    def replace_all_validate_remove(
        self,
        replacements: Sequence[tuple[Variable, Variable]],
        remove: Iterable[Apply],
        reason: str | None = None,
        warn: bool = True,
        **_: object,
    ) -> None:
        """Replace variables, and see to it that nodes are gone afterwards.

        Raises
        ------
        ReplacementDidntRemovedError
            If one is still there; the graph is as before.
        """
        before = list(self.outputs), [(node, list(node.inputs)) for node in self.apply_nodes]
        self.replace_all_validate(replacements, reason)
        if not any(node in self for node in remove):
            return
        self.outputs, nodes = before
        for node, inputs in nodes:
            node.inputs = inputs
        self._nodes = self._order = self._readers = None
        self._members = set()
        raise ReplacementDidntRemovedError(f"{reason}: a node that was to go is still read")

    def validate(self) -> None:
        """See whether the nodes have an order.

        Raises
        ------
        InconsistencyError
            If they have none.
        """
        self._order = None
        self.toposort()

    def consistent(self) -> bool:
        """Say whether the nodes have an order."""
        try:
            self.validate()
        except InconsistencyError:
            return False
        return True

    def orderings(self) -> dict[Any, Any]:
        """Give the order of nodes besides what they read: none but what `toposort` knows by itself."""
        return {}

    def has_destroyers(self, variables: Iterable[Variable]) -> bool:
        """Say whether a node destroys one of these variables."""
        return any(is_destroyed(self, v) for v in variables if not isinstance(v, Constant))
