/* What is made of the exponential function. */

/* What comes of x, or x where it is so small that nothing else comes. */
OPW_ONE OPW_T OPW_N(or_itself)(OPW_T y, OPW_T x) { return __builtin_isless(OPW_N(absolute)(x), OPW_TINY) ? x : y; }

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
    return OPW_N(or_itself)(OPW_N(signed)(half + quarter / (half + (OPW_T)0.5), from), from);
}

OPW_ONE OPW_T OPW_N(cosh)(OPW_T from)
{
    const OPW_T x = OPW_N(below)(OPW_N(absolute)(from), OPW_SINH_MOST);
    OPW_REDUCE_EXP(x, OPW_SHIFT);
    const OPW_T s = OPW_N(power2)(OPW_N(bits)(shifted) - 2), quarter = OPW_MADD(s, e, s);
    return OPW_MADD((OPW_T)2, quarter, (OPW_T)0.125 / quarter);
}

/* x = n * ln 2 / 2 + r, and tanh(r) = r / q; s = 2**n is the square of what an exp of the rest is, so that
   tanh(x) = ((s - 1) * q + (s + 1) * r) / ((s + 1) * q + (s - 1) * r). */
OPW_ONE OPW_T OPW_N(tanh_near)(OPW_T from)
{
    const OPW_T x = OPW_N(absolute)(from), shifted = OPW_MADD(x, 2 * OPW_LOG2E, OPW_SHIFT_ONCE);
    const OPW_T s = OPW_N(scale)(shifted), less = s - 1;
    const OPW_T r = OPW_MADD(shifted - OPW_SHIFT_ONCE, -OPW_HALF_LN2, x), square = OPW_MADD(r, r, OPW_LEAST_SQUARE);
    const OPW_T q = OPW_MADD(OPW_P(COTH)(square), square, 1);
    return OPW_N(signed)(OPW_MADD(q, less, OPW_MADD(r, s, r)) / OPW_MADD(q, s, OPW_MADD(r, less, q)), from);
}

OPW_ONE OPW_T OPW_N(tanh)(OPW_T x) { return OPW_N(tanh_near)(OPW_N(within)(x, OPW_TANH_MOST)); }

OPW_NEAR1(exp, OPW_EXP_NEAR, OPW_F(exp))
OPW_NEAR1(exp2, OPW_EXP2_NEAR, OPW_F(exp2))
OPW_LOOP1(expm1, OPW_NEVER, OPW_F(expm1))
OPW_LOOP1(sinh, OPW_NEVER, OPW_F(sinh))
OPW_LOOP1(cosh, OPW_NEVER, OPW_F(cosh))
OPW_NEAR1(tanh, OPW_TANH_MOST, OPW_F(tanh))
