"""What loops know of their last call: a function is called with arrays that lie now so, now otherwise."""

import threading

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import config

SHAPES = [(3, 4), (4, 3), (1, 4), (3, 1), (1, 1), (0, 4), (3, 0), (31, 33), (33, 31), (300, 40), (40, 300), (2, 5000)]
SHORT = "'-DOPW_WORTH(n)=((n) ? 8 : 0)'"  # loops of eight elements are long
x, y, row = T.dmatrix("x"), T.dmatrix("y"), T.dvector("row")
FUNCTIONS = {  # of what, and what NumPy computes
    "broadcast": (y, x * 2 + y, lambda a, b: a * 2 + b),
    "a row": (row, (x - row) / 3, lambda a, b: (a - b) / 3),
    "columns": (y, T.sum(x + y, axis=0), lambda a, b: (a + b).sum(0)),
    "rows": (y, T.sum(x + y, axis=1, keepdims=True), lambda a, b: (a + b).sum(1, keepdims=True)),
    "all": (y, T.sum(x * y), lambda a, b: (a * b).sum()),
    "places": (y, T.argmin(x + y, axis=1), lambda a, b: (a + b).argmin(1)),
    "scan": (y, T.cumsum(x + y, axis=0), lambda a, b: (a + b).cumsum(0)),
    "transposed": (y, x.T + y.T, lambda a, b: (a + b).T),
    "a part": (y, T.sum((x + y)[::-1, 1:], axis=1), lambda a, b: (a + b)[::-1, 1:].sum(1)),
    "one, then the other": (
        y,
        (x + y) / T.sum(x + y, axis=1, keepdims=True),
        lambda a, b: (a + b) / (a + b).sum(1, keepdims=True),
    ),
    "in parts where shapes differ": (
        y,
        (x - T.mean(x + y, axis=1, keepdims=True)) / 3 + y,
        lambda a, b: (a - (a + b).mean(1, keepdims=True)) / 3 + b,
    ),
}


def lying(rng, shape):
    """Give an array of a shape that lies in one of many ways."""
    rows, columns = shape
    whole = rng.integers(1, 9, (2 * rows + 1, 2 * columns + 1)).astype(float)
    part = whole[:rows, :columns]
    ways = [
        part.copy,
        lambda: np.asfortranarray(part),
        lambda: part,
        lambda: whole[: 2 * rows : 2, 1 : 2 * columns : 2],
        lambda: part[::-1, ::-1],
        lambda: part.copy()[:, ::-1],
        lambda: np.broadcast_to(whole[:1, :columns], shape),
        lambda: np.broadcast_to(whole[:rows, :1], shape),
        lambda: np.broadcast_to(whole[:1, :1], shape),
    ]
    return ways[rng.integers(len(ways))]()


def operands(rng, of_row):
    """Give two arrays that go together."""
    shape = SHAPES[rng.integers(len(SHAPES))]
    ones = tuple(n if rng.random() < 0.7 else 1 for n in shape)
    a, b = lying(rng, shape), lying(rng, shape if rng.random() < 0.6 else ones)
    return (a, lying(rng, (1, shape[1]))[0]) if of_row else (a, b)


def check(f, wanted, a, b, seen):
    """Compare with NumPy; how a result lies hangs on its operands alone, not on what was called before."""
    with np.errstate(all="ignore"):
        want, found = wanted(a, b), f(a, b)
    how = (a.shape, a.strides, b.shape, b.strides)
    assert found.shape == want.shape, how
    assert found.strides == seen.setdefault(how, found.strides), how
    np.testing.assert_allclose(found, want, rtol=1e-13, err_msg=str(how))


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("how", ["", "short", "unfused"])
def test_any_order_of_layouts(name, how, monkeypatch):
    if how == "short":
        monkeypatch.setattr(config, "cflags", f"{config.cflags} {SHORT}")
    other, output, wanted = FUNCTIONS[name]
    f = opweld.function([x, other], output, fuse=how != "unfused")
    rng = np.random.default_rng(sum(map(ord, name)))
    before, seen = [], {}
    for _ in range(400):
        if before and rng.random() < 0.6:  # what came before, once more or a while later
            a, b = before[-1 - rng.integers(min(3, len(before)))]
        else:
            a, b = operands(rng, other is row)
            before.append((a, b))
        if name == "places" and not np.broadcast(a, b).shape[1]:
            with pytest.raises(ValueError, match=r"empty sequence|zero-size"):
                f(a, b)
        else:
            check(f, wanted, a, b, seen)


def test_what_is_given_to_write_into_lies_as_it_does():
    f = opweld.function([x, y], x * 2 + y)
    rng, seen = np.random.default_rng(0), {}
    a, b = np.ones((31, 33)), np.ones((31, 1))
    for _ in range(100):
        out = lying(rng, (31, 33))
        if out.flags.writeable and 0 not in out.strides:
            out[...] = 0
            assert f(a, b, out=out) is out
            assert (out == 3).all()
        check(f, lambda a, b: a * 2 + b, a, b, seen)


def test_a_refusal_between():
    f = opweld.function([x, y], T.sum(x * y, axis=1))
    a, b = np.ones((31, 33)), np.ones((1, 33))
    for _ in range(3):
        assert (f(a, b) == 33).all()
        with pytest.raises(ValueError, match="broadcast"):
            f(a, np.ones((2, 33)))
        with pytest.raises(ValueError, match="broadcast"):
            f(a, np.ones((31, 32)))


def test_more_than_is_noted():
    several = [T.tensor4(f"x{i}", dtype="float64") for i in range(12)]
    f = opweld.function(several, T.sum(sum(v * (i + 1) for i, v in enumerate(several)), axis=(0, 2)))
    rng = np.random.default_rng(0)
    whole = rng.integers(0, 9, (12, 4, 5, 6, 7)).astype(float)
    given = [v[tuple(slice(0, 1) if (i >> k) & 1 else slice(None) for k in range(4))] for i, v in enumerate(whole)]
    want = sum(np.broadcast_to(v, (4, 5, 6, 7)) * (i + 1) for i, v in enumerate(given)).sum((0, 2))
    for _ in range(3):
        assert (f(*given) == want).all()
        assert f(*[v[:2] for v in given]).shape == want.shape


def test_threads_with_layouts_of_their_own():
    f = opweld.function([x, y], (x + y) / T.sum(x + y, axis=1, keepdims=True))
    wrong = []

    def calls(seed):
        rng = np.random.default_rng(seed)
        mine = [operands(rng, False) for _ in range(3)]
        for turn in range(1500):
            a, b = mine[turn % 3]
            with np.errstate(all="ignore"):
                want, found = (a + b) / (a + b).sum(1, keepdims=True), f(a, b)
            if want.shape != found.shape or not np.allclose(want, found, rtol=1e-13, equal_nan=True):
                wrong.append((a.shape, b.shape))

    threads = [threading.Thread(target=calls, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
