"""What `make sweep` does to every op that comes with the project, done to some of them; and what it would tell."""

from __future__ import annotations

import contextlib
import importlib.util
import mmap
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import opweld
from opweld import COp
from opweld import tensor as T
from opweld.checking import forcing, subject_of, watched

TOOLS = Path(__file__).resolve().parent.parent / "tools"


@pytest.fixture(scope="module")
def tools():
    """The two files, as modules."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("ownruntime", "ownops", "sweep"):
            spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
            patch.setitem(sys.modules, name, importlib.util.module_from_spec(spec))
            spec.loader.exec_module(sys.modules[name])
        yield sys.modules["ownops"], sys.modules["sweep"]


def test_what_there_is_to_sweep(tools):
    ownops, sweep = tools
    every = list(map(str, ownops.sources()))
    assert set(sweep.QUICK) <= set(every) and len(every) == len(set(every)) > 200
    assert {name.split(":")[0] for name in every} == {"examples", "cookbook", "docs", "new", "library", "runtime"}
    names = {cls.__name__ for cls in ownops.classes()}
    assert {"AdvancedSubtensor", "Sort", "Split", "DeepCopyOp", "Take"} <= names
    assert not {"Writing", "OfOneType"} & names


def test_a_handful(tools):
    ownops, sweep = tools
    quick = [source for source in ownops.sources() if str(source) in sweep.QUICK]
    results = [sweep.swept(source, 8, 60.0) for source in quick]
    assert all(one.functions and one.come_to and one.requests for one in results)
    lines = list(sweep.told(results, whole=False))
    assert [line for line in lines if line.startswith("!")] == []
    (ops,) = [line for line in lines if line.startswith("S1, ops")]
    forced, of = ops.split(": ")[1].split(" places")[0].split(" of ")
    assert forced == of and int(of) > 3
    assert any(line.startswith("S2: ") for line in lines)


@pytest.mark.parametrize("name", ["arguments", "shapes", "strict", "rounded", "out", "one_out", "updates", "cells"])
def test_words_of_the_runtime_that_cannot_be_made(tools, name):
    """Whatever fails while an exception is made is what is raised; nothing is asked of Python meanwhile."""
    ownops, sweep = tools
    found = sweep.swept(ownops.Source("runtime", name), 0, 60.0)
    assert found.functions == 1 and not found.wrong and found.requests == found.refused


def test_every_place_of_the_runtime_is_come_to(tools):
    come_to, listed = set(), {}
    for make in sys.modules["ownruntime"].SUBJECTS.values():
        subject = make()
        found = forcing.Places(subject.recipe, subject.given, subject.scenes, subject.options)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for scene, i in [*(("call", i) for i in range(len(subject.given))),
                             *((one, 0) for one in ("make", "load", *subject.scenes))]:  # fmt: skip
                found.arm()
                with contextlib.suppress(Exception):
                    found.run(scene, subject.given[i])
                come_to |= set(np.flatnonzero(found.counts()[0]).tolist())
        listed |= {number: place for number, place in found.listed.items() if 0 <= number < forcing.FIRST_OF_UNIT}
    assert [str(place) for number, place in sorted(listed.items()) if number not in come_to] == []
    assert len(listed) > 150


def test_a_process_that_has_taken_much_may_take_more(tools):
    ownops, sweep = tools
    (sort,) = [source for source in ownops.sources() if str(source) == "library: T.sort(v)"]
    with mmap.mmap(-1, 2 * ownops.ROOM, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0):
        found = sweep.swept(sort, 4, 60.0)
    assert found.functions == 1 and not found.wrong


class Loses(COp):
    """It releases nothing where an allocation fails, and has a place that nothing leads to."""

    __props__ = ()
    itypes = (T.dvector,)

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,), fail = inputs, outputs, sub["fail"]
        return f"""
            PyObject *kept = PyList_New(3);
            if (kept == NULL) {fail}
            Py_XDECREF({z});
            {z} = (PyArrayObject *)PyArray_SimpleNew(1, PyArray_DIMS({x}), NPY_DOUBLE);
            if ({z} == NULL) {fail}
            memset(PyArray_DATA({z}), 0, PyArray_NBYTES({z}));
            Py_DECREF(kept);
            if (PyArray_NDIM({x}) == 7) kept = PyDict_New();
        """


def test_what_is_wrong_is_told(tools):
    ownops, sweep = tools

    class Source(ownops.Source):
        @contextlib.contextmanager
        def subjects(self, wrong):
            wrong.append(ownops.Fault("there", "error", "a program that ends so"))
            yield [subject_of(Loses(), "loses")]

    found = sweep.swept(Source("examples", "wrong"), 8, 60.0)
    wrong, *_ = lines = [line for line in sweep.told([found], whole=False) if "glue" not in line]
    assert wrong == "! examples: wrong: there: error: a program that ends so"
    told = "\n".join(lines)
    assert re.search(r"PyArray_SimpleNew: leak: \d blocks? of Python's memory more with each run", told)
    assert [line for line in lines if "not come to: ops" in line and line.endswith("PyDict_New")]
    assert "S1, ops: 3 of 5 places forced" in lines and "S2: 4 of 6 requests for memory refused" in lines


def test_what_grows_is_told(tools):
    spec = importlib.util.spec_from_file_location("soak", TOOLS / "soak.py")
    soak = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(soak)
    found = soak.soaked("loses", subject_of(Loses(), "loses"), 5000, 20.0, 5)
    assert found.calls >= 5000 and found.refused == found.calls // 2  # which fail at either allocation
    assert not found.good and 0.1 < found.slope(found.blocks) < 0.5

    class Fails(Loses):
        def c_code(self, *arguments):
            text = super().c_code(*arguments)
            return text.replace(
                f"== NULL) {arguments[-1]['fail']}\n            memset",
                f"""== NULL) {{
                Py_DECREF(kept);
                {arguments[-1]["fail"]}
            }}
            memset""",
            )

    found = soak.soaked("fails", subject_of(Fails(), "fails"), 5000, 20.0, 5)
    assert found.good and found.refused == found.calls // 2 and abs(found.slope(found.blocks)) < 0.01

    class Keeps(Loses):
        def c_code(self, *arguments):
            return super().c_code(*arguments).replace("Py_DECREF(kept);", "")

    found = soak.soaked("keeps", subject_of(Keeps(), "keeps"), 5000, 20.0, 5)
    assert not found.good and found.slope(found.blocks) > 0.9
    assert "blocks a call" in str(found)


def test_what_tools_say_is_told(tools):
    ownops, sweep = tools
    (sort,) = [source for source in ownops.sources() if str(source) == "library: T.sort(v)"]
    found = sweep.swept(sort, 4, 60.0, sweep.TOOLS)
    lines = list(sweep.told([found], whole=False))
    assert not found.wrong
    assert [line for line in lines if line.startswith("S13")] == [
        f"S13, {tool}: 1 of 1 functions clean" for tool in sweep.TOOLS if tool != "valgrind" or watched.installed()
    ]
    unchecked = "#include <stdlib.h>\nint f(void) { int *p = malloc(4); return *p; }\n"
    assert "-Wanalyzer" in sweep.compiled(unchecked, "c", sweep.COMPILED["analyzer"])[0]
    for lang in ("c", "c++"):
        (said,) = sweep.compiled("int f(int a) { unsigned b = 1; return a < b; }\n", lang, sweep.COMPILED["warnings"])
        assert "-Wsign-compare" in said


def test_classes_that_nothing_uses_are_told(tools):
    _, sweep = tools
    lines = list(sweep.told([sweep.Swept("none", 0, {"Sort"}, {}, 0, 0, {}, [], 0.0)], whole=True))
    assert "! not used: ArgSort" in lines and "! not used: Sort" not in lines
