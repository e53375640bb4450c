/* Compiled once for each level of processors, with the package. */
#include "base.h"

#include "f64.h"
#include "each.h"
#include "next.h"
#include "end.h"

#include "f32.h"
#include "each.h"
#include "next.h"
