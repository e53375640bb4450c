/* What the engine's own loops need of NumPy, where they are compiled without Python's headers. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
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
