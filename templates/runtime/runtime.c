/* The part of every module that does not depend on its function: compiled once for a compiler, a CPython and a NumPy, and
   linked with each unit. */
/* opweld's runtime: binding of arguments, the walk of the table, the callable object, the module. */
#include "prelude.h"
#include "remarks.h"
#include "instance.c"
#include "keep.c"
#include "perform.c"
#include "bind.c"
#include "array.c"
#include "out.c"
#include "store.c"
#include "fold.c"
#include "call.c"
#include "function.c"
#include "code.c"
#include "make.c"
#include "module.c"
#include "entry.c"
