/* The error function and what is left of 1. */

/* erfc of x from 0 on: exp(-x * x) * F(t) / (1 + 2 * x), with t from -1 on. x * x is high * high, which is exact, and low. */
OPW_ONE OPW_T OPW_N(left)(OPW_T from)
{
    const OPW_T x = OPW_N(below)(from, OPW_ERFC_MOST), t = (x - 4) / (x + 4);
    const OPW_T high = OPW_N(value)(OPW_N(bits)(x) & OPW_UPPER), low = (x - high) * (x + high), square = high * high;
    const OPW_T shifted = OPW_MADD(square + low, -OPW_LOG2E, OPW_SHIFT), n = shifted - OPW_SHIFT;
    const OPW_T r = (OPW_MADD(n, -OPW_LN2_HIGH, -square) - low) - n * OPW_LN2_LOW, e = OPW_MADD(OPW_P(EXP)(r, OPW_MADD(r, r, OPW_LEAST_SQUARE)) * r, r, r);
    const OPW_UINT k = OPW_N(bits)(shifted), half = k >> 1;
    const OPW_T f = OPW_P(ERFC)(t), m = OPW_MADD(f, e, f) / OPW_MADD((OPW_T)2, x, (OPW_T)1);
    return m * OPW_N(power2)(half) * OPW_N(power2)(k - half);
}

/* erf to 1. */
OPW_ONE OPW_T OPW_N(near)(OPW_T x) { return OPW_MADD(x, OPW_P(ERF)(x * x), x); }

OPW_ONE OPW_T OPW_N(erf)(OPW_T from)
{
    const OPW_T x = OPW_N(absolute)(from), near = OPW_N(near)(OPW_N(below)(x, 1));
    const OPW_T far = 1 - OPW_N(left)(OPW_N(below)(x, OPW_ERF_MOST));
    return OPW_N(signed)(__builtin_isgreater(x, 1) ? far : near, from);
}

OPW_ONE OPW_T OPW_N(erfc)(OPW_T from)
{
    const OPW_T x = OPW_N(absolute)(from), near = OPW_N(near)(OPW_N(below)(x, 1)), far = OPW_N(left)(x);
    const OPW_T whole = __builtin_isless(x, (OPW_T)0.4765) ? near : 1 - far; /* of erf */
    return __builtin_isless(from, 0) ? 1 + whole : __builtin_isless(x, (OPW_T)0.4765) ? 1 - near : far;
}

OPW_LOOP1(erf, OPW_NEVER, OPW_F(erf))
OPW_LOOP1(erfc, OPW_NEVER, OPW_F(erfc))
