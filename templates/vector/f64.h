/* float64: its bits, and the constants of the vector functions in as many parts as they need. */
#define OPW_T double
#define OPW_UINT uint64_t
#define OPW_INT int64_t
#define OPW_N(name) name##_f64
#define OPW_F(name) name
#define OPW_P(name) OPW_POLY_##name##_F64
#define OPW_MANTISSA 52
#define OPW_TOP 63
#define OPW_BIAS UINT64_C(1023)
#define OPW_SIGN (UINT64_C(1) << 63)
#define OPW_UPPER (~UINT64_C(0) << 32) /* the bits of a number that leave room for a product */
#define OPW_SHIFT 0x1.8p52           /* added to a number, rounds it to a whole one */
#define OPW_WHOLE 0x1p52
#define OPW_NORMAL 0x1p-1022
#define OPW_LEAST_SQUARE 0x1p-900    /* added to squares: see exp_reduce.h */
#define OPW_MOST 0x1.fffffffffffffp1023
#define OPW_LOG2E 0x1.71547652b82fep0
#define OPW_LN2_HIGH 0x1.62e42fefa3p-1
#define OPW_LN2_LOW 0x1.3de6af278ece6p-42
#define OPW_HALF_LN2 0x1.62e42fefa39efp-2
#define OPW_LOG10E 0x1.bcb7b1526e50ep-2
#define OPW_LOG10_2_HIGH 0x1.34413509f6p-2
#define OPW_LOG10_2_LOW 0x1.9fef311f12b36p-42
#define OPW_SQRT_HALF 0x1.6a09e667f3bcdp-1
#define OPW_1_PI 0x1.45f306dc9c883p-2
#define OPW_PI_1 0x1.921fb54442d18p1
#define OPW_PI_2 0x1.1a62633145c07p-53
#define OPW_PI_3 -0x1.f1976b7ed8fbcp-109
#define OPW_SHORT_PI_1 0x1.921fb54p1
#define OPW_SHORT_PI_2 0x1.10b46118p-29
#define OPW_SHORT_PI_3 0x1.313198ap-60
#define OPW_SHORT_PI_4 0x1.701b839a25205p-91
#define OPW_FARTHEST 0x1p22 /* of angles: beyond, pi would need more parts */
#define OPW_EXP_NEAR (OPW_FUSED ? 708.0 : 670.0) /* whose exponential is a normal number, and so is all that it is the sum of */
#define OPW_EXP2_NEAR 1021.0
#define OPW_EXP_MOST 710.0
#define OPW_EXP_LEAST 750.0
#define OPW_EXP2_LEAST 1080.0
#define OPW_EXPM1_LEAST 40.0
#define OPW_SINH_MOST 710.6
#define OPW_TANH_MOST 20.0
#define OPW_ERF_MOST 6.0 /* of more it is 1, */
#define OPW_ERFC_MOST 28.0 /* and nothing is left */
#define OPW_SQUARES 0x1p28 /* whose square and 1 are the square */
#define OPW_HALF_PI 0x1.921fb54442d18p0
#define OPW_HALF_PI_LOW 0x1.1a62633145c07p-54
#define OPW_LARGE 0x1p1020
#define OPW_LARGE_SQUARE 0x1p500
#define OPW_SCALE_DOWN 0x1p-600
#define OPW_TINY 0x1p-54 /* its square is nothing beside it */
