"""``opweld.cop(…, ufunc=True)``: a short form as one of NumPy's ufuncs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from opweld import _ufunc
from opweld.compile.modes import InC
from opweld.cops.address import addressing
from opweld.cops.op import Written, ctype, definitions, op_of, type_of
from opweld.cops.reading import Place, Text
from opweld.cops.said import Said, text_of
from opweld.cops.types import check_beginnings, computed, described, dtypes_of, shape_of, size_text, sizes_of, weak_of
from opweld.dtypes import dtype_of
from opweld.errors import _what
from opweld.graph.basic import Apply, Variable
from opweld.graph.op import Op
from opweld.rooms import ending
from opweld.scalar.op import ScalarOp
from opweld.scalar.type import ScalarType, get_scalar_type
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.elemwise import Elemwise, broadcast_shape
from opweld.tensor.operators import functions
from opweld.tensor.type import TensorType

__all__ = ["Form", "addressing", "made"]

_ORDER = (
    "?bBhHiIlLqQefdgFDG"  # in which NumPy lists loops, and looks for the first to whose dtypes arguments can be cast
)
_MOST = 1000  # loops: NumPy makes an object for each


def made(said: Said, place: Place, perform: Callable[..., Any] | None, threads: int = 1) -> np.ufunc:
    """Make a ufunc of what a short form is made of, whose outer loops run on so many threads at most.

    Returns
    -------
    numpy.ufunc
    """
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise ValueError(f"cop: threads must be a number from 1 on, got {_what(threads)}")
    return Form(said, place, perform).ufunc(min(threads, len(os.sched_getaffinity(0))))


class Form:
    """What NumPy asks of a short form that is a ufunc.

    Attributes
    ----------
    said : Said
        What it was made of.
    text : Text
        What the engine has made of that, as loops.
    combinations : list of (dict of str to str)
        For each loop what the type variables stand for.
    met : list of int
        The loops that were compiled, in that order.
    """

    def __init__(self, said: Said, place: Place, perform: Callable[..., Any] | None) -> None:
        if perform is not None and not callable(perform):
            raise TypeError(f"cop: perform must be callable, got {_what(perform)}")
        self.said = said
        self.place = place
        self.python = perform
        self.text: Text = text_of(said, ufunc=True)
        signature = self.text.signature
        bounds = [
            sorted(bound, key=lambda name: _ORDER.index(dtype_of(name).np.char)) for bound in signature.types.values()
        ]
        count = int(np.prod([len(bound) for bound in bounds]))
        if count > _MOST:
            raise ValueError(
                f"{said.name}: ufunc=True has a loop for each choice of dtypes, and here are {count}; {_MOST} at most: "
                f"say less of {' and '.join(signature.types)} after `where`"
            )
        self.combinations = [dict(zip(signature.types, choice)) for choice in product(*bounds)]
        self.met: list[int] = []

    def ufunc(self, threads: int = 1) -> np.ufunc:
        """Make the ufunc."""
        signature = self.text.signature
        arguments = [*signature.inputs, *signature.outputs]
        numbers = [dtype_of(types.get(a.dtype, a.dtype)).np.num for types in self.combinations for a in arguments]
        found = _ufunc.make(
            self,
            self.said.name.encode(),
            self._doc().encode(),
            self.text.core.encode() or None,
            bytes(numbers),
            len(signature.inputs),
            len(signature.outputs),
            any([dim["op"] not in ("name", "number") or not dim.get("number", 1) for dim in self.text.dims]),
            threads,
        )
        return found

    def _doc(self) -> str:
        signature = self.text.signature
        lines = [self.said.signature.strip(), "", "Parameters", "----------"]
        lines += [f"{a.name} : {described(a)}" for a in signature.inputs]
        lines += ["", "Returns", "-------", *[f"{a.name} : {described(a)}" for a in signature.outputs]]
        return "\n".join(lines) + "\n"

    # ---- what NumPy asks ----

    @ending
    def loop(self, number: int) -> Any:
        """Compile a loop.

        Parameters
        ----------
        number : int
            Which of `combinations`.

        Returns
        -------
        capsule
            Its address.
        """
        check_beginnings(self.said.name, self.text.signature, self.combinations[number])
        (found,) = self._module(number)()
        self.met.append(number)
        return found

    def _module(self, number: int) -> InC:
        return addressing(self.said, self.text, self.place, self.combinations[number], "opweld loop")

    @ending
    def core_sizes(self, sizes: list[int]) -> list[int]:
        """Compute the sizes that no input has, and check those of inputs that others say.

        Parameters
        ----------
        sizes : list of int
            Of the dims of `text`; -1: not known.

        Returns
        -------
        list of int

        Raises
        ------
        ValueError
            If they do not agree, or cannot be.
        """
        name, signature = self.said.name, self.text.signature
        place = {size_text(dim): k for k, dim in enumerate(self.text.dims)}
        known: dict[str, int] = {}
        bound = set()
        for size, source, axis, less in signature.sizes:
            text = size_text(signature.inputs[source].dims[axis])
            known[size] = sizes[place[text]] - less
            bound.add(text)
            if known[size] < 0:
                what = f"{name}: {signature.inputs[source].name}.shape[{axis}] is {sizes[place[text]]}"
                raise ValueError(f"{what}, but the least that {text} can be is {max(less, 0)}")
        for k, dim in enumerate(self.text.dims):
            text = size_text(dim)
            wanted, have = computed(dim, known), sizes[k]
            if text in bound or (wanted == have and have >= 0):
                continue
            argument, axis = next(
                (a.name, a.dims.index(dim)) for a in (*signature.inputs, *signature.outputs) if dim in a.dims
            )
            where = f"{name}: {argument}.shape[{axis}]"
            if wanted is None or wanted > np.iinfo(np.intp).max:
                raise ValueError(f"{where}, which is {text}, is too large, or divides by zero")
            if wanted < 0:
                raise ValueError(f"{where}, which is {text}, would be {wanted}")
            if have >= 0:
                raise ValueError(f"{where} is {have}, but {text} is {wanted}")
            sizes[k] = wanted
        return sizes

    # ---- what Python shows ----

    @ending
    def source(self, *dtypes: Any) -> str:
        """Give the C of a loop.

        Parameters
        ----------
        *dtypes : str or numpy.dtype
            Of the inputs; the loop is that which NumPy takes for them. Left out: the first that was compiled.

        Returns
        -------
        str

        Raises
        ------
        ValueError, TypeError
            If there is no such loop.
        """
        name, inputs = self.said.name, self.text.signature.inputs
        if not dtypes:
            if not self.met:
                raise ValueError(f"{name} was not called yet: call it, or give the dtypes of its inputs")
            return self._module(self.met[0]).source()
        if len(dtypes) != len(inputs):
            raise TypeError(f"{name} takes {len(inputs)} inputs, got {len(dtypes)} dtypes")
        given = [np.dtype(dtype) for dtype in dtypes]
        for number, types in enumerate(self.combinations):
            wanted = [dtype_of(types.get(a.dtype, a.dtype)).np for a in inputs]
            if all([np.can_cast(have, want, "safe") for have, want in zip(given, wanted)]):
                return self._module(number).source()
        raise TypeError(f"{name} has no loop for {', '.join(map(str, given))}")

    # ---- variables ----

    @ending
    def applied(self, method: str, inputs: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Build the node that a call on variables is.

        Parameters
        ----------
        method : str
            ``"__call__"``, or which of the ufunc's methods.
        inputs : sequence
            What it was given, variables among it.
        keywords : dict
            The same, by name.

        Returns
        -------
        TensorVariable or list of them

        Raises
        ------
        TypeError
            If that is nothing that a graph has.
        """
        name, signature = self.said.name, self.text.signature
        if method != "__call__" or keywords:
            what = f".{method}()" if method != "__call__" else f"() with {', '.join(keywords)}="
            raise TypeError(f"{name}{what} of variables is not a node of a graph; write {name}(x)")
        if len(inputs) != len(signature.inputs):
            raise TypeError(f"{name}() takes {len(signature.inputs)} inputs, got {len(inputs)}")
        types = dtypes_of(name, signature, [type_of(name, a, x) for a, x in zip(signature.inputs, inputs)])
        wanted = [types.get(a.dtype, a.dtype) for a in signature.inputs]
        variables = [_cast(name, a.name, x, dtype) for a, x, dtype in zip(signature.inputs, inputs, wanted)]
        core = [len(a.dims) for a in signature.inputs]
        if not self.text.core:
            return Elemwise(_op(Element, self.said, self.text, self.place, types, self.python), name=name)(*variables)
        if [v.type.ndim for v in variables] == core:
            return op_of(self.said, text_of(self.said), self.place, self.python)(*variables)
        return Batched(self, types)(*variables)


def _cast(name: str, argument: str, value: object, dtype: str) -> Any:
    given: Any = value if isinstance(value, Variable) else np.asarray(value)
    have = given.type.dtype if isinstance(given, Variable) else given.dtype
    if not isinstance(given, Variable) and given.ndim == 0 and not isinstance(value, np.generic):
        given = weak_of(name, argument, given.item(), dtype)
    elif not np.can_cast(dtype_of(have).np, dtype_of(dtype).np, "safe"):
        raise TypeError(
            f"{name}: {argument} is of dtype {have}, which is not cast safely to {dtype}; call cast(x, {dtype!r})"
        )
    variable: Any = as_tensor_variable(given)
    return variable if variable.type.dtype == dtype else functions.cast(variable, dtype)


def _op(base: type, said: Said, *parts: Any) -> Any:
    """An op of a class that has the short form's name, by which messages of the compiler call it."""
    return type(said.name, (base,), {"__module__": base.__module__})(said, *parts)


class Element(Written, ScalarOp):
    """The body on one element of each input, for the engine's loops."""

    def __init__(
        self, said: Said, text: Text, place: Place, types: dict[str, str], python: Callable[..., Any] | None
    ) -> None:
        super().__init__(name=said.name)
        self.said = said
        self.text = text
        self.place = place
        self.types_of = types
        self.python = python
        self.nin = len(text.signature.inputs)
        self.nout = len(text.signature.outputs)
        self.c_lang = said.lang

    c_float16 = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Element) and (self.said, self.types_of) == (other.said, other.types_of)

    def __hash__(self) -> int:
        return hash((Element, self.said, tuple(self.types_of.items())))

    def __reduce__(self) -> Any:
        return _op, (Element, self.said, self.text, self.place, self.types_of, self.python)

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give those of the signature."""
        return [get_scalar_type(self.types_of.get(a.dtype, a.dtype)) for a in self.text.signature.outputs]

    def has_perform(self) -> bool:
        """Say whether there is a function in Python."""
        return self.python is not None

    def impl(self, *inputs: Any) -> Any:
        """Call the function in Python."""
        assert self.python is not None
        return self.python(*inputs)

    def c_support_code_apply(self, node: Apply, name: str) -> str:
        """Give the body's function."""
        return definitions(self.text.text.replace("OPW_COP_ID", name), self.types_of, self.said.lang)

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Call it."""
        signature = self.text.signature
        kinds = [
            ctype(self.types_of.get(a.dtype, a.dtype), self.said.lang) for a in (*signature.inputs, *signature.outputs)
        ]
        given = [f"*({kind} *)&{one}" for kind, one in zip(kinds, input_names)]
        given += [f"({kind} *)&{one}" for kind, one in zip(kinds[len(input_names) :], output_names)]
        return f"if (opw_cop_body_{name}({', '.join(given)})) {sub['fail']}"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Say that the texts are all that counts."""
        return (1,)


class Batched(Op):
    """A ufunc on arrays that have more dimensions than its signature, in Python."""

    def __init__(self, form: Form, types: dict[str, str]) -> None:
        self.form = form
        self.types = types
        self.run = form.ufunc()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Batched) and (self.form.said, self.types) == (other.form.said, other.types)

    def __hash__(self) -> int:
        return hash((Batched, self.form.said, tuple(self.types.items())))

    def __str__(self) -> str:
        return self.form.said.name

    def __reduce__(self) -> Any:
        return _batched, (self.form.said, self.form.place, self.form.python, self.types)

    def make_node(self, *inputs: Any) -> Apply:
        """Build the node: dimensions before those of the signature are broadcast."""
        signature = self.form.text.signature
        shapes = [x.type.shape for x in inputs]
        if short := [a.name for a, shape in zip(signature.inputs, shapes) if len(shape) < len(a.dims)]:
            raise TypeError(f"{self}: {short[0]} has fewer dimensions than the signature")
        cut = [len(shape) - len(a.dims) for a, shape in zip(signature.inputs, shapes)]
        before = broadcast_shape(self, [shape[:at] for shape, at in zip(shapes, cut)])
        known = sizes_of(signature, [shape[at:] for shape, at in zip(shapes, cut)], lambda i: None)
        types = [(self.types.get(a.dtype, a.dtype), (*before, *shape_of(a, known))) for a in signature.outputs]
        return Apply(self, inputs, [TensorType(dtype, shape)() for dtype, shape in types])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Call the ufunc."""
        found = self.run(*inputs)
        for cell, value in zip(output_storage, found if len(output_storage) > 1 else (found,)):
            cell[0] = np.asarray(value)


def _batched(said: Said, place: Place, python: Callable[..., Any] | None, types: dict[str, str]) -> Batched:
    return Batched(Form(said, place, python), types)
