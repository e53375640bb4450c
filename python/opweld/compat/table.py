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
    **dict.fromkeys(
        (
            "NoneConst", "NoneTypeT", "_asarray", "all_dtypes", "complex_dtypes", "continuous_dtypes",
            "discrete_dtypes", "extract_constant", "float_dtypes", "hashtype", "int_dtypes", "integer_dtypes",
            "none_type_t", "uint_dtypes", "values_eq_approx_always_true", "values_eq_approx_remove_inf",
            "values_eq_approx_remove_inf_nan", "values_eq_approx_remove_nan",
        ),
        "opweld.compat.values",
    ),
    **dict.fromkeys(
        (
            "Callable", "DefaultOrderedDict", "Iterable", "Mapping", "OrderedDict", "PY3", "Singleton", "ValuesView",
            "add_tag_trace", "cmp", "decode", "decode_iter", "decode_with", "difference", "exc_message", "flatten",
            "from_return_values", "get_unbound_function", "get_variable_trace_string", "hash_from_code", "ifilter",
            "imap", "izip", "memoize", "object2", "operator_div", "remove", "scratchpad", "to_return_values", "uniq",
            "unzip",
        ),
        "opweld.compat.utils",
    ),
    **dict.fromkeys(
        (
            "ancestors", "applys_between", "c_cpp_keywords", "get_conv_output_shape", "get_conv_shape_1axis",
            "graph_inputs", "io_toposort", "local_bitwidth", "orphans_between", "python_int_bitwidth", "vars_between",
        ),
        "opweld.compat.graphs",
    ),
    **dict.fromkeys(
        (
            "DefaultPrinter", "FunctionPrinter", "IgnorePrinter", "LeafPrinter", "OperatorPrinter", "PPrinter",
            "PatternPrinter", "Printer", "PrinterState", "pp", "pprint", "set_precedence",
        ),
        "opweld.compat.pprinting",
    ),
    **dict.fromkeys(("blas_header_text", "blas_header_version", "ldflags"), "opweld.compat.blas"),
    **dict.fromkeys(("Mode", "get_default_mode", "get_mode"), "opweld.compat.modes"),
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
_PRINTERS = (
    "DefaultPrinter FunctionPrinter IgnorePrinter LeafPrinter OperatorPrinter PPrinter PatternPrinter Printer "
    "PrinterState pp pprint set_precedence"
)
_WALKS = "ancestors applys_between graph_inputs io_toposort orphans_between vars_between"
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
_DTYPES = (
    "all_dtypes complex_dtypes continuous_dtypes discrete_dtypes float_dtypes int_dtypes integer_dtypes uint_dtypes"
)
_CLOSE = (
    "values_eq_approx_always_true values_eq_approx_remove_inf values_eq_approx_remove_inf_nan "
    "values_eq_approx_remove_nan"
)
_NONE = "NoneConst NoneTypeT none_type_t"
_OLD_UTILS = (
    "MethodNotDefined add_tag_trace c_cpp_keywords difference flatten from_return_values get_variable_trace_string "
    "hashtype memoize object2 remove scratchpad to_return_values uniq"
)
_TENSOR = (
    f"TensorType tensor TensorVariable TensorConstant upcast grad {_VALUES} shape shape_i extract_constant {_DTYPES}"
)

_SCALAR = (
    "Apply BinaryBitOp BinaryScalarOp FixedLogicalComparison LogicalComparison ScalarOp ScalarType UnaryBitOp "
    "UnaryScalarOp get_scalar_type upcast"
)

HOMES.update(
    dict.fromkeys(
        (
            "bincount", "cholesky", "cumprod", "cumsum", "det", "inc_subtensor", "inv", "kron", "norm", "relu",
            "repeat", "searchsorted", "set_subtensor", "sigmoid", "softmax", "softplus", "solve", "squeeze", "trace",
            "unique",
        ),
        "opweld.tensor",
    )
)  # fmt: skip
HOMES.update(
    ClassicOp="opweld.compat.classic:Op",
    ClassicType="opweld.compat.classic:Type",
    as_tensor="opweld.tensor.convert:as_tensor_variable",
    get_underlying_scalar_constant_value="opweld.tensor.basic:get_scalar_constant_value",
    InvalidValueError="opweld.compile.debugmode",
)

# What the packages have alike since Theano 1.1.
_MODERN: dict[str, str] = {
    "": "Apply Constant In Mode Op Out Type Variable _asarray config function grad shared",
    "compile": f"In Mode Out SharedVariable function get_default_mode get_mode shared {_COPIES} {_SHAPES} {_DEBUG}",
    "compile.debugmode": _DEBUG,
    "compile.mode": "Mode get_default_mode get_mode",
    "compile.function": "function",
    "compile.io": "In Out",
    "compile.ops": f"{_COPIES} {_SHAPES}",
    "compile.sharedvalue": "SharedVariable shared",
    "configdefaults": "config local_bitwidth python_int_bitwidth",
    "gradient": _GRADIENT,
    "graph": f"{_GRAPH} FunctionGraph Op Type node_rewriter",
    "graph.basic": f"{_GRAPH} {_WALKS}",
    "graph.fg": "FunctionGraph",
    "graph.null_type": "NullType",
    "graph.op": "COp ExternalCOp Op",
    "graph.opt": "local_optimizer=node_rewriter node_rewriter LocalOptimizer=NodeRewriter",
    "graph.params_type": "Params ParamsType",
    "graph.rewriting": "node_rewriter",
    "graph.rewriting.basic": "NodeRewriter node_rewriter",
    "graph.traversal": _WALKS,
    "graph.type": "CType Generic Type generic",
    "graph.utils": (
        "InconsistencyError MethodNotDefined MissingInputError Scratchpad=scratchpad add_tag_trace "
        "get_variable_trace_string"
    ),
    "link": "",
    "link.c": "",
    "link.c.interface": "CLinkerObject CLinkerOp CLinkerType",
    "link.c.op": "COp CLinkerOp ExternalCOp OpenMPOp",
    "link.c.params_type": "Params ParamsType",
    "link.c.type": "CEnumType CLinkerObject CLinkerOp CLinkerType CType EnumList EnumType Generic generic",
    "printing": f"debugprint pydotprint {_PRINTERS}",
    "scalar": _SCALAR,
    "scalar.basic": _SCALAR,
    "tensor": _TENSOR,
    "tensor.basic": _TENSOR,
    "tensor.basic_opt": f"{_REGISTER} get_scalar_constant_value NotScalarConstantError",
    "tensor.blas": "blas_header_text blas_header_version ldflags",
    "tensor.blas_headers": "blas_header_text blas_header_version",
    "tensor.elemwise": "Elemwise",
    "tensor.exceptions": "NotScalarConstantError",
    "tensor.extra_ops": "bincount cumprod cumsum repeat searchsorted squeeze unique",
    "tensor.math": "",
    "tensor.nlinalg": "det inv=inv matrix_inverse=inv norm trace",
    "tensor.nnet": "relu sigmoid softmax softplus",
    "tensor.nnet.basic": "relu sigmoid softmax softplus",
    "tensor.slinalg": "cholesky kron solve",
    "tensor.subtensor": "inc_subtensor set_subtensor",
    "tensor.rewriting": _REGISTER,
    "tensor.rewriting.basic": f"{_REGISTER} get_scalar_constant_value NotScalarConstantError",
    "tensor.shape": _SHAPES,
    "tensor.sharedvar": "TensorSharedVariable",
    "tensor.type": f"DenseTensorType=TensorType TensorType tensor {_DTYPES} {_CLOSE}",
    "tensor.type_other": _NONE,
    "tensor.utils": "hash_from_code",
    "tensor.var": "TensorConstant TensorVariable",
    "tensor.variable": "TensorConstant TensorVariable",
    "utils": (
        "Singleton difference flatten from_return_values get_unbound_function hash_from_code to_return_values uniq "
        "unzip"
    ),
}

# What Theano has besides, up to 1.0.
_OPTIMIZERS = "local_optimizer=node_rewriter LocalOptimizer=NodeRewriter"
_CLASSIC: dict[str, str] = {
    "": (
        "Apply Constant In Mode Op=ClassicOp OpenMPOp Out Type=ClassicType Variable _asarray change_flags config "
        "function grad shared"
    ),
    "gof": (
        f"{_GRAPH} {_OPTIMIZERS} CEnumType CLinkerObject CLinkerOp CLinkerType COp=ExternalCOp EnumList EnumType "
        "FunctionGraph Generic Op=ClassicOp OpenMPOp "
        "ParamsType Type=ClassicType generic hashtype InconsistencyError MethodNotDefined MissingInputError"
    ),
    "gof.fg": "FunctionGraph InconsistencyError MissingInputError",
    "gof.graph": f"{_GRAPH} ancestors inputs=graph_inputs io_toposort ops=applys_between orphans=orphans_between "
    "variables=vars_between",
    "gof.null_type": "NullType",
    "gof.op": f"{_GRAPH} CLinkerObject CLinkerOp COp=ExternalCOp Op=ClassicOp OpenMPOp MethodNotDefined",
    "gof.opt": _OPTIMIZERS,
    "gof.params_type": "Params ParamsType",
    "gof.type": "CEnumType CLinkerType EnumList EnumType Generic Type=ClassicType generic",
    "compat": (
        "Callable DefaultOrderedDict Iterable Mapping OrderedDict PY3 ValuesView cmp decode decode_iter decode_with "
        "exc_message get_unbound_function ifilter imap izip operator_div"
    ),
    "gof.utils": _OLD_UTILS,
    "configparser": "change_flags config",
    "printing": f"debugprint pydotprint {_PRINTERS}",
    "scalar": f"Scalar=ScalarType {_SCALAR}",
    "scalar.basic": f"Scalar=ScalarType {_SCALAR}",
    "tensor.nnet.abstract_conv": "get_conv_output_shape get_conv_shape_1axis",
    "tensor.nnet.nnet": "relu sigmoid softmax softplus",
    "tensor.nnet.sigm": "sigmoid softplus",
    "tensor.opt": f"{_REGISTER} get_scalar_constant_value NotScalarConstantError",
}

TREES: dict[str, dict[str, str]] = {
    "theano": {**_MODERN, **_CLASSIC},
    "aesara": _MODERN,
    "pytensor": _MODERN,
}

# Where a module looks for what it does not list: the constructors dvector, fmatrix …, the scalar types.
FALLBACKS: dict[str, tuple[str, ...]] = {
    "tensor": ("opweld.tensor", "opweld.compat.tensors"),
    "tensor.basic": ("opweld.tensor", "opweld.compat.tensors"),
    "tensor.elemwise": ("opweld.tensor",),
    "tensor.math": ("opweld.tensor",),
    "tensor.shape": ("opweld.compat.tensors",),
    "tensor.type": ("opweld.tensor", "opweld.compat.tensors"),
    "scalar": ("opweld.scalar", "opweld.compat.scalarnames"),
    "scalar.basic": ("opweld.scalar", "opweld.compat.scalarnames"),
}
