/* The cube root of float32: of m from 1 to 2 by a polynomial, for the terms of a whole one take less long than a division. */

/* A positive normal a is m * 2**(3 q + r), where q and r are found among numbers with a bias that is a multiple of 3; 2**(r / 3) is a
   parabola through its three values. */
OPW_ONE OPW_T OPW_N(cbrt)(OPW_T x)
{
    const OPW_UINT all = OPW_N(bits)(OPW_N(absolute)(x)), three = (3 - OPW_BIAS % 3) % 3, places = ((OPW_UINT)1 << OPW_MANTISSA) - 1;
    const OPW_T e = OPW_N(value)(((all >> OPW_MANTISSA) + three) | OPW_N(bits)(OPW_WHOLE)) - OPW_WHOLE;
    const OPW_T shifted = OPW_MADD(e - 1, 1.0f / 3, OPW_SHIFT), r = OPW_MADD(shifted - OPW_SHIFT, -3.0f, e);
    const OPW_T m = OPW_N(value)((all & places) | OPW_N(bits)(1)) - 1.5f;
    const OPW_T y = OPW_P(CBRT)(m) * OPW_MADD(r, OPW_MADD(r, 0.0337794761f, 0.2261415738f), 1.0f);
    return OPW_N(signed)(y * OPW_N(power2)(OPW_N(bits)(shifted) - OPW_N(bits)(OPW_SHIFT) - (OPW_BIAS + three) / 3), x);
}
