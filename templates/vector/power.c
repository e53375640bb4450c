/* Powers: exp(y * log(x)), with the logarithm in two parts where the result is float64. Compiled once for each level of processors,
   with the package. */
#include "base.h"

#include "f64.h"
#include "each.h"

/* exp(x + more), for all x but NaN, in two steps of 2**n. What 1 + r and r lose is added, so that powers that are numbers come out. */
OPW_ONE double opw_raised(double x, double more)
{
    const int beyond = __builtin_isgreater(absolute_f64(x), 760.0);
    const double near = beyond ? signed_f64(760.0, x) : x;
    const double shifted = OPW_MADD(near, OPW_LOG2E, OPW_SHIFT), n = shifted - OPW_SHIFT;
    const double first = OPW_MADD(n, -OPW_LN2_HIGH, near), second = OPW_MADD(n, -OPW_LN2_LOW, beyond ? 0 : more);
    const double r = first + second, r_low = (first - r) + second, one = 1 + r, one_low = (1 - one) + r;
    const uint64_t k = bits_f64(shifted), half = k >> 1;
    const double m = one + (one_low + OPW_MADD(OPW_P(EXP)(r, OPW_MADD(r, r, OPW_NORMAL)) * r, r, OPW_MADD(r_low, r, r_low)));
    return m * power2_f64(half) * power2_f64(k - half);
}

/* x = 2**k * (1 + f), as in log.h. */
#define OPW_PARTS(x)                                                                                                            \
    const uint64_t all = bits_f64(x), power = (all + (bits_f64(1) - bits_f64(OPW_SQRT_HALF))) >> OPW_MANTISSA;                  \
    const double k = value_f64(power | bits_f64(OPW_WHOLE)) - (OPW_WHOLE + OPW_BIAS);                                           \
    const double f = value_f64(all - ((power - OPW_BIAS) << OPW_MANTISSA)) - 1

/* The sign of a power of x by the whole y, |y| below 2**51. */
OPW_ONE double opw_sign_of(double result, double x, double y)
{
    const uint64_t odd = bits_f64(y + OPW_SHIFT) << OPW_TOP;
    return value_f64(bits_f64(result) | (bits_f64(x) & odd));
}

/* log(x) is high + low: s = f / (2 + f), its square and the first terms in two parts. */
OPW_ONE double pow_f64(double x, double y)
{
    const double a = absolute_f64(x);
    OPW_PARTS(a);
    const double d = 2 + f, inverse = 1 / d, s = f * inverse;
    const double s_low = inverse * (OPW_MADD(-s, d, f) - s * (f - (d - 2)));
    const double z = s * s, z_low = OPW_MADD(s, s, -z) + 2 * s * s_low;
    const double cube = s * z, cube_low = OPW_MADD(s, z, -cube) + (s * z_low + s_low * z);
    const double third = cube * (2.0 / 3), third_low = OPW_MADD(cube, 2.0 / 3, -third) + (cube_low * (2.0 / 3) + cube * 0x1.5555555555555p-55);
    const double base = k * OPW_LN2_HIGH, first = base + 2 * s, first_low = (base - first) + 2 * s;
    const double rest = third_low + (first_low + (OPW_MADD(k, OPW_LN2_LOW, 2 * s_low) + cube * z * OPW_P(LOG5)(z)));
    const double second = first + third, second_low = (first - second) + third;
    const double high = second + (second_low + rest), low = (second - high) + (second_low + rest);
    const double product = y * high;
    const double found = opw_raised(product, OPW_MADD(y, low, OPW_MADD(y, high, -product)));
    return opw_sign_of(found, x, y);
}

/* What has no sign or no logarithm: x that is 0, not normal or not finite, y that is not finite or has no last bits, and negative x
   with y that is not whole. */
#define OPW_NO_POWER(x, y)                                                                                                      \
    (!__builtin_isgreaterequal(absolute_f64(x), OPW_NORMAL) | !__builtin_islessequal(absolute_f64(x), OPW_MOST) |               \
     !__builtin_isless(absolute_f64(y), 0x1p51) | (__builtin_isless(x, 0) & ((y + OPW_SHIFT) - OPW_SHIFT != y)))

#if OPW_FUSED
OPW_LOOP2(pow, OPW_NO_POWER, pow)
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
