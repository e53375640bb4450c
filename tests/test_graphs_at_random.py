"""Functions of graphs at random, fused and not, against NumPy: values, errors and what they name, warnings, memory.

One function holds several graphs over the same inputs and shared values, and is called several times, with other
arrays, shapes and layouts. ``make test-graphs`` runs the long form: 5,000 graphs; ``GRAPHS=20000 SEED=7``: more, and
others.
"""

from __future__ import annotations

import os
import shutil
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from graphs import (
    DTYPES,
    SIZES,
    Node,
    Random,
    Result,
    State,
    Unsuitable,
    Value,
    convert,
    draw,
    laid_out,
    numbers,
    quiet,
)
from reckoned import computed, without_effect

import opweld
import opweld.tensor as T
from opweld import In, Out
from opweld.compile import toolchain

Array = Any

LEVELS = toolchain.LEVELS[: toolchain.LEVELS.index(toolchain.march("native")) + 1]
if os.environ.get("OPWELD_PROCESSOR"):  # that level alone
    LEVELS = LEVELS[-1:]
THREADS = int(os.environ.get("OPWELD_GRAPHS_THREADS", "1"))
SHORT = "-O1 -fno-math-errno '-DOPW_WORTH(n)=((n) ? 8 : 0)'"  # loops of eight elements are long
EACH = 6  # graphs of a function
LONG = int(os.environ.get("OPWELD_GRAPHS", "0"))
FIRST = int(os.environ.get("OPWELD_GRAPHS_SEED", "0")) * 1_000_000
FUNCTIONS = -(-LONG // EACH) or (50 if os.environ.get("CI") else 12)


@dataclass
class Case:
    """Graphs, and what a function of them is made of."""

    inputs: list[Value] = field(default_factory=list)
    shared: list[tuple[Any, Value]] = field(default_factory=list)
    outputs: list[Value] = field(default_factory=list)
    updates: list[tuple[int, Value]] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    given_away: list[int] = field(default_factory=list)  # inputs that may be written over
    dims: list[int] = field(default_factory=list)
    shapes: list[tuple[int, ...]] = field(default_factory=list)  # of each input: places in dims; -1: one

    @property
    def wanted(self) -> list[Value]:
        return [*self.outputs, *(value for _, value in self.updates)]

    def sizes(self, which: int, dims: list[int]) -> tuple[int, ...]:
        return tuple(1 if at < 0 else dims[at] for at in self.shapes[which])


def sized(rng: Random) -> list[int]:
    """Three sizes, of which seldom one is large."""
    dims = [int(d) for d in rng.choice(SIZES, 3)]
    if rng.random() < 0.15:
        large = [(1, 65535), (1, 65536), (1, 65537), (3, 255), (3, 256), (3, 257)][int(rng.integers(6))]
        dims = [1, *large]
    return dims


def shaped(rng: Random) -> tuple[int, ...]:
    """Which sizes the axes of a source have: they line up at the end, as broadcasting has it."""
    ndim = int(rng.choice([0, 1, 1, 2, 2, 2, 3]))
    return tuple(-1 if rng.random() < 0.2 else at for at in range(3 - ndim, 3))


def drawn(seed: int) -> tuple[Case, Random]:
    rng = np.random.default_rng(seed)
    case = Case(dims=sized(rng))
    values = []
    for i in range(int(rng.integers(2, 6)) + int(rng.integers(3))):
        case.shapes.append(shaped(rng))
        dtype = str(rng.choice(DTYPES))
        array = numbers(rng, dtype, case.sizes(i, case.dims))
        exact = array.dtype.kind not in "fc" or bool(rng.random() < 0.7)
        probe = Result(array, None if exact else np.zeros(array.shape))
        if i < 5 and len(case.inputs) == i and rng.random() < 0.8:
            variable = T.TensorType(dtype, (None,) * array.ndim)(f"x{i}")
            value = Value(variable, Node(f"x{i}"), 0, Result(array, None), True)
            case.inputs.append(value)
        else:
            variable = opweld.shared(array, name=f"w{i}", shape=(None,) * array.ndim)
            value = Value(variable, Node(f"w{i}"), 0, probe, exact, signed=False)
            case.shared.append((variable, value))
        values.append(value)
    case.shapes = [case.shapes[values.index(v)] for v in [*case.inputs, *(v for _, v in case.shared)]]
    if rng.random() < 0.2:
        case.given_away = [i for i in range(len(case.inputs)) if rng.random() < 0.5]
    with_state = case.states if rng.random() < 0.15 else None
    everything = list(values)
    for _ in range(EACH):
        graph = list(rng.permutation(np.array(values, object))) + [
            v for v in everything[len(values) :] if rng.random() < 0.1
        ]
        begin = len(graph)
        draw(rng, graph, int(rng.choice([4, 8, 16, 30], p=[0.35, 0.35, 0.22, 0.08])), with_state)
        made = graph[begin:]
        everything += made
        ends = graph if rng.random() < 0.1 else (made or graph)
        case.outputs += [ends[-1 - int(rng.integers(min(4, len(ends))))] for _ in range(int(rng.integers(1, 4)))]
    update(rng, case, everything)
    return case, rng


def update(rng: Random, case: Case, everything: list[Value]) -> None:
    """New values of shared variables: of values that may be made of other shared variables."""
    for at, (_, value) in enumerate(case.shared):
        fits = [v for v in everything if v.ndim == value.ndim and v is not value]
        if fits and rng.random() < 0.7:
            try:
                (new,) = convert(fits[int(rng.integers(len(fits)))], value.dtype)
            except Unsuitable:
                continue
            if new.exact or not value.exact:
                case.updates.append((at, new))


# -- what NumPy makes of it ---------------------------------------------------------------------------------------


def alike(got: Array, want: Result, text: str) -> None:
    """Bits where they are known, else within the slack."""
    value, slack = want
    assert isinstance(got, (np.ndarray, np.generic)) and got.dtype == value.dtype and got.shape == value.shape, (
        f"{text}: {got.dtype} {got.shape}, not {value.dtype} {value.shape}"
    )
    equal = (got == value) | ((got != got) & (value != value))
    if slack is not None:
        equal |= quiet(lambda: np.abs(got - value) <= slack) | ~np.isfinite(slack)
    if not np.all(equal):
        at = np.argwhere(~np.atleast_1d(equal))[0]
        where = tuple(int(i) for i in at)[: got.ndim]
        off = 0 if slack is None else slack[where]
        raise AssertionError(f"{text}: {got[where]!r}, not {value[where]!r}, at {where} of {got.shape}; slack {off}")


# -- a function and its calls -------------------------------------------------------------------------------------


@dataclass
class Call:
    """Arguments, what is given as out=, and how."""

    arrays: list[Array]
    outs: list[Array | None] | None
    fails: bool = False  # by what is given as out=
    known: dict[Value, Result] = field(default_factory=dict)  # what it has read, when it was last made


def arguments(rng: Random, case: Case, at: int) -> list[Array]:
    """Arrays of the first shapes, or of others."""
    how = 0 if at < 2 else int(rng.integers(4))
    dims = list(case.dims)
    if how == 1:  # sizes that were the same stay so
        other = {d: d if d <= 1 and rng.random() < 0.7 else int(rng.choice(SIZES)) for d in dims}
        dims = [other[d] for d in dims]
    arrays = []
    for i, value in enumerate(case.inputs):
        sizes = case.sizes(i, dims)
        if how == 2:  # some turn out to be one, or to be another
            sizes = tuple(1 if rng.random() < 0.3 else d for d in sizes)
        if how == 3 and rng.random() < 0.6:
            sizes = tuple(int(rng.choice(SIZES)) if rng.random() < 0.5 else d for d in sizes)
        array = value.probe.value if not at else numbers(rng, value.dtype, sizes)
        arrays.append(laid_out(rng, array))
    return arrays


def given_outs(rng: Random, arrays: list[Array], wants: list[Result]) -> tuple[list[Array | None], bool]:
    """Arrays for results: fresh ones of any layout, parts of arguments, and some that are refused."""
    outs: list[Array | None] = []
    fails = False
    for value, _ in wants:
        kind = int(rng.integers(8))
        out = None
        if kind in (1, 2):
            out = laid_out(rng, np.zeros(value.shape, value.dtype))
            out = out if out.flags.writeable and out.flags.aligned else np.zeros(value.shape, value.dtype, order="F")
        if kind in (3, 4):
            over = [
                a
                for a in arrays
                if a.dtype == value.dtype and a.shape == value.shape and a.flags.writeable and a.flags.aligned
            ]
            out = over[0] if over else None
        if kind == 5 and rng.random() < 0.1:
            out, fails = np.zeros(value.shape, "f4" if value.dtype != np.float32 else "f8"), True
        if kind == 6 and rng.random() < 0.1:
            out, fails = np.zeros(value.shape, value.dtype), True
            out.flags.writeable = False
        if kind == 7 and rng.random() < 0.1:
            out = np.zeros([d + 2 for d in value.shape], value.dtype)
            fails |= bool(value.ndim)
        if out is not None and any(one is not None and np.may_share_memory(one, out) for one in outs):
            out = None
        outs.append(out)
    return outs, fails


def said(error: BaseException) -> list[str]:
    """The lines of an error's text that name neither strides nor where an array comes from."""
    lines = "\n".join([str(error), *getattr(error, "__notes__", [])]).splitlines()
    return [lines[0], *(line for line in lines if ": Elemwise" in line or "made at" in line)]


def heard(call: Any) -> tuple[Any, Exception | None, list[str]]:
    """What a call gives, raises, and warns of."""
    result = failure = None
    with warnings.catch_warnings(record=True) as words:
        warnings.simplefilter("always")
        try:
            result = call()
        except Exception as error:
            failure = error
    return result, failure, sorted({str(one.message) for one in words})


def perform(f: Any, case: Case, call: Call, state: str) -> tuple[Any, Exception | None, list[str]]:
    arrays = [array if not array.flags.writeable else kept(array) for array in call.arrays]
    for i in case.given_away:
        arrays[i] = call.arrays[i].copy() if arrays[i] is call.arrays[i] else arrays[i]
    outs = call.outs
    if outs is not None:
        outs = [next((mine for mine, a in zip(arrays, call.arrays) if a is out), out) for out in outs]
    with np.errstate(all=state):
        result, failure, words = heard(lambda: f(*arrays) if outs is None else f(*arrays, out=outs))
    if not failure and outs is not None:
        for out, got in zip(outs, result):
            assert out is None or out is got
    written = outs or []
    for i, (mine, array) in enumerate(zip(arrays, call.arrays)):
        if i not in case.given_away and not any(out is mine for out in written):
            np.testing.assert_array_equal(mine, array, err_msg="an argument has changed")
    return result, failure, words


def kept(array: Array) -> Array:
    """A copy that lies in memory as the array does."""
    if not array.flags.aligned or not array.size:
        return array
    low, high = np.lib.array_utils.byte_bounds(array)
    buffer = np.zeros(high - low, "u1")
    start = array.__array_interface__["data"][0] - low
    made = np.ndarray(array.shape, array.dtype, buffer, start, array.strides)
    if not made.flags.aligned:
        return array
    made[...] = array
    return made


def functions(rng: Random, case: Case) -> tuple[Any, Any]:
    """The function, fused and not."""
    borrows = [bool(rng.random() < 0.1) for _ in case.outputs]
    options: dict[str, Any] = {
        "on_unused_input": "ignore",
        "updates": [(case.shared[at][0], value.variable) for at, value in case.updates],
    }
    rewrites = "None" if rng.random() < 0.15 else "default"
    luck = rng.random()  # the long form is for how loops are joined, which no optimiser has to see each time
    effort = "-O3 -fno-math-errno" if luck < 0.1 else "-O0 -fno-math-errno" if LONG and luck > 0.4 else ""
    optimised = {"cflags": effort, "cxxflags": effort} if effort else {}
    march = str(rng.choice([*LEVELS]))
    if THREADS > 1:
        optimised = {"cflags": SHORT, "cxxflags": SHORT, "threads": THREADS}
    outputs = [Out(v.variable, borrow=b) for v, b in zip(case.outputs, borrows)]
    inputs = [In(v.variable, mutable=i in case.given_away) for i, v in enumerate(case.inputs)]
    options["options"] = {"optimizer": rewrites, "march": march, **optimised}
    made = [opweld.function(inputs, outputs, fuse=fuse, **options) for fuse in (True, False)]
    return made[0], made[1]


def expected(case: Case, call: Call, values: list[Result]) -> tuple[list[Result], list[Result], list[Any]]:
    """Results, new values of shared variables, failures."""
    call.known = {v: Result(a, None) for v, a in zip(case.inputs, call.arrays)}
    call.known |= {v: r for (_, v), r in zip(case.shared, values)}
    wants, failures = computed(case.wanted, call.known)
    if failures:
        return [], values, failures
    after = list(values)
    for (at, _), new in zip(case.updates, wants[len(case.outputs) :]):
        slack = None if case.shared[at][1].exact else new.slack if new.slack is not None else np.zeros(new.value.shape)
        after[at] = Result(np.array(new.value), slack)
    return wants[: len(case.outputs)], after, []


def check(f: Any, case: Case, calls: list[Call], state: str) -> list[Any]:
    """Makes the calls, one after the other, and compares each; what they raised and warned of."""
    values = [v.probe for _, v in case.shared]
    for variable, value in case.shared:
        variable.set_value(value.probe.value)
    for one in case.states:
        one.runs = 0
    told = []
    for at, call in enumerate(calls):
        wants, after, failures = expected(case, call, values)
        if failures and case.states:  # what remembers may have run before, or not
            break
        result, failure, words = perform(f, case, call, state)
        if not failure:
            assert not call.fails, f"call {at}: what was given as out= is refused"
            assert not failures, f"call {at}: NumPy refuses {[(n.text, str(e)) for n, e in failures]}"
            for place, (got, want) in enumerate(zip(result, wants, strict=True)):
                alike(got, want, f"call {at}, result {place}")
        elif not call.fails and not isinstance(failure, FloatingPointError):
            assert failures, f"call {at}: {failure!r} {getattr(failure, '__notes__', '')}"
            texts = [str(error).strip() for _, error in failures]
            text = str(failure).splitlines()[0].strip()
            same = [other for other in texts if other.startswith("operands could not be broadcast together")]
            assert text in texts or len(same) < len(texts), (text, texts)  # some of NumPy's functions say it otherwise
        values = values if failure else after
        for (variable, _), want in zip(case.shared, values):
            alike(variable.get_value(), want, f"call {at}, {variable.name}")
        told.append((len(failures), failure and (type(failure), said(failure)), words))
    return told


def said_besides(one: Any, other: Any) -> set[str]:
    """What a call has said of floating point, as words or by what it raised, and another has not."""
    mine, others = (
        {*words, *(lines[:1] if kind is FloatingPointError else [])}
        for _, (kind, lines), words in ((n, raised or (None, []), words) for n, raised, words in (one, other))
    )
    return mine - others


@pytest.mark.parametrize("seed", range(FUNCTIONS))
def test_graphs_at_random(seed: int, folder: Any) -> None:
    case, rng = drawn(FIRST + seed)
    fused, plain = functions(rng, case)
    for _ in range(1 if case.states else 2):  # what ops remember is not begun anew
        calls, values = [], [v.probe for _, v in case.shared]
        state = str(rng.choice(["ignore", "warn", "raise"])) if not case.states else "ignore"
        for at in range(5):
            call = Call(arguments(rng, case, at if not case.states else 0), None)
            try:
                wants, after, failures = expected(case, call, values)
            except Unsuitable:  # too large
                continue
            if rng.random() < 0.4 and not failures and not case.states and state != "raise":
                call.outs, call.fails = given_outs(rng, call.arrays, wants)
            values = values if call.fails else after
            calls.append(call)
        mine, theirs = (check(f, case, calls, state) for f in (fused, plain))
        for at, (one, other) in enumerate(zip(mine, theirs)):
            more = said_besides(other, one)
            if more and without_effect(case.wanted, calls[at].known, more):
                break  # what is raised there alone keeps shared values as they were
            if one[0] < 2:  # of several nodes that fail, others may come first
                assert one[1] == other[1], f"call {at}"
            assert one[2] == other[2], f"call {at}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, cache_of_the_session: Any) -> Any:
    """Where the modules of the long form go: nobody builds them again."""
    if not LONG:
        yield None
        return
    path = tmp_path_factory.mktemp("graphs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opweld.config, "compiledir", str(path))
        yield path
    shutil.rmtree(path, ignore_errors=True)
