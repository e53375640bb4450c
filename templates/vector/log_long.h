/* Logarithms of float64: of s = f / (2 + f), log(1 + f) = f - w, w = s * (f - s * s * P). */

#define OPW_LOG_OF(f) const OPW_T s = (f) / ((f) + 2), z = s * s, w = s * OPW_MADD(-OPW_P(LOG)(z), z, f)

OPW_ONE OPW_T OPW_N(log_near)(OPW_T f)
{
    OPW_LOG_OF(f);
    return f - w;
}

OPW_ONE OPW_T OPW_N(log)(OPW_T x)
{
    OPW_REDUCE_LOG(x);
    OPW_LOG_OF(f);
    return OPW_MADD(k, OPW_LN2_HIGH, f - OPW_MADD(k, -OPW_LN2_LOW, w));
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

/* log(1 + x) + more * ln 2. */
OPW_ONE OPW_T OPW_N(log1)(OPW_T x, OPW_T more)
{
    OPW_REDUCE_LOG1(x, more);
    OPW_LOG_OF(f);
    return OPW_MADD(n, -OPW_LN2_HIGH, f - OPW_MADD(n, OPW_LN2_LOW, w));
}
