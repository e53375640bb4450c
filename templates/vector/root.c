/* Compiled once for each level of processors, with the package. */
#include "base.h"

#include "f64.h"
#include "each.h"
#include "root_reduce.h"
#include "cbrt_long.h"
#include "root.h"
#include "end.h"

#include "f32.h"
#include "each.h"
#include "cbrt_short.h"
#include "root.h"
