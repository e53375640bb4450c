"""``opweld.cop``: a function on arrays, and an op, of a signature and the few lines of C that do the work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from opweld._dispatch import Cop as Called
from opweld.compile.data import Program
from opweld.config import config
from opweld.cops import kept
from opweld.cops import types as kinds
from opweld.cops.kept import graphs
from opweld.cops.reading import Argument, Place, module_of, place_of
from opweld.cops.said import Said, said_of, text_of
from opweld.errors import OpweldWarning, _what, _yes_or_no
from opweld.rooms import ending, late, tracebacks

if TYPE_CHECKING:
    import inspect

__all__ = ["Form", "called", "cop", "formed"]

ufuncs: Any = late("opweld.cops.ufunc")  # few short forms are ufuncs, or called back by C


_OPTIONS = {"conventions": "numpy"}  # whatever is configured: dtypes were chosen by it


@overload
def cop(
    signature: str,
    body: str,
    *,
    name: str | None = None,
    perform: Callable[..., Any] | None = None,
    support: str = "",
    headers: Iterable[str] = (),
    header_dirs: Iterable[Any] = (),
    libraries: Iterable[str] = (),
    lib_dirs: Iterable[Any] = (),
    args: Iterable[str] = (),
    lang: str = "c",
    nogil: bool = False,
    check: bool = False,
    ufunc: Literal[False] = False,
) -> Called: ...


@overload
def cop(
    signature: str,
    body: str,
    *,
    name: str | None = None,
    perform: Callable[..., Any] | None = None,
    support: str = "",
    headers: Iterable[str] = (),
    header_dirs: Iterable[Any] = (),
    libraries: Iterable[str] = (),
    lib_dirs: Iterable[Any] = (),
    args: Iterable[str] = (),
    lang: str = "c",
    nogil: bool = False,
    check: bool = False,
    ufunc: Literal[True],
    threads: int = 1,
) -> np.ufunc: ...


@ending
def cop(
    signature: str,
    body: str,
    *,
    name: str | None = None,
    perform: Callable[..., Any] | None = None,
    support: str = "",
    headers: Iterable[str] = (),
    header_dirs: Iterable[Any] = (),
    libraries: Iterable[str] = (),
    lib_dirs: Iterable[Any] = (),
    args: Iterable[str] = (),
    lang: str = "c",
    nogil: bool = False,
    check: bool = False,
    ufunc: bool = False,
    threads: int = 1,
) -> Any:
    """Make a function on arrays of a signature and the C that does the work.

    Called on arrays it compiles for the dtypes that it meets, once, and computes; called on variables it is a node of
    their graph.

    Parameters
    ----------
    signature : str
        ``"x: T[n], a: T = 0.5 -> y: T[n] where T: float"``; docs/cop.md has the whole of it.
    body : str
        Statements. Arrays are pointers to contiguous memory, and ``x(i, j)`` their elements; numbers are values, sizes
        ``npy_intp``; outputs are there. ``fail(IndexError, "column %d", k);`` raises.
    name : str, optional
        What messages call it; left out: what the signature calls it, or what the result is assigned to.
    perform : callable, optional
        The same in Python, for DebugMode.
    support : str
        C at file scope.
    headers, header_dirs, libraries, lib_dirs, args : list of str
        For the compiler.
    lang : {"c", "c++"}
        The language of both texts.
    nogil : bool
        Release Python's lock while the body runs, which then calls nothing of Python's.
    check : bool
        Test every index.
    ufunc : bool
        Make one of NumPy's ufuncs: of elements where no argument has sizes, else a generalized one.
    threads : int
        On how many threads a ufunc's outer loop runs at most, where it is long.

    Returns
    -------
    callable
        ``op`` is the op that is applied to variables, ``source()`` the C of what was made. Or a `numpy.ufunc`.

    Raises
    ------
    SignatureError
        If the signature or the body cannot be what it is: a `ValueError` that shows the line.

    Examples
    --------
    >>> square = opweld.cop("x: T[n] -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = x[i] * x[i];")
    >>> square(np.array([1.0, 2.0]))
    array([1., 4.])
    """
    place, stored = place_of(sys._getframe(1))
    if name is None and isinstance(signature, str):
        head = signature.partition(":")[0].partition("(")
        name = (head[0].strip() if head[1] else "") or stored or "cop"
    said = said_of(
        signature, body, name=name, support=support, headers=headers, header_dirs=header_dirs, libraries=libraries,
        lib_dirs=lib_dirs, args=args, lang=lang, nogil=nogil, check=check,
    )  # fmt: skip
    if _yes_or_no("cop: ufunc", ufunc):
        made: Any = ufuncs.made(said, place, perform, threads)
        if hasattr(made, "__dict__"):  # of a NumPy that has it; else a pickle looks through all modules for the name
            made.__module__ = module_of(sys._getframe(1))
        return made
    if threads != 1:
        raise TypeError("cop: threads are for the outer loop of a ufunc: write ufunc=True with it")
    return called(said, place, perform)


def formed(said: Said, place: Place, perform: Callable[..., Any] | None = None, ufunc: bool = False) -> Any:
    """Make what is called, or a ufunc, of what it is made of."""
    return ufuncs.made(said, place, perform) if ufunc else called(said, place, perform)


def called(said: Said, place: Place, perform: Callable[..., Any] | None = None) -> Called:
    """Make what is called of what it is made of; a pickle does."""
    return Form(said, place, perform).called()


class Form:
    """What a short form knows besides what it is to who calls it.

    Attributes
    ----------
    said : Said
        What it is made of.
    reading : Text
        What the engine has made of that.
    place : Place
        Where its texts stand.
    perform : callable or None
        The same in Python.
    """

    def __init__(self, said: Said, place: Place, perform: Callable[..., Any] | None) -> None:
        if perform is not None and not callable(perform):
            raise TypeError(f"cop: perform must be callable, got {_what(perform)}")
        self.said = said
        self.place = place
        self.perform = perform
        self.reading = text_of(said)
        self._op: Any = None
        self._functions: dict[tuple[str, ...], Any] = {}
        if self.reading.unseen:
            self._warn()

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.said.name

    @property
    def inputs(self) -> tuple[Argument, ...]:
        """The inputs."""
        return self.reading.signature.inputs

    @property
    def op(self) -> Any:
        """What is applied to variables."""
        if self._op is None:
            self._op = graphs.op_of(self.said, self.reading, self.place, self.perform)
        return self._op

    def _warn(self) -> None:
        from warnings import warn_explicit

        listed = "; ".join([f"{name} in line {line}: {shown}" for name, line, shown in self.reading.unseen[:3]])
        said = f"{self.name}: check=True cannot test indices that go another way than x[i]: {listed}"
        warn_explicit(said, OpweldWarning, self.place.file, self.place.line)

    def called(self) -> Called:
        """Make what is called."""
        signature = self.reading.signature
        inputs = signature.inputs
        names = tuple([argument.name for argument in inputs])
        defaults = tuple([kinds.number_of(argument) for argument in inputs if argument.value is not None])
        made = Called(self, self.name, names, defaults, len(signature.outputs), signature.changed)
        made.__dict__.update(
            __name__=self.name,
            __qualname__=self.name,
            __doc__=self.doc(),
            source=self.source,
            capsule=self.capsule,
        )
        return made

    # ---- calls ----

    def shorten(self, error: BaseException) -> None:
        """Leave opweld's frames out of the traceback of what a user did wrong."""
        tracebacks.shorten(error, Form.meet.__code__)

    def meet(self, called: Called, key: int, values: tuple[Any, ...], out: object) -> Any:
        """Run a call of such arguments as were not met before.

        Parameters
        ----------
        called : Called
            Who is called.
        key : int
            By which it finds a function; 0: it cannot.
        values : tuple
            All inputs.
        out : object
            Where to put the outputs, or None.

        Returns
        -------
        object
            What the call gives.
        """
        if any(map(kinds.is_variable, values)):
            if out is not None:
                raise TypeError(f"{self.name}() of variables is a node of a graph and has no out=")
            return self.op(*values)
        arrays = tuple([self._value(a, value) for a, value in zip(self.inputs, values)])
        kinds.check_untied(self.name, self.reading.signature, arrays)
        made = self.function_of([kinds.decides(a, x) for a, x in zip(self.inputs, arrays)])
        if out is None:
            result = made(*arrays)
        else:
            changed = self.reading.signature.changed
            several = changed or isinstance(out, (list, tuple))
            result = made(
                *arrays,
                out=[*(out if isinstance(out, (list, tuple)) else [out]), *[None] * len(changed)] if several else out,
            )
        if key:
            called._add(key, made)
        return called._results(result, arrays)

    def _value(self, argument: Argument, value: object) -> Any:
        """An argument as functions take it: NumPy's and Python's as they are, what offers DLPack or an array so."""
        if argument.dtype == kinds.FUNCTION:
            return kinds.function_of(value)
        if isinstance(value, (np.ndarray, np.generic)) or type(value) in kinds.WEAK or argument.inout:
            return value
        try:
            if hasattr(value, "__dlpack__"):
                return np.from_dlpack(value)
            return np.asarray(value)
        except (TypeError, ValueError, BufferError, RuntimeError) as err:
            raise TypeError(f"{self.name}: NumPy makes no array of {argument.name}, {_what(value)}: {err}") from None

    def function_of(self, given: list[Any]) -> Any:
        """Give the function for arguments of such dtypes; made when it is first asked for.

        Parameters
        ----------
        given : list of (numpy.dtype or type)
            Of each input: its dtype, or which of Python's numbers it is.

        Returns
        -------
        Function
        """
        types = kinds.dtypes_of(self.name, self.reading.signature, given)
        key = tuple(types.values())
        found = self._functions.get(key)
        if found is None:
            found = self._functions[key] = self._made(types)
        return found

    def _made(self, types: dict[str, str]) -> Any:
        mode = config.mode

        def maker(program: Program | None = None) -> Any:
            return graphs.maker(self.op, types, _OPTIONS, mode, kept.known_by(self.said, types, mode), program)

        signature = self.reading.signature
        made = kept.function(self.said, signature, types, _OPTIONS, mode, maker) or graphs.function(maker())
        made.__doc__ = self.doc()
        return made

    @ending
    def capsule(self, prototype: str, *, success: int = 1) -> Any:
        """Offer the body to C that calls back, as SciPy's functions do of a `scipy.LowLevelCallable`.

        Parameters
        ----------
        prototype : str
            What is called: ``"double f(double x, void *data)"``. Its parameters have the names of the signature's
            arguments and sizes; what it returns is an output that is none of them, or else a code. A ``void *`` of
            another name is left alone.
        success : int
            The code where it has succeeded; where it fails, it is 0, or -1 for ``success=0``.

        Returns
        -------
        capsule
            Its name is the types of the prototype, without ``const``.

        Raises
        ------
        SignatureError
            If prototype and signature do not fit.
        """
        if not isinstance(prototype, str):
            raise TypeError(f"{self.name}.capsule: prototype must be a string, got {_what(prototype)}")
        text = text_of(self.said, callback=prototype, success=int(success))
        (found,) = ufuncs.addressing(self.said, text, self.place, text.types, text.core)()
        return found

    # ---- what Python shows ----

    def source(self, *dtypes: Any) -> str:
        """Give the C of a function that was made.

        Parameters
        ----------
        *dtypes : str or numpy.dtype
            Of the inputs; left out: of the first that was made.

        Returns
        -------
        str
        """
        if dtypes:
            return str(self.function_of([np.dtype(dtype) for dtype in dtypes]).maker.source())
        if not self._functions:
            raise ValueError(f"{self.name} was not called yet: call it, or give the dtypes of its inputs")
        return str(next(iter(self._functions.values())).maker.source())

    def text(self) -> str:
        """Give what ``repr`` shows."""
        return f"<opweld.cop {self.name}({self._inputs_text()}) -> {self._outputs_text()}>"

    def _inputs_text(self) -> str:
        return " ".join(self.said.signature.partition("->")[0].split()).removeprefix(f"{self.name}(").removesuffix(")")

    def _outputs_text(self) -> str:
        return " ".join(self.said.signature.partition("->")[2].split()) or "None"

    def reduced(self) -> Any:
        """Pickle it as what it was made of."""
        return called, (self.said, self.place, self.perform)

    def parameters(self) -> inspect.Signature:
        """Give the signature as Python has it."""
        from inspect import Parameter, Signature

        number, positional = kinds.number_of, Parameter.POSITIONAL_OR_KEYWORD
        found = [
            Parameter(a.name, positional, default=Parameter.empty if a.value is None else number(a))
            for a in self.inputs
        ]
        return Signature([*found, Parameter("out", Parameter.KEYWORD_ONLY, default=None)])

    def doc(self) -> str:
        """Write the docstring."""
        return kinds.documented(self.name, self.said.signature, self.reading.signature)
