/* Powers of e and of 2. */

/* x = n * ln 2 + r: exp(x) - 1 = 2**n * (1 + e) - 1 with e = exp(r) - 1. The low bits of `shifted` are n, and what `by` adds. No square
   is subnormal, nor what is made of it: processors of Intel's take as long for one such number as for a hundred others, and a softmax has an
   exp(0) in each row. */
#define OPW_REDUCE_EXP(x, by)                                                                                                   \
    const OPW_T shifted = OPW_MADD(x, OPW_LOG2E, by), n = shifted - (by);                                                       \
    const OPW_T r = OPW_MADD(n, -OPW_LN2_LOW, OPW_MADD(n, -OPW_LN2_HIGH, x)), square = OPW_MADD(r, r, OPW_LEAST_SQUARE);       \
    const OPW_T e = OPW_MADD(OPW_P(EXP)(r, square), square, r)

/* 2**n, a normal number, n and the bias the low bits of `shifted`. */
#define OPW_SHIFT_ONCE (OPW_SHIFT + (int)OPW_BIAS)
OPW_ONE OPW_T OPW_N(scale)(OPW_T shifted) { return OPW_N(value)(OPW_N(bits)(shifted) << OPW_MANTISSA); }

/* The same, and twice the bias but one, for all n that an exp can have, as the product of two: what is multiplied by the second is
   rounded. What is added is odd as above, so that what lies between two n goes to the same. */
#define OPW_SHIFT_TWICE (OPW_SHIFT + (2 * (int)OPW_BIAS - 1))
OPW_ONE OPW_T OPW_N(scale_first)(OPW_T shifted) { return OPW_N(value)(OPW_N(bits)(shifted) >> 1 << OPW_MANTISSA); }

OPW_ONE OPW_T OPW_N(scale_second)(OPW_T shifted)
{
    return OPW_N(value)((OPW_N(bits)(shifted) + 1 - (OPW_N(bits)(shifted) >> 1)) << OPW_MANTISSA);
}

OPW_ONE OPW_T OPW_N(exp_near)(OPW_T x)
{
    OPW_REDUCE_EXP(x, OPW_SHIFT_ONCE);
    return OPW_MADD(e, OPW_N(scale)(shifted), OPW_N(scale)(shifted));
}

OPW_ONE OPW_T OPW_N(exp)(OPW_T x)
{
    x = OPW_N(within)(x, OPW_EXP_LEAST);
    OPW_REDUCE_EXP(x, OPW_SHIFT_TWICE);
    return OPW_MADD(e, OPW_N(scale_first)(shifted), OPW_N(scale_first)(shifted)) * OPW_N(scale_second)(shifted);
}

/* 2**r, r from -1/2 to 1/2. */
OPW_ONE OPW_T OPW_N(exp2_rest)(OPW_T r) { return OPW_MADD(OPW_P(EXP2)(r, OPW_MADD(r, r, OPW_LEAST_SQUARE)), r, 1); }

OPW_ONE OPW_T OPW_N(exp2_near)(OPW_T x)
{
    const OPW_T shifted = x + OPW_SHIFT_ONCE;
    return OPW_N(exp2_rest)(x - (shifted - OPW_SHIFT_ONCE)) * OPW_N(scale)(shifted);
}

OPW_ONE OPW_T OPW_N(exp2)(OPW_T from)
{
    const OPW_T x = OPW_N(within)(from, OPW_EXP2_LEAST), shifted = x + OPW_SHIFT_TWICE;
    return OPW_N(exp2_rest)(x - (shifted - OPW_SHIFT_TWICE)) * OPW_N(scale_first)(shifted) * OPW_N(scale_second)(shifted);
}
