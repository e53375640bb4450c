/* Inverse functions of angles. */

/* asin(s) = s + s * bend, of s to 1/2; beyond, of the half angle. */
#define OPW_REDUCE_ASIN(x)                                                                                                      \
    const OPW_T a = OPW_N(absolute)(x);                                                                                         \
    const int large = __builtin_isgreater(a, (OPW_T)0.5);                                                                       \
    const OPW_T z = large ? (1 - a) * (OPW_T)0.5 : a * a, s = large ? OPW_F(sqrt)(z) : a, bend = s * (OPW_P(ASIN)(z) * z)

OPW_ONE OPW_T OPW_N(asin)(OPW_T x)
{
    OPW_REDUCE_ASIN(x);
    const OPW_T twice = s + s, far = (OPW_HALF_PI - twice) - (bend + bend - OPW_HALF_PI_LOW);
    return OPW_N(signed)(large ? far : s + bend, x);
}

OPW_ONE OPW_T OPW_N(acos)(OPW_T x)
{
    OPW_REDUCE_ASIN(x);
    const int minus = __builtin_isless(x, 0);
    const OPW_T near = OPW_HALF_PI - ((minus ? -s : s) - (OPW_HALF_PI_LOW - (minus ? -bend : bend)));
    const OPW_T far = minus ? OPW_HALF_PI - (s + (bend - OPW_HALF_PI_LOW)) : s + bend;
    return large ? far + far : near;
}

/* The angle of a point, y and x not negative, less than a right one: of a quotient that is at most tan(pi / 8). */
OPW_ONE OPW_T OPW_N(angle)(OPW_T y, OPW_T x)
{
    const int steep = __builtin_isgreater(y, (OPW_T)2.41421356237309504880 * x), middle = __builtin_isgreater(y, (OPW_T)0.41421356237309504880 * x);
    const OPW_T up = steep ? -x : middle ? y - x : y, down = steep ? y : middle ? y + x : x;
    const OPW_T q = up / (down == 0 ? 1 : down), z = q * q;
    const OPW_T base = steep ? OPW_HALF_PI : middle ? OPW_HALF_PI / 2 : 0, low = steep ? OPW_HALF_PI_LOW : middle ? OPW_HALF_PI_LOW / 2 : 0;
    return base + (q + OPW_MADD(q, OPW_P(ATAN)(z) * z, low));
}

OPW_ONE OPW_T OPW_N(atan)(OPW_T x) { return OPW_N(signed)(OPW_N(angle)(OPW_N(absolute)(x), 1), x); }

OPW_ONE OPW_T OPW_N(atan2)(OPW_T y, OPW_T x)
{
    const OPW_T right = OPW_N(angle)(OPW_N(absolute)(y), OPW_N(absolute)(x));
    const OPW_T left = 2 * OPW_HALF_PI - (right - 2 * OPW_HALF_PI_LOW);
    return OPW_N(signed)(OPW_N(bits)(x) & OPW_SIGN ? left : right, y);
}

#define OPW_NO_ANGLE(y, x) (__builtin_isgreater(OPW_N(absolute)(y), OPW_LARGE) || __builtin_isgreater(OPW_N(absolute)(x), OPW_LARGE))

OPW_LOOP1(asin, OPW_NEVER, OPW_F(asin))
OPW_LOOP1(acos, OPW_NEVER, OPW_F(acos))
OPW_LOOP1(atan, OPW_NEVER, OPW_F(atan))
OPW_LOOP2(atan2, OPW_NO_ANGLE, OPW_F(atan2))

#undef OPW_NO_ANGLE
