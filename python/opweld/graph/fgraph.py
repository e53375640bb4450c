"""The graph of one function: the order of its nodes, who reads what, and the replacement of one variable by another."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from opweld.errors import MissingInputError, _named
from opweld.graph.aliasing import Buffers, order
from opweld.graph.basic import Apply, Constant, Variable, pickling
from opweld.graph.order import depth_first

__all__ = ["FunctionGraph", "Sink"]


class Sink(str):
    """``"output"``: stands for the function itself among those who read a variable."""

    __slots__ = ()

    @property
    def op(self) -> Sink:
        """Itself: who asks every reader for its op gets what is none."""
        return self


_OUTPUT = Sink("output")
_NOBODY: dict[tuple[Any, int], None] = {}
_Readers = dict[tuple[Any, int], None]  # (node, position); ("output", position) for the function itself


class FunctionGraph:
    """What lies between the inputs and the outputs of a function.

    Parameters
    ----------
    inputs, outputs : sequence of Variable
        The outputs are computed from the inputs and from constants only.
    clone : bool
        Work on copies of the nodes; inputs and constants stay the same objects.

    Attributes
    ----------
    inputs, outputs : list of Variable
        As given, or the copies.
    rewrites : list of (str, Variable, Variable), or None
        Where this is a list, `replace` enters what it does: why, the variable before, the variable after.
    inplace : set of Apply
        Nodes that a rewriter let write over what is known to be a temporary.

    Raises
    ------
    MissingInputError
        If an output depends on a variable that is none of these.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> graph = opweld.FunctionGraph([x], [T.exp(x) + 1])
    >>> [str(node.op) for node in graph.toposort()]
    ['Elemwise{exp}', 'Elemwise{add}']
    """

    inputs: list[Variable]
    outputs: list[Variable]
    _nodes: list[Apply] | None
    _readers: dict[Variable, _Readers] | None

    def __init__(self, inputs: Iterable[Variable], outputs: Iterable[Variable], clone: bool = False) -> None:
        self._begin(list(inputs), list(outputs))
        nodes = depth_first(self.outputs, set(self.inputs), _missing)
        if clone:
            copies = {variable: variable for variable in self.inputs}
            nodes = [node.copy([copies.get(v, v) for v in node.inputs], copies) for node in nodes]
            self.outputs = [copies.get(v, v) for v in self.outputs]
        self._nodes = nodes

    def _begin(self, inputs: list[Variable], outputs: list[Variable], nodes: list[Apply] | None = None) -> None:
        """Set what a graph is made of; nodes: None: they are still to be found."""
        self.inputs = inputs
        self.outputs = outputs
        self.rewrites: list[tuple[str, Variable, Variable]] | None = None
        self.inplace: set[Apply] = set()
        self._nodes = nodes
        self._order: list[Apply] | None = None
        self._readers = None
        self._members: set[Apply] = set()

    @classmethod
    def _of_nodes(cls, inputs: list[Variable], outputs: list[Variable], nodes: list[Apply]) -> FunctionGraph:
        """A graph of which it is known what `apply_nodes` would find, in that order."""
        made = cls.__new__(cls)
        made._begin(inputs, outputs, nodes)
        return made

    @property
    def apply_nodes(self) -> list[Apply]:
        """Every node that an output needs, each after those that it reads; the same order for every equal graph."""
        if self._nodes is None:
            self._nodes = depth_first(self.outputs, set(self.inputs), _missing)
        return self._nodes

    def toposort(self) -> list[Apply]:
        """Order the nodes for execution.

        Returns
        -------
        list of Apply
            Each node after those it reads, and after the readers of what it destroys; the same for every equal graph.

        Raises
        ------
        InconsistencyError
            If no order honours what the ops destroy.
        """
        if self._order is None:
            nodes = self.apply_nodes
            if any([node.op.destroy_map for node in nodes]):
                nodes = order(nodes, self.outputs, self.inputs)
            self._order = nodes
        return list(self._order)

    def _order_by(self, buffers: Buffers) -> None:
        """Order the nodes, as `toposort` will give them, by what is known of their memory already."""
        nodes = self.apply_nodes
        self._order = order(nodes, self.outputs, self.inputs, buffers)

    @property
    def variables(self) -> list[Variable]:
        """Every variable, inputs first, then in order of execution."""
        found = dict.fromkeys(self.inputs)
        for node in self.apply_nodes:
            found.update(dict.fromkeys(node.inputs))
            found.update(dict.fromkeys(node.outputs))
        found.update(dict.fromkeys(self.outputs))
        return list(found)

    @property
    def clients(self) -> Mapping[Variable, list[tuple[Any, int]]]:
        """Who reads each variable, and as which input: ``(node, i)``; ``("output", i)`` for the function's output i."""
        return _Clients(self._index())

    def _readers_of(self, variable: Variable) -> Collection[tuple[Any, int]]:
        """Who reads a variable, as `clients` says it; no copy, but what changes with the graph."""
        found: Collection[tuple[Any, int]] = self._index().get(variable, _NOBODY)
        return found

    def _index(self) -> dict[Variable, _Readers]:
        """Who reads each variable, kept up to date by `replace`; made when first asked for."""
        if self._readers is None:
            readers: dict[Variable, _Readers] = {variable: {} for variable in self.inputs}
            for node in self.apply_nodes:
                self._members.add(node)
                for output in node.outputs:
                    readers.setdefault(output, {})
                for position, variable in enumerate(node.inputs):
                    readers.setdefault(variable, {})[node, position] = None
            for position, variable in enumerate(self.outputs):
                readers.setdefault(variable, {})[_OUTPUT, position] = None
            self._readers = readers
        return self._readers

    def __contains__(self, item: object) -> bool:
        index = self._index()
        return item in self._members if isinstance(item, Apply) else item in index

    def replace(
        self,
        old: Variable,
        new: Variable,
        reason: str | None = None,
        readers: Iterable[tuple[Any, int]] | None = None,
    ) -> list[Apply]:
        """Let `new` be read wherever `old` is read.

        Nodes that come with `new` go on reading `old` where they do, so that a node can be wrapped in another. Nodes
        that nobody needs afterwards are dropped.

        Parameters
        ----------
        old, new : Variable
            `new` is computed from what the graph has.
        reason : str, optional
            Who wants it.
        readers : iterable of (Apply or "output", int), optional
            Those who shall read `new`, as `clients` names them; everybody if left out.

        Returns
        -------
        list of Apply
            The nodes that came with `new`.

        Raises
        ------
        MissingInputError
            If `new` depends on a variable that is not the graph's.
        """
        index = self._index()
        if old is new or old not in index:
            return []
        entered = self._enter(new)
        fresh = set(entered)
        target = index.setdefault(new, {})
        for reader, position in list(index[old]) if readers is None else readers:
            if reader in fresh or (reader, position) not in index[old]:
                continue
            if reader == "output":
                self.outputs[position] = new
            else:
                reader.inputs[position] = new
            del index[old][reader, position]
            target[reader, position] = None
        self._nodes = self._order = None
        if self.rewrites is not None:
            self.rewrites.append((reason or "replace", old, new))
        self._drop(old)
        return entered

    def _enter(self, variable: Variable) -> list[Apply]:
        """Take in what computes a variable, as far as it is not here yet."""
        index = self._index()
        owner = variable.owner
        if owner is not None and variable not in index and all([source in index for source in owner.inputs]):
            found = [owner]  # nearly always
        else:
            found = depth_first([variable], index, _missing)
        for node in found:
            self._members.add(node)
            for output in node.outputs:
                index.setdefault(output, {})
            for position, source in enumerate(node.inputs):
                index.setdefault(source, {})[node, position] = None
        return found

    def _drop(self, variable: Variable) -> None:
        """Forget the node behind a variable if nobody needs it, and what only that node needed."""
        index = self._index()
        stack = [variable]
        while stack:
            current = stack.pop()
            node = current.owner
            if node not in self._members:
                if node is None and isinstance(current, Constant) and not index.get(current):
                    index.pop(current, None)
                continue
            assert node is not None
            if any([index.get(output) for output in node.outputs]):
                continue
            self._members.discard(node)
            for output in node.outputs:
                index.pop(output, None)
            for position, source in enumerate(node.inputs):
                readers = index.get(source)
                if readers is not None:
                    readers.pop((node, position), None)
                    if not readers:  # else it stays, and so does what computes it
                        stack.append(source)

    def __reduce__(self) -> tuple[Any, ...]:
        fields = (self.inputs, self.outputs, self.rewrites, self.inplace)
        replaced = [variable for _, old, new in self.rewrites or () for variable in (old, new)]
        return _unpickled, (type(self), pickling.Batch([*self.outputs, *replaced]), fields)

    def __repr__(self) -> str:
        return f"FunctionGraph({', '.join(map(str, self.inputs))} -> {', '.join(map(str, self.outputs))})"


def _unpickled(cls: type[FunctionGraph], nodes: object, fields: tuple[Any, ...]) -> FunctionGraph:
    """A graph from its pickle; its nodes come first, so that none is pickled inside another."""
    inputs, outputs, rewrites, inplace = fields
    made = cls(inputs, outputs)
    made.rewrites, made.inplace = rewrites, inplace
    return made


class _Clients(Mapping[Variable, list[tuple[Any, int]]]):
    """The readers of each variable, as lists."""

    def __init__(self, index: dict[Variable, _Readers]) -> None:
        self._of = index

    def __getitem__(self, variable: Variable) -> list[tuple[Any, int]]:
        return list(self._of[variable])

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)


def _missing(variable: Variable, reader: Apply | None) -> MissingInputError | None:
    if isinstance(variable, Constant):
        return None
    where = "which is an output" if reader is None else f"which {reader} reads"
    return MissingInputError(
        f"the function depends on {_named(variable)}, {where}, and it is not among the inputs: add it to the inputs"
    )
