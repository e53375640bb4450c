"""What the trees of `opweld.compat` hold: names, and where each is found. ``a=b``: what is b elsewhere is called a."""

from __future__ import annotations

__all__ = ["FALLBACKS", "HOMES", "TREES"]

# name -> the module that has it, or module:attribute
HOMES: dict[str, str] = {
    **dict.fromkeys(
        (
            "CLinkerObject", "CLinkerOp", "CLinkerType", "COp", "CType", "DisconnectedType",
            "ExternalCOp", "Generic", "NullType", "Op", "OpenMPOp", "Type", "disconnected_type", "generic", "grad",
        ),
        "opweld.compat.bases",
    ),
    **dict.fromkeys(("Apply", "Constant", "Variable"), "opweld.graph.basic"),
    **dict.fromkeys(("InconsistencyError", "MethodNotDefined", "MissingInputError"), "opweld.errors"),
    **dict.fromkeys(("NodeRewriter", "node_rewriter"), "opweld.rewriting.basic"),
    **dict.fromkeys(
        ("register_canonicalize", "register_inplace", "register_specialize", "register_stabilize"),
        "opweld.rewriting.standard",
    ),
    **dict.fromkeys(("In", "Out"), "opweld.compile.function"),
    "function": "opweld.compat.functions",
    "SharedVariable": "opweld.graph.shared",
    "TensorSharedVariable": "opweld.tensor.shared",
    "shared": "opweld.compile.sharedvalue",
    **dict.fromkeys(
        ("DeepCopyOp", "ViewOp", "deep_copy_op", "register_deep_copy_op_c_code", "register_view_op_c_code", "view_op"),
        "opweld.hooks.copying",
    ),
    **dict.fromkeys(
        ("BadDestroyMap", "BadRewrite", "BadThunkOutput", "BadViewMap", "DebugMode", "DebugModeError"),
        "opweld.compile.debugmode",
    ),
    **dict.fromkeys(
        ("Shape", "Shape_i", "register_shape_c_code", "register_shape_i_c_code", "shape", "shape_i"),
        "opweld.tensor.shapes",
    ),
    **dict.fromkeys(
        (
            "Alloc", "EmptyConstantError", "MakeVector", "NotScalarConstantError", "alloc", "get_scalar_constant_value",
            "ones", "ones_like", "zeros", "zeros_like",
        ),
        "opweld.tensor.basic",
    ),
    "Elemwise": "opweld.tensor.elemwise",
    "TensorType": "opweld.tensor.type",
    "tensor": "opweld.tensor.making",
    **dict.fromkeys(("as_tensor_variable", "constant"), "opweld.tensor.convert"),
    **dict.fromkeys(("TensorConstant", "TensorVariable"), "opweld.tensor.variable"),
    **dict.fromkeys(("ScalarType", "get_scalar_type", "upcast"), "opweld.scalar"),
    **dict.fromkeys(("Params", "ParamsType"), "opweld.params"),
    **dict.fromkeys(("CEnumType", "EnumList", "EnumType"), "opweld.enums"),
    "FunctionGraph": "opweld.graph.fgraph",
    **dict.fromkeys(("change_flags", "config"), "opweld.compat.settings"),
    **dict.fromkeys(
        (
            "BinaryBitOp", "BinaryScalarOp", "FixedLogicalComparison", "LogicalComparison", "ScalarOp", "UnaryBitOp",
            "UnaryScalarOp",
        ),
        "opweld.compat.scalars",
    ),
    **dict.fromkeys(("debugprint", "pydotprint"), "opweld.printing"),
}  # fmt: skip

_GRAPH = "Apply Constant Variable"
_REGISTER = "register_canonicalize register_inplace register_specialize register_stabilize"
_COPIES = "DeepCopyOp ViewOp deep_copy_op register_deep_copy_op_c_code register_view_op_c_code view_op"
_SHAPES = "Shape Shape_i register_shape_c_code register_shape_i_c_code shape shape_i"
_VALUES = (
    "Alloc EmptyConstantError MakeVector NotScalarConstantError alloc as_tensor as_tensor_variable constant "
    "get_scalar_constant_value get_underlying_scalar_constant_value ones ones_like zeros zeros_like"
)
_DEBUG = "BadDestroyMap BadOptimization=BadRewrite BadThunkOutput BadViewMap DebugMode DebugModeError InvalidValueError"
_NO_GRADIENTS = ("Lop", "Rop", "grad", "grad_not_implemented", "grad_undefined", "jacobian", "undefined_grad")
_GRADIENT = " ".join(["DisconnectedType NullType disconnected_type", *[f"{name}=grad" for name in _NO_GRADIENTS]])
_TENSOR = f"TensorType tensor TensorVariable TensorConstant upcast grad {_VALUES} shape shape_i"

_SCALAR = (
    "BinaryBitOp BinaryScalarOp FixedLogicalComparison LogicalComparison ScalarOp ScalarType UnaryBitOp UnaryScalarOp "
    "get_scalar_type upcast"
)

HOMES.update(
    ClassicOp="opweld.compat.classic:Op",
    ClassicType="opweld.compat.classic:Type",
    as_tensor="opweld.tensor.convert:as_tensor_variable",
    get_underlying_scalar_constant_value="opweld.tensor.basic:get_scalar_constant_value",
    InvalidValueError="opweld.compile.debugmode",
)

# What the packages have alike since Theano 1.1.
_MODERN: dict[str, str] = {
    "": "Apply Constant In Op Out Type Variable config function grad shared",
    "compile": f"In Out SharedVariable function shared {_COPIES} {_SHAPES} {_DEBUG}",
    "compile.debugmode": _DEBUG,
    "compile.function": "function",
    "compile.io": "In Out",
    "compile.ops": f"{_COPIES} {_SHAPES}",
    "compile.sharedvalue": "SharedVariable shared",
    "configdefaults": "config",
    "gradient": _GRADIENT,
    "graph": f"{_GRAPH} FunctionGraph Op Type node_rewriter",
    "graph.basic": _GRAPH,
    "graph.fg": "FunctionGraph",
    "graph.null_type": "NullType",
    "graph.op": "COp ExternalCOp Op",
    "graph.opt": "local_optimizer=node_rewriter node_rewriter LocalOptimizer=NodeRewriter",
    "graph.params_type": "Params ParamsType",
    "graph.rewriting": "node_rewriter",
    "graph.rewriting.basic": "NodeRewriter node_rewriter",
    "graph.type": "CType Generic Type generic",
    "graph.utils": "InconsistencyError MethodNotDefined MissingInputError",
    "link": "",
    "link.c": "",
    "link.c.interface": "CLinkerObject CLinkerOp CLinkerType",
    "link.c.op": "COp CLinkerOp ExternalCOp OpenMPOp",
    "link.c.params_type": "Params ParamsType",
    "link.c.type": "CEnumType CLinkerObject CLinkerOp CLinkerType CType EnumList EnumType Generic generic",
    "printing": "debugprint pydotprint",
    "scalar": _SCALAR,
    "scalar.basic": _SCALAR,
    "tensor": _TENSOR,
    "tensor.basic": _TENSOR,
    "tensor.basic_opt": f"{_REGISTER} get_scalar_constant_value NotScalarConstantError",
    "tensor.elemwise": "Elemwise",
    "tensor.exceptions": "NotScalarConstantError",
    "tensor.math": "",
    "tensor.rewriting": _REGISTER,
    "tensor.rewriting.basic": f"{_REGISTER} get_scalar_constant_value NotScalarConstantError",
    "tensor.shape": _SHAPES,
    "tensor.sharedvar": "TensorSharedVariable",
    "tensor.type": "TensorType tensor",
    "tensor.var": "TensorConstant TensorVariable",
    "tensor.variable": "TensorConstant TensorVariable",
}

# What Theano has besides, up to 1.0.
_OPTIMIZERS = "local_optimizer=node_rewriter LocalOptimizer=NodeRewriter"
_CLASSIC: dict[str, str] = {
    "": (
        "Apply Constant In Op=ClassicOp OpenMPOp Out Type=ClassicType Variable change_flags config function grad shared"
    ),
    "gof": (
        f"{_GRAPH} {_OPTIMIZERS} CEnumType CLinkerObject CLinkerOp CLinkerType COp=ExternalCOp EnumList EnumType "
        "FunctionGraph Generic Op=ClassicOp OpenMPOp "
        "ParamsType Type=ClassicType generic InconsistencyError MethodNotDefined MissingInputError"
    ),
    "gof.fg": "FunctionGraph InconsistencyError MissingInputError",
    "gof.graph": _GRAPH,
    "gof.null_type": "NullType",
    "gof.op": f"{_GRAPH} CLinkerObject CLinkerOp COp=ExternalCOp Op=ClassicOp OpenMPOp MethodNotDefined",
    "gof.opt": _OPTIMIZERS,
    "gof.params_type": "Params ParamsType",
    "gof.type": "CEnumType CLinkerType EnumList EnumType Generic Type=ClassicType generic",
    "gof.utils": "MethodNotDefined",
    "configparser": "change_flags config",
    "printing": "debugprint pydotprint",
    "scalar": f"Scalar=ScalarType {_SCALAR}",
    "scalar.basic": f"Scalar=ScalarType {_SCALAR}",
    "tensor.opt": f"{_REGISTER} get_scalar_constant_value NotScalarConstantError",
}

TREES: dict[str, dict[str, str]] = {
    "theano": {**_MODERN, **_CLASSIC},
    "aesara": _MODERN,
    "pytensor": _MODERN,
}

# Where a module looks for what it does not list: the constructors dvector, fmatrix …, the scalar types.
FALLBACKS: dict[str, tuple[str, ...]] = {
    "tensor": ("opweld.tensor",),
    "tensor.basic": ("opweld.tensor",),
    "tensor.elemwise": ("opweld.tensor",),
    "tensor.math": ("opweld.tensor",),
    "tensor.type": ("opweld.tensor",),
    "scalar": ("opweld.scalar",),
    "scalar.basic": ("opweld.scalar",),
}
