"""How a function was made, and the module bound to this function's Python objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from opweld.compile import builder, memo, remembered
from opweld.compile.asked import Asked
from opweld.compile.binding import Code, bind, converter, remarks, rules_of
from opweld.compile.builder import Built
from opweld.compile.data import Program, remarker, speaks
from opweld.compile.io import Substitution, keywords_of
from opweld.config import Options
from opweld.dtypes import shape_text
from opweld.errors import ConfigError
from opweld.graph.basic import Apply, Variable
from opweld.graph.shared import SharedVariable
from opweld.graph.type import Type
from opweld.rooms import late

if TYPE_CHECKING:
    import inspect

    from opweld.graph.fgraph import FunctionGraph

__all__ = ["Maker"]

modes: Any = late("opweld.compile.modes")  # a function that is remembered needs no rewriters


class Maker:
    """How a function was made.

    Attributes
    ----------
    fgraph : FunctionGraph
        The graph that runs: rewritten, with the copies that keep outputs apart from inputs. Its nodes are not the
        user's.
    inputs : list of In
        The arguments.
    name : str or None
        As given.
    single : bool
        There is no list of results, but one result, or None.
    shared : list of SharedVariable
        What is read, and updated, besides the arguments: the last inputs of `fgraph`.
    updates : dict of int to SharedVariable
        Which output of `fgraph` is no result, but the new value of which shared variable: the last ones.
    recipe : Recipe
        What the user asked for.
    linked : callable
        What the mode has linked.
    conventions : str
        Whose rules hold for a call: the option of that name.
    threads : int
        On how many threads long loops run, at most: the option of that name.
    code : Code
        What the module is, whatever it is bound to.
    """

    def __init__(
        self,
        recipe: Asked,
        options: Options,
        shared: Sequence[SharedVariable],
        mode: object = None,
        code: Code | None = None,
    ) -> None:
        self.inputs = recipe.inputs
        self.single = recipe.single
        self.name = recipe.name
        self.shared = list(shared)
        self.updates = dict(enumerate(recipe.updates, len(recipe.outputs)))
        self.recipe: Any = recipe
        self.options = options
        self._lowered: tuple[FunctionGraph, Callable[..., Any]] | None = None
        self.conventions = options.conventions
        self.profiled = options.profile
        self.accounted = options.account
        if self.profiled and self.accounted:
            raise ConfigError("a function is profiled or accounted, not both: what is counted takes time")
        self.threads = options.threads
        self.keywords = keywords_of(self.inputs)
        if code is not None:  # it was remembered by another name than its graph's
            self.code, self.in_c = code, True
            return
        entry, known = memo.recall(recipe, options, self.shared)
        if entry is None:
            self._lowered = modes.lowered(recipe, options, self.shared, mode)
        self.in_c = entry is not None or isinstance(self.linked, modes.InC)
        if self.accounted and not self.in_c:
            raise ConfigError(
                "accounts are kept of functions that run as one module of C in this process: leave out isolate, and "
                "modes that run each node by itself, such as DebugMode"
            )
        if entry is not None:
            program: Program = remembered.Recalled(entry, self._program)
            self.code = Code(None, program, builder.build(program, options), options.fuse)
            return
        graph = self.linked.graph if self.in_c else modes.one_node(self.linked, self.fgraph)  # type: ignore[attr-defined]
        options = options if self.in_c else options.but(sanitize="")
        self.code = modes.compile_graph(graph, self.called, options, **self._interface())
        if self.in_c:
            modes.keep(known, recipe, options, self.shared, self.fgraph.outputs, self.code)

    @property
    def fgraph(self) -> FunctionGraph:
        """The graph that runs."""
        return self._parts()[0]

    @property
    def linked(self) -> Callable[..., Any]:
        """What the mode has linked."""
        return self._parts()[1]

    def _parts(self) -> tuple[FunctionGraph, Callable[..., Any]]:
        if self._lowered is None:
            self._lowered = modes.lowered(self.recipe, self.options, self.shared, modes.standard(self.recipe.mode))
        return self._lowered

    def _program(self) -> Program:
        """Program, as rewriters and hooks make it."""
        program: Program = modes.make_program(self.linked.graph, self.called, **self._interface())  # type: ignore[attr-defined]
        return program

    def _interface(self) -> dict[str, Any]:
        """What a call looks like."""
        return {
            "single": self.single,
            "keywords": self.keywords,
            "defaults": [spec.value is not None for spec in self.inputs],
            "mutable": [spec.mutable for spec in self.inputs],
            "cells": len(self.shared),
            "updates": [len(self.inputs) + self.shared.index(variable) for variable in self.updates.values()],
            "scalars": self.conventions == "numpy",
        }

    @property
    def program(self) -> Program:
        """What the engine was given."""
        return self.code.program

    @property
    def built(self) -> Built:
        """The module."""
        found: Built = self.code.built
        return found

    @property
    def called(self) -> str:
        """The function's name in messages."""
        return self.name or "f"

    @property
    def returned(self) -> list[Variable]:
        """The outputs of `fgraph` that are results."""
        return self._outputs()[: len(self.recipe.outputs)]

    def _outputs(self) -> list[Variable]:
        """The outputs of `fgraph`, or those that the user gave, of the same types and names."""
        if self._lowered is not None:
            return self._lowered[0].outputs
        return list(self.recipe.wanted)

    def create(self, explained: bool = True) -> Any:
        """Bind the module to this function's Python objects.

        Parameters
        ----------
        explained : bool
            Exceptions say in a note which node failed, and on what; False: their texts are enough.

        Returns
        -------
        Function
        """
        weak = self.conventions == "numpy"
        convert = converter(self.called, self.inputs, self.keywords, self.shared, weak)
        made = bind(
            self.code,
            self.called,
            convert,
            rules=rules_of(self.inputs, self.keywords, weak),
            outputs=self._outputs(),
            defaults=[self._default(i, convert) for i in range(len(self.inputs))],
            cells=[variable.cell for variable in self.shared],
            explained=explained and self.in_c,
            remark=remarker(self.remarks) if self._remarks() else None,
            threads=self.threads,
        )
        made.name = self.name
        made.maker = self
        made.copy = self.copy
        made.get_shared = self.get_shared
        made.__name__ = made.__qualname__ = self.called
        made.__doc__ = self._doc()
        if self.profiled or self.accounted:
            telling = builder.making.telling
            if self.accounted:
                made.account = telling.Account(self.nodes(), self.program, made._accounts, made._forget_accounts)
            else:
                made.profile = telling.Profile(self.called, self.nodes(), made._costs, made._forget_costs)
        return made

    def _remarks(self) -> bool:
        """Whether calls speak of floating point; where arguments may be overwritten, they are gone by then."""
        if not self.in_c or self.conventions != "numpy" or any([spec.mutable for spec in self.inputs]):
            return False
        return speaks(self.recipe.wanted if self._lowered is None else self._lowered[0].outputs)

    def remarks(self) -> Any:
        """Make what says of calls what NumPy would of their floating point: `opweld.compile.remarks.Remarks`."""
        return remarks.Remarks(self.called, self.fgraph, len(self.inputs), bool(self.updates))

    def _default(self, index: int, convert: Callable[[int, Any], Any]) -> tuple[Any] | None:
        given = self.inputs[index].value
        if given is None:
            return None
        value = convert(index, given)
        if hasattr(value, "flags") and hasattr(value, "copy"):  # the caller's own, or a view of it
            value = value.copy()
        return (value,)

    def signature(self) -> inspect.Signature:
        """Give the callable's signature.

        Returns
        -------
        inspect.Signature
            Inputs without a name are positional only, and ``out`` comes last.
        """
        from inspect import Parameter, Signature

        unnamed = max((i for i, keyword in enumerate(self.keywords) if keyword is None), default=-1)
        parameters = []
        optional = False
        for i, (spec, keyword) in enumerate(zip(self.inputs, self.keywords)):
            default = Parameter.empty if spec.value is None else spec.value
            kind: Any = Parameter.POSITIONAL_ONLY if i <= unnamed else Parameter.POSITIONAL_OR_KEYWORD
            if optional and default is Parameter.empty:
                kind = Parameter.KEYWORD_ONLY
            optional = optional or default is not Parameter.empty
            name = keyword if keyword is not None and keyword.isidentifier() else f"arg{i}"
            parameters.append(Parameter(name, kind, default=default))
        parameters.append(Parameter("out", Parameter.KEYWORD_ONLY, default=None))
        try:
            return Signature(sorted(parameters, key=lambda parameter: parameter.kind))
        except ValueError:  # optional before required, and positional only
            return Signature([p.replace(default=Parameter.empty) for p in parameters[:-1]] + parameters[-1:])

    def get_shared(self) -> list[SharedVariable]:
        """Give the shared variables that the function reads or updates.

        Returns
        -------
        list of SharedVariable
        """
        return list(self.shared)

    def copy(
        self,
        share_memory: bool = False,
        swap: Mapping[SharedVariable, SharedVariable] | None = None,
        delete_updates: bool = False,
        name: str | None = None,
    ) -> Any:
        """Make a function like this one. Nothing is compiled, unless updates are left out.

        Parameters
        ----------
        share_memory : bool
            Accepted; functions share no memory but the values of shared variables.
        swap : dict of SharedVariable to SharedVariable, optional
            Which shared variables others of the same type shall stand for.
        delete_updates : bool
            Leave all updates out.
        name : str, optional
            Its name; this function's if left out.

        Returns
        -------
        Function

        Raises
        ------
        TypeError
            If what is swapped in is no shared variable of the same type.
        ValueError
            If what is swapped out is not this function's, or what is swapped in is.
        """
        recipe = self.recipe.altered(self, swap or {}, delete_updates, name)
        if (delete_updates and self.updates) or not self.in_c:
            return recipe.make()
        made = object.__new__(Maker)
        made.__dict__.update(self.__dict__)
        made.recipe, made.name = recipe, recipe.name
        if swap:
            made.shared = [swap.get(variable, variable) for variable in self.shared]
            made.updates = {position: swap.get(variable, variable) for position, variable in self.updates.items()}
            put = Substitution(swap)
            inputs = [*(spec.variable for spec in self.inputs), *made.shared]
            graph = modes.FunctionGraph(inputs, [put(variable) for variable in self.fgraph.outputs])
            made._lowered = graph, self.linked
        return made.create()

    def reduce(self, made: object) -> Any:
        """Pickle the function as what it is made of; it is made again where it is loaded, of a module in the cache.

        Parameters
        ----------
        made : Function
            What `create` gave.

        Returns
        -------
        tuple
            As ``__reduce__`` gives it.
        """
        return self.recipe.pickled()

    def source(self) -> str:
        """Give the C that the function came from; in a mode that runs it otherwise, what that says.

        Returns
        -------
        str
        """
        theirs = None if self.in_c else getattr(self.linked, "source", None)
        return (theirs and theirs()) or self.code.source()

    def nodes(self) -> list[Any]:
        """List the nodes of the module's steps.

        Returns
        -------
        list of Node
            In order of execution.
        """
        nodes: list[Any] = [node for node, _ in self.program.steps]
        own = self.fgraph.toposort()  # of a copy with other shared values the nodes; the Program is that of the first
        return own if [node.op for node in own] == [node.op for node in nodes] else nodes

    def fused(self) -> tuple[list[Apply], list[list[int]], list[tuple[int, int, str]], str]:
        """Say which nodes became one loop; `opweld.fusion` is for people.

        Returns
        -------
        nodes : list of Apply
            In order of execution.
        loops : list of (list of int)
            The places of each loop's nodes.
        apart : list of (int, int, str)
            The places of nodes of which the second reads the first's result in another loop, and why.
        note : str
            Why nothing is fused, or known.
        """
        if not self.in_c:
            told = getattr(self.linked, "unfused", None) or f"the mode runs the graph by itself: {self.recipe.mode!r}"
            return self.fgraph.toposort(), [], [], told
        nodes = self.nodes()
        if self.code.fused:
            return nodes, *self.code.fusion(), ""
        data = self.program.data
        loops = [[i] for i, step in enumerate(data["steps"]) if "loop" in data["kernels"][step["kernel"]]]
        return nodes, loops, [], "fuse=False: each node is a loop of its own"

    def _doc(self) -> str:
        names = [keyword or f"arg{i}" for i, keyword in enumerate(self.keywords)]
        lines = [f"{self.called}({', '.join([*names, '*', 'out=None'])})", "", "Compiled function.", ""]
        lines += ["Parameters", "----------"]
        for name, spec in zip(names, self.inputs):
            lines.append(f"{name} : {_type_text(spec.variable.type)}{'' if spec.value is None else ', optional'}")
            if spec.mutable:
                lines.append("    Is written into.")
        lines += ["out : array or list, optional", "    Where to put the outputs.", "", "Returns", "-------"]
        results = [_type_text(variable.type) for variable in self.returned]
        if self.single:
            lines += results or ["None"]
        else:
            lines += [f"list of {len(results)}", *(f"    {i}: {text}" for i, text in enumerate(results))]
        if self.updates:
            lines += ["", "Notes", "-----", f"Updates {', '.join(map(str, self.updates.values()))}."]
        return "\n".join(lines) + "\n"


def _type_text(type_: Type) -> str:
    shape = getattr(type_, "shape", None)
    dtype = getattr(type_, "dtype", None)
    if dtype is not None and shape:
        return f"{dtype} array of shape {shape_text(shape)}"
    return str(type_) if dtype is None else str(dtype)
