"""What PyTensor's tests ask of their ``unittest_tools``, for tests that come without it."""

from __future__ import annotations

import numpy as np
import pytensor
from pytensor.gradient import verify_grad as checked
from pytensor.tensor.math import _allclose


class WrongValue(Exception):
    """Two values differ."""


class InferShapeTester:
    """Base of tests of what ops infer of shapes."""

    def setup_method(self):
        """Take the mode of the class, or the default, with what works on shapes."""
        mode = getattr(self, "mode", None) or pytensor.compile.get_default_mode()
        self.mode = mode.including("canonicalize")

    def _compile_and_check(self, inputs, outputs, values, cls, excluding=(), warn=True, check_topo=True):
        mode = self.mode.excluding(*(excluding or ()))
        whole = pytensor.function(inputs, outputs, mode=mode)
        shapes = pytensor.function(inputs, [out.shape for out in outputs], mode=mode, on_unused_input="ignore")
        assert any(isinstance(node.op, cls) for node in whole.maker.fgraph.toposort())
        if check_topo:
            assert not any(node in outputs for node in shapes.maker.fgraph.toposort())
        for value, shape in zip(whole(*values), shapes(*values), strict=True):
            assert np.asarray(value).shape == tuple(shape), (np.asarray(value).shape, shape)


class OptimizationTestMixin:
    """Counts of ops in functions."""

    def assertFunctionContains(self, f, op, min=1, max=1 << 62):
        """So many nodes are of an op."""
        count = sum(node.op == op for node in f.maker.fgraph.toposort())
        assert min <= count <= max, (count, min, max)

    def assertFunctionContains0(self, f, op):
        """None is."""
        self.assertFunctionContains(f, op, 0, 0)

    def assertFunctionContains1(self, f, op):
        """One is."""
        self.assertFunctionContains(f, op, 1, 1)


def fetch_seed(pseed=None):
    """Give the seed of the tests."""
    return pseed or 666


def verify_grad(op, pt, n_tests=2, rng=None, *args, **kwargs):
    """Compare a gradient with differences, as loosely as PyTensor's tests do."""
    rng = np.random.default_rng(fetch_seed()) if rng is None else rng
    checked(op, pt, n_tests, rng, *args, **{"rel_tol": 0.05, "abs_tol": 0.05, **kwargs})


def assert_allclose(expected, value, rtol=None, atol=None):
    """Compare two values, by PyTensor's bounds for their dtypes."""
    if not _allclose(expected, value, rtol, atol):
        raise WrongValue(expected, value, rtol, atol)
