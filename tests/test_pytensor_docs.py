"""docs/pytensor.md says what is so: its examples."""

import kit
import numpy as np
import pytest
from pytensors import pytensor  # noqa: F401  (skips where there is none)

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_the_example():
    module = kit.example("pytensor_op")
    signal = np.linspace(-1, 3, 50)
    wanted, mean = module.residual("FAST_COMPILE")(signal)
    for mode in ("OPWELD", "OPWELD_C"):
        f = module.residual(mode)
        assert len(f.vm.nodes) == len(f.maker.fgraph.toposort()) > 2
        for _ in range(2):
            np.testing.assert_allclose(f(signal)[0], wanted, rtol=1e-10, atol=1e-12)
            np.testing.assert_allclose(f(signal)[1], mean, rtol=1e-10)


def test_the_model_is_sampled():
    """Draws are those of PyTensor's Python, and find what the data were made with."""
    module = kit.example("pytensor_model")
    wanted, *_ = module.sampled(50, "FAST_COMPILE", warm=15, draws=5)
    for mode in ("OPWELD", "OPWELD_C"):
        np.testing.assert_allclose(module.sampled(50, mode, warm=15, draws=5)[0], wanted, rtol=1e-9, atol=1e-9)
    draws, _, _, calls = module.sampled(400, "OPWELD")
    assert calls > len(draws)
    np.testing.assert_allclose(np.exp(draws[:, 4]).mean(), 0.7, atol=0.06)  # noise
    np.testing.assert_allclose(draws[:, :2].mean(0), [1.0, -0.5], atol=0.4)
    assert draws.std(0).min() > 0.02  # it moves
