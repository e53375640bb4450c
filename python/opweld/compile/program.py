"""From a graph to Program (docs/program.md): every hook asked for its text, once, under canonical names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opweld.compile.fragments import FAIL, NAME, PARAMS, VARIABLE, Fragments, accept, carries_c, keeps_storage
from opweld.compile.hooks import ABSENT, ask, text
from opweld.errors import ProgramError
from opweld.graph.aliasing import alias_pairs
from opweld.graph.alike import differences
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.type import Type
from opweld.rewriting.merge import one_type

__all__ = ["FAIL", "FORMAT", "NAME", "Program", "accept", "carries_c", "make_program", "work_of"]

FORMAT = 3


class Program:
    """A function as plain data, and beside it the Python objects that its module is bound to.

    Attributes
    ----------
    data : dict
        Program, as docs/program.md describes it.
    text : str
        The same as JSON; `data` as bytes is what the cache's index is made of.
    bytes : bytes
        `text` in UTF-8.
    sources : dict
        Where the fragments were written: outside every key.
    steps : list of (Apply, dict of int to int)
        The node behind each step, and where among the step's inputs each of the node's is: all but those that are
        written into the C; a variable that is given twice is one.
    performs : list of Apply
        The nodes whose steps call Python, in the order of those steps.
    constants : list of Constant
        In the order of the constant variables.
    """

    def __init__(
        self,
        data: dict[str, Any],
        sources: dict[str, dict[str, Any]],
        steps: list[tuple[Apply, dict[int, int]]],
        performs: list[Apply],
        constants: list[Constant],
    ) -> None:
        import json

        self.data = data
        self.sources = sources
        self.steps = steps
        self.performs = performs
        self.constants = constants
        self.text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        try:
            self.bytes = self.text.encode()
        except UnicodeEncodeError as err:
            raise ProgramError(f"a fragment holds what UTF-8 cannot write: {err}") from None


def make_program(
    graph: FunctionGraph,
    name: str = "f",
    single: bool = False,
    keywords: list[str | None] | None = None,
    defaults: list[bool] | None = None,
    mutable: list[bool] | None = None,
    debug: bool = False,
    cells: int = 0,
    updates: Sequence[int] = (),
) -> Program:
    """Ask every hook of a graph and write Program.

    Parameters
    ----------
    graph : FunctionGraph
        Each output is computed by a node of its own: no input, constant or repeated output among them.
    name : str
        The function's name, for messages.
    single : bool
        The one output is returned bare.
    keywords : list of str or None, optional
        The name of each argument; None: positional only. The variables' names if left out.
    defaults, mutable : list of bool, optional
        Which arguments have a default, and which may be written into.
    debug : bool
        Ask for a module that carries the users' real paths.
    cells : int
        How many inputs, the last ones, are no arguments but shared variables.
    updates : sequence of int
        Which input takes the value of each of the last outputs.

    Returns
    -------
    Program

    Raises
    ------
    TypeError
        If a hook gave something that is not C, or an op can be run neither in C nor in Python.
    """
    nodes = graph.toposort()
    writer = _Writer(_unchecked(nodes))
    count = len(graph.inputs) - cells
    keywords = [variable.name for variable in graph.inputs] if keywords is None else keywords
    defaults = [False] * count if defaults is None else defaults
    mutable = [False] * count if mutable is None else mutable
    for variable in graph.inputs:
        writer.variable(variable, "input")
    results = set(graph.outputs)
    for node in nodes:
        writer.step(node, results)
    writer.keep(nodes, graph.outputs)
    inputs = [
        writer.argument(variable, keywords[i], defaults[i], mutable[i])
        for i, variable in enumerate(graph.inputs[:count])
    ]
    inputs += [writer.shared(variable) for variable in graph.inputs[count:]]
    returned = len(graph.outputs) - len(updates)
    outputs = [writer.result(variable) for variable in graph.outputs[:returned]]
    outputs += [writer.update(variable, source) for variable, source in zip(graph.outputs[returned:], updates)]
    data = {
        "program": FORMAT,
        "name": name,
        "types": writer.types,
        "kernels": writer.kernels,
        "variables": writer.variables,
        "steps": writer.steps,
        "inputs": inputs,
        "outputs": outputs,
        "single": single,
        "flags": {"debug": debug},
    }
    return Program(data, writer.fragments.sources, writer.nodes, writer.performs, writer.constants)


def work_of(node: Apply) -> dict[str, Any]:
    """Give what Program says of one node, for comparison with another's.

    Parameters
    ----------
    node : Apply
        The node.

    Returns
    -------
    dict
        The kernel's fields, ``perform`` among them; ``types``, ``destroys`` and ``views``; ``params``: their values.
    """
    writer = _Writer(set())
    writer.step(node, set())
    found = {"perform": False, **writer.kernels[0], "types": writer.types}
    for field in ("destroys", "views"):
        found[field] = writer.steps[0].get(field)
    found["params"] = list(writer.params)
    return found


class _Writer:
    """Collects Program's lists; each distinct type and kernel is entered once."""

    def __init__(self, unchecked: set[Variable]) -> None:
        self.fragments = Fragments()
        self.types: list[dict[str, Any]] = []
        self.kernels: list[dict[str, Any]] = []
        self.variables: list[dict[str, Any]] = []
        self.steps: list[dict[str, Any]] = []
        self.nodes: list[tuple[Apply, dict[int, int]]] = []
        self.performs: list[Apply] = []
        self.constants: list[Constant] = []
        self._unchecked = unchecked
        self._entered: dict[Any, int] = {}  # fields of a type or kernel -> its index
        self._type_of: dict[Any, tuple[int, Type]] = {}  # type, or id of one that does not hash, and whether it checks
        self._kernel_of: dict[Any, tuple[int, Apply]] = {}  # structured op and types
        self._variable_of: dict[Variable, int] = {}
        self._literals: dict[Variable, str | None] = {}
        self.params: dict[Any, Constant] = {}  # type and value, frozen
        self._kept: list[Any] = []  # what ids were taken of

    def type(self, type_: Type, check: bool) -> int:
        """The index of a type."""
        key: Any = (type_, check)
        try:
            found = self._type_of.get(key)
        except TypeError:  # __eq__ without __hash__
            key = (id(type_), check)
            found = self._type_of.get(key)
        if found is not None and (found[1] is type_ or one_type(found[1], type_)):
            return found[0]
        made = self._enter(self.types, self.fragments.type_fields(type_, check))
        self._type_of[key] = made, type_
        self._kept.append(type_)
        return made

    def _enter(self, entries: list[dict[str, Any]], fields: dict[str, Any]) -> int:
        key = entries is self.types, _frozen(fields)
        found = self._entered.get(key)
        if found is None:
            found = self._entered[key] = len(entries)
            entries.append(fields)
        return found

    def _checks(self, variable: Variable) -> bool:
        return variable not in self._unchecked and getattr(variable.type, "check_input", True) is not False

    def variable(self, variable: Variable, role: str) -> int:
        """The index of a variable, entered with its role when it is first met."""
        found = self._variable_of.get(variable)
        if found is None:
            found = self._variable_of[variable] = len(self.variables)
            fields: dict[str, Any] = {"type": self.type(variable.type, self._checks(variable)), "role": role}
            if variable.name:
                fields["name"] = variable.name
            self.variables.append(fields)
            if role == "constant":
                self.constants.append(variable)  # type: ignore[arg-type]
        return found

    def step(self, node: Apply, returned: set[Variable]) -> None:
        """Enter a node."""
        if getattr(node.op, "structure", None) is not None and self._structured(node, returned):
            return
        params = _params_of(node, self.params)
        literals = [self._literal(variable) for variable in node.inputs]
        read: dict[Variable, int] = {}  # the inputs that are variables -> where among the step's
        for variable, literal in zip(node.inputs, literals):
            if literal is None:
                read.setdefault(variable, len(read))
        inputs = [f"{VARIABLE}{read[v]}" if literal is None else literal for v, literal in zip(node.inputs, literals)]
        outputs = [f"{VARIABLE}{len(read) + i}" for i in range(len(node.outputs))]
        code = self.fragments.code(node, inputs, outputs, params is not None)
        if code is None:
            params, variables, place = None, list(node.inputs), dict(enumerate(range(len(node.inputs))))
        else:
            variables, place = list(read), {i: read[v] for i, v in enumerate(node.inputs) if v in read}
        count = len(variables)
        step, types = self._variables(variables, node.outputs, returned)
        fields: dict[str, Any] = {"inputs": types[:count], "outputs": types[count:]}
        if code is None:
            fields.update(label=self.fragments.label(type(node.op)), lang="c", perform=True)
            self.performs.append(node)
        else:
            fields.update(self.fragments.kernel_fields(node, code, inputs, outputs, params is not None))
            variables += node.outputs
            names = [f"{VARIABLE}{i}" for i in range(len(variables))]
            if params is not None:
                step["params"] = self.variable(params, "constant")
                fields["params"] = self.variables[step["params"]]["type"]
                variables.append(params)
                types.append(fields["params"])
                names.append(PARAMS)
            fields["declares"] = [
                self.fragments.declare(v.type, types[i], names[i], self._checks(v)) for i, v in enumerate(variables)
            ]
        step["kernel"] = self._enter(self.kernels, fields)
        self._add_step(node, step, place)

    def _structured(self, node: Apply, returned: set[Variable]) -> bool:
        """Enter a node whose loop the engine writes: op and types say all, and are asked once."""
        key = (node.op, *[v.type for v in node.inputs], None, *[v.type for v in node.outputs])
        earlier = self._kernel_of.get(key)
        fields = None
        if earlier is None or not _one_kernel(earlier[1], node):
            fields = self.fragments.structure(node)
            if fields is None:
                return False
        step, types = self._variables(node.inputs, node.outputs, returned)
        if fields is not None:
            nin = len(node.inputs)
            earlier = self._enter(self.kernels, {"inputs": types[:nin], "outputs": types[nin:], **fields}), node
            self._kernel_of[key] = earlier
        assert earlier is not None
        step["kernel"] = earlier[0]
        self._add_step(node, step, dict(enumerate(range(len(node.inputs)))))
        return True

    def _variables(
        self, reads: list[Variable], makes: list[Variable], returned: set[Variable]
    ) -> tuple[dict[str, Any], list[int]]:
        """Begin a step: its variables, and their types."""
        takes = [self.variable(v, "constant" if isinstance(v, Constant) else "temporary") for v in reads]
        gives = [self.variable(v, "output" if v in returned else "temporary") for v in makes]
        return {"inputs": takes, "outputs": gives}, [self.variables[i]["type"] for i in takes + gives]

    def _add_step(self, node: Apply, step: dict[str, Any], place: dict[int, int]) -> None:
        """Enter a step; `place`: where among its inputs each of the node's is."""
        for field, which in (("destroys", "destroy_map"), ("views", "view_map")):
            pairs = [[out, place[source]] for out, source in alias_pairs(node, which) if source in place]
            if pairs:
                step[field] = pairs
        self.steps.append(step)
        self.nodes.append((node, place))

    def _literal(self, variable: Variable) -> str | None:
        """What stands in C for a constant that is no variable, in parentheses."""
        if not isinstance(variable, Constant):
            return None
        if variable not in self._literals:
            answer = ask(variable.type, "c_literal", variable.data)
            found = None
            if answer is not None and answer is not ABSENT:
                found = f"({text(variable.type, 'c_literal', answer)})"
            self._literals[variable] = found
        return self._literals[variable]

    def keep(self, nodes: list[Apply], results: list[Variable]) -> None:
        """Mark the temporaries whose objects may stay with the instance: nobody else can hold them after a call."""
        pairs = [
            (node.outputs[out], node.inputs[source])
            for node in nodes
            for which in ("destroy_map", "view_map")
            if getattr(node.op, which, None)
            for out, source in alias_pairs(node, which)
        ]
        seen = set(results)  # what lives on outside, and what shares its memory
        for node in self.performs:
            seen.update(node.inputs, node.outputs)
        for alias, source in reversed(pairs):
            if alias in seen:
                seen.add(source)
        seen.update(alias for alias, _ in pairs)
        keepable: dict[int, bool] = {}
        for node in nodes:
            for variable in node.outputs:
                fields = self.variables[self._variable_of[variable]]
                kind = fields["type"]
                if variable in seen or fields["role"] != "temporary":
                    continue
                if kind not in keepable:
                    whole = "sync" in self.types[kind] and "extract_out" in self.types[kind]
                    keepable[kind] = whole and keeps_storage(variable.type)
                if keepable[kind]:
                    fields["keep"] = True

    def argument(self, variable: Variable, keyword: str | None, default: bool, mutable: bool) -> dict[str, Any]:
        """An entry of ``inputs``."""
        fields: dict[str, Any] = {"variable": self._variable_of[variable]}
        if keyword:
            fields["name"] = keyword
        if default:
            fields["default"] = True
        self._add_accept(variable.type, mutable, fields)
        return fields

    def shared(self, variable: Variable) -> dict[str, Any]:
        """An entry of ``inputs`` that is no argument."""
        fields: dict[str, Any] = {"variable": self._variable_of[variable], "shared": True}
        self._add_accept(variable.type, False, fields)
        return fields

    def update(self, variable: Variable, source: int) -> dict[str, Any]:
        """An entry of ``outputs`` that is not returned."""
        return {"variable": self._variable_of[variable], "update": source}

    def result(self, variable: Variable) -> dict[str, Any]:
        """An entry of ``outputs``."""
        fields: dict[str, Any] = {"variable": self._variable_of[variable]}
        self._add_accept(variable.type, True, fields)
        return fields

    def _add_accept(self, type_: Type, writeable: bool, fields: dict[str, Any]) -> None:
        if not carries_c(type_):
            return
        found = accept(type_, writeable)
        if found:
            fields["accept"] = found


def _one_kernel(one: Apply, other: Apply) -> bool:
    """Whether the kernel of a node is an equal one's too."""
    if one.op is other.op or not differences(one.op, other.op):
        return True
    from opweld.compile.same import stands_for  # hardly ever asked

    return stands_for(one, other)


def _frozen(fields: Any) -> Any:
    """What equal fields have in common, to look them up by."""
    if type(fields) is dict:
        return tuple([(name, _frozen(fields[name])) for name in sorted(fields)])
    return tuple([_frozen(item) for item in fields]) if type(fields) is list else fields


def _unchecked(nodes: list[Apply]) -> set[Variable]:
    """The variables that only ops with ``check_input = False`` use."""
    loose: set[Variable] = set()
    for node in nodes:
        if getattr(node.op, "check_input", True) is False:
            loose.update(node.inputs, node.outputs)
    if loose:
        for node in nodes:
            if getattr(node.op, "check_input", True) is not False:
                loose.difference_update(node.inputs, node.outputs)
    return loose


def _params_of(node: Apply, known: dict[Any, Constant]) -> Constant | None:
    """The params of a node as a constant, the same for equal ones; None: it has none."""
    if getattr(node.op, "params_type", None) is None:
        return None
    from opweld.params import frozen, params_of

    made = params_of(node)
    if made is None:
        return None
    try:
        found = known.setdefault((made.type, frozen(made.data)), made)
    except TypeError as err:
        raise TypeError(f"{node.op}: its params do not hash: {err}") from None
    return found if one_type(found.type, made.type) else made
