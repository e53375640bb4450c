"""Variables, constants and the nodes between them."""

from __future__ import annotations

from _thread import _local
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic

from opweld.dtypes import bits
from opweld.errors import _described, _place, _what
from opweld.graph.tag import Tagged
from opweld.rooms import ending, late

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from opweld.graph.op import Op
    from opweld.graph.type import Type

    T = TypeVar("T", bound=Type, covariant=True, default=Any)
    O_ = TypeVar("O_", bound=Op, covariant=True, default=Any)
else:
    from typing import TypeVar

    T, O_ = TypeVar("T"), TypeVar("O_")

__all__ = ["Apply", "Constant", "Props", "Variable"]

hooknames: Any = late("opweld.graph.hooknames")  # many processes make no class of their own
pickling: Any = late("opweld.graph.pickling")  # few graphs are pickled


class Props:
    """Equality, hash and text from ``__props__``, for ops and types.

    A class that sets ``__props__ = ("axis",)`` says that two instances of one class with equal ``axis`` are equal.
    Without it, equality is identity.
    """

    __props__: tuple[str, ...] | None = None

    @ending
    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.__module__.startswith("opweld."):  # the library's own are right
            hooknames.look_at(cls)

    def _props(self) -> tuple[Any, ...]:
        names = self.__props__
        if names is None:
            return ()
        try:
            return tuple([getattr(self, name) for name in names])
        except AttributeError:
            hooknames.misspelt.unset(self, names)
            raise

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if self.__props__ is None or type(self) is not type(other):
            return False
        return self._props() == other._props()

    def __hash__(self) -> int:
        if self.__props__ is None:
            return object.__hash__(self)
        try:
            return hash((type(self), self._props()))
        except TypeError:
            hooknames.misspelt.unhashable(self, self.__props__)
            raise

    def __str__(self) -> str:
        if not self.__props__:
            return type(self).__name__
        pairs = ", ".join(f"{name}={value!r}" for name, value in zip(self.__props__, self._props()))
        return f"{type(self).__name__}{{{pairs}}}"


class _Rewriting(_local):
    """Which graph is being rewritten, in each thread; and others that are known to be all a variable is in."""

    graph: Any = None
    others: Iterable[Any] = ()

    def of(self, variable: object) -> Any:
        """Give the graph that a variable is in; None where that is not known."""
        if self.graph is not None and variable in self.graph:
            return self.graph
        return next((graph for graph in self.others if graph.owns(variable)), self.graph)


rewriting = _Rewriting()


class Variable(Tagged, Generic[T]):
    """A value of a graph: an input, or what a node computes. ``Variable[TensorType]`` says of which type.

    Parameters
    ----------
    type : Type
        What values it can take.
    owner : Apply, optional
        The node that computes it.
    index : int, optional
        Its position among the outputs of `owner`.
    name : str, optional
        A name for messages and keyword arguments.

    Examples
    --------
    >>> x = opweld.Variable(T.TensorType("float64", (None,)), None, None, "x")
    >>> x.name, x.owner, T.exp(x).owner.inputs[0] is x
    ('x', None, True)
    """

    def __init__(self, type: T, owner: Apply | None = None, index: int | None = None, name: str | None = None) -> None:
        if owner is not None and not isinstance(owner, Apply):
            raise TypeError(f"owner must be an Apply or None, got {owner!r}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"the name of a variable must be a string, got {name!r}")
        self.type = type
        self.owner = owner
        self.index = index
        self.name = name

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        if self.owner is not None:
            suffix = "" if len(self.owner.outputs) == 1 else f".{self.index}"
            return f"{self.owner.op}{suffix}"
        return f"<{self.type}>"

    def __repr__(self) -> str:
        return _described(self)

    @property
    def clients(self) -> list[tuple[Any, int]]:
        """Who reads the variable in the graph that is being rewritten, as ``fgraph.clients[x]`` says it.

        Or in the `FunctionGraph` of an older package's that has it.

        Raises
        ------
        AttributeError
            Elsewhere: a variable may be in many graphs.
        """
        graph = rewriting.of(self)
        if graph is None:
            raise AttributeError(f"{Variable.__str__(self)}: readers are a graph's: fgraph.clients[x]")
        return list(graph.clients.get(self, ()))

    def clone(self, name: str | None = None) -> Variable[T]:
        """Make a free variable of the same type.

        Parameters
        ----------
        name : str, optional
            The new name; this variable's name if left out.

        Returns
        -------
        Variable
            Without owner.
        """
        return self.type.make_variable(self.name if name is None else name)

    def __reduce__(self) -> tuple[Any, ...]:
        return pickling.reduce_variable(self)  # type: ignore[no-any-return]


class Constant(Variable[T]):
    """A variable whose value is known.

    Parameters
    ----------
    type : Type
        What values it can take.
    data : object
        The value; it passes ``type.filter``.
    name : str, optional
        A name for messages.

    Examples
    --------
    >>> c = opweld.Constant(opweld.scalar.int64, 3)
    >>> c.data, c.owner
    (np.int64(3), None)
    """

    def __init__(self, type: T, data: object, name: str | None = None) -> None:
        super().__init__(type, None, None, name)
        self.data = type.filter(data)

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        text = " ".join(str(self.data).split())
        return text if len(text) <= 40 else text[:37] + "..."

    def signature(self) -> Any:
        """Give what two constants share if and only if they may be one: type and value, bit by bit.

        Returns
        -------
        hashable or None
            None: this constant is equal to itself only.
        """
        data = self.data
        if type(data) in (bool, int, str, bytes, type(None)):
            return self.type, type(data), data
        if type(data) is float:
            return self.type, *bits(data)
        if getattr(data, "shape", None) == () and hasattr(data, "tobytes"):  # a NumPy scalar
            return self.type, type(data), data.dtype, data.tobytes()
        return None

    def clone(self, name: str | None = None) -> Constant[T]:
        """Make a constant of the same type and value.

        Parameters
        ----------
        name : str, optional
            The new name; this constant's name if left out.

        Returns
        -------
        Constant
            Shares ``data``.
        """
        return type(self)(self.type, self.data, self.name if name is None else name)


class Apply(Tagged, Generic[O_]):
    """A node: an op applied to variables. ``Apply[Elemwise]`` says which op's.

    Parameters
    ----------
    op : Op
        What is applied.
    inputs, outputs : sequence of Variable
        What it reads and what it computes. The outputs become this node's: their ``owner`` and ``index`` are set.

    Raises
    ------
    TypeError
        If something other than a Variable stands among `inputs` or `outputs`.
    ValueError
        If an output belongs to another node already.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> node = T.exp(x).owner
    >>> node.inputs == [x], node.outputs[0].type
    (True, TensorType('float64', (None,)))
    """

    _made: Any = None  # what `_place` gave, or what `made_at` is

    def __init__(self, op: O_, inputs: Iterable[Variable], outputs: Iterable[Variable]) -> None:
        if rewriting.graph is None:  # else it gets the place of what it comes for
            self._made = _place(2)
        self.op = op
        self.inputs = self._variables("inputs", inputs)
        self.outputs = self._variables("outputs", outputs)
        for position, output in enumerate(self.outputs):  # all are looked at before one is changed
            others, fixed = (*self.inputs, *self.outputs[:position]), isinstance(output, Constant)
            if fixed or output.owner is not None or any([output is other for other in others]):
                hooknames.misspelt.not_free(self, position, fixed)
        for position, output in enumerate(self.outputs):
            output.owner, output.index = self, position

    def _variables(self, role: str, given: Iterable[Variable]) -> list[Variable]:
        try:
            found = list(given)
        except TypeError:
            raise TypeError(
                f"{self.op}: the {role} of an Apply must be a list of Variables, got {_what(given)}"
            ) from None
        for position, variable in enumerate(found):
            if not isinstance(variable, Variable):
                raise TypeError(f"{self.op}: {role}[{position}] of its Apply must be a Variable, got {_what(variable)}")
        return found

    @property
    def nin(self) -> int:
        """Number of inputs."""
        return len(self.inputs)

    @property
    def nout(self) -> int:
        """Number of outputs."""
        return len(self.outputs)

    @property
    def made_at(self) -> tuple[str, int, str] | None:
        """Where the user made this node: file, line and function; None: it is not known.

        A node that a rewriter brings in has the place of the one that it came for.
        """
        made = self._made
        if made is not None and len(made) == 2:
            code, instruction = made
            lines = [line for start, end, line in code.co_lines() if start <= instruction < end and line is not None]
            made = self._made = (code.co_filename, lines[0] if lines else code.co_firstlineno, code.co_name)
        return made  # type: ignore[no-any-return]

    def come_for(self, node: Apply) -> None:
        """Take over where another node was made, in whose place this one stands.

        Parameters
        ----------
        node : Apply
            The other one; nothing is done if it does not know.
        """
        if node._made is not None:
            self._made = node._made

    def default_output(self) -> Variable:
        """Give the output that stands for the node where one variable is wanted.

        Returns
        -------
        Variable
            The only output, or output number ``op.default_output``.

        Raises
        ------
        ValueError
            If there are several and the op names none.
        """
        position = getattr(self.op, "default_output", None)
        if position is None:
            if len(self.outputs) != 1:
                raise ValueError(f"{self.op} has {len(self.outputs)} outputs and no default_output")
            position = 0
        return self.outputs[position]

    out = property(default_output)

    def clone_with_new_inputs(self, inputs: list[Variable]) -> Apply:
        """Apply the same op to other inputs, by ``op.make_node``.

        Parameters
        ----------
        inputs : list of Variable
            In the order of this node's.

        Returns
        -------
        Apply
            A new node.
        """
        made = self.op.apply_node(*inputs)
        made.come_for(self)
        return made

    def copy(self, inputs: list[Variable], copies: dict[Variable, Variable]) -> Apply:
        """Make a node like this one that reads other variables of the same types; `make_node` is not asked.

        Parameters
        ----------
        inputs : list of Variable
            What it reads.
        copies : dict
            Takes the new outputs, by the old ones, but for those that are in it already.

        Returns
        -------
        Apply
            With outputs of its own, and everything that was hung onto this node and its outputs.
        """
        made: Apply = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.inputs = inputs
        made.outputs = []
        for output in self.outputs:
            new: Variable = object.__new__(type(output))
            new.__dict__.update(output.__dict__)
            new.owner = made
            made.outputs.append(new)
            copies.setdefault(output, new)  # one that the function is given stays what it is
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return pickling.reduce_node(self)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.inputs))})"

    def __repr__(self) -> str:
        return str(self)
