"""A type of one's own: a Python float that is a plain ``double`` while C works on it, and two ops over it.

The type says how a value gets from Python to C and back; between two ops no Python float is made. The ops have no
Python code at all.

    $ python double_type.py
"""

from __future__ import annotations

import math
import numbers

import opweld
from opweld import Apply, Constant, COp, CType, Variable


class Double(CType):
    """A Python float, in C a ``double`` of the variable's name."""

    __props__ = ()

    def filter(self, value, strict=False, allow_downcast=None):
        """A float for any real number that a double holds exactly; with ``strict`` only for a float."""
        if type(value) is float:
            return value
        if strict or not isinstance(value, numbers.Real):
            raise TypeError(f"Double: expected a float, got {value!r} of type {type(value).__name__}")
        try:
            result = float(value)
        except OverflowError:
            raise TypeError("Double: the number is too large for a float") from None
        if not allow_downcast and result != value and not math.isnan(result):
            raise TypeError(f"Double: {value!r} has more digits than a float: write float({value!r})")
        return result

    def values_eq(self, a, b):
        return a == b or (math.isnan(a) and math.isnan(b))

    def values_eq_approx(self, a, b, tolerance=1e-9):
        """Equal to a relative ``tolerance``; two zeros, two equal infinities and two NaNs are equal."""
        return self.values_eq(a, b) or math.isclose(a, b, rel_tol=tolerance)

    def __str__(self):
        return "double"

    def c_declare(self, name, sub, check_input=True):
        return f"double {name};"

    def c_init(self, name, sub):
        return f"{name} = 0.0;"

    def c_extract(self, name, sub, check_input=True, **kwargs):
        check = f"""
            if (!PyFloat_Check(py_{name})) {{
                PyErr_Format(PyExc_TypeError, "Double: expected a float, got %s", Py_TYPE(py_{name})->tp_name);
                {sub["fail"]}
            }}
        """
        return (check if check_input else "") + f"{name} = PyFloat_AS_DOUBLE(py_{name});"

    def c_sync(self, name, sub):
        # The new object first: if it cannot be made, py_<name> still holds what it held.
        return f"""
            {{
                PyObject *made = PyFloat_FromDouble({name});
                if (made == NULL) {sub["fail"]}
                Py_XDECREF(py_{name});
                py_{name} = made;
            }}
        """

    def c_cleanup(self, name, sub):
        return ""  # a double owns nothing

    def c_accept(self, name, writeable=False):
        # What c_extract may have as it is, without a call of filter. Optional: it only saves time.
        return None if writeable else f"PyFloat_CheckExact(py_{name})"

    def c_code_cache_version(self):
        return (1,)


double = Double()


class DoubleOp(COp):
    """``z = x <symbol> y`` over doubles. Plain numbers become constants."""

    __props__ = ("symbol",)

    def __init__(self, symbol: str):
        if symbol not in ("+", "*"):
            raise ValueError(f"DoubleOp: symbol must be '+' or '*', got {symbol!r}")
        self.symbol = symbol

    def make_node(self, x, y):
        inputs = [v if isinstance(v, Variable) else Constant(double, double.filter(v)) for v in (x, y)]
        for variable in inputs:
            if variable.type != double:
                raise TypeError(f"DoubleOp: {variable} is of type {variable.type}, expected {double}")
        return Apply(self, inputs, [double()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x, y), (z,) = input_names, output_names
        return f"{z} = {x} {self.symbol} {y};"

    def c_compile_args(self):
        return ["-ffp-contract=off"]  # each op is rounded, as in Python

    def c_code_cache_version(self):
        return (1,)


add = DoubleOp("+")
mul = DoubleOp("*")


def main() -> None:
    x, y, z = double("x"), double("y"), double("z")
    f = opweld.function([x, y, z], mul(add(x, y), z))
    print(f(1.0, 2.0, 3.0))
    print(f(1, y=2, z=0.5))


if __name__ == "__main__":
    main()
