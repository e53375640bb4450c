/* BLAS by its names in Fortran, as ops of Theano, Aesara and PyTensor call it. No library is linked: these loops stand in. Matrices lie column by column. */

#section support_code
#define OPW_BLAS(t, T)                                                                                                          \
    static __attribute__((unused)) T opw_##t##dot(const int *n, const T *x, const int *x_step, const T *y, const int *y_step)        \
    {                                                                                                                           \
        T sum = 0;                                                                                                              \
        npy_intp i;                                                                                                             \
        const npy_intp first_x = *x_step < 0 ? (1 - (npy_intp)*n) * *x_step : 0;                                                \
        const npy_intp first_y = *y_step < 0 ? (1 - (npy_intp)*n) * *y_step : 0;                                                \
        for (i = 0; i < *n; i++)                                                                                                \
            sum += x[first_x + i * *x_step] * y[first_y + i * *y_step];                                                         \
        return sum;                                                                                                             \
    }                                                                                                                           \
    static __attribute__((unused)) void opw_##t##gemm(char *turn_a, char *turn_b, const int *m, const int *n, const int *k,          \
                                                 const T *alpha, const T *a, const int *lda, const T *b, const int *ldb,        \
                                                 const T *beta, T *c, const int *ldc)                                           \
    {                                                                                                                           \
        const int a_turned = *turn_a != 'N' && *turn_a != 'n', b_turned = *turn_b != 'N' && *turn_b != 'n';                     \
        const npy_intp a_row = a_turned ? *lda : 1, a_column = a_turned ? 1 : *lda;                                             \
        const npy_intp b_row = b_turned ? *ldb : 1, b_column = b_turned ? 1 : *ldb;                                             \
        npy_intp i, j, l;                                                                                                       \
        for (j = 0; j < *n; j++) {                                                                                              \
            T *column = c + j * *ldc;                                                                                           \
            for (i = 0; i < *m; i++)                                                                                            \
                column[i] = *beta == 0 ? 0 : *beta * column[i];                                                                 \
            for (l = 0; l < *k; l++) {                                                                                          \
                const T factor = *alpha * b[l * b_row + j * b_column];                                                          \
                for (i = 0; i < *m; i++)                                                                                        \
                    column[i] += factor * a[i * a_row + l * a_column];                                                          \
            }                                                                                                                   \
        }                                                                                                                       \
    }                                                                                                                           \
    static __attribute__((unused)) void opw_##t##gemv(char *turn, const int *m, const int *n, const T *alpha, const T *a,            \
                                                 const int *lda, const T *x, const int *x_step, const T *beta, T *y,            \
                                                 const int *y_step)                                                             \
    {                                                                                                                           \
        const int turned = *turn != 'N' && *turn != 'n', rows = turned ? *n : *m, columns = turned ? *m : *n;                   \
        const npy_intp row = turned ? *lda : 1, column = turned ? 1 : *lda;                                                     \
        T *to = y + (*y_step < 0 ? (1 - (npy_intp)rows) * *y_step : 0);                                                         \
        const T *from = x + (*x_step < 0 ? (1 - (npy_intp)columns) * *x_step : 0);                                              \
        npy_intp i, j;                                                                                                          \
        for (i = 0; i < rows; i++) {                                                                                            \
            T sum = 0;                                                                                                          \
            for (j = 0; j < columns; j++)                                                                                       \
                sum += a[i * row + j * column] * from[j * *x_step];                                                             \
            to[i * *y_step] = *alpha * sum + (*beta == 0 ? 0 : *beta * to[i * *y_step]);                                        \
        }                                                                                                                       \
    }                                                                                                                           \
    static __attribute__((unused)) void opw_##t##ger(const int *m, const int *n, const T *alpha, const T *x, const int *x_step,      \
                                                const T *y, const int *y_step, T *a, const int *lda)                            \
    {                                                                                                                           \
        const T *rows = x + (*x_step < 0 ? (1 - (npy_intp)*m) * *x_step : 0);                                                   \
        const T *columns = y + (*y_step < 0 ? (1 - (npy_intp)*n) * *y_step : 0);                                                \
        npy_intp i, j;                                                                                                          \
        for (j = 0; j < *n; j++)                                                                                                \
            for (i = 0; i < *m; i++)                                                                                            \
                a[i + j * *lda] += *alpha * rows[i * *x_step] * columns[j * *y_step];                                           \
    }                                                                                                                           \
    static __attribute__((unused)) void opw_##t##axpy(const int *n, const T *alpha, const T *x, const int *x_step, T *y,             \
                                                 const int *y_step)                                                             \
    {                                                                                                                           \
        const npy_intp first_x = *x_step < 0 ? (1 - (npy_intp)*n) * *x_step : 0;                                                \
        const npy_intp first_y = *y_step < 0 ? (1 - (npy_intp)*n) * *y_step : 0;                                                \
        npy_intp i;                                                                                                             \
        for (i = 0; i < *n; i++)                                                                                                \
            y[first_y + i * *y_step] += *alpha * x[first_x + i * *x_step];                                                      \
    }                                                                                                                           \
    static __attribute__((unused)) void opw_##t##scal(const int *n, const T *alpha, T *x, const int *x_step)                         \
    {                                                                                                                           \
        npy_intp i;                                                                                                             \
        for (i = 0; i < *n && *x_step > 0; i++)                                                                                 \
            x[i * *x_step] *= *alpha;                                                                                           \
    }
OPW_BLAS(s, float)
OPW_BLAS(d, double)
#undef OPW_BLAS
#define sdot_ opw_sdot
#define ddot_ opw_ddot
#define sgemm_ opw_sgemm
#define dgemm_ opw_dgemm
#define sgemv_ opw_sgemv
#define dgemv_ opw_dgemv
#define sger_ opw_sger
#define dger_ opw_dger
#define saxpy_ opw_saxpy
#define daxpy_ opw_daxpy
#define sscal_ opw_sscal
#define dscal_ opw_dscal
#ifdef __cplusplus
#define OPW_C extern "C"
#else
#define OPW_C extern
#endif
#define OPW_NO_BLAS __attribute__((error("it is in no BLAS that is linked: pip install scipy-openblas32, or set config.blas.ldflags")))
#define OPW_BLAS(t, T)                                                                                                          \
    OPW_C OPW_NO_BLAS void t##copy_(const int *, const T *, const int *, T *, const int *);                                     \
    OPW_C OPW_NO_BLAS void t##swap_(const int *, T *, const int *, T *, const int *);
#define OPW_BLAS_COMPLEX(t)                                                                                                     \
    OPW_BLAS(t, void)                                                                                                              \
    OPW_C OPW_NO_BLAS void t##gemm_(char *, char *, const int *, const int *, const int *, const void *, const void *,          \
                                    const int *, const void *, const int *, const void *, void *, const int *);                 \
    OPW_C OPW_NO_BLAS void t##gemv_(char *, const int *, const int *, const void *, const void *, const int *, const void *,    \
                                    const int *, const void *, void *, const int *);                                            \
    OPW_C OPW_NO_BLAS void t##axpy_(const int *, const void *, const void *, const int *, void *, const int *);                 \
    OPW_C OPW_NO_BLAS void t##scal_(const int *, const void *, void *, const int *);
OPW_BLAS(s, float)
OPW_BLAS(d, double)
OPW_BLAS_COMPLEX(c)
OPW_BLAS_COMPLEX(z)
#undef OPW_BLAS_COMPLEX
#undef OPW_BLAS
#undef OPW_NO_BLAS
#undef OPW_C
