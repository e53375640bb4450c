"""The op of a short form: what its signature and its texts say, as any op says it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opweld.cops.reading import Argument, Place, Source, Text
from opweld.cops.said import Said, text_of
from opweld.cops.types import (
    FUNCTION,
    WEAK,
    computed,
    decides,
    dtypes_of,
    function_of,
    number_of,
    shape_of,
    sizes_of,
    weak_of,
)
from opweld.dtypes import dtype_of
from opweld.generic import generic
from opweld.graph.basic import Apply, Constant, Variable
from opweld.hooks.classes import COp
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import TensorLike
from opweld.tensor.operators import functions
from opweld.tensor.type import TensorType

__all__ = ["CORE_ID", "Cop", "Written", "ctype", "definitions", "op_of", "type_of"]

CORE_ID = "OPW_COP_ID"  # where the engine's text has the kernel's name
_PARTS = {"complex64": "float", "complex128": "double", "clongdouble": "long double"}


class Written:
    """What the texts of a short form say to the compiler, for each op that is made of them."""

    said: Said
    text: Text
    place: Place

    def c_support_code(self) -> list[str]:
        """Give what short forms share, and the support code."""
        own = f'#line 1 "{self.said.name}/support"\n{self.said.support}\n' if self.said.support else ""
        return [*self.text.shared, *([own] if own else [])]

    def c_headers(self) -> list[str]:
        """Give the headers asked for; complex numbers need one in C++."""
        return ["<complex>", *self.said.headers] if self.said.lang == "c++" else list(self.said.headers)

    def c_header_dirs(self) -> list[str]:
        """Give what was asked for."""
        return list(self.said.header_dirs)

    def c_libraries(self) -> list[str]:
        """Give what was asked for."""
        return list(self.said.libraries)

    def c_lib_dirs(self) -> list[str]:
        """Give what was asked for."""
        return list(self.said.lib_dirs)

    def c_compile_args(self) -> list[str]:
        """Give what was asked for."""
        return list(self.said.args)

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Say that the texts are all that counts."""
        return (1,)

    def _fragment_files(self) -> dict[str, Source | str]:
        """Where the names of ``#line`` lie in the user's files."""
        parts = {"body": self.said.body, "support": self.said.support}
        return {part: Source(self.place, part, text) for part, text in parts.items() if text} | dict(self.place.files)


class Cop(Written, COp):
    """The op of a short form; made by `opweld.cop`, each of a class of its own that has its name.

    Attributes
    ----------
    said : Said
        What it was made of.
    text : Text
        What the engine has made of that.
    python : callable or None
        What `perform` calls.
    in_place : bool
        What is changed is the input itself, as in a call on arrays; False: a copy of it.
    """

    c_float16 = True

    def __init__(
        self, said: Said, text: Text, place: Place, python: Callable[..., Any] | None, in_place: bool = False
    ) -> None:
        self.said = said
        self.text = text
        self.place = place
        self.python = python
        self.c_lang = said.lang
        self.in_place = in_place and bool(text.signature.changed)
        if self.in_place:
            count = len(text.signature.outputs)
            self.destroy_map = {count + k: [i] for k, i in enumerate(text.signature.changed)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cop) and self.said == other.said and self.in_place == other.in_place

    def __hash__(self) -> int:
        return hash((Cop, self.said, self.in_place))

    def working_in_place(self) -> Cop:
        """Give the op that writes over what it changes."""
        return type(self)(self.said, self.text, self.place, self.python, True)

    def __str__(self) -> str:
        return self.said.name

    __repr__ = __str__

    def __reduce__(self) -> Any:
        return remade, (self.said, self.place, self.python, self.in_place)

    # ---- nodes ----

    def make_node(self, *inputs: Any) -> Apply:
        """Build the node: inputs of the signature's dtypes and dimensions, cast where that is safe.

        Parameters
        ----------
        *inputs : Variable or array_like
            All inputs, but for the last that have defaults.

        Returns
        -------
        Apply
            After the outputs come the new values of what is changed.
        """
        name, signature = self.said.name, self.text.signature
        wanted = signature.inputs
        missing = [a for a in wanted[len(inputs) :] if a.value is None]
        if len(inputs) > len(wanted) or missing:
            raise TypeError(
                f"{name}() takes {len(wanted)} inputs ({', '.join([a.name for a in wanted])}), got {len(inputs)}"
            )
        given = [*inputs, *[number_of(argument) for argument in wanted[len(inputs) :]]]
        types = dtypes_of(name, signature, [type_of(name, a, x) for a, x in zip(wanted, given)])
        variables = [self._input(a, x, types.get(a.dtype, a.dtype)) for a, x in zip(wanted, given)]
        shapes = [getattr(v.type, "shape", ()) for v in variables]
        known = sizes_of(signature, shapes, lambda i: _constant(variables[i]))
        outputs = [TensorType(types.get(a.dtype, a.dtype), shape_of(a, known))() for a in signature.outputs]
        return Apply(self, variables, outputs + [variables[i].type() for i in signature.changed])

    def _input(self, argument: Argument, value: TensorLike, dtype: str) -> Any:
        if dtype == FUNCTION:
            return value if isinstance(value, Variable) else Constant(generic, function_of(value))
        name = f"{self.said.name}: {argument.name}"
        weak = type(value) in WEAK
        variable: Any = as_tensor_variable(weak_of(self.said.name, argument.name, value, dtype) if weak else value)  # type: ignore[arg-type]
        if variable.type.ndim != len(argument.dims):
            raise TypeError(f"{name} has {variable.type.ndim} dimensions, and the signature {len(argument.dims)}")
        have = variable.type.dtype
        if have == dtype:
            return variable
        if not np.can_cast(dtype_of(have).np, dtype_of(dtype).np, "safe"):
            raise TypeError(f"{name} is of dtype {have}, which is not cast safely to {dtype}; call cast(x, {dtype!r})")
        return functions.cast(variable, dtype)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Sequence[Any]]) -> list[Any]:
        """Give the sizes of the outputs, as the signature says them."""
        signature = self.text.signature
        known = sizes_of(signature, shapes, lambda i: functions.cast(node.inputs[i], "int64"))
        least, most = functions.minimum, functions.maximum
        sized = [tuple([computed(d, known, least, most) for d in a.dims]) for a in signature.outputs]
        return [*sized, *[shapes[i] for i in signature.changed]]

    # ---- C ----

    def _dtypes(self, node: Apply) -> dict[str, str]:
        """What the type variables are in a node."""
        signature = self.text.signature
        inputs = {a.dtype: v.type for a, v in zip(signature.inputs, node.inputs)}
        return {variable: inputs[variable].dtype for variable in signature.types}

    def c_support_code_apply(self, node: Apply, name: str) -> str:
        """Give the functions, between the definitions of the type variables."""
        return definitions(self.text.text.replace(CORE_ID, name), self._dtypes(node), self.said.lang)

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Give the call; what is changed is copied before it, unless the op works in place."""
        taken, copies = list(input_names), ""
        if not self.in_place:
            for k, i in enumerate(self.text.signature.changed, len(self.text.signature.outputs)):
                copies += f"opw_cop_copy(&{output_names[k]}, (PyArrayObject *)({input_names[i]})) || "
                taken[i] = output_names[k]
        return f"if ({copies}{self.text.call.replace(CORE_ID, name).format(*taken, *output_names)}) {sub['fail']}\n"

    # ---- Python ----

    def has_perform(self) -> bool:
        """Say whether there is a function in Python."""
        return self.python is not None

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Call the function in Python; an array that is changed is its own to change."""
        assert self.python is not None
        signature = self.text.signature
        if not self.in_place:
            inputs = [x.copy() if a.inout else x for a, x in zip(signature.inputs, inputs)]
        numbers = [not a.dims and a.dtype != FUNCTION for a in signature.inputs]
        found = self.python(*[x[()] if number else x for number, x in zip(numbers, inputs)])
        outputs = signature.outputs
        made = (found,) if len(outputs) == 1 else () if found is None else found
        if not isinstance(made, (tuple, list)) or len(made) != len(outputs):
            gave = len(made) if isinstance(made, (tuple, list)) else type(found).__name__
            wanted = f"a tuple of {len(outputs)}" if outputs else "None: it changes its arguments"
            raise ValueError(f"{self}: perform gave {gave}, expected {wanted}")
        for cell, value, variable in zip(output_storage, made, node.outputs):
            array = np.asarray(value, dtype_of(variable.type.dtype).np)
            shared = any([np.may_share_memory(array, x) for x in inputs if isinstance(x, np.ndarray)])
            cell[0] = array.copy() if shared else array
        for cell, i in zip(output_storage[len(outputs) :], signature.changed):
            cell[0] = inputs[i]


def ctype(dtype: str, lang: str) -> str:
    """Give the C type of a dtype."""
    if dtype in _PARTS:
        return f"std::complex<{_PARTS[dtype]}>" if lang == "c++" else f"{_PARTS[dtype]} _Complex"
    return f"npy_{dtype}"


def definitions(text: str, types: dict[str, str], lang: str) -> str:
    """Put a text between the definitions of the type variables."""
    define = [f"#define {variable} {ctype(dtype, lang)}\n" for variable, dtype in types.items()]
    define += [f"#define opw_num_{variable} {dtype_of(dtype).enum}\n" for variable, dtype in types.items()]
    undefine = [f"#undef {variable}\n#undef opw_num_{variable}\n" for variable in types]
    return "".join([*define, text, *undefine])


def op_of(said: Said, text: Text, place: Place, python: Callable[..., Any] | None) -> Cop:
    """Make the op, of a class that has its name: by it messages of the compiler call it."""
    cls = type(said.name, (Cop,), {"__module__": Cop.__module__, "__slots__": ()})
    made: Cop = cls(said, text, place, python)
    return made


def remade(said: Said, place: Place, python: Callable[..., Any] | None, in_place: bool) -> Cop:
    """Make an op again that was pickled."""
    made = op_of(said, text_of(said), place, python)
    return made.working_in_place() if in_place else made


def type_of(name: str, argument: Argument, value: object) -> Any:
    """Say of a value or a variable what decides on dtypes, as `opweld.cops.types.decides` does."""
    if argument.dtype != FUNCTION and isinstance(value, Variable):
        if not isinstance(value.type, TensorType):
            raise TypeError(f"{name}: {argument.name} is {value} of type {value.type}, expected a tensor variable")
        return dtype_of(value.type.dtype).np
    return decides(argument, value)


def _constant(variable: Variable) -> int | None:
    return int(variable.data) if isinstance(variable, Constant) and variable.type.ndim == 0 else None
