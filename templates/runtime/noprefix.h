/* What numpy/noprefix.h had, which NumPy 2 has no more. */
#ifndef OPW_NOPREFIX
#define OPW_NOPREFIX
typedef npy_ubyte ubyte;
#ifndef ushort
#define ushort npy_ushort /* sys/types.h may have it as a type */
#endif
#ifndef uint
#define uint npy_uint /* sys/types.h may have it as a type */
#endif
#ifndef ulong
#define ulong npy_ulong /* sys/types.h may have it as a type */
#endif
typedef npy_longlong longlong;
typedef npy_ulonglong ulonglong;
typedef npy_longdouble longdouble;
typedef npy_cfloat cfloat;
typedef npy_cdouble cdouble;
typedef npy_clongdouble clongdouble;
typedef npy_byte byte;
typedef npy_intp intp;
typedef npy_uintp uintp;
typedef npy_bool Bool;
typedef npy_int8 Int8;
typedef npy_uint8 UInt8;
typedef npy_int16 Int16;
typedef npy_uint16 UInt16;
typedef npy_int32 Int32;
typedef npy_uint32 UInt32;
typedef npy_int64 Int64;
typedef npy_uint64 UInt64;
typedef npy_float16 Float16;
typedef npy_float32 Float32;
typedef npy_float64 Float64;
typedef npy_complex64 Complex64;
typedef npy_complex128 Complex128;
#ifndef SIZEOF_LONGLONG
#define SIZEOF_LONGLONG NPY_SIZEOF_LONGLONG
#endif
#ifndef SIZEOF_INTP
#define SIZEOF_INTP NPY_SIZEOF_INTP
#endif
#ifndef SIZEOF_UINTP
#define SIZEOF_UINTP NPY_SIZEOF_UINTP
#endif
#ifndef SIZEOF_HALF
#define SIZEOF_HALF NPY_SIZEOF_HALF
#endif
#ifndef SIZEOF_LONGDOUBLE
#define SIZEOF_LONGDOUBLE NPY_SIZEOF_LONGDOUBLE
#endif
#ifndef MAX_DIMS
#define MAX_DIMS NPY_MAXDIMS
#endif
#ifndef MAX_INT8
#define MAX_INT8 127
#endif
#ifndef MIN_INT8
#define MIN_INT8 (-128)
#endif
#ifndef MAX_UINT8
#define MAX_UINT8 255
#endif
#ifndef MAX_INT16
#define MAX_INT16 32767
#endif
#ifndef MIN_INT16
#define MIN_INT16 (-MAX_INT16 - 1)
#endif
#ifndef MAX_UINT16
#define MAX_UINT16 65535
#endif
#ifndef MAX_INT32
#define MAX_INT32 2147483647
#endif
#ifndef MIN_INT32
#define MIN_INT32 (-MAX_INT32 - 1)
#endif
#ifndef MAX_UINT32
#define MAX_UINT32 4294967295U
#endif
#ifndef MAX_INT64
#define MAX_INT64 INT64_MAX
#endif
#ifndef MIN_INT64
#define MIN_INT64 INT64_MIN
#endif
#ifndef MAX_UINT64
#define MAX_UINT64 UINT64_MAX
#endif
#ifndef MAX_BYTE
#define MAX_BYTE NPY_MAX_BYTE
#endif
#ifndef MIN_BYTE
#define MIN_BYTE NPY_MIN_BYTE
#endif
#ifndef MAX_UBYTE
#define MAX_UBYTE NPY_MAX_UBYTE
#endif
#ifndef MAX_SHORT
#define MAX_SHORT NPY_MAX_SHORT
#endif
#ifndef MIN_SHORT
#define MIN_SHORT NPY_MIN_SHORT
#endif
#ifndef MAX_USHORT
#define MAX_USHORT NPY_MAX_USHORT
#endif
#ifndef MAX_INT
#define MAX_INT NPY_MAX_INT
#endif
#ifndef MIN_INT
#define MIN_INT NPY_MIN_INT
#endif
#ifndef MAX_UINT
#define MAX_UINT NPY_MAX_UINT
#endif
#ifndef MAX_LONG
#define MAX_LONG NPY_MAX_LONG
#endif
#ifndef MIN_LONG
#define MIN_LONG NPY_MIN_LONG
#endif
#ifndef MAX_ULONG
#define MAX_ULONG NPY_MAX_ULONG
#endif
#ifndef MAX_LONGLONG
#define MAX_LONGLONG NPY_MAX_LONGLONG
#endif
#ifndef MIN_LONGLONG
#define MIN_LONGLONG NPY_MIN_LONGLONG
#endif
#ifndef MAX_ULONGLONG
#define MAX_ULONGLONG NPY_MAX_ULONGLONG
#endif
#ifndef MAX_INTP
#define MAX_INTP NPY_MAX_INTP
#endif
#ifndef MIN_INTP
#define MIN_INTP NPY_MIN_INTP
#endif
#ifndef TRUE
#define TRUE NPY_TRUE
#endif
#ifndef FALSE
#define FALSE NPY_FALSE
#endif
#ifndef PY_FAIL
#define PY_FAIL NPY_FAIL
#endif
#ifndef PY_SUCCEED
#define PY_SUCCEED NPY_SUCCEED
#endif
#ifndef BEGIN_THREADS_DEF
#define BEGIN_THREADS_DEF NPY_BEGIN_THREADS_DEF
#endif
#ifndef BEGIN_THREADS
#define BEGIN_THREADS NPY_BEGIN_THREADS
#endif
#ifndef END_THREADS
#define END_THREADS NPY_END_THREADS
#endif
#ifndef ALLOW_C_API_DEF
#define ALLOW_C_API_DEF NPY_ALLOW_C_API_DEF
#endif
#ifndef ALLOW_C_API
#define ALLOW_C_API NPY_ALLOW_C_API
#endif
#ifndef DISABLE_C_API
#define DISABLE_C_API NPY_DISABLE_C_API
#endif
#ifndef CONTIGUOUS
#define CONTIGUOUS NPY_ARRAY_C_CONTIGUOUS
#endif
#ifndef FORTRAN
#define FORTRAN NPY_ARRAY_F_CONTIGUOUS
#endif
#ifndef C_CONTIGUOUS
#define C_CONTIGUOUS NPY_ARRAY_C_CONTIGUOUS
#endif
#ifndef F_CONTIGUOUS
#define F_CONTIGUOUS NPY_ARRAY_F_CONTIGUOUS
#endif
#ifndef OWNDATA
#define OWNDATA NPY_ARRAY_OWNDATA
#endif
#ifndef FORCECAST
#define FORCECAST NPY_ARRAY_FORCECAST
#endif
#ifndef ENSURECOPY
#define ENSURECOPY NPY_ARRAY_ENSURECOPY
#endif
#ifndef ENSUREARRAY
#define ENSUREARRAY NPY_ARRAY_ENSUREARRAY
#endif
#ifndef ELEMENTSTRIDES
#define ELEMENTSTRIDES NPY_ARRAY_ELEMENTSTRIDES
#endif
#ifndef ALIGNED
#define ALIGNED NPY_ARRAY_ALIGNED
#endif
#ifndef NOTSWAPPED
#define NOTSWAPPED NPY_ARRAY_NOTSWAPPED
#endif
#ifndef WRITEABLE
#define WRITEABLE NPY_ARRAY_WRITEABLE
#endif
#ifndef WRITEBACKIFCOPY
#define WRITEBACKIFCOPY NPY_ARRAY_WRITEBACKIFCOPY
#endif
#ifndef BEHAVED
#define BEHAVED NPY_ARRAY_BEHAVED
#endif
#ifndef BEHAVED_NS
#define BEHAVED_NS NPY_ARRAY_BEHAVED_NS
#endif
#ifndef CARRAY
#define CARRAY NPY_ARRAY_CARRAY
#endif
#ifndef CARRAY_RO
#define CARRAY_RO NPY_ARRAY_CARRAY_RO
#endif
#ifndef FARRAY
#define FARRAY NPY_ARRAY_FARRAY
#endif
#ifndef FARRAY_RO
#define FARRAY_RO NPY_ARRAY_FARRAY_RO
#endif
#ifndef IN_ARRAY
#define IN_ARRAY NPY_ARRAY_IN_ARRAY
#endif
#ifndef OUT_ARRAY
#define OUT_ARRAY NPY_ARRAY_OUT_ARRAY
#endif
#ifndef IN_FARRAY
#define IN_FARRAY NPY_ARRAY_IN_FARRAY
#endif
#ifndef OUT_FARRAY
#define OUT_FARRAY NPY_ARRAY_OUT_FARRAY
#endif
#ifndef UPDATE_ALL
#define UPDATE_ALL NPY_ARRAY_UPDATE_ALL
#endif
#ifndef REFCOUNT
#define REFCOUNT PyArray_REFCOUNT
#endif
#endif
