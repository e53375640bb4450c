"""benchmarks/, as far as no clock is needed: it measures all that it should, writes it, and judges given figures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent.parent / "benchmarks"
MACHINE = {"date": "2026-11-22", "processor": "one", "load average when the run began": "0.1"}


@pytest.fixture(scope="module", autouse=True)
def importable():
    before = set(sys.modules)
    sys.path.insert(0, str(HERE))
    yield
    sys.path.remove(str(HERE))
    for name in set(sys.modules) - before:
        if (HERE / f"{name}.py").exists():
            del sys.modules[name]


def start(script, *arguments):
    argv = [sys.executable, str(HERE / script), *map(str, arguments)]
    return subprocess.run(argv, capture_output=True, text=True)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of all rows, one round of short arrays."""
    folder = tmp_path_factory.mktemp("bench")
    files = ("--figures", folder / "kept" / "figures.json", "--document", folder / "docs" / "benchmarks.md")
    done = start("run.py", "--tiny", "--write", *files)
    assert done.returncode == 0, done.stderr
    return folder, files, done


def test_a_run_measures_every_row(run):
    from rows import ROWS
    from works import WORKS

    folder, _, done = run
    kept = json.loads((folder / "kept" / "figures.json").read_text())
    assert list(kept) == list(ROWS)
    assert all(f"of {len(ROWS)}: {row}\n" in done.stderr for row in ROWS)
    works = kept["arrays"]["figures"]["works"] | kept["folds"]["figures"]["works"]
    assert sorted(works) == sorted(WORKS)
    for key, found in works.items():
        for name, case in found["cases"].items():
            expected = (
                {"opweld", "NumPy"} if key == "rows" and " C " not in name else {"opweld", "hand-written C", "NumPy"}
            )
            assert expected <= set(case["times"]), (key, name)
            assert all(time > 0 for times in case["times"].values() for time in times)


def test_a_run_writes_what_was_promised(run):
    folder, _, _ = run
    text = (folder / "docs" / "benchmarks.md").read_text()
    promises = text.split("## How well\n")[1].split("\n## ")[0]
    layouts = ("", ", Fortran order", ", sliced")
    for row in (
        "checked call, 3 elements, 2 inputs",
        "the same with a Python float for one",
        "(x + y)*x - y*2",
        "(x + y)*x - y*2, out=",
        "where(x > y, x, y)*0.5",
        "where(x > y, x, y)*0.5, out=",
        "sum((x - y)**2)",
        "50-node elementwise graph",
        "a node more in a call",
        "the short form",
        "a ufunc alone, 100",
        *(f"{name}, axis {axis}" for name in ("softmax", "logsumexp", "var") for axis in (0, 1)),
        "40 nodes, of 20",
        *(f"(x - mean)/3 by row{layout}" for layout in layouts),
        *(f"sum(x*y, axis={axis}){layout}" for axis in range(3) for layout in layouts),
    ):
        assert f"\n| {row} " in promises, row
    others = {
        page: (folder / "docs" / f"benchmarks-{page}.md").read_text() for page in ("vector", "builds", "pytensor")
    }
    for plot, page in (("calls", text), ("builds", others["builds"]), ("memory", text)):
        assert f"](benchmarks-{plot}.svg)" in page
        assert (folder / "docs" / f"benchmarks-{plot}.svg").read_text().count("opweld") >= 1
    assert "logistic log-likelihood" in text and "blur(x*2 + 1)*y - x" in text
    for page, title in (
        ("vector", "## Two threads"),
        ("builds", "## A second process"),
        ("pytensor", "## PyTensor's functions"),
    ):
        assert f"](benchmarks-{page}.md)" in text and "](benchmarks.md)" in others[page]
        assert title in others[page].splitlines() and title not in text.splitlines()


def test_memory_is_counted_in_arrays(run):
    folder, _, _ = run
    kept = json.loads((folder / "kept" / "figures.json").read_text())["memory"]["figures"]
    peaks = {peer: got["peak"] / got["array"] for peer, got in kept["works"]["fifty"].items() if "peak" in got}
    assert 0.9 < peaks["hand-written C"] < 1.3 and 1.9 < peaks["NumPy"] < 2.5  # an output; a temporary too


def test_what_is_kept_is_written_again_byte_for_byte(run):
    folder, files, _ = run
    before = {path.name: path.read_bytes() for path in (folder / "docs").iterdir()}
    done = start("run.py", "--tiny", "--again", "--write", *files)
    assert done.returncode == 0, done.stderr
    assert {path.name: path.read_bytes() for path in (folder / "docs").iterdir()} == before and len(before) == 7


def test_one_row_is_measured_again_and_the_others_stay(run):
    folder, files, _ = run
    figures = folder / "kept" / "figures.json"
    before = json.loads(figures.read_text())
    done = start("run.py", "--tiny", "--rows", "curve", *files)
    assert done.returncode == 0, done.stderr
    after = json.loads(figures.read_text())
    assert after.pop("curve") != before.pop("curve") and after == before
    assert "## From 1 element on" in done.stdout and "## A checked call" not in done.stdout


def test_nothing_is_written_of_half_a_run(tmp_path):
    figures = tmp_path / "figures.json"
    figures.write_text("{}")
    done = start("run.py", "--again", "--write", "--figures", figures, "--document", tmp_path / "x.md")
    assert done.returncode == 1 and "holds no figures of calls, nodes, arrays" in done.stderr
    assert not (tmp_path / "x.md").exists()


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--rows", "calls,speed"], "unknown speed; known are calls"),
        (["--rows", ","], "unknown nothing"),
        (["--quick", "--write"], "--write takes a whole run"),
        (["--quick", "--tiny"], "not allowed with"),
    ],
)
def test_usage(arguments, said):
    done = start("run.py", *arguments)
    assert done.returncode == 2 and said in done.stderr


def calls(opweld, float_=1.0):
    """Figures of the row of calls in which opweld's take so many times the hand-written one's."""
    keys = ("opweld keywords", "opweld out", "elementwise out", "numpy out", "numpy float", "nothing", "handwritten")
    times = dict.fromkeys(keys, [50.0] * 3)
    times |= {"opweld": [50.0 * opweld] * 3, "elementwise": [50.0] * 3, "numpy": [200.0] * 3}
    return {"rounds": 3, "times": times | {"0-d": [100.0] * 3, "float": [100.0 * float_] * 3}}


def test_targets_are_judged_by_the_worst_figure():
    from report import Target

    assert Target("w", "f", [1.0, 1.05], 1.05).kept() and not Target("w", "f", [0.2, 1.06], 1.05).kept()
    assert Target("w", "f", [0.95, 0.9], 0.9, least=True).kept()
    assert not Target("w", "f", [0.95, 0.89], 0.9, least=True).kept()
    assert Target("w", "f", [0.25, 2], 3.0, "ns").cells() == ("w", "f", "0.25, 2 ns", "≤ 3 ns", "yes")
    assert Target("w", "f", [11.0], 12.0, least=True).cells() == ("w", "f", "11.00 x", "≥ 12 x", "NO")


def test_facts_that_differ_stand_with_their_row():
    from report import Shown, report
    from rows import ROWS

    sections = ROWS["calls"].show(calls(1.0))
    later = MACHINE | {"date": "2026-11-23"}
    text = "\n\n".join(report([Shown(MACHINE, sections), Shown(later, sections)]))
    machine, _, rest = text.partition("## How well")
    assert "processor: one" in machine and "date" not in machine
    assert rest.count("(date: 2026-11-22)") == rest.count("(date: 2026-11-23)") == 1


@pytest.mark.parametrize(
    "opweld, float_, slow",
    [
        (1.0, 1.0, []),
        (1.25 * 1.4, 1.0, []),  # a target that is missed, within the slack
        (1.25 * 1.6, 1.0, ["C of one's own, of hand-written C"]),
        (4.0, 2.5, ["C of one's own, of np.multiply", "C of one's own, of hand-written C", "of a 0-d array"]),
    ],
)
def test_the_verdict_of_the_check(opweld, float_, slow):
    import check
    from rows import ROWS

    judged = check.verdict(t for section in ROWS["calls"].show(calls(opweld, float_)) for t in section.targets)
    assert [target.what for target, _, within in judged if not within] == slow
    assert [row[-1] for row in check.lines(judged)] == ["SLOW" if t.what in slow else "ok" for t, _, _ in judged]


def test_bounds_of_the_check():
    import check
    from report import Target

    assert check.bound(Target("w", "f", [1.0], 2.0)) == 3.0
    assert check.bound(Target("w", "f", [1.0], 12.0, least=True)) == 8.0
    assert check.bound(Target("w", "of copy bandwidth, 10^6", [1.0], 0.9, least=True)) == check.BOUNDS["copy bandwidth"]
    assert check.verdict([Target("w", "f", [9.0], 3.0, "ns")]) == []  # times are no ratios


def test_the_check_runs():
    done = start("check.py", "--tiny")
    assert done.returncode in (0, 1) and "within their bounds" in done.stdout, done.stderr
    assert "(x + y)*x - y*2: of hand-written C" in done.stdout


def test_a_wrong_result_is_not_timed(monkeypatch):
    import peers
    from works import WORKS

    x, y = WORKS["arithmetic"].operands(8, "C")
    expected = (x + y) * x - y * 2

    def give(result):
        monkeypatch.setitem(peers.PEERS, "other", lambda *_: peers.Candidate(lambda x, y: result))
        return peers.candidate("other", "arithmetic", "C", False, [x, y], expected)

    assert give(expected.copy()).text(2) == "f(a0, a1)"
    for wrong, said in (
        (expected + 1e-6, "not NumPy's result"),
        (expected[:7], "(7,)"),
        (expected.astype("f4"), "float32"),
    ):
        with pytest.raises(SystemExit) as caught:
            give(wrong)
        assert "other, arithmetic" in str(caught.value) and said in str(caught.value)


def test_a_peer_that_is_not_installed_is_skipped_with_a_word(monkeypatch):
    import peers

    monkeypatch.setattr(peers.importlib.util, "find_spec", lambda name: None)
    for peer in ("Numba", "Numba, fastmath", "numexpr", "PyTensor, c", "PyTensor"):
        with pytest.raises(peers.Skipped, match="not installed"):
            peers.PEERS[peer]("where", "C", False)


def test_every_work_has_every_peer():
    import numba_loops
    import peers
    from works import WORKS

    kernels = (HERE / "kernels.c").read_text()
    for key, work in WORKS.items():
        assert hasattr(numba_loops, key) or hasattr(numba_loops, f"{key}_into")
        assert key in peers._NUMEXPR
        assert f"_({key}," in kernels or f'"{key}"' in kernels
        assert key in peers._NUMPY_INTO or not work.into
        for layout in work.layouts:
            for size in (100, 1000):
                operands = work.operands(size, layout)
                assert 0.9 * size <= max(np.size(a) for a in [*operands, work.expression(np, *operands)]) <= size, key


def test_layouts_are_what_they_say():
    from works import WORKS

    dense, turned, sliced = (WORKS["sum1"].operands(1000, layout)[0] for layout in ("C", "F", "sliced"))
    assert dense.flags.c_contiguous and turned.flags.f_contiguous and turned.shape == dense.shape == sliced.shape
    assert sliced.strides == (3200, 320, 16) and np.array_equal(turned, dense)


def test_candidates_have_their_turns():
    import measure

    order = []
    candidates = {name: ("note(name)", {"note": order.append, "name": name}) for name in "abc"}
    times = measure.interleaved(candidates, 4, 1)
    assert "".join(order) == "abccbaabccba"
    assert {name: len(rounds) for name, rounds in times.items()} == dict.fromkeys("abc", 4)


@pytest.mark.parametrize(("rounds", "places"), [(1, 1), (3, 1), (4, 2), (11, 5)])
def test_rounds_of_several_places(rounds, places):
    """Each place is one that no array had before, and is called in as many rounds as the others, or in one more."""
    import measure

    called = []

    def place():
        given = {"note": called.append, "x": np.ones(1000)}
        return {name: ("note((name, x.ctypes.data))", {"name": name} | given) for name in "ab"}

    times = measure.in_places(place, rounds)
    assert {name: len(found) for name, found in times.items()} == {"a": rounds, "b": rounds}
    order = list(dict.fromkeys(address for _, address in called))
    assert len(order) == places
    assert [address for _, address in called] == sorted((a for _, a in called), key=order.index)


def test_rounds_of_several_processes():
    import bench

    parts = [
        {"size": n, "missing": ["a"], "times": {"x": {"NumPy": [1.0 * n, 2.0]}, "y": {}}, "why": None} for n in (3, 4)
    ]
    joined = {"size": 3, "missing": ["a"], "times": {"x": {"NumPy": [3.0, 2.0, 4.0, 2.0]}, "y": {}}, "why": None}
    assert bench.joined(parts) == joined and bench.joined(parts[:1]) == parts[0]
    full, tiny = bench.EFFORTS["full"], bench.EFFORTS["tiny"]
    assert (full.processes, tiny.processes) == (bench.PROCESSES, 1)
    assert full.rounds(31) <= full.processes * full.rounds_each(31) < full.rounds(31) + full.processes
    assert tiny.rounds_each(31) == tiny.rounds(31)


def test_loops_that_fill_a_turn():
    import measure

    class Timer:
        def __init__(self, seconds):
            self.seconds, self.calls = seconds, 0

        def timeit(self, loops):
            self.calls += loops
            return self.seconds * loops

    assert measure.that_fill(Timer(1.0)) == 1
    assert measure.that_fill(Timer(1e-4), 0.002) == 20
    assert measure.that_fill(Timer(1e-9)) == measure.LOOPS


def test_every_ufunc_of_floats_is_measured_alone():
    from measure_vector import alone, inputs

    import opweld.tensor as T

    known = alone()
    assert len(known) > 70 and {"exp", "frexp", "ldexp", "arctan2", "isnan", "divide"} <= set(known)
    assert not {"matmul", "gcd", "bitwise_and", "isnat", "abs", "true_divide"} & set(known)
    assert [name for name in known if not hasattr(T, name)] == []
    assert inputs(known["ldexp"], "float32") == [np.float32, np.int32] and inputs(known["float_power"], "float32") == []


@pytest.mark.parametrize("faster, kept", [(1.9, True), (1.7, False)])
def test_threads_are_judged_where_there_are_two(faster, kept):
    from rows import ROWS

    times = {"1000000": [[1e6 * faster] * 3, [1e6] * 3], "100000": [[1e5] * 3, [1e5] * 3]}
    (section,) = ROWS["threads"].show({"times": times})
    (target,) = section.targets
    assert target.kept() == kept and target.values == [pytest.approx(faster)] and len(section.lines) == 2
    (section,) = ROWS["threads"].show({"times": {}, "skipped": "This process has one core"})
    assert not section.targets and section.about.endswith("This process has one core.")


def test_ufuncs_are_judged_by_the_slowest_and_by_all():
    from rows import ROWS

    times = {"exp": {"float64": {"opweld": [10.0], "NumPy": [20.0]}, "float32": {"opweld": [10.0], "NumPy": [10.0]}}}
    times["power"] = {"float64": {"opweld": [32.0], "NumPy": [20.0]}}
    (section,) = ROWS["ufuncs"].show({"size": 10**5, "times": times, "missing": []})
    assert [line[0] for line in section.lines] == ["power", "exp"]
    whats = [(target.what, round(target.worst, 3), target.kept()) for target in section.targets]
    assert whats == [
        ("float64, of NumPy: power, the slowest of 2; 1 above", 1.6, False),
        ("float32, of NumPy: exp, the slowest of 1; 0 above", 1.0, True),
        ("of NumPy, geometric mean of both", 0.928, False),
    ]
