"""Vector functions are opweld's own objects, whatever the compiler has; where they are missing it is said."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import compilers, config, errors
from opweld.compile import buildrequest

NAMES = ("exp", "sin", "tanh", "log1p", "cbrt", "erf")
GIVEN = np.random.default_rng(0).normal(size=1003)

pytestmark = [
    pytest.mark.skipif(not shutil.which("gcc"), reason="it is about gcc's libraries"),
    pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning"),
]


@pytest.fixture
def poor(tmp_path):
    """gcc where the C library has no functions of many numbers: what asks for them, by name or attribute, fails."""
    place = tmp_path / "gcc"
    place.write_text(
        f"""#!/bin/sh
for argument; do
    case "$argument" in
    *mvec*) echo "ld: cannot find -lmvec: No such file or directory" >&2; exit 1 ;;
    *.c) if grep -q "simd(" "$argument"; then echo "unknown attribute: simd" >&2; exit 1; fi ;;
    esac
done
exec {shutil.which("gcc")} "$@"
"""
    )
    place.chmod(0o755)
    return str(place)


def functions(**options):
    x = T.dvector("x")
    return opweld.function([x], [getattr(T, name)(x) for name in NAMES], options=options)


def test_a_compiler_without_one_makes_the_same_function(poor, own_cache):
    assert subprocess.run([poor, "-lmvec"], capture_output=True).returncode == 1  # it does refuse
    mine, usual = functions(cc=poor), functions(cc="gcc")
    assert mine.maker.built.path != usual.maker.built.path
    for found, wanted in zip(mine(GIVEN), usual(GIVEN)):
        assert found.tobytes() == wanted.tobytes()
    for f in (mine, usual):
        out = subprocess.run(["readelf", "-d", f.maker.built.path], capture_output=True, text=True, check=True).stdout
        assert "NEEDED" in out and "mvec" not in out


def test_doctor_says_whose_functions_they_are(poor, monkeypatch):
    monkeypatch.setattr(config, "cc", poor)
    (found,) = compilers.check_flags()
    assert found.status == "ok"
    said = r"vector functions of level \S+, whatever the compiler: arc, circle, error, exp, kind, log"
    assert re.search(said, str(found.more))


def test_without_them_it_is_said(tmp_path, monkeypatch, own_cache):
    monkeypatch.setattr(buildrequest, "vector_folder", lambda: str(tmp_path))
    monkeypatch.setattr(compilers, "vector_folder", lambda: str(tmp_path))
    with pytest.raises(errors.EngineError, match="part of every module cannot be read, install opweld again"):
        functions()
    x = T.dvector("x")
    assert opweld.function([x], x * 2 + 1)([1.0]).tolist() == [3.0]  # which calls none
    (found,) = compilers.check_flags()
    assert found.status == "wrong" and found.found.startswith(f"no vector functions in {tmp_path}: ")
    assert found.advice == "install opweld again: they are part of its wheel"
