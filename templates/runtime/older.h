/* Old spellings of NumPy's and CPython's that have a newer one of the same meaning. */
#ifndef NPY_CONTIGUOUS
#define NPY_CONTIGUOUS NPY_ARRAY_C_CONTIGUOUS
#endif
#ifndef NPY_FORTRAN
#define NPY_FORTRAN NPY_ARRAY_F_CONTIGUOUS
#endif
#ifndef NPY_C_CONTIGUOUS
#define NPY_C_CONTIGUOUS NPY_ARRAY_C_CONTIGUOUS
#endif
#ifndef NPY_F_CONTIGUOUS
#define NPY_F_CONTIGUOUS NPY_ARRAY_F_CONTIGUOUS
#endif
#ifndef NPY_OWNDATA
#define NPY_OWNDATA NPY_ARRAY_OWNDATA
#endif
#ifndef NPY_FORCECAST
#define NPY_FORCECAST NPY_ARRAY_FORCECAST
#endif
#ifndef NPY_ENSURECOPY
#define NPY_ENSURECOPY NPY_ARRAY_ENSURECOPY
#endif
#ifndef NPY_ENSUREARRAY
#define NPY_ENSUREARRAY NPY_ARRAY_ENSUREARRAY
#endif
#ifndef NPY_ELEMENTSTRIDES
#define NPY_ELEMENTSTRIDES NPY_ARRAY_ELEMENTSTRIDES
#endif
#ifndef NPY_ALIGNED
#define NPY_ALIGNED NPY_ARRAY_ALIGNED
#endif
#ifndef NPY_NOTSWAPPED
#define NPY_NOTSWAPPED NPY_ARRAY_NOTSWAPPED
#endif
#ifndef NPY_WRITEABLE
#define NPY_WRITEABLE NPY_ARRAY_WRITEABLE
#endif
#ifndef NPY_BEHAVED
#define NPY_BEHAVED NPY_ARRAY_BEHAVED
#endif
#ifndef NPY_BEHAVED_NS
#define NPY_BEHAVED_NS NPY_ARRAY_BEHAVED_NS
#endif
#ifndef NPY_CARRAY
#define NPY_CARRAY NPY_ARRAY_CARRAY
#endif
#ifndef NPY_CARRAY_RO
#define NPY_CARRAY_RO NPY_ARRAY_CARRAY_RO
#endif
#ifndef NPY_FARRAY
#define NPY_FARRAY NPY_ARRAY_FARRAY
#endif
#ifndef NPY_FARRAY_RO
#define NPY_FARRAY_RO NPY_ARRAY_FARRAY_RO
#endif
#ifndef NPY_DEFAULT
#define NPY_DEFAULT NPY_ARRAY_DEFAULT
#endif
#ifndef NPY_IN_ARRAY
#define NPY_IN_ARRAY NPY_ARRAY_IN_ARRAY
#endif
#ifndef NPY_OUT_ARRAY
#define NPY_OUT_ARRAY NPY_ARRAY_OUT_ARRAY
#endif
#ifndef NPY_IN_FARRAY
#define NPY_IN_FARRAY NPY_ARRAY_IN_FARRAY
#endif
#ifndef NPY_OUT_FARRAY
#define NPY_OUT_FARRAY NPY_ARRAY_OUT_FARRAY
#endif
#ifndef NPY_UPDATE_ALL
#define NPY_UPDATE_ALL NPY_ARRAY_UPDATE_ALL
#endif
#ifndef PyArray_BOOL
#define PyArray_BOOL NPY_BOOL
#endif
#ifndef PyArray_BYTE
#define PyArray_BYTE NPY_BYTE
#endif
#ifndef PyArray_UBYTE
#define PyArray_UBYTE NPY_UBYTE
#endif
#ifndef PyArray_SHORT
#define PyArray_SHORT NPY_SHORT
#endif
#ifndef PyArray_USHORT
#define PyArray_USHORT NPY_USHORT
#endif
#ifndef PyArray_INT
#define PyArray_INT NPY_INT
#endif
#ifndef PyArray_UINT
#define PyArray_UINT NPY_UINT
#endif
#ifndef PyArray_LONG
#define PyArray_LONG NPY_LONG
#endif
#ifndef PyArray_ULONG
#define PyArray_ULONG NPY_ULONG
#endif
#ifndef PyArray_LONGLONG
#define PyArray_LONGLONG NPY_LONGLONG
#endif
#ifndef PyArray_ULONGLONG
#define PyArray_ULONGLONG NPY_ULONGLONG
#endif
#ifndef PyArray_HALF
#define PyArray_HALF NPY_HALF
#endif
#ifndef PyArray_FLOAT
#define PyArray_FLOAT NPY_FLOAT
#endif
#ifndef PyArray_DOUBLE
#define PyArray_DOUBLE NPY_DOUBLE
#endif
#ifndef PyArray_LONGDOUBLE
#define PyArray_LONGDOUBLE NPY_LONGDOUBLE
#endif
#ifndef PyArray_CFLOAT
#define PyArray_CFLOAT NPY_CFLOAT
#endif
#ifndef PyArray_CDOUBLE
#define PyArray_CDOUBLE NPY_CDOUBLE
#endif
#ifndef PyArray_CLONGDOUBLE
#define PyArray_CLONGDOUBLE NPY_CLONGDOUBLE
#endif
#ifndef PyArray_OBJECT
#define PyArray_OBJECT NPY_OBJECT
#endif
#ifndef PyArray_STRING
#define PyArray_STRING NPY_STRING
#endif
#ifndef PyArray_UNICODE
#define PyArray_UNICODE NPY_UNICODE
#endif
#ifndef PyArray_VOID
#define PyArray_VOID NPY_VOID
#endif
#ifndef PyArray_INTP
#define PyArray_INTP NPY_INTP
#endif
#ifndef PyArray_UINTP
#define PyArray_UINTP NPY_UINTP
#endif
#ifndef PyArray_INT8
#define PyArray_INT8 NPY_INT8
#endif
#ifndef PyArray_UINT8
#define PyArray_UINT8 NPY_UINT8
#endif
#ifndef PyArray_INT16
#define PyArray_INT16 NPY_INT16
#endif
#ifndef PyArray_UINT16
#define PyArray_UINT16 NPY_UINT16
#endif
#ifndef PyArray_INT32
#define PyArray_INT32 NPY_INT32
#endif
#ifndef PyArray_UINT32
#define PyArray_UINT32 NPY_UINT32
#endif
#ifndef PyArray_INT64
#define PyArray_INT64 NPY_INT64
#endif
#ifndef PyArray_UINT64
#define PyArray_UINT64 NPY_UINT64
#endif
#ifndef PyArray_FLOAT16
#define PyArray_FLOAT16 NPY_FLOAT16
#endif
#ifndef PyArray_FLOAT32
#define PyArray_FLOAT32 NPY_FLOAT32
#endif
#ifndef PyArray_FLOAT64
#define PyArray_FLOAT64 NPY_FLOAT64
#endif
#ifndef PyArray_COMPLEX64
#define PyArray_COMPLEX64 NPY_COMPLEX64
#endif
#ifndef PyArray_COMPLEX128
#define PyArray_COMPLEX128 NPY_COMPLEX128
#endif
#ifndef PyArray_NTYPES
#define PyArray_NTYPES NPY_NTYPES
#endif
#ifndef PyArray_NOTYPE
#define PyArray_NOTYPE NPY_NOTYPE
#endif
#ifndef PyArray_USERDEF
#define PyArray_USERDEF NPY_USERDEF
#endif
#ifndef PyInt_Check
#define PyInt_Check PyLong_Check
#endif
#ifndef PyInt_CheckExact
#define PyInt_CheckExact PyLong_CheckExact
#endif
#ifndef PyInt_FromLong
#define PyInt_FromLong PyLong_FromLong
#endif
#ifndef PyInt_FromSsize_t
#define PyInt_FromSsize_t PyLong_FromSsize_t
#endif
#ifndef PyInt_FromSize_t
#define PyInt_FromSize_t PyLong_FromSize_t
#endif
#ifndef PyInt_AsLong
#define PyInt_AsLong PyLong_AsLong
#endif
#ifndef PyInt_AS_LONG
#define PyInt_AS_LONG PyLong_AsLong
#endif
#ifndef PyInt_AsSsize_t
#define PyInt_AsSsize_t PyLong_AsSsize_t
#endif
#ifndef PyNumber_Int
#define PyNumber_Int PyNumber_Long
#endif
