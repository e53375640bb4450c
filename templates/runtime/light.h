/* The head of loops that are compiled apart from Python's headers. */
#include "elements.h"
#include "loop.h"
