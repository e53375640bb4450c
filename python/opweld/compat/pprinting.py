"""Graphs as formulas: ``pprint``, and the printers that files of ops assign to their ops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from opweld.graph.basic import Constant, Variable

__all__ = [
    "DefaultPrinter", "FunctionPrinter", "IgnorePrinter", "LeafPrinter", "OperatorPrinter", "PPrinter",
    "PatternPrinter", "Printer", "PrinterState", "pp", "pprint", "set_precedence",
]  # fmt: skip

_LOOSE = -1000  # binds less than every operator: what stands between parentheses or commas


class PrinterState:
    """What is known where a variable is printed.

    Attributes
    ----------
    pprinter : PPrinter
        Prints the inputs.
    precedence : int
        How tightly what stands round it binds.
    """

    def __init__(self, pprinter: PPrinter, precedence: int = _LOOSE) -> None:
        self.pprinter = pprinter
        self.precedence = precedence

    def clone(self, precedence: int) -> PrinterState:
        """Give the state for something inside."""
        return PrinterState(self.pprinter, precedence)


@contextmanager
def set_precedence(pstate: PrinterState, new_precedence: int = _LOOSE) -> Iterator[None]:
    """Print something inside: what stands round it binds so tightly."""
    before, pstate.precedence = pstate.precedence, new_precedence
    try:
        yield
    finally:
        pstate.precedence = before


class Printer:
    """Prints the variables of some ops. A subclass writes `process`."""

    def process(self, output: Variable, pstate: PrinterState) -> str:
        """Write a variable.

        Parameters
        ----------
        output : Variable
            What a node computes, as a rule.
        pstate : PrinterState
            Where it stands.

        Returns
        -------
        str
        """
        raise NotImplementedError(f"{type(self).__name__}.process is not written")


def _inputs(output: Variable) -> list[Variable]:
    if output.owner is None:
        raise TypeError(f"{output} is computed by no node: there is nothing to print of its inputs")
    return output.owner.inputs


def _inside(variable: Variable, pstate: PrinterState, precedence: int = _LOOSE) -> str:
    return pstate.pprinter.process(variable, pstate.clone(precedence))


class LeafPrinter(Printer):
    """Prints what no node computes: its name, or its value."""

    def process(self, output: Variable, pstate: PrinterState) -> str:
        """Write the name or the value."""
        if output.name is None and isinstance(output, Constant) and getattr(output.data, "ndim", 1) == 0:
            return str(output.data)
        return str(output)


class DefaultPrinter(Printer):
    """Prints a node as a call of its op."""

    def process(self, output: Variable, pstate: PrinterState) -> str:
        """Write the op and its inputs."""
        node = output.owner
        name = str(node.op) if node is not None else str(output)
        return f"{name}({', '.join(_inside(x, pstate) for x in _inputs(output))})"


class OperatorPrinter(Printer):
    """Prints an op as an operator between its inputs, or before the one that it has.

    Parameters
    ----------
    operator : str
        Its sign.
    precedence : int
        How tightly it binds: the larger, the more.
    associativity : {"left", "right", "either"}
        On which side the same operator needs no parentheses.
    """

    def __init__(self, operator: str, precedence: int, associativity: str = "left") -> None:
        self.operator = operator
        self.precedence = precedence
        self.associativity = associativity

    def process(self, output: Variable, pstate: PrinterState) -> str:
        """Write the inputs with the operator between them."""
        inputs = _inputs(output)
        loose = {"left": (0,), "right": (len(inputs) - 1,)}.get(self.associativity, range(len(inputs)))
        parts = [
            _inside(x, pstate, self.precedence - 1 if i in loose and len(inputs) > 1 else self.precedence)
            for i, x in enumerate(inputs)
        ]
        text = self.operator + parts[0] if len(parts) == 1 else f" {self.operator} ".join(parts)
        return f"({text})" if pstate.precedence >= self.precedence else text


class FunctionPrinter(Printer):
    """Prints an op as a function.

    Parameters
    ----------
    *names : str
        What each output is called; a list of them does, too.
    keywords : sequence of str
        Attributes of the op that are printed with their names.
    """

    def __init__(self, *names: str | Sequence[str], keywords: Sequence[str] = ()) -> None:
        self.names = [name for given in names for name in ([given] if isinstance(given, str) else given)]
        self.keywords = keywords

    def process(self, output: Variable, pstate: PrinterState) -> str:
        """Write the name and the inputs."""
        parts = [_inside(x, pstate) for x in _inputs(output)]
        op = output.owner.op if output.owner is not None else None
        parts += [f"{keyword}={getattr(op, keyword)}" for keyword in self.keywords]
        return f"{self.names[output.index or 0]}({', '.join(parts)})"


class PatternPrinter(Printer):
    """Prints an op by a pattern, such as ``|%(0)s|``, for each output.

    Parameters
    ----------
    *patterns : str or (str, int, …)
        A text with the inputs' positions; how tightly it binds each of them.
    """

    def __init__(self, *patterns: str | tuple[Any, ...]) -> None:
        self.patterns = [(given, ()) if isinstance(given, str) else (given[0], given[1:]) for given in patterns]

    def process(self, output: Variable, pstate: PrinterState) -> str:
        """Write the pattern with the inputs."""
        pattern, given = self.patterns[output.index or 0]
        inputs = _inputs(output)
        tight = [*given, *[_LOOSE] * len(inputs)]
        return str(pattern) % {str(i): _inside(x, pstate, tight[i]) for i, x in enumerate(inputs)}


class IgnorePrinter(Printer):
    """Prints the first input in the place of the op."""

    def process(self, output: Variable, pstate: PrinterState) -> str:
        """Write the input."""
        return pstate.pprinter.process(_inputs(output)[0], pstate)


_SIGNS: dict[str, tuple[str, int, str]] = {
    "add": ("+", -2, "either"), "subtract": ("-", -2, "left"), "multiply": ("*", -1, "either"),
    "divide": ("/", -1, "left"), "floor_divide": ("//", -1, "left"), "remainder": ("%", -1, "left"),
    "negative": ("-", 0, "either"), "power": ("**", 1, "right"), "equal": ("==", -4, "left"),
    "not_equal": ("!=", -4, "left"), "less": ("<", -4, "left"), "less_equal": ("<=", -4, "left"),
    "greater": (">", -4, "left"), "greater_equal": (">=", -4, "left"),
}  # fmt: skip


class _Elements(Printer):
    """Prints NumPy's elementwise functions, by their signs or names."""

    def process(self, output: Variable, pstate: PrinterState) -> str:
        """Write the sign or the name."""
        op: Any = output.owner.op if output.owner is not None else None
        name = str(op.scalar_op)
        sign = _SIGNS.get(name)
        return (OperatorPrinter(*sign) if sign else FunctionPrinter(name)).process(output, pstate)


class PPrinter(Printer):
    """Prints graphs by the printers that are assigned."""

    def __init__(self) -> None:
        self.printers: list[tuple[Any, Printer]] = []

    def assign(self, condition: object, printer: Printer) -> None:
        """Have an op printed; the later assignment counts.

        Parameters
        ----------
        condition : Op, type or callable
            The op, its class, or what says of a state and a variable whether the printer is for it.
        printer : Printer
            Prints it.
        """
        self.printers.insert(0, (condition, printer))

    def process(self, output: Variable, pstate: PrinterState | None = None) -> str:
        """Write a variable."""
        state = pstate or PrinterState(self)
        for condition, printer in self.printers:
            if self._holds(condition, output, state):
                return printer.process(output, state)
        if output.owner is None:
            return LeafPrinter().process(output, state)
        if hasattr(output.owner.op, "scalar_op") and type(output.owner.op).__name__ == "Elemwise":
            return _Elements().process(output, state)
        return DefaultPrinter().process(output, state)

    @staticmethod
    def _holds(condition: Any, output: Variable, pstate: PrinterState) -> bool:
        op = None if output.owner is None else output.owner.op
        if isinstance(condition, type):
            return op is not None and isinstance(op, condition)
        if hasattr(condition, "make_node"):
            return op is not None and bool(op == condition or getattr(op, "scalar_op", None) == condition)
        return bool(condition(pstate, output))

    def clone(self) -> PPrinter:
        """Give a printer with the same assignments."""
        made = PPrinter()
        made.printers = list(self.printers)
        return made

    def clone_assign(self, condition: object, printer: Printer) -> PPrinter:
        """Give a printer with one more assignment."""
        made = self.clone()
        made.assign(condition, printer)
        return made

    def __call__(self, *graphs: Variable | Sequence[Variable]) -> str:
        """Write variables, one behind the other.

        Parameters
        ----------
        *graphs : Variable or sequence of Variable
            What is printed.

        Returns
        -------
        str
        """
        listed = [v for given in graphs for v in ([given] if isinstance(given, Variable) else given)]
        return ", ".join([self.process(variable) for variable in listed])


pprint = PPrinter()
pp: Callable[..., str] = pprint
