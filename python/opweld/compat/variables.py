"""Names of variables and values that files of the packages' own modules import: operators, shared scalars, slices."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any

import numpy as np

from opweld.compat import scalarmore, scalarnames, specials
from opweld.compat.bases import Generic, Kin, Op
from opweld.compat.opclasses import Elemwise
from opweld.compat.values import NoneConst
from opweld.errors import _what
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.shared import SharedVariable
from opweld.scalar import type as _scalar
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import TensorLike
from opweld.tensor.operators import Operators
from opweld.tensor.shapes import shape
from opweld.tensor.type import TensorType

__all__ = [
    "AsTensorError", "CpuContiguous", "MakeSlice", "ScalarSharedVariable", "SliceConstant", "SliceType",
    "TensorConstantSignature", "_as_tensor_variable", "_get_vector_length", "_scalar_py_operators",
    "_tensor_py_operators", "cpu_contiguous", "expandable_types", "get_vector_length", "make_slice",
    "min_informative_str", "register_checker", "scalar_elemwise", "scalar_shared", "shape_tuple", "slicetype",
    "sparse_block_dot", "special",
]  # fmt: skip

#: The classes of types whose known sizes may be given up.
expandable_types = (TensorType,)
#: Signs that formulas are printed with.
special = {"middle_dot": "\u00b7", "big_sigma": "\u03a3"}


class AsTensorError(TypeError):
    """Something cannot be made a tensor."""


class _tensor_py_operators(Operators, metaclass=Kin):  # its name
    """The operators and methods of tensors; every tensor variable is an instance."""

    kin = (Operators,)


class _scalar_py_operators(metaclass=Kin):  # its name
    """What scalar variables have; each is an instance."""

    kin = (_scalar.ScalarVariable, _scalar.ScalarConstant)
    dtype = _scalar.ScalarVariable.dtype
    ndim = 0


class ScalarSharedVariable(_scalar_py_operators, SharedVariable):
    """A shared number without an array round it."""


def scalar_shared(
    value: TensorLike, name: str | None = None, strict: bool = False, allow_downcast: bool | None = None
) -> ScalarSharedVariable:
    """Make a shared number.

    Raises
    ------
    TypeError
        If it is none.
    """
    if not isinstance(value, (np.number, int, float, complex)):
        raise TypeError(f"expected a number, got {_what(value)}")
    kind = _scalar.get_scalar_type(np.asarray(value).dtype.name)
    return ScalarSharedVariable(type=kind, value=value, name=name, strict=strict, allow_downcast=allow_downcast)


class TensorConstantSignature(tuple):  # type: ignore[type-arg]
    """A type and an array: equal to another one of an equal type, and an array of the same bits."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        (kind, one), (other_kind, another) = self, other
        one, another = np.asarray(one), np.asarray(another)
        return bool(kind == other_kind and one.shape == another.shape and one.tobytes() == another.tobytes())

    def __hash__(self) -> int:
        kind, array = self
        return hash((type(self), kind, np.shape(array), np.asarray(array).tobytes()))


@singledispatch
def _as_tensor_variable(x: TensorLike, name: str | None = None, ndim: int | None = None, **kwargs: Any) -> Any:
    return as_tensor_variable(x, name, ndim, **kwargs)


@singledispatch
def _get_vector_length(op: object, var: Variable) -> int:
    """Give a vector's length by what made it; a rule for a class of ops is registered with ``.register(cls)``."""
    raise ValueError(f"the length of {var} is not known")


@_get_vector_length.register(Constant)
def _of_constant(op: object, var: Constant) -> int:
    return len(var.data)


def get_vector_length(v: TensorLike) -> int:
    """Give the length of a vector where its type, its value or what made it tells it.

    Raises
    ------
    TypeError
        If it is no vector.
    ValueError
        If the length is not known.
    """
    v = as_tensor_variable(v)
    if v.type.ndim != 1:
        raise TypeError(f"expected a vector, got {v.type}")
    known = v.type.shape[0]
    return int(known) if known is not None else _get_vector_length(v if v.owner is None else v.owner.op, v)


def shape_tuple(x: Variable) -> tuple[Variable, ...]:
    """Give the sizes of a tensor one by one: constants where its type knows them."""
    known = getattr(x.type, "shape", ())
    whole: Any = shape(x) if None in known else None
    kind = _scalar.get_scalar_type("int64")
    return tuple([whole[i] if size is None else kind.make_constant(size) for i, size in enumerate(known)])


def scalar_elemwise(
    *symbol: Any,
    nfunc: str | None = None,
    nin: int | None = None,
    nout: int | None = None,
    symbolname: str | None = None,
) -> Any:
    """Put in the place of a function's definition the scalar op of its name, for each element.

    Parameters
    ----------
    *symbol : callable
        The definition; left out: a decorator is given.
    nfunc, nin, nout
        Accepted: the engine knows NumPy's functions.
    symbolname : str, optional
        The scalar op's name; the function's if left out.

    Raises
    ------
    ValueError
        If the name ends in ``_inplace``.
    AttributeError
        If there is no such scalar op.
    """

    def construct(definition: Callable[..., Any]) -> Any:
        name = symbolname or definition.__name__
        if name.endswith("_inplace"):
            raise ValueError(f"{name}: ops that write over their inputs are made by rewriters")
        home = specials if name in specials.FUNCTIONS else scalarnames
        made = Elemwise(getattr(scalarmore, name, None) or getattr(home, name))
        made.__doc__ = definition.__doc__
        return made

    return construct(symbol[0]) if symbol else construct


class SliceConstant(Constant):
    """A slice that is known."""


class SliceType(Generic):
    """The type of slices."""

    constant_type = SliceConstant

    def filter(self, value: object, strict: bool = False, allow_downcast: bool | None = None) -> slice:
        """Take a slice.

        Raises
        ------
        TypeError
            Of anything else.
        """
        if not isinstance(value, slice):
            raise TypeError(f"expected a slice, got {_what(value)}")
        return value

    def __str__(self) -> str:
        return "slice"

    __props__ = ()


slicetype = SliceType()


class MakeSlice(Op):
    """A slice of three numbers, each of which may be None."""

    __props__ = ()

    def make_node(
        self, slc: TensorLike | slice, stop: TensorLike | None = None, step: TensorLike | None = None
    ) -> Apply:
        """Build the node.

        Parameters
        ----------
        slc : slice, or Variable or int or None
            All three, or where it starts.
        stop, step : Variable or int or None
            Where it stops, and how far it goes.
        """
        parts = (slc.start, slc.stop, slc.step) if isinstance(slc, slice) else (slc, stop, step)
        inputs = [
            NoneConst if part is None else part if isinstance(part, Variable) else as_tensor_variable(part)
            for part in parts
        ]
        return Apply(self, inputs, [slicetype()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Make the slice."""
        output_storage[0][0] = slice(*[None if part is None else int(part) for part in inputs])


make_slice = MakeSlice()


class CpuContiguous(Op):
    """The array itself where its elements lie row by row, else a copy that does."""

    __props__ = ()
    view_map = {0: [0]}
    check_input = False
    c_float16 = True

    def make_node(self, x: TensorLike) -> Apply:
        """Build the node."""
        x = as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Look at the array."""
        output_storage[0][0] = np.require(inputs[0], requirements=["C"])

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the input's shape."""
        return input_shapes

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Look at the array."""
        (x,), (z,) = input_names, output_names
        return f"Py_XDECREF({z});\n{z} = PyArray_GETCONTIGUOUS({x});\nif ({z} == NULL) {{ {sub['fail']} }}"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


cpu_contiguous = CpuContiguous()


def register_checker(checker: Callable[[Any, Any], bool]) -> None:
    """Accept a function that compares two values: values are compared by their types, ``values_eq_approx``."""


def min_informative_str(obj: Variable, indent_level: int = 0, **_: object) -> str:
    """Write how a variable is computed, as far back as variables with names; each piece has a letter."""
    letters: dict[Any, str] = {}

    def write(variable: Variable, depth: int) -> str:
        start = "\t" * depth
        if variable in letters:
            return f"{start}<{letters[variable]}>"
        letters[variable] = _letters(len(letters))
        label = f"{start}{letters[variable]}. "
        if getattr(variable, "name", None) is not None:
            return label + str(variable.name)
        node = getattr(variable, "owner", None)
        if node is None:
            return label + str(variable)
        return "\n".join([label + str(node.op), *[write(inner, depth + 1) for inner in node.inputs]])

    return write(obj, indent_level)


def _letters(number: int) -> str:
    text = chr(ord("A") + number % 26)
    return text if number < 26 else _letters(number // 26 - 1) + text


def sparse_block_dot(
    W: TensorLike, h: TensorLike, inputIdx: TensorLike, b: TensorLike, outputIdx: TensorLike
) -> Any:  # the names it had
    """Multiply blocks of a matrix with blocks of vectors, those that are named only.

    Parameters
    ----------
    W : Variable
        Blocks of inputs, blocks of outputs, sizes of both: four dimensions.
    h : Variable
        Rows of a batch, blocks, their size.
    inputIdx, outputIdx : Variable
        For each row of the batch which blocks of the input `h` holds, and which of the output are wanted.
    b : Variable
        Blocks of the output, their size: added.

    Returns
    -------
    TensorVariable
        Rows of the batch, blocks that are wanted, their size.
    """
    W, h, b = map(as_tensor_variable, (W, h, b))
    rows, columns = as_tensor_variable(inputIdx), as_tensor_variable(outputIdx)
    blocks = W[rows.dimshuffle(0, 1, "x"), columns.dimshuffle(0, "x", 1)]
    terms = h.dimshuffle(0, 1, "x", 2, "x") * blocks
    return terms.sum(axis=(1, 3)) + b[columns]
