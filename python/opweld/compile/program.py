"""From a graph to Program (docs/program.md): every hook asked for its text, once, under canonical names."""

from __future__ import annotations

from sys import intern
from typing import Any

from opweld.compile.hooks import ABSENT, ask, origin, text, texts, words
from opweld.errors import OpweldWarning, ProgramError
from opweld.graph.aliasing import alias_pairs
from opweld.graph.basic import Apply, Constant, Variable, _what
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.op import Op
from opweld.graph.type import CType, Type

__all__ = ["FAIL", "FORMAT", "NAME", "Program", "make_program"]

FORMAT = 1
FAIL = "{ opw_failure = 1; goto opw_fail; }"
NAME = "OPW_NAME"

_BUILD = ("headers", "header_dirs", "libraries", "lib_dirs", "compile_args", "no_compile_args")
_VERSION_PARTS = (int, str, bytes, float, bool, type(None))

_warned: dict[Any, Any] = {}  # what `warnings` has shown of the versions


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
    performs : list of Apply
        The nodes whose steps call Python, in the order of those steps.
    constants : list of Constant
        In the order of the constant variables.
    """

    def __init__(
        self, data: dict[str, Any], sources: dict[str, dict[str, Any]], performs: list[Apply], constants: list[Constant]
    ) -> None:
        import json

        self.data = data
        self.sources = sources
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

    Returns
    -------
    Program

    Raises
    ------
    TypeError
        If a hook gave something that is not C, or an op can be run neither in C nor in Python.
    """
    writer = _Writer()
    count = len(graph.inputs)
    keywords = [variable.name for variable in graph.inputs] if keywords is None else keywords
    defaults = [False] * count if defaults is None else defaults
    mutable = [False] * count if mutable is None else mutable
    for variable in graph.inputs:
        writer.variable(variable, "input")
    returned = set(graph.outputs)
    for node in graph.toposort():
        writer.step(node, returned)
    inputs = [
        writer.argument(variable, keywords[i], defaults[i], mutable[i]) for i, variable in enumerate(graph.inputs)
    ]
    data = {
        "program": FORMAT,
        "name": name,
        "types": writer.types,
        "kernels": writer.kernels,
        "variables": writer.variables,
        "steps": writer.steps,
        "inputs": inputs,
        "outputs": [writer.result(variable) for variable in graph.outputs],
        "single": single,
        "flags": {"debug": debug},
    }
    return Program(data, writer.sources, writer.performs, writer.constants)


def carries_c(type_: Type) -> bool:
    """Say whether a type's values have a form of their own in C.

    Parameters
    ----------
    type_ : Type
        The type.

    Returns
    -------
    bool
        False: they are carried as Python objects.
    """
    declare = getattr(type(type_), "c_declare", None) or getattr(type_, "c_declare", None)
    return declare is not None and declare is not CType.c_declare


def accept(type_: Type, writeable: bool) -> str | None:
    """Ask a type for the test that spares an argument its `filter`.

    A `c_accept` written higher up than the class's `filter`, `c_declare` or `c_extract` knows nothing of them: it does
    not count.

    Parameters
    ----------
    type_ : Type
        The type.
    writeable : bool
        Whether the argument will be written into.

    Returns
    -------
    str or None
        A C expression over ``py_V``.
    """
    order = type(type_).__mro__
    place = _writer_of(order, "c_accept")
    if place is None or any(
        (other := _writer_of(order, hook)) is not None and other < place
        for hook in ("filter", "c_declare", "c_extract")
    ):
        return None
    if not {"filter", "c_declare", "c_extract"}.isdisjoint(getattr(type_, "__dict__", ())):
        return None
    answer = ask(type_, "c_accept", "V", writeable=writeable)
    if answer is None or answer is ABSENT:
        return None
    return text(type_, "c_accept", answer)


def _writer_of(order: tuple[type, ...], hook: str) -> int | None:
    """The place in the method resolution order of the class that writes a hook."""
    for place, cls in enumerate(order):
        if hook in cls.__dict__:
            return place
    return None


class _Writer:
    """Collects Program's lists; each distinct type and kernel is entered once."""

    def __init__(self) -> None:
        self.types: list[dict[str, Any]] = []
        self.kernels: list[dict[str, Any]] = []
        self.variables: list[dict[str, Any]] = []
        self.steps: list[dict[str, Any]] = []
        self.sources: dict[str, dict[str, Any]] = {}
        self.performs: list[Apply] = []
        self.constants: list[Constant] = []
        self._entered: dict[str, int] = {}  # text of a type or kernel -> its index
        self._type_of: dict[Any, int] = {}  # type, or id of one that does not hash -> index
        self._variable_of: dict[Variable, int] = {}
        self._labels: dict[type, str] = {}
        self._taken: set[str] = set()
        self._declares: dict[tuple[int, str], str] = {}
        self._of_op: dict[int, dict[str, Any]] = {}  # id of an op -> the fields that do not depend on the node
        self._kept: list[Any] = []  # what ids were taken of

    def label(self, cls: type) -> str:
        """A class's name, made distinct where two classes share it, and fit for ``#line``."""
        found = self._labels.get(cls)
        if found is None:
            base = "".join(c for c in cls.__name__ if c >= " " and c not in '"\\') or "Op"
            found, number = base, 1
            while found in self._taken:
                number += 1
                found = f"{base}~{number}"
            self._taken.add(found)
            self._labels[cls] = found
        return found

    def type(self, type_: Type) -> int:
        """The index of a type."""
        key: Any = type_
        try:
            found = self._type_of.get(key)
        except TypeError:  # __eq__ without __hash__
            key = id(type_)
            found = self._type_of.get(key)
        if found is None:
            found = self._enter(self.types, self._type_fields(type_))
            self._type_of[key] = found
            self._kept.append(type_)
        return found

    def _enter(self, entries: list[dict[str, Any]], fields: dict[str, Any]) -> int:
        key = ("t" if entries is self.types else "k") + repr(sorted(fields.items()))
        found = self._entered.get(key)
        if found is None:
            found = self._entered[key] = len(entries)
            entries.append(fields)
        return found

    def _type_fields(self, type_: Type) -> dict[str, Any]:
        label = self.label(type(type_))
        writer: Any = type_
        if not carries_c(type_):
            from opweld.generic import generic

            writer = generic
        check = accept(type_, False) is None
        fields: dict[str, Any] = {"label": label, "lang": self._lang(writer)}
        fields["declare"] = self._declare(writer, "V")
        self._note(label, writer, "c_declare")
        wanted = [("init", {}), ("extract", {"check_input": check}), ("sync", {}), ("cleanup", {})]
        if accept(type_, True) is not None:
            wanted.append(("extract_out", {"check_input": False}))
        for field, optional in wanted:
            hook = intern("c_" + field)
            answer = ask(writer, hook, "V", self._type_sub(), **optional)
            if answer is not ABSENT:
                fields[field] = text(writer, hook, answer)
                self._note(label, writer, hook)
        self._add_shared(label, writer, fields)
        version = ask(writer, "c_code_cache_version")
        self._add_version(writer, fields, version)
        return fields

    def _declare(self, type_: Any, name: str) -> str:
        answer = ask(type_, "c_declare", name, self._type_sub(), check_input=True)
        return text(type_, "c_declare", answer, needed=True)

    def declare(self, type_: Type, index: int, name: str) -> str:
        """A variable's declaration in a kernel; the same question is asked once."""
        key = (index, name)
        found = self._declares.get(key)
        if found is None:
            if carries_c(type_):
                found = self._declare(type_, name)
            else:
                from opweld.generic import generic

                found = self._declare(generic, name)
            self._declares[key] = found
        return found

    def variable(self, variable: Variable, role: str) -> int:
        """The index of a variable, entered with its role when it is first met."""
        found = self._variable_of.get(variable)
        if found is None:
            found = self._variable_of[variable] = len(self.variables)
            fields: dict[str, Any] = {"type": self.type(variable.type), "role": role}
            if variable.name:
                fields["name"] = variable.name
            self.variables.append(fields)
            if role == "constant":
                self.constants.append(variable)  # type: ignore[arg-type]
        return found

    def step(self, node: Apply, returned: set[Variable]) -> None:
        """Enter a node."""
        inputs = [self.variable(v, "constant" if isinstance(v, Constant) else "temporary") for v in node.inputs]
        outputs = [self.variable(v, "output" if v in returned else "temporary") for v in node.outputs]
        types = [self.variables[i]["type"] for i in inputs + outputs]
        fields = self._kernel_fields(node, types)
        step: dict[str, Any] = {"kernel": self._enter(self.kernels, fields), "inputs": inputs, "outputs": outputs}
        for field, which in (("destroys", "destroy_map"), ("views", "view_map")):
            pairs = alias_pairs(node, which)
            if pairs:
                step[field] = [list(pair) for pair in pairs]
        self.steps.append(step)
        if fields.get("perform"):
            self.performs.append(node)

    def _kernel_fields(self, node: Apply, types: list[int]) -> dict[str, Any]:
        op: Any = node.op
        label = self.label(type(op))
        count = len(node.inputs)
        fields: dict[str, Any] = {"label": label, "lang": "c", "inputs": types[:count], "outputs": types[count:]}
        names = [f"V{i}" for i in range(len(types))]
        arguments = (node, NAME, names[:count], names[count:])
        answer = ask(op, "c_code", *arguments[:2], list(arguments[2]), list(arguments[3]), self._op_sub())
        if answer is ABSENT:
            if not _performs(op):
                files = getattr(op, "func_files", None)
                code = f"c_code (no section 'code' in {', '.join(files)}, and no func_name)" if files else "c_code"
                raise TypeError(f"{op} can be run neither in C nor in Python: it has no {code} and no perform")
            fields["perform"] = True
            return fields
        fields["lang"] = self._lang(op)
        fields["code"] = text(op, "c_code", answer, needed=True)
        self._note(label, op, "c_code")
        variables = node.inputs + node.outputs
        fields["declares"] = [self.declare(v.type, types[i], names[i]) for i, v in enumerate(variables)]
        for field, given in (
            ("code_cleanup", (*arguments[:2], list(arguments[2]), list(arguments[3]), self._op_sub())),
            ("support_code_apply", arguments[:2]),
            ("init_code_apply", arguments[:2]),
        ):
            hook = intern("c_" + field)
            answer = ask(op, hook, *given)
            found = "" if answer is ABSENT else text(op, hook, answer)
            if found.strip():
                fields[field] = found
                self._note(label, op, hook)
        shared = self._of_op.get(id(op))
        if shared is None:
            shared = {}
            self._add_shared(label, op, shared)
            if not hasattr(op, "c_code_cache_version_apply"):
                self._add_version(op, shared, ask(op, "c_code_cache_version"))
            self._of_op[id(op)] = shared
            self._kept.append(op)
        fields.update(shared)
        if hasattr(op, "c_code_cache_version_apply"):
            self._add_version(op, fields, ask(op, "c_code_cache_version_apply", node))
        own_sources = getattr(op, "_fragment_files", None)
        if own_sources is not None:
            self._add_files(op, label, fields, own_sources())
        return fields

    def _add_shared(self, label: str, writer: Any, fields: dict[str, Any]) -> None:
        """The fields that types and ops have alike, and that depend on no name."""
        for field in ("support_code", "init_code"):
            hook = intern("c_" + field)
            answer = ask(writer, hook)
            found = [] if answer is ABSENT else texts(writer, hook, answer)
            if found:
                fields[field] = found
                self._note(label, writer, hook)
        build: dict[str, Any] = {}
        for field in _BUILD:
            hook = intern("c_" + field)
            answer = ask(writer, hook, c_compiler=None)
            wished = [] if answer is ABSENT else words(writer, hook, answer)
            if wished:
                build[field] = wished
                self._note(label, writer, hook)
        compiler = ask(writer, "c_compiler")
        if isinstance(compiler, str) and compiler:
            build["compiler"] = compiler
        elif compiler is not ABSENT and compiler is not None and compiler != "":
            raise NotImplementedError(
                f"{writer}: c_compiler must return None or the name of a driver, got {compiler!r}"
            )
        if build:
            fields["build"] = build

    def _add_version(self, writer: Any, fields: dict[str, Any], version: Any) -> None:
        if version is ABSENT or version == ():
            return
        if not isinstance(version, tuple) or not _plain(version):
            from warnings import warn_explicit

            file, line = origin(writer, "c_code_cache_version") or ("<unknown>", 1)
            warn_explicit(
                f"{writer}: c_code_cache_version must return a tuple of int, str, bytes, float, bool, None and tuples "
                f"of those, got {_what(version)}; the module will not be kept for another process",
                OpweldWarning,
                file,
                line,
                registry=_warned,
            )
            return
        fields["version"] = repr(version)

    def _add_files(self, op: Any, label: str, fields: dict[str, Any], files: dict[str, str]) -> None:
        """Enter the files that fragments name in ``#line`` directives of their own."""
        base = type(op).__name__
        for name, path in files.items():
            self.sources[f"{label}/{name}"] = {"file": path, "line": 1, "exact": True}
        if label != base:  # two classes of one name: tell their files apart
            for field in ("code", "code_cleanup", "support_code_apply", "init_code_apply"):
                if field in fields:
                    fields[field] = fields[field].replace(f' "{base}/', f' "{label}/')
            for field in ("support_code", "init_code"):
                if field in fields:
                    fields[field] = [part.replace(f' "{base}/', f' "{label}/') for part in fields[field]]

    def _note(self, label: str, writer: Any, hook: str) -> None:
        key = f"{label}.{hook}"
        if key not in self.sources:
            found = origin(writer, hook)
            if found is not None:
                self.sources[key] = {"file": found[0], "line": found[1], "exact": False}

    @staticmethod
    def _lang(writer: Any) -> str:
        lang = getattr(writer, "c_lang", "c")
        if lang not in ("c", "c++"):
            raise TypeError(f"{writer}: c_lang must be 'c' or 'c++', got {lang!r}")
        return str(lang)

    @staticmethod
    def _type_sub() -> dict[str, Any]:
        return {"fail": FAIL, "failure_var": "opw_failure"}

    @staticmethod
    def _op_sub() -> dict[str, Any]:
        return {"fail": FAIL, "failure_var": "opw_failure", "id": 0}

    def argument(self, variable: Variable, keyword: str | None, default: bool, mutable: bool) -> dict[str, Any]:
        """An entry of ``inputs``."""
        fields: dict[str, Any] = {"variable": self._variable_of[variable]}
        if keyword:
            fields["name"] = keyword
        if default:
            fields["default"] = True
        self._add_accept(variable.type, mutable, fields)
        return fields

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


def _performs(op: Any) -> bool:
    """Whether an op writes `perform`."""
    method = getattr(op, "perform", None)
    return method is not None and getattr(method, "__func__", None) is not Op.perform


def _plain(value: Any) -> bool:
    """Whether a version is made of what counts."""
    if isinstance(value, tuple):
        return all(_plain(part) for part in value)
    return type(value) in _VERSION_PARTS
