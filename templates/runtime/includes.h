/* What every fragment sees without asking, and what the glue needs. */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#include <Python.h>                /* first: it sets feature macros */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>                /* offsetof */
#include <stdint.h>                /* uint32_t */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>                /* memcpy, memset */
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <numpy/npy_math.h>
#undef I                           /* of complex.h: a name that fragments use */
#include "older.h"
