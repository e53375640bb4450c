"""Tensors: arrays of known dtype and number of dimensions."""

from opweld.dtypes import CONSTRUCTORS
from opweld.operations import FUNCTIONS
from opweld.rooms import door

__all__, __getattr__, __dir__ = door(
    __name__,
    {  # module -> what is found there on first use
        "basic": (
            "NotScalarConstantError", "alloc", "get_scalar_constant_value", "ones", "ones_like", "zeros", "zeros_like",
        ),
        "convert": ("as_tensor_variable", "constant"),
        "contraction": ("inner", "outer", "tensordot", "vdot"),
        "creation": ("empty", "empty_like", "eye", "full", "full_like", "identity"),
        "diagonals": ("diag", "diagonal", "trace", "tril", "triu"),
        "elemwise": ("Elemwise",),
        "along": ("argmax", "argmin", "cumprod", "cumsum", "max_and_argmax"),
        "joining": ("concatenate", "hstack", "join", "stack", "vstack"),
        "making": ("tensor",),
        "manipulation": ("broadcast_to", "flatten", "ravel", "reshape"),
        "ofnumpy": (
            "bincount", "cholesky", "det", "einsum", "histogram", "inv", "norm", "searchsorted", "solve", "unique",
        ),
        "permute": (
            "atleast_1d", "atleast_2d", "atleast_3d", "dimshuffle", "expand_dims", "moveaxis", "squeeze", "swapaxes",
            "transpose",
        ),
        "ranges": ("arange", "linspace"),
        "careduce": ("CAReduce",),
        "rearranging": ("flip", "kron", "meshgrid", "pad", "roll", "rot90"),
        "reduce": ("all", "amax", "amin", "any", "max", "min", "prod", "ptp", "sum"),
        "repetition": ("repeat", "tile"),
        "selection": ("flatnonzero", "nonzero", "take"),
        "statistics": ("mean", "std", "var"),
        "linalg": ("dot", "matmul"),
        "math": (
            "allclose", "angle", "cast", "clip", "fill", "imag", "isclose", "real", "round", "second", "size",
            "switch", "tensor_copy", "where",
        ),
        "shapes": ("shape", "shape_i"),
        "sorting": ("argsort", "sort"),
        "special": ("erf", "erfc", "logsumexp", "relu", "sigmoid", "softmax", "softplus"),
        "specify": ("SpecifyShape", "specify_shape"),
        "splitting": ("split",),
        "parts": ("inc_subtensor", "set_subtensor"),
        "type": ("TensorType",),
        "ufuncs": FUNCTIONS,
        "variable": ("TensorConstant", "TensorVariable"),
    },
    {"convert:constructor": CONSTRUCTORS},
)  # fmt: skip
