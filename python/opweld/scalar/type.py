"""ScalarType: one number, without an array around it."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.complexes import c_support_code
from opweld.dtypes import GROUPS, c_float, c_integer, c_name, convert, dtype_of, upcast
from opweld.errors import _what
from opweld.graph.basic import Constant, Variable
from opweld.graph.type import tolerances
from opweld.hooks.classes import CType, Lenient
from opweld.hooks.registered import register_deep_copy_op_c_code
from opweld.promotion import Spec

__all__ = [
    "ScalarConstant", "ScalarType", "ScalarVariable", "as_scalar", "common_dtype", "get_scalar_type", "group",
    "upcast",
]  # fmt: skip


class ScalarVariable(Variable):
    """A variable whose value is one number.

    Examples
    --------
    >>> a = opweld.scalar.float64("a")
    >>> isinstance(a, opweld.scalar.ScalarVariable), opweld.function([a], opweld.scalar.exp(a))(0.0)
    (True, np.float64(1.0))
    """

    @property
    def dtype(self) -> str:
        """Name of the dtype."""
        return str(self.type.dtype)

    @property
    def ndim(self) -> int:
        """Number of dimensions: 0."""
        return 0


class ScalarConstant(Constant):
    """A number that is known.

    Examples
    --------
    >>> c = opweld.scalar.ScalarConstant(opweld.scalar.float64, 2.5)
    >>> c.data, c.type
    (np.float64(2.5), ScalarType('float64'))
    """

    dtype = ScalarVariable.dtype
    ndim = ScalarVariable.ndim


class ScalarType(Lenient, CType):
    """One number, in C a plain variable of the dtype's C type.

    Parameters
    ----------
    dtype : str or numpy.dtype
        A bool, integer, float or complex dtype.

    Examples
    --------
    >>> a = opweld.scalar.float64("a")
    >>> a.type.dtype, opweld.function([a], a)(1)
    ('float64', np.float64(1.0))
    """

    __props__ = ("dtype",)
    variable_type = ScalarVariable
    constant_type = ScalarConstant
    ndim = 0
    shape = ()

    def __init__(self, dtype: Any) -> None:
        self._dtype = dtype_of(dtype)
        self.dtype = self._dtype.name

    def __str__(self) -> str:
        return self.dtype

    def __repr__(self) -> str:
        return f"ScalarType({self.dtype!r})"

    def filter(self, value: object, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Turn a value into a NumPy scalar of the dtype, or refuse; see `opweld.dtypes.convert`.

        Parameters
        ----------
        value : object
            A NumPy scalar, a number, an array without dimensions.
        strict : bool
            Refuse what is not such a NumPy scalar.
        allow_downcast : bool, optional
            As for arrays.

        Returns
        -------
        numpy.generic
            `value` itself where it is of the dtype.

        Raises
        ------
        TypeError
            If it does not fit.
        """
        if type(value) is self._dtype.np.type:
            return value
        if strict:
            raise TypeError(
                f"expected a NumPy scalar of {self.dtype}; got {type(value).__name__} {value!r}: strict allows no "
                f"conversion; call np.{self._dtype.np.type.__name__}(x)"
            )
        return convert(value, self._dtype, (), strict, allow_downcast)[()]

    def _number(self, value: object) -> Any:
        """One of Python's numbers as this type's; NumPy's have dtypes of their own."""
        return value if isinstance(value, (np.generic, np.ndarray)) else self._dtype.np.type(value)

    def values_eq(self, a: object, b: object) -> bool:  # type: ignore[override]
        """Say whether two numbers have equal dtype and value; see `opweld.tolerances.near`."""
        return bool(tolerances.near(self._number(a), self._number(b), tolerances.EXACT))

    def values_eq_approx(self, a: Any, b: Any, tolerance: float | None = None) -> bool:
        """Say whether two numbers have equal dtype and nearly equal values.

        Parameters
        ----------
        a, b : numpy.generic
            What is compared.
        tolerance : float, optional
            What they may differ by, relative to the larger. Left out: the dtype's row in `opweld.tolerances`.

        Returns
        -------
        bool
        """
        a, b = self._number(a), self._number(b)
        if tolerance is None or a.dtype.kind not in "fc":
            return bool(tolerances.near(a, b))
        return bool(tolerances.near(a, b, tolerances.Tolerance(0, tolerance * max(abs(a), abs(b)))))

    def dtype_specs(self) -> tuple[type, str, str]:
        """Give the dtype as NumPy's scalar class, the C type and the type number's name."""
        return self._dtype.np.type, c_name(self._dtype), self._dtype.enum

    def c_element_type(self) -> str:
        """Give the C type."""
        return c_name(self._dtype)

    def c_support_code(self, **kwargs: Any) -> Any:
        """Define the C type, where it is complex."""
        return c_support_code(self._dtype)

    def c_declare(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Declare the number."""
        ctype = c_name(self._dtype)
        return f"{ctype} {name};\ntypedef {ctype} dtype_{name};"

    def c_init(self, name: str, sub: dict[str, Any]) -> str:
        """Begin with zero."""
        return f"memset(&{name}, 0, sizeof {name});"

    def c_extract(self, name: str, sub: dict[str, Any], check_input: bool = True, **kwargs: Any) -> str:
        """Read the NumPy scalar."""
        check = ""
        if check_input:
            check = (
                f"if (!PyArray_IsScalar(py_{name}, {self._dtype.scalar})) {{\n"
                f'    PyErr_Format(PyExc_TypeError, "expected a NumPy scalar of {self.dtype}, got %s", '
                f"Py_TYPE(py_{name})->tp_name);\n    {sub['fail']}\n}}\n"
            )
        return f"{check}PyArray_ScalarAsCtype(py_{name}, &{name});"

    def c_extract_out(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Ignore what is offered: a NumPy scalar cannot be written into."""
        return self.c_init(name, sub)

    def c_sync(self, name: str, sub: dict[str, Any]) -> str:
        """Make a NumPy scalar."""
        return (
            f"PyArray_Descr* {name}_descr = PyArray_DescrFromType({self._dtype.enum});\n"
            f"PyObject* {name}_new = {name}_descr ? PyArray_Scalar(&{name}, {name}_descr, NULL) : NULL;\n"
            f"Py_XDECREF({name}_descr);\n"
            f"if ({name}_new == NULL) {{\n    {sub['fail']}\n}}\n"
            f"Py_XDECREF(py_{name});\npy_{name} = {name}_new;"
        )

    def c_cleanup(self, name: str, sub: dict[str, Any]) -> str:
        """Nothing is held."""
        return ""

    def c_is_simple(self) -> bool:
        """Say that a number is not worth keeping between runs."""
        return True

    def c_literal(self, data: object) -> str | None:
        """Write the number as a constant expression of the C type, exact to the last bit.

        Parameters
        ----------
        data : number
            The value.

        Returns
        -------
        str or None
            None for complex numbers, which C and C++ write differently, and for NaN, whose bits a literal loses.
        """
        value = self.filter(data)
        kind = self._dtype.np.kind
        ctype = self._dtype.ctype
        if kind == "c" or value != value:
            return None
        if kind in "biu":
            text = c_integer(int(value), "ULL" if kind == "u" else "LL")
            return f"({ctype})({text})" if " " in text else f"({ctype}){text}"
        if self.dtype == "float16":
            return f"({ctype}){value.tobytes()[0] | value.tobytes()[1] << 8:#06x}"
        if float(value) == value:
            return f"({ctype}){c_float(value)}"
        return f"({ctype}){np.format_float_scientific(value, unique=True, trim='0')}L"

    def c_accept(self, name: str, writeable: bool = False) -> str | None:
        """Take NumPy scalars of the dtype; offer no storage."""
        return None if writeable else f"PyArray_IsScalar(py_{name}, {self._dtype.scalar})"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of these texts."""
        return (1,)


register_deep_copy_op_c_code(ScalarType, "%(oname)s = %(iname)s;", (1,))

_types: dict[str, ScalarType] = {}


def get_scalar_type(dtype: Any) -> ScalarType:
    """Find the scalar type of a dtype.

    Parameters
    ----------
    dtype : str or numpy.dtype
        The dtype.

    Returns
    -------
    ScalarType
        The same object each time.

    Examples
    --------
    >>> opweld.scalar.get_scalar_type("float32") is opweld.scalar.float32
    True
    """
    name = dtype_of(dtype).name
    found = _types.get(name)
    if found is None:
        found = _types[name] = ScalarType(name)
    return found


def group(name: str) -> tuple[ScalarType, ...]:
    """Give the scalar types of a group.

    Parameters
    ----------
    name : str
        One of `opweld.dtypes.GROUPS`.

    Returns
    -------
    tuple of ScalarType
    """
    return tuple([get_scalar_type(dtype) for dtype in GROUPS[name]])


def common_dtype(spec: Spec) -> str:
    """Find the dtype that NumPy promotes to, Python's numbers being weak.

    Parameters
    ----------
    spec : Spec
        Dtypes and classes of Python's numbers.

    Returns
    -------
    str
    """
    found = _common.get(spec)
    if found is None:
        parts = [entry(0) if isinstance(entry, type) else dtype_of(entry).np for entry in spec]
        found = _common[spec] = dtype_of(np.result_type(*parts)).name
    return found


_common: dict[Spec, str] = {}


def as_scalar(x: object, name: str | None = None) -> Any:
    """Give a scalar variable for `x`.

    Parameters
    ----------
    x : Variable or number
        A scalar variable is given back as it is; a number becomes a constant.
    name : str, optional
        Name of the constant.

    Returns
    -------
    ScalarVariable or ScalarConstant

    Raises
    ------
    TypeError
        For a variable of another type, and for what is not one number.

    Examples
    --------
    >>> opweld.scalar.as_scalar(2.5).type
    ScalarType('float64')
    """
    if isinstance(x, Variable):
        if not isinstance(x.type, ScalarType):
            raise TypeError(f"expected a scalar variable, got {x} of type {x.type}")
        return x
    array = np.asarray(x)
    if array.ndim != 0:
        raise TypeError(f"expected a scalar variable or a number, got {_what(x)}")
    return get_scalar_type(array.dtype).make_constant(array[()], name)
