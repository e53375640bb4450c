"""Program's types, kernels, variables and steps: what the hooks of a graph's types and ops write, node by node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from opweld.graph.aliasing import alias_pairs
from opweld.graph.numbers import Numbers
from opweld.hooks.asking import ABSENT, ask, attribute, text
from opweld.hooks.fragments import Fragments
from opweld.hooks.reading import (
    PARAMS,
    VARIABLE,
    accept,
    carries_c,
    fit,
    is_constant,
    keeps_storage,
    params_room,
)
from opweld.lean import dumps

if TYPE_CHECKING:
    from opweld.hooks.protocols import Constant, Node, Type, Variable
    from opweld.schema import InputFields, KernelFields, OutputFields, StepFields, TypeFields, VariableFields

    Entry = TypeVar("Entry", TypeFields, KernelFields)
    Role = Literal["input", "constant", "temporary", "output"]

__all__ = ["Writer"]

_MAPS: tuple[tuple[Literal["destroys", "views"], str], ...] = (("destroys", "destroy_map"), ("views", "view_map"))


class Writer:
    """Collects Program's lists; each distinct type and kernel is entered once.

    Parameters
    ----------
    unchecked : set of Variable
        Those that no op wants checked.
    one_type, one_node : callable
        Say whether a type, or a node, can stand for an equal one.
    fragments : Fragments, optional
        Who asks the hooks.

    Attributes
    ----------
    types, kernels, variables, steps : list of dict
        Program's lists.
    nodes, performs, constants : list
        As the attributes of `opweld.compile.program.Program` say; there ``steps`` is what ``nodes`` is here.
    params : dict
        The params of each kind and value.
    fragments : Fragments
        Who asked the hooks.
    """

    def __init__(
        self,
        unchecked: set[Variable],
        one_type: Callable[[Type, Type], bool],
        one_node: Callable[[Node, Node], bool],
        fragments: Fragments | None = None,
    ) -> None:
        self._one_type = one_type
        self._one_node = one_node
        self.fragments = fragments or Fragments()
        if fragments is not None:
            fragments.begin(self)
        self.types: list[TypeFields] = []
        self.kernels: list[KernelFields] = []
        self.variables: list[VariableFields] = []
        self.steps: list[StepFields] = []
        self.nodes: list[tuple[Node, dict[int, int]]] = []
        self.performs: list[Node] = []
        self.constants: list[Constant] = []
        self._unchecked = unchecked
        self._entered: dict[tuple[bool, str], int] = {}  # whether it is a type's, its fields as text -> its index
        self._type_of: dict[tuple[int, bool], tuple[int, Type]] = {}  # by a type's number, and whether it checks
        self._numbers = Numbers()  # of ops and types
        self._kernel_of: dict[Any, tuple[int, Node]] = {}  # by numbers of a structured op and types
        self._variable_of: dict[Variable, int] = {}
        self._literals: dict[Variable, str | None] = {}
        self._kept: list[Type] = []  # what ids were taken of
        self.params: dict[Any, Constant] = {}  # type and value, frozen

    def type(self, type_: Type, check: bool) -> int:
        """The index of a type."""
        try:
            key = self._numbers.of(type_), check
        except TypeError:  # its hash fails
            key = -1 - id(type_), check
            self._kept.append(type_)
        found = self._type_of.get(key)
        if found is not None and (found[1] is type_ or self._one_type(found[1], type_)):
            return found[0]
        made = self._enter(self.types, self.fragments.type_fields(type_, check))
        self._type_of[key] = made, type_
        return made

    def _enter(self, entries: list[Entry], fields: Entry) -> int:
        key = entries is self.types, dumps(fields, ascii=False)
        found = self._entered.get(key)
        if found is None:
            found = self._entered[key] = len(entries)
            entries.append(fields)
        return found

    def _checks(self, variable: Variable) -> bool:
        return variable not in self._unchecked and getattr(variable.type, "check_input", True) is not False

    def variable(self, variable: Variable, role: Role) -> int:
        """The index of a variable, entered with its role when it is first met."""
        found = self._variable_of.get(variable)
        if found is None:
            found = self._variable_of[variable] = len(self.variables)
            fields: VariableFields = {"type": self.type(variable.type, self._checks(variable)), "role": role}
            if variable.name:
                fields["name"] = variable.name
            self.variables.append(fields)
            if role == "constant":
                self.constants.append(variable)  # type: ignore[arg-type]
        return found

    def step(self, node: Node, returned: set[Variable]) -> None:
        """Enter a node."""
        if getattr(node.op, "structure", None) is not None and self._structured(node, returned):
            return
        ready = getattr(node.op, "ready_for_c", None)
        in_c = ready is None or ready(node)
        params = self._params_of(node)
        literals = [self._literal(variable) for variable in node.inputs]
        read: dict[Variable, int] = {}  # the inputs that are variables -> where among the step's
        for variable, literal in zip(node.inputs, literals):
            if literal is None:
                read.setdefault(variable, len(read))
        inputs = [f"{VARIABLE}{read[v]}" if literal is None else literal for v, literal in zip(node.inputs, literals)]
        outputs = [f"{VARIABLE}{len(read) + i}" for i in range(len(node.outputs))]
        code = self.fragments.code(node, inputs, outputs, params is not None) if in_c else None
        if code is None:
            params, variables, place = None, list(node.inputs), dict(enumerate(range(len(node.inputs))))
        else:
            variables, place = list(read), {i: read[v] for i, v in enumerate(node.inputs) if v in read}
        count = len(variables)
        takes, gives, types = self._variables(variables, node.outputs, returned)
        step: StepFields = {"kernel": -1, "inputs": takes, "outputs": gives}
        if code is None:
            fields: KernelFields = {
                "label": self.fragments.label(node.op), "lang": "c", "inputs": [], "outputs": [], "perform": True,
            }  # fmt: skip
            self.performs.append(node)
        else:
            fields = self.fragments.kernel_fields(node, code, inputs, outputs, params is not None)
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
        fields["inputs"], fields["outputs"] = types[:count], types[count : count + len(gives)]
        step["kernel"] = self._enter(self.kernels, fields)
        self._add_step(node, step, place)

    def _structured(self, node: Node, returned: set[Variable]) -> bool:
        """Enter a node whose loop the engine writes: op and types say all, and are asked once."""
        number = self._numbers.of
        key = (number(node.op), len(node.inputs), *[number(v.type) for v in (*node.inputs, *node.outputs)])
        earlier = self._kernel_of.get(key)
        fields = None
        if earlier is None or not self._one_node(earlier[1], node):
            fields = self.fragments.structure(node)
            if fields is None:
                return False
        takes, gives, types = self._variables(node.inputs, node.outputs, returned)
        if fields is not None:
            fields["inputs"], fields["outputs"] = types[: len(takes)], types[len(takes) :]
            earlier = self._kernel_of[key] = self._enter(self.kernels, fields), node
        assert earlier is not None
        step: StepFields = {"kernel": earlier[0], "inputs": takes, "outputs": gives}
        self._add_step(node, step, dict(enumerate(range(len(node.inputs)))))
        return True

    def _variables(
        self, reads: Sequence[Variable], makes: Sequence[Variable], returned: set[Variable]
    ) -> tuple[list[int], list[int], list[int]]:
        """What a step reads and makes, and the types of all."""
        takes = [self.variable(v, "constant" if is_constant(v) else "temporary") for v in reads]
        gives = [self.variable(v, "output" if v in returned else "temporary") for v in makes]
        return takes, gives, [self.variables[i]["type"] for i in takes + gives]

    def _add_step(self, node: Node, step: StepFields, place: dict[int, int]) -> None:
        """Enter a step; `place`: where among its inputs each of the node's is."""
        for field, which in _MAPS:
            if not getattr(node.op, which, None):  # nearly always
                continue
            pairs = [[out, place[source]] for out, source in alias_pairs(node, which) if source in place]
            if pairs:
                step[field] = pairs
        self.steps.append(step)
        self.nodes.append((node, place))

    def _literal(self, variable: Any) -> str | None:
        """What stands in C for a constant that is no variable, in parentheses."""
        if not is_constant(variable):
            return None
        if variable not in self._literals:
            answer = ask(variable.type, "c_literal", variable.data)
            found = None
            if answer is not None and answer is not ABSENT:
                found = f"({text(variable.type, 'c_literal', answer)})"
            self._literals[variable] = found
        return self._literals[variable]

    def keep(self, nodes: Sequence[Node], results: Sequence[Variable]) -> None:
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
                    texts = self.types[kind]
                    whole = "plain" in texts.get("array", ()) or ("sync" in texts and "extract_out" in texts)
                    keepable[kind] = whole and keeps_storage(variable.type)
                if keepable[kind]:
                    fields["keep"] = True

    def argument(self, variable: Variable, keyword: str | None, default: bool, mutable: bool) -> InputFields:
        """An entry of ``inputs``."""
        fields: InputFields = {"variable": self._variable_of[variable]}
        if keyword:
            fields["name"] = keyword
        if default:
            fields["default"] = True
        self._add_accept(variable.type, mutable, fields)
        return fields

    def shared(self, variable: Variable) -> InputFields:
        """An entry of ``inputs`` that is no argument."""
        fields: InputFields = {"variable": self._variable_of[variable], "shared": True}
        self._add_accept(variable.type, False, fields)
        return fields

    def update(self, variable: Variable, source: int) -> OutputFields:
        """An entry of ``outputs`` that is not returned."""
        return {"variable": self._variable_of[variable], "update": source}

    def result(self, variable: Variable, scalars: bool) -> OutputFields:
        """An entry of ``outputs``; `scalars`: arrays without dimensions become scalars."""
        fields: OutputFields = {"variable": self._variable_of[variable]}
        self._add_accept(variable.type, True, fields)
        array = self.types[self.variables[fields["variable"]]["type"]].get("array")
        if scalars and array is not None and array["ndim"] == 0:
            fields["scalar"] = True
        return fields

    def _add_accept(self, type_: Type, writeable: bool, fields: InputFields | OutputFields) -> None:
        if not carries_c(type_):
            return
        data = fit(type_, writeable)
        if data is not None:
            fields["fit"] = data
        elif found := accept(type_, writeable):
            fields["accept"] = found

    def _params_of(self, node: Node) -> Constant | None:
        """The params of a node as a constant, the same for equal ones; None: it has none."""
        if attribute(node.op, "params_type") is None:
            return None
        made = params_room.params_of(node)
        if made is None:
            return None
        try:
            found = self.params.setdefault((made.type, params_room.frozen(made.data)), made)
        except TypeError as err:
            raise TypeError(f"{node.op}: its params do not hash: {err}") from None
        return found if self._one_type(found.type, made.type) else made
