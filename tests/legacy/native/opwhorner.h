/* A library of somebody's: polynomials. */
#ifndef OPWHORNER_H
#define OPWHORNER_H
#ifdef __cplusplus
extern "C" {
#endif

#define HORNER_MAX 64

/* Evaluates sum of c[k] * x**k for k < n. Returns 1 if n is larger than HORNER_MAX. */
int horner(const double* c, long n, double x, double* result);

#ifdef __cplusplus
}
#endif
#endif
