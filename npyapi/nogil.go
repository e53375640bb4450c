package npyapi

import (
	"regexp"
	"sync"
)

// NeedsGIL tells whether a name that is called like a function is one of CPython's or NumPy's that needs the GIL: what is
// not known to do without counts as one.
func NeedsGIL(name string) bool {
	if !api().MatchString(name) || types().MatchString(name) || reads().MatchString(name) {
		return false
	}
	f, known := functions[name]
	return !known || !f.NoGIL
}

// later gives an expression that is compiled when it is first asked for: few builds ask.
func later(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	// api are the names of both APIs. NumPy's npy_… are mathematics and types.
	api = later(`^(?:_?Py[A-Z_]\w*|NpyIter_\w+|NPY_(?:BEGIN|END)_\w*THREADS\w*)$`)
	// types stand before parentheses in declarations.
	types = later(`^(?:Py\w*Object|PyGILState_STATE|PyThreadState|PyThread_type_lock|PyCFunction|PyArray_(?:Descr|Dims|Chunk)|Py_(?:ssize_t|hash_t|uhash_t|complex|intptr_t|uintptr_t|buffer|UCS[124]|UNICODE))$`)
	// reads are macros and functions that look at fields of what they are given, at numbers, or at the thread.
	reads = later(`^(?:` +
		`PyGILState_(?:Ensure|Release|Check|GetThisThreadState)|PyThread_\w+|PyMem_Raw\w+|PyDataMem_(?:NEW|NEW_ZEROED|RENEW|FREE)` +
		`|Py_(?:MIN|MAX|ABS|ARRAY_LENGTH|UNUSED|UNREACHABLE|CHARMASK|STRINGIFY|SAFE_DOWNCAST|MEMBER_SIZE|ALIGNED|ALWAYS_INLINE` +
		`|DEPRECATED|SIZE|IS_TYPE|Is|IsNone|IS_NAN|IS_INFINITY|IS_FINITE|FatalError|IsInitialized|AddPendingCall|MATH_\w+|LL|ULL|STATIC_INLINE|LOCAL|LOCAL_INLINE)` +
		`|PyOS_(?:snprintf|vsnprintf|mystricmp|mystrnicmp)|PyFloat_AS_DOUBLE|PyVectorcall_NARGS|PyTypeNum_IS\w+` +
		`|PyDataType_(?:IS\w+|ELSIZE|ALIGNMENT|FLAGS|FLAGCHK|REFCHK|HASFIELDS|HASSUBARRAY|TYPE_NUM|TYPE|BYTEORDER|KIND)` +
		`|PyArray_(?:FLAGS|FLAGSWAP|GETPTR[1-4]|GetPtr|Size|IS[A-Z_]*|SAMESHAPE|ENABLEFLAGS|CLEARFLAGS|UpdateFlags|FILLWBYTE|MIN|MAX` +
		`|MultiplyList|MultiplyIntList|OverflowMultiplyList|CompareLists|ITER_\w+|MultiIter_(?:RESET|NEXT|NEXTi|GOTO|GOTO1D|DATA|NOTDONE)` +
		`|HASFIELDS|INIT_ITER|ADDRESS|CheckAnyScalarExact|VERSION)|PyArrayNeighborhoodIter_\w+|PyArrayScalar_(?:VAL|ASSIGN|FALSE|TRUE)` +
		`|NpyIter_(?:GetDataPtrArray|GetInnerStrideArray|GetInnerLoopSizePtr|GetIterSize|GetIterIndex|GetNDim|GetNOp|RequiresBuffering|IterationNeedsAPI|Has\w+)` +
		`)$`)
)
