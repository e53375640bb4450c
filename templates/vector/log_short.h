/* Logarithms of float32: polynomials of f itself, for no term more takes as long as a division. */

/* x is 2**k * (1 + f) as OPW_REDUCE_LOG has it, with integers of the same size a step or two shorter; `whole` is k times 2**23. */
#define OPW_REDUCE_SHORT(x)                                                                                                     \
    const OPW_UINT over = OPW_N(bits)(x) - OPW_N(bits)(OPW_SQRT_HALF), whole = over & (~(OPW_UINT)0 << OPW_MANTISSA);           \
    const OPW_T f = OPW_N(value)(OPW_N(bits)(x) - whole) - 1
#define OPW_SHORT_UNIT (1 / OPW_WHOLE)

OPW_ONE OPW_T OPW_N(log)(OPW_T x)
{
    OPW_REDUCE_SHORT(x);
    const OPW_T k = (OPW_T)(int32_t)whole, square = f * f;
    const OPW_T rest = OPW_MADD(square, OPW_P(LOG1)(f, square), f);
    return OPW_MADD(k, OPW_SHORT_UNIT * OPW_LN2_HIGH, OPW_MADD(k, OPW_SHORT_UNIT * OPW_LN2_LOW, rest));
}

OPW_ONE OPW_T OPW_N(log2)(OPW_T x)
{
    const OPW_UINT least = OPW_N(bits)(OPW_SQRT_HALF), over = OPW_N(bits)(x) - least;
    const OPW_T k = (OPW_T)((int32_t)over >> OPW_MANTISSA);
    const OPW_T m = OPW_N(value)((over & (((OPW_UINT)1 << OPW_MANTISSA) - 1)) + least), f = m - 1;
    return OPW_MADD(f, OPW_P(LOG2)(f), k);
}

OPW_ONE OPW_T OPW_N(log10)(OPW_T x)
{
    OPW_REDUCE_SHORT(x);
    const OPW_T k = (OPW_T)(int32_t)whole, low = k * (OPW_SHORT_UNIT * OPW_LOG10_2_LOW);
    return OPW_MADD(k, OPW_SHORT_UNIT * OPW_LOG10_2_HIGH, OPW_MADD(f, OPW_P(LOG10)(f, f * f), low));
}

/* log(1 + x) + more * ln 2. */
OPW_ONE OPW_T OPW_N(log1)(OPW_T x, OPW_T more)
{
    OPW_REDUCE_LOG1(x, more);
    const OPW_T square = f * f;
    return OPW_MADD(n, -OPW_LN2_HIGH, f + OPW_MADD(n, -OPW_LN2_LOW, square * OPW_P(LOG1)(f, square)));
}
