/* benchmarks/kernels.h: the works of works.py as loops that a careful person writes by hand.
 *
 * data: of each input and then of the output the first element, C-contiguous, none overlapping; n, m, p: the sizes
 * that kernels.c reads from the inputs. Sums run in several accumulators, so that neither the latency of an addition
 * nor its order keeps the processor waiting. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    ptrdiff_t n, m, p;
} Sizes;

#define LANES 8

/* sum over i of TERM, which reads i */
#define SUM(total, count, TERM)                                                                                        \
    do {                                                                                                               \
        double lane_[LANES] = {0};                                                                                     \
        ptrdiff_t at_ = 0;                                                                                             \
        for (; at_ + LANES <= (count); at_ += LANES)                                                                   \
            for (int l_ = 0; l_ < LANES; l_++) {                                                                       \
                const ptrdiff_t i = at_ + l_;                                                                          \
                lane_[l_] += (TERM);                                                                                   \
            }                                                                                                          \
        for (; at_ < (count); at_++) {                                                                                 \
            const ptrdiff_t i = at_;                                                                                   \
            lane_[0] += (TERM);                                                                                        \
        }                                                                                                              \
        for (int half_ = LANES / 2; half_ > 0; half_ /= 2)                                                             \
            for (int l_ = 0; l_ < half_; l_++) lane_[l_] += lane_[l_ + half_];                                         \
        (total) = lane_[0];                                                                                            \
    } while (0)

/* glibc's vector library, which gcc calls where it knows that a function has another form in it */
#if defined(__GLIBC__) && defined(__x86_64__) && !defined(__clang__)
__attribute__((simd("notinbranch"))) double exp(double), sin(double), tanh(double), log1p(double), log(double);
#endif

static void gauss(void *const *data, Sizes s)
{
    const double *restrict x = data[0], *restrict y = data[1];
    double *restrict z = data[2];
    for (ptrdiff_t i = 0; i < s.n; i++) z[i] = exp(-x[i] * x[i] / 2) * y[i] + sin(x[i]);
}

static void tanh_log1p(void *const *data, Sizes s)
{
    const double *restrict x = data[0], *restrict y = data[1];
    double *restrict z = data[2];
    for (ptrdiff_t i = 0; i < s.n; i++) z[i] = tanh(x[i]) * log1p(y[i] * y[i]);
}

/* The larger; NaN where one is. */
static inline double larger(double a, double b)
{
    const double most = b > a ? b : a;
    return b != b ? b : most;
}

static inline double largest_of(ptrdiff_t n, const double *restrict x, const double *restrict y)
{
    double lane[LANES], found;
    ptrdiff_t i = 0;
    for (int l = 0; l < LANES; l++) lane[l] = fabs(x[0]) + y[0];
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) lane[l] = larger(lane[l], fabs(x[i + l]) + y[i + l]);
    for (found = lane[0]; i < n; i++) found = larger(found, fabs(x[i]) + y[i]);
    for (int l = 0; l < LANES; l++) found = larger(found, lane[l]);
    return found;
}

static void largest(void *const *data, Sizes s) { *(double *)data[2] = largest_of(s.n, data[0], data[1]); }

static void largest1(void *const *data, Sizes s)
{
    const double *x = data[0], *y = data[1];
    for (ptrdiff_t row = 0; row < s.n; row++) ((double *)data[2])[row] = largest_of(s.m, x + row * s.m, y + row * s.m);
}

static void largest0(void *const *data, Sizes s)
{
    const double *restrict x = data[0], *restrict y = data[1];
    double *restrict z = data[2];
    for (ptrdiff_t i = 0; i < s.m; i++) z[i] = fabs(x[i]) + y[i];
    for (ptrdiff_t row = 1; row < s.n; row++)
        for (ptrdiff_t i = 0; i < s.m; i++) z[i] = larger(z[i], fabs(x[row * s.m + i]) + y[row * s.m + i]);
}

static void arithmetic(void *const *data, Sizes s)
{
    const double *restrict x = data[0], *restrict y = data[1];
    double *restrict z = data[2];
    for (ptrdiff_t i = 0; i < s.n; i++) z[i] = (x[i] + y[i]) * x[i] - y[i] * 2;
}

static void where(void *const *data, Sizes s)
{
    const double *restrict x = data[0], *restrict y = data[1];
    double *restrict z = data[2];
    for (ptrdiff_t i = 0; i < s.n; i++) z[i] = (x[i] > y[i] ? x[i] : y[i]) * 0.5;
}

static void fifty(void *const *data, Sizes s)
{
    const double *restrict x = data[0], *restrict y = data[1];
    double *restrict z = data[2];
    for (ptrdiff_t i = 0; i < s.n; i++) {
        const double a = x[i], b = y[i];
        double v = a;
#pragma GCC unroll 10
        for (int k = 0; k < 10; k++) v = fabs((v * b + a) * 0.5 - b);
        z[i] = v;
    }
}

static void float32(void *const *data, Sizes s)
{
    const float *restrict x = data[0], *restrict y = data[1];
    float *restrict z = data[2];
    for (ptrdiff_t i = 0; i < s.n; i++) z[i] = (x[i] + y[i]) * x[i] - y[i] * 2;
}

static void mixed(void *const *data, Sizes s)
{
    const float *restrict x = data[0];
    const double *restrict y = data[1];
    const int32_t *restrict k = data[2];
    double *restrict z = data[3];
    for (ptrdiff_t i = 0; i < s.n; i++) z[i] = x[i] * 2 + y[i] * k[i];
}

static void squares(void *const *data, Sizes s)
{
    const double *restrict x = data[0], *restrict y = data[1];
    SUM(*(double *)data[2], s.n, (x[i] - y[i]) * (x[i] - y[i]));
}

static void rows(void *const *data, Sizes s)
{
    for (ptrdiff_t row = 0; row < s.n; row++) {
        const double *restrict x = (const double *)data[0] + row * s.m;
        double *restrict z = (double *)data[1] + row * s.m;
        double total;
        SUM(total, s.m, x[i]);
        const double mean = total / (double)s.m;
        for (ptrdiff_t i = 0; i < s.m; i++) z[i] = (x[i] - mean) / 3;
    }
}

static void stencil(void *const *data, Sizes s)
{
    const double *restrict x = data[0], *restrict y = data[1];
    double *restrict z = data[2];
    for (ptrdiff_t i = 0; i < s.n - 2; i++) {
        const double left = x[i] * 2 + 1, middle = x[i + 1] * 2 + 1, right = x[i + 2] * 2 + 1;
        z[i] = (left + middle + right) / 3 * y[i + 1] - x[i + 1];
    }
}

static void softmax1(void *const *data, Sizes s)
{
    for (ptrdiff_t row = 0; row < s.n; row++) {
        const double *restrict x = (const double *)data[0] + row * s.m;
        double *restrict z = (double *)data[1] + row * s.m;
        double top = x[0], total;
        for (ptrdiff_t i = 1; i < s.m; i++) top = x[i] > top ? x[i] : top;
        for (ptrdiff_t i = 0; i < s.m; i++) z[i] = exp(x[i] - top);
        SUM(total, s.m, z[i]);
        for (ptrdiff_t i = 0; i < s.m; i++) z[i] /= total;
    }
}

/* Row by row, with what is known of a block of columns at hand: a block's largest elements and sums stay in the cache. */
static void softmax0(void *const *data, Sizes s)
{
    enum { BLOCK = 256 };
    for (ptrdiff_t first = 0; first < s.m; first += BLOCK) {
        const ptrdiff_t wide = s.m - first < BLOCK ? s.m - first : BLOCK;
        const double *restrict x = (const double *)data[0] + first;
        double *restrict z = (double *)data[1] + first;
        double top[BLOCK], total[BLOCK] = {0};
        for (ptrdiff_t i = 0; i < wide; i++) top[i] = x[i];
        for (ptrdiff_t row = 1; row < s.n; row++)
            for (ptrdiff_t i = 0; i < wide; i++) top[i] = x[row * s.m + i] > top[i] ? x[row * s.m + i] : top[i];
        for (ptrdiff_t row = 0; row < s.n; row++)
            for (ptrdiff_t i = 0; i < wide; i++) total[i] += z[row * s.m + i] = exp(x[row * s.m + i] - top[i]);
        for (ptrdiff_t row = 0; row < s.n; row++)
            for (ptrdiff_t i = 0; i < wide; i++) z[row * s.m + i] /= total[i];
    }
}

static void logsumexp1(void *const *data, Sizes s)
{
    for (ptrdiff_t row = 0; row < s.n; row++) {
        const double *restrict x = (const double *)data[0] + row * s.m;
        double top = x[0], total;
        for (ptrdiff_t i = 1; i < s.m; i++) top = x[i] > top ? x[i] : top;
        SUM(total, s.m, exp(x[i] - top));
        ((double *)data[1])[row] = log(total) + top;
    }
}

static void logsumexp0(void *const *data, Sizes s)
{
    enum { BLOCK = 256 };
    for (ptrdiff_t first = 0; first < s.m; first += BLOCK) {
        const ptrdiff_t wide = s.m - first < BLOCK ? s.m - first : BLOCK;
        const double *restrict x = (const double *)data[0] + first;
        double *restrict z = (double *)data[1] + first;
        double top[BLOCK], total[BLOCK] = {0};
        for (ptrdiff_t i = 0; i < wide; i++) top[i] = x[i];
        for (ptrdiff_t row = 1; row < s.n; row++)
            for (ptrdiff_t i = 0; i < wide; i++) top[i] = x[row * s.m + i] > top[i] ? x[row * s.m + i] : top[i];
        for (ptrdiff_t row = 0; row < s.n; row++)
            for (ptrdiff_t i = 0; i < wide; i++) total[i] += exp(x[row * s.m + i] - top[i]);
        for (ptrdiff_t i = 0; i < wide; i++) z[i] = log(total[i]) + top[i];
    }
}

static void var1(void *const *data, Sizes s)
{
    for (ptrdiff_t row = 0; row < s.n; row++) {
        const double *restrict x = (const double *)data[0] + row * s.m;
        double total, spread;
        SUM(total, s.m, x[i]);
        const double mean = total / (double)s.m;
        SUM(spread, s.m, (x[i] - mean) * (x[i] - mean));
        ((double *)data[1])[row] = spread / (double)s.m;
    }
}

static void var0(void *const *data, Sizes s)
{
    enum { BLOCK = 256 };
    for (ptrdiff_t first = 0; first < s.m; first += BLOCK) {
        const ptrdiff_t wide = s.m - first < BLOCK ? s.m - first : BLOCK;
        const double *restrict x = (const double *)data[0] + first;
        double mean[BLOCK] = {0}, spread[BLOCK] = {0};
        for (ptrdiff_t row = 0; row < s.n; row++)
            for (ptrdiff_t i = 0; i < wide; i++) mean[i] += x[row * s.m + i];
        for (ptrdiff_t i = 0; i < wide; i++) mean[i] /= (double)s.n;
        for (ptrdiff_t row = 0; row < s.n; row++)
            for (ptrdiff_t i = 0; i < wide; i++) {
                const double d = x[row * s.m + i] - mean[i];
                spread[i] += d * d;
            }
        for (ptrdiff_t i = 0; i < wide; i++) ((double *)data[1])[first + i] = spread[i] / (double)s.n;
    }
}

static void layer(void *const *data, Sizes s)
{
    const double *restrict gain = data[1], *restrict bias = data[2];
    for (ptrdiff_t row = 0; row < s.n; row++) {
        const double *restrict x = (const double *)data[0] + row * s.m;
        double *restrict z = (double *)data[3] + row * s.m;
        double total, spread;
        SUM(total, s.m, x[i]);
        const double mean = total / (double)s.m;
        SUM(spread, s.m, (x[i] - mean) * (x[i] - mean));
        const double root = sqrt(spread / (double)s.m + 1e-5);
        for (ptrdiff_t i = 0; i < s.m; i++) z[i] = (x[i] - mean) / root * gain[i] + bias[i];
    }
}

static void logistic(void *const *data, Sizes s)
{
    const double *restrict x = data[0], *restrict y = data[1];
    SUM(*(double *)data[2], s.n, x[i] * y[i] - log1p(exp(x[i])));
}

static void cube(void *const *data, Sizes s)
{
    const double *restrict a = data[1], *restrict b = data[2];
    for (ptrdiff_t i = 0; i < s.n; i++)
        for (ptrdiff_t j = 0; j < s.m; j++) {
            const double *restrict x = (const double *)data[0] + (i * s.m + j) * s.p;
            double *restrict z = (double *)data[3] + (i * s.m + j) * s.p;
            for (ptrdiff_t k = 0; k < s.p; k++) z[k] = x[k] * a[i] + b[j];
        }
}

static void outer(void *const *data, Sizes s)
{
    const double *restrict x = data[0], *restrict y = data[1];
    for (ptrdiff_t i = 0; i < s.n; i++) {
        double *restrict z = (double *)data[2] + i * s.m;
        const double value = exp(x[i]);
        for (ptrdiff_t j = 0; j < s.m; j++) z[j] = value + y[j];
    }
}

/* The sum of x*y along one of three axes, whatever the strides: `along` in the order of the strides, the largest
 * first. Z is as long as the two others, and dense in their order. step: of x and of y along the last axis, in
 * elements. */
typedef struct {
    ptrdiff_t length[3], x[3], y[3];
} Cube;

static inline void sum_lines(const double *x, const double *y, double *restrict z, Cube c, int along)
{
    for (ptrdiff_t i = 0; i < c.length[0]; i++)
        for (ptrdiff_t j = 0; j < c.length[1]; j++) {
            const double *restrict a = x + i * c.x[0] + j * c.x[1], *restrict b = y + i * c.y[0] + j * c.y[1];
            if (along == 2) {
                SUM(z[i * c.length[1] + j], c.length[2], a[i * c.x[2]] * b[i * c.y[2]]);
                continue;
            }
            double *restrict to = z + (along == 0 ? j : i) * c.length[2];
            for (ptrdiff_t k = 0; k < c.length[2]; k++) to[k] += a[k * c.x[2]] * b[k * c.y[2]];
        }
}

static void sum_product(const double *x, const double *y, double *z, Cube c, int along)
{
    if (c.x[2] == 1 && c.y[2] == 1) {
        c.x[2] = c.y[2] = 1;
        sum_lines(x, y, z, c, along);
    } else
        sum_lines(x, y, z, c, along);
}
