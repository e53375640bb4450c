"""Modules are made for the processor's level, with the same results, and for no higher one."""

import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld.compile import toolchain

NATIVE = toolchain.march("native")
WIDE = toolchain.LEVELS.index(NATIVE) >= 2
SAYS = """
import numpy as np, opweld, opweld.tensor as T
x = T.dvector("x")
f = opweld.function([x], x * 3 + x, options={"cflags": "-O3"})
assert f(np.arange(9.0)).tolist() == (np.arange(9.0) * 4).tolist()
print(f.maker.built.hit, f.maker.built.path)
"""

pytestmark = [
    pytest.mark.usefixtures("optimized"),
    # what is said of the numbers that are given here, test_errstate.py asks
    pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning"),
]


def machine_code(path):
    return subprocess.run(["objdump", "-d", path], capture_output=True, text=True, check=True).stdout


def process(**environ):
    """A fresh process that makes a function; whether the cache had its module, and where that lies."""
    done = subprocess.run(
        [sys.executable, "-c", SAYS], capture_output=True, text=True, check=True, env={**os.environ, **environ}
    )
    hit, path = done.stdout.split()
    return hit == "True", path


@pytest.mark.skipif(not shutil.which("gcc"), reason="it is about gcc")
def test_several_choices_in_a_loop_have_no_branches():
    x, y = T.dvector("x"), T.dvector("y")
    for result in ((x * y).clip(0.2, 0.8), T.minimum(T.maximum(x, y), x * 0.5), T.where(x > 0.5, x * y, y)):
        f = opweld.function([x, y], result, options={"cc": "gcc"})
        assert re.search(r"\sv?cmp\w*pd\s", machine_code(f.maker.built.path))


def numbers(dtype, n=4099):
    made = np.random.default_rng(7).standard_normal((2, n + 1)).astype(dtype)
    made[:, ::97] *= 1e30
    return made[0, 1:], made[1, 1:]  # aligned to an element, and to nothing wider


def test_wide_where_they_are_wanted():
    x, y = T.dvector("x"), T.dvector("y")
    wide = opweld.function([x, y], x * y + x)
    common = opweld.function([x, y], x * y + x, options={"march": "baseline"})
    assert wide.maker.program.bytes == common.maker.program.bytes
    assert (wide.maker.built.key == common.maker.built.key) == (not WIDE)
    assert bool(re.search("[yz]mm", machine_code(wide.maker.built.path))) == WIDE
    assert "ymm" not in machine_code(common.maker.built.path) and "zmm" not in machine_code(common.maker.built.path)


@pytest.mark.skipif(not WIDE, reason="this processor has nothing that a lower one lacks")
def test_other_processors_load_other_modules(own_cache):
    """One folder for all: who lacks the instructions neither finds nor loads what uses them."""
    first, second = process(), process()
    assert not first[0] and second == (True, first[1]) and re.search("[yz]mm", machine_code(first[1]))
    paths = {first[1]}
    for level in toolchain.LEVELS[: toolchain.LEVELS.index(NATIVE)]:
        lacking = {"OPWELD_PROCESSOR": level}
        hit, path = process(**lacking)
        assert not hit and path not in paths
        assert process(**lacking) == (True, path)
        assert level == "x86-64-v3" or not re.search("[yz]mm", machine_code(path))
        assert level == "x86-64-v4" or "zmm" not in machine_code(path)
        paths.add(path)
    assert process() == (True, first[1])


def test_the_level_is_what_the_system_says():
    """NumPy's own look at the processor, where it counts the same levels; a part of it alone would be a lower one."""
    found = pytest.importorskip("numpy._core._multiarray_umath").__cpu_features__
    if "X86_V3" not in found:
        pytest.skip("this NumPy counts no levels")
    if os.environ.get("NPY_DISABLE_CPU_FEATURES") or os.environ.get("OPWELD_PROCESSOR"):
        pytest.skip("another processor is played")
    highest = sum(bool(found[f"X86_V{level}"]) for level in (2, 3, 4))
    assert toolchain.march("native") == toolchain.LEVELS[highest]


@pytest.mark.parametrize("wanted", toolchain.LEVELS)
def test_a_level_is_had_or_refused(wanted, monkeypatch):
    for processor in toolchain.LEVELS[: toolchain.LEVELS.index(NATIVE) + 1]:
        monkeypatch.setenv("OPWELD_PROCESSOR", processor)
        assert toolchain.march("native") == processor
        if toolchain.LEVELS.index(wanted) <= toolchain.LEVELS.index(processor):
            assert toolchain.march(wanted) == wanted
            continue
        with pytest.raises(opweld.errors.ConfigError) as error:
            opweld.function([x := T.dvector("x")], x * 3, options={"march": wanted})
        assert str(error.value) == (
            f"march is {wanted!r}, which this processor lacks: it has {processor}; set march to that, or to 'native', "
            "which is what each processor has"
        )


def test_what_is_no_level_is_refused(monkeypatch):
    x = T.dvector("x")
    with pytest.raises(opweld.errors.ConfigError) as error:
        opweld.function([x], x * 3, options={"march": "avx2"})
    assert str(error.value) == (
        "config.march: expected one of 'native', 'baseline', 'x86-64-v2', 'x86-64-v3', 'x86-64-v4', got 'avx2'"
    )
    with pytest.raises(opweld.errors.ConfigError, match="it is march now; 'processor' is 'native', 'common' is 'base"):
        opweld.config.instructions = "common"
    monkeypatch.setenv("OPWELD_PROCESSOR", "386")
    with pytest.raises(opweld.errors.ConfigError, match="OPWELD_PROCESSOR is '386': expected one of baseline, x86"):
        opweld.function([x], x * 3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_same_bits(dtype):
    """IEEE 754 says what these give, whatever computes them: NumPy's bits, wide or not."""
    x, y = T.vector("x", dtype=dtype), T.vector("y", dtype=dtype)
    outputs = [x + y, x - y, x * y, x / y, T.sqrt(T.abs(x)), (x + y) * x - y / x + y, T.where(x > y, x, y), T.floor(y)]
    a, b = numbers(dtype)
    with np.errstate(all="ignore"):
        right = [a + b, a - b, a * b, a / b, np.sqrt(np.abs(a)), (a + b) * a - b / a + b, np.where(a > b, a, b)]
    for options in (
        {},
        *({"march": level} for level in toolchain.LEVELS[: toolchain.LEVELS.index(NATIVE)]),
        {"gcc__cxxflags": "-march=native"},
    ):
        f = opweld.function([x, y], outputs, options=options)
        for step in (1, 3):
            got = f(a[::step], b[::step])
            for one, other in zip(got, [*right, np.floor(b)]):
                assert one.tobytes() == np.ascontiguousarray(other[::step]).tobytes()


class MulAdd(opweld.COp):
    """``a * b + c``, as a user writes it."""

    __props__ = ("lang",)

    def __init__(self, lang):
        self.lang = self.c_lang = lang

    def make_node(self, *inputs):
        return opweld.Apply(self, list(inputs), [inputs[0].type()])

    def c_code(self, node, name, inputs, outputs, sub):
        a, b, c = inputs
        return f"""
            Py_XDECREF({outputs[0]});
            {outputs[0]} = (PyArrayObject*)PyArray_NewCopy({a}, NPY_CORDER);
            if (!{outputs[0]}) {sub["fail"]}
            double* r = (double*)PyArray_DATA({outputs[0]});
            const double *p = (double*)PyArray_DATA({b}), *q = (double*)PyArray_DATA({c});
            for (npy_intp i = 0; i < PyArray_DIM({a}, 0); i++) r[i] = r[i] * p[i] + q[i];
        """


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize("flags", ["", "-march=native"])
def test_no_product_melts_into_a_sum(lang, flags):
    a, b = numbers("float64")
    a, b, c = np.ascontiguousarray(a), np.ascontiguousarray(b), np.ascontiguousarray(-(a * b) * (1 + 2**-30))
    v = [T.dvector(name) for name in "abc"]
    f = opweld.function(v, MulAdd(lang)(*v), options={"gcc__cxxflags": flags})
    assert f(a, b, c).tobytes() == (a * b + c).tobytes()
    assert not re.search(r"\tvf(n?)m(add|sub)", machine_code(f.maker.built.path))


@pytest.mark.parametrize("march", toolchain.LEVELS[: toolchain.LEVELS.index(NATIVE) + 1])
def test_float16_is_the_same_at_each_level(march: str) -> None:
    """By the processor or by C: every number, what lies half way and beside, and what is marked of it."""
    h, x = T.TensorType("float16", (None,))("h"), T.fvector("x")
    widen = opweld.function([h], T.cast(h, "float32") * 1, options={"march": march})
    narrow = opweld.function([x], T.cast(x, "float16"), options={"march": march})
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    wide = halves.astype(np.float32)
    np.testing.assert_array_equal(widen(halves), wide)
    finite = np.unique(wide[np.isfinite(wide)])
    middles = ((finite[1:].astype(np.float64) + finite[:-1]) / 2).astype(np.float32)
    for asked in (
        finite,
        middles,
        np.nextafter(middles, np.float32(np.inf)),
        np.nextafter(middles, np.float32(-np.inf)),
    ):
        np.testing.assert_array_equal(narrow(asked).view(np.uint16), asked.astype(np.float16).view(np.uint16))
    for value in (
        1e5,
        1e-9,
        2.0**-14,
        float.fromhex("0x1.ffe008p-15"),
        float.fromhex("0x1.ff8p-15"),
        0.0,
        np.inf,
        np.nan,
    ):
        one, said = np.array([value], np.float32), []
        for convert in (narrow, lambda a: a.astype(np.float16)):
            with np.errstate(all="raise"):
                try:
                    said.append(str(convert(one)[0]))
                except FloatingPointError as error:
                    said.append(str(error).split(" encountered")[0])
        assert said[0] == said[1], value
