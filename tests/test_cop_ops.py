"""docs/cop.md: its twelve ops do what NumPy or plain Python does, and have the lines that it says."""

import re
from functools import cache

import numpy as np
import pytest
from pages import Page

PAGE = Page("cop.md")
RNG = np.random.default_rng(12)


@cache
def ops():
    """What the blocks of the page define."""
    section = next(section for section in PAGE.sections if section.startswith("## Twelve ops"))
    names = {"__name__": "cop"}
    for block in re.findall(r"(?ms)^```python\n(.*?)^```$", PAGE.head + section):
        exec(compile(block, str(PAGE.path), "exec"), names)
    return names


def lines_of(name):
    """How many lines the statement of an op has."""
    text = re.search(rf"(?ms)^{name} = opweld\.cop\(.*?^\"\"\"\)$", PAGE.text).group()
    return text.count("\n") + 1


def test_lines():
    rows = re.findall(r"(?m)^\| \[(.+?)\]\(#.*?\) \| (\d+) \|$", PAGE.text)
    names = re.findall(r"(?m)^(\w+) = opweld\.cop\(", PAGE.text[PAGE.text.index("## Twelve ops") :])
    assert [int(count) for _, count in rows] == [lines_of(name) for name in names]
    assert len(rows) == 12 and np.median([int(count) for _, count in rows]) <= 10
    assert lines_of("smooth") == 4
    titles = re.findall(r"(?m)^### (.+)$", PAGE.text)
    assert [title for title, _ in rows] == titles


def test_smooth():
    x = RNG.normal(size=50)
    wanted = [x[0]]
    for value in x[1:]:
        wanted.append(value + 0.3 * (wanted[-1] - value))
    np.testing.assert_allclose(ops()["smooth"](x, 0.3), wanted, rtol=1e-12)


def test_iir():
    b, a, x = np.array([0.2, 0.3, 0.1]), np.array([1.0, -0.4, 0.2]), RNG.normal(size=40)
    wanted = np.zeros(40)
    for i in range(40):
        past = [(b[j] * x[i - j] - (a[j] * wanted[i - j] if j else 0)) for j in range(3) if i >= j]
        wanted[i] = sum(past)
    np.testing.assert_allclose(ops()["iir"](b, a, x), wanted, rtol=1e-12)


@pytest.mark.parametrize("pair", [("kitten", "sitting"), ("", "abc"), ("abc", ""), ("flaw", "lawn"), ("same", "same")])
def test_edit(pair):
    a, b = pair
    table = {(i, 0): i for i in range(len(a) + 1)} | {(0, j): j for j in range(len(b) + 1)}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            change = table[i - 1, j - 1] + (a[i - 1] != b[j - 1])
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, change)
    codes = [np.array([*map(ord, text)], "int32") for text in pair]
    assert ops()["edit"](*codes) == table[len(a), len(b)]


@pytest.mark.parametrize("index", ["int32", "int64"])
def test_csr(index):
    dense = RNG.normal(size=(6, 5)) * (RNG.random((6, 5)) < 0.4)
    rows, columns = np.nonzero(dense)
    indptr = np.searchsorted(rows, np.arange(7)).astype(index)
    x = RNG.normal(size=5)
    found = ops()["csr"](dense[rows, columns], columns.astype(index), indptr, x)
    np.testing.assert_allclose(found, dense @ x, rtol=1e-12, atol=1e-15)


def test_csr_refuses():
    csr = ops()["csr"]
    with pytest.raises(ValueError, match=r"^csr: indices\.shape\[0\] is 2, but nnz is 3$"):
        csr(np.ones(3), np.zeros(2, int), np.array([0, 1]), np.ones(1))
    with pytest.raises(IndexError, match=r"^column 4$"):
        csr(np.ones(1), np.array([4]), np.array([0, 1]), np.ones(1))


def test_step():
    x, v, m = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 3)), RNG.random(5)
    d = x[None] - x[:, None]
    r = np.sqrt((d**2).sum(-1) + 1e-9)
    wanted_v = v + 0.1 * (m[None, :, None] * d / r[..., None] ** 3).sum(1)
    wanted_x = x + 0.1 * wanted_v
    assert ops()["step"](x, v, m, 0.1) is None
    np.testing.assert_allclose(v, wanted_v, rtol=1e-10)
    np.testing.assert_allclose(x, wanted_x, rtol=1e-10)


def test_align():
    a, b = b"TGTTACGG", b"GGTTGACTA"
    wanted = np.zeros((len(a) + 1, len(b) + 1), int)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            s = wanted[i - 1, j - 1] + (3 if a[i - 1] == b[j - 1] else -3)
            wanted[i, j] = max(s, wanted[i - 1, j] - 2, wanted[i, j - 1] - 2, 0)
    best, h = ops()["align"](np.frombuffer(a, "u1"), np.frombuffer(b, "u1"), 3, -3, gap=-2)
    assert (best, h.tolist()) == (13, wanted.tolist())


def test_hist():
    x, y = RNG.random(1000) * 1.2 - 0.1, RNG.random(1000) * 1.2 - 0.1
    wanted, _, _ = np.histogram2d(x, y, bins=8, range=[[0, 1], [0, 1]])
    assert ops()["hist"](x, y, 0, 1, 8).tolist() == wanted.astype(int).tolist()


@pytest.mark.parametrize("w", [1, 2, 5, 20])
def test_median(w):
    x = RNG.integers(0, 9, size=20).astype(float)
    wanted = np.median(np.lib.stride_tricks.sliding_window_view(x, w), axis=1)
    assert ops()["median"](x, w).tolist() == wanted.tolist()


def test_median_refuses():
    median = ops()["median"]
    with pytest.raises(ValueError, match=r"^x\[1\] is NaN$"):
        median(np.array([1, np.nan, 2]), 2)
    with pytest.raises(ValueError, match=r"^a window of 0$"):
        median(np.ones(3), 0)
    with pytest.raises(ValueError, match=r"^median: y\.shape\[0\], which is n - w \+ 1, would be -1$"):
        median(np.ones(3), 5)


def test_rolling():
    x, group = RNG.normal(size=60), RNG.integers(0, 4, size=60)
    past = {k: [] for k in range(4)}
    wanted = []
    for value, k in zip(x, group):
        past[k].append(value)
        wanted.append(np.mean(past[k][-5:]))
    np.testing.assert_allclose(ops()["rolling"](x, group, 4, 5), wanted, rtol=1e-9)
    with pytest.raises(ValueError, match=r"^group 9 of 4, window of 5$"):
        ops()["rolling"](np.ones(1), np.array([9]), 4, 5)


def test_components():
    mask = RNG.random((12, 15)) < 0.5
    label, count = ops()["components"](mask)
    wanted, found = np.zeros(mask.shape, int), 0
    for start in zip(*np.nonzero(mask)):
        if wanted[start]:
            continue
        found += 1
        reached = {start}
        while reached:
            i, j = reached.pop()
            wanted[i, j] = found
            around = [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
            reached |= {p for p in around if 0 <= p[0] < 12 and 0 <= p[1] < 15 and mask[p] and not wanted[p]}
    assert (label.tolist(), count) == (wanted.tolist(), found)
    assert label.dtype == np.int32 and isinstance(count, np.int32)


def test_kmeans():
    x, c = RNG.normal(size=(50, 3)), RNG.normal(size=(4, 3))
    label, mean, size = ops()["kmeans"](x, c)
    wanted = ((x[:, None] - c[None]) ** 2).sum(-1).argmin(1)
    assert label.tolist() == wanted.tolist() and size.tolist() == np.bincount(wanted, minlength=4).tolist()
    for k in range(4):
        np.testing.assert_allclose(mean[k], x[wanted == k].mean(0) if (wanted == k).any() else 0, rtol=1e-10)


def test_life():
    a = (RNG.random((9, 11)) < 0.4).astype("u1")
    around = sum(np.roll(a.astype(int), (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - a
    assert ops()["life"](a).tolist() == ((around == 3) | ((around == 2) & (a == 1))).astype(int).tolist()


def test_mandelbrot():
    re_, im = np.linspace(-2, 1, 20), np.linspace(-1, 1, 15)

    def steps(c):
        z, k = 0j, 0
        while k < 60 and z.real * z.real + z.imag * z.imag <= 4:
            z = complex(z.real * z.real - z.imag * z.imag + c.real, 2 * z.real * z.imag + c.imag)
            k += 1
        return k

    assert ops()["mandelbrot"](re_, im, 60).tolist() == [[steps(complex(x, y)) for x in re_] for y in im]
