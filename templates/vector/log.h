/* The logarithm and what is made of it. */

/* A positive normal x is 2**k * (1 + f), with 1 + f from sqrt(1/2) to sqrt(2); log(1 + f) = f - (square - w), square = f * f / 2. */
#define OPW_REDUCE_LOG(x)                                                                                                       \
    const OPW_UINT all = OPW_N(bits)(x), power = (all + (OPW_N(bits)(1) - OPW_N(bits)(OPW_SQRT_HALF))) >> OPW_MANTISSA;         \
    const OPW_T k = OPW_N(value)(power | OPW_N(bits)(OPW_WHOLE)) - (OPW_WHOLE + OPW_BIAS);                                      \
    const OPW_T m = OPW_N(value)(all - ((power - OPW_BIAS) << OPW_MANTISSA)), f = m - 1
#define OPW_LOG_OF(s)                                                                                                           \
    const OPW_T square = (OPW_T)0.5 * f * f, z = s * s, w = s * OPW_MADD(OPW_P(LOG)(z), z, square)

OPW_ONE OPW_T OPW_N(log)(OPW_T x)
{
    OPW_REDUCE_LOG(x);
    const OPW_T s = f / (f + 2);
    OPW_LOG_OF(s);
    const OPW_T y = OPW_MADD(k, OPW_LN2_HIGH, f - (square - OPW_MADD(k, OPW_LN2_LOW, w)));
    return __builtin_isunordered(x, x) ? x : y;
}

/* By a factor of two parts: hi of f - square has few bits, so that its product with the high part is exact. */
#define OPW_LOG_TO(factor_high, factor_low, k_high, k_low)                                                                      \
    OPW_REDUCE_LOG(x);                                                                                                          \
    const OPW_T s = f / (f + 2);                                                                                                \
    OPW_LOG_OF(s);                                                                                                              \
    const OPW_T high = OPW_N(value)(OPW_N(bits)(f - square) & OPW_UPPER), low = (f - high) - square + w;                        \
    const OPW_T first = high * (factor_high), base = k * (k_high), sum = base + first;                                          \
    const OPW_T rest = OPW_MADD(low + high, factor_low, OPW_MADD(low, factor_high, OPW_MADD(k, k_low, (base - sum) + first)));  \
    return __builtin_isunordered(x, x) ? x : sum + rest

OPW_ONE OPW_T OPW_N(log2)(OPW_T x) { OPW_LOG_TO(OPW_LOG2E_HIGH, OPW_LOG2E_LOW, 1, 0); }

OPW_ONE OPW_T OPW_N(log10)(OPW_T x) { OPW_LOG_TO(OPW_LOG10E_HIGH, OPW_LOG10E_LOW, OPW_LOG10_2_HIGH, OPW_LOG10_2_LOW); }

/* log(1 + x) + more * ln 2: of what 1 + x loses, its part is added. */
OPW_ONE OPW_T OPW_N(log1)(OPW_T x, OPW_T more)
{
    const OPW_T u = 1 + x, back = u - 1, lost = (1 - (u - back)) + (x - back);
    OPW_REDUCE_LOG(u);
    const OPW_T part = lost * OPW_N(value)((2 * OPW_BIAS - power) << OPW_MANTISSA);
    const OPW_T whole = 1 / ((f + 2) * m), s = f * m * whole;
    OPW_LOG_OF(s);
    const OPW_T c = part * (f + 2) * whole, n = k + more;
    return OPW_MADD(n, OPW_LN2_HIGH, f - (square - (OPW_MADD(n, OPW_LN2_LOW, c) + w)));
}

OPW_ONE OPW_T OPW_N(log1p)(OPW_T x)
{
    const OPW_T y = OPW_N(log1)(x, 0);
    return __builtin_isunordered(x, x) || x == 0 ? x : y;
}

OPW_ONE OPW_T OPW_N(asinh)(OPW_T from)
{
    const OPW_T x = OPW_N(absolute)(from), small = OPW_N(below)(x, OPW_SQUARES), square = small * small;
    const OPW_T y = small + square / (1 + OPW_F(sqrt)(1 + square));
    const int large = __builtin_isgreater(x, OPW_SQUARES);
    const OPW_T found = OPW_N(log1)(large ? x - 1 : y, large ? (OPW_T)1 : (OPW_T)0);
    return OPW_N(signed)(__builtin_isunordered(x, x) || x == 0 ? x : found, from);
}

OPW_ONE OPW_T OPW_N(acosh)(OPW_T x)
{
    const OPW_T small = OPW_N(below)(x, OPW_SQUARES) - 1, y = small + OPW_F(sqrt)(OPW_MADD(small, small, small + small));
    const int large = __builtin_isgreater(x, OPW_SQUARES);
    const OPW_T found = OPW_N(log1)(large ? x - 1 : y, large ? (OPW_T)1 : (OPW_T)0);
    return __builtin_isunordered(x, x) ? x : found;
}

OPW_ONE OPW_T OPW_N(atanh)(OPW_T from)
{
    const OPW_T x = OPW_N(absolute)(from), y = (x + x) / (1 - x), found = (OPW_T)0.5 * OPW_N(log1)(y, 0);
    return OPW_N(signed)(__builtin_isunordered(x, x) || x == 0 ? x : found, from);
}

#define OPW_NO_LOG(x) (__builtin_isless(x, OPW_NORMAL) || __builtin_isgreater(x, OPW_MOST))
#define OPW_NO_LOG1(x) (__builtin_islessequal(x, -1) || __builtin_isgreater(x, OPW_LARGE))
#define OPW_NO_ASINH(x) (__builtin_isgreater(OPW_N(absolute)(x), OPW_LARGE))
#define OPW_NO_ACOSH(x) (__builtin_isless(x, 1) || __builtin_isgreater(x, OPW_LARGE))
#define OPW_NO_ATANH(x) (__builtin_isgreaterequal(OPW_N(absolute)(x), 1))

OPW_LOOP1(log, OPW_NO_LOG, OPW_F(log))
OPW_LOOP1(log2, OPW_NO_LOG, OPW_F(log2))
OPW_LOOP1(log10, OPW_NO_LOG, OPW_F(log10))
OPW_LOOP1(log1p, OPW_NO_LOG1, OPW_F(log1p))
OPW_LOOP1(asinh, OPW_NO_ASINH, OPW_F(asinh))
OPW_LOOP1(acosh, OPW_NO_ACOSH, OPW_F(acosh))
OPW_LOOP1(atanh, OPW_NO_ATANH, OPW_F(atanh))

#undef OPW_NO_LOG
#undef OPW_NO_LOG1
#undef OPW_NO_ASINH
#undef OPW_NO_ACOSH
#undef OPW_NO_ATANH
