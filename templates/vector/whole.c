/* Whole numbers: exact, so the same at every level. Compiled once for each level of processors, with the package. */
#include "base.h"

#include "f64.h"
#include "whole.h"
#include "end.h"

#include "f32.h"
#include "whole.h"
