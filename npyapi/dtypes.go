package npyapi

// DType is a NumPy element type as C sees it on Linux, LP64.
type DType struct {
	Name   string // NumPy's
	Enum   string // NPY_…
	Number int    // what that is
	C      string // npy_…
	Size   int    // bytes
	Kind   byte   // b, i, u, f, c as in numpy.dtype.kind
}

// DTypes are the element types that TensorType ships, in NumPy's order of promotion.
var DTypes = []DType{
	{"bool", "NPY_BOOL", 0, "npy_bool", 1, 'b'},
	{"int8", "NPY_INT8", 1, "npy_int8", 1, 'i'},
	{"uint8", "NPY_UINT8", 2, "npy_uint8", 1, 'u'},
	{"int16", "NPY_INT16", 3, "npy_int16", 2, 'i'},
	{"uint16", "NPY_UINT16", 4, "npy_uint16", 2, 'u'},
	{"int32", "NPY_INT32", 5, "npy_int32", 4, 'i'},
	{"uint32", "NPY_UINT32", 6, "npy_uint32", 4, 'u'},
	{"int64", "NPY_INT64", 7, "npy_int64", 8, 'i'},
	{"uint64", "NPY_UINT64", 8, "npy_uint64", 8, 'u'},
	{"float16", "NPY_FLOAT16", 23, "npy_float16", 2, 'f'},
	{"float32", "NPY_FLOAT32", 11, "npy_float32", 4, 'f'},
	{"float64", "NPY_FLOAT64", 12, "npy_float64", 8, 'f'},
	{"longdouble", "NPY_LONGDOUBLE", 13, "npy_longdouble", 16, 'f'},
	{"complex64", "NPY_COMPLEX64", 14, "npy_complex64", 8, 'c'},
	{"complex128", "NPY_COMPLEX128", 15, "npy_complex128", 16, 'c'},
	{"clongdouble", "NPY_CLONGDOUBLE", 16, "npy_clongdouble", 32, 'c'},
}

// Gone maps the names that NumPy 2 dropped to what to write instead. Old spellings that have a newer one of the same meaning are
// not among them: templates/runtime/older.h has those.
var Gone = map[string]string{
	"NPY_ARRAY_UPDATEIFCOPY":  "NPY_ARRAY_WRITEBACKIFCOPY, and PyArray_ResolveWritebackIfCopy before the array is released",
	"NPY_ARRAY_INOUT_ARRAY":   "NPY_ARRAY_INOUT_ARRAY2",
	"NPY_ARRAY_INOUT_FARRAY":  "NPY_ARRAY_INOUT_FARRAY2",
	"PyArray_XDECREF_ERR":     "PyArray_DiscardWritebackIfCopy",
	"NPY_CHAR":                "NPY_STRING with a size of 1",
	"PyArray_GetNumericOps":   "PyObject_GetAttrString on the numpy module",
	"PyArray_SetNumericOps":   "numpy's own ufuncs",
	"NPY_INOUT_ARRAY":         "NPY_ARRAY_INOUT_ARRAY2",
	"NPY_INOUT_FARRAY":        "NPY_ARRAY_INOUT_FARRAY2",
	"NPY_UPDATEIFCOPY":        "NPY_ARRAY_WRITEBACKIFCOPY, and PyArray_ResolveWritebackIfCopy before the array is released",
	"PyArray_CHAR":            "NPY_STRING with a size of 1",
	"PyArray_FromDims":        "PyArray_SimpleNew, whose sizes are npy_intp",
	"PyArray_FromDimsAndData": "PyArray_SimpleNewFromData, whose sizes are npy_intp",
	"PyArray_As1D":            "PyArray_AsCArray",
	"PyArray_As2D":            "PyArray_AsCArray",
	"PyArrayMapIterObject":    "what it did in Python, as by numpy's take or add.at: iterators over indices are NumPy's own",
	"PyArray_MapIterArray":    "what it did in Python, as by numpy's take or add.at: iterators over indices are NumPy's own",
	"PyArray_MapIterNext":     "what it did in Python, as by numpy's take or add.at: iterators over indices are NumPy's own",
	"NPY_MAXARGS":             "a limit of your own; NumPy 2 has NPY_MAXARGS only at run time",
}

// Members maps the members of NumPy's structures that it keeps to itself to what to write instead, by structure: those of
// descriptors since NumPy 2.
var Members = map[string]map[string]string{
	"PyArray_Descr": {
		"elsize":     "PyArray_ITEMSIZE(x) of an array, PyDataType_ELSIZE(descr) of a descriptor" + sinceNumPy2,
		"alignment":  "PyDataType_ALIGNMENT(descr)" + sinceNumPy2,
		"names":      "PyDataType_NAMES(descr)" + sinceNumPy2,
		"fields":     "PyDataType_FIELDS(descr)" + sinceNumPy2,
		"subarray":   "PyDataType_SUBARRAY(descr)" + sinceNumPy2,
		"c_metadata": "PyDataType_C_METADATA(descr)" + sinceNumPy2,
		"f":          "PyDataType_GetArrFuncs(descr)" + sinceNumPy2,
	},
	"PyArrayObject": {
		"data":       "PyArray_DATA(x), or PyArray_BYTES(x)",
		"dimensions": "PyArray_DIMS(x)",
		"strides":    "PyArray_STRIDES(x)",
		"nd":         "PyArray_NDIM(x)",
		"descr":      "PyArray_DESCR(x)",
		"flags":      "PyArray_FLAGS(x)",
		"base":       "PyArray_BASE(x)",
	},
}

const sinceNumPy2 = ": NumPy 2 keeps the member to itself"

// GonePython maps the names that CPython 3 dropped to what to write instead.
var GonePython = map[string]string{
	"PyString_Check":             "PyUnicode_Check, or PyBytes_Check",
	"PyString_FromString":        "PyUnicode_FromString, or PyBytes_FromString",
	"PyString_FromStringAndSize": "PyUnicode_FromStringAndSize, or PyBytes_FromStringAndSize",
	"PyString_FromFormat":        "PyUnicode_FromFormat",
	"PyString_AsString":          "PyUnicode_AsUTF8, or PyBytes_AsString",
	"PyString_AS_STRING":         "PyUnicode_AsUTF8, or PyBytes_AS_STRING",
	"PyString_Size":              "PyUnicode_GetLength, or PyBytes_Size",
	"PyCObject_FromVoidPtr":      "PyCapsule_New",
	"PyCObject_AsVoidPtr":        "PyCapsule_GetPointer",
	"PyCObject_Check":            "PyCapsule_CheckExact",
	"PyInstance_Check":           "PyObject_IsInstance",
	"PyClass_Check":              "PyType_Check",
	"PyFile_Check":               "PyObject_AsFileDescriptor",
	"PyEval_CallObject":          "PyObject_CallObject",
}
