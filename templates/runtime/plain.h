/* The head of a unit that is tables and loops of the engine's alone: it needs neither Python's headers nor NumPy's. */
#include "elements.h"
typedef struct _object PyObject;
#define PyMODINIT_FUNC __attribute__((visibility("default"))) PyObject *
/* NumPy's numbers of dtypes, as its headers have them (plain.c compares). */
#define OPW_NUMBERED(number, value) number = value,
enum {
#include "numbers.h"
};
#include "tables.h"
