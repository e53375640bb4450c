"""Names of pointers of C's, sparse matrices, typed lists and tools of tests; `opweld.compat.table` takes them."""

from __future__ import annotations

__all__ = ["HOMES", "OF_THEANO", "PATHS"]

_LISTS = (
    "Append Count Extend GetItem Index Insert Length MakeList Remove Reverse TypedListConstant TypedListType "
    "TypedListVariable append count extend getitem index_ insert length make_list remove reverse"
)
_SPARSE_TYPES = (
    "SparseConstant SparseTensorSharedVariable SparseTensorType SparseType SparseVariable _mtype_to_str _mtypes "
    "all_dtypes as_sparse as_sparse_or_tensor_variable as_sparse_variable bsr_dmatrix bsr_fmatrix bsr_matrix "
    "complex_dtypes constant continuous_dtypes csc_dmatrix csc_fmatrix csc_matrix csr_dmatrix csr_fmatrix "
    "csr_matrix discrete_dtypes enable_sparse float_dtypes int_dtypes integer_dtypes matrix shared "
    "sparse_constructor sparse_formats uint_dtypes"
)
_SPARSE_PARTS = (
    "CSC CSM CSMGrad CSMProperties CSR DenseFromSparse SparseFromDense _is_dense _is_dense_variable _is_sparse "
    "_is_sparse_variable csc_from_dense csm_data csm_grad csm_indices csm_indptr csm_properties csm_shape "
    "csr_from_dense dense_from_sparse sp_ones_like sp_zeros_like"
)
_SPARSE_ONE = (
    "Cast Diag EnsureSortedIndices Neg Remove0 SpSum SquareDiagonal Transpose cast clean diag ensure_sorted_indices "
    "neg remove0 sp_sum square_diagonal transpose"
)
_SPARSE_PAIRS = (
    "AddSD AddSS AddSSData ColScaleCSC Dot HStack MulSD MulSS MulSV RowScaleCSC SamplingDot StructuredAddSV "
    "StructuredDot TrueDot Usmm VStack _dot _structured_dot add add_s_d add_s_s add_s_s_data col_scale dot hstack mul "
    "mul_s_d mul_s_s mul_s_v row_scale sampling_dot structured_add_s_v structured_dot sub true_dot usmm vstack"
)
_SPARSE_ITEMS = (
    "ConstructSparseFromList EqualSD EqualSS GetItem2Lists GetItem2d GetItemList GetItemScalar GreaterEqualSD "
    "GreaterEqualSS GreaterThanSD GreaterThanSS LessEqualSD LessEqualSS LessThanSD LessThanSS NotEqualSD NotEqualSS "
    "construct_sparse_from_list eq equal_s_d equal_s_s ge get_item_2d get_item_2lists get_item_list get_item_scalar "
    "greater_equal_s_d greater_equal_s_s greater_than_s_d greater_than_s_s gt le less_equal_s_d less_equal_s_s "
    "less_than_s_d less_than_s_s lt neq not_equal_s_d not_equal_s_s"
)
_SPARSE_ELEMENTWISE = (
    "arcsin arcsinh arctan arctanh ceil conj deg2rad expm1 floor log1p rad2deg rint sgn sin sinh sqr sqrt "
    "structured_add structured_conjugate structured_exp structured_log structured_maximum structured_minimum "
    "structured_monoid structured_pow structured_sigmoid tan tanh trunc"
)
_TESTS = (
    "AttemptManyTimes InferShapeTester MockRandomState OpContractTestMixin OptimizationTestMixin SkipTest "
    "T_OpContractMixin TestOptimizationMixin WrongValue assertFailure_fast assert_allclose attr custom_name_func "
    "fetch_seed seed_rng str_diagnostic verify_grad"
)
# Where the names of each kind lie. Those that mean something else elsewhere go by kind and name: "sparse.add".
_MODULES = {
    "list": {"typed_list": _LISTS},
    "sparse": {
        "sparse": f"{_SPARSE_TYPES} {_SPARSE_PARTS} {_SPARSE_ONE} {_SPARSE_PAIRS} {_SPARSE_ITEMS}",
        "sparse_elementwise": _SPARSE_ELEMENTWISE,
    },
    "tests": {"testtools": _TESTS},
}

#: name -> module:attribute
HOMES: dict[str, str] = {
    f"{kind}.{name}": f"opweld.compat.{module}:{name}"
    for kind, modules in _MODULES.items()
    for module, names in modules.items()
    for name in names.split()
}
HOMES.update(CDataType="opweld.compat.cdata:CDataType")


def _all(kind: str) -> str:
    """The names of a kind, as `opweld.compat.table` writes them."""
    return " ".join(f"{home.partition('.')[2]}={home}" for home in HOMES if home.startswith(f"{kind}."))


#: What the modules of each tree have besides.
PATHS: dict[str, str] = {
    "link.c.type": "CDataType",
    "sparse": _all("sparse"),
    "sparse.basic": _all("sparse"),
    "sparse.math": _all("sparse"),
    "sparse.sharedvar": "sparse_constructor=sparse.sparse_constructor "
    "SparseTensorSharedVariable=sparse.SparseTensorSharedVariable",
    "sparse.type": "SparseTensorType=sparse.SparseTensorType SparseType=sparse.SparseType _is_sparse=sparse._is_sparse",
    "sparse.variable": "SparseConstant=sparse.SparseConstant SparseVariable=sparse.SparseVariable",
    "tests": "",
    "tests.unittest_tools": _all("tests"),
    "typed_list": _all("list"),
    "typed_list.basic": _all("list"),
    "typed_list.type": "TypedListType=list.TypedListType",
}
#: And those of Theano's alone.
OF_THEANO: dict[str, str] = {"gof": "CDataType", "gof.type": "CDataType"}
