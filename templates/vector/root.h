/* Roots. */

OPW_ONE OPW_T OPW_N(hypot)(OPW_T x, OPW_T y)
{
    const OPW_T a = OPW_N(absolute)(x), b = OPW_N(absolute)(y);
    const int less = __builtin_isless(a, b);
    const OPW_T most = less ? b : a, least = less ? a : b;
    const int high = __builtin_isgreater(most, OPW_LARGE_SQUARE), low = __builtin_isless(most, 1 / OPW_LARGE_SQUARE);
    const OPW_T scale = high ? OPW_SCALE_DOWN : low ? 1 / OPW_SCALE_DOWN : 1, back = high ? 1 / OPW_SCALE_DOWN : low ? OPW_SCALE_DOWN : 1;
    const OPW_T p = most * scale, q = least * scale;
    return OPW_F(sqrt)(OPW_MADD(p, p, q * q)) * back;
}

/* A positive normal a is m * 2**(3 q + r), m from 1 to 2, with a bias that is a multiple of 3: the root of m by a polynomial, and a step of Halley's for all. */
OPW_ONE OPW_T OPW_N(cbrt)(OPW_T x)
{
    const OPW_T a = OPW_N(absolute)(x);
    const OPW_UINT three = (3 - OPW_BIAS % 3) % 3, power = (OPW_N(bits)(a) >> OPW_MANTISSA) + three;
    const OPW_T e = OPW_N(value)(power | OPW_N(bits)(OPW_WHOLE)) - OPW_WHOLE;
    const OPW_T shifted = OPW_MADD(e - 1, (OPW_T)(1.0 / 3), OPW_SHIFT);
    const OPW_UINT q = OPW_N(bits)(shifted) - OPW_N(bits)(OPW_SHIFT), r = power - 3 * q;
    const OPW_T m = OPW_N(value)((OPW_N(bits)(a) & ((OPW_UINT)-1 >> (OPW_TOP + 1 - OPW_MANTISSA))) | OPW_N(bits)(1));
    const OPW_T first = OPW_P(CBRT)(m) * (r == 0 ? 1 : r == 1 ? (OPW_T)1.259921049894873165 : (OPW_T)1.587401051968199475);
    const OPW_T all = m * OPW_N(power2)(r), cube = first * first * first;
    const OPW_T y = OPW_MADD(first, (all - cube) / (cube + cube + all), first) * OPW_N(power2)(q - (OPW_BIAS + three) / 3);
    return x == 0 ? x : OPW_N(signed)(y, x);
}

#define OPW_ENDLESS(x, y) (__builtin_isgreater(OPW_N(absolute)(x), OPW_MOST) || __builtin_isgreater(OPW_N(absolute)(y), OPW_MOST))
#define OPW_NO_ROOT(x) (!(OPW_N(absolute)(x) >= OPW_NORMAL && OPW_N(absolute)(x) <= OPW_MOST) && x != 0)

OPW_LOOP2(hypot, OPW_ENDLESS, OPW_F(hypot))
OPW_LOOP1(cbrt, OPW_NO_ROOT, OPW_F(cbrt))

#undef OPW_ENDLESS
#undef OPW_NO_ROOT
