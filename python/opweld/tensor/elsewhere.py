"""What is written for NumPy's functions that are not here: tools/elsewhere.py makes this of docs/numpy.md."""

from __future__ import annotations

__all__ = ["INSTEAD"]

_TABLE = r"""
around | T.round(x, 1)
fix | T.trunc(x)
nan_to_num | T.where(T.isnan(x), 0, x).clip(np.finfo("f8").min, np.finfo("f8").max)
sinc | T.where(T.eq(x, 0), 1, T.sin(np.pi * x) / (np.pi * x))
isposinf | T.eq(x, np.inf)
isneginf | T.eq(x, -np.inf)
iscomplex | T.neq(T.imag(x), 0)
isreal | T.eq(T.imag(x), 0)
real_if_close | the dtype cannot hang on values; T.real
i0 unwrap | an op of your own
isnat | no datetimes
frompyfunc vectorize | opweld.scalar.expr, or a ScalarOp with C or impl (docs/elementwise.md)
cumulative_sum | T.cumsum(v)
cumulative_prod | T.cumprod(v)
count_nonzero | T.neq(x, 0).sum()
average | (v * w).sum() / w.sum()
median | (T.sort(s)[(s.shape[0] - 1) // 2] + T.sort(s)[s.shape[0] // 2]) / 2
percentile quantile | T.sort, and an index
array_equal | T.eq(x, y).all(), where the shapes are equal
array_equiv | T.eq(x, v[:4]).all(), where they fit
diff | v[1:] - v[:-1]
ediff1d | v[1:] - v[:-1]
trapezoid trapz | ((v[1:] + v[:-1]) / 2).sum()
gradient | slices, as for diff
cov | T.dot(x - x.mean(1, keepdims=True), (x - x.mean(1, keepdims=True)).T) / (x.shape[1] - 1)
corrcoef | as cov, divided by T.outer of the standard deviations
nansum | T.where(T.isnan(x), 0, x).sum()
nanprod | T.where(T.isnan(x), 1, x).prod()
nancumsum | T.where(T.isnan(x), 0, x).cumsum()
nancumprod | T.where(T.isnan(x), 1, x).cumprod()
nanmax | T.where(T.isnan(x), -np.inf, x).max()
nanmin | T.where(T.isnan(x), np.inf, x).min()
nanargmax | T.where(T.isnan(x), -np.inf, x).argmax()
nanargmin | T.where(T.isnan(x), np.inf, x).argmin()
nanmean | T.where(T.isnan(x), 0, x).sum() / (~T.isnan(x)).sum()
nanvar nanstd nanmedian nanpercentile nanquantile | x[~T.isnan(x)], a vector, and the function without nan
histogram2d histogramdd histogram_bin_edges | an op of your own
apply_along_axis apply_over_axes | an op of your own
logspace | 10.0 ** T.linspace(0, 2, 5)
geomspace | 10.0 ** T.linspace(0, 2, 5)
array | T.as_tensor_variable([v, w])
asarray asanyarray asarray_chkfinite | T.as_tensor_variable([v, w])
copy | x.copy()
astype | T.cast(x, "float32")
ascontiguousarray asfortranarray require | ops take any strides; a function's results are as they come
diagflat | T.eye(v.shape[0]) * v
tri | T.cast(T.arange(4)[:, None] >= T.arange(4), "float64")
vander | v[:, None] ** T.arange(v.shape[0])[::-1]
indices ix_ | v[:, None] and w[None] are broadcast
fromfunction | an expression of T.arange with new axes
hanning hamming bartlett blackman kaiser | a constant: NumPy's array in the graph
asmatrix bmat matrix | matrices are tensors of two dimensions
fromiter frombuffer fromstring from_dlpack fromfile fromregex genfromtxt loadtxt load save savetxt savez savez_compressed | NumPy's, outside the graph
ndim | x.ndim
concat | T.concatenate([v, w])
append | T.concatenate([v, w])
insert | T.concatenate([v[:2], [7.0], v[2:]])
delete | T.concatenate([v[:2], v[3:]])
column_stack | T.stack([v, w], axis=1)
dstack | T.stack([x, y], axis=2)
row_stack block | T.vstack, and T.hstack of its rows
hsplit vsplit dsplit array_split | T.split, with an axis and places
unstack | x[0], x[1] …
permute_dims | T.transpose(x, (1, 0))
matrix_transpose | x.mT
rollaxis | T.moveaxis(x, 1, 0)
flipud | x[::-1]
fliplr | x[:, ::-1]
resize trim_zeros | T.tile, slices
broadcast_arrays broadcast broadcast_shapes | operations broadcast; T.broadcast_to
argwhere | T.nonzero(x, return_matrix=True).T
compress | v[b]
extract | v[b]
take_along_axis | v[i]
select | T.where(b, v, w)
piecewise choose | T.where, one in the other, or T.stack([v, w])[i, T.arange(i.shape[0])]
put place putmask copyto put_along_axis fill_diagonal | T.set_subtensor(x[key], value) with integers or a mask as key
unravel_index ravel_multi_index | i // x.shape[1], i % x.shape[1]; i * x.shape[1] + j
tril_indices tril_indices_from triu_indices triu_indices_from mask_indices diag_indices diag_indices_from | comparisons of T.arange as a mask
ndindex ndenumerate nditer nested_iters flatiter | an op of your own
partition argpartition sort_complex | T.sort, T.argsort
lexsort | T.argsort(v, stable=True)[T.argsort(w[T.argsort(v, stable=True)], stable=True)]
digitize | (s <= v[:, None]).sum(axis=1)
isin in1d | T.eq(i[:, None], [1, 3]).any(axis=1)
unique_values unique_counts unique_inverse unique_all union1d intersect1d setdiff1d setxor1d | T.unique, and as for isin
vecdot | (v * w).sum(axis=-1); of complex T.conj(v) * w
matvec | T.matmul(m, s[:4])
vecmat | T.matmul(s[:4], m); of complex with T.conj
cross | x[:, [1, 2, 0]] * y[:, [2, 0, 1]] - x[:, [2, 0, 1]] * y[:, [1, 2, 0]]
einsum_path | T.einsum finds its own
convolve correlate interp | an op of your own
polyval | (2.0 * v + 1.0) * v + 3.0
poly poly1d polyadd polysub polymul polydiv polyder polyint polyfit roots | NumPy's, outside the graph
packbits unpackbits | shifts and &, with a new axis
base_repr binary_repr array2string array_repr array_str format_float_positional format_float_scientific typename get_printoptions set_printoptions printoptions | NumPy's, on results; a graph is printed by opweld.printing.debugprint
busday_count busday_offset is_busday busdaycalendar datetime_as_string datetime_data datetime64 timedelta64 | no datetimes
str_ bytes_ character void flexible object_ record recarray | no such dtypes
ndarray generic memmap | values are NumPy's arrays; T.TensorType, T.TensorVariable stand for them
bool bool_ byte ubyte short ushort intc uintc int_ uint long ulong longlong ulonglong intp uintp int8 int16 int32 int64 uint8 uint16 uint32 uint64 | names of dtypes: T.cast(x, "int8"), also T.cast(x, np.int8)
half single double longdouble float16 float32 float64 float128 csingle cdouble clongdouble complex64 complex128 complex256 | names of dtypes: T.cast(x, "float64"), also T.cast(x, np.float64)
number integer signedinteger unsignedinteger inexact floating complexfloating dtype finfo iinfo ufunc | NumPy's; a variable's dtype is the string x.dtype
result_type promote_types common_type mintypecode min_scalar_type can_cast | opweld.scalar.upcast, and NumPy's on x.dtype
isdtype issubdtype iscomplexobj isrealobj isscalar iterable isfortran | NumPy's on x.dtype; x.ndim
may_share_memory shares_memory | which results may share memory is said in docs/aliasing.md
errstate seterr geterr seterrcall geterrcall | NumPy's own: calls follow them
getbufsize setbufsize | nothing is buffered
get_include show_config show_runtime info test | opweld doctor
"""
# Names of NumPy's, and what is written for them.
INSTEAD = tuple([tuple(line.split(" | ", 1)) for line in _TABLE.strip().split("\n")])
