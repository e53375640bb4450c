"""What types and ops write, as the fields of Program's types and kernels: each hook asked under canonical names."""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING, Any, Literal

from opweld.errors import OpweldWarning, _what
from opweld.hooks import float16
from opweld.hooks.asking import ABSENT, Said, ask, ask_for_build, origin, plain, text, texts, title, words
from opweld.hooks.classes import own_hook, says_nothing
from opweld.hooks.reading import (
    NAME,
    VARIABLE,
    accept,
    array,
    behind,
    driver,
    is_unwritten,
    keeps_gil,
    keeps_storage,
    label_of,
    lang_of,
    op_sub,
    performs,
    type_sub,
    writer_of,
)
from opweld.rooms import late

if TYPE_CHECKING:
    from opweld import schema
    from opweld.hooks.protocols import Node, Type

__all__ = ["Fragments"]

sections: Any = late("opweld.sections")  # few texts come from files with marks

_SHARED: tuple[schema.SharedText, ...] = ("support_code", "init_code")
_BUILD: tuple[schema.Wish, ...] = ("headers", "header_dirs", "libraries", "lib_dirs", "compile_args", "no_compile_args")
_GIL = ("held", "released", "free-threaded")
_STRUCT: tuple[schema.NodeText, ...] = ("support_code_struct", "init_code_struct", "cleanup_code_struct")
_ALL = ("inputs", "outputs", "sub")
# The hooks of an op that are asked for each node: what with, besides the node and its name.
_APPLY: dict[schema.NodeText, tuple[str, ...]] = {
    "code_cleanup": _ALL, "support_code_apply": (), "init_code_apply": (), "support_code_struct": (),
    "init_code_struct": ("sub",), "cleanup_code_struct": (),
}  # fmt: skip
_FILED: tuple[schema.NodeText | Literal["code"], ...] = ("code", *_APPLY)  # may come from files

_warned: dict[Any, Any] = {}  # what `warnings` has shown of the versions
_said = Said()


class Fragments:
    """Asks types and ops, and remembers where each text was written.

    Attributes
    ----------
    sources : dict
        The file and line behind each ``#line`` name.
    """

    def __init__(self) -> None:
        self.sources: dict[str, dict[str, Any]] = {}
        self._labels: dict[type, str] = {}
        self._taken: set[str] = set()
        self._declares: dict[tuple[int, str], str] = {}
        self._of_op: dict[int, tuple[schema.KernelFields, list[schema.NodeText]]] = {}  # by id: whatever the node
        self._arrays: dict[int, bool] = {}  # by id of a type
        self._kept: list[Any] = []  # what ids were taken of

    def begin(self, asker: object) -> None:
        """Begin a Program, of several: places of types are its own, and what it holds stays, for ids stand for it."""
        self._kept.append(asker)
        self._declares = {}

    def label(self, owner: object) -> str:
        """Give the name of who writes hooks: its class's, made distinct where two share it, and fit for ``#line``."""
        cls = type(behind(owner))
        found = self._labels.get(cls)
        if found is None:
            base = label_of(cls.__name__)
            found, number = base, 1
            while found in self._taken:
                number += 1
                found = f"{base}~{number}"
            self._taken.add(found)
            self._labels[cls] = found
        return found

    def type_fields(self, type_: Type, check: bool) -> schema.TypeFields:
        """Ask a type.

        Parameters
        ----------
        type_ : Type
            The type.
        check : bool
            Whether an op that checks its inputs uses the variable.

        Returns
        -------
        dict
            An entry of Program's ``types``.
        """
        label = self.label(type_)
        found: schema.TypeFields = _said.once(
            self, type_, (type_, check, label), lambda: self._type_fields(type_, check, label)
        )
        return found

    def _type_fields(self, type_: Type, check: bool, label: str) -> schema.TypeFields:
        writer = writer_of(type_)
        lang = lang_of(writer, "c")
        fields: schema.TypeFields = {"label": label, "lang": lang, "declare": self._declare(writer, VARIABLE, check)}
        self._note(label, writer, "c_declare")
        found = array(type_)
        if found is not None:
            fields["array"] = found
        if found is None or "plain" not in found:
            self._add_life(type_, writer, label, check, fields)
        self._add_shared(label, writer, fields)
        self._add_version(writer, fields, ask(writer, "c_code_cache_version"))
        return fields

    def _add_life(self, type_: Type, writer: object, label: str, check: bool, fields: schema.TypeFields) -> None:
        """The texts of a variable's life; of a plain type the runtime has what they would do."""
        check = check and accept(type_, False) is None
        wanted: list[tuple[schema.TypeText, dict[str, bool]]] = [("init", {}), ("extract", {"check_input": check})]
        wanted += [("sync", {}), ("cleanup", {})]
        if accept(type_, True) is not None or keeps_storage(type_):
            wanted.append(("extract_out", {"check_input": False}))
        for field, optional in wanted:
            hook = intern("c_" + field)
            answer = ask(writer, hook, VARIABLE, type_sub(VARIABLE), **optional)
            if answer is not ABSENT:
                fields[field] = text(writer, hook, answer)
                self._note(label, writer, hook)

    def _declare(self, writer: object, name: str, check: bool) -> str:
        answer = ask(writer, "c_declare", name, type_sub(name), check_input=check)
        return text(writer, "c_declare", answer, needed=True)

    def declare(self, type_: Type, index: int, name: str, check: bool) -> str:
        """Give a variable's declaration in a kernel; the same question is asked once.

        Parameters
        ----------
        type_ : Type
            Its type.
        index, name : int, str
            The type's index in Program, and the variable's name in the kernel.
        check : bool
            As for `type_fields`.

        Returns
        -------
        str
            C declarations.
        """
        key = (index, name)
        found = self._declares.get(key)
        if found is None:
            found = self._declares[key] = self._declare(writer_of(type_), name, check)
        return found

    def structure(self, node: Node) -> schema.KernelFields | None:
        """Ask an op whether its work is known as structure.

        Parameters
        ----------
        node : Node
            The node.

        Returns
        -------
        dict or None
            As `kernel_fields`. None: the op has no ``structure``, or a variable is no array.
        """
        op: Any = node.op
        types = [v.type for v in (*node.inputs, *node.outputs)]
        if getattr(op, "structure", None) is None or not all([self._is_array(type_) for type_ in types]):
            return None
        said: schema.KernelFields | None = _said.once(
            self, op, (op, *types, self.label(op)), lambda: self._structure(node)
        )
        return said

    def _structure(self, node: Node) -> schema.KernelFields | None:
        op: Any = node.op
        found = op.structure(node)
        if found is None:
            return None
        fields = self.kernel_fields(node, "", [], [], False)
        del fields["code"]  # the engine writes it
        gil = fields.pop("gil", "")
        fields.pop("shape_only", None)
        if "view" in found:
            fields["view"] = found["view"]
            return fields
        loop = fields["loop"] = found["loop"]
        scalar_op = getattr(op, "scalar_op", None)
        if scalar_op is not None:
            loop["body"] = [self._of(scalar_op, instruction) for instruction in loop["body"]]
            for fold in loop.get("folds", ()):
                if "body" in fold:
                    fold["body"] = [self._of(scalar_op, instruction) for instruction in fold["body"]]
            if gil == "released" and any(
                [i["op"] == "code" for b in (loop, *loop.get("folds", ())) for i in b.get("body", ())]
            ):
                fields["gil"] = gil
        return fields

    def _is_array(self, type_: Type) -> bool:
        """Whether what a type declares is one array; a type is asked once."""
        found = self._arrays.get(id(type_))
        if found is None:
            found = self._arrays[id(type_)] = array(type_) is not None
            self._kept.append(type_)
        return found

    def _of(self, scalar_op: object, instruction: schema.InstructionFields) -> schema.InstructionFields:
        """An instruction under the label that the op's class has in this function."""
        if instruction["op"] != "code":
            return instruction
        label = self.label(scalar_op)
        self._note(label, scalar_op, "c_code")
        return {**instruction, "label": label}

    def code(self, node: Node, inputs: list[str], outputs: list[str], params: bool) -> str | None:
        """Ask an op for the code of a node.

        Parameters
        ----------
        node : Node
            The node.
        inputs, outputs : list of str
            The names of its variables, or their literals.
        params : bool
            Whether it has params.

        Returns
        -------
        str or None
            None: the op runs in Python.

        Raises
        ------
        TypeError
            If it can be run neither in C nor in Python.
        """
        op: Any = node.op
        half = float16.half_of(op, node)
        if half is not None and performs(op):
            return None
        answer = ask(op, "c_code", node, NAME, list(inputs), list(outputs), op_sub(params))
        if answer is not ABSENT:
            if half is not None:
                raise TypeError(float16.refusal(op, half))
            return text(op, "c_code", answer, needed=True)
        if not performs(op):
            files = getattr(op, "func_files", None)
            code = f"c_code (no section 'code' in {', '.join(files)}, and no func_name)" if files else "c_code"
            raise TypeError(f"{op} can be run neither in C nor in Python: it has no {code} and no perform")
        return None

    def kernel_fields(
        self, node: Node, code: str, inputs: list[str], outputs: list[str], params: bool
    ) -> schema.KernelFields:
        """Ask an op that has code for the rest.

        Parameters
        ----------
        node, code, inputs, outputs, params
            As for `code`, and what that gave.

        Returns
        -------
        dict
            An entry of Program's ``kernels`` whose ``inputs`` and ``outputs`` are open.
        """
        op: Any = node.op
        inner = getattr(op, "scalar_op", None)
        label = self.label(op) + ("" if inner is None else "." + label_of(title(inner)))
        found = self._of_op.get(id(op))
        if found is None:
            found = self._of_op[id(op)] = self._op_fields(op, label)
            self._kept.append(op)
        fields: schema.KernelFields = {**found[0], "code": code}
        told = {"inputs": inputs, "outputs": outputs}
        for field in found[1]:
            hook = intern("c_" + field)
            more = [op_sub(params) if what == "sub" else list(told[what]) for what in _APPLY[field]]
            answer = ask(op, hook, node, NAME, *more)
            written = "" if answer is ABSENT else text(op, hook, answer)
            if written.strip():
                fields[field] = written
                self._note(label, op, hook)
        struct = next((field for field in _STRUCT if field in fields), None)
        fields["lang"] = lang_of(op, "c++" if struct else "c")
        if struct and fields["lang"] == "c":
            raise TypeError(f"{op}: c_{struct} needs C++, and c_lang is 'c': take c_lang away, or make it 'c++'")
        if "version" not in found[0] and own_hook(op, "c_code_cache_version_apply"):
            self._add_version(op, fields, ask(op, "c_code_cache_version_apply", node))
        own_files = getattr(op, "_fragment_files", None)
        if own_files is not None:
            writer = op if inner is None else inner
            self._add_files(writer, self.label(writer), fields, own_files())
        return fields

    def _op_fields(self, op: object, label: str) -> tuple[schema.KernelFields, list[schema.NodeText]]:
        """What an op says of itself whatever the node, and which hooks must be asked for each node."""
        if getattr(op, "__props__", None):
            hash(op)  # says which prop does not hash
        fields: schema.KernelFields = {"label": label, "lang": "c", "inputs": [], "outputs": []}
        gil: Any = getattr(op, "gil", "held")
        if gil not in _GIL:
            raise TypeError(f"{op}: gil must be one of {', '.join(map(repr, _GIL))}, got {gil!r}")
        if gil != "held":
            fields["gil"] = gil
        if gil == "free-threaded":
            keeps_gil(op)
        if getattr(op, "shape_only", False):
            fields["shape_only"] = True
        self._note(label, op, "c_code")
        self._add_shared(label, op, fields)
        if not own_hook(op, "c_code_cache_version_apply"):
            self._add_version(op, fields, ask(op, "c_code_cache_version"))
        return fields, [field for field in _APPLY if own_hook(op, intern("c_" + field))]

    def _add_shared(self, label: str, writer: object, fields: schema.TypeFields | schema.KernelFields) -> None:
        """The fields that types and ops have alike, and that depend on no name."""
        for field in _SHARED:
            hook = intern("c_" + field)
            if says_nothing(writer, hook):
                continue
            answer = ask(writer, hook)
            found = [] if answer is ABSENT else texts(writer, hook, answer)
            if found:
                fields[field] = found
                self._note(label, writer, hook)
                for name, path in filter(None, [sections.written_in(line) for line in found if line[:6] == "#line "]):
                    self.sources[name] = {"file": path, "line": 1, "exact": True}
        build: schema.BuildFields = {}
        for list_ in _BUILD:
            hook = intern("c_" + list_)
            if says_nothing(writer, hook):
                continue
            answer = ask_for_build(writer, hook)
            wished = [] if answer is ABSENT else words(writer, hook, answer)
            if wished:
                build[list_] = wished
                self._note(label, writer, hook)
        answer = ABSENT if says_nothing(writer, "c_compiler") else ask(writer, "c_compiler")
        if answer is not ABSENT and (compiler := driver(writer, answer)):
            build["compiler"] = compiler
        if build:
            fields["build"] = build

    def _add_version(self, writer: object, fields: schema.TypeFields | schema.KernelFields, version: object) -> None:
        if version is ABSENT or version == ():
            if is_unwritten(writer):
                fields["version"] = "the text"
            return
        if not isinstance(version, tuple) or not plain(version):
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

    def _add_files(self, op: object, label: str, fields: schema.KernelFields, files: dict[str, Any]) -> None:
        """Enter the files that fragments name in ``#line`` directives of their own: paths, or entries of `sources`."""
        base = label_of(type(op).__name__)
        for name, file in files.items():
            entry = {"file": file, "line": 1, "exact": True} if isinstance(file, str) else file
            self.sources[f"{label}/{name}"] = entry
        if label != base:  # two classes of one name: tell their files apart
            for field in _FILED:
                if field in fields:
                    fields[field] = fields[field].replace(f' "{base}/', f' "{label}/')
            for list_ in _SHARED:
                if list_ in fields:
                    fields[list_] = [part.replace(f' "{base}/', f' "{label}/') for part in fields[list_]]

    def _note(self, label: str, writer: object, hook: str) -> None:
        key = f"{label}.{hook}"
        if key not in self.sources:
            found = origin(behind(writer), hook)
            if found is not None:
                self.sources[key] = {"file": found[0], "line": found[1], "exact": False}
