"""The precompiled head of C++ units: it saves time and changes nothing else."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

SCRIPT = textwrap.dedent(
    """
    import json, sys
    import numpy as np
    import opweld, opweld.tensor as T

    class Add(opweld.COp):
        __props__ = ("by",)
        c_lang = "c++"

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
                    static_cast<double *>(PyArray_DATA({z}))[i] += {by};
            '''

        def c_code_cache_version(self):
            return (1,)

        def c_compile_args(self):
            return ["-DPLAIN_NO_MORE"] if self.by > 100 else []

    x = T.dvector("x")
    f = opweld.function([x], Add(int(sys.argv[1]))(x))
    print(json.dumps([f(np.zeros(2)).tolist(), f.maker.built.path]))
    """
)


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Give a function that builds and calls an op in a fresh process: the module, and the entry that the cache has."""
    monkeypatch.setenv("OPWELD_FLAGS", f"compiledir={tmp_path / 'cache'}")
    base = tmp_path / "cache" / "v2"

    def run(by):
        done = subprocess.run([sys.executable, "-c", SCRIPT, str(by)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        values, module = json.loads(done.stdout)
        assert values == [by, by]
        key = Path(module).name.split("-")[0]
        entry = json.loads((base / "entry" / key[:2] / key).read_text().split("\n", 1)[1])
        return Path(module), entry

    run.base = base
    return run


def heads(base):
    return sorted(base.glob("pch/*/*/opweld.hh.gch"))


def test_it_is_made_once_and_changes_no_byte(build):
    first, plain = build(1)
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


def test_a_damaged_one_is_made_again(build):
    build(1)
    (head,) = heads(build.base)
    good = head.read_bytes()
    head.write_bytes(good[: len(good) // 2])
    build(2)
    assert head.stat().st_size > 0.9 * len(good)  # its size depends on where it was made


def test_an_op_with_wishes_of_its_own_does_without(build):
    build(101)
    assert heads(build.base) == []
