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

/* log(1 + x) + more * ln 2. */
OPW_ONE OPW_T OPW_N(log1)(OPW_T x, OPW_T more)
{
    OPW_REDUCE_LOG1(x, more);
    return OPW_MADD(n, -OPW_LN2_HIGH, f + OPW_MADD(n, -OPW_LN2_LOW, f * f * OPW_P(LOG1)(f)));
}
