"""Lists of values of one type, and their ops, as Theano, Aesara and PyTensor have them.

In C a variable is a ``PyListObject *`` that owns a reference: an op's C puts a new one into its output.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any, cast

import numpy as np

from opweld.compat.bases import CType, Op
from opweld.compat.variables import SliceType
from opweld.config import config
from opweld.errors import _what
from opweld.generic import generic
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.type import Type
from opweld.signatures import filter_of
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import TensorLike
from opweld.tensor.type import TensorType

__all__ = [
    "Append", "Count", "Extend", "GetItem", "Index", "Insert", "Length", "MakeList", "Remove", "Reverse",
    "TypedListConstant", "TypedListType", "TypedListVariable", "append", "count", "extend", "getitem", "index_",
    "insert", "length", "make_list", "remove", "reverse",
]  # fmt: skip


class _ListOperators:
    """What variables and constants of lists can do."""

    type: Any
    ttype = property(lambda self: self.type.ttype)
    dtype = property(lambda self: self.type.ttype.dtype)
    ndim = property(lambda self: self.type.ttype.ndim + 1)

    def __getitem__(self, index: object) -> Any:
        return getitem(self, index)

    def __len__(self) -> Any:  # to be called by its name, as old code does
        return length(self)

    def __bool__(self) -> bool:
        return True

    def append(self, toAppend: object) -> Any:
        return append(self, toAppend)

    def extend(self, toAppend: object) -> Any:
        return extend(self, toAppend)

    def insert(self, index: object, toInsert: object) -> Any:
        return insert(self, index, toInsert)

    def remove(self, toRemove: object) -> Any:
        return remove(self, toRemove)

    def reverse(self) -> Any:
        return reverse(self)

    def count(self, elem: object) -> Any:
        return count(self, elem)

    def ind(self, elem: object) -> Any:
        return index_(self, elem)


class TypedListVariable(_ListOperators, Variable):
    """A variable whose values are lists."""


class TypedListConstant(_ListOperators, Constant):
    """A constant that is a list."""


class TypedListType(CType):
    """Lists whose items are of one type.

    Parameters
    ----------
    ttype : Type
        That of the items.
    depth : int
        How many further lists stand between this one and the items.
    """

    __props__ = ("ttype",)
    variable_type = TypedListVariable
    constant_type = TypedListConstant

    def __init__(self, ttype: object, depth: int = 0) -> None:
        if depth < 0:
            raise ValueError(f"TypedListType: depth must be 0 or more, got {depth}")
        if not isinstance(ttype, Type):
            raise TypeError(f"TypedListType: expected a Type, got {_what(ttype)}")
        self.ttype: Any = ttype if depth == 0 else type(self)(ttype, depth - 1)

    dtype = property(lambda self: self.ttype)
    ndim = property(lambda self: self.ttype.ndim + 1)

    def __str__(self) -> str:
        return f"TypedList <{self.ttype}>"

    def get_depth(self) -> int:
        """Count the lists between this one and the items."""
        return self.ttype.get_depth() + 1 if isinstance(self.ttype, TypedListType) else 0

    def filter(self, value: object, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Take a list; unless `strict`, any iterable whose items the items' type takes."""
        if isinstance(value, list) and all(map(self.ttype.is_valid_value, value)):
            return value
        if strict or isinstance(value, (str, bytes, Variable)):
            raise TypeError(f"expected a list of {self.ttype}, got {_what(value)}")
        convert, items = filter_of(self.ttype), cast(Iterable[Any], value)
        return [convert(item) for item in items]

    def values_eq(self, a: list[Any], b: list[Any]) -> bool:  # type: ignore[override]
        """Compare item by item."""
        return len(a) == len(b) and all(map(self.ttype.values_eq, a, b))

    def values_eq_approx(self, a: list[Any], b: list[Any]) -> bool:
        """Compare item by item, up to rounding."""
        return len(a) == len(b) and all(map(self.ttype.values_eq_approx, a, b))

    def c_declare(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Declare the list."""
        return f"PyListObject* {name};"

    def c_init(self, name: str, sub: dict[str, Any]) -> str:
        """Begin with none."""
        return f"{name} = NULL;"

    def c_extract(self, name: str, sub: dict[str, Any], check_input: bool = True, **kwargs: Any) -> str:
        """Take a reference."""
        check = f"""
            if (!PyList_Check(py_{name})) {{
                PyErr_SetString(PyExc_TypeError, "expected a list");
                {sub["fail"]}
            }}
        """
        return f"{name} = NULL;\n{check if check_input else ''}\n{name} = (PyListObject*)Py_NewRef(py_{name});"

    def c_extract_out(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Use no offered storage."""
        return self.c_init(name, sub)

    def c_sync(self, name: str, sub: dict[str, Any]) -> str:
        """Hand on the list."""
        return f"""
            if ({name} == NULL) {{
                PyErr_SetString(PyExc_ValueError, "a list was not set");
                {sub["fail"]}
            }}
            if (py_{name} != (PyObject*){name}) Py_XSETREF(py_{name}, Py_NewRef((PyObject*){name}));
        """

    def c_cleanup(self, name: str, sub: dict[str, Any]) -> str:
        """Release the reference."""
        return f"Py_XDECREF((PyObject*){name});"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of these texts."""
        return (1,)


def _a_list(x: Variable) -> Any:
    """A variable of a list, or TypeError."""
    if not isinstance(x, Variable) or not isinstance(x.type, TypedListType):
        raise TypeError(f"expected a variable of a list, got {x if isinstance(x, Variable) else _what(x)}")
    return x


def _item(x: Variable, item: object, wanted: Type) -> Any:
    """A variable of the type that items, or a list, must have."""
    if not isinstance(item, Variable):
        item = wanted.make_constant(item)
    if item.type != wanted:
        raise TypeError(f"expected {wanted}, got {item.type}")
    return item


def _number(given: object) -> Any:
    """A variable of an int64 without dimensions."""
    index = as_tensor_variable(cast(TensorLike, given))
    if index.type.ndim or np.dtype(index.dtype).kind not in "iu":
        raise TypeError(f"expected an integer, got {index.type}")
    return index.astype("int64")


class GetItem(Op):
    """Give an item, or a part of a list."""

    view_map = {0: [0]}
    __props__ = ()

    def make_node(self, x: Variable, index: object) -> Apply:
        """An item for an integer, a list for a slice."""
        x = _a_list(x)
        if isinstance(index, slice):
            return Apply(self, [x, Constant(generic, index)], [x.type()])
        if isinstance(index, Variable) and isinstance(index.type, SliceType):
            return Apply(self, [x, index], [x.type()])
        return Apply(self, [x, _number(index)], [x.type.ttype()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Ask the list."""
        x, index = inputs
        output_storage[0][0] = x[index if isinstance(index, slice) else int(index)]


class _Changes(Op):
    """An op that gives a list with a change: a list of its own with the same items, or in place the list itself.

    Parameters
    ----------
    inplace : bool
        The input itself is changed.
    """

    __props__: tuple[str, ...] | None = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace
        if inplace:
            self.destroy_map = {0: [0]}
        else:
            self.view_map = {0: [0]}

    def change(self, node: Apply, found: list[Any], *given: Any) -> None:
        """Change a list."""
        raise NotImplementedError

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Change the list, or another one of its items; what comes in is copied."""
        x, *given = inputs
        output_storage[0][0] = found = x if self.inplace else list(x)
        self.change(node, found, *given)


class Append(_Changes):
    """Put an item behind the last."""

    def make_node(self, x: Variable, toAppend: object) -> Apply:
        """A list."""
        return Apply(self, [_a_list(x), _item(x, toAppend, x.type.ttype)], [x.type()])

    def change(self, node: Apply, found: list[Any], *given: Any) -> None:
        """Append a copy."""
        found.append(deepcopy(given[0]))


class Extend(_Changes):
    """Put the items of a list behind the last."""

    def make_node(self, x: Variable, toAppend: object) -> Apply:
        """A list."""
        return Apply(self, [_a_list(x), _item(x, toAppend, x.type)], [x.type()])

    def change(self, node: Apply, found: list[Any], *given: Any) -> None:
        """Append copies."""
        found.extend(deepcopy(given[0]))


class Insert(_Changes):
    """Put an item at a place."""

    def make_node(self, x: Variable, index: object, toInsert: object) -> Apply:
        """A list."""
        return Apply(self, [_a_list(x), _number(index), _item(x, toInsert, x.type.ttype)], [x.type()])

    def change(self, node: Apply, found: list[Any], *given: Any) -> None:
        """Insert a copy."""
        found.insert(int(given[0]), deepcopy(given[1]))


class Remove(_Changes):
    """Take away the first item that is equal to a value."""

    def make_node(self, x: Variable, toRemove: object) -> Apply:
        """A list."""
        return Apply(self, [_a_list(x), _item(x, toRemove, x.type.ttype)], [x.type()])

    def change(self, node: Apply, found: list[Any], *given: Any) -> None:
        """Leave the list as it is where there is none."""
        at = _first(node, found, given[0])
        if at is not None:
            del found[at]


class Reverse(_Changes):
    """Turn the order round."""

    def make_node(self, x: Variable) -> Apply:
        """A list."""
        return Apply(self, [_a_list(x)], [x.type()])

    def change(self, node: Apply, found: list[Any], *given: Any) -> None:
        """Reverse."""
        found.reverse()


def _equal(node: Apply, items: list[Any], value: object) -> list[int]:
    """Where the items are that the items' type takes for equal to a value."""
    type_: Any = node.inputs[0].type
    return [at for at, item in enumerate(items) if type_.ttype.values_eq(item, value)]


def _first(node: Apply, items: list[Any], value: object) -> int | None:
    return next(iter(_equal(node, items, value)), None)


class _Asks(Op):
    """An op that gives a number."""

    __props__ = ()

    def make_node(self, x: Variable, elem: object) -> Apply:
        """A number of dtype ``config.floatX``."""
        return Apply(self, [_a_list(x), _item(x, elem, x.type.ttype)], [TensorType(config.floatX, ())()])


class Index(_Asks):
    """Give the place of the first item that is equal to a value."""

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Compare; ValueError where there is none."""
        at = _first(node, *inputs)
        if at is None:
            raise ValueError(f"{self}: no item of the list is equal to the value")
        output_storage[0][0] = np.asarray(at, config.floatX)


class Count(_Asks):
    """Count the items that are equal to a value."""

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Compare with each."""
        output_storage[0][0] = np.asarray(len(_equal(node, *inputs)), config.floatX)


class Length(Op):
    """Count the items of a list."""

    __props__ = ()

    def make_node(self, x: Variable) -> Apply:
        """A number, int64."""
        return Apply(self, [_a_list(x)], [TensorType("int64", ())()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Ask it."""
        output_storage[0][0] = np.asarray(len(inputs[0]), "int64")


class MakeList(Op):
    """Make a list of copies of values of one type."""

    __props__ = ()

    def make_node(self, a: Sequence[object]) -> Apply:
        """A list; what is no variable becomes a tensor."""
        items = [item if isinstance(item, Variable) else as_tensor_variable(cast(TensorLike, item)) for item in a]
        if not items or any(item.type != items[0].type for item in items):
            raise TypeError(f"{self}: expected variables of one type, got {', '.join(str(i.type) for i in items)}")
        return Apply(self, items, [TypedListType(items[0].type)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Copy."""
        output_storage[0][0] = [deepcopy(value) for value in inputs]


getitem, append, extend, insert, remove = GetItem(), Append(), Extend(), Insert(), Remove()
reverse, index_, count, length, make_list = Reverse(), Index(), Count(), Length(), MakeList()
