/* BLAS by its names in Fortran, as ops of Theano, Aesara and PyTensor call it. A library is linked that has these. */

#section support_code
#ifdef __cplusplus
extern "C" {
#endif
#define OPW_BLAS(t, T)                                                                                                          \
    void t##gemm_(char *, char *, const int *, const int *, const int *, const T *, const T *, const int *, const T *,         \
                  const int *, const T *, T *, const int *);                                                                    \
    void t##gemv_(char *, const int *, const int *, const T *, const T *, const int *, const T *, const int *, const T *, T *, \
                  const int *);                                                                                                 \
    void t##axpy_(const int *, const T *, const T *, const int *, T *, const int *);                                            \
    void t##scal_(const int *, const T *, T *, const int *);                                                                    \
    void t##copy_(const int *, const T *, const int *, T *, const int *);                                                       \
    void t##swap_(const int *, T *, const int *, T *, const int *);
OPW_BLAS(s, float)
OPW_BLAS(d, double)
OPW_BLAS(c, void)
OPW_BLAS(z, void)
#undef OPW_BLAS
float sdot_(const int *, const float *, const int *, const float *, const int *);
double ddot_(const int *, const double *, const int *, const double *, const int *);
void sger_(const int *, const int *, const float *, const float *, const int *, const float *, const int *, float *, const int *);
void dger_(const int *, const int *, const double *, const double *, const int *, const double *, const int *, double *, const int *);
#ifdef __cplusplus
}
#endif
