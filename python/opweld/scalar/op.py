"""ScalarOp: what is computed of one element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from opweld.dtypes import dtype_of
from opweld.errors import MethodNotDefined, _what
from opweld.graph.basic import Apply, Variable
from opweld.graph.type import tolerances
from opweld.hooks.classes import COp
from opweld.promotion import Spec, check_arity, number, weak_kind
from opweld.rooms import late
from opweld.scalar.type import ScalarType, as_scalar, common_dtype, get_scalar_type

if TYPE_CHECKING:
    from opweld.schema import InstructionFields

__all__ = ["Body", "ScalarOp", "StructuredScalarOp"]

reading: Any = late("opweld.hooks.reading")  # a graph that is remembered asks no hook


class Body:
    """The work on one element as data (docs/program.md): instructions, which values come out, and their dtypes."""

    __slots__ = ("dtypes", "instructions", "results")

    def __init__(self, instructions: list[InstructionFields], results: list[int], dtypes: tuple[str, ...]) -> None:
        self.instructions = instructions
        self.results = results
        self.dtypes = dtypes


class ScalarOp(COp):
    """What is computed of one element: applied to scalars by itself, to arrays by `opweld.tensor.Elemwise`.

    A subclass writes `impl` in Python, or `c_code` in C, or both, and says which dtypes come out: by `output_types`, or
    by an `output_types_preference`.

    Parameters
    ----------
    output_types_preference : callable, optional
        Gives the output types for the input types, such as `opweld.scalar.upcast_out`.
    name : str, optional
        What the op is called in messages.

    Attributes
    ----------
    nin, nout : int
        Number of inputs and outputs; a negative `nin` is any number.

    Examples
    --------
    >>> class Half(opweld.scalar.ScalarOp):
    ...     impl = lambda self, x: x / 2
    >>> float(opweld.function([], Half(opweld.scalar.upgrade_to_float)(3.0))())
    1.5
    """

    nin = -1
    nout = 1
    name: str | None = None

    def __init__(self, output_types_preference: object = None, name: str | None = None) -> None:
        if output_types_preference is not None:
            if not callable(output_types_preference):
                raise TypeError(
                    f"{type(self).__name__}: output_types_preference must be a function of types, such as "
                    f"opweld.scalar.upcast_out, got {_what(output_types_preference)}"
                )
            self.output_types_preference = output_types_preference
        self.name = name

    def __str__(self) -> str:
        return self.name or super().__str__()

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in ("_nodes", "_bodies")}

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give the output types.

        Parameters
        ----------
        types : list of ScalarType
            Those of the inputs.

        Returns
        -------
        list of ScalarType
            Unless it is overridden, what ``output_types_preference`` gives.

        Raises
        ------
        TypeError
            Where the op cannot be applied to these.
        """
        preference = getattr(self, "output_types_preference", None)
        if preference is None:
            raise NotImplementedError(
                f"{self}: write output_types, or pass an output_types_preference such as opweld.scalar.upcast_out"
            )
        found = preference(*types)
        if not isinstance(found, (list, tuple)):
            raise TypeError(f"{self}: output_types_preference must give a list of types, got {_what(found)}")
        return list(found)

    def impl(self, *inputs: Any) -> Any:
        """Compute one element in Python.

        Parameters
        ----------
        *inputs : numpy.generic
            Numbers of the inputs' dtypes.

        Returns
        -------
        number or tuple of number
            The output; of several outputs a tuple.
        """
        raise MethodNotDefined(f"{self} has no impl")

    def make_node(self, *inputs: Any) -> Apply:
        """Build the node that applies this op to scalars.

        Parameters
        ----------
        *inputs : Variable or number
            Of `ScalarType`.

        Returns
        -------
        Apply
        """
        self.check_arity(len(inputs))
        spec = tuple([getattr(x.type, "dtype", None) if isinstance(x, Variable) else weak_kind(x) for x in inputs])
        op: ScalarOp = self
        values: list[Any] = list(inputs)
        if any(isinstance(entry, type) for entry in spec):
            spec = tuple([dtype_of(np.asarray(x).dtype).name if s is None else s for s, x in zip(spec, values)])
            op, values = self.strengthen(spec, values)
        variables = [as_scalar(value) for value in values]
        types = op.types([variable.type for variable in variables])
        return Apply(op, variables, [type_() for type_ in types])

    def check_arity(self, given: int) -> None:
        """Refuse a wrong number of inputs.

        Parameters
        ----------
        given : int
            Their number.
        """
        check_arity(self, self.nin, given)

    def types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Ask `output_types`, and check what it gives.

        Parameters
        ----------
        types : list of ScalarType
            Those of the inputs.

        Returns
        -------
        list of ScalarType
        """
        found = list(self.output_types(types))
        for type_ in found:
            if not isinstance(type_, ScalarType):
                raise TypeError(f"{self}: output_types must give ScalarTypes, got {_what(type_)}")
        if len(found) != self.nout:
            raise TypeError(f"{self}: output_types gave {len(found)} types for {self.nout} outputs")
        return found

    def output_dtypes(self, dtypes: tuple[str, ...]) -> tuple[str, ...]:
        """Give the outputs' dtypes.

        Parameters
        ----------
        dtypes : tuple of str
            Those of the inputs.

        Returns
        -------
        tuple of str
        """
        return tuple([output.type.dtype for output in self.scalar_node(dtypes).outputs])

    def scalar_node(self, dtypes: tuple[str, ...]) -> Apply:
        """Give the node that `c_code` and its like are asked with: this op, applied to scalars of these dtypes.

        Parameters
        ----------
        dtypes : tuple of str
            Those of the inputs.

        Returns
        -------
        Apply
            The same each time.
        """
        nodes: dict[tuple[str, ...], Apply] = self.__dict__.setdefault("_nodes", {})
        found = nodes.get(dtypes)
        if found is None:
            self.check_arity(len(dtypes))
            types = [get_scalar_type(dtype) for dtype in dtypes]
            inputs = [type_() for type_ in types]
            outputs = [type_() for type_ in self.types(types)]
            found = nodes[dtypes] = Apply(self, inputs, outputs)
        return found

    def strengthen(self, spec: Spec, values: list[Any]) -> tuple[ScalarOp, list[Any]]:
        """Give Python's numbers among the inputs a dtype.

        Parameters
        ----------
        spec : Spec
            The dtypes of the other inputs, and the classes of these.
        values : list
            The inputs.

        Returns
        -------
        op : ScalarOp
            What is then to be applied: mostly this op.
        values : list
            With NumPy scalars in place of Python's numbers.
        """
        dtype = common_dtype(spec)
        return self, [number(value, dtype) if isinstance(s, type) else value for s, value in zip(spec, values)]

    def body(self, dtypes: tuple[str, ...]) -> Body:
        """Give the work on one element as data.

        Parameters
        ----------
        dtypes : tuple of str
            Those of the inputs.

        Returns
        -------
        Body
            Not to be changed. An op of the library's gives the same each time; a user's is asked anew, for what it
            writes may depend on attributes that have changed.

        Raises
        ------
        MethodNotDefined
            If the op is written in Python only, or its C is not for these dtypes.
        TypeError
            If its C is not for these dtypes, and there is no `impl`.
        """
        return self.make_body(dtypes)

    def make_body(self, dtypes: tuple[str, ...]) -> Body:
        """Write what `body` gives: one instruction that holds the op's C.

        Parameters
        ----------
        dtypes : tuple of str
            Those of the inputs.

        Returns
        -------
        Body
        """
        node = self.scalar_node(dtypes)
        results = list(range(len(dtypes), len(dtypes) + len(node.outputs)))
        names = [f"opw_V{i}" for i in range(len(dtypes) + len(results))]
        inputs, outputs = names[: len(dtypes)], names[len(dtypes) :]
        text = reading.scalar_code(self, node, inputs, outputs)
        made = tuple([output.type.dtype for output in node.outputs])
        code: InstructionFields = {
            "op": "code", "label": reading.label_of(type(self).__name__), "args": list(range(len(dtypes))),
            "dtypes": list(made), "code": text,
        }  # fmt: skip
        return Body([code], results, made)

    def has_perform(self) -> bool:
        """Say whether the op can be run in Python: whether `impl` is written, or what asks for it."""
        written = (("impl", ScalarOp.impl), ("compute", ScalarOp.compute), ("perform", ScalarOp.perform))
        return any(getattr(getattr(self, name), "__func__", None) is not method for name, method in written)

    def c_code_contiguous(self, *_: object) -> str:
        """Refuse: loops are the engine's own.

        Raises
        ------
        MethodNotDefined
            Always.
        """
        raise MethodNotDefined(f"{self} has no c_code_contiguous")

    c_code_contiguous_raw = c_code_contiguous

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Compute one element in Python."""
        dtypes = [output.type.dtype for output in node.outputs]
        found = self.compute([np.asarray(value) for value in inputs], dtypes)
        for cell, value in zip(output_storage, found):
            cell[0] = value[()]

    def compute(self, arrays: list[Any], dtypes: list[str]) -> list[np.ndarray[Any, Any]]:
        """Compute each element of arrays in Python; NumPy's warnings are not given.

        Parameters
        ----------
        arrays : list of numpy.ndarray
            The inputs; they are broadcast.
        dtypes : list of str
            Those of the outputs.

        Returns
        -------
        list of numpy.ndarray
            New arrays.
        """
        spread = np.broadcast_arrays(*arrays) if arrays else []
        shape = spread[0].shape if spread else ()
        made = [np.empty(shape, dtype_of(dtype).np) for dtype in dtypes]
        flat = [array.reshape(-1) for array in made]  # views: `made` is contiguous
        with np.errstate(all="ignore"):
            for place, numbers in enumerate(zip(*[array.flat for array in spread]) if spread else [()]):
                found = self.impl(*numbers)
                for cells, value in zip(flat, found if len(made) != 1 else (found,), strict=True):
                    cells[place] = value
        return made


class StructuredScalarOp(ScalarOp):
    """A `ScalarOp` of the library's, whose `make_body` writes no C but what the engine knows."""

    def debug_tolerance(self, node: Apply, inputs: list[Any]) -> Any:
        """Say that nothing is rounded."""
        return tolerances.EXACT

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of what `make_body` writes, which is itself part of every key."""
        return (1,)

    def body(self, dtypes: tuple[str, ...]) -> Body:
        """Give the work on one element as data; as `ScalarOp.body`, and kept."""
        bodies: dict[tuple[str, ...], Body] = self.__dict__.setdefault("_bodies", {})
        found = bodies.get(dtypes)
        if found is None:
            found = bodies[dtypes] = super().body(dtypes)
        return found
