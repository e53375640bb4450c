"""Mistakes in short forms that C would take without a word."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import traceback

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import OpweldWarning, SignatureError

ROW = "x: float64[n], m: float64[r, c] -> y: float64[n], z: float64[n]"

COPY = "for (npy_intp i = 0; i < n; i++) y[i] = x[i];"

BODIES = [
    ("y[0] = m[0, 1];", 'a comma in m[] leaves but the last index in C: the elements of "m" are m(i, j)'),
    ("y[0] = x[(0, 1)];", None),
    ("y[0] = m(0);", '"m" has 2 dimensions: its elements are m(i, j)'),
    ("y(0, 0) = 1;", '"y" has 1 dimension: its elements are y(i)'),
    ("z[0] = 1;\ny = z;", '"y" is an array, and `=` would leave its memory as it is: set its elements, y(i)'),
    ("y = y + 1;", None),
]


@pytest.mark.parametrize(("body", "message"), BODIES)
def test_what_c_would_take(body, message):
    if message is None:
        opweld.cop(ROW, body, name="f")
        return
    with pytest.raises(SignatureError) as caught:
        opweld.cop(ROW, body, name="f")
    line = body.count("\n") + 1
    assert str(caught.value).startswith(f"f: body, line {line}: {message}\n")


SIGNATURES = [
    ("x: T[n], a: int8 = 300 -> y: T[n]", "300 is no value of dtype int8"),
    ("x: T[n] -> y: uint16[n] = 65536", "65536 is no value of dtype uint16"),
    ("x: T[n] -> y: bool[n] = 5", "5 is no value of dtype bool"),
    ("x: T[n] -> y: T[n // 0]", "a size cannot be divided by 0"),
    ("x: T[n] -> n: float64", '"n" is an output and a size: call one of them otherwise'),
    ("x: T[n] -> y: T[n**2]", 'expected a size, found "*": a power is written n*n'),
    ("x: T[n] \u2192 y: T[n]", "'\u2192' has no place in a signature: write -> before the outputs"),
]


@pytest.mark.parametrize(("signature", "message"), SIGNATURES)
def test_numbers_and_sizes_that_cannot_be(signature, message):
    with pytest.raises(SignatureError) as caught:
        opweld.cop(signature, ";", name="f")
    assert message in str(caught.value)


@pytest.mark.parametrize("index", ['"a"', "1.5", "x"])
@pytest.mark.parametrize("kind", ["", "strided "])
@pytest.mark.parametrize("check", [False, True])
def test_an_index_is_a_whole_number(index, kind, check):
    if check and index == "x":
        pytest.skip("x is then an array that hides its indices, of which is warned")
    form = opweld.cop(f"x: float64[n], m: {kind}float64[r, c] -> y: float64", f"y = m(0, {index});", check=check)
    with pytest.raises(opweld.CompileError):
        form(np.ones(2), np.ones((2, 2)))


@pytest.mark.parametrize(
    "body", ["const double *p = &x[2]; y = p[5];", "y = (&x(0))[7];", "#define X(i) x[i]\ny = X(7);"]
)
def test_check_names_elements_that_become_pointers(body):
    with pytest.warns(OpweldWarning, match="check=True cannot test indices"):
        opweld.cop("x: float64[n] -> y: float64", body, check=True)


@pytest.mark.parametrize(("value", "dtype"), [("300", "int8"), ("-1", "uint8"), ("0.5", "int64"), ("2", "bool")])
@pytest.mark.parametrize("ufunc", [False, True])
def test_what_outputs_begin_with_is_held_by_the_dtype(value, dtype, ufunc):
    form = opweld.cop(f"x: T[n] -> y: T[n] = {value}", ";", name="f", ufunc=ufunc)
    with pytest.raises(TypeError, match=f"f: y begins with {value}, which {dtype} does not hold"):
        form(np.ones(2, dtype))
    assert form(np.ones(2)).tolist() == [float(value)] * 2


@pytest.mark.parametrize("ufunc", [False, True])
def test_numbers_beside_variables_keep_their_values(ufunc):
    form = opweld.cop("x: float64, k: int8 -> y: float64", "y = x * k;", name="f", ufunc=ufunc)
    x = T.dscalar("x")
    assert opweld.function([x], form(x, 2.0))(3) == 6
    for value in (1.5, 300, float("nan"), 1j):
        with pytest.raises(TypeError, match="which is no value of dtype int8"):
            form(x, value)


def test_perform_that_gives_something_else():
    v = T.dvector("v")
    for signature, wanted in (
        ("x: T[n] -> y: T[n], z: T", "perform gave ndarray, expected a tuple of 2"),
        ("x: inout T[n]", "perform gave ndarray, expected None: it changes its arguments"),
    ):
        form = opweld.cop(signature, ";" if "inout" in signature else f"z = 1; {COPY}", perform=lambda x: x * 2)
        f = opweld.function([v], form(v), mode="DebugMode")
        with pytest.raises(Exception, match="perform") as caught:
            f([1.0, 2.0])
        assert wanted in str(caught.value)


def test_a_hint_is_in_the_words_of_short_forms():
    with pytest.raises(opweld.CompileError) as caught:
        opweld.cop("x: T[n] -> s: T", "s[0] = x[0];")(np.ones(2))
    assert "an array's element is x[i], or x(i, j); a number has no index" in str(caught.value)
    assert "PyArray_GETPTR1" not in str(caught.value)


def test_every_exception_ends_at_the_users_line(tmp_path):
    refuse = opweld.cop("x: T[n] -> y: T", 'fail(KeyError, "no %zd", n);')
    with pytest.raises(KeyError) as caught:
        refuse(np.ones(2))
    assert [f.filename for f in traceback.extract_tb(caught.value.__traceback__)] == [__file__]
    with pytest.raises(FileNotFoundError) as missing:
        opweld.cop.file(tmp_path / "nothing.c")
    files = [f.filename for f in traceback.extract_tb(missing.value.__traceback__)]
    assert len([f for f in files if f != __file__]) == 1  # the hook leaves out what raises again


def test_a_wrong_configuration_is_said_once(tmp_path):
    (tmp_path / "mine.py").write_text('import opweld\nopweld.cop("x: T[n] -> y: T[n]", "")\n')
    ran = subprocess.run(
        [sys.executable, "mine.py"],
        cwd=tmp_path,
        env={**os.environ, "OPWELD_FLAGS": "nothing=1"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1 and "no configuration key 'nothing'" in ran.stderr
    assert "excepthook" not in ran.stderr and "During handling" not in ran.stderr


def test_threads_look_for_lines_at_once():
    from opweld.lean import tree_of

    source, failed = "\n".join([f"x{i} = [{i}, (1, {{2: 3}})]" for i in range(400)]), []

    def run():
        for _ in range(20):
            if tree_of(source) is None:
                failed.append(1)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
