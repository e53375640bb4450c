/* The head of every unit and of the runtime: the same text for all, so that it can be compiled ahead. */
#ifndef OPW_PRELUDE
#define OPW_PRELUDE
#include "includes.h"
#include "frame.h"
#endif
