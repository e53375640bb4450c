/* Logarithms of float32: polynomials of f itself, for no term more takes as long as a division. */

OPW_ONE OPW_T OPW_N(log)(OPW_T x)
{
    OPW_REDUCE_LOG(x);
    return OPW_MADD(k, OPW_LN2_HIGH, OPW_MADD(k, OPW_LN2_LOW, OPW_MADD(f * f, OPW_P(LOG1)(f), f)));
}

OPW_ONE OPW_T OPW_N(log2)(OPW_T x)
{
    OPW_REDUCE_LOG(x);
    return OPW_MADD(f, OPW_P(LOG2)(f), k);
}

OPW_ONE OPW_T OPW_N(log10)(OPW_T x)
{
    OPW_REDUCE_LOG(x);
    return OPW_MADD(k, OPW_LOG10_2_HIGH, OPW_MADD(k, OPW_LOG10_2_LOW, f * OPW_P(LOG10)(f)));
}

/* log(1 + x) + more * ln 2: what 1 + x loses is added over 1 + f, of which a few places are enough. */
OPW_ONE OPW_T OPW_N(log1)(OPW_T x, OPW_T more)
{
    const OPW_T u = 1 + x, back = u - 1, lost = (1 - (u - back)) + (x - back);
    OPW_REDUCE_LOG(u);
    const OPW_T part = lost * OPW_N(value)((2 * OPW_BIAS - power) << OPW_MANTISSA), n = k + more;
    const OPW_T inverse = OPW_MADD(f, OPW_MADD(f, 0.9f, -1.0f), 1.0f);
    const OPW_T low = OPW_MADD(part, inverse, OPW_MADD(n, OPW_LN2_LOW, f * f * OPW_P(LOG1)(f)));
    return OPW_MADD(n, OPW_LN2_HIGH, f + low);
}
