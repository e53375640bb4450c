"""What the runtime does with calls that the project's ops are not called with by themselves: subjects for `sweep`.

Each function below makes one: a graph, the calls that lead to places of `templates/runtime`, right ones and wrong ones,
and what else is done with a function besides calling it.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import pathlib
import pickle
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import opweld
import opweld.tensor as T
from opweld import Apply, COp, In
from opweld.checking import Call, Subject
from opweld.compile import buildrequest
from opweld.compile.code import bind
from opweld.generic import generic
from opweld.graph.op import Op

__all__ = ["SUBJECTS", "runtime"]

ROOT = pathlib.Path(__file__).parents[1]
v, w, m, n = T.dvector("v"), T.dvector("w"), T.dmatrix("m"), T.dmatrix("n")
s, i = T.dscalar("s"), T.lscalar("i")
A, B, M = np.arange(1.0, 5.0), np.array([2.0, -1.0, 0.5, 3.0]), np.arange(12.0).reshape(3, 4)
READ_ONLY = np.arange(3.0)
READ_ONLY.flags.writeable = False
FIELDS = np.zeros(3, [("n", "S3"), ("a", "i4"), ("b", "f4")])
MANY_FIELDS = np.zeros((3, 1), [(name, "c16") for name in "abcd"])
NO_NUMBERS = np.zeros(3, [("n", "S3")])


def _misaligned(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same elements, a byte beside where they should lie."""
    made = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


#: Has the engine give the text, in a process apart: one that holds it must not be forked.
_ASK = """
import json, sys
from opweld import _engine
sys.stdout.write(json.loads(_engine.pyext_Runtime(json.dumps({"faults": True})))["text"])
"""


def runtime(*defines: str) -> str:
    """Compile the runtime with places that can be forced, and with what else it may have; no wheel carries it.

    Parameters
    ----------
    *defines : str
        Of ``OPW_PROFILE`` and ``OPW_ACCOUNT``.

    Returns
    -------
    str
        The object's path; it is made once.
    """
    text = subprocess.run([sys.executable, "-c", _ASK], check=True, capture_output=True, text=True).stdout
    digest = hashlib.sha256(repr((defines, sys.version, np.__version__, text)).encode()).hexdigest()[:16]
    folder = ROOT / "build" / "sweep"
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"runtime-{digest}.o"
    if not target.exists():
        with tempfile.TemporaryDirectory(dir=folder) as here:
            include = [f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}"]
            given = [f"-D{one}" for one in ("OPW_FAULTS", *defines)]
            subprocess.run(
                ["gcc", "-std=gnu17", "-O1", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-fwrapv", "-w", *include,
                 *given, "-c", "-x", "c", "-", "-o", f"{here}/runtime.o"],
                input=text, text=True, check=True,
            )  # fmt: skip
            os.replace(f"{here}/runtime.o", target)
    return str(target)


def _runtime_object(profile: bool = False, account: bool = False, faults: bool = False) -> str:
    """As opweld's own, but of functions that are profiled, or accounted, with places."""
    if faults and (profile or account):
        return runtime(*["OPW_PROFILE"] * profile, *["OPW_ACCOUNT"] * account)
    return _RELEASED(profile, account, faults)


_RELEASED, buildrequest.runtime_object = buildrequest.runtime_object, _runtime_object


class Offers:
    """What NumPy asks for an array.

    Parameters
    ----------
    array : numpy.ndarray or Exception
        What it says.
    """

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: object = None, copy: object = None) -> Any:
        if isinstance(self.array, Exception):
            raise type(self.array)(*self.array.args)  # a new one: what is raised is given its place
        return self.array


class Own(np.ndarray):  # type: ignore[type-arg]
    """An array of a class of its own."""


def _subject(made: Any, given: list[tuple[Any, ...]], **scenes: Callable[[Any], Any]) -> Subject:
    return Subject(made.name or "f", made.maker.recipe, given, scenes)


def _first(*values: object, **names: object) -> Callable[[Any], Any]:
    """The first call of a function: what it makes but once is made then."""
    return lambda made: made.maker.create()(*values, **names)


def _arguments() -> Subject:
    """Everything that may come as a vector of doubles."""
    given: list[Any] = [
        A, [1.0, 2.0], A.astype("f4"), A.astype("i4"), A.astype(">f8"), _misaligned(A), A.view(Own), Offers(A),
        range(3),
        M, M[:1], M[:, :1], M[:0], M[:0, :0], M.astype("c16"), M.view(np.matrix), A.astype("c16"),
        np.ma.masked_array(A, A > 2),
        2.0, [[1.0, 2.0]], [[1], [2, 3]], [1j], [1, "a"], [2**53 + 1], [2**53 + 1] * 20, [2**70], [2**70 + 1],
        [10**400],
        [float("nan")] * 20, None, "abc", "a" * 50, {"a": 1}, object(), v, FIELDS, MANY_FIELDS, NO_NUMBERS,
        np.array(["1", "2"]), np.array(["a"]), np.ones(2, "O"), np.zeros(2, "M8[s]"), Offers(RuntimeError()),
        Offers(RuntimeError("no")), Offers(RuntimeError("no", 2)), Offers(ValueError("no")), np.ones((1, 2, 1, 2)),
    ]  # fmt: skip
    calls = [(value,) for value in given]
    return _subject(opweld.function([v], T.exp(v)), calls, first=_first([1, 2]), refused=_first("a"))


def _shapes() -> Subject:
    """Matrices of which one size or both are known, and numbers for them."""
    x, y, z = (T.tensor(name, dtype="float64", shape=shape) for name, shape in zip("xyz", [(2, 3), (None, 3), (3,)]))
    right = np.ones((2, 3)), np.ones((2, 3)), np.ones(3)
    wrong: list[list[Any]] = [
        [M, M[:1], M[:2, :2], 1.5, [[1.0]], [[1.0] * 4] * 2, M[None], np.ones((2, 1, 5)), [1.0], M.astype("f4"), ["1"]],
        [M, M[:2], 2.0, M.T, [[1.0, 2.0]]],
        [np.ones(5), np.ones(2), 1.5, [1.0], M, [1.0] * 5, np.ones((2, 5, 1))],
    ]
    calls = [right]
    calls += [(*right[:k], value, *right[k + 1 :]) for k, values in enumerate(wrong) for value in values]
    return _subject(opweld.function([x, y, z], x + y * z), calls)


def _dtypes() -> Subject:
    """Numbers and lists for other dtypes: what is kept, what is not, what is rounded."""
    names = "float16", "float32", "int8", "uint8", "bool", "complex64", "longdouble", "int64"
    scalars = [T.tensor(f"{name}0", dtype=name, shape=()) for name in names]
    vectors = [T.tensor(f"{name}1", dtype=name, shape=(None,)) for name in names]
    right = [np.ones((), name) for name in names] + [np.ones(2, name) for name in names]
    numbers: list[Any] = [
        1,
        0.5,
        0.1,
        300,
        -1,
        2**70,
        10**400,
        True,
        1j,
        1e300,
        np.float32(0.5),
        np.int8(1),
        np.float16(1),
        "a",
        None,
    ]
    calls = [tuple(right)]
    for k in range(len(names)):
        for value in [*numbers, M]:
            calls.append((*right[:k], value, *right[k + 1 :]))
        for value in [
            *([one, one] for one in numbers[:10]),
            [0.1] * 20,
            [2**24 + 1] * 20,
            np.ones(2),
            np.ones(2, "q"),
            1.0,
        ]:
            calls.append((*right[: k + 8], value, *right[k + 9 :]))
    options = {"conventions": "theano"}
    f = opweld.function([*scalars, *vectors], [one + 0 for one in [*scalars, *vectors]], options=options)
    return _subject(f, [*calls, Call(*right, out=f(*right))])


def _weak() -> Subject:
    """Python's numbers beside arrays: they take the dtype."""
    given = [2, 0.5, 2**70, 10**400, 1j, "a", [1.0], np.float64(0.1)]
    kinds = ["complex64", "float16", "float32", "int8", "uint8", "bool"]
    x = [T.tensor(name, dtype=name, shape=()) for name in kinds]
    right = tuple([np.ones((), one) for one in kinds])
    calls = [right, *((*right[:k], value, *right[k + 1 :]) for k in range(len(kinds)) for value in given)]
    return _subject(opweld.function(x, [one * 2 for one in x[:5]] + [~x[5]]), calls)


def _strict() -> Subject:
    """An argument that is never converted, and one that is written over."""
    x = T.dvector("x")
    text = "for (npy_intp k = 0; k < n; k++) x[k] += 1;"
    inputs = [In(v, strict=True), In(x, mutable=True), In(s, strict=True)]
    added = opweld.cop("x: inout T[n]", text)(x)
    one = np.ones(())
    wrong: list[Any] = [
        A.astype("f4"), [1.0], A.astype(">f8"), _misaligned(A), M.astype("f4"), READ_ONLY, Offers(READ_ONLY),
        M.astype("c16"),
        ["1"], 2.0, FIELDS, M, [1j], A.astype("c16").astype(">c16"), _read_only([[1.0]]), [[1.0, 2.0]],
    ]  # fmt: skip
    calls: list[tuple[Any, ...]] = [(A, A, one), (A, A.astype("q").view("f8"), one)]
    calls += [(value, A, one) for value in wrong] + [(A, value, one) for value in wrong]
    calls += [(A, A, value) for value in (1.0, A, M, [1.0])]
    calls.append(Call(A, A, one, out=[None, np.empty(8)[::2]]))
    return _subject(opweld.function(inputs, [v + s, added]), calls)


def _short() -> Subject:
    """A short form: what is copied for it, memory of its own, and words that do not fit where most do."""
    text = """
        if (n == 3) fail(ValueError, "%0300d is too long", 3);
        for (npy_intp k = 0; k < n; k++) held[k % 2] += x[k], y[k] = held[0];
    """
    form = opweld.cop("x: T[n] -> y: T[n], held: work T[2] = 0", text)
    return _subject(opweld.function([v], form(v)), [(A,), (np.ones(8)[::2],), (np.ones(3),)])


def _read_only(value: object) -> Offers:
    array = np.array(value)
    array.flags.writeable = False
    return Offers(array)


def _downcast() -> Subject:
    """Arguments that are cast whatever becomes of them."""
    x, y = T.tensor("x", dtype="int8", shape=(None,)), T.tensor("y", dtype="float32", shape=(None,))
    calls = [
        (np.array([1.7, -2.2]), [0.1]), ([3.9], np.array([1e300])), (np.ones(2, complex), [1e-300] * 20),
        (["a"], [1.0]),
        ([1], M), ([1], 1j * A), (np.array(["a"]), [1.0]),
    ]  # fmt: skip
    return _subject(
        opweld.function([x, y], [x + 1, T.exp(y)], allow_input_downcast=True), calls, first=_first([1.5], [1e300])
    )


def _rounded() -> Subject:
    """Python's floats for float32, which may be rounded where ``floatX`` says so."""
    x, y = T.tensor("x", dtype="float32", shape=()), T.tensor("y", dtype="float32", shape=(None,))
    f = opweld.function([x, In(y, allow_downcast=False)], x * y, options={"conventions": "theano"})
    return _subject(f, [(0.5, [0.5]), (0.1, [0.5]), (0.5, [0.1]), (1e300, [1.0]), (np.float64(0.1), [0.1] * 20)])


def _names() -> Subject:
    """Arguments by name, left out, given twice, unknown; some have no name."""
    x = T.dvector()
    calls = [
        (A, A), Call(A, v=A), Call(A, **{"".join(["", "v"]): A}), Call(A, A, v=A), Call(A, u=A), Call(A, A, out=None),
        (A,), (), (A, A, 3.0), (A, A, 3.0, A), Call(A, v=A, s=2), Call(A, v="a"), ("a", A), Call(A, v=A, s=M),
        Call(A, A, **{_Text("v"): A}), Call(A, **{_Text("v"): A}), Call(A, **{_Text("vv"): A}),
    ]  # fmt: skip
    f = opweld.function([x, v, In(s, value=2.0, name="s")], x + v * s, name="named")
    return _subject(f, calls, first=_first(A, "a"), signature=_signature, shown=repr, pickled=pickle.dumps)


class _Text(str):
    """A name that is not interned, and must be compared."""


def _signature(made: Any) -> object:
    return str(made.__signature__)


def _out() -> Subject:
    """Where results go."""
    inputs = [v, In(w, value=B)]
    f = opweld.function(inputs, [v + w, T.cumsum(v), v[::-1]])
    five = np.empty(5)
    twice = np.empty(7)
    shared = np.empty(9)
    outs: list[Any] = [
        None, [None] * 3, [None], 5, np.empty(4), [np.empty(4), None, None], (np.empty(4), np.empty(4), np.empty(4)),
        [five, None, None], [None, five, None], [None, None, five], [np.empty(4, "f4"), None, None], ["a", None, None],
        [READ_ONLY, None, None], [np.empty(8)[::2], None, None], [twice[:4], twice[3:], None],
        [shared[::2][:4], shared[1::2], None], [np.empty((4, 1)), None, None], [_misaligned(A), None, None],
        [np.ma.zeros(4), None, None], [np.empty(4).view(Own), None, None], [np.broadcast_to(1.0, (4,)), None, None],
        [np.lib.stride_tricks.as_strided(np.ones(4), (4,), (0,)), None, None], [np.zeros(4, "O"), None, None],
    ]  # fmt: skip
    calls = [(A, B), *(Call(A, out=out) for out in outs)]
    return _subject(f, calls, over=lambda made: made(a := A.copy(), a[::-1], out=[a, None, None]))


def _one_out() -> Subject:
    """The same of one result, whose size is known, and of one whose type takes none."""
    x = T.tensor("x", dtype="float64", shape=(3,))
    f = opweld.function([x], T.sqrt(x), name="sized")
    right = np.ones(3)
    outs = [np.empty(3), np.empty(4), [np.empty(3)], (None,), READ_ONLY, 5, np.empty(3).view(Own), np.ma.zeros(3)]
    return _subject(f, [(right,), *(Call(right, out=out) for out in outs)])


def _kept() -> Subject:
    """Results that lie where another result is to be copied."""
    own = np.arange(1.0, 8.0)
    f = opweld.function([v], [Gives(own[:-1])(v), Gives(own[1:])(v), v * 2])
    six = np.ones(6)

    def into(*outs: Any) -> Callable[[Any], Any]:
        def run(made: Any) -> Any:
            try:
                return [one.copy() for one in made(six, out=list(outs))]
            finally:
                own[:] = np.arange(1.0, 8.0)

        return run

    places = {"first": (own[1:], None, None), "second": (np.empty(6), own[:-1], None), "third": (None, None, own[1:])}
    return _subject(f, [(six,)], **{name: into(*outs) for name, outs in places.items()})


class Gives(Op):
    """Gives in Python what it was made with.

    Parameters
    ----------
    value : object
        What it gives.
    kind : Type, optional
        Of what type that is.
    """

    __props__ = ()

    def __init__(self, value: Any, kind: Any = None) -> None:
        self.value = value
        self.kind = kind

    def make_node(self, x: Any) -> Apply:
        """Take anything."""
        return Apply(self, [x], [(self.kind or x.type)()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        """Give it."""
        if isinstance(self.value, Exception):
            raise self.value
        output_storage[0][0] = self.value


def _in_python() -> Subject:
    """Nodes in Python among those in C, and objects of Python's."""
    o = generic("o")
    f = opweld.function([v, o], [T.exp(Gives(A)(v)), Gives([1], generic)(o), T.exp(v)])
    return _subject(
        f, [(A, None), (A, [1]), Call(A, [1], out=[np.empty(4), None, None]), Call(A, [1], out=[None, [2], None])]
    )


def _unlike() -> Subject:
    """An op that leaves what its type does not allow, with storage by its old name; a type that reads another array."""
    return _subject(opweld.function([v], [Leaves()(v), T.exp(v)]), [(A,), (B,)])


class Leaves(COp):
    """Leaves an array of another dtype where the first element is 2."""

    __props__ = ()

    def make_node(self, x: Any) -> Apply:
        """Take a vector."""
        return Apply(self, [x], [x.type()])

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """Make it."""
        (x,), (z,) = inputs, outputs
        return f"""
            if (PyList_GET_SIZE(storage_{x}) != 1) {{
                PyErr_SetString(PyExc_RuntimeError, "no storage");
                {sub["fail"]}
            }}
            Py_XDECREF({z});
            {z} = (PyArrayObject *)PyArray_ZEROS(1, PyArray_DIMS({x}),
                PyArray_DIM({x}, 0) && *(double *)PyArray_DATA({x}) == 2 ? NPY_FLOAT : NPY_DOUBLE, 0);
            if (!{z}) {sub["fail"]}
        """


class Deep(T.TensorType):
    """Reads another array than the one that it is given, where that has one element."""

    def c_extract(self, name: str, sub: Any, check_input: bool = True, **kwargs: Any) -> str:
        """Read it."""
        return f"""
            if (PyArray_SIZE((PyArrayObject *)py_{name}) == 1)
                {name} = (PyArrayObject *)PyArray_ZEROS(0, NULL, NPY_INT8, 0);
            else
                {name} = (PyArrayObject *)PyArray_NewCopy((PyArrayObject *)py_{name}, NPY_CORDER);
            if (!{name})
                {sub["fail"]}
        """


def _deep() -> Subject:
    """The same of an argument, and of what Python gives."""
    deep = Deep("float64", (None,))
    x = deep("x")
    return _subject(
        opweld.function([v, In(x, value=A)], [T.exp(Gives(A[:2], deep)(v)), T.exp(x)]), [(A,), (A, A), (A, A[:1])]
    )


class State(COp):
    """An op that keeps state, and says so where a module is loaded."""

    __props__ = ()

    def make_node(self, x: Any) -> Apply:
        """Take a vector."""
        return Apply(self, [x], [x.type()])

    def c_init_code(self) -> list[str]:
        """Run once a load."""
        return ['if (PyErr_WarnEx(PyExc_DeprecationWarning, "loaded", 1) < 0) return NULL;']

    def c_support_code_struct(self, node: Any, name: str) -> str:
        """Have a list."""
        return "PyObject *kept = NULL;"

    def c_init_code_struct(self, node: Any, name: str, sub: Any) -> str:
        """Make it."""
        return f"kept = PyList_New(0); if (!kept) {sub['fail']}"

    def c_cleanup_code_struct(self, node: Any, name: str) -> str:
        """Drop it."""
        return "Py_CLEAR(kept);"

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """Copy."""
        (x,), (z,) = inputs, outputs
        return f"""
            Py_XDECREF({z});
            {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
            if (!{z}) {sub["fail"]}
        """


def _state() -> Subject:
    """A function whose calls take turns, with constants."""
    return _subject(opweld.function([v], State()(v) * T.constant(A)), [(A,)])


class Turns(COp):
    """Turns its input over in place: it relies on its lying apart from what is read besides."""

    __props__ = ()
    destroy_map = {0: [0]}

    def make_node(self, x: Any, y: Any) -> Apply:
        """Take two vectors."""
        return Apply(self, [x, y], [x.type()])

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """Add the other in reverse."""
        (x, y), (z,) = inputs, outputs
        return f"""
            npy_intp k, n = PyArray_DIM({x}, 0);
            if (PyArray_DIM({y}, 0) != n) {{
                PyErr_SetString(PyExc_ValueError, "sizes differ");
                {sub["fail"]}
            }}
            Py_XDECREF({z});
            {z} = {x};
            Py_INCREF({z});
            for (k = 0; k < n; k++)
                *(double *)PyArray_GETPTR1({z}, k) += *(double *)PyArray_GETPTR1({y}, n - 1 - k);
        """


def _apart() -> Subject:
    """An argument that is written over where it lies over another that is read."""
    f = opweld.function([In(v, mutable=True), w], Turns()(v, w))
    return _subject(f, [(A, B)], over=lambda made: made(a := A.copy(), a[::-1]))


def _updates() -> Subject:
    """Shared values that calls update, and one that is read alone."""
    one, two, k = (opweld.shared(value, name=name) for value, name in [(A, "one"), (B, "two"), (2.0, "k")])
    f = opweld.function([v], [one * k, two.sum()], updates=[(one, one + v), (two, two * k)], name="updates")
    return _subject(
        f, [(A,), ("a",), (np.ones(3),), Call(A, out=[np.empty(4), None]), Call(A, out=[np.empty(3), None])],
        fresh=_new_turn, forked=_after_fork, nested=_nested, emptied=_emptied,
    )  # fmt: skip


def _new_turn(made: Any) -> None:
    """Bind it when nobody has made the turn of the shared values yet."""
    for shared in made.maker.shared:
        shared.cell.turn = None
    made.maker.create()


class _Turn(ctypes.Structure):
    """As `opw_turn` in templates/runtime/instance.c."""

    _fields_ = [("lock", ctypes.c_void_p), ("owner", ctypes.c_ulong), ("held", ctypes.c_int), ("process", ctypes.c_int)]


def _turn(made: Any) -> _Turn:
    """The turn of its first shared value."""
    at = ctypes.pythonapi.PyCapsule_GetPointer
    at.restype, at.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return _Turn.from_address(at(made.maker.shared[0].cell.turn, b"opweld.turn.1"))


def _after_fork(made: Any) -> object:
    """A call where a thread that was not forked has the turn: as that leaves it."""
    made = made.maker.create()
    turn = _turn(made)
    turn.held, turn.process, lock = 1, os.getpid() + 1, turn.lock
    try:
        return made(A)
    finally:
        turn.held = 0
        if turn.lock != lock:  # which another process's thread would have: here nobody does
            ctypes.pythonapi.PyThread_free_lock(ctypes.c_void_p(lock))


def _nested(made: Any) -> object:
    """A call from within a call that updates the same value: as that finds it."""
    made = made.maker.create()
    turn = _turn(made)
    turn.held, turn.owner, turn.process = 1, threading.get_ident(), os.getpid()
    try:
        return made(A)
    finally:
        turn.held = 0


def _emptied(made: Any) -> object:
    """A call where somebody has emptied the cell."""
    cell = made.maker.shared[0].cell
    held = cell.pop()
    try:
        return made(A)
    finally:
        cell.append(held)


def _cells() -> Subject:
    """Functions of cells: called without arguments, with some, and through a capsule."""
    inputs = [T.dvector(f"x{k}") for k in range(9)]
    f = opweld.function(inputs, [sum(inputs[1:], inputs[0]), T.exp(inputs[0])])
    values = [A + k for k in range(9)]
    return _subject(
        f, [tuple(values)], bound=_bound(values), failing=_bound([*values[:8], "a"]), capsule=_by_capsule(values)
    )


def _bound(values: list[Any]) -> Callable[[Any], Any]:
    def run(made: Any) -> Any:
        gives: list[list[Any]] = [[None], [None]]
        cells = bind(made.maker.code, "cells", takes=[[value] for value in values], gives=gives)
        cells()
        return [*cells(*values[:2]), *(cell[0] for cell in gives), *cells(*values)]

    return run


def _by_capsule(values: list[Any]) -> Callable[[Any], Any]:
    def run(made: Any) -> Any:
        takes, errors = [[value] for value in values], [None, None, None]
        cells = bind(made.maker.code, "cells", takes=takes, gives=[[None], [None]])
        capsule = cells.capsule(errors)
        for name, kind in (
            ("PyCapsule_GetPointer", [ctypes.py_object, ctypes.c_char_p]),
            ("PyCapsule_GetContext", [ctypes.py_object]),
        ):
            getattr(ctypes.pythonapi, name).argtypes = kind
            getattr(ctypes.pythonapi, name).restype = ctypes.c_void_p
        call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(ctypes.pythonapi.PyCapsule_GetPointer(capsule, None))
        context = ctypes.pythonapi.PyCapsule_GetContext(capsule)
        if call(context):
            raise errors[1] or RuntimeError("no exception")
        takes[0][0] = None
        return call(context)

    return run


def _broadcast() -> Subject:
    """Loops that have no shape in common, and groups of which a member has none."""
    f = opweld.function([m, n, v], [T.exp(m + n) * v, T.sqrt(m[1:] * n[1:]).sum(0), (m * n).T[1] + 1])
    one = np.ones((3, 4))
    calls = [
        (one, one, A), (one, np.ones((2, 4)), A), (one, one, np.ones(3)), (np.ones((1, 4)), one, A),
        (one[:0], one[:0], A),
        (one, one[:, :3], A), (np.ones((3, 1)), np.ones((3, 1)), np.ones(1)), (one.T[:3], one.T[:3], np.ones(3)),
    ]  # fmt: skip
    return _subject(f, calls)


def _slabs() -> Subject:
    """Loops that hand rows on, of more than caches hold."""
    f = opweld.function([m], (m - m.max(axis=1, keepdims=True)) * m.sum(axis=1, keepdims=True))
    return _subject(f, [(np.ones((3000, 800)),)])


def _views() -> Subject:
    """Groups that read through views, of which one cannot be had."""
    f = opweld.function([m, i, v], T.exp(m[i]) * m[1] + v[i])
    return _subject(f, [(M, 0, A), (M, 7, A), (M, 1, A), (M[:1], 0, A), (M, 0, np.ones(3)), (M, 0, np.ones(0))])


def _pair() -> Subject:
    """One loop of several results."""
    return _subject(opweld.function([v, w], [v + w, v * w]), [(A, B), ([1.0], 2.0), (A, np.ones(2))])


def _alone() -> Subject:
    """One loop whose operands have no shape in common."""
    calls = [(A, B), (A, np.ones(3)), (A, np.ones(1)), (A[::-1], B[::-1])]
    return _subject(opweld.function([v, w], v * w + 1), calls)


def _scalars() -> Subject:
    """Results without dimensions: truths, numbers, several of them, with temporaries of the table."""
    f = opweld.function([s, v], [s > 1, s * 2, v.sum(), T.any(v > 2), v.max()])
    return _subject(f, [(2.0, A), (np.float64(3.0), B), (1.0, np.ones(0))])


def _truth() -> Subject:
    """One truth, by one loop and by a fold."""
    return _subject(opweld.function([v], T.all(v > 0)), [(A,), (B,), Call(v=A)])


def _remarks() -> Subject:
    """Floating point that NumPy would speak of: said of a lane, of a walk, of results by the table."""
    f = opweld.function([v, w], [v / w, T.cumsum(v / w), T.log(v)])
    return _subject(f, [(A, B), (A, np.zeros(4)), Call(A, w=np.zeros(4))])


def _remarks_of_one() -> Subject:
    """The same of one loop."""
    return _subject(opweld.function([v, w], v / w), [(A, B), (A, np.zeros(4)), (A, [0.0] * 4)])


def _threads() -> Subject:
    """A function that works on threads of the pool, over what is long enough."""
    f = opweld.function([v], [T.exp(v), v.sum()], options={"threads": 2})
    return _subject(f, [(A,), (np.ones(200_000),)])


def _folds() -> Subject:
    """Folds of what is long, along axes, into what was kept in another order."""
    t = T.dtensor3("t")
    f = opweld.function([m, t], [m.sum(), m.sum(0), t.sum((0, 2)), t.max(1), T.sort(m.sum(0))])
    cube = np.ones((40, 50, 60))
    calls = [
        (M, cube), (np.ones((300, 400)), cube.T), (M.T, cube[:0]), (np.ones((71, 16_001)), cube),
        Call(M, cube, out=[None, np.empty(8)[::2], None, None, None]),
        (np.ones((100_000, 3)), cube), (M[:0], cube), (M, np.ones((3, 0, 2))),
        Call(M[:0], cube, out=[None, np.empty(8)[::2], None, None, None]),
    ]  # fmt: skip
    return _subject(f, calls)


def _many() -> Subject:
    """So many variables that a call's frame does not lie on the stack."""
    x = [T.dscalar(f"s{k}") for k in range(300)]
    return _subject(opweld.function(x, T.stack(x)), [tuple(np.arange(300.0))])


def _profiled() -> Subject:
    """A function with clocks, and what they say."""
    o = generic("o")
    f = opweld.function([m, n, o], [T.exp(m + n).sum(0), Gives(2, generic)(o), m[1] * 2])
    one = np.ones((3, 4))
    made = _subject(f, [(one, one, None), (one, one[:2], None)], costs=_costs)
    made.options = {"profile": True}
    return made


def _costs(made: Any) -> int:
    found = made._costs()
    made._forget_costs()
    return len(found)


def _accounted() -> Subject:
    """A function whose references and memory are counted; one that it holds where nobody sees it is told of."""
    o = generic("o")
    made = _subject(opweld.function([v, o], [Hides()(v), T.exp(v), Passes()(o)]), [(A, [1])], told=_told)
    made.options = {"account": True}
    return made


class Hides(COp):
    """Makes many objects; one it keeps by its address, until the next call, where the first element is 7."""

    __props__ = ()

    def make_node(self, x: Any) -> Apply:
        """Take a vector."""
        return Apply(self, [x], [x.type()])

    def c_support_code(self) -> str:
        """Have a place for the address."""
        return "static uintptr_t hidden;"

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """Make them."""
        (x,), (z,) = inputs, outputs
        return f"""
            PyObject *made[40] = {{NULL}};
            int k, failed = 0, all = PyArray_DIM({x}, 0) && *(double *)PyArray_DATA({x}) == 7;
            for (k = 0; k < (all ? 40 : 1) && !failed; k++)
                failed = !(made[k] = Py_BuildValue("(i)", 1000 + k));
            if (!failed && all) {{
                PyArray_Descr *one = NULL, *two = NULL;
                char *text = strdup("text");
                void *lines = aligned_alloc(64, 64);
                if (hidden)
                    Py_DECREF((PyObject *)~hidden);
                hidden = ~(uintptr_t)made[0];
                made[0] = NULL;
                if (!text || !lines)
                    PyErr_NoMemory();
                failed = !text || !lines || !PyArray_DescrConverter(Py_None, &one) ||
                         !PyArray_DescrConverter2(Py_None, &two);
                free(text);
                free(lines);
                Py_XDECREF(one);
                Py_XDECREF(two);
            }}
            for (k = 0; k < 40; k++)
                Py_XDECREF(made[k]);
            if (failed) {sub["fail"]}
            Py_XDECREF({z});
            {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
            if (!{z}) {sub["fail"]}
        """


class Passes(COp):
    """An object, to which it takes a reference."""

    __props__ = ()

    def make_node(self, x: Any) -> Apply:
        """Take any object."""
        return Apply(self, [x], [x.type()])

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """Take it."""
        return f"Py_XDECREF({outputs[0]});\n{outputs[0]} = {inputs[0]};\nPy_INCREF({outputs[0]});"

    def c_code_cache_version(self) -> tuple[int, ...]:
        """Version of this text."""
        return (1,)


def _told(made: Any) -> None:
    made(A + 6, [1])
    made._accounts()
    made._forget_accounts()


SUBJECTS: dict[str, Callable[[], Subject]] = {
    one.__name__[1:]: one
    for one in (
        _arguments, _shapes, _dtypes, _weak, _strict, _short, _downcast, _rounded, _names, _out, _one_out, _kept,
        _in_python, _unlike, _deep, _state, _apart, _updates, _cells, _broadcast, _slabs, _views, _pair, _alone,
        _scalars, _truth, _remarks, _remarks_of_one, _threads, _folds, _many, _profiled, _accounted,
    )
}  # fmt: skip
