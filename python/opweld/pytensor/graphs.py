"""PyTensor's nodes as the nodes of a graph that is compiled (`opweld.hooks.protocols`)."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any

import pytensor.link.c as link
from pytensor.compile.ops import ViewOp
from pytensor.configdefaults import config
from pytensor.graph.basic import Apply
from pytensor.graph.basic import Variable as TheirVariable
from pytensor.graph.op import Op as TheirOp
from pytensor.graph.utils import MethodNotDefined as Undefined
from pytensor.link.c.cmodule import GCC_compiler
from pytensor.link.c.interface import CLinkerOp, CLinkerType
from pytensor.link.c.op import COp as TheirCOp

from opweld.errors import MethodNotDefined
from opweld.hooks.reading import NAME, VARIABLE, op_sub
from opweld.pytensor.indexing import Written
from opweld.pytensor.plain import IN_C, OpInC, numbers_of, with_numbers
from opweld.pytensor.products import written_of
from opweld.pytensor.structure import Structure, structure_of
from opweld.pytensor.types import Array, Foreign, Types, Uncarried, is_in_c, listed

__all__ = ["Constant", "Node", "Op", "Variable"]

#: How PyTensor's hooks say that they are not written.
NOT_WRITTEN = (NotImplementedError, Undefined)
_HELPER = os.path.join(os.path.dirname(os.path.abspath(next(iter(link.__path__)))), "c", "c_code")


class Variable:
    """A variable of PyTensor's.

    Parameters
    ----------
    theirs : Variable
        PyTensor's.
    type_ : Array, Foreign or Uncarried
        What stands for its type.
    """

    name = None  # two functions that differ in names alone are one module
    owner: Node | None = None

    def __init__(self, theirs: TheirVariable, type_: Array | Foreign | Uncarried) -> None:
        self.theirs = theirs
        self.type = type_

    def __str__(self) -> str:
        return str(self.theirs)


class Constant(Variable):
    """A constant of PyTensor's, which has ``data``."""

    def __init__(self, theirs: TheirVariable, type_: Array | Foreign | Uncarried, data: object | None = None) -> None:
        super().__init__(theirs, type_)
        self.data = theirs.data if data is None else data


class Op:
    """The op of one node of PyTensor's: it answers for that node alone.

    Parameters
    ----------
    node : Apply
        PyTensor's.
    types : Types
        Finds what stands for types.
    inputs, outputs : list of Variable
        What stands for its variables.
    """

    has_c: bool
    c_float16 = True  # what PyTensor's op says of it counts in `has_c`
    stands_for: Any = None

    def __init__(self, node: Apply, types: Types, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> None:
        self.stands_for = node.op
        self.node = node
        self.destroy_map = node.op.destroy_map
        self.view_map = {  # what is written over is no view of what was there, also where an op says both
            output: [source for source in sources if source not in self.destroy_map.get(output, ())]
            for output, sources in node.op.view_map.items()
        }
        self.check_input = getattr(node.op, "check_input", config.check_input)
        self.c_lang = "c++"
        self._types = types
        self._variables = [*inputs, *outputs]
        self._known: dict[Any, str] = {}
        self._numbers: dict[str, str] = {}
        self._plain = False
        arrays = all(type(v.type) is Array for v in self._variables)
        self._structure = structure_of(node) if arrays else None
        self._ours: Structure | Written | None = self._structure or written_of(node)
        self.has_c = self._ours is not None or self._writes_c()
        if self._ours is not None:
            self.c_lang = self._ours.lang
        elif self._plain:
            self.c_lang = "c"

    def __str__(self) -> str:
        return str(self.stands_for)

    def _writes_c(self) -> bool:
        """Whether there is C, asked for once, after PyTensor's own preparation."""
        op, node = self.stands_for, self.node
        if not isinstance(op, CLinkerOp) or any(type(v.type) is Uncarried for v in self._variables):
            return False
        if type(op).make_thunk not in _MAKING or getattr(type(op), "make_c_thunk", None) is not TheirCOp.make_c_thunk:
            return False
        if not getattr(op, "_f16_ok", False) and any(
            getattr(v.type, "dtype", None) == "float16" for v in (*node.inputs, *node.outputs)
        ):
            return False
        try:
            op.prepare_node(node, storage_map=None, compute_map=None, impl="c")
            self._plain = self._is_c() and self._write_numbers()
            self._asked(*self.names())
        except NOT_WRITTEN:
            return False
        return True

    def _is_c(self) -> bool:
        """Whether the op's texts, and those of the types of its variables, are C."""
        kinds = [v.type for v in (*self.node.inputs, *self.node.outputs)]
        known = type(self.stands_for) in IN_C or isinstance(self.stands_for, OpInC)
        return known and all(map(is_in_c, kinds))

    def _write_numbers(self) -> bool:
        """Take the params into the text, where there are some; False: it needs them as an object."""
        there, params = self.params
        if not there:
            return True
        numbers = numbers_of(self.node.params_type, params)
        self._numbers = numbers or {}
        return numbers is not None

    def names(self) -> tuple[list[str], list[str]]:
        """Give the names under which the node's C will be asked for, as a rule."""
        place: dict[Any, int] = {}
        for variable in self.node.inputs:
            place.setdefault(variable, len(place))
        count = len(place)
        return (
            [f"{VARIABLE}{place[variable]}" for variable in self.node.inputs],
            [f"{VARIABLE}{count + i}" for i in range(len(self.node.outputs))],
        )

    @cached_property
    def params(self) -> Any:
        """The node's params, and whether it has some."""
        if not isinstance(self.stands_for, CLinkerOp):
            return False, None
        try:
            return True, self.stands_for.get_params(self.node)
        except NOT_WRITTEN:
            return False, None

    @property
    def params_type(self) -> Foreign | None:
        """What stands for the type of its params."""
        if self._ours is not None or self._plain or not self.has_c or not self.params[0]:
            return None
        found = self._types.of(self.node.params_type)
        assert not isinstance(found, (Array, Uncarried))
        return found

    def get_params(self, node: object) -> Any:
        """Ask the op."""
        return self.params[1]

    def has_perform(self) -> bool:
        """Say that PyTensor can run it: by a thunk of its own."""
        return True

    def structured(self, kind: str) -> dict[str, Any] | None:
        """Give the work as data, if it is of a kind, ``"loop"`` or ``"view"``."""
        return None if self._structure is None else self._structure.fields.get(kind)

    @property
    def held(self) -> str | None:
        """The dtype of what its loop makes, where its output is of another."""
        return None if self._structure is None else self._structure.held

    def apart(self, fields: dict[str, Any], **maps: Any) -> Op:
        """Give an op whose work is other data, of the same scalar ops; `maps`: ``view_map`` and ``destroy_map``."""
        assert self._structure is not None
        other = copy(self)
        other._structure = other._ours = self._structure.of(fields)
        other.view_map, other.destroy_map = maps.get("view_map", {}), maps.get("destroy_map", {})
        return other

    def told(self) -> Op:
        """Give the op of a view that is told which view it is: all are one."""
        other = self.apart({"view": {"told": True}}, view_map={0: [0]})
        other.stands_for = _VIEW
        return other

    @property
    def structure(self) -> Any:
        """What gives the work as data; None: it is not known."""
        return None if self._structure is None else self._fields

    def _fields(self, node: object) -> Any:
        assert self._structure is not None
        return self._structure.fields

    def _asked(self, inputs: list[str], outputs: list[str]) -> str:
        key = (*inputs, None, *outputs)
        if key not in self._known and isinstance(self._ours, Written):
            self._known[key] = self._ours.code(inputs, outputs, op_sub(False)["fail"])
        if key not in self._known:
            sub = op_sub(self.params[0])
            found = with_numbers(
                self.stands_for.c_code(self.node, NAME, list(inputs), list(outputs), sub), self._numbers
            )
            arrays = {name for name, v in zip(inputs, self._variables) if type(v.type) is Array}
            self._known[key] = _OBJECT.sub(lambda match: _object(match, arrays), found)
        return self._known[key]

    def c_code(self, node: object, name: str, inputs: list[str], outputs: list[str], sub: dict[str, Any]) -> str:
        """Ask the op."""
        if not self.has_c:
            raise MethodNotDefined("c_code")
        return self._asked(inputs, outputs)

    def reads_objects(self) -> set[int]:
        """Which inputs, no arrays, the C reads as Python's objects: they must come from outside."""
        if self._ours is not None or not self.has_c:
            return set()
        inputs, outputs = self.names()
        text = self._asked(inputs, outputs)
        return {
            i for i, name in enumerate(inputs) if type(self._variables[i].type) is not Array and f"py_{name}" in text
        }

    def c_code_cleanup(
        self, node: object, name: str, inputs: list[str], outputs: list[str], sub: dict[str, Any]
    ) -> Any:
        """Ask the op."""
        if self._ours is not None:
            return ""
        return self.stands_for.c_code_cleanup(self.node, name, inputs, outputs, sub)

    def c_support_code_apply(self, node: object, name: str) -> Any:
        """Ask the op."""
        if self._ours is not None:
            return self._ours.support_apply(name)
        return self.stands_for.c_support_code_apply(self.node, name)

    def c_init_code_apply(self, node: object, name: str) -> Any:
        """Ask the op."""
        return "" if self._ours is not None else self.stands_for.c_init_code_apply(self.node, name)

    def c_support_code_struct(self, node: object, name: str) -> Any:
        """Ask the op."""
        return "" if self._ours is not None else self.stands_for.c_support_code_struct(self.node, name)

    def c_init_code_struct(self, node: object, name: str, sub: dict[str, Any]) -> Any:
        """Ask the op."""
        return "" if self._ours is not None else self.stands_for.c_init_code_struct(self.node, name, sub)

    def c_cleanup_code_struct(self, node: object, name: str) -> Any:
        """Ask the op."""
        return "" if self._ours is not None else self.stands_for.c_cleanup_code_struct(self.node, name)

    def _all(self, hook: str, **more: Any) -> list[str]:
        """What the op, and the types of its arrays, give: those write no C of their own."""
        if self._ours is not None:
            return self._ours.shared(hook, **more)
        kinds = [v.type for v in (*self.node.inputs, *self.node.outputs) if isinstance(v.type, CLinkerType)]
        found = [text for writer in (*kinds, self.stands_for) for text in listed(getattr(writer, hook)(**more))]
        return list(dict.fromkeys(found))

    def c_support_code(self) -> list[str]:
        """Ask types and op."""
        return self._all("c_support_code")

    def c_init_code(self) -> list[str]:
        """Ask types and op."""
        return self._all("c_init_code")

    def c_headers(self) -> list[str]:
        """Ask types and op; PyTensor's modules have its own first."""
        own = [] if self._ours is not None or self._plain else ["pytensor_mod_helper.h", "<iostream>"]
        return [*own, *self._all("c_headers", c_compiler=GCC_compiler)]

    def c_header_dirs(self) -> list[str]:
        """Ask types and op."""
        own = [] if self._ours is not None or self._plain else [_HELPER]
        return [*own, *self._all("c_header_dirs", c_compiler=GCC_compiler)]

    def c_libraries(self) -> list[str]:
        """Ask types and op."""
        return self._all("c_libraries", c_compiler=GCC_compiler)

    def c_lib_dirs(self) -> list[str]:
        """Ask types and op."""
        return self._all("c_lib_dirs", c_compiler=GCC_compiler)

    def c_compile_args(self) -> list[str]:
        """Ask types and op. What their C asserts is not tested, as in no release of theirs."""
        own = (
            [] if self._ours is not None else ["-DNDEBUG", "-w"] if self._plain else ["-DNDEBUG", "-fpermissive", "-w"]
        )
        return [*own, *self._all("c_compile_args", c_compiler=GCC_compiler)]

    def c_no_compile_args(self) -> list[str]:
        """Ask types and op."""
        return self._all("c_no_compile_args", c_compiler=GCC_compiler)

    def c_compiler(self) -> Any:
        """Ask an op that wants a driver of its own; PyTensor's own is the configured one."""
        asked = None if self._ours is not None else getattr(self.stands_for, "c_compiler", None)
        found = None if asked is None else asked()
        return None if found is GCC_compiler else found

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Rely on the texts, which every key has."""
        return ("text",)


_VIEW = ViewOp()
_OBJECT = re.compile(rf"\bpy_({VARIABLE}\d+)\b")


def _object(match: re.Match[str], arrays: set[str]) -> str:
    """The Python object of an input: where that is an array, the array itself."""
    return f"((PyObject*){match[1]})" if match[1] in arrays else match[0]


_MAKING = (TheirCOp.make_thunk, TheirOp.make_thunk)


class Node:
    """A node of PyTensor's.

    Parameters
    ----------
    theirs : Apply
        PyTensor's.
    inputs, outputs : list of Variable
        What stands for its variables.
    types : Types
        Finds what stands for types.
    """

    def __init__(self, theirs: Apply, inputs: list[Variable], outputs: list[Variable], types: Types) -> None:
        self.theirs = theirs
        self.inputs = inputs
        self.outputs = outputs
        self.op = Op(theirs, types, inputs, outputs)
        for variable in outputs:
            variable.owner = self

    def __str__(self) -> str:
        return str(self.theirs)

    def apart(self, fields: dict[str, Any], inputs: list[Variable], outputs: list[Variable], **maps: Any) -> Node:
        """Give a node that stands for the same one, and does other work; as `Op.apart`."""
        other = copy(self)
        other.inputs, other.outputs, other.op = inputs, outputs, self.op.apart(fields, **maps)
        for variable in outputs:
            variable.owner = other
        return other

    def told(self, inputs: list[Variable]) -> Node:
        """Give a node that makes the same view, of which its second input says what it is; as `Op.told`."""
        other = copy(self)
        other.inputs, other.op = inputs, self.op.told()
        for variable in self.outputs:
            variable.owner = other
        return other

    @property
    def made_at(self) -> tuple[str, int, str] | None:
        """Where it was applied."""
        trace = getattr(self.theirs.outputs[0].tag, "trace", None)
        if not trace:
            return None
        last = trace[-1][-1]
        return last[0], last[1], last[2]
