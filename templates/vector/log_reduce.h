/* What all logarithms begin with. */

/* A positive normal x is 2**k * m, m = 1 + f from sqrt(1/2) to sqrt(2), whose bits `over` has above those of the least. */
#define OPW_REDUCE_LOG(x)                                                                                                       \
    const OPW_UINT least = OPW_N(bits)(OPW_SQRT_HALF), over = OPW_N(bits)(x) + (OPW_N(bits)(1) - least);                        \
    const OPW_UINT power = over >> OPW_MANTISSA, places = over & (((OPW_UINT)1 << OPW_MANTISSA) - 1);                           \
    const OPW_T k = OPW_N(value)(power | OPW_N(bits)(OPW_WHOLE)) - (OPW_WHOLE + OPW_BIAS);                                      \
    const OPW_T m = OPW_N(value)(places + least), f = m - 1

/* 1 + x is 2**-n * (1 + f), f made of x itself, so that nothing is lost, and -0 stays; from n, `more` is taken. */
#define OPW_REDUCE_LOG1(x, more)                                                                                               \
    const OPW_UINT over = OPW_N(bits)(1 + (x)) + (OPW_N(bits)(1) - OPW_N(bits)(OPW_SQRT_HALF)), power = over >> OPW_MANTISSA;  \
    const OPW_T n = (OPW_WHOLE + OPW_BIAS - (more)) - OPW_N(value)(power | OPW_N(bits)(OPW_WHOLE));                            \
    const OPW_T scale = OPW_N(value)((2 * OPW_BIAS - power) << OPW_MANTISSA), f = OPW_MADD(x, scale, -(1 - scale))
