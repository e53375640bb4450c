"""Which loop NumPy runs for one of its elementwise functions, and what Python's numbers become beside arrays.

The dtypes and the exceptions are NumPy's own (NEP 50); no op is needed to ask.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from opweld.dtypes import dtype_of
from opweld.operations import NAMES

__all__ = ["Rule", "Spec", "check_arity", "number", "rule", "short_power", "weak_kind"]

Spec = tuple[Any, ...]  # of each argument the dtype's name; or int, float, complex: one of Python's numbers

_POWERS = {2: "square", -1: "reciprocal", 0.5: "sqrt"}
# What a comparison says of an integer x where the other side is above, or below, all that x can be: the same as
# another comparison with the end of the range of x.
_ABOVE = {
    "less": "less_equal", "less_equal": "less_equal", "greater": "greater", "greater_equal": "greater",
    "equal": "greater", "not_equal": "less_equal",
}  # fmt: skip
_BELOW = {
    "less": "less", "less_equal": "less", "greater": "greater_equal", "greater_equal": "greater_equal",
    "equal": "less", "not_equal": "greater_equal",
}  # fmt: skip
_MIRRORED = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}


def weak_kind(value: object) -> type | None:
    """Say whether a value is one of Python's numbers, whose dtype follows the arrays beside it (NEP 50).

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    type or None
        int, float or complex; None: the value has a dtype of its own, as bool and NumPy's scalars do.
    """
    if isinstance(value, (int, float, complex)) and not isinstance(value, (bool, np.generic)):
        return int if isinstance(value, int) else float if isinstance(value, float) else complex
    return None


def number(value: object, dtype: str) -> np.generic:
    """Turn one of Python's numbers into a dtype, as NumPy does where it meets an array.

    Parameters
    ----------
    value : number
        Of Python's.
    dtype : str
        The dtype.

    Returns
    -------
    numpy.generic

    Raises
    ------
    OverflowError
        If an integer does not fit.
    """
    with np.errstate(all="ignore"):
        made: np.generic = dtype_of(dtype).np.type(value)
        return made


def short_power(exponent: Any, kind: str) -> str | None:
    """Say what NumPy's ``x ** 2`` and its like compute in place of a power.

    Parameters
    ----------
    exponent : object
        One of Python's numbers counts, `int` or `float`; nothing else does.
    kind : str
        That of the dtype of ``x``: ``dtype.kind``.

    Returns
    -------
    str or None
        ``"square"``, ``"reciprocal"`` or ``"sqrt"``. None: it is a power; of complex numbers and a float that is no
        square root also because of what powers give of infinities and zeros.
    """
    if type(exponent) not in (int, float):
        return None
    found = _POWERS.get(exponent)
    if kind not in "fc":
        return found if type(exponent) is int and found == "square" else None
    return None if kind == "c" and type(exponent) is float and found != "sqrt" else found


def check_arity(asked: object, nin: int, given: int) -> None:
    """Refuse a wrong number of inputs.

    Parameters
    ----------
    asked : object
        What is applied, for the message.
    nin : int
        How many it takes; negative: any number.
    given : int
        How many there are.

    Raises
    ------
    TypeError
        If it is another number.
    """
    if nin >= 0 and given != nin:
        raise TypeError(f"{asked}: expected {nin} input{'' if nin == 1 else 's'}, got {given}")


class Rule:
    """What NumPy says of one of its elementwise functions.

    Parameters
    ----------
    name : str
        As the ufunc calls itself: ``absolute``, not ``abs``.

    Attributes
    ----------
    function : numpy.ufunc
        The function.
    nin, nout : int
        How many arguments and results it has.
    """

    def __init__(self, name: str) -> None:
        if name not in NAMES:
            raise ValueError(f"{name!r} is no elementwise function of NumPy's that is known here; see opweld.tensor")
        self.name = name
        self.function: Any = getattr(np, name)
        self.nin: int = self.function.nin
        self.nout: int = self.function.nout

    def __str__(self) -> str:
        return self.name

    def has_perform(self) -> bool:
        """Say that NumPy computes it."""
        return True

    def check_arity(self, given: int) -> None:
        """Refuse a wrong number of inputs."""
        check_arity(self, self.nin, given)

    def loop(self, spec: Spec) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Give the dtypes of inputs and outputs of the loop that NumPy runs.

        Parameters
        ----------
        spec : Spec
            The dtypes of the arguments, and the classes of those that are Python's numbers.

        Returns
        -------
        inputs, outputs : tuple of str

        Raises
        ------
        TypeError
            If there is none for these.
        """
        return _loop(self.name, spec)

    def output_dtypes(self, dtypes: tuple[str, ...]) -> tuple[str, ...]:
        """Give the results' dtypes.

        Parameters
        ----------
        dtypes : tuple of str
            Those of the arguments.

        Returns
        -------
        tuple of str
        """
        return _loop(self.name, dtypes)[1]

    def strengthen(self, spec: Spec, values: list[Any]) -> tuple[Rule, list[Any]]:
        """Give Python's numbers the dtype of the loop; compare with integers beyond the dtype's range as NumPy does.

        Parameters
        ----------
        spec : Spec
            The dtypes of the other arguments, and the classes of these.
        values : list
            The arguments.

        Returns
        -------
        rule : Rule
            Of what is then to be applied: mostly this one.
        values : list
            With NumPy scalars in place of Python's numbers.
        """
        if self.name.startswith("logical_"):  # a number has a truth value whether it fits beside the array or not
            return self, [
                np.bool_(number(x, "int64") if s is int else x) if isinstance(s, type) else x
                for s, x in zip(spec, values)
            ]
        if self.name in _ABOVE and int in spec:
            found = self._compared(spec, values)
            if found is not None:
                return found
        wanted = self.loop(spec)[0]
        if self.name == "power" and spec[0] == wanted[0] in ("float32", "float64") and isinstance(spec[1], type):
            short = short_power(values[1], "f")
            if short is not None:
                return rule(short), values[:1]
        return self, [
            number(value, dtype) if isinstance(entry, type) else value
            for entry, dtype, value in zip(spec, wanted, values)
        ]

    def _compared(self, spec: Spec, values: list[Any]) -> tuple[Rule, list[Any]] | None:
        """The comparison that says the same where Python's integer is beyond the range of the other side's dtype."""
        weak = spec.index(int)
        other = spec[1 - weak]
        if isinstance(other, type) or dtype_of(other).np.kind not in "iu":
            return None
        limits = np.iinfo(dtype_of(other).np)
        if limits.min <= values[weak] <= limits.max:
            return None
        above = values[weak] > limits.max
        name = self.name if weak == 1 else _MIRRORED.get(self.name, self.name)
        limit = number(int(limits.max if above else limits.min), other)
        return rule((_ABOVE if above else _BELOW)[name]), [values[1 - weak], limit]


@cache
def _loop(name: str, spec: Spec) -> tuple[tuple[str, ...], tuple[str, ...]]:
    function = getattr(np, name)
    parts = [entry if isinstance(entry, type) else dtype_of(entry).np for entry in spec]
    found = [dtype_of(dtype).name for dtype in function.resolve_dtypes((*parts, *[None] * function.nout))]
    return tuple(found[: len(spec)]), tuple(found[len(spec) :])


@cache
def rule(name: str) -> Rule:
    """Find the rule of a function of NumPy's.

    Parameters
    ----------
    name : str
        As the ufunc calls itself.

    Returns
    -------
    Rule
        The same each time.

    Raises
    ------
    ValueError
        If there is no such function, or it is not known here.
    """
    return Rule(name)
