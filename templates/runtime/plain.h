/* The head of a unit that is tables and loops of the engine's alone: it needs neither Python's headers nor NumPy's. */
#include "elements.h"
typedef struct _object PyObject;
#undef PyMODINIT_FUNC
#define PyMODINIT_FUNC __attribute__((visibility("default"))) PyObject *
/* NumPy's numbers of dtypes, as its headers have them (plain.c compares), if no option of the compiler's brings those. */
#ifndef NUMPY_CORE_INCLUDE_NUMPY_NDARRAYTYPES_H_
#define OPW_NUMBERED(number, value) number = value,
enum {
#include "numbers.h"
};
#endif
#include "tables.h"
