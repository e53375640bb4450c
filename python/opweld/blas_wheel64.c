/* BLAS by its names in Fortran, whose integers are int: those of the wheel scipy-openblas64 are of 64 bits. */

#section support_code
#ifdef __cplusplus
#define OPW_C extern "C"
#else
#define OPW_C extern
#endif
#define OPW_OWN static __attribute__((unused))
#define OPW_INT const int *
#define OPW_LONG const npy_int64 *
#define OPW_BLAS(t, T)                                                                                                   \
    OPW_C void scipy_##t##gemm_64_(char *, char *, OPW_LONG, OPW_LONG, OPW_LONG, const T *, const T *, OPW_LONG,         \
                                   const T *, OPW_LONG, const T *, T *, OPW_LONG);                                       \
    OPW_C void scipy_##t##gemv_64_(char *, OPW_LONG, OPW_LONG, const T *, const T *, OPW_LONG, const T *, OPW_LONG,      \
                                   const T *, T *, OPW_LONG);                                                            \
    OPW_C void scipy_##t##axpy_64_(OPW_LONG, const T *, const T *, OPW_LONG, T *, OPW_LONG);                             \
    OPW_C void scipy_##t##scal_64_(OPW_LONG, const T *, T *, OPW_LONG);                                                  \
    OPW_C void scipy_##t##copy_64_(OPW_LONG, const T *, OPW_LONG, T *, OPW_LONG);                                        \
    OPW_C void scipy_##t##swap_64_(OPW_LONG, T *, OPW_LONG, T *, OPW_LONG);                                              \
    OPW_OWN void opw_##t##gemm(char *turn_a, char *turn_b, OPW_INT m, OPW_INT n, OPW_INT k, const T *alpha, const T *a,  \
                               OPW_INT lda, const T *b, OPW_INT ldb, const T *beta, T *c, OPW_INT ldc)                   \
    {                                                                                                                    \
        const npy_int64 sizes[] = {*m, *n, *k, *lda, *ldb, *ldc};                                                        \
        scipy_##t##gemm_64_(turn_a, turn_b, sizes, sizes + 1, sizes + 2, alpha, a, sizes + 3, b, sizes + 4, beta, c,     \
                            sizes + 5);                                                                                  \
    }                                                                                                                    \
    OPW_OWN void opw_##t##gemv(char *turn, OPW_INT m, OPW_INT n, const T *alpha, const T *a, OPW_INT lda, const T *x,    \
                               OPW_INT x_step, const T *beta, T *y, OPW_INT y_step)                                      \
    {                                                                                                                    \
        const npy_int64 sizes[] = {*m, *n, *lda, *x_step, *y_step};                                                      \
        scipy_##t##gemv_64_(turn, sizes, sizes + 1, alpha, a, sizes + 2, x, sizes + 3, beta, y, sizes + 4);              \
    }                                                                                                                    \
    OPW_OWN void opw_##t##axpy(OPW_INT n, const T *alpha, const T *x, OPW_INT x_step, T *y, OPW_INT y_step)              \
    {                                                                                                                    \
        const npy_int64 sizes[] = {*n, *x_step, *y_step};                                                                \
        scipy_##t##axpy_64_(sizes, alpha, x, sizes + 1, y, sizes + 2);                                                   \
    }                                                                                                                    \
    OPW_OWN void opw_##t##scal(OPW_INT n, const T *alpha, T *x, OPW_INT x_step)                                          \
    {                                                                                                                    \
        const npy_int64 sizes[] = {*n, *x_step};                                                                         \
        scipy_##t##scal_64_(sizes, alpha, x, sizes + 1);                                                                 \
    }                                                                                                                    \
    OPW_OWN void opw_##t##copy(OPW_INT n, const T *x, OPW_INT x_step, T *y, OPW_INT y_step)                              \
    {                                                                                                                    \
        const npy_int64 sizes[] = {*n, *x_step, *y_step};                                                                \
        scipy_##t##copy_64_(sizes, x, sizes + 1, y, sizes + 2);                                                          \
    }                                                                                                                    \
    OPW_OWN void opw_##t##swap(OPW_INT n, T *x, OPW_INT x_step, T *y, OPW_INT y_step)                                    \
    {                                                                                                                    \
        const npy_int64 sizes[] = {*n, *x_step, *y_step};                                                                \
        scipy_##t##swap_64_(sizes, x, sizes + 1, y, sizes + 2);                                                          \
    }
#define OPW_BLAS_REAL(t, T)                                                                                              \
    OPW_BLAS(t, T)                                                                                                       \
    OPW_C T scipy_##t##dot_64_(OPW_LONG, const T *, OPW_LONG, const T *, OPW_LONG);                                      \
    OPW_C void scipy_##t##ger_64_(OPW_LONG, OPW_LONG, const T *, const T *, OPW_LONG, const T *, OPW_LONG, T *,          \
                                  OPW_LONG);                                                                             \
    OPW_OWN T opw_##t##dot(OPW_INT n, const T *x, OPW_INT x_step, const T *y, OPW_INT y_step)                            \
    {                                                                                                                    \
        const npy_int64 sizes[] = {*n, *x_step, *y_step};                                                                \
        return scipy_##t##dot_64_(sizes, x, sizes + 1, y, sizes + 2);                                                    \
    }                                                                                                                    \
    OPW_OWN void opw_##t##ger(OPW_INT m, OPW_INT n, const T *alpha, const T *x, OPW_INT x_step, const T *y,              \
                              OPW_INT y_step, T *a, OPW_INT lda)                                                         \
    {                                                                                                                    \
        const npy_int64 sizes[] = {*m, *n, *x_step, *y_step, *lda};                                                      \
        scipy_##t##ger_64_(sizes, sizes + 1, alpha, x, sizes + 2, y, sizes + 3, a, sizes + 4);                           \
    }
OPW_BLAS_REAL(s, float)
OPW_BLAS_REAL(d, double)
OPW_BLAS(c, void)
OPW_BLAS(z, void)
#undef OPW_BLAS_REAL
#undef OPW_BLAS
#undef OPW_LONG
#undef OPW_INT
#undef OPW_OWN
#undef OPW_C
#define sgemm_ opw_sgemm
#define dgemm_ opw_dgemm
#define cgemm_ opw_cgemm
#define zgemm_ opw_zgemm
#define sgemv_ opw_sgemv
#define dgemv_ opw_dgemv
#define cgemv_ opw_cgemv
#define zgemv_ opw_zgemv
#define saxpy_ opw_saxpy
#define daxpy_ opw_daxpy
#define caxpy_ opw_caxpy
#define zaxpy_ opw_zaxpy
#define sscal_ opw_sscal
#define dscal_ opw_dscal
#define cscal_ opw_cscal
#define zscal_ opw_zscal
#define scopy_ opw_scopy
#define dcopy_ opw_dcopy
#define ccopy_ opw_ccopy
#define zcopy_ opw_zcopy
#define sswap_ opw_sswap
#define dswap_ opw_dswap
#define cswap_ opw_cswap
#define zswap_ opw_zswap
#define sdot_ opw_sdot
#define ddot_ opw_ddot
#define sger_ opw_sger
#define dger_ opw_dger
#define openblas_set_num_threads scipy_openblas_set_num_threads64_
#define openblas_get_num_threads scipy_openblas_get_num_threads64_
#define goto_set_num_threads scipy_goto_set_num_threads64_
