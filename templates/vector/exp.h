/* The exponential function and what is made of it. */

/* x = n * ln 2 + r: exp(x) - 1 = 2**n * (1 + e) - 1 with e = exp(r) - 1. The low bits of `shifted` are n, and what `by` adds. */
#define OPW_REDUCE_EXP(x, by)                                                                                                   \
    const OPW_T shifted = OPW_MADD(x, OPW_LOG2E, by), n = shifted - (by);                                                       \
    const OPW_T r = OPW_MADD(n, -OPW_LN2_LOW, OPW_MADD(n, -OPW_LN2_HIGH, x)), e = OPW_MADD(OPW_P(EXP)(r) * r, r, r)

/* m * 2**n for all n that an exp can have, n and twice the bias the low bits of `shifted`: in two steps, of which the second rounds. */
#define OPW_SHIFT_TWICE (OPW_SHIFT + 2 * (int)OPW_BIAS)
OPW_ONE OPW_T OPW_N(scale)(OPW_T m, OPW_T shifted)
{
    const OPW_UINT all = OPW_N(bits)(shifted), half = all >> 1;
    return m * OPW_N(value)(half << OPW_MANTISSA) * OPW_N(value)((all - half) << OPW_MANTISSA);
}

/* With its sign what comes of x, or x where it is so small that nothing else comes. */
OPW_ONE OPW_T OPW_N(or_itself)(OPW_T y, OPW_T x)
{
    return __builtin_isless(OPW_N(absolute)(x), OPW_TINY) ? x : OPW_N(signed)(y, x);
}

OPW_ONE OPW_T OPW_N(exp)(OPW_T x)
{
    x = OPW_N(within)(x, OPW_EXP_LEAST);
    OPW_REDUCE_EXP(x, OPW_SHIFT_TWICE);
    return OPW_N(scale)(1 + e, shifted);
}

OPW_ONE OPW_T OPW_N(exp2)(OPW_T x)
{
    x = OPW_N(within)(x, OPW_EXP2_LEAST);
    {
        const OPW_T shifted = x + OPW_SHIFT_TWICE, r = x - (shifted - OPW_SHIFT_TWICE);
        return OPW_N(scale)(OPW_MADD(OPW_P(EXP2)(r), r, 1), shifted);
    }
}

OPW_ONE OPW_T OPW_N(expm1)(OPW_T from)
{
    const OPW_T x = OPW_N(above)(OPW_N(below)(from, OPW_EXP_MOST), -OPW_EXPM1_LEAST);
    OPW_REDUCE_EXP(x, OPW_SHIFT);
    const OPW_T s = OPW_N(power2)(OPW_N(bits)(shifted) - 1), half = OPW_MADD(s, e, s - (OPW_T)0.5);
    return OPW_N(or_itself)(half + half, from);
}

OPW_ONE OPW_T OPW_N(sinh)(OPW_T from)
{
    const OPW_T x = OPW_N(below)(OPW_N(absolute)(from), OPW_SINH_MOST);
    OPW_REDUCE_EXP(x, OPW_SHIFT);
    const OPW_T s = OPW_N(power2)(OPW_N(bits)(shifted) - 2), quarter = OPW_MADD(s, e, s - (OPW_T)0.25), half = quarter + quarter;
    return OPW_N(or_itself)(half + quarter / (half + (OPW_T)0.5), from);
}

OPW_ONE OPW_T OPW_N(cosh)(OPW_T from)
{
    const OPW_T x = OPW_N(below)(OPW_N(absolute)(from), OPW_SINH_MOST);
    OPW_REDUCE_EXP(x, OPW_SHIFT);
    const OPW_T s = OPW_N(power2)(OPW_N(bits)(shifted) - 2), quarter = OPW_MADD(s, e, s);
    return OPW_MADD((OPW_T)2, quarter, (OPW_T)0.125 / quarter);
}

OPW_ONE OPW_T OPW_N(tanh)(OPW_T from)
{
    const OPW_T once = OPW_N(below)(OPW_N(absolute)(from), OPW_TANH_MOST), x = once + once;
    OPW_REDUCE_EXP(x, OPW_SHIFT);
    const OPW_T s = OPW_N(power2)(OPW_N(bits)(shifted) - 1), half = OPW_MADD(s, e, s - (OPW_T)0.5);
    return OPW_N(or_itself)(half / (half + 1), from);
}

OPW_LOOP1(exp, OPW_NEVER, OPW_F(exp))
OPW_LOOP1(exp2, OPW_NEVER, OPW_F(exp2))
OPW_LOOP1(expm1, OPW_NEVER, OPW_F(expm1))
OPW_LOOP1(sinh, OPW_NEVER, OPW_F(sinh))
OPW_LOOP1(cosh, OPW_NEVER, OPW_F(cosh))
OPW_LOOP1(tanh, OPW_NEVER, OPW_F(tanh))

#undef OPW_SHIFT_TWICE
#undef OPW_REDUCE_EXP
