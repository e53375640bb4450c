"""TensorType: NumPy arrays of one dtype, one number of dimensions, and sizes as far as they are known."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from opweld import dtypes
from opweld.complexes import c_support_code
from opweld.errors import _what
from opweld.graph.type import knows_of, tolerances
from opweld.hooks.classes import CType, Lenient
from opweld.hooks.registered import register_deep_copy_op_c_code, register_view_op_c_code
from opweld.tensor.variable import TensorConstant, TensorVariable

__all__ = ["TensorType", "tensor_type"]

_OWN = {"_dtype", "dtype", "shape", "_hash", "name"}
_MAX_NDIM = 64 if int(np.__version__.partition(".")[0]) >= 2 else 32


class TensorType(Lenient, CType):
    """NumPy arrays, in C a ``PyArrayObject*`` that C code owns a reference to.

    Parameters
    ----------
    dtype : str or numpy.dtype
        A bool, integer, float or complex dtype, or ``"floatX"``.
    shape : sequence of (int, None or bool), optional
        One entry for each dimension; None: unknown. True and False mean what they mean in `broadcastable`.
    broadcastable : sequence of bool, optional
        Instead of `shape`: True is size 1, False unknown.
    name : str, optional
        Kept, and no part of what the type is.

    Examples
    --------
    >>> matrix = opweld.TensorType("float32", (None, 3))
    >>> matrix.ndim, matrix.shape
    (2, (None, 3))
    >>> matrix.filter(np.zeros((2, 3), "float32")).shape
    (2, 3)
    """

    __props__ = ("dtype", "shape")
    name: str | None = None
    variable_type = TensorVariable
    constant_type = TensorConstant
    keep_storage = True

    def __init__(
        self,
        dtype: Any,
        shape: Iterable[Any] | None = None,
        broadcastable: Iterable[bool] | None = None,
        name: str | None = None,
    ) -> None:
        if name is not None:
            self.name = name
        self._dtype = dtypes.dtype_of(dtype)
        self.dtype = self._dtype.name
        if (shape is None) == (broadcastable is None):
            raise TypeError("TensorType needs shape or broadcastable, and not both")
        if broadcastable is not None:
            shape = [1 if flag else None for flag in broadcastable]
        try:
            sizes = [] if shape is None else list(shape)
        except TypeError:
            raise TypeError(f"shape must be a sequence of sizes, got {_what(shape)}; of one dimension: (n,)") from None
        self.shape: tuple[int | None, ...] = tuple([_size(size) for size in sizes])
        self._hash: int | None = None
        if len(self.shape) > _MAX_NDIM:
            raise ValueError(f"{len(self.shape)} dimensions: NumPy allows {_MAX_NDIM}")

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or self.__props__ is not TensorType.__props__:
            return super().__eq__(other)
        return self.dtype == other.dtype and self.shape == other.shape

    def __hash__(self) -> int:  # asked for a few times a variable: kept
        found = self._hash
        if found is None:
            found = self._hash = super().__hash__()
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_hash": None}  # another process hashes strings otherwise

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def broadcastable(self) -> tuple[bool, ...]:
        """Which sizes are known to be 1."""
        return tuple([size == 1 for size in self.shape])

    @property
    def numpy_dtype(self) -> np.dtype[Any]:
        """The dtype, as NumPy's object."""
        return self._dtype.np

    def __str__(self) -> str:
        return f"TensorType({self.dtype}, {dtypes.shape_text(self.shape)})"

    def __repr__(self) -> str:
        return f"TensorType({self.dtype!r}, {self.shape!r})"

    if not TYPE_CHECKING:  # who reads types sees what `Type` has

        def __call__(self, name: str | None = None, *others: object, **more: object) -> Any:
            """Make a free variable of this type; see `make_variable`."""
            if others or more:
                wanted = {"dtype": self.dtype, "shape": self.shape, **more}
                shape = f"dtype={str(wanted.pop('dtype'))!r}, shape={wanted.pop('shape')!r}"
                given = ", ".join([*map(repr, others), *[f"{key}=" for key in more]])
                raise TypeError(f"{self} takes a name alone, got {given}; write T.tensor({name!r}, {shape})")
            return self.make_variable(name)

        __call__.__wrapped__ = CType.__call__

    def clone(
        self, dtype: Any = None, shape: Iterable[Any] | None = None, broadcastable: Iterable[bool] | None = None
    ) -> TensorType:
        """Make a type like this one.

        Parameters
        ----------
        dtype, shape, broadcastable : optional
            What differs; of the sizes either is said.

        Returns
        -------
        TensorType
        """
        if shape is None and broadcastable is None:
            shape = self.shape
        return type(self)(self.dtype if dtype is None else dtype, shape, broadcastable)

    def is_super(self, other: object) -> bool:
        """Say whether every array of another type is of this one too, because it knows less of the sizes.

        Parameters
        ----------
        other : Type
            The other type.

        Returns
        -------
        bool
        """
        return (
            type(other) is type(self)
            and other.dtype == self.dtype
            and len(other.shape) == len(self.shape)
            and all(mine is None or mine == size for mine, size in zip(self.shape, other.shape))
        )

    def filter(self, value: object, strict: bool = False, allow_downcast: bool | None = None) -> np.ndarray[Any, Any]:
        """Turn a value into an array of this type, or refuse; the rule is `opweld.dtypes.convert`.

        Parameters
        ----------
        value : object
            An array, a number, a list.
        strict : bool
            Refuse whatever would need a conversion.
        allow_downcast : bool, optional
            True: cast whatever is numeric; None: a Python float becomes ``config.floatX``.

        Returns
        -------
        numpy.ndarray
            `value` itself where it is right.

        Raises
        ------
        TypeError
            Says what was expected, what came, why it does not fit, and what to call.
        """
        return dtypes.convert(value, self._dtype, self.shape, strict, allow_downcast)

    def filter_argument(
        self, value: object, strict: bool, allow_downcast: bool | None, writeable: bool, name: str
    ) -> np.ndarray[Any, Any]:
        """Do as `filter` for an argument that may be written into and has a name.

        Returns
        -------
        numpy.ndarray
        """
        return dtypes.convert(value, self._dtype, self.shape, strict, allow_downcast, writeable, name)

    def argument_rule(self, strict: bool, allow_downcast: bool | None, writeable: bool, name: str) -> tuple[Any, ...]:
        """Give what `filter_argument` does as the data by which a module does it itself.

        Returns
        -------
        tuple
            As `opweld.dtypes.rule_of` gives it.
        """
        return dtypes.rule_of(self._dtype, self.shape, strict, allow_downcast, writeable, name)

    @staticmethod
    def values_eq(a: object, b: object) -> bool:
        """Say whether two arrays have equal dtype, shape and values; see `opweld.tolerances.near`."""
        return bool(tolerances.near(a, b, tolerances.EXACT))

    @staticmethod
    def values_eq_approx(a: Any, b: Any, rtol: float | None = None, atol: float | None = None) -> bool:
        """Say whether two arrays have equal dtype and shape and nearly equal values.

        Parameters
        ----------
        a, b : numpy.ndarray
            What is compared.
        rtol, atol : float, optional
            As in ``numpy.allclose``. Left out: the dtype's row in `opweld.tolerances`.

        Returns
        -------
        bool
        """
        if (rtol is None and atol is None) or a.dtype.kind not in "fc":
            return bool(tolerances.near(a, b))
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        return bool(np.allclose(a, b, rtol=rtol or 0, atol=atol or 0, equal_nan=True))

    def settled(self) -> bool:
        """Say whether nothing was hung onto the type that it might be asked for."""
        return self.__dict__.keys() <= _OWN

    def dtype_specs(self) -> tuple[type, str, str]:
        """Give the dtype as NumPy's scalar class, the C type and the type number's name."""
        return self._dtype.np.type, dtypes.c_name(self._dtype), self._dtype.enum

    def c_element_type(self) -> str:
        """Give the C type of an element."""
        return dtypes.c_name(self._dtype)

    def c_support_code(self, **kwargs: Any) -> Any:
        """Define the C type of an element, where it is complex."""
        return c_support_code(self._dtype)

    def c_declare(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Declare the array, the element's type and the type number."""
        return (
            f"PyArrayObject* {name};\ntypedef {dtypes.c_name(self._dtype)} dtype_{name};\n"
            f"enum {{ type_num_{name} = {self._dtype.enum} }};"
        )

    def c_array(self) -> dict[str, Any]:
        """Say that this is all: one array, to which C holds a reference; and what `c_accept` says, as data."""
        sizes = [[axis, size] for axis, size in enumerate(self.shape) if size is not None]
        return {"dtype": self.dtype, "ndim": self.ndim, "plain": True, "sizes": sizes}

    def c_init(self, name: str, sub: dict[str, Any]) -> str:
        """Begin with no array."""
        return f"{name} = NULL;"

    def c_extract(self, name: str, sub: dict[str, Any], check_input: bool = True, **kwargs: Any) -> str:
        """Take a reference, after a check where one is asked for."""
        check = ""
        if check_input:
            sizes = "".join(
                f" || PyArray_DIM((PyArrayObject*)py_{name}, {axis}) != {size}"
                for axis, size in enumerate(self.shape)
                if size is not None
            )
            check = (
                f"if (!PyArray_Check(py_{name})) {{\n"
                f'    PyErr_Format(PyExc_TypeError, "expected an ndarray, got %s", Py_TYPE(py_{name})->tp_name);\n'
                f"    {sub['fail']}\n}}\n"
                f"if (PyArray_TYPE((PyArrayObject*)py_{name}) != {self._dtype.enum} || "
                f"PyArray_NDIM((PyArrayObject*)py_{name}) != {self.ndim} || "
                f"!PyArray_ISBEHAVED_RO((PyArrayObject*)py_{name}){sizes}) {{\n"
                f'    PyErr_SetString(PyExc_TypeError, "expected {dtypes.expected(self._dtype, self.shape)}");\n'
                f"    {sub['fail']}\n}}\n"
            )
        return f"{check}{name} = (PyArrayObject*)py_{name};\nPy_INCREF({name});"

    def c_extract_out(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Take what is offered, or begin with no array."""
        return (
            f"if (py_{name} == Py_None) {{\n{self.c_init(name, sub)}\n}} else {{\n"
            f"{self.c_extract(name, sub, check_input)}\n}}"
        )

    def c_sync(self, name: str, sub: dict[str, Any]) -> str:
        """Give the array back; none becomes None. What `c_array` promises is tested behind each op's code already."""
        check = ""
        if not knows_of(self, "c_array", ("c_declare",)):  # a subclass declares something else
            check = (
                f"    if ({name} != NULL && !(PyArray_Check({name}) && PyArray_NDIM({name}) == {self.ndim} &&\n"
                f"        PyArray_ISBEHAVED_RO({name}) &&\n"
                f"        PyArray_EquivTypenums(PyArray_TYPE({name}), {self._dtype.enum}))) {{\n"
                f'        PyErr_Format(PyExc_TypeError, "c_code stored %s in an output for which make_node promised "\n'
                f'            "{dtypes.expected(self._dtype, self.shape)}", Py_TYPE({name})->tp_name);\n'
                f"        {sub['fail']}\n    }}\n"
            )
        return (
            f"if ((PyObject*){name} != py_{name}) {{\n"
            f"    PyObject* {name}_old = py_{name};\n{check}"
            f"    py_{name} = {name} != NULL ? (PyObject*){name} : Py_None;\n"
            f"    Py_INCREF(py_{name});\n"
            f"    Py_XDECREF({name}_old);\n}}"
        )

    def c_cleanup(self, name: str, sub: dict[str, Any]) -> str:
        """Release the array."""
        return f"Py_XDECREF({name});"

    def c_accept(self, name: str, writeable: bool = False) -> str | None:
        """Take arrays that need nothing done. Subclasses of ndarray go through `filter`, which knows masked arrays."""
        array = f"(PyArrayObject*)py_{name}"
        tests = [
            f"PyArray_CheckExact(py_{name})",
            f"PyArray_TYPE({array}) == {self._dtype.enum}",
            f"PyArray_NDIM({array}) == {self.ndim}",
            f"{'PyArray_ISBEHAVED' if writeable else 'PyArray_ISBEHAVED_RO'}({array})",
        ]
        tests += [f"PyArray_DIM({array}, {axis}) == {size}" for axis, size in enumerate(self.shape) if size is not None]
        return " && ".join(tests)

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of these texts."""
        return (3,)


@lru_cache(maxsize=4096)
def tensor_type(dtype: str, shape: tuple[int | None, ...]) -> TensorType:
    """Give the type of what nodes make; of equal ones the same object, so that a graph asks few types for their texts.

    Parameters
    ----------
    dtype : str
        The dtype's name.
    shape : tuple of (int or None)
        As a type has it.

    Returns
    -------
    TensorType
    """
    return TensorType(dtype, shape)


def _size(size: Any) -> int | None:
    """One entry of a shape."""
    if isinstance(size, (bool, np.bool_)):
        return 1 if size else None
    if size is None:
        return None
    try:
        number = size.__index__()
    except AttributeError:
        raise TypeError(f"a size must be an integer or None, got {size!r}") from None
    if number < 0:
        raise ValueError(f"a size must not be negative, got {number}")
    return int(number)


register_deep_copy_op_c_code(
    TensorType,
    """
if (%(oname)s != NULL && PyArray_SAMESHAPE(%(oname)s, %(iname)s)) {
    if (PyArray_CopyInto(%(oname)s, %(iname)s) != 0) {
        %(fail)s
    }
} else {
    Py_XDECREF(%(oname)s);
    %(oname)s = (PyArrayObject*)PyArray_NewCopy(%(iname)s, NPY_ANYORDER);
    if (%(oname)s == NULL) {
        %(fail)s
    }
}
""",
    (1,),
)
register_view_op_c_code(
    TensorType,
    """
Py_INCREF(%(iname)s);
Py_XDECREF(%(oname)s);
%(oname)s = %(iname)s;
""",
    (1,),
)
