/* The cube root of float64. */

/* A positive normal a is m * 2**(3 q + r), m from 1 to 2, where q and r are found among numbers with a bias that is a multiple of 3: the
   root of m by a polynomial, 2**(r / 3) and 2**r as parabolas through their three values, and a step of Halley's for all. */
OPW_ONE OPW_T OPW_N(cbrt)(OPW_T x)
{
    const OPW_T a = OPW_N(absolute)(x);
    const OPW_UINT three = (3 - OPW_BIAS % 3) % 3;
    const OPW_T e = OPW_N(value)(((OPW_N(bits)(a) >> OPW_MANTISSA) + three) | OPW_N(bits)(OPW_WHOLE)) - OPW_WHOLE;
    const OPW_T shifted = OPW_MADD(e - 1, (OPW_T)(1.0 / 3), OPW_SHIFT), r = OPW_MADD(shifted - OPW_SHIFT, -(OPW_T)3, e);
    const OPW_T m = OPW_N(value)((OPW_N(bits)(a) & ((OPW_UINT)-1 >> (OPW_TOP + 1 - OPW_MANTISSA))) | OPW_N(bits)(1));
    const OPW_T first = OPW_P(ROOT)(m) * OPW_MADD(r, OPW_MADD(r, (OPW_T)0.0337794760892265725, (OPW_T)0.2261415738056465925), 1);
    const OPW_T all = m * OPW_MADD(r, OPW_MADD(r, (OPW_T)0.5, (OPW_T)0.5), 1), cube = first * first * first;
    const OPW_T y = OPW_MADD(first, (all - cube) / (cube + cube + all), first);
    return OPW_N(signed)(y * OPW_N(power2)(OPW_N(bits)(shifted) - OPW_N(bits)(OPW_SHIFT) - (OPW_BIAS + three) / 3), x);
}
