"""PyTensor: an ExternalCOp whose file holds sections and a function, with several params as one C struct."""

import numpy as np

from opweld.compat import pytensor

Apply = pytensor.graph.basic.Apply
ParamsType = pytensor.link.c.params_type.ParamsType
ExternalCOp = pytensor.link.c.op.ExternalCOp
scalar = pytensor.scalar


class Cumulate(ExternalCOp):
    """Sums or products so far, along an axis; with ``axis=None`` of the flattened array. ``strict`` refuses NaN."""

    __props__ = ("axis", "product", "strict")
    params_type = ParamsType(c_axis=scalar.int32, product=scalar.bool, strict=scalar.bool)
    _cop_num_inputs = 1
    _cop_num_outputs = 1

    def __init__(self, axis=None, product=False, strict=False):
        super().__init__(["cumulate.c"], "APPLY_SPECIFIC(cumulate)")
        self.axis = axis
        self.product = product
        self.strict = strict

    c_axis = property(lambda self: -1 if self.axis is None else self.axis)

    def make_node(self, x):
        x = pytensor.tensor.as_tensor_variable(x)
        if self.axis is None:
            out = pytensor.tensor.type.TensorType(x.type.dtype, shape=(None,))
        elif not 0 <= self.axis < x.type.ndim:
            raise ValueError(f"axis {self.axis} is out of bounds for {x.type.ndim} dimensions")
        else:
            out = x.type
        return Apply(self, [x], [out()])

    def perform(self, node, inputs, output_storage):
        (x,) = inputs
        if self.strict and (x != x).any():
            raise ValueError("not a number")
        ufunc = np.multiply if self.product else np.add
        over = x.reshape(-1) if self.axis is None else x
        output_storage[0][0] = ufunc.accumulate(over, axis=self.axis or 0, dtype=x.dtype)

    def c_compile_args(self, **kwargs):
        return ["-Wno-tautological-compare"]  # of an integer with itself

    def c_code_cache_version(self):
        return (*super().c_code_cache_version(), 1)
