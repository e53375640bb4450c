"""The small functions of arrays, shapes and signatures that files of ops import from the packages."""

from __future__ import annotations

import hashlib
import itertools
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

__all__ = [
    "LOCAL_BITWIDTH", "PYTHON_INT_BITWIDTH", "_parse_gufunc_signature", "apply_across_args",
    "broadcast_static_dim_lengths", "consider_constant", "faster_broadcast_to", "faster_ndindex", "frozendict",
    "get_normalized_batch_axes", "hash_from_sparse", "import_func_from_string", "lazy_scipy_module",
    "normalize_reduce_axis", "old_np_unique", "render_string", "safe_signature", "scipy_linalg",
]  # fmt: skip

Array = np.ndarray[Any, Any]
Value = TypeVar("Value")
Sparse: TypeAlias = Any  # a matrix of scipy.sparse

LOCAL_BITWIDTH = PYTHON_INT_BITWIDTH = 64


class frozendict(Mapping[Any, Any]):  # named as a builtin would be
    """A dict that does not change, and hashes.

    Parameters
    ----------
    *args, **kwargs
        As for a dict.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._held = dict(*args, **kwargs)

    def __getitem__(self, key: object) -> Any:
        return self._held[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __hash__(self) -> int:
        return hash(frozenset(self._held.items()))

    def copy(self, **add_or_replace: Any) -> frozendict:
        """Make another one, with these items too."""
        return type(self)(self._held, **add_or_replace)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._held!r}>"


class _Scipy:
    """A module of SciPy's, imported when something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(pkgutil.resolve_name(f"scipy.{self._name}"), name)


def lazy_scipy_module(submodule: str) -> Any:
    """Give a module of SciPy's, which is imported when something of it is asked for."""
    return _Scipy(submodule)


scipy_linalg = lazy_scipy_module("linalg")


def import_func_from_string(func_string: str) -> Any:
    """Find a function of NumPy's by its name, or any other by its path; None: there is none."""
    found = getattr(np, func_string, None)
    if found is not None:
        return found
    try:
        return pkgutil.resolve_name(func_string)
    except (ImportError, AttributeError, ValueError):
        return None


def broadcast_static_dim_lengths(dim_lengths: Sequence[int | None]) -> int | None:
    """Give the size that known and unknown sizes are broadcast to; None: it is not known.

    Raises
    ------
    ValueError
        If two sizes do not fit.
    """
    known = {size for size in dim_lengths if size not in (None, 1)}
    if len(known) > 1:
        raise ValueError(f"sizes do not fit: {', '.join(map(str, sorted(filter(None, known))))}")
    if known:
        return known.pop()
    return None if None in dim_lengths else 1


_NAMES = r"\((?:\w+(?:,\w+)*)?\)"
_LIST = rf"{_NAMES}(?:,{_NAMES})*"


def _parse_gufunc_signature(signature: str) -> tuple[list[tuple[str, ...]], ...]:
    """Read a signature such as ``(m,n),(n,p)->(m,p)``.

    Returns
    -------
    inputs, outputs : list of tuple of str
        The names of each one's core dimensions.

    Raises
    ------
    ValueError
        If it is none.
    """
    signature = "".join(signature.split())
    if re.fullmatch(rf"(?:{_LIST})?->{_LIST}", signature) is None:
        raise ValueError(f"not a valid gufunc signature: {signature}")
    return tuple(
        [[tuple(re.findall(r"\w+", part)) for part in re.findall(_NAMES, side)] for side in signature.split("->")]
    )


def safe_signature(core_inputs_ndim: Sequence[int], core_outputs_ndim: Sequence[int]) -> str:
    """Write a signature in which every core dimension has a name of its own."""

    def side(letter: str, sizes: Sequence[int]) -> str:
        return ",".join([f"({','.join([f'{letter}{n}{i}' for i in range(ndim)])})" for n, ndim in enumerate(sizes)])

    return f"{side('i', core_inputs_ndim)}->{side('o', core_outputs_ndim)}"


def normalize_reduce_axis(axis: int | Sequence[int] | None, ndim: int) -> tuple[int, ...] | None:
    """Give axes from 0, as a tuple; None: all. Of what has no dimensions, -1 and 0 are axes too.

    Raises
    ------
    numpy.exceptions.AxisError
        If there is no such axis.
    """
    return None if axis is None else tuple(normalize_axis_tuple(axis, max(ndim, 1)))


def get_normalized_batch_axes(
    core_axes: int | tuple[int, ...] | None, core_ndim: int, batch_ndim: int
) -> tuple[int, ...]:
    """Give the axes of a stack that are those of what is stacked; None: all of these."""
    axes = range(core_ndim) if core_axes is None else normalize_axis_tuple(core_axes, core_ndim)
    return tuple([axis + batch_ndim for axis in axes])


def faster_broadcast_to(x: Array, shape: Sequence[int]) -> Array:
    """Give `numpy.broadcast_to` of an array."""
    return np.broadcast_to(x, tuple(shape))


def faster_ndindex(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Give the indices of all elements, in the order of C."""
    return itertools.product(*map(range, shape))


def _each(function: Callable[..., Any], *names: Any) -> Any:
    if names and isinstance(names[0], int):
        return [function() for _ in range(names[0])]
    given = names[0] if len(names) == 1 and not isinstance(names[0], str) else names
    return function(given[0]) if len(given) == 1 else [function(name) for name in given]


def apply_across_args(*fns: Callable[..., Any]) -> Any:
    """Make of functions of one argument what takes several, and gives a list; or a number, of calls without any."""
    made = [partial(_each, function) for function in fns]
    return made[0] if len(made) == 1 else made


def old_np_unique(
    arr: Array,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """Give `numpy.unique` with the places of elements in one dimension, as it was before NumPy 2."""
    found = np.unique(arr, return_index, return_inverse, return_counts, axis)  # type: ignore[call-overload]
    if not return_inverse:
        return found
    place = 2 if return_index else 1
    return tuple([np.ravel(item) if i == place else item for i, item in enumerate(found)])


def hash_from_sparse(data: Sparse) -> str:
    """Give a digest of a sparse matrix of SciPy's: of its arrays, shape and dtype."""
    parts = [np.ascontiguousarray(part).tobytes() for part in (data.data, data.indices, data.indptr)]
    said = repr((data.shape, str(data.dtype), data.format)).encode()
    return hashlib.sha256(b"".join([said, *[len(part).to_bytes(8, "big") + part for part in parts]])).hexdigest()


def consider_constant(x: Value) -> Value:
    """Give the variable itself: this is said to those who compute gradients, and there are none."""
    return x


def render_string(string: str, sub: Mapping[str, object]) -> str:
    """Give ``string % sub``; an error says how far it came.

    Raises
    ------
    Exception
        With what stands before the place that cannot be filled in.
    """
    try:
        return string % sub
    except (KeyError, TypeError, ValueError) as err:
        for end in range(len(string) + 1):
            try:
                _ = string[:end] % sub
            except Exception as short:
                if str(short) == str(err):
                    raise Exception(f"{string[:end]}<<<< caused exception {err}") from None
        raise


def __getattr__(name: str) -> Any:
    if name != "NDARRAY_C_VERSION":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return pkgutil.resolve_name("numpy._core._multiarray_umath:_get_ndarray_c_version")()
