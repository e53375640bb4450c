/* Functions of angles. */

/* x - n * part in steps, of which all but the last are exact. */
#if OPW_FUSED
#define OPW_LESS(x, n, one, two, three, four) OPW_MADD(n, -(three), OPW_MADD(n, -(two), OPW_MADD(n, -(one), x)))
#define OPW_LESS_PI(x, n) OPW_LESS(x, n, OPW_PI_1, OPW_PI_2, OPW_PI_3, 0)
#else
#define OPW_LESS(x, n, one, two, three, four) ((((x) - (n) * (one)) - (n) * (two)) - (n) * (three)) - (n) * (four)
#define OPW_LESS_PI(x, n) OPW_LESS(x, n, OPW_SHORT_PI_1, OPW_SHORT_PI_2, OPW_SHORT_PI_3, OPW_SHORT_PI_4)
#endif

/* The sine of r, less than a right angle, with the sign that an odd n asks for. */
OPW_ONE OPW_T OPW_N(sine)(OPW_T r, OPW_UINT n)
{
    const OPW_T z = r * r, y = OPW_MADD(OPW_P(SIN)(z) * z, r, r);
    return OPW_N(value)(OPW_N(bits)(y) ^ (n << OPW_TOP));
}

OPW_ONE OPW_T OPW_N(sin)(OPW_T x)
{
    const OPW_T shifted = OPW_MADD(x, OPW_1_PI, OPW_SHIFT), n = shifted - OPW_SHIFT;
    const OPW_T y = OPW_N(sine)(OPW_LESS_PI(x, n), OPW_N(bits)(shifted));
    return x == 0 ? x : y;
}

/* cos(x) = sin(x + pi / 2): of n and a half. */
OPW_ONE OPW_T OPW_N(cos)(OPW_T x)
{
    const OPW_T shifted = OPW_MADD(OPW_N(absolute)(x), OPW_1_PI, (OPW_T)0.5) + OPW_SHIFT, n = (shifted - OPW_SHIFT) - (OPW_T)0.5;
    return OPW_N(sine)(OPW_LESS_PI(OPW_N(absolute)(x), n), OPW_N(bits)(shifted));
}

OPW_ONE OPW_T OPW_N(tan)(OPW_T x)
{
    const OPW_T shifted = OPW_MADD(x, 2 * OPW_1_PI, OPW_SHIFT), n = (shifted - OPW_SHIFT) * (OPW_T)0.5;
    const OPW_T r = OPW_LESS_PI(x, n), z = r * r;
    const OPW_T s = OPW_MADD(OPW_P(SIN4)(z) * z, r, r);
    const OPW_T c = OPW_MADD(OPW_P(COS4)(z) * z, z, OPW_MADD(z, (OPW_T)-0.5, 1));
    const int odd = (OPW_N(bits)(shifted) & 1) != 0;
    const OPW_T y = (odd ? -c : s) / (odd ? s : c);
    return x == 0 ? x : y;
}

#define OPW_FAR(x) (__builtin_isgreater(OPW_N(absolute)(x), OPW_FARTHEST))

OPW_LOOP1(sin, OPW_FAR, OPW_F(sin))
OPW_LOOP1(cos, OPW_FAR, OPW_F(cos))
OPW_LOOP1(tan, OPW_FAR, OPW_F(tan))

#undef OPW_LESS
#undef OPW_LESS_PI
#undef OPW_FAR
