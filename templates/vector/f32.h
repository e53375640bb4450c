/* float32: its bits, and the constants of the vector functions in as many parts as they need. */
#define OPW_T float
#define OPW_UINT uint32_t
#define OPW_INT int32_t
#define OPW_N(name) name##_f32
#define OPW_F(name) name##f
#define OPW_P(name) OPW_POLY_##name##_F32
#define OPW_MANTISSA 23
#define OPW_TOP 31
#define OPW_BIAS 127u
#define OPW_SIGN (1u << 31)
#define OPW_UPPER (~0u << 12)
#define OPW_SHIFT 0x1.8p23f
#define OPW_WHOLE 0x1p23f
#define OPW_NORMAL 0x1p-126f
#define OPW_LEAST_SQUARE 0x1p-100f
#define OPW_MOST 0x1.fffffep127f
#define OPW_LOG2E 0x1.715476p0f
#define OPW_LOG2E_LOW 0x1.4ae0cp-26f
#define OPW_LN2_HIGH 0x1.62e4p-1f
#define OPW_LN2_LOW 0x1.7f7d1cp-20f
#define OPW_HALF_LN2 0x1.62e43p-2f
#define OPW_LOG10_2_HIGH 0x1.344p-2f
#define OPW_LOG10_2_LOW 0x1.3509f8p-18f
#define OPW_SQRT_HALF 0x1.6a09e6p-1f
#define OPW_1_PI 0x1.45f306p-2f
#define OPW_PI_1 0x1.921fb6p1f
#define OPW_PI_2 -0x1.777a5cp-24f
#define OPW_PI_3 -0x1.ee59dap-49f
#define OPW_SHORT_PI_1 0x1.92p1f
#define OPW_SHORT_PI_2 0x1.fb4p-11f
#define OPW_SHORT_PI_3 0x1.444p-23f
#define OPW_SHORT_PI_4 0x1.68c234p-38f
#define OPW_FARTHEST (OPW_FUSED ? 0x1p16f : 0x1p13f)
#define OPW_EXP_NEAR (OPW_FUSED ? 87.0f : 69.0f)
#define OPW_EXP2_NEAR 125.0f
#define OPW_EXP_MOST 89.0f
#define OPW_EXP_LEAST 105.0f
#define OPW_EXP2_LEAST 155.0f
#define OPW_EXPM1_LEAST 20.0f
#define OPW_SINH_MOST 89.6f
#define OPW_TANH_MOST 10.0f
#define OPW_ERF_MOST 4.0f
#define OPW_ERFC_MOST 10.5f
#define OPW_SQUARES 0x1p12f
#define OPW_HALF_PI 0x1.921fb6p0f
#define OPW_HALF_PI_LOW -0x1.777a5cp-25f
#define OPW_LARGE 0x1p124f
#define OPW_LARGE_SQUARE 0x1p60f
#define OPW_SCALE_DOWN 0x1p-75f
#define OPW_TINY 0x1p-25f
