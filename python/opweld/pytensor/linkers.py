"""PyTensor's linkers: runs of nodes in C inside a virtual machine, or a whole graph as one module."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from pytensor.compile.mode import predefined_linkers
from pytensor.configdefaults import config
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.fg import FunctionGraph
from pytensor.link.basic import Container, LocalLinker
from pytensor.link.c.op import COp
from pytensor.link.utils import gc_helper, map_storage, raise_with_op
from pytensor.link.vm import Stack, UpdatingVM, VMLinker

from opweld.pytensor.graphs import Constant, Node
from opweld.pytensor.runs import Run, clustered, groups_of, run_of
from opweld.pytensor.settings import options
from opweld.pytensor.thunks import Failed, Thunk, link_run, refused
from opweld.pytensor.wrapping import Wrapping

__all__ = ["Machine", "RunsLinker", "WholeLinker", "inner_functions", "make_c_thunk"]

Cell = list[Any]


class Machine(UpdatingVM):
    """Runs thunks one after the other, each of one node or of many.

    Parameters
    ----------
    fgraph, nodes, thunks, pre_call_clear, storage_map, input_storage, output_storage, update_vars
        As for PyTensor's `UpdatingVM`; a node for each thunk.
    clear : list of list
        The cells to be emptied after each thunk.
    allow_gc : bool
        Whether they are.
    """

    def __init__(
        self,
        fgraph: FunctionGraph,
        nodes: list[Any],
        thunks: list[Any],
        pre_call_clear: list[Cell],
        storage_map: dict[Variable, Cell],
        input_storage: Sequence[Cell],
        output_storage: Sequence[Cell],
        update_vars: dict[Variable, Variable],
        clear: list[list[Cell]],
        allow_gc: bool,
    ) -> None:
        super().__init__(
            fgraph, nodes, thunks, pre_call_clear, storage_map, list(input_storage), list(output_storage), update_vars
        )
        self.allow_gc = allow_gc
        self._clear = clear
        self._work = [(thunk.run if isinstance(thunk, Thunk) else thunk, cells) for thunk, cells in zip(thunks, clear)]

    def __call__(self) -> list[Any]:
        """Run all, and give the outputs."""
        for cell in self.pre_call_clear:
            cell[0] = None
        if self.time_thunks:
            self._timed()
        else:
            done = 0
            try:
                for run, cells in self._work:
                    run()
                    done += 1
                    for cell in cells:
                        cell[0] = None
            except Exception:
                self._explain(done)
        return self.perform_updates()

    def _timed(self) -> None:
        done = 0
        try:
            for run, cells in self._work:
                begun = perf_counter()
                run()
                self.call_times[done] += perf_counter() - begun
                self.call_counts[done] += 1
                done += 1
                for cell in cells:
                    cell[0] = None
        except Exception:
            self._explain(done)

    def _explain(self, failed: int) -> None:
        """Raise the exception that is handled, with what PyTensor says of the node."""
        thunk: Any = self.thunks[failed]
        if not isinstance(thunk, Thunk):
            raise_with_op(self.fgraph, self.nodes[failed], thunk)
        node = thunk.nodes[thunk.position_of_error]
        raise_with_op(self.fgraph, node, Failed(thunk, node))


class RunsLinker(VMLinker):
    """A virtual machine in which nodes that have C and come one after the other are one function.

    Parameters
    ----------
    **given
        As PyTensor's `VMLinker` takes them.
    """

    def __init__(self, allow_gc: bool | None = None, use_cloop: bool = False, **given: Any) -> None:
        super().__init__(allow_gc=allow_gc, use_cloop=False, **given)

    def make_all(
        self,
        profiler: object = None,
        input_storage: Sequence[Cell] | None = None,
        output_storage: Sequence[Cell] | None = None,
        storage_map: dict[Variable, Cell] | None = None,
    ) -> Any:
        """Make the machine; what is given and comes back is as PyTensor's `VMLinker` has it."""
        if not (self.c_thunks and config.cxx):
            return super().make_all(profiler, input_storage, output_storage, storage_map)
        fgraph = self.fgraph
        nodes, (input_storage, output_storage, storage_map) = _ordered(self, input_storage, output_storage, storage_map)
        compute_map = {variable: [variable.owner is None] for variable in storage_map}
        others = {
            node: self._thunk_of_another(node.theirs, storage_map, compute_map) for node in nodes if not node.op.has_c
        }
        lazy = any(thunk.lazy for thunk in others.values())
        if not lazy and not self._alone() and self._scheduler is None:
            nodes = clustered(nodes, fgraph)
        groups = groups_of(nodes, lazy or self._alone())
        thunks = [
            others[group[0]] if group[0] in others else self._thunk_of_run(group, storage_map) for group in groups
        ]
        given = fgraph, groups, thunks, input_storage, output_storage, storage_map
        machine = self._stack(*given, compute_map) if lazy or self._watched() else self._machine(*given)
        return (
            machine,
            *_containers(fgraph, input_storage, output_storage),
            thunks,
            [group[0].theirs for group in groups],
        )

    def _machine(
        self,
        fgraph: FunctionGraph,
        groups: list[list[Node]],
        thunks: list[Any],
        input_storage: Sequence[Cell],
        output_storage: Sequence[Cell],
        storage_map: dict[Variable, Cell],
    ) -> Machine | Thunk:
        """A machine for the thunks; one that is alone, updates nothing, and is not timed, needs none."""
        if len(thunks) == 1 and isinstance(thunks[0], Thunk) and not self.updated_vars and not self._alone():
            thunks[0].allow_gc = bool(self.allow_gc)
            return thunks[0]
        computed, last_user = gc_helper([node.theirs for group in groups for node in group])
        kept = set(fgraph.outputs)
        clear: list[list[Cell]] = []
        for group in groups:
            inside = {node.theirs for node in group}
            read = dict.fromkeys([variable for node in group for variable in node.theirs.inputs])
            gone = [v for v in read if v in computed and v not in kept and last_user[v] in inside]
            clear.append([storage_map[v] for v in gone if v.owner not in inside] if self.allow_gc else [])
        return Machine(
            fgraph,
            [group[0].theirs for group in groups],
            thunks,
            [storage_map[variable] for variable in self.no_recycling],
            storage_map,
            input_storage,
            output_storage,
            self.updated_vars,
            clear,
            bool(self.allow_gc),
        )

    def _stack(
        self,
        fgraph: FunctionGraph,
        groups: list[list[Node]],
        thunks: list[Any],
        input_storage: Sequence[Cell],
        output_storage: Sequence[Cell],
        storage_map: dict[Variable, Cell],
        compute_map: dict[Variable, Cell],
    ) -> Any:
        """PyTensor's machine for thunks that ask for what they need, or that somebody watches."""
        order = [group[0].theirs for group in groups]
        for node, thunk in zip(order, thunks):
            if isinstance(thunk, Thunk):
                thunk.inputs = [storage_map[v] for v in node.inputs]
                thunk.outputs = [storage_map[v] for v in node.outputs]
        machine = Stack(
            fgraph,
            order,
            thunks,
            [storage_map[variable] for variable in self.no_recycling],
            storage_map,
            input_storage,
            output_storage,
            self.updated_vars,
            compute_map,
            self.allow_gc,
            dependencies=self.compute_gc_dependencies(storage_map),
            callback=self.callback,
            callback_input=self.callback_input,
        )
        machine.compute_map = compute_map
        return machine

    def _watched(self) -> bool:
        """Whether somebody looks at each node while it runs."""
        return bool(
            self.callback is not None
            or self.callback_input is not None
            or self.allow_partial_eval
            or ((config.profile or config.print_global_stats) and config.profile_memory)
        )

    def _alone(self) -> bool:
        """Whether each node is to be a thunk of its own: somebody watches, or counts."""
        return bool(self._watched() or self.profile or config.profile or config.print_global_stats)

    def _thunk_of_another(
        self, node: Apply, storage_map: dict[Variable, Cell], compute_map: dict[Variable, Cell]
    ) -> Any:
        """PyTensor's own thunk of a node that has no C."""
        impl = "py" if isinstance(node.op, COp) else None
        try:
            with inner_functions():
                thunk = node.op.make_thunk(node, storage_map, compute_map, [], impl=impl)
        except Exception:
            raise_with_op(self.fgraph, node)
        if not hasattr(thunk, "lazy"):
            thunk.lazy = False
        thunk.inputs = [storage_map[v] for v in node.inputs]
        thunk.outputs = [storage_map[v] for v in node.outputs]
        return thunk

    def _thunk_of_run(self, group: list[Node], storage_map: dict[Variable, Cell]) -> Thunk:
        """Compile the nodes of a run."""
        run = run_of(group, self.fgraph)
        inputs = [storage_map[variable.theirs] for variable in run.inputs]
        outputs = [storage_map[variable.theirs] for variable in run.outputs]
        try:
            thunk = link_run(run, inputs, outputs, options())
        except Exception:
            if len(group) == 1:
                raise_with_op(self.fgraph, group[0].theirs)
            raise
        thunk.storage_map = storage_map
        return thunk


class WholeLinker(LocalLinker):
    """A whole graph as one module; what has no C is called from there.

    Parameters
    ----------
    allow_gc : bool, optional
        Accepted; the module keeps what it works with.
    schedule : callable, optional
        Gives the order of the nodes of a graph.
    """

    def __init__(
        self, allow_gc: bool | None = None, schedule: Callable[[FunctionGraph], list[Apply]] | None = None
    ) -> None:
        self.fgraph: Any = None
        super().__init__(allow_gc=False, scheduler=schedule)

    def accept(self, fgraph: FunctionGraph, no_recycling: object = None, profile: object = None) -> WholeLinker:
        """Take a graph; a linker that has one gives another of its kind."""
        if self.fgraph is not None and self.fgraph is not fgraph:
            return type(self)(schedule=self._scheduler).accept(fgraph, no_recycling, profile)
        self.fgraph = fgraph
        return self

    def make_all(
        self,
        input_storage: Sequence[Cell] | None = None,
        output_storage: Sequence[Cell] | None = None,
        storage_map: dict[Variable, Cell] | None = None,
    ) -> Any:
        """Make the thunk; what is given and comes back is as PyTensor's linkers have it."""
        if not config.cxx:
            raise refused.MissingError("mode OPWELD_C compiles, and config.cxx is empty")
        fgraph = self.fgraph
        nodes, (input_storage, output_storage, storage_map) = _ordered(self, input_storage, output_storage, storage_map)
        order = [node.theirs for node in nodes]
        for node in nodes:
            for i in node.op.reads_objects():
                if node.inputs[i].owner is not None:
                    node.op.has_c = False
        run = run_of(nodes, fgraph)
        inputs = [storage_map[variable.theirs] for variable in run.inputs]
        outputs = [storage_map[variable.theirs] for variable in run.outputs]
        with inner_functions():
            thunk = link_run(run, inputs, outputs, options())
        thunk.storage_map = storage_map
        return (
            thunk,
            *_containers(fgraph, input_storage, output_storage),
            [thunk],
            order,
        )


def make_c_thunk(
    op: COp,
    node: Apply,
    storage_map: dict[Variable, Cell],
    compute_map: dict[Variable, Cell] | None,
    no_recycling: object,
) -> Callable[[], None]:
    """Make the thunk of a node in C; a method of PyTensor's `COp` while `opweld.pytensor.install` stands.

    Parameters
    ----------
    op : COp
        The node's.
    node, storage_map, compute_map, no_recycling
        As PyTensor's method takes them.

    Returns
    -------
    callable
        With the attributes of PyTensor's: ``thunk``, ``cthunk``, ``inputs``, ``outputs``, ``lazy``.

    Raises
    ------
    NotImplementedError
        If the node has no C.
    """
    wrapped = Wrapping(v for v in node.inputs if storage_map[v][0] is not getattr(v, "data", None)).node(node)
    if not wrapped.op.has_c:
        raise NotImplementedError(f"{op} has no C code")
    given = dict.fromkeys(v for v in wrapped.inputs if not isinstance(v, Constant))
    made = link_run(
        Run([wrapped], list(given), wrapped.outputs),
        [storage_map[v.theirs] for v in given],
        [storage_map[v] for v in node.outputs],
        options(),
    )
    done = [] if compute_map is None else [compute_map[v] for v in node.outputs]

    def thunk() -> None:
        made.run()
        for cell in done:
            cell[0] = True

    found: Any = thunk
    found.thunk, found.cthunk, found.lazy = made, made.cthunk, False
    found.inputs = [storage_map[v] for v in node.inputs]
    found.outputs = [storage_map[v] for v in node.outputs]
    return thunk


def _ordered(linker: LocalLinker, *cells: object) -> tuple[list[Node], tuple[Any, Any, dict[Variable, Cell]]]:
    """Give a linker's nodes in the order it asks for, and cells for what it works with; those given are among them."""
    order = linker.schedule(linker.fgraph)
    wrapping = Wrapping(linker.fgraph.inputs)
    return [wrapping.node(node) for node in order], map_storage(linker.fgraph, order, *cells)


def _containers(
    fgraph: FunctionGraph, inputs: Sequence[Cell], outputs: Sequence[Cell]
) -> tuple[list[Container], list[Container]]:
    """PyTensor's containers of a graph's inputs and outputs."""
    return (
        [Container(variable, cell) for variable, cell in zip(fgraph.inputs, inputs)],
        [Container(variable, cell, readonly=True) for variable, cell in zip(fgraph.outputs, outputs)],
    )


@contextmanager
def inner_functions() -> Iterator[None]:
    """Let the functions that ops make for themselves, as Scan does, run here where they would by PyTensor's C."""
    before = predefined_linkers["cvm"]
    predefined_linkers["cvm"] = RunsLinker()
    try:
        yield
    finally:
        predefined_linkers["cvm"] = before
