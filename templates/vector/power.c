/* Powers: of float64 exp(y * log(x)), of float32 2**(y * log2(x)), with the logarithm in two parts. Compiled once for each level of
   processors, with the package. */
#include "base.h"
#include "powers.h"

#include "f64.h"
#include "each.h"
#include "lanes.h"

/* What has no sign or no logarithm: x that is 0, not normal or not finite, y that is not finite or has no last bits, and negative x
   with y that is not whole. */
#define OPW_NO_POWER(size, x, y, whole)                                                                                         \
    (OPW_AT_LEAST(size - OPW_N(bits)(OPW_NORMAL), OPW_N(bits)(OPW_MOST) + 1 - OPW_N(bits)(OPW_NORMAL)) |                        \
     OPW_AT_LEAST(OPW_WORDS(y) & ~OPW_SIGN, OPW_N(bits)(whole)) |                                                               \
     (OPW_NEGATIVE(x) & OPW_DIFFER((y + OPW_SHIFT) - OPW_SHIFT, y)))

/* A power with its sign, or NaN where it is left to the C library: its like, and what is nearly too large or too small. x = 2**k * m, and
   m = c * (1 + r) with the c of a part of all m; log(x) is all + low: k * ln 2 + log(c), and log(1 + r), r - r**2 / 2 in two parts. The
   power is a sixteenth root of 2, n of them, and a little more. */
OPW_ONE reals_f64 power_f64(reals_f64 x, reals_f64 with, marks_f64 *met)
{
    const words_f64 size = OPW_WORDS(x) & ~OPW_SIGN;
    const marks_f64 none = OPW_NO_POWER(size, x, with, 0x1p51);
    const reals_f64 y = OPW_UNLESS(none, with);
    const words_f64 over = size + (bits_f64(1) - bits_f64(OPW_PARTS_LEAST)), part = over >> (OPW_MANTISSA - 4);
    const words_f64 mantissa = (over & ((UINT64_C(1) << OPW_MANTISSA) - 1)) + bits_f64(OPW_PARTS_LEAST);
    const reals_f64 k = OPW_REALS((over >> OPW_MANTISSA) | bits_f64(OPW_WHOLE)) - (OPW_WHOLE + OPW_BIAS);
    const reals_f64 r = OPW_MORE(OPW_REALS(mantissa), OPW_ENTRY(opw_power_inverse, part), OPW_EVERY(-1.0));
    const reals_f64 base = OPW_MORE(k, OPW_EVERY(OPW_LN2_HIGH), OPW_ENTRY(opw_power_log, part));
    const reals_f64 base_low = OPW_MORE(k, OPW_EVERY(OPW_LN2_LOW), OPW_ENTRY(opw_power_log_low, part));
    const reals_f64 half = -0.5 * r, first = OPW_MORE(half, r, r), first_low = OPW_MORE(half, r, r - first);
    const reals_f64 high = base + first, high_low = (base - high) + first, r_square = r * r;
    const reals_f64 others = OPW_MORE(OPW_POLY_LOG3(r, r_square), r * r_square, high_low + (base_low + first_low));
    const reals_f64 all = high + others, low = (high - all) + others;
    const reals_f64 product = y * all, product_low = OPW_MORE(y, low, OPW_MORE(y, all, -product));
    const marks_f64 other = none | OPW_AT_LEAST(OPW_WORDS(product) & ~OPW_SIGN, bits_f64(708));
    const reals_f64 near = OPW_NAN_IF(other, product);
    const reals_f64 shifted = OPW_MORE(near, OPW_EVERY(16 * OPW_LOG2E), OPW_EVERY(OPW_SHIFT)), n = shifted - OPW_SHIFT;
    const words_f64 places = OPW_WORDS(shifted), doubled = places >> 4 << OPW_MANTISSA;
    const reals_f64 root = OPW_REALS(OPW_WORDS(OPW_ENTRY(opw_power_root, places)) + doubled);
    const reals_f64 rest_low = OPW_MORE(n, OPW_EVERY(-OPW_LN2_LOW / 16), product_low);
    const reals_f64 rest = OPW_MORE(n, OPW_EVERY(-OPW_LN2_HIGH / 16), near) + rest_low;
    const reals_f64 square = OPW_MORE(rest, rest, OPW_EVERY(OPW_LEAST_SQUARE));
    const reals_f64 e = OPW_MORE(OPW_POLY_EXP3(rest, square), square, OPW_ENTRY(opw_power_root_low, places) + rest);
    const words_f64 odd = OPW_WORDS(with + OPW_SHIFT) << OPW_TOP; /* of whole numbers the last bit */
    *met |= other;
    return OPW_REALS(OPW_WORDS(OPW_MORE(e, root, root)) | (OPW_WORDS(x) & odd));
}

#if OPW_FUSED
OPW_LANES2(pow, power_f64, pow)
#else /* products would have no second part */
OPW_SEEN void opw_pow_f64(double *to, const double *from, const double *with, intptr_t n)
{
    intptr_t i;
    for (i = 0; i < n; i++)
        to[i] = pow(from[i], with[i]);
}
OPW_PIECE2(pow)

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
#endif
#include "end.h"

#include "f32.h"
#include "each.h"
#include "lanes.h"

#if OPW_FUSED
/* As power_f64, to base 2: the power is a sixteenth root of 2, n of them, and a little more. log2(x) is high + low: k + log2(c), and
   log(1 + r) / ln 2, r - r**2 / 2 in two parts. Nothing that is small is subnormal. */
OPW_ONE reals_f32 power_f32(reals_f32 x, reals_f32 with, marks_f32 *met)
{
    const words_f32 size = OPW_WORDS(x) & ~OPW_SIGN;
    const marks_f32 none = OPW_NO_POWER(size, x, with, 0x1p21f);
    const reals_f32 y = OPW_UNLESS(none, with);
    const words_f32 over = size - bits_f32(OPW_PARTS_LEAST_F32), part = over >> (OPW_MANTISSA - 4);
    const words_f32 mantissa = (over & ((1u << OPW_MANTISSA) - 1)) + bits_f32(OPW_PARTS_LEAST_F32);
    const reals_f32 base = OPW_COUNT(over, OPW_MANTISSA) + OPW_ENTRY(opw_power_log_f32, part);
    const reals_f32 r = OPW_MORE(OPW_REALS(mantissa), OPW_ENTRY(opw_power_inverse_f32, part), OPW_EVERY(-1.0f));
    const reals_f32 half = -0.5f * r, all = OPW_MORE(half, r, r);
    const reals_f32 lacking = OPW_MORE(OPW_POLY_LOG3_F32(r) * half, r * r, OPW_MORE(half, r, r - all));
    const reals_f32 high = OPW_MORE(all, OPW_EVERY(OPW_LOG2E), base), high_low = OPW_MORE(all, OPW_EVERY(OPW_LOG2E), base - high);
    const reals_f32 all_low = OPW_MORE(all, OPW_EVERY(OPW_LOG2E_LOW), OPW_ENTRY(opw_power_log_low_f32, part));
    const reals_f32 low = high_low + OPW_MORE(lacking, OPW_EVERY(OPW_LOG2E), all_low);
    const reals_f32 shifted = OPW_MORE(y, high, OPW_EVERY(OPW_SHIFT / 16)), less = (OPW_SHIFT / 16 - shifted) + 0x1p-64f;
    const reals_f32 rest = OPW_MORE(y, low, OPW_MORE(y, high, less));
    const marks_f32 far = OPW_AT_LEAST(OPW_WORDS(less) & ~OPW_SIGN, bits_f32(126)), other = none | far;
    const words_f32 places = OPW_WORDS(OPW_UNLESS(far, shifted));
    const reals_f32 root = OPW_REALS(OPW_WORDS(OPW_ENTRY(opw_power_root_f32, places)) + (places << (OPW_MANTISSA - 4)));
    const reals_f32 e = OPW_MORE(OPW_POLY_EXP1_F32(rest), rest, OPW_ENTRY(opw_power_root_low_f32, places));
    const words_f32 odd = OPW_WORDS(with + OPW_SHIFT) << OPW_TOP; /* of whole numbers the last bit */
    *met |= other;
    return OPW_NAN_IF(other, OPW_REALS(OPW_WORDS(OPW_MORE(e, root, root)) | (OPW_WORDS(x) & odd)));
}

/* A square, which marks that it is too large or too small. */
OPW_ONE void opw_mark_f32(float x)
{
    volatile float square = x;
    square *= x;
}

/* Of the C library, with marks for what NumPy warns of: it has none for exact powers that are not normal, and for some infinite y. Bits
   are compared, for a comparison of NaN would be marked. */
OPW_ONE float power_left_f32(float x, float y)
{
    const float found = powf(x, y);
    const uint32_t size = bits_f32(found) & ~OPW_SIGN, infinite = bits_f32(OPW_MOST) + 1;
    if (size - 1 < bits_f32(OPW_NORMAL))
        opw_mark_f32(OPW_NORMAL);
    if (size == infinite && (bits_f32(y) & ~OPW_SIGN) == infinite && (bits_f32(x) & ~OPW_SIGN) != infinite)
        opw_mark_f32(OPW_MOST);
    return found;
}

OPW_LANES2(pow, power_f32, power_left_f32)
#else
/* As OPW_NO_POWER, of float32. */
OPW_ONE int opw_no_power_of_float(float x, float y)
{
    return !__builtin_isgreater(__builtin_fabsf(x), 0.0f) | !__builtin_islessequal(__builtin_fabsf(x), __FLT_MAX__) |
           !__builtin_isless(__builtin_fabsf(y), 0x1p21f) | (__builtin_isless(x, 0) & ((y + 0x1.8p23f) - 0x1.8p23f != y));
}

/* With the sign of a power of x by the whole y, |y| below 2**21. */
OPW_ONE float pow_f32(float x, float y)
{
    const float found = (float)opw_power_of_float(absolute_f32(x), y);
    return value_f32(bits_f32(found) | (bits_f32(x) & (bits_f32(y + OPW_SHIFT) << OPW_TOP)));
}

OPW_LOOP2(pow, opw_no_power_of_float, powf)
#endif
