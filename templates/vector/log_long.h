/* Logarithms of float64: of s = f / (2 + f), log(1 + f) = f - (square - w), square = f * f / 2. */

#define OPW_LOG_OF(s)                                                                                                           \
    const OPW_T square = (OPW_T)0.5 * f * f, z = s * s, w = s * OPW_MADD(OPW_P(LOG)(z), z, square)

OPW_ONE OPW_T OPW_N(log_near)(OPW_T f)
{
    const OPW_T s = f / (f + 2);
    OPW_LOG_OF(s);
    return f - (square - w);
}

OPW_ONE OPW_T OPW_N(log)(OPW_T x)
{
    OPW_REDUCE_LOG(x);
    const OPW_T s = f / (f + 2);
    OPW_LOG_OF(s);
    return OPW_MADD(k, OPW_LN2_HIGH, f - (square - OPW_MADD(k, OPW_LN2_LOW, w)));
}

OPW_ONE OPW_T OPW_N(log2)(OPW_T x)
{
    OPW_REDUCE_LOG(x);
    return OPW_MADD(OPW_N(log_near)(f), OPW_LOG2E, k);
}

OPW_ONE OPW_T OPW_N(log10)(OPW_T x)
{
    OPW_REDUCE_LOG(x);
    return OPW_MADD(k, OPW_LOG10_2_HIGH, OPW_MADD(k, OPW_LOG10_2_LOW, OPW_N(log_near)(f) * OPW_LOG10E));
}

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
