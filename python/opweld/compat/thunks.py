"""Thunks: what runs one node, made by its op, as Theano, Aesara and PyTensor ask for it.

An op that writes ``make_thunk`` runs what that gives, from Python; all its inputs are computed before, whatever the
thunk would have asked for. ``prepare_node`` is called before the op's C hooks are asked, and before it runs in Python.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar
from weakref import WeakSet

from opweld.compile import builder
from opweld.compile.code import Code, bind, performer
from opweld.compile.program import make_program
from opweld.config import Options
from opweld.errors import MethodNotDefined
from opweld.graph.aliasing import alias_pairs
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.signatures import signature_of

__all__ = ["make_c_thunk", "make_py_thunk", "make_thunk", "Storage", "of_base", "ready_for_c", "runner", "writes"]

Storage = dict[Variable, list[Any]]
OldOp: TypeAlias = Any  # an `opweld.compat.bases.Op`, which this module stands below
Called = TypeVar("Called", bound=Callable[..., Any])
_own: WeakSet[Apply] = WeakSet()  # nodes that a thunk runs by the op's C, or by its perform


def of_base(method: Called) -> Called:
    """Mark what compat's base of ops has for ``make_thunk`` or ``prepare_node``; a decorator."""
    method.of_base = True  # type: ignore[attr-defined]
    return method


def writes(op: object, method: str) -> bool:
    """Say whether an op writes ``make_thunk`` or ``prepare_node``."""
    return not getattr(getattr(type(op), method), "of_base", False)


def _maps(node: Apply) -> tuple[Storage, Storage]:
    """Where the values of a node's variables lie, and whether they are computed."""
    variables = [*node.inputs, *node.outputs]
    storage = {v: [v.data if isinstance(v, Constant) else None] for v in variables}
    return storage, {v: [isinstance(v, Constant)] for v in variables}


def ready_for_c(op: OldOp, node: Apply) -> bool:
    """Let an op prepare a node whose C hooks will be asked.

    Parameters
    ----------
    op : Op
        The op.
    node : Apply
        Its node.

    Returns
    -------
    bool
        False: the node is run by the op's own thunk.
    """
    if node in _own:
        return True
    if writes(op, "make_thunk"):
        return False
    if writes(op, "prepare_node"):
        op.prepare_node(node, *_maps(node), "c")
    return True


def runner(op: OldOp, node: Apply) -> Callable[..., None] | None:
    """Let an op prepare a node that will run in Python.

    Parameters
    ----------
    op : Op
        The op.
    node : Apply
        Its node.

    Returns
    -------
    callable or None
        What runs in the place of ``perform``, as that does. None: that itself.
    """
    if node in _own:
        return None
    if writes(op, "make_thunk"):
        return _of_thunk(op, node)
    if writes(op, "prepare_node"):
        op.prepare_node(node, *_maps(node), "py")
    return None


def _of_thunk(op: OldOp, node: Apply) -> Callable[..., None]:
    """What runs the thunk that an op makes, as ``perform`` runs."""
    storage, computed = _maps(node)
    signature = signature_of(op.make_thunk)
    more = {"impl": None} if signature is None or signature.accepts("impl") or "impl" in signature.positional else {}
    thunk = op.make_thunk(node, storage, computed, list(node.outputs), **more)
    turn = threading.RLock()  # there is one storage

    def perform(node: Apply, inputs: list[Any], output_storage: list[list[Any]], *params: Any) -> None:
        with turn:
            for variables, values, known in (
                (node.inputs, inputs, True),
                (node.outputs, [None] * len(node.outputs), False),
            ):
                for variable, value in zip(variables, values):
                    storage[variable][0], computed[variable][0] = value, known
            try:
                if thunk() and getattr(thunk, "lazy", False):  # it names inputs, and they are there
                    thunk()
                for cell, variable in zip(output_storage, node.outputs):
                    cell[0] = storage[variable][0]
            finally:
                for variable in storage:
                    if not isinstance(variable, Constant):
                        storage[variable][0] = None

    return perform


def make_thunk(
    op: OldOp,
    node: Apply,
    storage_map: Storage,
    compute_map: Storage,
    no_recycling: Sequence[Variable],
    impl: str | None,
) -> Callable[[], Any]:
    """Make a thunk of a node's C, or else of its ``perform``; `opweld.compat.bases.Op.make_thunk` says more."""
    if impl not in (None, "c", "py"):
        raise ValueError(f"{op}: impl must be None, 'c' or 'py', got {impl!r}")
    if impl != "py":
        op.prepare_node(node, storage_map=storage_map, compute_map=compute_map, impl="c")
        try:
            made: Callable[[], Any] = op.make_c_thunk(node, storage_map, compute_map, no_recycling)
            return made
        except (NotImplementedError, MethodNotDefined):
            if impl == "c":
                raise
    op.prepare_node(node, storage_map=storage_map, compute_map=compute_map, impl="py")
    made = op.make_py_thunk(node, storage_map, compute_map, no_recycling)
    return made


def make_c_thunk(op: OldOp, node: Apply, storage_map: Storage, compute_map: Storage) -> Callable[[], Any]:
    """Make a thunk of a node's C alone."""
    given = list(dict.fromkeys(v for v in node.inputs if not isinstance(v, Constant)))
    copies = {v: v.type.make_variable(v.name) for v in given}
    copied = node.copy([copies.get(v, v) for v in node.inputs], {})
    _own.add(copied)
    graph = FunctionGraph(list(copies.values()), list(copied.outputs))
    destroyed = {node.inputs[source] for _, source in alias_pairs(node, "destroy_map")}
    mutable = [v in destroyed for v in given]
    try:
        program = make_program(graph, str(op), keywords=[None] * len(given), mutable=mutable)
    except TypeError as error:
        if op.has_perform():
            raise
        raise MethodNotDefined(f"{op} has no c_code") from error
    if program.performs:
        raise MethodNotDefined(f"{op} has no C for this node")
    options = Options({"conventions": "theano"})
    code = Code(graph, program, builder.build(program, options), options.fuse)
    run = bind(code, str(op), lambda index, value: value, explained=False)

    def thunk() -> None:
        found = run(*[storage_map[variable][0] for variable in given])
        _put(node, found, storage_map, compute_map)

    return _described(thunk, node, storage_map)


def make_py_thunk(op: OldOp, node: Apply, storage_map: Storage, compute_map: Storage) -> Callable[[], Any]:
    """Make a thunk of a node's ``perform``."""
    if not op.has_perform():
        raise MethodNotDefined(f"{op} has no perform")
    _own.add(node)
    perform = performer(node)
    _own.discard(node)

    def thunk() -> None:
        _put(node, perform(*[storage_map[variable][0] for variable in node.inputs]), storage_map, compute_map)

    made: Any = _described(thunk, node, storage_map)
    made.perform = op.perform
    return made  # type: ignore[no-any-return]


def _put(node: Apply, values: Iterable[Any], storage_map: Storage, compute_map: Storage | None) -> None:
    for variable, value in zip(node.outputs, values):
        storage_map[variable][0] = value
        if compute_map is not None:
            compute_map[variable][0] = True


def _described(thunk: Callable[[], None], node: Apply, storage_map: Storage) -> Callable[[], Any]:
    """A thunk with the attributes that the packages' have."""
    made: Any = thunk
    made.inputs = [storage_map[variable] for variable in node.inputs]
    made.outputs = [storage_map[variable] for variable in node.outputs]
    made.lazy = False
    return made  # type: ignore[no-any-return]
