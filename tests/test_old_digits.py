"""The program of old code in examples: its ops, its gradients, what it learns, and that it runs as it lies."""

import subprocess
import sys

import kit
import numpy as np
import opweld.compat.theano.tensor as T
import pytest

from opweld import compat
from opweld.compat import theano

pytest.importorskip("sklearn", reason="the digits are scikit-learn's")


@pytest.fixture(scope="module")
def old():
    there = {key for key in sys.modules if key.partition(".")[0] == "theano"}
    yield kit.example("old_digits")
    if not there:
        compat.uninstall("theano")


@pytest.mark.parametrize("mode", [None, "DebugMode"])
def test_its_ops_agree_with_their_python(old, mode):
    rng = np.random.default_rng(1)
    images, x = rng.random((3, 5, 6)), rng.normal(size=(2, 4, 6, 3))
    a, b, m = T.dtensor3("a"), T.dtensor4("b"), T.dmatrix("m")
    pooled, which = old.max_pool(b)
    outputs = [old.im2col(a), pooled, which, old.max_pool_grad(pooled, which), old.softmax(m)]
    found = theano.function([a, b, m], outputs, mode=mode)(images[:, ::-1], x, x[0, 0])
    windows = np.lib.stride_tricks.sliding_window_view(images[:, ::-1], (3, 3), (1, 2)).reshape(-1, 9)
    assert np.array_equal(found[0], windows)
    four = x.reshape(2, 2, 2, 3, 2, 3)
    assert np.array_equal(found[1], four.max((2, 4)))
    kept = four == four.max((2, 4), keepdims=True)
    assert np.array_equal(found[3], (four * kept).reshape(x.shape))
    e = np.exp(x[0, 0])
    np.testing.assert_allclose(found[4], e / e.sum(1, keepdims=True), rtol=1e-12)
    with pytest.raises(ValueError, match="smaller than a window"):
        theano.function([a], old.im2col(a))(images[:, :2])


def test_its_gradients_are_those_of_the_loss(old):
    values = old.weights()
    values[1] += np.random.default_rng(3).normal(size=values[1].shape)  # no window lies where the loss has an edge
    network = old.Network(values)
    images, labels, _, _ = old.digits()
    images, labels = images[:8], labels[:8]
    loss = theano.function([network.images, network.labels], network.loss)
    before = [param.get_value() for param in network.params]
    step = network.learn(rate=1.0, momentum=0.0)
    first = loss(images, labels)
    assert step(images, labels) == first != loss(images, labels)
    gradients = [one - param.get_value() for one, param in zip(before, network.params, strict=True)]
    rng = np.random.default_rng(2)
    for param, one, gradient in zip(network.params, before, gradients, strict=True):
        way = rng.normal(size=one.shape)
        around = []
        for other, value in zip(network.params, before, strict=True):
            other.set_value(value)
        for sign in (1, -1):
            param.set_value(one + sign * 1e-5 * way)
            around.append(float(loss(images, labels)))
        assert (around[0] - around[1]) / 2e-5 == pytest.approx((gradient * way).sum(), rel=1e-5, abs=1e-8)


def test_it_learns(old):
    network = old.Network()
    assert old.train(network, epochs=3) > 0.9
    values = [param.get_value() for param in network.params]
    images = old.digits()[2]
    assert np.array_equal(network.classify()(images), old.classify_in_numpy(images, values))


def test_it_runs_as_it_lies(tmp_path):
    done = subprocess.run(
        [sys.executable, str(kit.EXAMPLES / "old_digits.py"), "found.png"],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith("epoch 12") and float(last.split("right")[1].strip(" %")) > 94
    assert (tmp_path / "found.png").read_bytes().startswith(b"\x89PNG")


def test_without_scikit_learn_it_says_what_to_install(tmp_path):
    text = f"import sys; sys.modules['sklearn'] = None; sys.argv = ['x']; sys.path.insert(0, {str(kit.EXAMPLES)!r})\n"
    done = subprocess.run(
        [sys.executable, "-c", text + "import old_digits; old_digits.main()"],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and "pip install scikit-learn" in done.stderr
