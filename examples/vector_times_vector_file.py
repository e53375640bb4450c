"""Two vectors, element by element, with the C in a file of its own: ``vector_times_vector.c``.

An ``ExternalCOp`` names the file and the function in it that does the work. The file is plain C: an editor colours it,
a compiler error names its line.

    $ python vector_times_vector_file.py
"""

from __future__ import annotations

import numpy as np

import opweld
from opweld import Apply, ExternalCOp
from opweld.scalar import upcast
from opweld.tensor import TensorType, as_tensor_variable


class VectorTimesVectorFile(ExternalCOp):
    """``z[i] = x[i] * y[i]`` for vectors of one length; a ValueError where the lengths differ."""

    __props__ = ()

    def __init__(self):
        # The path is relative to the folder of this class's file.
        super().__init__("vector_times_vector.c", "APPLY_SPECIFIC(vector_times_vector)")

    def make_node(self, x, y):
        x, y = as_tensor_variable(x), as_tensor_variable(y)
        for name, variable in (("x", x), ("y", y)):
            if variable.type.ndim != 1:
                raise TypeError(f"VectorTimesVectorFile: {name} must have 1 dimension, got {variable.type.ndim}")
            dtype = np.dtype(variable.type.dtype)
            if dtype.kind not in "iufc" or dtype == np.float16:
                raise TypeError(
                    f"VectorTimesVectorFile: {name} has dtype {dtype}; it takes every numeric dtype but bool and "
                    f"float16: convert with {name}.astype(...) first"
                )
        return Apply(self, [x, y], [TensorType(upcast(x.type.dtype, y.type.dtype), shape=(None,))()])

    def perform(self, node, inputs, output_storage):
        x, y = inputs
        if len(x) != len(y):
            raise ValueError(f"VectorTimesVectorFile: x has {len(x)} elements, y has {len(y)}")
        output_storage[0][0] = np.multiply(x, y, dtype=node.outputs[0].type.dtype)


vector_times_vector_file = VectorTimesVectorFile()


def main() -> None:
    x, y = opweld.tensor.dvector("x"), opweld.tensor.dvector("y")
    f = opweld.function([x, y], vector_times_vector_file(x, y))
    print(f(np.linspace(0.0, 1.0, 5), np.arange(5.0)))


if __name__ == "__main__":
    main()
