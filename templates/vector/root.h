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

#define OPW_ENDLESS(x, y) (__builtin_isgreater(OPW_N(absolute)(x), OPW_MOST) || __builtin_isgreater(OPW_N(absolute)(y), OPW_MOST))

OPW_LOOP2(hypot, OPW_ENDLESS, OPW_F(hypot))
OPW_RANGE1(cbrt, OPW_N(size), OPW_N(size)(OPW_MOST), OPW_F(cbrt))

#undef OPW_ENDLESS
