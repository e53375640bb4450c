"""``expr("x*y + sin(x)")``: a scalar op from the text of an expression (docs/expressions.md).

The engine parses the text, and the answer is kept in the cache; here dtypes are decided, by the same scalar ops that
the names stand for elsewhere, so an expression gives what its parts applied one after another give.
"""

from __future__ import annotations

import functools
import json
import keyword
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from opweld.answers import answer, engine
from opweld.dtypes import dtype_of, number_text
from opweld.errors import ExpressionError, _what
from opweld.graph.basic import Apply, Variable
from opweld.promotion import short_power
from opweld.scalar.basic import Clip, Identity, Imag, Real, Where
from opweld.scalar.folding import Number, Operand, Place, Step, fold, located
from opweld.scalar.op import Body, ScalarOp, StructuredScalarOp
from opweld.scalar.type import ScalarType, get_scalar_type
from opweld.scalar.ufuncs import ufunc
from opweld.tensor.elemwise import Elemwise
from opweld.tolerances import EXACT, Tolerance, magnitude

if TYPE_CHECKING:
    from opweld.schema import InstructionFields

__all__ = ["Expression", "expr"]

_UFUNCS = {
    ("+", 2): "add", ("-", 2): "subtract", ("*", 2): "multiply", ("/", 2): "divide", ("//", 2): "floor_divide",
    ("%", 2): "remainder", ("**", 2): "power", ("pow", 2): "power", ("<<", 2): "left_shift", (">>", 2): "right_shift",
    ("&", 2): "bitwise_and", ("|", 2): "bitwise_or", ("^", 2): "bitwise_xor", ("<", 2): "less",
    ("<=", 2): "less_equal", (">", 2): "greater", (">=", 2): "greater_equal", ("==", 2): "equal",
    ("!=", 2): "not_equal", ("+", 1): "positive", ("-", 1): "negative", ("~", 1): "invert", ("abs", 1): "absolute",
    ("not", 1): "logical_not", ("min", 2): "minimum", ("max", 2): "maximum", ("round", 1): "rint",
}  # fmt: skip
_OTHERS: dict[str, ScalarOp] = {"if": Where(), "where": Where(), "clip": Clip(), "real": Real(), "imag": Imag()}
_IDENTITY = Identity()
_ANSWERED = frozenset(("args", "body", "results"))
_SHOWN = 80  # characters of a text that messages call an expression by


def expr(text: str, args: Iterable[str] | None = None) -> Expression:
    """Make a scalar op of the text of an expression.

    Parameters
    ----------
    text : str
        As Python writes it: ``"x*y + sin(x)"``, ``"lambda x, y: x if x < y else y"``, or several lines, of which the
        last is the value.
    args : iterable of str, optional
        The arguments' names, in order; left out: the order in which they first occur in the text.

    Returns
    -------
    Expression
        Called on tensors, ``op(a, b)`` or ``op(x=a, y=b)``, it is applied element by element; ``Elemwise(op)`` takes
        it too.

    Raises
    ------
    ExpressionError
        If the text is no expression: a `ValueError` that shows the line, with a caret under the column.

    Examples
    --------
    >>> saxpy = opweld.scalar.expr("a*x + y", args=["a", "x", "y"])
    >>> x, y = T.dvector("x"), T.dvector("y")
    >>> opweld.function([x, y], saxpy(2.0, x, y))([1.0, 2.0], [10.0, 20.0])
    array([12., 24.])
    """
    if not isinstance(text, str):
        raise TypeError(f"expr: expected the text of an expression, got {_what(text)}")
    return _expression(text, None if args is None else _names(args))


def _names(args: Iterable[str]) -> tuple[str, ...]:
    """The names given, checked."""
    if isinstance(args, str):
        raise TypeError(f"expr: args is the string {args!r}, expected a list of names")
    names = tuple(args)
    for name in names:
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
            raise ValueError(f"expr: args: {name!r} is no name that an argument can have")
    if len(set(names)) != len(names):
        raise ValueError(f"expr: args: a name occurs twice in {list(names)}")
    return names


@functools.lru_cache(maxsize=1024)
def _expression(text: str, args: tuple[str, ...] | None) -> Expression:
    answer = _parsed(text, args)
    for name in answer["args"]:
        if not unicodedata.is_normalized("NFKC", name):  # Python reads such names as others than they are written
            raise ExpressionError(f"opweld.scalar.expr: write {unicodedata.normalize('NFKC', name)!r} for {name!r}")
    if not answer["args"]:
        raise ExpressionError(f"opweld.scalar.expr: {text!r} has no argument: it is a constant")
    return Expression(text, tuple(answer["args"]), *fold(answer, text))


def _parsed(text: str, args: tuple[str, ...] | None) -> dict[str, Any]:
    """What the engine says the text means; from the cache, where it was asked before."""

    def ask() -> dict[str, Any]:
        try:
            return engine.parse(text, None if args is None else list(args))  # type: ignore[no-any-return]
        except ExpressionError as err:
            place = err.details["line"], err.details["column"]
            raise ExpressionError(located(text, place, str(err)), err.details) from None

    return answer("expr", 1, {"text": text, "args": json.dumps(args)}, _ANSWERED, ask)


class _Typed(NamedTuple):
    """The steps for arguments of certain dtypes."""

    ops: list[ScalarOp]
    inputs: list[list[Any]]  # of each op: numbers of values, or NumPy scalars
    dtypes: list[str]  # of all values
    results: list[Any]
    made: tuple[str, ...]


class Expression(StructuredScalarOp):
    """The scalar op of an expression; made by `expr`.

    Attributes
    ----------
    text : str
        As it was given.
    args : tuple of str
        The arguments' names, in order.
    """

    __props__ = ("nin", "steps", "results")

    def __init__(
        self, text: str, args: tuple[str, ...], steps: tuple[Step, ...], places: tuple[Place, ...],
        results: tuple[Operand, ...],
    ) -> None:  # fmt: skip
        super().__init__(name=_in_one_line(text))
        self.text = text
        self.args = args
        self.steps = steps
        self.places = places
        self.results = results
        self.nin = len(args)
        self.nout = len(results)

    def __reduce__(self) -> Any:
        return type(self), (self.text, self.args, self.steps, self.places, self.results)

    def __repr__(self) -> str:
        return f"expr({self.text!r}, args={list(self.args)!r})"

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Apply the expression, to tensors element by element.

        Parameters
        ----------
        *inputs : Variable or array_like
            The arguments, in order; to scalar variables, and numbers beside them, it is applied as any scalar op.
        **named : Variable or array_like
            The other arguments, by name.

        Returns
        -------
        Variable or list of Variable
            The one output, or all.

        Raises
        ------
        TypeError
            If an argument is missing, given twice or not known; if the operations cannot be applied to the dtypes.
        """
        values = self._bound(inputs, named)
        scalars = [isinstance(x.type, ScalarType) for x in values if isinstance(x, Variable)]
        if scalars and all(scalars):
            return super().__call__(*values)
        return Elemwise(self)(*values)

    def _bound(self, inputs: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        """The arguments in order, as Python binds them."""
        this = f"expr({self.text!r})"
        if len(inputs) > self.nin:
            raise TypeError(f"{this} takes {self.nin} arguments ({', '.join(self.args)}), got {len(inputs)}")
        values = dict(zip(self.args, inputs))
        for name, value in named.items():
            if name not in self.args:
                raise TypeError(f"{this} has no argument {name!r}; it has {', '.join(self.args)}")
            if name in values:
                raise TypeError(f"{this}: argument {name!r} is given twice")
            values[name] = value
        missing = [name for name in self.args if name not in values]
        if missing:
            raise TypeError(f"{this}: missing {', '.join(map(repr, missing))}")
        return [values[name] for name in self.args]

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give what NumPy gives for the operations one after another."""
        return [get_scalar_type(dtype) for dtype in self.output_dtypes(tuple([type_.dtype for type_ in types]))]

    def output_dtypes(self, dtypes: tuple[str, ...]) -> tuple[str, ...]:
        """Give what NumPy gives for the operations one after another."""
        return self._typed(dtypes).made

    def make_body(self, dtypes: tuple[str, ...]) -> Body:
        """Write the operations, with NumPy's casts between them."""
        typed = self._typed(dtypes)
        writer = _Writer(len(dtypes))
        numbers = list(range(len(dtypes)))
        for op, inputs in zip(typed.ops, typed.inputs):
            values = [writer.constant(x) if isinstance(x, np.generic) else numbers[x] for x in inputs]
            numbers.append(writer.splice(op.body(_dtypes_of(inputs, typed.dtypes)), values))
        results = [writer.constant(x) if isinstance(x, np.generic) else numbers[x] for x in typed.results]
        return Body(writer.instructions, results, typed.made)

    def impl(self, *inputs: Any) -> Any:
        """Compute by NumPy."""
        arrays = [np.asarray(x) for x in inputs]
        made = self._typed(tuple([dtype_of(array.dtype).name for array in arrays])).made
        found = [array[()] for array in self.compute(arrays, list(made))]
        return tuple(found) if self.nout != 1 else found[0]

    def compute(self, arrays: list[Any], dtypes: list[str]) -> list[np.ndarray[Any, Any]]:
        """Compute by NumPy, operation by operation."""
        typed = self._typed(tuple([dtype_of(array.dtype).name for array in arrays]))
        shape = np.broadcast_shapes(*[array.shape for array in arrays])
        values = self._values(typed, arrays)
        found: list[np.ndarray[Any, Any]] = []
        for x, dtype in zip(typed.results, dtypes):
            value = np.asarray(x) if isinstance(x, np.generic) else values[x]
            # Each output is an array of its own, as large as all inputs together make it.
            found.append(np.array(np.broadcast_to(value, shape), dtype=dtype_of(dtype).np))
        return found

    def _values(self, typed: _Typed, arrays: list[Any]) -> list[Any]:
        """The arguments, and after them what each operation gives."""
        values: list[Any] = list(arrays)
        for op, inputs, dtype in zip(typed.ops, typed.inputs, typed.dtypes[self.nin :]):
            given = [np.asarray(x) if isinstance(x, np.generic) else values[x] for x in inputs]
            values += op.compute(given, [dtype])
        return values

    def debug_tolerance(self, node: Apply, inputs: list[Any]) -> Any:
        """Allow for what the operations round, in units of the largest number on the way."""
        arrays = [np.asarray(x) for x in inputs]
        typed = self._typed(tuple([dtype_of(array.dtype).name for array in arrays]))
        nodes = [op.scalar_node(_dtypes_of(given, typed.dtypes)) for op, given in zip(typed.ops, typed.inputs)]
        if all(n.op.debug_tolerance(n, []).ulps == 0 for n in nodes):
            return EXACT
        floats = [dtype for dtype in typed.dtypes[self.nin :] if dtype_of(dtype).np.kind in "fc"]
        eps = max(np.finfo(dtype_of(dtype).np).eps for dtype in floats)
        largest: Any = 0
        with np.errstate(all="ignore"):
            for value in self._values(typed, arrays):
                size = magnitude(value)
                largest = np.maximum(largest, np.where(np.isfinite(size), size, 0))
        return Tolerance(None, 4 * len(nodes) * eps * largest)

    def _typed(self, dtypes: tuple[str, ...]) -> _Typed:
        """Decide each step's dtypes: the same each time."""
        plans: dict[tuple[str, ...], _Typed] = self.__dict__.setdefault("_plans", {})
        found = plans.get(dtypes)
        if found is None:
            self.check_arity(len(dtypes))
            found = plans[dtypes] = self._type(dtypes)
        return found

    def _type(self, dtypes: tuple[str, ...]) -> _Typed:
        known = list(dtypes)
        typed = _Typed([], [], known, [], ())
        for step, place in zip(self.steps, self.places):
            spec = tuple([_entry(operand, known) for operand in step.operands])
            try:
                op, inputs = _chosen(step, spec)
                made = op.output_dtypes(_dtypes_of(inputs, known))
            except (TypeError, OverflowError) as err:
                names = " and ".join([s if isinstance(s, str) else f"a Python {s.__name__}" for s in spec])
                message = f"{step.op!r} cannot be applied to {names}: {err}"
                raise (OverflowError if isinstance(err, OverflowError) else TypeError)(
                    located(self.text, place, message)
                ) from None
            typed.ops.append(op)
            typed.inputs.append(inputs)
            known.append(made[0])
        results = [_alone(x) if isinstance(x, Number) else x for x in self.results]
        return typed._replace(results=results, made=_dtypes_of(results, known))


def _in_one_line(text: str) -> str:
    """The text for labels and messages: without comments and line ends, not longer than a line."""
    shown = ""
    for row in text.splitlines():
        code = " ".join(row.partition("#")[0].split())
        goes_on = shown.endswith("\\") or shown.count("(") > shown.count(")")
        shown = shown.rstrip("\\").rstrip() + ("" if not shown or not code else " " if goes_on else "; ") + code
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "..."


def _entry(operand: Operand, known: list[str]) -> Any:
    """The dtype of an operand; of Python's numbers the class, as they are weak, but bool is a dtype."""
    if not isinstance(operand, Number):
        return known[operand]
    return "bool" if operand.kind == "bool" else type(operand.value)


def _chosen(step: Step, spec: tuple[Any, ...]) -> tuple[ScalarOp, list[Any]]:
    """The scalar op that does a step on operands of these dtypes, and its inputs: numbers of values, NumPy scalars."""
    operands: list[Any] = [_plain(operand) for operand in step.operands]
    op: ScalarOp
    if step.op == "**" and (power := _short_power(step.operands[1], spec[0])):
        return ufunc(power), operands[:1]
    if step.op in ("and", "or"):
        if spec == ("bool", "bool"):
            return ufunc("logical_" + step.op), operands
        first, second = operands
        operands = [first, second, first] if step.op == "and" else [first, first, second]
        spec = (spec[0], *([spec[1], spec[0]] if step.op == "and" else [spec[0], spec[1]]))
        op = _OTHERS["where"]
    elif step.op == "round" and dtype_of(spec[0]).np.kind in "iu":
        op = _IDENTITY
    else:
        op = _OTHERS.get(step.op) or ufunc(_UFUNCS.get((step.op, len(spec)), step.op))
    if any([isinstance(entry, type) for entry in spec]):
        op, operands = op.strengthen(spec, operands)
    return op, operands


def _short_power(exponent: Operand, base: object) -> str | None:
    """What NumPy's arrays compute in place of a power: x**2 is square(x), and of bool thereby int8."""
    return short_power(exponent.value, dtype_of(base).np.kind) if isinstance(exponent, Number) else None


def _plain(operand: Operand) -> Any:
    """The number of a value as it is; Python's numbers as such, True and False as NumPy's."""
    if not isinstance(operand, Number):
        return operand
    return np.bool_(operand.value) if operand.kind == "bool" else operand.value


def _alone(number: Number) -> Any:
    """A number that is a result by itself, as NumPy makes an array of it."""
    value = np.asarray(number.value)
    if value.dtype.kind == "O":
        raise OverflowError(f"opweld.scalar.expr: {number.text} fits into no integer dtype")
    return value[()]


def _dtypes_of(inputs: list[Any], known: list[str]) -> tuple[str, ...]:
    return tuple([dtype_of(x.dtype).name if isinstance(x, np.generic) else known[x] for x in inputs])


class _Writer:
    """Instructions in the form of docs/program.md; equal ones are written once.

    Parameters
    ----------
    nin : int
        How many values are there before the first.
    """

    def __init__(self, nin: int) -> None:
        self.nin = nin
        self.instructions: list[InstructionFields] = []
        self._seen: dict[str, int] = {}

    def add(self, instruction: InstructionFields) -> int:
        """Give the number of the value that an instruction makes."""
        key = json.dumps(instruction, sort_keys=True)
        found = self._seen.get(key)
        if found is None:
            self.instructions.append(instruction)
            found = self._seen[key] = self.nin + len(self.instructions) - 1
        return found

    def constant(self, value: np.generic) -> int:
        """Give the number of a constant."""
        return self.add({"op": "constant", "dtype": dtype_of(value.dtype).name, "value": number_text(value)})

    def splice(self, body: Body, values: list[int]) -> int:
        """Give the number of the one result of another op's body, applied to these values."""
        numbers = list(values)
        for instruction in body.instructions:
            told = instruction.copy()
            if "args" in told:
                told["args"] = [numbers[arg] for arg in told["args"]]
            numbers.append(self.add(told))
        return numbers[body.results[0]]
