/* The cube root of float64. */

/* A positive normal a is m * 2**(3 q + r), m from 1 to 2, with a bias that is a multiple of 3: the root of m by a polynomial, and a step of Halley's for all. */
OPW_ONE OPW_T OPW_N(cbrt)(OPW_T x)
{
    const OPW_T a = OPW_N(absolute)(x);
    const OPW_UINT three = (3 - OPW_BIAS % 3) % 3, power = (OPW_N(bits)(a) >> OPW_MANTISSA) + three;
    const OPW_T e = OPW_N(value)(power | OPW_N(bits)(OPW_WHOLE)) - OPW_WHOLE;
    const OPW_T shifted = OPW_MADD(e - 1, (OPW_T)(1.0 / 3), OPW_SHIFT);
    const OPW_UINT q = OPW_N(bits)(shifted) - OPW_N(bits)(OPW_SHIFT), r = power - 3 * q;
    const OPW_T m = OPW_N(value)((OPW_N(bits)(a) & ((OPW_UINT)-1 >> (OPW_TOP + 1 - OPW_MANTISSA))) | OPW_N(bits)(1));
    const OPW_T first = OPW_P(ROOT)(m) * (r == 0 ? 1 : r == 1 ? (OPW_T)1.259921049894873165 : (OPW_T)1.587401051968199475);
    const OPW_T all = m * OPW_N(power2)(r), cube = first * first * first;
    const OPW_T y = OPW_MADD(first, (all - cube) / (cube + cube + all), first) * OPW_N(power2)(q - (OPW_BIAS + three) / 3);
    return OPW_N(signed)(y, x);
}
