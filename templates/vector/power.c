/* Powers: exp(y * log(x)), with the logarithm in two parts where the result is float64. Compiled once for each level of processors,
   with the package. */
#include "base.h"
#include "powers.h"

#include "f64.h"
#include "each.h"

/* Numbers that are computed at once, and their bits. Where a table of 16 fits two registers they are vectors: compilers would fetch
   each number from memory. What is computed is the same. */
#if defined(__AVX512F__)
#include <immintrin.h>
#define OPW_AT_ONCE 8
typedef double opw_reals __attribute__((vector_size(64)));
typedef uint64_t opw_words __attribute__((vector_size(64)));
#define OPW_WORDS(x) ((opw_words)(x))
#define OPW_REALS(u) ((opw_reals)(u))
#define OPW_WHERE(condition) ((opw_words)(condition))
#define OPW_ENTRY(table, i) ((opw_reals)_mm512_permutex2var_pd(_mm512_loadu_pd(table), (__m512i)(i), _mm512_loadu_pd((table) + 8)))
#define OPW_MORE(a, b, c) ((opw_reals)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define OPW_EVERY(c) ((opw_reals)_mm512_set1_pd(c))
#define OPW_SOME(u) (_mm512_test_epi64_mask((__m512i)(u), (__m512i)(u)) != 0)
#else
#define OPW_AT_ONCE 1
typedef double opw_reals;
typedef uint64_t opw_words;
#define OPW_WORDS(x) bits_f64(x)
#define OPW_REALS(u) value_f64(u)
#define OPW_WHERE(condition) (-(uint64_t)(condition))
#define OPW_ENTRY(table, i) (table)[(i) & 15]
#define OPW_MORE(a, b, c) OPW_MADD(a, b, c)
#define OPW_EVERY(c) (c)
#define OPW_SOME(u) ((u) != 0)
#endif

/* What has no sign or no logarithm: x that is 0, not normal or not finite, y that is not finite or has no last bits, and negative x
   with y that is not whole. */
#define OPW_NO_POWER(x, y)                                                                                                      \
    (OPW_WHERE((OPW_WORDS(x) & ~OPW_SIGN) - bits_f64(OPW_NORMAL) > bits_f64(OPW_MOST) - bits_f64(OPW_NORMAL)) |                 \
     OPW_WHERE((OPW_WORDS(y) & ~OPW_SIGN) >= bits_f64(0x1p51)) |                                                                \
     (OPW_WHERE(OPW_WORDS(x) >= OPW_SIGN) & OPW_WHERE(OPW_WORDS((y + OPW_SHIFT) - OPW_SHIFT - y) << 1 != 0)))

/* A power with its sign, or NaN where it is left to the C library: its like, and what is nearly too large or too small. x = 2**k * m, and
   m = c * (1 + r) with the c of a part of all m; log(x) is all + low: k * ln 2 + log(c), r and r**2 / 2 in two parts. The power is a
   sixteenth root of 2, n of them, and a little more. */
OPW_ONE opw_reals opw_power(opw_reals x, opw_reals with, opw_words *met)
{
    const opw_words none = OPW_NO_POWER(x, with);
    const opw_reals y = OPW_REALS(OPW_WORDS(with) & ~none);
    const opw_words over = (OPW_WORDS(x) & ~OPW_SIGN) + (bits_f64(1) - bits_f64(OPW_PARTS_LEAST)), part = over >> (OPW_MANTISSA - 4);
    const opw_words mantissa = (over & ((UINT64_C(1) << OPW_MANTISSA) - 1)) + bits_f64(OPW_PARTS_LEAST);
    const opw_reals k = OPW_REALS((over >> OPW_MANTISSA) | bits_f64(OPW_WHOLE)) - (OPW_WHOLE + OPW_BIAS);
    const opw_reals r = OPW_MORE(OPW_REALS(mantissa), OPW_ENTRY(opw_power_inverse, part), OPW_EVERY(-1.0));
    const opw_reals base = OPW_MORE(k, OPW_EVERY(OPW_LN2_HIGH), OPW_ENTRY(opw_power_log, part)), first = base + r;
    const opw_reals first_low = OPW_MORE(k, OPW_EVERY(OPW_LN2_LOW), OPW_ENTRY(opw_power_log_low, part)) + ((base - first) + r);
    const opw_reals half = -0.5 * r, square = half * r, square_low = OPW_MORE(half, r, -square);
    const opw_reals high = first + square, high_low = (first - high) + square;
    const opw_reals others = OPW_MORE(OPW_POLY_LOG3(r), r * (r * r), first_low + (square_low + high_low));
    const opw_reals all = high + others, low = (high - all) + others;
    const opw_reals product = y * all, product_low = OPW_MORE(y, low, OPW_MORE(y, all, -product));
    const opw_words far = OPW_WHERE((OPW_WORDS(product) & ~OPW_SIGN) >= bits_f64(708)), other = none | far;
    const opw_reals near = OPW_REALS(OPW_WORDS(product) & ~far), more = OPW_REALS(OPW_WORDS(product_low) & ~far);
    const opw_reals shifted = OPW_MORE(near, OPW_EVERY(16 * OPW_LOG2E), OPW_EVERY(OPW_SHIFT)), n = shifted - OPW_SHIFT;
    const opw_words places = OPW_WORDS(shifted), doubled = places >> 4 << OPW_MANTISSA;
    const opw_reals root = OPW_REALS(OPW_WORDS(OPW_ENTRY(opw_power_root, places)) + doubled);
    const opw_reals rest =
        OPW_MORE(n, OPW_EVERY(-OPW_LN2_LOW / 16), OPW_MORE(n, OPW_EVERY(-OPW_LN2_HIGH / 16), near)) + more;
    const opw_reals lacking = OPW_ENTRY(opw_power_root_low, places) + rest;
    const opw_reals e = OPW_MORE(OPW_POLY_EXP3(rest), OPW_MORE(rest, rest, OPW_EVERY(OPW_NORMAL)), lacking);
    const opw_words odd = OPW_WORDS(with + OPW_SHIFT) << OPW_TOP; /* of whole numbers the last bit */
    *met |= other;
    return OPW_REALS(OPW_WORDS(OPW_MORE(e, root, root)) | (OPW_WORDS(x) & odd) | other);
}

#if defined(__AVX512F__)
#define OPW_LOAD(at) ((opw_reals)_mm512_loadu_pd(at))
#define OPW_STORE(at, x) _mm512_storeu_pd(at, (__m512d)(x))
#else
#define OPW_LOAD(at) (*(at))
#define OPW_STORE(at, x) (*(at) = (x))
#endif

#if OPW_FUSED
OPW_ALONE OPW_UINT pow_run_f64(double *to, const double *from, const double *with, intptr_t n)
{
    opw_words met = {0};
    intptr_t i;
    n &= -(intptr_t)OPW_WIDTH;
    OPW_VECTORS
    for (i = 0; i < n; i += OPW_AT_ONCE)
        OPW_STORE(to + i, opw_power(OPW_LOAD(from + i), OPW_LOAD(with + i), &met));
    return OPW_SOME(met);
}
OPW_PARTS2(pow, __builtin_isunordered(to[i], to[i]), pow)
#else /* products would have no second part */
OPW_SEEN void opw_pow_f64(double *to, const double *from, const double *with, intptr_t n)
{
    intptr_t i;
    for (i = 0; i < n; i++)
        to[i] = pow(from[i], with[i]);
}
OPW_PIECE2(pow)
#endif
/* 2**(y * log2(a)) of what float32 holds, a positive: the product needs no second part. */
OPW_ONE double opw_power_of_float(double a, double y)
{
    const uint64_t least = bits_f64(OPW_SQRT_HALF), over = bits_f64(a) + (bits_f64(1) - least), power = over >> OPW_MANTISSA;
    const double k = value_f64(power | bits_f64(OPW_WHOLE)) - (OPW_WHOLE + OPW_BIAS);
    const double f = value_f64((over & ((UINT64_C(1) << OPW_MANTISSA) - 1)) + least) - 1;
    const double s = f / (2 + f), product = y * OPW_MADD(s, OPW_POLY_LOGF_F64(s * s), k);
    const double near = __builtin_isgreater(absolute_f64(product), 200.0) ? signed_f64(200.0, product) : product;
    const double shifted = near + OPW_SHIFT, r = near - (shifted - OPW_SHIFT);
    return OPW_POLY_EXPF_F64(r) * power2_f64(bits_f64(shifted) - bits_f64(OPW_SHIFT));
}

/* As OPW_NO_POWER, of float32. */
OPW_ONE int opw_no_power_of_float(float x, float y)
{
    return !__builtin_isgreater(__builtin_fabsf(x), 0.0f) | !__builtin_islessequal(__builtin_fabsf(x), __FLT_MAX__) |
           !__builtin_isless(__builtin_fabsf(y), 0x1p21f) | (__builtin_isless(x, 0) & ((y + 0x1.8p23f) - 0x1.8p23f != y));
}
#include "end.h"

#include "f32.h"
#include "each.h"

/* With the sign of a power of x by the whole y, |y| below 2**21. */
OPW_ONE float pow_f32(float x, float y)
{
    const float found = (float)opw_power_of_float(absolute_f32(x), y);
    return value_f32(bits_f32(found) | (bits_f32(x) & (bits_f32(y + OPW_SHIFT) << OPW_TOP)));
}

OPW_LOOP2(pow, opw_no_power_of_float, powf)
