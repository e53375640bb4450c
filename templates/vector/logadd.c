/* Compiled once for each level of processors, with the package. */
#include "base.h"

#include "f64.h"
#include "each.h"
#include "exp_reduce.h"
#include "log_reduce.h"
#include "log_long.h"
#include "logadd.h"
#include "end.h"

#include "f32.h"
#include "each.h"
#include "exp_reduce.h"
#include "log_reduce.h"
#include "log_short.h"
#include "logadd.h"
