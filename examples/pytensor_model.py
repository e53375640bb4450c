"""A hierarchical model whose log-probability and gradient PyTensor writes and opweld runs, sampled by NUTS.

Lines of slope and height of their own for eight groups, which lie round common ones. PyTensor derives the gradient;
``mode="OPWELD"`` makes one function of both. The sampler is the No-U-Turn sampler (Hoffman and Gelman, 2014, with
multinomial choice, Betancourt 2017), in NumPy. Run it: python examples/pytensor_model.py, which tells the seconds
beside PyTensor's own C and, where there is Numba, beside that.
"""

import importlib.util
from time import perf_counter

import numpy as np
import pytensor
import pytensor.tensor as pt

import opweld.pytensor  # noqa: F401  (makes the modes known)

GROUPS = 8
SIZE = 5 + 2 * GROUPS  # two means, three logarithms of scales, heights and slopes


def data(points, seed=1):
    """Groups, places and values that the model could have made: heights round 1, slopes round -0.5, noise of 0.7."""
    rng = np.random.default_rng(seed)
    group, x = rng.integers(0, GROUPS, points), rng.normal(size=points)
    heights, slopes = rng.normal(1, 0.5, GROUPS), rng.normal(-0.5, 0.3, GROUPS)
    return group, x, heights[group] + slopes[group] * x + rng.normal(size=points) * 0.7


def normal(value, mean, scale):
    """The logarithm of a normal density, without its constant."""
    return -0.5 * ((value - mean) / scale) ** 2 - pt.log(scale)


def log_probability(group, x, y):
    """Give the parameters, as one vector, and the model's log-probability of them."""
    q = pt.dvector("q")
    logs, scales = q[2:5], pt.exp(q[2:5])
    height, slope = q[5 : 5 + GROUPS], q[5 + GROUPS : SIZE]  # in units of their scales
    heights, slopes = q[0] + scales[0] * height, q[1] + scales[1] * slope
    logp = normal(y, heights[group] + slopes[group] * x, scales[2]).sum()
    logp += normal(height, 0.0, 1.0).sum() + normal(slope, 0.0, 1.0).sum()
    logp += normal(q[0], 0.0, 5.0) + normal(q[1], 0.0, 5.0)
    return q, logp + (logs - 0.5 * scales**2).sum()  # scales are half normal


def compiled(points, mode):
    """A function of the parameters: the log-probability, and its gradient."""
    q, logp = log_probability(*data(points))
    return pytensor.function([q], [logp, pytensor.grad(logp, q)], mode=mode, trust_input=True)


class Nuts:
    """A No-U-Turn sampler that finds its step size while it warms up."""

    def __init__(self, f, seed=7):
        self.f = f
        self.rng = np.random.default_rng(seed)
        self.step = 0.1
        self.calls = 0

    def value(self, q):
        """The log-probability, and the gradient to five decimals: last bits, in which compilers differ, decide nothing.

        Leaps by any function of the place alone preserve volume and can be gone back, so the sampler is as right.
        """
        logp, gradient = self.f(q)
        self.calls += 1
        return float(logp), gradient.round(5)

    def leap(self, state, step):
        """Follow the gradient for a step."""
        q, p, gradient, _ = state
        p = p + 0.5 * step * gradient
        q = q + step * p
        logp, gradient = self.value(q)
        p = p + 0.5 * step * gradient
        return q, p, gradient, logp - 0.5 * (p @ p)

    def tree(self, state, step, depth, begun):
        """Double: the two ends, the choice, its log weight, whether to go on, how likely steps were, how many."""
        if depth == 0:
            new = self.leap(state, step)
            more = new[3] - begun
            return new, new, new, more, more > -1000, min(1.0, np.exp(min(more, 0.0))), 1
        first, last, choice, weight, on, likely, n = self.tree(state, step, depth - 1, begun)
        if on:
            _, end, other, more, on, also, m = self.tree(last, step, depth - 1, begun)
            total = np.logaddexp(weight, more)
            if np.log(self.rng.random()) < more - total:
                choice = other
            last, weight, likely, n = end, total, likely + also, n + m
            on = on and not turns(first, last, step)
        return first, last, choice, weight, on, likely, n

    def draw(self, q):
        """Give the next parameters, and how likely the steps on the way were."""
        logp, gradient = self.value(q)
        p = self.rng.normal(size=q.size)
        begun = logp - 0.5 * (p @ p)
        choice = left = right = q, p, gradient, begun
        weight, likely, n = 0.0, 0.0, 0
        for depth in range(10):
            forth = self.rng.random() < 0.5
            step = self.step if forth else -self.step
            _, last, other, more, on, also, m = self.tree(right if forth else left, step, depth, begun)
            left, right = (left, last) if forth else (last, right)
            likely, n = likely + also, n + m
            if on and np.log(self.rng.random()) < more - weight:
                choice = other
            weight = np.logaddexp(weight, more)
            if not on or turns(left, right, self.step):
                break
        return choice[0], round(likely / n, 6)

    def sample(self, q, warm, draws):
        """Warm up, by dual averaging of the step's logarithm, and give draws."""
        center, mean, error = np.log(10 * self.step), 0.0, 0.0
        for i in range(1, warm + 1):
            q, likely = self.draw(q)
            error += (0.8 - likely - error) / (i + 10)
            log_step = center - np.sqrt(i) / 0.05 * error
            mean += i**-0.75 * (log_step - mean)
            self.step = float(np.exp(log_step))
        self.step = float(np.exp(mean))
        found = np.empty((draws, q.size))
        for i in range(draws):
            q, _ = self.draw(q)
            found[i] = q
        return found


def turns(left, right, step):
    """Whether the ends of a way have begun to come nearer."""
    way = (right[0] - left[0]) * np.sign(step)
    return way @ left[1] < 0 or way @ right[1] < 0


def sampled(points, mode, warm=150, draws=200):
    """Draws of the parameters, the seconds to make the function, those to sample, and the calls it took."""
    begun = perf_counter()
    f = compiled(points, mode)
    made = perf_counter()
    nuts = Nuts(f)
    found = nuts.sample(np.zeros(SIZE), warm, draws)
    return found, made - begun, perf_counter() - made, nuts.calls


if __name__ == "__main__":
    modes = ["OPWELD", "CVM", *(["NUMBA"] if importlib.util.find_spec("numba") else [])]
    for count in (200, 5_000):
        first = None
        for name in modes:
            values, made, took, calls = sampled(count, name)
            print(f"N = {count:6,}  {name:6}  made in {made:5.2f} s, {calls} calls in {took:5.2f} s")
            first = values if first is None else first
            np.testing.assert_allclose(values, first, rtol=1e-9, atol=1e-9)  # the same draws
        heights, slopes, noise = first[:, 0].mean(), first[:, 1].mean(), np.exp(first[:, 4]).mean()
        print(f"            heights round {heights:.2f}, slopes round {slopes:.2f}, noise {noise:.3f}")
