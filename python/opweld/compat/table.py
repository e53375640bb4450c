"""What the trees of `opweld.compat` hold: names, and where each is found. ``a=b``: what is b elsewhere is called a."""

from __future__ import annotations

from opweld.compat import kinds

__all__ = ["ALIASES", "BASIC", "FALLBACKS", "HOMES", "TREES"]

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
    "node_rewriter": "opweld.rewriting.basic",
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
            "Alloc", "EmptyConstantError", "MakeVector", "NotScalarConstantError", "alloc",
            "ones", "ones_like", "zeros", "zeros_like",
        ),
        "opweld.tensor.basic",
    ),
    "TensorType": "opweld.tensor.type",
    "tensor": "opweld.tensor.making",
    **dict.fromkeys(("as_tensor_variable", "constant"), "opweld.tensor.convert"),
    **dict.fromkeys(("TensorConstant", "TensorVariable"), "opweld.tensor.variable"),
    **dict.fromkeys(("ScalarType", "get_scalar_type", "upcast"), "opweld.scalar"),
    **dict.fromkeys(("Params", "ParamsType"), "opweld.params"),
    **dict.fromkeys(("CEnumType", "EnumList", "EnumType"), "opweld.enums"),
    **dict.fromkeys(
        (
            "Feature", "FunctionGraph", "ReplaceValidate", "ReplacementDidntRemovedError", "Updater", "Validator",
        ),
        "opweld.compat.fgraph",
    ),
    **dict.fromkeys(
        (
            "EquilibriumOptimizer", "FromFunctionOptimizer", "LocalOptGroup", "LocalOptimizer", "MergeOptimizer",
            "Optimizer", "SeqOptimizer", "TopoOptimizer", "check_chain", "copy_stack_trace", "in2out",
            "inherit_stack_trace", "optimizer", "out2in", "view_roots",
        ),
        "opweld.compat.rewriters",
    ),
    **dict.fromkeys(
        (
            "OpRemove", "OpSub", "PatternSub",
        ),
        "opweld.compat.substitutions",
    ),
    **dict.fromkeys(
        (
            "Canonizer", "DB", "EquilibriumDB", "LocalGroupDB", "Query", "SequenceDB", "local_add_canonizer",
            "local_mul_canonizer", "optdb",
        ),
        "opweld.compat.databases",
    ),
    **dict.fromkeys(
        (
            "BasicThunkType", "ComputeMapType", "FrozenFunctionGraph", "HasDataType", "HasInnerGraph", "HasShape",
            "InputStorageType", "MetaObject", "MetaType", "OutputStorageType", "PerformMethodType", "StorageCellType",
            "StorageMapType", "ThunkCallableType", "ThunkType", "fgraph_to_python", "is_thunk_type",
        ),
        "opweld.compat.abstract",
    ),
    **dict.fromkeys(
        (
            "clone", "clone_get_equiv", "clone_replace", "equal_computations", "graph_replace",
            "rebuild_collect_shared",
        ),
        "opweld.compat.cloning",
    ),
    **dict.fromkeys(
        (
            "apply_depends_on", "explicit_graph_inputs", "list_of_nodes", "toposort", "truncated_graph_inputs",
            "variable_depends_on",
        ),
        "opweld.compat.graphs",
    ),
    **dict.fromkeys(
        (
            "LOCAL_BITWIDTH", "NDARRAY_C_VERSION", "PYTHON_INT_BITWIDTH", "_parse_gufunc_signature",
            "apply_across_args", "broadcast_static_dim_lengths", "faster_broadcast_to", "faster_ndindex", "frozendict",
            "get_normalized_batch_axes", "hash_from_sparse", "import_func_from_string", "lazy_scipy_module",
            "normalize_reduce_axis",
            "old_np_unique", "safe_signature", "scipy_linalg",
        ),
        "opweld.compat.small",
    ),
    **dict.fromkeys(
        (
            "CLinker", "GCC_compiler", "failure_code", "failure_code_init", "gcc_version", "get_lock", "lock_ctx",
            "release_lock",
        ),
        "opweld.compat.compiler",
    ),
    **dict.fromkeys(
        (
            "Assert", "CheckAndRaise", "ExceptionType", "Rebroadcast", "ScalarFromTensor", "TensorFromScalar",
            "assert_", "assert_op", "register_rebroadcast_c_code", "register_specify_shape_c_code",
            "scalar_from_tensor", "tensor_from_scalar",
        ),
        "opweld.compat.ops",
    ),
    **dict.fromkeys(
        ("Gemv", "Ger", "gemv_inplace", "gemv_no_inplace", "ger", "ger_destructive"), "opweld.compat.rankone"
    ),
    **dict.fromkeys(
        (
            "ARange", "AdvancedIncSubtensor", "AdvancedIncSubtensor1", "AdvancedSubtensor", "AdvancedSubtensor1",
            "All", "AllocEmpty", "Any", "Argmax", "CAReduce", "DimShuffle", "Dot", "Elemwise", "IncSubtensor",
            "MaxAndArgmax", "Prod", "Reshape", "Subtensor", "Sum", "advanced_inc_subtensor1", "advanced_subtensor",
            "advanced_subtensor1", "specify_broadcastable",
        ),
        "opweld.compat.opclasses",
    ),
    **dict.fromkeys(
        (
            "Blockwise", "_vectorize_node", "_vectorize_not_needed", "vectorize_graph", "vectorize_node_fallback",
        ),
        "opweld.compat.vectorizing",
    ),
    **dict.fromkeys(("OpFromGraph", "SymbolicOp"), "opweld.compat.inner"),
    **dict.fromkeys(
        (
            "compute_output_dims_lengths", "make_alloc", "make_checks", "make_complete_loop_careduce", "make_declare",
            "make_loop", "make_loop_careduce", "make_reordered_loop", "make_reordered_loop_careduce",
        ),
        "opweld.compat.cgen",
    ),
    **dict.fromkeys(
        (
            "AsTensorError", "CpuContiguous", "MakeSlice", "ScalarSharedVariable", "SliceConstant", "SliceType",
            "TensorConstantSignature", "_as_tensor_variable", "_get_vector_length", "_scalar_py_operators",
            "_tensor_py_operators", "cpu_contiguous", "expandable_types", "get_vector_length", "make_slice",
            "min_informative_str", "register_checker", "scalar_elemwise", "scalar_shared", "shape_tuple", "slicetype",
            "sparse_block_dot", "special",
        ),
        "opweld.compat.variables",
    ),
    **dict.fromkeys(("Composite", "ScalarInnerGraphOp", "ScalarLoop"), "opweld.compat.scalargraphs"),
    **dict.fromkeys(("ScalarConstant", "ScalarVariable"), "opweld.scalar.type"),
    **dict.fromkeys(("ChoiceFromUniform", "MultinomialFromUniform"), "opweld.compat.sampling"),
    **dict.fromkeys(
        (
            "Angle", "Complex", "ComplexError", "ComplexFromPolar", "InRange", "IntegerDivisionError",
            "RoundHalfAwayFromZero", "angle", "as_common_dtype", "as_scalar", "complex", "complex_from_polar",
            "complexs", "complexs64", "complexs128", "float_out_nocomplex", "floats", "floor_div", "inclosedrange",
            "inopenrange", "int_or_true_div", "int_out_nocomplex", "ints", "mod_check", "real_out",
            "round_half_away_from_zero", "same_out_min8", "same_out_nocomplex", "unary_out_lookup", "upcast_out_min8",
            "upcast_out_no_complex",
        ),
        "opweld.compat.scalarmore",
    ),
    "scalar_cast": "opweld.compat.scalarmore:cast",
    "scalar_constant": "opweld.compat.scalarmore:constant",
    "scalar_convert": "opweld.compat.scalarmore:convert",
    **dict.fromkeys(
        (
            "as_index_constant", "as_index_literal", "get_constant_idx", "get_idx_list", "indices_from_subtensor",
            "make_constant",
        ),
        "opweld.compat.indices",
    ),
    **dict.fromkeys(("ShapeFeature", "constant_folding", "topo_constant_folding"), "opweld.compat.sizes"),
    "CAReduceDtype": "opweld.compat.opclasses:CAReduce",
    "Output": "opweld.graph.fgraph:Sink",
    "Profile": "opweld.compile.profile",
    "blas_optdb": "opweld.compat.databases",
    "deepcopy": "copy",
    "flip": "opweld.tensor",
    "local_dimshuffle_lift": "opweld.tensor.rewriting_views:dimshuffle_of_dimshuffle",
    "pad": "opweld.tensor",
    "reciprocal": "opweld.tensor",
    "rint": "opweld.tensor",
    "inc_code": "opweld.compat.inccode",
    "Function": "opweld.compile.function",
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
_NO_GRADIENTS = (
    "Lop",
    "Rop",
    "grad",
    "hessian",
    "grad_not_implemented",
    "grad_undefined",
    "jacobian",
    "undefined_grad",
)
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
            "repeat", "searchsorted", "set_subtensor", "softmax", "solve", "squeeze", "trace",
            "unique",
        ),
        "opweld.tensor",
    )
)  # fmt: skip
HOMES.update(
    ClassicCOp="opweld.compat.classic:COp",
    ClassicOp="opweld.compat.classic:Op",
    ClassicType="opweld.compat.classic:Type",
    as_tensor="opweld.tensor.convert:as_tensor_variable",
    get_scalar_constant_value="opweld.compat.values:constant_value",
    get_underlying_scalar_constant_value="opweld.compat.values:constant_value",
    InvalidValueError="opweld.compile.debugmode",
    mkl_threads_text="opweld.compat.blas",
    openblas_threads_text="opweld.compat.blas",
    **dict.fromkeys(("binary_crossentropy", "categorical_crossentropy", "hard_sigmoid"), "opweld.compat.losses"),
    **dict.fromkeys(("consider_constant", "render_string"), "opweld.compat.small"),
    **dict.fromkeys(("extract_diag", "matrix_dot"), "opweld.compat.tensors"),
    **dict.fromkeys(("abs", "argsort", "dot", "sort"), "opweld.tensor"),
    **dict.fromkeys(("defaultdict", "deque"), "collections"),
    DestroyHandler="opweld.compat.fgraph:ReplaceValidate",
    partial="functools",
    py_all="builtins:all",
    py_any="builtins:any",
    join_dims="opweld.compat.tensors",
    split_dims="opweld.compat.tensors",
    expit="opweld.compat.specialtensors",
    FromFunctionOp="opweld.compat.asop",
    as_op="opweld.compat.asop",
    load_back="opweld.compat.asop",
    sigmoid="opweld.compat.specialtensors",
    softplus="opweld.compat.specialtensors",
)

HOMES.update(kinds.HOMES)

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
    "graph.opt": "local_optimizer=node_rewriter node_rewriter LocalOptimizer",
    "graph.params_type": "Params ParamsType",
    "graph.rewriting": "node_rewriter",
    "graph.rewriting.basic": "NodeRewriter=LocalOptimizer node_rewriter",
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
    "tensor.blas_headers": "blas_header_text blas_header_version mkl_threads_text openblas_threads_text",
    "tensor.elemwise": "Elemwise",
    "tensor.exceptions": "NotScalarConstantError",
    "tensor.extra_ops": "bincount cumprod cumsum repeat searchsorted squeeze unique",
    "tensor.math": "expit round_half_to_even=rint sigmoid softplus",
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
_OPTIMIZERS = "local_optimizer=node_rewriter LocalOptimizer"
_CLASSIC: dict[str, str] = {
    "": (
        "Apply Constant In Mode Op=ClassicOp OpenMPOp Out Type=ClassicType Variable _asarray change_flags config "
        "function grad shared"
    ),
    "gof": (
        f"{_GRAPH} {_OPTIMIZERS} CEnumType CLinkerObject CLinkerOp CLinkerType COp=ClassicCOp EnumList EnumType "
        "FunctionGraph Generic Op=ClassicOp OpenMPOp "
        "ParamsType Type=ClassicType generic hashtype InconsistencyError MethodNotDefined MissingInputError"
    ),
    "gof.fg": "FunctionGraph InconsistencyError MissingInputError",
    "gof.graph": f"{_GRAPH} ancestors inputs=graph_inputs io_toposort ops=applys_between orphans=orphans_between "
    "variables=vars_between",
    "gof.null_type": "NullType",
    "gof.op": f"{_GRAPH} CLinkerObject CLinkerOp COp=ClassicCOp Op=ClassicOp OpenMPOp MethodNotDefined",
    "gof.opt": _OPTIMIZERS,
    "gof.params_type": "Params ParamsType",
    "gof.type": "CEnumType CLinkerType EnumList EnumType Generic Type=ClassicType generic",
    "compat": (
        "Callable DefaultOrderedDict Iterable Mapping OrderedDict PY3 ValuesView cmp decode decode_iter decode_with "
        "exc_message get_unbound_function ifilter imap izip operator_div"
    ),
    "gof.utils": f"{_OLD_UTILS} hash_from_code",
    "configparser": "change_flags config",
    "printing": f"debugprint pydotprint {_PRINTERS}",
    "scalar": f"Scalar=ScalarType {_SCALAR}",
    "scalar.basic": f"Scalar=ScalarType {_SCALAR}",
    "tensor.nnet.abstract_conv": "get_conv_output_shape get_conv_shape_1axis",
    "tensor.nnet.nnet": "relu sigmoid softmax softplus",
    "tensor.nnet.sigm": "sigmoid softplus",
    "tensor.opt": f"{_REGISTER} get_scalar_constant_value NotScalarConstantError",
}

_CLASSES = (
    "ARange AdvancedIncSubtensor AdvancedIncSubtensor1 AdvancedSubtensor AdvancedSubtensor1 All AllocEmpty Any Argmax "
    "CAReduce DimShuffle Dot Elemwise IncSubtensor MaxAndArgmax Prod Rebroadcast Reshape ScalarFromTensor Shape "
    "Subtensor Sum TensorFromScalar advanced_inc_subtensor1 advanced_subtensor advanced_subtensor1 scalar_from_tensor "
    "tensor_from_scalar"
)
_LOOPS = (
    "compute_output_dims_lengths make_alloc make_checks make_complete_loop_careduce make_declare make_loop "
    "make_loop_careduce make_reordered_loop make_reordered_loop_careduce"
)
_INDEXING = (
    "AdvancedIncSubtensor AdvancedIncSubtensor1 AdvancedSubtensor AdvancedSubtensor1 IncSubtensor Subtensor "
    "advanced_inc_subtensor1 advanced_subtensor advanced_subtensor1 get_constant_idx get_idx_list"
)
_SIZES = "ShapeFeature constant_folding topo_constant_folding"
_BLAS = "blas_optdb Gemv Ger gemv_inplace gemv_no_inplace ger ger_destructive optdb local_optimizer=node_rewriter"
_COPIES_OF_GRAPHS = "clone clone_get_equiv equal_computations"
_COMPILER = "GCC_compiler gcc_version"
_SCALARS = (
    "Angle Complex ComplexError ComplexFromPolar Composite InRange IntegerDivisionError RoundHalfAwayFromZero "
    "ScalarConstant ScalarVariable _scalar_py_operators angle as_common_dtype as_scalar cast=scalar_cast complex "
    "complex_from_polar complexs complexs64 complexs128 constant=scalar_constant convert=scalar_convert "
    "float_out_nocomplex floats floor_div inclosedrange inopenrange int_or_true_div int_out_nocomplex ints mod_check "
    "real_out round_half_away_from_zero same_out_min8 same_out_nocomplex unary_out_lookup upcast_out_min8 "
    "upcast_out_no_complex"
)
_C = "CLinker failure_code failure_code_init"

# Names that came with rewriters, classes of ops and C that files of ops share: module -> names, of both ages.
_SHARED: dict[str, str] = {
    "compile": "FromFunctionOp Function OpFromGraph Rebroadcast as_op optdb rebuild_collect_shared "
    "register_rebroadcast_c_code register_specify_shape_c_code",
    "compile.builders": "OpFromGraph SymbolicOp",
    "compile.mode": "optdb",
    "": "as_op",
    "compile.ops": "FromFunctionOp Rebroadcast as_op load_back register_rebroadcast_c_code "
    "register_specify_shape_c_code",
    "gradient": "_float_zeros_like=zeros_like",
    "misc": "",
    "misc.frozendict": "frozendict",
    "compile.debugmode": "_lessbroken_deepcopy=deepcopy",
    "printing": "min_informative_str special",
    "sandbox": "",
    "sandbox.multinomial": "ChoiceFromUniform MultinomialFromUniform",
    "scalar": _SCALARS,
    "scalar.basic": _SCALARS,
    "scalar.basic_scipy": "",
    "scalar.math": "",
    "scalar.sharedvar": "ScalarSharedVariable shared=scalar_shared",
    "tensor": f"{_CLASSES} get_vector_length round_half_to_even=rint",
    "tensor.basic": f"{_CLASSES} get_vector_length round_half_to_even=rint",
    "tensor.type_other": "MakeSlice SliceConstant SliceType make_slice slicetype",
    "tensor.var": "AsTensorError TensorConstantSignature _tensor_py_operators",
    "tensor.blas": _BLAS,
    "tensor.elemwise": "All Any CAReduce CAReduceDtype DimShuffle Elemwise Prod Sum get_normalized_batch_axes",
    "tensor.elemwise_cgen": _LOOPS,
    "tensor.extra_ops": "CpuContiguous advanced_inc_subtensor1 cpu_contiguous",
    "tensor.shape": "Reshape specify_broadcastable",
    "tensor.subtensor": _INDEXING,
}
_SHARED_MODERN: dict[str, str] = {
    "gradient": "consider_constant disconnected_grad=consider_constant zero_grad=consider_constant",
    "compile.compilelock": "lock_ctx",
    "compile.debug": "",
    "compile.debug.debugmode": f"{_DEBUG} _lessbroken_deepcopy=deepcopy",
    "compile.debug.profiling": "ProfileStats=Profile",
    "compile.executor": "Function",
    "": "wrap_py=as_op",
    "compile.ops": "TypeCastingOp=ViewOp wrap_py=as_op",
    "compile.rebuild": "rebuild_collect_shared",
    "graph": "clone_replace graph_replace vectorize_graph RewriteDatabaseQuery=Query",
    "graph.basic": f"{_COPIES_OF_GRAPHS} explicit_graph_inputs list_of_nodes truncated_graph_inputs",
    "graph.destroyhandler": "",
    "graph.features": "Feature ReplaceValidate",
    "graph.fg": "FrozenFunctionGraph Output",
    "graph.op": "_NoPythonOp=Op BasicThunkType ComputeMapType HasInnerGraph InputStorageType OutputStorageType "
    "PerformMethodType "
    "StorageCellType StorageMapType ThunkCallableType ThunkType is_thunk_type",
    "graph.replace": "_vectorize_node _vectorize_not_needed clone_replace graph_replace vectorize_graph",
    "graph.rewriting.basic": (
        "EquilibriumGraphRewriter=EquilibriumOptimizer FromFunctionGraphRewriter=FromFunctionOptimizer "
        "GraphRewriter=Optimizer MergeOptimizer PatternNodeRewriter=PatternSub RemovalNodeRewriter=OpRemove "
        "SequentialGraphRewriter=SeqOptimizer SequentialNodeRewriter=LocalOptGroup SubstitutionNodeRewriter=OpSub "
        "WalkingGraphRewriter=TopoOptimizer check_chain copy_stack_trace graph_rewriter=optimizer in2out out2in"
    ),
    "graph.rewriting.db": "EquilibriumDB LocalGroupDB RewriteDatabase=DB RewriteDatabaseQuery=Query SequenceDB",
    "graph.traversal": "apply_depends_on explicit_graph_inputs toposort truncated_graph_inputs variable_depends_on",
    "graph.type": "HasDataType HasShape",
    "graph.utils": "MetaObject MetaType",
    "link.c.basic": _C,
    "link.c.op": "_NoPythonCOp=COp _NoPythonExternalCOp=ExternalCOp",
    "link.c.type": "Type",
    "link.c.cmodule": _COMPILER,
    "link.utils": "fgraph_to_python",
    "npy_2_compat": "old_np_unique",
    "raise_op": "Assert CheckAndRaise ExceptionType assert_op",
    "scalar": "ScalarInnerGraphOp",
    "scalar.basic": "ScalarInnerGraphOp",
    "scalar.loop": "ScalarLoop",
    "tensor": "_as_tensor_variable _get_vector_length expit pad sigmoid softplus",
    "tensor.basic": "_get_vector_length",
    "tensor.elemwise": "scalar_elemwise",
    "tensor.pad": "pad",
    "tensor.reshape": "join_dims split_dims",
    "tensor.shape": "shape_tuple",
    "tensor.type": "Constant Variable",
    "tensor.subtensor": "as_index_constant as_index_literal flip indices_from_subtensor",
    "tensor.basic_opt": _SIZES,
    "tensor.rewriting.basic": _SIZES,
    "tensor.rewriting.shape": "ShapeFeature",
    "tensor.variable": "_tensor_py_operators",
    "tensor.blockwise": "Blockwise vectorize_node_fallback",
    "tensor.linalg": "",
    "tensor.linalg._lazy": "scipy_linalg",
    "tensor.utils": (
        "_parse_gufunc_signature broadcast_static_dim_lengths faster_broadcast_to faster_ndindex "
        "import_func_from_string normalize_reduce_axis safe_signature"
    ),
    "utils": "LOCAL_BITWIDTH NDARRAY_C_VERSION PYTHON_INT_BITWIDTH apply_across_args lazy_scipy_module",
}
_CONSTANT = "consider_constant disconnected_grad=consider_constant zero_grad=consider_constant"
_LINALG = "det extract_diag inv matrix_dot matrix_inverse=inv norm trace"
_PYTHON = "DefaultOrderedDict OrderedDict all=py_all any=py_any defaultdict deque partial"
_SHARED_CLASSIC: dict[str, str] = {
    "gof": (
        "DestroyHandler EquilibriumDB EquilibriumOptimizer LocalOptGroup LocalGroupDB MergeOptimizer OpRemove OpSub "
        "Optimizer PatternSub Query ReplacementDidntRemovedError SeqOptimizer SequenceDB TopoOptimizer CLinker "
        "optimizer view_roots"
    ),
    "gof.cc": _C,
    "gof.cmodule": _COMPILER,
    "gof.compilelock": "get_lock release_lock",
    "gof.graph": f"{_COPIES_OF_GRAPHS} list_of_nodes view_roots",
    "gof.opt": (
        "EquilibriumOptimizer FromFunctionOptimizer LocalOptGroup MergeOptimizer OpRemove OpSub Optimizer PatternSub "
        "SeqOptimizer TopoOptimizer Updater check_chain copy_stack_trace in2out inherit_stack_trace optimizer out2in"
    ),
    "gof.optdb": "DB EquilibriumDB LocalGroupDB Query SequenceDB",
    "compile": "ProfileStats=Profile register_checker",
    "compile.ops": "expandable_types",
    "gof.toolbox": "DestroyHandler Feature ReplaceValidate Validator",
    "": "clone=clone_replace dot get_scalar_constant_value",
    "compat.python2x": _PYTHON,
    "gof.destroyhandler": "DestroyHandler",
    "gof.python25": _PYTHON,
    "gradient": _CONSTANT,
    "misc.safe_asarray": "_asarray",
    "misc.strutil": "render_string",
    "sandbox.linalg": f"{_LINALG} cholesky kron solve",
    "sandbox.linalg.ops": f"{_LINALG} cholesky kron solve",
    "tensor": "Apply Constant Op=ClassicOp Variable abs_=abs inv=reciprocal",
    "tensor.basic": "Apply Constant Op=ClassicOp Variable abs_=abs inv=reciprocal",
    "tensor.inplace": "",
    "tensor.nlinalg": _LINALG,
    "tensor.nnet": "binary_crossentropy categorical_crossentropy hard_sigmoid",
    "tensor.nnet.nnet": "binary_crossentropy categorical_crossentropy",
    "tensor.nnet.sigm": "hard_sigmoid",
    "tensor.sort": "argsort sort",
    "tensor.nnet.blocksparse": "sparse_block_dot",
    "sparse.utils": "hash_from_sparse",
    "tensor.inc_code": "inc_code",
    "tensor.subtensor": "make_constant",
    "tensor.opt": (
        f"{_SIZES} "
        "Assert MakeVector assert_ copy_stack_trace in2out local_add_canonizer local_dimshuffle_lift "
        "local_mul_canonizer optdb out2in"
    ),
}


def _joined(*tables: dict[str, str]) -> dict[str, str]:
    """The names of several tables; where two say what a name is, the later one counts."""
    found: dict[str, str] = {}
    for table in tables:
        for module, names in table.items():
            found[module] = f"{found.get(module, '')} {names}".strip()
    return found


TREES: dict[str, dict[str, str]] = {
    "theano": _joined({**_MODERN, **_CLASSIC}, _SHARED, _SHARED_CLASSIC, kinds.PATHS, kinds.OF_THEANO),
    "aesara": _joined(
        _MODERN, _SHARED, _SHARED_MODERN, kinds.PATHS, {"tensor": "inv=reciprocal", "tensor.math": "inv=reciprocal"}
    ),
    "pytensor": _joined(_MODERN, _SHARED, _SHARED_MODERN, kinds.PATHS),
}

# The first has no names: it gives scalar variables their operators.
_OF_SCALARS = ("opweld.compat.scalaroperators", "opweld.scalar", "opweld.compat.scalarnames")
# Where a module looks for what it does not list: the constructors dvector, fmatrix …, the scalar types.
FALLBACKS: dict[str, tuple[str, ...]] = {
    "tensor": ("opweld.tensor", "opweld.compat.tensors", "opweld.compat.specialtensors"),
    "tensor.basic": ("opweld.tensor", "opweld.compat.tensors", "opweld.compat.specialtensors"),
    "tensor.elemwise": ("opweld.tensor",),
    "tensor.inplace": ("opweld.compat.inplaces",),
    "tensor.math": ("opweld.tensor", "opweld.compat.specialtensors"),
    "tensor.shape": ("opweld.compat.tensors",),
    "tensor.type": ("opweld.tensor", "opweld.compat.tensors"),
    "scalar": (*_OF_SCALARS, "opweld.compat.specials"),
    "scalar.basic": _OF_SCALARS,
    "scalar.basic_scipy": ("opweld.compat.specials",),
    "scalar.math": ("opweld.compat.specials",),
}

# Modules whose names others of a tree have too, by how those begin: files import one module's names from another.
_OF_TENSORS = ("tensor.type", "tensor.elemwise", "tensor.type_other", "tensor.var", "tensor")
_EVERYWHERE = (
    "", "graph.basic", "graph.op", "graph.type", "graph.utils", "graph.fg", "graph.rewriting.basic", "link.c.op",
    "link.c.type", "link.c.params_type", "gradient", "printing", "compile",
)  # fmt: skip
BASIC: dict[str, dict[str, tuple[str, ...]]] = {
    "theano": {
        "": ("", "gof", "gradient", "printing", "compat", "compile"),
        **dict.fromkeys(("tensor", "sparse"), _OF_TENSORS),
    },
    **{tree: {"": _EVERYWHERE, **dict.fromkeys(("tensor", "sparse"), _OF_TENSORS)} for tree in ("aesara", "pytensor")},
}

# Modules that others have under a further name.
ALIASES: dict[str, str] = {
    "theano.tensor.scal": "theano.scalar",
    "theano.tensor.basic.scal": "theano.scalar",
}
