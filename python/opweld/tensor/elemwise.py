"""Elemwise: a scalar op on arrays, element by element, after NumPy's broadcasting."""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from opweld.dtypes import shape_text
from opweld.errors import MethodNotDefined, _what
from opweld.graph.basic import Apply, Variable
from opweld.graph.op import Op
from opweld.operations import NAMES
from opweld.promotion import Rule, rule, weak_kind
from opweld.rooms import late, loaded
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.type import tensor_type
from opweld.tensor.variable import TensorVariable

if TYPE_CHECKING:
    from opweld.scalar.op import ScalarOp
    from opweld.schema import LoopFields, SinkFields
    from opweld.tensor.likes import TensorLike

__all__ = ["Elemwise", "OfScalar", "broadcast_shape", "documented"]

# A function of NumPy's is applied by its rule; what is computed of one element is asked for by who writes C.
scalars: Any = late("opweld.scalar.ufuncs")  # a graph that is remembered does without

Shape = tuple[int | None, ...]
_OWN = {"scalar_op", "_named", "inplace", "destroy_map", "name", "c_lang", "gil", "_over", "__doc__"}
_INPUTS = {1: ("x",), 2: ("x1", "x2"), 3: ("x1", "x2", "x3")}  # what docstrings call them


class OfScalar:
    """A hook about module and build that is the scalar op's own."""

    @classmethod
    def several(cls, count: int) -> list[Any]:
        """Make some, to be given names."""
        return [cls() for _ in range(count)]

    def __set_name__(self, owner: type, name: str) -> None:
        self._of = attrgetter(f"scalar_op.{name}")

    def __get__(self, op: object, owner: type | None = None) -> Any:
        return self if op is None else self._of(op)


class Elemwise(Op):
    """A scalar op on arrays, element by element.

    Inputs of any number of dimensions are broadcast as NumPy does, also where sizes are known only at run time.
    Python's numbers are weak: they take the dtype that the arrays beside them suggest.

    Parameters
    ----------
    scalar_op : ScalarOp or Rule
        What is computed of one element. The rule of one of NumPy's functions stands for that function.
    inplace_pattern : dict of int to int, optional
        Which output is written over which input, where its dtype and, at run time, its shape allow.
    name : str, optional
        What the op is called in messages.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> add = T.Elemwise(opweld.scalar.add)
    >>> opweld.function([x], add(x, 1.5))([1.0, 2.0])
    array([2.5, 3.5])
    """

    __props__ = ("scalar_op", "inplace")

    _named = ""  # the function of NumPy's, where the scalar op need not have been loaded

    def __init__(self, scalar_op: ScalarOp | Rule, inplace_pattern: Any = None, name: str | None = None) -> None:
        if isinstance(scalar_op, Rule):
            self._named = scalar_op.name
        elif isinstance(scalar_op, scalars.ScalarOp):
            self.scalar_op = scalar_op
            self.c_lang = scalar_op.c_lang
            self.gil = scalar_op.gil
        else:
            raise TypeError(f"Elemwise: expected a ScalarOp, got {_what(scalar_op)}")
        pairs = []
        for out, source in (inplace_pattern or {}).items():
            pairs.append((int(out), int(source[0] if isinstance(source, (list, tuple)) else source)))
        self.inplace: tuple[tuple[int, int], ...] = tuple(sorted(pairs))
        self.destroy_map = {out: [source] for out, source in self.inplace}
        self.name = name

    @cached_property
    def scalar_op(self) -> ScalarOp:
        """What is computed of one element."""
        if not self._named:
            raise AttributeError(f"this {type(self).__name__} has no scalar_op", name="scalar_op", obj=self)
        return scalars.ufunc(self._named)  # type: ignore[no-any-return]

    @property
    def applied(self) -> ScalarOp | Rule:
        """The scalar op, or the rule that stands for it as long as no scalar op is loaded."""
        if self._named and "scalar_op" not in self.__dict__ and not loaded(scalars):
            return rule(self._named)
        return self.scalar_op

    if TYPE_CHECKING:

        def __call__(self, *inputs: TensorLike, **kwargs: Any) -> TensorVariable:
            """Apply the op; of several outputs the result is a list, as `Op.__call__` says."""

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        return f"Elemwise{{{self.scalar_op}{', inplace' if self.inplace else ''}}}"

    def __repr__(self) -> str:
        return str(self)

    c_support_code, c_init_code, c_headers, c_header_dirs, c_libraries, c_lib_dirs = OfScalar.several(6)
    c_compile_args, c_no_compile_args, c_compiler, c_code_cache_version = OfScalar.several(4)

    def settled(self) -> bool:
        """Say whether the scalar op is the library's, and nothing was hung onto this one that it might be asked for."""
        inner = self.scalar_op
        ours = isinstance(inner, scalars.StructuredScalarOp) and type(inner).__module__.startswith("opweld.scalar.")
        return ours and self.__dict__.keys() <= _OWN

    @property
    def _fragment_files(self) -> Any:
        return getattr(self.scalar_op, "_fragment_files", None)

    def __getstate__(self) -> dict[str, Any]:
        kept = {key: value for key, value in self.__dict__.items() if key != "_over"}
        if self._named and loaded(scalars):  # the name says all, but of a scalar op that somebody changed
            kept["scalar_op"] = self.scalar_op
            if scalars.as_written(self.scalar_op, self._named):
                del kept["scalar_op"]
        return kept

    def over(self, pattern: dict[int, int]) -> Elemwise:
        """Give the op that writes outputs over inputs.

        Parameters
        ----------
        pattern : dict of int to int
            Which output over which input.

        Returns
        -------
        Elemwise
            The same each time.
        """
        kept: dict[tuple[tuple[int, int], ...], Elemwise] = self.__dict__.setdefault("_over", {})
        key = tuple(pattern.items())
        found = kept.get(key)
        if found is None:
            found = kept[key] = Elemwise(self.applied, pattern, self.name)
        return found

    @property
    def inplace_pattern(self) -> dict[int, int]:
        """Which output is written over which input."""
        return dict(self.inplace)

    @property
    def nin(self) -> int:
        """Number of inputs; negative: any."""
        return self.applied.nin

    @property
    def nout(self) -> int:
        """Number of outputs."""
        return self.applied.nout

    def make_node(self, *inputs: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        *inputs : Variable or array_like
            As many as the scalar op takes.

        Returns
        -------
        Apply
            The outputs have the dtypes of the scalar op's and the broadcast shape, as far as it is known.

        Raises
        ------
        TypeError
            If the scalar op cannot be applied to these dtypes.
        OverflowError
            If one of Python's integers does not fit into the dtype that it must take.
        ValueError
            If shapes are known not to broadcast.
        """
        op: Elemwise = self
        applied = op.applied
        applied.check_arity(len(inputs))
        found: list[Any] = []
        spec: list[Any] = []
        weak = False
        for x in inputs:
            kind = None if isinstance(x, Variable) else weak_kind(x)
            if kind is None:
                x = as_tensor_variable(x)
                spec.append(x.type.dtype)
            else:
                spec.append(kind)
                weak = True
            found.append(x)
        if weak:
            strong, found = applied.strengthen(tuple(spec), found)
            found = [as_tensor_variable(x) for x in found]
            spec = [x.type.dtype for x in found]
            if strong is not applied:
                op, applied = Elemwise(strong, op.inplace_pattern), strong
        dtypes = applied.output_dtypes(tuple(spec))
        shape = broadcast_shape(op, [x.type.shape for x in found])
        for out, source in op.inplace:
            if dtypes[out] != spec[source]:
                raise TypeError(
                    f"{op}: output {out} is {dtypes[out]}, so it cannot be written over input {source}, "
                    f"{found[source]}, of dtype {spec[source]}"
                )
        return Apply(op, found, [tensor_type(dtype, shape)() for dtype in dtypes])

    def has_perform(self) -> bool:
        """Say whether the op can be run in Python: as the scalar op can, where no class writes another `perform`."""
        return getattr(self.perform, "__func__", None) is not Elemwise.perform or self.applied.has_perform()

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Compute by NumPy, or by the scalar op's `impl` for each element."""
        dtypes = [output.type.dtype for output in node.outputs]
        made = self.scalar_op.compute(inputs, dtypes)
        for out, source in self.inplace:
            if inputs[source].shape == made[out].shape:
                np.copyto(inputs[source], made[out])
                made[out] = inputs[source]
        for cell, array in zip(output_storage, made):
            cell[0] = array

    def debug_tolerance(self, node: Apply, inputs: list[Any]) -> Any:
        """Ask the scalar op."""
        return self.scalar_op.debug_tolerance(node, inputs)

    def structure(self, node: Apply) -> dict[str, LoopFields] | None:
        """Give the work as data, for the engine's loops (docs/program.md).

        Parameters
        ----------
        node : Apply
            The node.

        Returns
        -------
        dict or None
            Under ``loop``; None: the scalar op is written in Python only.
        """
        try:
            body = self.scalar_op.body(tuple([x.type.dtype for x in node.inputs]))
        except MethodNotDefined:
            return None
        outputs: list[SinkFields] = [{"value": value} for value in body.results]
        for out, source in self.inplace:
            outputs[out]["over"] = source
        return {"loop": {"body": body.instructions, "outputs": outputs}}

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the sizes, unless several inputs have a say in one that is known only at run time."""
        known: Shape = node.outputs[0].type.shape
        shape: list[Any] = []
        for axis, size in enumerate(known):
            if size is None:
                told: dict[Variable, Any] = {}
                for x, sizes in zip(node.inputs, input_shapes):
                    own = axis - len(known) + len(sizes)
                    if own >= 0 and x.type.shape[own] is None:
                        told[x] = sizes[own]
                if len(told) != 1:
                    raise NotImplementedError
                size = next(iter(told.values()))
            shape.append(size)
        return [tuple(shape)] * len(node.outputs)

    def c_support_code_apply(self, node: Apply, name: str) -> str:
        """Write what the scalar op writes for the dtypes of a node."""
        dtypes = tuple([x.type.dtype for x in node.inputs])
        return self.scalar_op.c_support_code_apply(self.scalar_op.scalar_node(dtypes), name)

    def c_init_code_apply(self, node: Apply, name: str) -> str:
        """Write what the scalar op writes for the dtypes of a node."""
        dtypes = tuple([x.type.dtype for x in node.inputs])
        return self.scalar_op.c_init_code_apply(self.scalar_op.scalar_node(dtypes), name)

    def c_code_cache_version_apply(self, node: Apply) -> tuple[Any, ...]:
        """Give what the scalar op gives for the dtypes of a node."""
        dtypes = tuple([x.type.dtype for x in node.inputs])
        return self.scalar_op.c_code_cache_version_apply(self.scalar_op.scalar_node(dtypes))


def broadcast_shape(op: object, shapes: list[Shape]) -> Shape:
    """Find what is known of a broadcast shape.

    Parameters
    ----------
    op : Op
        For messages.
    shapes : list of tuple of (int or None)
        Those of the inputs; None: unknown, and may turn out 1.

    Returns
    -------
    tuple of (int or None)

    Raises
    ------
    ValueError
        If two sizes are known to differ, and neither is 1.
    """
    first = shapes[0] if shapes else ()
    if all(shape == first for shape in shapes):
        return first
    ndim = max([len(shape) for shape in shapes])
    found: list[int | None] = [1] * ndim
    for shape in shapes:
        for axis, size in enumerate(shape, ndim - len(shape)):
            have = found[axis]
            if size == have or size == 1:
                continue
            if have == 1 or have is None:
                found[axis] = size
            elif size is not None:
                texts = " ".join(map(shape_text, shapes))
                raise ValueError(
                    f"{op}: operands could not be broadcast together with shapes {texts}: along axis {axis} of the "
                    f"result sizes {have} and {size} meet; make them equal, or one of them 1"
                )
    return tuple(found)


def documented(op: ScalarOp | Rule, summary: str, shown: str, name: str = "") -> Elemwise:
    """Apply a scalar op to tensors, with a docstring.

    Parameters
    ----------
    op : ScalarOp or Rule
        Named as NumPy names the function, if it has it.
    summary : str
        What it does, in a sentence.
    shown : str
        An example, as ``"[1, 2]; [3, 4] = array([4, 6])"``: its arguments, and what it gives.
    name : str, optional
        What `opweld.tensor` calls it, if it is not the op's name.

    Returns
    -------
    Elemwise
    """
    made = Elemwise(op)
    names = ", ".join(_INPUTS[op.nin])
    numpy = "\n    Of numbers." if op.nin == 1 else "\n    They are broadcast."
    name = name or op.name or type(op).__name__.lower()
    if name in NAMES or name == "where":
        numpy = f"\n    As ``numpy.{name}``; broadcast." if op.nin > 1 else f"\n    As for ``numpy.{name}``."
    result = "TensorVariable" if op.nout == 1 else "list of TensorVariable"
    made.__doc__ = (
        f"{summary}\n\nParameters\n----------\n{names} : Variable or array_like{numpy}\n\n"
        f"Returns\n-------\n{result}\n    Of the dtype that NumPy gives.\n\n"
        f"Examples\n--------\n{_example(name, shown)}"
    )
    return made


def _example(name: str, shown: str) -> str:
    """Write an example as it would be typed."""
    given, result = shown.split(" = ")
    arguments = given.split("; ")
    names = "xyz"[: len(arguments)]
    made = []
    for letter, argument in zip(names, arguments, strict=True):
        kind = "z" if "j" in argument else "d" if "." in argument else "l"
        made.append(f'>>> {letter} = T.{kind}vector("{letter}")\n')
    call = f"T.{name}({', '.join(names)})"
    return f"{''.join(made)}>>> opweld.function([{', '.join(names)}], {call})({', '.join(arguments)})\n{result}\n"
