"""What tests of ops import from ``theano.tests.unittest_tools`` and its like."""

from __future__ import annotations

import functools
import logging
import sys
import unittest
from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from typing import Any
from unittest import SkipTest

import numpy as np
from numpy.typing import ArrayLike

from opweld.compat.functions import function
from opweld.compat.modes import get_default_mode
from opweld.compat.settings import config
from opweld.compile.function import Function
from opweld.graph.basic import Variable
from opweld.tensor.shapes import shape

__all__ = [
    "AttemptManyTimes", "InferShapeTester", "MockRandomState", "OpContractTestMixin", "OptimizationTestMixin",
    "SkipTest", "T_OpContractMixin", "TestOptimizationMixin", "WrongValue", "assertFailure_fast", "assert_allclose",
    "attr", "custom_name_func", "fetch_seed", "seed_rng", "str_diagnostic", "verify_grad",
]  # fmt: skip

_logger = logging.getLogger(__name__)


def attr(*tags: str, **values: Any) -> Callable[[Any], Any]:
    """Mark a test; the marks are not read."""
    return lambda test: test


def custom_name_func(testcase_func: Callable[..., Any], param_num: object, param: object) -> str:
    """Name a test by what it is given."""
    said = "_".join(str(argument) for argument in getattr(param, "args", ()))
    return f"{testcase_func.__name__}_{''.join(c if c.isalnum() or c == '_' else '_' for c in said)}"


def fetch_seed(pseed: int | str | None = None) -> int | None:
    """Give the seed of a test.

    Parameters
    ----------
    pseed : int or str, optional
        It. What ``config.unittests.rseed`` says where there is none.

    Returns
    -------
    int or None
        None: "random", or no number.
    """
    seed = pseed or config.unittests__rseed
    try:
        return int(seed)
    except (TypeError, ValueError):
        if seed != "random":
            print(f"config.unittests.rseed is no seed: {seed!r}", file=sys.stderr)
        return None


def seed_rng(pseed: int | str | None = None) -> int | None:
    """Seed NumPy's generator with what `fetch_seed` gives, and give that."""
    seed = fetch_seed(pseed)
    np.random.seed(seed)
    return seed


class _NoGradient(Exception):
    """What `verify_grad` would find."""


def verify_grad(*_: Any, **__: Any) -> Any:
    """Refuse: there are no gradients.

    Raises
    ------
    NotImplementedError
        Always.
    """
    raise NotImplementedError("verify_grad: opweld computes no gradients; what an op computes can be tested without")


verify_grad.E_grad = _NoGradient  # type: ignore[attr-defined]


class MockRandomState:
    """A generator that gives one bound of what was asked for.

    Parameters
    ----------
    val : number
        What `rand` gives; 0: `randint` gives the lower bound, else the upper one.
    """

    def __init__(self, val: float) -> None:
        self.val = val

    def rand(self, *shape: int) -> Any:
        """Give `val`."""
        return np.full(shape, float(self.val))

    def randint(self, minval: int, maxval: int | None = None, size: int | tuple[int, ...] = 1) -> Any:
        """Give one bound."""
        low, high = (0, minval) if maxval is None else (minval, maxval)
        return np.full(size, low if self.val == 0 else high - 1, "int64")


class TestOptimizationMixin:
    """Assertions about the nodes of a function."""

    __test__ = False

    def _count(self, f: Function, fits: Callable[[Any], bool], low: int, high: int, what: object) -> None:
        nodes = f.maker.fgraph.toposort()
        found = [node for node in nodes if fits(node.op)]
        assert low <= len(found) <= high, f"{len(found)} of {what} among {nodes}, and not {low} to {high}"

    def assertFunctionContains(self, f: Function, op: object, min: int = 1, max: int = sys.maxsize) -> None:
        """Count the nodes of an op."""
        self._count(f, lambda found: found == op, min, max, op)

    def assertFunctionContains0(self, f: Function, op: object) -> None:
        """Find none."""
        self.assertFunctionContains(f, op, min=0, max=0)

    def assertFunctionContains1(self, f: Function, op: object) -> None:
        """Find one."""
        self.assertFunctionContains(f, op, min=1, max=1)

    def assertFunctionContainsN(self, f: Function, op: object, N: int) -> None:
        """Find so many."""
        self.assertFunctionContains(f, op, min=N, max=N)

    def assertFunctionContainsClass(self, f: Function, op: type, min: int = 1, max: int = sys.maxsize) -> None:
        """Count the nodes of a class of ops."""
        self._count(f, lambda found: isinstance(found, op), min, max, op)

    def assertFunctionContainsClassN(self, f: Function, op: type, N: int) -> None:
        """Find so many."""
        self.assertFunctionContainsClass(f, op, min=N, max=N)

    def SkipTest(self, msg: str = "Skip this test") -> None:
        """Skip."""
        raise SkipTest(msg)


OptimizationTestMixin = TestOptimizationMixin


class T_OpContractMixin:
    """Tests that ops are equal, hash and print as ops must; ``ops`` holds them, `clone` makes an equal one."""

    ops: Any = ()
    other_op: Any = None

    def copy(self, x: object) -> Any:
        """Copy an op."""
        return copy(x)

    def deepcopy(self, x: object) -> Any:
        """Copy an op and what it holds."""
        return deepcopy(x)

    def clone(self, op: object) -> Any:
        """Make an equal op."""
        raise NotImplementedError("return a new op that is equal to `op`")

    def _alike(self, op: object) -> list[Any]:
        return [op, self.copy(op), self.deepcopy(op), self.clone(op)]

    def test_eq(self) -> None:
        """Copies are equal, ops are not."""
        for op in self.ops:
            assert all(op == again for again in self._alike(op))
            assert op != self.other_op and all(op != other for other in self.ops if other is not op)

    def test_hash(self) -> None:
        """Copies hash alike."""
        for op in self.ops:
            assert {hash(again) for again in self._alike(op)} == {hash(op)} != {hash(self.other_op)}

    def test_name(self) -> None:
        """An op has a name."""
        assert all(str(op) for op in self.ops)


OpContractTestMixin = T_OpContractMixin


class InferShapeTester(unittest.TestCase):
    """Tests of `infer_shape`."""

    mode: Any = None

    def setUp(self) -> None:
        """Seed NumPy's generator."""
        seed_rng()
        self.mode = self.mode or get_default_mode()

    def setup_method(self, method: object = None) -> None:
        """Do what `setUp` does, under the name that newer tests use."""
        self.setUp()

    def _compile_and_check(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        numeric_inputs: Sequence[Any],
        cls: type,
        excluding: object = None,
        warn: bool = True,
        check_topo: bool = True,
    ) -> None:
        """Compare the shapes that `infer_shape` gives with those of the values.

        Parameters
        ----------
        inputs, outputs : list of Variable
            The graph.
        numeric_inputs : list
            Values of the inputs. No two sizes of one should be equal: a mistake could not be seen.
        cls : type
            The op's class.
        excluding : object
            Has no meaning here.
        warn : bool
            Warn of equal sizes.
        check_topo : bool
            The shapes are to be computed without the op.
        """
        if warn:
            for variable, value in zip(inputs, numeric_inputs):
                ones = getattr(variable.type, "broadcastable", ())
                known = [n for i, n in enumerate(np.shape(value)) if i >= len(ones) or not ones[i]]
                if len(set(known)) < len(known):
                    _logger.warning("%s: an input of shape %s has equal sizes", cls, np.shape(value))
                    break
        whole = function(inputs, outputs, mode=self.mode)
        shapes = function(inputs, [shape(output) for output in outputs], mode=self.mode)
        if check_topo:
            assert not any(isinstance(node.op, cls) for node in shapes.maker.fgraph.toposort())
        assert any(isinstance(node.op, cls) for node in whole.maker.fgraph.toposort())
        for value, found in zip(whole(*numeric_inputs), shapes(*numeric_inputs)):
            assert tuple(np.shape(value)) == tuple(found), (np.shape(value), found)


def str_diagnostic(expected: ArrayLike, value: ArrayLike, rtol: float | None, atol: float | None) -> str:
    """Write in what two arrays differ."""
    gap = np.abs(np.asarray(value) - np.asarray(expected))
    return (
        f"  expected : {expected!r}\n  value    : {value!r}\n"
        f"  largest, mean difference: {np.max(gap)}, {np.mean(gap)}\n"
        f"  rtol, atol: {rtol} {atol}\n"
    )


class WrongValue(Exception):
    """Two arrays differ by more than is allowed."""

    def __init__(self, expected_val: ArrayLike, val: ArrayLike, rtol: float | None, atol: float | None) -> None:
        super().__init__()
        self.val1, self.val2, self.rtol, self.atol = expected_val, val, rtol, atol

    def __str__(self) -> str:
        return "WrongValue\n" + str_diagnostic(self.val1, self.val2, self.rtol, self.atol)


# The widest allowed differences, by the less precise dtype of the two.
_TOLERANCES = {2: (5e-3, 1e-3), 4: (1e-3, 1e-4), 8: (1e-5, 1e-8)}


def assert_allclose(
    expected: ArrayLike, value: ArrayLike, rtol: float | None = None, atol: float | None = None
) -> None:
    """Raise WrongValue where two arrays differ by more than their dtypes, or what is given, allow."""
    expected, value = np.asarray(expected), np.asarray(value)
    widths = [np.finfo(x.dtype).dtype.itemsize for x in (expected, value) if x.dtype.kind in "fc"]
    by_dtype = _TOLERANCES[min(widths, default=8)]
    rtol, atol = (own if given is None else given for own, given in zip(by_dtype, (rtol, atol)))
    if expected.shape != value.shape or not np.allclose(value, expected, rtol=rtol, atol=atol, equal_nan=True):
        raise WrongValue(expected, value, rtol, atol)


class AttemptManyTimes:
    """Run a test until it has passed so often, each time with another seed; a decorator.

    Parameters
    ----------
    n_attempts, n_req_successes : int
        How often it is tried, and how often it must pass.
    """

    def __init__(self, n_attempts: int, n_req_successes: int = 1) -> None:
        if n_attempts < n_req_successes:
            raise ValueError(f"{n_attempts} attempts cannot succeed {n_req_successes} times")
        self.n_attempts, self.n_req_successes = n_attempts, n_req_successes

    def __call__(self, test: Callable[..., Any]) -> Callable[..., None]:
        """Wrap a test."""

        @functools.wraps(test)
        def tries(*args: Any, **keywords: Any) -> None:
            first, passed, failed = config.unittests__rseed, 0, 0
            owner = args[0] if args and hasattr(args[0], "setUp") else None
            try:
                while passed < self.n_req_successes:
                    try:
                        if owner is not None:
                            owner.setUp()
                        test(*args, **keywords)
                        passed += 1
                    except Exception:
                        failed += 1
                        if failed + self.n_req_successes > self.n_attempts:
                            raise
                    if config.unittests__rseed not in (None, "random"):
                        config.unittests__rseed = str(int(config.unittests__rseed) + 1)
            finally:
                config.unittests__rseed = first

        return tries


def assertFailure_fast(f: Callable[..., Any]) -> Callable[..., Any]:
    """Give the test itself: there is one way to look for cycles."""
    return f
