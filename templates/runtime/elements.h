/* What the engine's own loops need of NumPy, where they are compiled without Python's headers. */
#if defined(OPW_BARE)
/* A unit that calls nothing of libc but memcpy: a compiler takes as long to read these headers as the tables of 500 nodes. */
#ifndef NULL
#define NULL ((void *)0)
#endif
typedef __SIZE_TYPE__ size_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
void *memcpy(void *, const void *, size_t);
#else
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#endif
typedef intptr_t npy_intp;
typedef unsigned char npy_bool;
typedef signed char npy_int8;
typedef unsigned char npy_uint8;
typedef int16_t npy_int16;
typedef uint16_t npy_uint16;
typedef int32_t npy_int32;
typedef uint32_t npy_uint32;
typedef int64_t npy_int64;
typedef uint64_t npy_uint64;
typedef float npy_float32;
typedef double npy_float64;
typedef long double npy_longdouble;
