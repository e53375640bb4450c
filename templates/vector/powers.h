/* Written by tools/powers.py. */
#define OPW_PARTS_LEAST 0x1.6aaaa00000000p-1

/* 1 / c, c near the middle of a part */
static const double opw_power_inverse[16] = {
    0x1.6000000000000p+0, 0x1.5000000000000p+0, 0x1.4000000000000p+0, 0x1.4000000000000p+0,
    0x1.3000000000000p+0, 0x1.2000000000000p+0, 0x1.2000000000000p+0, 0x1.1000000000000p+0,
    0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.e000000000000p-1, 0x1.c000000000000p-1,
    0x1.b000000000000p-1, 0x1.9000000000000p-1, 0x1.8000000000000p-1, 0x1.7000000000000p-1,
};

/* log(c), a whole number of 2**-42 */
static const double opw_power_log[16] = {
    -0x1.4618bc21c6000p-2, -0x1.1675cababa000p-2, -0x1.c8ff7c79aa000p-3, -0x1.c8ff7c79aa000p-3,
    -0x1.5ff3070a7a000p-3, -0x1.e27076e2b0000p-4, -0x1.e27076e2b0000p-4, -0x1.f0a30c0118000p-5,
    0, 0, 0x1.08598b59e4000p-4, 0x1.1178e8227e000p-3,
    0x1.5bf406b544000p-3, 0x1.f991c6cb3c000p-3, 0x1.269621134e000p-2, 0x1.522ae0738a000p-2,
};

/* what it lacks */
static const double opw_power_log_low[16] = {
    0x1.3d82f484c84ccp-46, -0x1.8380e731f55c4p-44, 0x1.7794f689f8434p-45, 0x1.7794f689f8434p-45,
    0x1.8586f183bebf2p-44, 0x1.a342c2af0003cp-45, 0x1.a342c2af0003cp-45, 0x1.d599e83368e91p-45,
    0, 0, -0x1.7e5dd7009902cp-46, 0x1.1ef78ce2d07f2p-45,
    -0x1.27023eb68981cp-46, -0x1.90d04cd7cc834p-44, -0x1.1b61f10522625p-44, 0x1.ebe708164c759p-45,
};

/* 2**(i / 16) */
static const double opw_power_root[16] = {
    0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
    0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
    0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
    0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0,
};

/* what it lacks, of 1 */
static const double opw_power_root_low[16] = {
    0, 0x1.79aa65d837b6cp-54, -0x1.01b15eaa59348p-55, 0x1.68efde3a8a893p-54,
    0x1.34d754db0abb6p-55, 0x1.59f48a72a4c6cp-55, 0x1.690cebb7aafb0p-56, 0x1.063e1e21c5409p-54,
    -0x1.3b3efbf5e2229p-54, -0x1.b32dcb94da51dp-56, 0x1.db72fc1f0eab4p-55, 0x1.1affc2b91ce27p-56,
    0x1.c1a7792cb3386p-55, 0x1.36eae30af0cb3p-56, 0x1.4a385a63d07a7p-56, -0x1.ff7128fd391f1p-55,
};

/* (log(1 + r) - r + r**2 / 2) / r**3: within 1.7e-21 */
#define OPW_POLY_LOG3(x, square) OPW_MORE(OPW_MORE(OPW_MORE(OPW_MORE(OPW_MORE(OPW_EVERY(-0.08378343665955184565), x, OPW_EVERY(0.09132844942135464347)), x, OPW_EVERY(-0.09999891742182324896)), square, OPW_MORE(OPW_EVERY(0.1111102627866525764), x, OPW_EVERY(-0.1250000012294849196))), (square * square), OPW_MORE(OPW_MORE(OPW_EVERY(0.1428571436350095037), x, OPW_EVERY(-0.1666666666660187274)), square, OPW_MORE(OPW_EVERY(0.1999999999996893646), x, OPW_EVERY(-0.2500000000000001233)))), x, OPW_EVERY(0.3333333333333333734))

/* (exp(r) - 1 - r) / r**2: within 1.2e-20 */
#define OPW_POLY_EXP3(x, square) OPW_MORE(OPW_MORE(OPW_MORE(OPW_EVERY(0.0001984157751732750501), x, OPW_EVERY(0.001388911686063524251)), square, OPW_MORE(OPW_EVERY(0.008333333332232881132), x, OPW_EVERY(0.04166666666034381358))), square, OPW_MORE(OPW_EVERY(0.1666666666666667907), x, OPW_EVERY(0.5000000000000004984)))

/* The same of float32. */
#define OPW_PARTS_LEAST_F32 0x1.6400000000000p-1f

/* 1 / c, c near the middle of a part */
static const float opw_power_inverse_f32[16] = {
    0x1.680000p+0f, 0x1.580000p+0f, 0x1.480000p+0f, 0x1.400000p+0f,
    0x1.300000p+0f, 0x1.280000p+0f, 0x1.200000p+0f, 0x1.100000p+0f,
    0x1.080000p+0f, 0x1.000000p+0f, 0x1.f00000p-1f, 0x1.d00000p-1f,
    0x1.b00000p-1f, 0x1.a00000p-1f, 0x1.880000p-1f, 0x1.780000p-1f,
};

/* log2(c), a whole number of 2**-17 */
static const float opw_power_log_f32[16] = {
    -0x1.f7a800p-2f, -0x1.b47e00p-2f, -0x1.6e2200p-2f, -0x1.49a800p-2f,
    -0x1.fbc000p-3f, -0x1.acf400p-3f, -0x1.5c0000p-3f, -0x1.664000p-4f,
    -0x1.6bb000p-5f, 0, 0x1.774000p-5f, 0x1.22dc00p-3f,
    0x1.f5fc00p-3f, 0x1.32c000p-2f, 0x1.8a8a00p-2f, 0x1.c81a00p-2f,
};

/* what it lacks */
static const float opw_power_log_low_f32[16] = {
    -0x1.5a32c2p-20f, -0x1.7ee710p-19f, -0x1.cd9d0cp-22f, 0x1.ed0cbap-20f,
    -0x1.6b9026p-19f, -0x1.e2db4ep-19f, -0x1.a39fbep-19f, 0x1.20a6dep-21f,
    0x1.645388p-20f, 0, -0x1.acd89ap-19f, -0x1.23d54cp-19f,
    0x1.8a9064p-19f, -0x1.1c8f12p-22f, -0x1.fd5010p-20f, -0x1.1e95d0p-21f,
};

/* 2**(i / 16), its bits less i times 2**19 */
static const float opw_power_root_f32[16] = {
    0x1.000000p+0f, 0x1.fb5586p-1f, 0x1.f72b84p-1f, 0x1.f387a6p-1f,
    0x1.f06fe0p-1f, 0x1.edea64p-1f, 0x1.ebfdaep-1f, 0x1.eab07ep-1f,
    0x1.ea09e6p-1f, 0x1.ea1148p-1f, 0x1.eace54p-1f, 0x1.ec4918p-1f,
    0x1.ee89fap-1f, 0x1.f199bep-1f, 0x1.f5818ep-1f, 0x1.fa4afap-1f,
};

/* what it lacks, of 1 */
static const float opw_power_root_low_f32[16] = {
    0, 0x1.8d96d2p-25f, -0x1.9c0c22p-27f, 0x1.964902p-25f,
    0x1.125002p-25f, 0x1.370be4p-25f, -0x1.0a3552p-25f, -0x1.00d8acp-27f,
    0x1.26055cp-26f, -0x1.05cb44p-25f, 0x1.67a1cap-28f, 0x1.a3b5e4p-28f,
    -0x1.f9c306p-27f, -0x1.6961b4p-28f, -0x1.a5217cp-28f, 0x1.61428ep-28f,
};

/* (log(1 + r) - r + r**2 / 2) / (-r**3 / 2), of float32: within 4.3e-11 */
#define OPW_POLY_LOG3_F32(x) OPW_MORE(OPW_MORE(OPW_MORE(OPW_EVERY(0.334189968f), x, OPW_EVERY(-0.4007834342f)), x, OPW_EVERY(0.4999992847f)), x, OPW_EVERY(-0.6666661916f))

/* (2**r - 1) / r, of float32: within 8.4e-10 */
#define OPW_POLY_EXP1_F32(x) OPW_MORE(OPW_MORE(OPW_MORE(OPW_EVERY(0.009619303104f), x, OPW_EVERY(0.05552085287f)), x, OPW_EVERY(0.2402265059f)), x, OPW_EVERY(0.6931471385f))
