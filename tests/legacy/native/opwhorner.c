#include "opwhorner.h"

int horner(const double* c, long n, double x, double* result)
{
    double value = 0;
    if (n > HORNER_MAX)
        return 1;
    while (n-- > 0)
        value = value * x + c[n];
    *result = value;
    return 0;
}
