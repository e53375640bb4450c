"""docs/cookbook: each script runs and draws, its peers give what it gives, and so they do on other data, given here."""

from __future__ import annotations

import contextlib
import re
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("mpmath")
numba = pytest.importorskip("numba")
pd = pytest.importorskip("pandas")
scipy = pytest.importorskip("scipy")
sklearn = pytest.importorskip("sklearn")

import matplotlib  # noqa: E402  (after what may not be there)
from scipy import integrate, ndimage, optimize, signal, sparse, special  # noqa: E402

from opweld import compat  # noqa: E402

DOCS = Path(__file__).resolve().parent.parent / "docs"
FOLDER = DOCS / "cookbook"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "beside")
CHECKS = {}
same = np.testing.assert_array_equal


def close(found, wanted, rtol=1e-10, atol=0.0):
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol)


@pytest.fixture(scope="module", autouse=True)
def pages():
    """Scripts draw into memory, call each peer once, and find what lies beside them; old code leaves no name behind."""
    there = {key for key in sys.modules if key.partition(".")[0] == "theano"}
    backend = matplotlib.get_backend()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        patch.chdir(FOLDER)
        matplotlib.use("Agg")
        import beside
        from matplotlib import pyplot

        patch.setattr(pyplot, "show", lambda: None)
        patch.setattr(beside, "SECONDS", 0)
        yield pyplot
    pyplot.close("all")
    matplotlib.use(backend)
    sys.modules.pop("beside")
    if not there:
        compat.uninstall("theano")


def check(function):
    """What is called with the names of the script that is named as the function is."""
    CHECKS[function.__name__] = function
    return function


@pytest.mark.parametrize("name", SCRIPTS)
def test_script(name, pages):
    pages.close("all")
    names = runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    drawn = pages.get_fignums()
    assert drawn
    for number in drawn:
        canvas = pages.figure(number).canvas
        canvas.draw()
        assert len(np.unique(np.asarray(canvas.buffer_rgba()).reshape(-1, 4), axis=0)) > 10
    pages.close("all")
    CHECKS[name](SimpleNamespace(**names))


def test_each_is_compared():
    assert sorted(CHECKS) == SCRIPTS and len(SCRIPTS) >= 20
    for name in SCRIPTS:
        text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
        assert "\nbeside({" in text and "plt.show()" in text, name
        assert len(text.splitlines()) <= 150, name


def test_the_twelve_are_those_of_the_short_form():
    page = (DOCS / "cop.md").read_text(encoding="utf-8")
    ops = re.findall(r'(?ms)^\w+ = opweld\.cop\(.*?^"""\)$', page[page.index("## Twelve ops") :])
    assert len(ops) == 12
    texts = [path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py")]
    assert [sum(op in text for text in texts) for op in ops] == [1] * 12


def test_times_are_medians_of_calls_in_turn(pages, monkeypatch, capsys):
    import beside

    called, now = [], iter(np.arange(0, 100, 0.25))
    monkeypatch.setattr(beside, "SECONDS", 4)
    monkeypatch.setattr(beside.time, "perf_counter", lambda: next(now))
    beside.beside({"one": lambda: called.append(1) or 0.0, "other": lambda: called.append(2) or 0.0})
    assert called == [1, 2] * (len(called) // 2) and len(called) > 6
    assert capsys.readouterr().out == "one        250 ms\nother      250 ms       1 x\n"
    with pytest.raises(AssertionError, match="other"):
        beside.beside({"one": lambda: 1.0, "other": lambda: 1.001})


# ---- what each script's op does, beside others, on data that the script does not have -----------------------------


RNG = np.random.default_rng(17)


@check
def iir_filter(page):
    for order in (1, 3, 6):
        b, a = signal.butter(order, 0.2)
        for x in (RNG.normal(size=300), np.zeros(0), np.ones(1)):
            close(page.iir(b, a, x), signal.lfilter(b, a, x), 1e-7, 1e-9)
    assert page.iir(*np.ones((2, 2), "float32"), np.ones(3, "float32")).dtype == np.float32


@check
def edit_distance(page):
    for a, b, wanted in (("kitten", "sitting", 3), ("", "abc", 3), ("flaw", "lawn", 2), ("žluť", "žlutý", 2)):
        assert page.edit(page.letters(a), page.letters(b)) == wanted
        assert page.edit_in_numba(page.letters(a), page.letters(b)) == wanted
    close(page.distance, page.distance.T)
    assert page.distance.diagonal().tolist() == [0] * len(page.numbers)


@check
def sparse_product(page):
    a = sparse.random_array((40, 25), density=0.2, format="csr", rng=RNG)
    x = RNG.normal(size=25)
    close(page.csr(a.data, a.indices, a.indptr, x), a @ x, 1e-12, 1e-14)
    close(page.heat.sum(), 1)  # nothing of the heat is lost
    with pytest.raises(IndexError, match=r"^column 25$"):
        page.csr(np.ones(1), np.array([25]), np.array([0, 1]), x)
    for ends in ([0, 2], [-1, 1]):
        with pytest.raises(IndexError, match=r"^row 0 ends outside$"):
            page.csr(np.ones(1), np.array([0]), np.array(ends), x)


@check
def n_body(page):
    x, v, m = RNG.normal(size=(20, 3)), RNG.normal(size=(20, 3)), RNG.random(20)
    for wanted, found in zip(page.step_in_numpy(x, v, m, 0.1), page.step_of_copies(x, v, m, 0.1)):
        close(found, wanted, 1e-9)
    close(m @ page.step_of_copies(x, v, m, 0.1)[1], m @ v, 1e-9)  # momentum


@check
def local_alignment(page):
    a, b = (np.frombuffer(text, "u1") for text in (b"TGTTACGG", b"GGTTGACTA"))
    assert page.align(a, b, 3, -3, gap=-2)[0] == 13 == page.align_in_numba(a, b, 3, -3, -2)[0]
    assert page.align(a, a)[0] == 2 * a.size and page.align(a[:0], b)[0] == 0
    assert page.same == sum(page.alpha[i - 1] == page.beta[j - 1] for (i, j), (k, m) in zip(page.way, page.way[1:])
                            if (i - k, j - m) == (1, 1))  # fmt: skip


@check
def histogram(page):
    x, y = RNG.uniform(-1, 2, (2, 5000))
    wanted = np.histogram2d(x, y, 7, [[0, 1], [0, 1]])[0]
    same(page.hist(x, y, 0, 1, 7), wanted)
    with pytest.raises(ValueError, match="0 bins"):
        page.hist(x, y, 0, 1, 0)
    assert page.h.sum() == page.x.size
    u, v = page.jumps(1, 2, 3, 4, 20)
    close(u[1:], np.sin(v[:-1]) - np.cos(2 * u[:-1]), 1e-9, 1e-12)
    close(v[1:], np.sin(3 * u[:-1]) - np.cos(4 * v[:-1]), 1e-9, 1e-12)


@check
def running_median(page):
    x = RNG.integers(0, 9, size=60).astype(float)
    for w in (1, 2, 5, 60):
        same(page.median(x, w), pd.Series(x).rolling(w).median().to_numpy()[w - 1 :])
    with pytest.raises(ValueError, match=r"^x\[1\] is NaN$"):
        page.median(np.array([1, np.nan]), 1)


@check
def rolling_mean_by_group(page):
    x, group = RNG.normal(size=300), RNG.integers(0, 7, 300)
    means = pd.Series(x).groupby(group).rolling(4, min_periods=1).mean().droplevel(0).sort_index()
    close(page.rolling(x, group, 7, 4), means.to_numpy(), 1e-8, 1e-12)


@check
def connected_components(page):
    for share in (0.2, 0.5, 0.8):
        mask = RNG.random((30, 41)) < share
        label, count = page.components(mask)
        wanted, wanted_count = ndimage.label(mask)
        assert count == wanted_count
        same(label, wanted)


@check
def k_means(page):
    x, c = RNG.normal(size=(300, 2)), RNG.normal(size=(5, 2))
    label, mean, size = page.kmeans(x, c)
    same(label, ((x[:, None] - c) ** 2).sum(-1).argmin(1))
    same(size, np.bincount(label, minlength=5))
    close(mean, [x[label == k].mean(0) for k in range(5)], 1e-8)


@check
def game_of_life(page):
    for shape in ((1, 1), (2, 3), (17, 33)):
        soup = (RNG.random(shape) < 0.4).astype("u1")
        for step in (page.life, page.life_by_rows):
            same(step(soup), page.in_numpy(soup))
    blinker = np.zeros((5, 5), "u1")
    blinker[2, 1:4] = 1
    same(page.life_by_rows(blinker), blinker.T)


@check
def mandelbrot(page):
    re_, im = np.linspace(-2, 1, 40), np.linspace(-1, 1, 30)
    same(page.mandelbrot(re_, im, 60), page.in_numpy(re_, im, 60))
    assert page.mandelbrot(np.zeros(1), np.zeros(1), 9) == [[9]]


@check
def kepler(page):
    M, e = np.linspace(-3, 3, 25)[:, None], np.array([0, 0.3, 0.9, 0.99])
    E = page.kepler(M, e)
    close(E - e * np.sin(E), np.broadcast_to(M, E.shape), 1e-12, 1e-14)
    one = optimize.brentq(lambda E: E - 0.3 * np.sin(E) - 1, 0, 3, xtol=1e-14)
    close(page.kepler(1.0, 0.3), one, 1e-12)
    assert isinstance(page.kepler, np.ufunc) and page.kepler(np.float32(1), np.float32(0.3)).dtype == np.float32


@check
def image_patches(page):
    image = RNG.integers(0, 255, (20, 31, 3), "u1")
    for view in (image[..., 1], image[::-2, ::3, 0], image[..., 2].T):
        same(page.patches(view, 5), np.lib.stride_tricks.sliding_window_view(view, (5, 5)))
        same(page.patches(view, 5).reshape(-1, 5, 5), page.extract_patches_2d(view, (5, 5)))
    with pytest.raises(ValueError, match="would be -1"):
        page.patches(image[:3, :9, 0], 5)


@check
def ode_with_a_callback(page):
    spring = page.opweld.cop("x: float64[n] -> dx: float64[n]", "dx[0] = x[1], dx[1] = -x[0];", name="spring")
    right = spring.capsule("int f(const double *x, double *dx, long n)", success=0)
    path = page.rk4(right, np.array([1.0, 0.0]), 1000, 0.01)
    close(path, np.stack([np.cos(np.arange(1001) / 100), -np.sin(np.arange(1001) / 100)], axis=1), 1e-7, 1e-7)
    wanted = integrate.solve_ivp(page.in_python, (0, 1), [1, 2, 3], rtol=1e-11, atol=1e-11).y[:, -1]
    close(page.rk4(page.right, np.array([1.0, 2, 3]), 2000, 0.0005)[-1], wanted, 1e-8)
    with pytest.raises(ValueError, match=r"^2 numbers, expected 3$"):  # what the callback says
        page.rk4(page.right, np.array([1.0, 2]), 5, 0.1)
    with pytest.raises(RuntimeError, match=r"^rk4 returned -1$"):
        page.rk4(page.right, np.ones(17), 5, 0.1)


@check
def scipy_calls_c(page):
    sine, cosine = special.fresnel(page.to)
    close(page.spiral, [cosine, sine], 1e-9, 1e-9)
    image = RNG.random((12, 15))
    same(ndimage.generic_filter(image, page.window, (3, 5)), ndimage.generic_filter(image, np.ptp, (3, 5)))


@check
def random_numbers(page):
    """The op and NumPy draw the same numbers; a tree grown in Python with NumPy's is the same tree."""
    bits = np.random.SFC64(5)
    state = page.state_of(5)
    same(page.uniform(state, 1000), np.random.Generator(bits).random(1000))
    same(state, bits.state["state"]["state"])
    same(page.grow(page.state_of(2), 120, 150), grown(np.random.Generator(np.random.SFC64(2)).random, 120, 150))


def grown(draw, size, grains):
    """The tree of random_numbers.py, grain by grain in Python."""
    age, c, reach = np.zeros((size, size), "int32"), size // 2, 1.0
    age[c, c] = 1

    def begin():
        turn = 6.283185307179586 * draw()
        return int(c + (reach + 4) * np.sin(turn)), int(c + (reach + 4) * np.cos(turn))

    for k in range(2, grains + 1):
        if 2 * reach >= c - 11:
            break
        i, j = begin()
        while not (age[i - 1, j] or age[i + 1, j] or age[i, j - 1] or age[i, j + 1]):
            way = int(4 * draw())
            i, j = i + (way == 0) - (way == 1), j + (way == 2) - (way == 3)
            if np.hypot(i - c, j - c) > 2 * reach + 10:
                i, j = begin()
        age[i, j] = k
        reach = max(reach, np.hypot(i - c, j - c))
    return age


@check
def type_of_ones_own(page):
    for low, high in ((-1.0, 2.0), (0.1, 0.1), (-3.5, -1.25)):
        for ours, theirs in zip(page.f((low, high)), page.in_mpmath(low, high)):
            assert ours[0] <= theirs[0] <= theirs[1] <= ours[1]
            close(ours, theirs, 1e-13, 1e-14)
    with pytest.raises(ValueError, match=r"Interval: 2\.0 to 1\.0"):
        page.f((2, 1))


@check
def drainage(page):
    for land in (RNG.integers(0, 9, (15, 12)).astype("float32"), RNG.normal(size=(9, 20)), np.zeros((3, 4))):
        filled, area = page.drain(land)
        wanted_filled, wanted_area = page.in_python(land)
        same(filled, wanted_filled)
        same(area, wanted_area)
        same(filled, page.filled_in_scipy(land))
    with pytest.raises(ValueError, match=r"^land\[1, 2\] is NaN$"):
        page.drain(np.where(np.arange(12).reshape(3, 4) == 6, np.nan, 0.0))


@check
def reaction_diffusion(page):
    for shape in ((1, 1), (1, 5), (5, 1), (2, 2), (7, 9)):
        x = RNG.normal(size=shape)
        y = np.pad(x, 1, "edge")
        wanted = y[:-2, 1:-1] + y[2:, 1:-1] + y[1:-1, :-2] + y[1:-1, 2:] - 4 * x
        close(page.around(x), wanted, 1e-12, 1e-12)
    v = page.v.get_value()
    assert 0 <= v.min() and 0.2 < v.max() < 1


@check
def old_theano_op(page):
    op = page.MaxPool(3)
    image = RNG.normal(size=(11, 16)).astype("float32")
    storage = [[None]]
    op.perform(None, [image], storage)
    found = page.theano.function([page.x], op(page.x))(image)
    same(found, storage[0][0])
    same(found, ndimage.maximum_filter(image, 3, origin=-1)[:9:3, :15:3])
    same(page.theano.function([page.x], op(page.x), mode="DebugMode")(image), found)
    assert page.theano.__name__.startswith("opweld.compat")


@check
def wrapped_library(page):
    close(page.fill(7, 9, 0.3, 3, seed=4), page.fill_in_numpy(7, 9, 0.3, 3, 4), 1e-5, 1e-6)
    assert not page.fill(4, 5, 2.0).any()  # 0 at whole coordinates
    with pytest.raises(RuntimeError, match=r"^perlin_fill returned -1$"):
        page.fill(2, 2, 0.1, octaves=0)


@check
def distance_to_the_coast(page):
    for share in (0.3, 0.9, 0.99, 0.0):
        mask = RNG.random((23, 31)) < share
        close(page.distance(mask), ndimage.distance_transform_edt(mask))
    assert np.isinf(page.distance(np.ones((3, 4), bool))).all()
    close(page.distance(np.array([[True, False, True, True]])), [[1, 0, 1, 2]])


@check
def dithering(page):
    grey = RNG.random((13, 18)).astype("float32")
    same(page.dither(grey), page.in_numba(grey))
    for level in (0.0, 0.25, 1.0):
        white = page.dither(np.full((40, 40), level, "float32"))
        assert abs(white.mean() - level) < 0.05


@check
def time_warping(page):
    a, b = RNG.normal(size=30), RNG.normal(size=22)
    table = {(i, j): np.inf for i in range(31) for j in range(23) if not (i and j)} | {(0, 0): 0}
    for i in range(1, 31):
        for j in range(1, 23):
            table[i, j] = abs(a[i - 1] - b[j - 1]) + min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
    close(page.warp(a, b)[0], table[30, 22])
    assert page.warp(a, np.repeat(a, 3))[0] == 0


@check
def sandpile(page):
    sand = RNG.integers(0, 40, (9, 13))
    settled = sand.copy()
    topplings, count = page.settle(settled), 0
    while (sand >= 4).any():  # one place after the other
        i, j = np.argwhere(sand >= 4)[0]
        sand[i, j] -= 4
        count += 1
        for k, m in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            with contextlib.suppress(IndexError):
                if k >= 0 and m >= 0:
                    sand[k, m] += 1
    same(settled, sand)
    assert topplings == count
    much = np.full((40, 40), 2**40)  # it ends, and soon: each round spreads what is there
    assert page.settle(much) > 2**49 and much.max() == 3
    with pytest.raises(ValueError, match="-1 grains on place 1"):
        page.settle(np.array([[0, -1]]))
    with pytest.raises(ValueError, match=f"{2**62} grains on place 0"):
        page.settle(np.array([[2**62, 0, 0]]))


@check
def option_prices(page):
    price, years = RNG.uniform(60, 140, (2, 3, 4))
    years = years / 100
    close(page.call(price, years), page.value(price, years, np.log, np.exp, np.sqrt, special.erf), 1e-9)
    bond = 100 * np.exp(-0.03 * years)  # a call less a put is the price less what the strike is worth today
    put = page.call(price, years) - price + bond
    assert (put > 0).all() and (page.call(price, years) > np.maximum(price - bond, 0)).all()
