/* What cube roots begin with. */

/* A normal x is m * 2**(3 q + 1 + r) with its sign, m from 1 to 2 and r -1, 0 or 1. The low bits of `shifted` are q and the bias. */
#define OPW_REDUCE_ROOT(x)                                                                                                      \
    const OPW_UINT places = ((OPW_UINT)1 << OPW_MANTISSA) - 1;                                                                  \
    const OPW_T e = OPW_N(value)((OPW_N(size)(x) >> OPW_MANTISSA) | OPW_N(bits)(OPW_WHOLE)) - (OPW_WHOLE + OPW_BIAS);           \
    const OPW_T shift = OPW_SHIFT + (int)OPW_BIAS, shifted = OPW_MADD(e, (OPW_T)(1.0 / 3), shift);                              \
    const OPW_T r = OPW_MADD(shifted - shift, -(OPW_T)3, e), m = OPW_N(value)((OPW_N(bits)(x) & places) | OPW_N(bits)(1))

/* 2**q * y, with the sign of x. */
#define OPW_ROOT(y) OPW_N(signed)((y) * OPW_N(value)(OPW_N(bits)(shifted) << OPW_MANTISSA), x)

/* 2**((1 + r) / 3): a parabola through its three values. */
#define OPW_ROOT_OF_2(r) OPW_MADD(r, OPW_MADD(r, (OPW_T)0.0337794760892264903, (OPW_T)0.293700525984099681), (OPW_T)1.25992104989487316)
