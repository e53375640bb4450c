"""The precompiled head of units: it saves time and changes nothing else."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

SCRIPT = textwrap.dedent(
    """
    import json, sys, time
    from pathlib import Path
    import numpy as np
    import opweld, opweld.tensor as T

    class Add(opweld.COp):
        __props__ = ("by",)
        c_lang = sys.argv[1]

        def __init__(self, by):
            self.by = by

        def make_node(self, x):
            return opweld.Apply(self, [x], [x.type()])

        def c_code(self, node, name, inputs, outputs, sub):
            (x,), (z,), fail, by = inputs, outputs, sub["fail"], self.by
            return f'''
                Py_XDECREF({z});
                {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
                if (!{z}) {fail}
                for (npy_intp i = 0; i < PyArray_DIM({z}, 0); i++)
                    ((double *)PyArray_DATA({z}))[i] += {by};
            '''

        def c_code_cache_version(self):
            return (1,)

        def c_compile_args(self):
            return [[], ["-DWISHED", "-w", "-lm"], ["-g"], ["-Wp,-DWISHED"]][self.by // 100]

    def made():
        return {path: path.stat().st_mtime_ns for path in Path(opweld.config.compiledir).glob("v2/pch/*/*/entry")}

    before = made()
    x = T.dvector("x")
    for by in map(int, sys.argv[3:]):
        f = opweld.function([x], Add(by)(x))
        print(json.dumps([f(np.zeros(2)).tolist(), f.maker.built.path]))
    while sys.argv[2] == "wait" and made() == before:
        time.sleep(0.01)
    """
)


@pytest.fixture(params=["c", "c++"])
def lang(request):
    return request.param


@pytest.fixture
def build(tmp_path, monkeypatch, lang):
    """Give a function that builds and calls ops in a fresh process: the last one's module and entry in the cache."""
    monkeypatch.setenv("OPWELD_FLAGS", f"compiledir={tmp_path / 'cache'}")
    base = tmp_path / "cache" / "v2"

    def run(*numbers, wait=False):
        argv = [sys.executable, "-c", SCRIPT, lang, "wait" if wait else "", *map(str, numbers)]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        for by, line in zip(numbers, done.stdout.splitlines(), strict=True):
            values, module = json.loads(line)
            assert values == [by, by]
        key = Path(module).name.split("-")[0]
        entry = json.loads((base / "entry" / key[:2] / key).read_text().split("\n", 1)[1])
        return Path(module), entry

    run.base = base
    return run


def heads(base):
    return sorted(base.glob("pch/*/*/opweld.hh.gch"))


def test_it_is_made_once_and_changes_no_byte(build, lang):
    first, plain = build(1)
    if lang == "c":  # its first build of all is not to be slower; a process that builds two will build more
        assert heads(build.base) == []
        build(2, 3, wait=True)
    (head,) = heads(build.base)
    made = head.stat().st_mtime_ns
    without = first.read_bytes()
    first.unlink()
    again, used = build(1)
    assert again.read_bytes() == without
    assert head.stat().st_mtime_ns == made

    def read(entry):
        return {path for path, *_ in entry["files"] if path.endswith(".h")}

    assert read(plain) == read(used) and any(path.endswith("/Python.h") for path in read(used))
    assert used["argv"] == plain["argv"]


def test_it_is_used(build, lang, tmp_path, monkeypatch):
    log = tmp_path / "log"
    for name, real in (("cc", "gcc"), ("cxx", "g++")):
        compiler = tmp_path / name
        compiler.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {real} "$@"\n')
        compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(tmp_path / "cc"))
    monkeypatch.setenv("CXX", str(tmp_path / "cxx"))
    build(1, 2, wait=True)
    (head,) = heads(build.base)
    used = f"-include {head.with_suffix('')}\n"
    assert (used in log.read_text()) == (lang == "c++")
    log.write_text("")
    build(3)
    assert used in log.read_text()


def test_a_damaged_one_is_made_again(build):
    build(1, 2, wait=True)
    (head,) = heads(build.base)
    good = head.read_bytes()
    head.write_bytes(good[: len(good) // 2])
    build(3, 4, wait=True)
    assert head.stat().st_size > 0.9 * len(good)  # its size depends on where it was made


def test_ops_of_the_same_wishes_share_one(build):
    """It is made when a process has built two, in both languages, and changes no byte."""
    first, plain = build(101)
    assert heads(build.base) == []
    build(102, 103, wait=True)
    (head,) = heads(build.base)
    without = first.read_bytes()
    first.unlink()
    again, used = build(101)
    assert again.read_bytes() == without and used["argv"] == plain["argv"]
    assert {path for path, *_ in used["files"]} == {path for path, *_ in plain["files"]}
    assert heads(build.base) == [head]


@pytest.mark.parametrize("wish", [200, 300])
def test_wishes_that_may_change_how_it_is_read_do_without(build, wish):
    build(wish + 1, wish + 2, wish + 3)
    assert heads(build.base) == []
