"""What is checked: the functions that a module or a script names or makes, with the inputs that are known for each."""

from __future__ import annotations

import inspect
import os
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from opweld import _ufunc
from opweld.addresses import Address, Unknown
from opweld.checking.applying import applied, destroyed, inputs_of, leaves, says_inputs, variable_of
from opweld.checking.forcing import Call, copies_of, copy_of
from opweld.checking.report import Fault
from opweld.compile import recipe as recipes
from opweld.compile.function import Function, function
from opweld.compile.io import In
from opweld.compile.recipe import Recipe
from opweld.errors import CompileError, OpweldError
from opweld.graph.basic import Constant, Variable
from opweld.graph.op import Op

__all__ = ["INPUTS", "Recorded", "Subject", "distinct", "found", "recorded", "recording", "subject_of"]

#: The name under which a module gives inputs: a dict from names of what it has to lists of tuples of values.
INPUTS = "opweld_check_inputs"


class Subject:
    """A function that is checked.

    Parameters
    ----------
    name : str
        What reports call it.
    recipe : Recipe
        How it is made.
    given : list of tuple
        Values that it is called with, besides those that are drawn.
    scenes : dict of str to callable, optional
        What else is done with it while its places are forced, by name: each gets the function.
    options : dict of str to object, optional
        Of the build whose places are forced, besides those of the function.

    Attributes
    ----------
    types : list of Type
        Of its arguments.
    """

    def __init__(
        self,
        name: str,
        recipe: Recipe,
        given: Sequence[tuple[Any, ...]] = (),
        scenes: Mapping[str, Callable[[Any], Any]] | None = None,
        options: Mapping[str, object] | None = None,
    ) -> None:
        self.name = name
        self.recipe = recipe
        self.scenes = dict(scenes or {})
        self.options = dict(options or {})
        self.given = list(given)
        self.types = [spec.variable.type for spec in recipe.inputs]

    def make(self, mode: object = "FAST_RUN", **options: object) -> Any:
        """Make the function.

        Parameters
        ----------
        mode : str or Mode
            How it runs.
        **options : object
            Besides those of its own.

        Returns
        -------
        Function
        """
        own = self.recipe
        inside = {"isolate": False, "sanitize": ""} if mode == "FAST_RUN" else {}  # calls are made in children already
        settings = {**own.options, "profile": False, **inside, **options}
        return Recipe(own.inputs, own.outputs, own.updates, own.single, own.name, mode, settings).make()


class Recorded:
    """A function that remembers what it was called with; all else is the function's.

    Parameters
    ----------
    made : Function
        The function.
    """

    most = 20  # calls that are remembered

    def __init__(self, made: Function) -> None:
        self.made: Any = made
        self.calls: list[tuple[Any, ...]] = []

    def __call__(self, *args: object, **keywords: object) -> object:
        """Call it."""
        if len(self.calls) < self.most:
            self.calls.append(Call(*copies_of(args), **{name: copy_of(value) for name, value in keywords.items()}))
        return self.made(*args, **keywords)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.made, name)


@contextmanager
def recording() -> Iterator[list[Recorded]]:
    """Have every function that is made meanwhile remember its calls."""
    made: list[Recorded] = []

    def watch(one: Function) -> Recorded:
        made.append(Recorded(one))
        return made[-1]

    before, recipes.watch = recipes.watch, watch
    try:
        yield made
    finally:
        recipes.watch = before


def found(address: Address, wrong: list[Fault] | None = None) -> list[Subject]:
    """Find what is to be checked at an address.

    Parameters
    ----------
    address : Address
        A module or a name in one, or a script, which is run.
    wrong : list of Fault, optional
        Gets what a script ends with, and whose C does not compile; what else there is is given all the same.

    Returns
    -------
    list of Subject
        The functions that it has or makes, and one for each op that it names.

    Raises
    ------
    Unknown
        If there is nothing at the address, or nothing that can be checked.
    """
    made: list[Recorded] = []
    if address.name or not address.is_file:
        module: Any = Address(address.module, "").load()
        value = address.within(module)
        names = {address.name: value} if address.name else vars(value)
        given, home = getattr(module, INPUTS, {}), module.__name__
    else:
        address.check()
        with recording() as made:
            names = _run(address.module, wrong)
        given, home = names.get(INPUTS, {}), "__main__"
    subjects = [recorded(one) for one in made]
    subjects += _named(names, given, home, called=[one for one in made if one.calls], wrong=wrong)
    if address.name and not subjects and not wrong:
        raise Unknown(f"{address} is {type(value).__name__}: expected a function, an op or a short form")
    return distinct(subjects)


def _run(path: str, wrong: list[Fault] | None) -> dict[str, Any]:
    """Run a script as ``python`` does, and give its names; none where it does not come to its end."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    before, sys.argv = sys.argv, [path]
    try:
        return runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            raise Unknown(f"{path} ended with {end.code!r}") from None
        return {}
    except Exception as err:
        if wrong is None:
            raise
        wrong.append(_fault_of(err, path))
        return {}
    finally:
        sys.argv = before


def _fault_of(err: Exception, path: str) -> Fault:
    """What a script has raised, at its own line that was run last."""
    lines = [frame.lineno for frame in traceback.extract_tb(err.__traceback__) if frame.filename == path]
    return Fault(f"{path}:{lines[-1]}" if lines else path, type(err).__name__, (str(err).splitlines() or [""])[0])


def recorded(one: Recorded) -> Subject:
    """Make a subject of a function that has remembered its calls.

    Parameters
    ----------
    one : Recorded
        The function.

    Returns
    -------
    Subject
    """
    return Subject(one.made.name or "f", one.made.maker.recipe, one.calls)


def _named(
    names: Mapping[str, Any], given: Mapping[str, Any], module: str, called: Sequence[Recorded] = (),
    wrong: list[Fault] | None = None,
) -> list[Subject]:  # fmt: skip
    """What of a module's names can be checked: its own classes of ops stand for their only op.

    Short forms that were called are left out: they are known by their functions, and these by their calls.
    """
    known = [getattr(node.op, "said", None) for one in called for node in one.made.maker.fgraph.toposort()]
    subjects: list[Subject] = []
    ops: list[Op] = []
    values = sorted(names.items(), key=lambda item: isinstance(item[1], type))
    for name, value in values:
        said = getattr(getattr(value, "op", None), "said", None)
        if name not in given and (name.startswith("_") or (said and any(said is one for one in known))):
            continue
        if isinstance(value, type):
            own = issubclass(value, Op) and value.__module__ == module and not any(type(op) is value for op in ops)
            value = _only(value) if own else None
        if isinstance(value, Op):
            if not has_c(value):
                continue
            ops.append(value)
        try:
            subject = None if value is None else subject_of(value, name, given.get(name, ()))
        except Exception as err:  # the others are checked all the same
            if wrong is None:
                raise
            wrong.append(Fault(name, type(err).__name__, str(err)))
            continue
        if subject is not None:
            subjects.append(subject)
    return subjects


def has_c(op: Op) -> bool:
    """Whether an op says what its C is."""
    return callable(getattr(op, "c_code", None)) and not inspect.isabstract(type(op))


def _only(cls: type[Op]) -> Op | None:
    """The op of a class that takes nothing; None: it takes something."""
    try:
        return cls()
    except (TypeError, ValueError, NotImplementedError, OpweldError):
        return None


def subject_of(value: object, name: str, given: Sequence[tuple[Any, ...]] = ()) -> Subject | None:
    """Make a subject of what has C.

    Parameters
    ----------
    value : object
        A function, a variable that something computes, an op, or a short form.
    name : str
        What reports call it.
    given : list of tuple
        Values that it is called with.

    Returns
    -------
    Subject or None
        None: it is something else, or takes what cannot be guessed.
    """
    if isinstance(value, Recorded):
        return Subject(name, value.made.maker.recipe, [*value.calls, *given])
    recipe = getattr(getattr(value, "maker", None), "recipe", None)
    if isinstance(recipe, Recipe):
        return Subject(name, recipe, given)
    if isinstance(value, Variable):
        return None if value.owner is None else _of_outputs(name, leaves([value]), [value], given)
    if isinstance(value, np.ufunc):
        return _of_ufunc(value, name, given)
    form: Any = value if hasattr(value, "source") else None
    op: Any = value if form is None else getattr(form, "op", None)
    if not isinstance(op, Op):
        return None
    changed: Sequence[int] = ()
    if form is not None:  # as a call on arrays has it: what is changed is the array itself
        changed, op = form.op.text.signature.changed, form.op.working_in_place()
    said = bool(given) or says_inputs(op)
    for inputs in inputs_of(op, given):
        outputs = applied(op, inputs)
        if outputs is None:
            continue
        try:
            specs = [
                In(v, mutable=True) if i in changed else v for i, v in enumerate(inputs) if not isinstance(v, Constant)
            ]
            return _of_outputs(name, specs, outputs, given)
        except (TypeError, ValueError, AttributeError, IndexError, CompileError) as err:
            if said:
                raise
            if isinstance(err, CompileError):
                return None  # it would take what it has no C for
    return None


def _of_ufunc(made: np.ufunc, name: str, given: Sequence[tuple[Any, ...]]) -> Subject | None:
    """A short form that is a ufunc, as a node between variables; None: it is NumPy's, or another package's."""
    form = _ufunc.form_of(made)
    if form is None:
        return None
    inputs = [variable_of(form.text.signature, argument) for argument in form.text.signature.inputs]
    found = made(*inputs)
    return _of_outputs(name, inputs, list(found) if isinstance(found, (list, tuple)) else [found], given)


def _of_outputs(
    name: str, inputs: Sequence[Variable | In], outputs: list[Variable], given: Sequence[tuple[Any, ...]]
) -> Subject | None:
    written = destroyed(outputs)
    inputs = [In(v, mutable=True) if isinstance(v, Variable) and v in written else v for v in inputs]
    try:
        made = function(inputs, outputs[0] if len(outputs) == 1 else outputs, name=name, on_unused_input="ignore")
    except NotImplementedError:
        return None
    made = made.made if isinstance(made, Recorded) else made
    return Subject(name, made.maker.recipe, given)


def distinct(subjects: list[Subject]) -> list[Subject]:
    """Give each a name of its own; what is there already gives only its inputs.

    Parameters
    ----------
    subjects : list of Subject
        As they were found.

    Returns
    -------
    list of Subject
    """
    seen: dict[str, int] = {}
    kept: list[Subject] = []
    for subject in subjects:
        same = next((other for other in kept if other.recipe is subject.recipe), None)
        if same is not None:
            same.given += [values for values in subject.given if not any(values is other for other in same.given)]
            continue
        seen[subject.name] = seen.get(subject.name, 0) + 1
        if seen[subject.name] > 1:
            subject.name += f" ({seen[subject.name]})"
        kept.append(subject)
    return kept
