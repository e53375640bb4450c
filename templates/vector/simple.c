/* Operations of an instruction or two as pieces of loops that are run in stages. Compiled once for each level of processors, with the
   package: a function of many nodes is tables of these, and little is left to compile. */
#include "base.h"

#include "f64.h"
#include "each.h"
#include "simple.h"
#include "end.h"

#include "f32.h"
#include "each.h"
#include "simple.h"
