"""What loops do by processor and size, and what changes no bit: asking for lines ahead, running rows in chains."""

import os
import platform
import shlex
import signal
import subprocess
import sys
import sysconfig

import numpy as np
import pytest

TEXT = "import json, opweld._engine as e; print(json.loads(e.pyext_Runtime('{}'))['text'])"
ALL = """
import sys, numpy as np, opweld, opweld.tensor as T
opweld.config.cflags += " " + sys.argv[1]
rng = np.random.default_rng(0)
for dtype in ("float64", "float32", "int64"):
    x, y = T.matrix("x", dtype=dtype), T.matrix("y", dtype=dtype)
    folds = [T.sum(x * y, axis=1), T.max(x + y, axis=1), T.sum((x - y) ** 2), T.var(x, axis=1), T.argmin(x, axis=1)]
    folds += [T.max(x + y, axis=0), T.min(abs(x) - y * 2, axis=0), T.sum(x * y, axis=0), T.any(x > y, axis=0)]
    f = opweld.function([x, y], folds)
    for n in (1, 7, 8, 15, 16, 17, 31, 33, 47, 128, 300, 2100):
        a, b = (rng.normal(size=(3, n)) * 100).astype(dtype), (rng.normal(size=(3, n)) * 100).astype(dtype)
        if dtype != "int64":
            a[1, n // 3] = b[2, n // 2] = np.nan
        for result in f(a, b):
            print(result.tobytes().hex())
"""
SUM = """
f = opweld.function([x, y][:inputs], T.sum(x * (x, y)[inputs - 1], axis=1))
f(*[np.ones((50, columns)) for _ in range(inputs)])
"""
COLUMNS = """
rng, shape = np.random.default_rng(0), (600_000 // columns, columns)
a, b = rng.integers(-2, 3, shape) * 1.0, rng.choice([0.0, -0.0, 1.0, np.nan], shape, p=[0.3, 0.3, 0.399, 0.001])
for fold in folds:
    print(opweld.function([x, y], fold(x * y, axis=0))(a, b).tobytes().hex())
"""
CHAIN = """
f = opweld.function([x], T.var(x, axis=1))
array = np.random.default_rng(0).random((rows, 3000))
print(f(array).tobytes().hex())
"""
OTHER_RUNTIME = """
import sys, numpy as np, opweld, opweld.tensor as T
from opweld.compile import buildrequest
flag, runtime = sys.argv[1:3]
opweld.config.cflags += " " + flag
if runtime:
    vectors = buildrequest.vector_folder()
    buildrequest.vector_folder = lambda: vectors
    buildrequest.runtime_object = lambda *kind: runtime
x, y = T.dmatrix("x"), T.dmatrix("y")
"""
PAST = """
def placed(like, offset):
    room = np.full(like.nbytes + 192, 0x55, "uint8")
    begin = -room.ctypes.data % 64 + offset
    return room, room[begin : begin + like.nbytes].view(like.dtype).reshape(like.shape)

rng = np.random.default_rng(0)
pairs = ("float64", "float64", 1), ("float32", "float64", 2), ("float32", "float32", 1), ("int16", "int16", 1)
for *dtypes, threads in pairs:
    rows = 2 if dtypes[1] == "float64" else 9
    a, b = (rng.integers(-99, 99, (rows * 550, 2001)).astype(dtype) for dtype in dtypes)
    for flat in (False, True):
        u, v = (T.tensor(dtype=dtype, shape=(None,) * (1 if flat else 2)) for dtype in dtypes)
        given = [array.ravel() if flat else array for array in (a, b)]
        for work in (lambda u, v: (u + v) * u - v * 2, lambda u, v: u + v):
            f = opweld.function([u, v], work(u, v), options={"threads": threads})
            wanted = work(*given)
            assert wanted.nbytes > 17_000_000
            for offset in (0, 8, 16, 40, 56):
                room, out = placed(wanted, offset)
                assert f(*given, out=out) is out
                assert out.tobytes() == wanted.tobytes()
                assert np.count_nonzero(room[: out.ctypes.data - room.ctypes.data] != 0x55) == 0
                assert np.count_nonzero(room[out.ctypes.data - room.ctypes.data + out.nbytes :] != 0x55) == 0
            assert f(*given).tobytes() == wanted.tobytes()
            if dtypes[0] == dtypes[1]:
                own = given[0].copy()
                f(own, given[1], out=own)
                assert own.tobytes() == wanted.tobytes()
                for shift in (1, 8, 100):
                    base = np.concatenate([given[0].ravel(), given[0].ravel()[:shift]])
                    first, out = base[:-shift].reshape(wanted.shape), base[shift:].reshape(wanted.shape)
                    expected = work(first.copy(), given[1])
                    f(first, given[1], out=out)
                    assert out.tobytes() == expected.tobytes()
    print(dtypes)
"""
WHETHER_PAST = """
f = opweld.function([x, y], (x + y) * x)
a, b = np.ones((rows, 1000)), np.ones((rows, 1000))
if kind == "fresh":
    f(a, b)
else:
    f(a, b, out=a if kind == "in place" else np.ones((rows, 1000)))
"""
INTELS = ["OPW_INTELS", "OPW_ICE_LAKES"]
TRAPS = [-signal.SIGILL, -signal.SIGTRAP]


def compiled(made, *flags):
    """The runtime, compiled with such flags."""
    text = subprocess.run([sys.executable, "-c", TEXT], check=True, capture_output=True, text=True).stdout
    compiler = os.environ.get("CC", "gcc").split()
    options = ["-std=gnu17", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-math-errno", "-fwrapv", "-fno-tree-vectorize"]
    headers = [sysconfig.get_path("include"), np.get_include()]
    options += [*flags, *(f"-I{folder}" for folder in headers)]
    subprocess.run([*compiler, *options, "-xc", "-c", "-", "-o", made], check=True, input=text, text=True)
    return made


@pytest.fixture(scope="module", params=["OPW_INTELS", "OPW_ICE_LAKES", "OPW_ZEN_5", "OPW_OTHERS"])
def processor(request, tmp_path_factory):
    """What the processor is taken for, and the runtime that takes it so."""
    return request.param, compiled(tmp_path_factory.mktemp("runtime") / "runtime.o", f"-DOPW_TAKEN_FOR={request.param}")


@pytest.fixture(scope="module")
def trapping(processor, tmp_path_factory):
    """The same, of a runtime that ends the program where it puts anything past the caches."""
    flags = f"-DOPW_TAKEN_FOR={processor[0]}", "-DOPW_PUT(to,from)=__builtin_trap()"
    return processor[0] + "_TRAP", compiled(tmp_path_factory.mktemp("runtime") / "runtime.o", *flags)


def run(program, flag, *more):
    return subprocess.run([sys.executable, "-c", program, flag, *more], capture_output=True, text=True)


def asking(asked):
    return shlex.quote(f"-DOPW_ASKED(order)=(({asked})|OPW_CLOSE)")


def run_there(processor, program, flag):
    """Run the program on such a processor; a flag of its own gives it modules of its own."""
    name, runtime = processor
    return run(OTHER_RUNTIME + program, f"{flag} -DTESTED_{name}", runtime)


def ends(processor, program, lines, inputs, columns):
    """How the program ends on such a processor, if another distance than this one ends it."""
    flag = asking(f"((order)&OPW_ASKING)=={lines}?{lines}:(__builtin_trap(),0)")
    done = run_there(processor, f"inputs, columns = {inputs}, {columns}\n{program}", flag)
    assert done.returncode in [0, *TRAPS], done.stderr
    return done.returncode


def test_it_changes_no_bit():
    without, ahead = run(ALL, asking("(void)(order),0")), run(ALL, asking("(void)(order),2048"))
    assert not without.returncode and not ahead.returncode, without.stderr + ahead.stderr
    assert without.stdout == ahead.stdout
    assert len(without.stdout.splitlines()) == 3 * 12 * 9


@pytest.mark.parametrize(
    ("inputs", "columns", "intels", "zen_5"),
    [
        (1, 50, 2048, 0),
        (1, 300, 2048, 2048),
        (1, 60_000, 3072, 6144),
        (2, 300, 2048, 0),
        (2, 4000, 2048, 2048),
        (2, 60_000, 2048, 0),
    ],
)
def test_where_sums_ask(inputs, columns, intels, zen_5, processor):
    """Intel's everywhere; Zen 5 of one input but in short rows, of several in long runs in caches; others nowhere."""
    lines = {"OPW_ZEN_5": zen_5, "OPW_OTHERS": 0}.get(processor[0], intels)
    assert ends(processor, SUM, lines, inputs, columns) == 0


@pytest.mark.parametrize(("columns", "intels", "zen_5"), [(300, 2048, 2048), (60_000, 0, 6144)])
def test_what_is_larger_asks_near(columns, intels, zen_5, processor):
    """Of what is larger Intel's processors are asked for nothing that no second cache has; others as of sums."""
    lines = {"OPW_ZEN_5": zen_5, "OPW_OTHERS": 0}.get(processor[0], intels)
    assert ends(processor, SUM.replace("T.sum", "T.max"), lines, 1, columns) == 0


@pytest.mark.parametrize(("inputs", "columns", "intels"), [(2, 90_000, 1024), (1, 180_000, 0), (2, 4000, 0)])
def test_where_columns_ask(inputs, columns, intels, processor):
    """What is larger, of several inputs of more than 64 MB, on Intel's."""
    larger = SUM.replace("T.sum", "T.max").replace("axis=1", "axis=0")
    assert ends(processor, larger, intels if processor[0] in INTELS else 0, inputs, columns) == 0


@pytest.mark.parametrize(("columns", "others"), [(1000, False), (2000, True)])
def test_where_several_rows_are_read_at_once(columns, others, processor):
    """Of what is larger, of more than 8 MB, long ones on others than Intel's and Zen 5; no bit hangs on it."""
    by_rows = asking("(order)&OPW_BY_ROWS?(__builtin_trap(),OPW_CLOSE):0")
    for folds, at_once in [("[T.max]", others and processor[0] == "OPW_OTHERS"), ("[T.sum]", False)]:
        ended = run_there(processor, f"columns, folds = {columns}, {folds}\n{COLUMNS}", by_rows)
        assert ended.returncode in ([0] if at_once else TRAPS), ended.stderr
    every = f"columns, folds = {columns}, [T.max, T.min, T.prod, T.argmax, T.sum]\n{COLUMNS}"
    here, plain = run_there(processor, every, ""), run(OTHER_RUNTIME + every, "", "")
    assert here.stdout == plain.stdout != ""


def test_another_distance_ends_the_program(processor):
    """What the tests above rest on."""
    assert ends(processor, SUM, 1, 1, 300) in TRAPS


@pytest.mark.parametrize(("rows", "others"), [(100, True), (1000, False)])
def test_where_rows_are_run_in_chains(rows, others, processor):
    """From memory loops over several rows at once on Intel's and on Zen 5; from caches everywhere."""
    chained = others or processor[0] != "OPW_OTHERS"
    program = f"rows = {rows}\n{CHAIN}"
    ended = run_there(processor, program, "-DOPW_CHAIN_BEGINS=__builtin_trap()")
    assert ended.returncode in (TRAPS if chained else [0]), ended.stderr
    here, plain = run_there(processor, program, ""), run(OTHER_RUNTIME + program, "", "")
    assert here.stdout == plain.stdout != ""


@pytest.mark.parametrize(
    ("kind", "rows", "past"),
    [("given", 2200, True), ("given", 2000, False), ("in place", 2200, False), ("fresh", 9000, False)],
)
def test_where_outputs_go_past_the_caches(kind, rows, past, processor, trapping):
    """Xeons of Ice Lake: one of more than 16 MB that was touched before, and is not read."""
    ended = run_there(trapping, f"kind, rows = {kind!r}, {rows}\n{WHETHER_PAST}", "")
    goes = past and processor[0] == "OPW_ICE_LAKES" and platform.machine() in ("x86_64", "AMD64")
    assert ended.returncode in (TRAPS if goes else [0]), ended.stderr


def test_what_goes_past_the_caches_is_the_same(processor):
    """Wherever the output begins, over an input too, and nothing else is written."""
    done = run_there(processor, PAST, "")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 4
