/* What is left of a division, and how often it goes: exact, so the same at every level. */

/* What fmod leaves, by the sign of the divisor, and the quotient of it: as NumPy has them. */
OPW_ONE OPW_T OPW_N(floored)(OPW_T rest, OPW_T y)
{
    const OPW_UINT apart = (OPW_N(bits)(rest) ^ OPW_N(bits)(y)) & OPW_SIGN;
    const OPW_T turned = apart ? rest + y : rest;
    return rest == 0 ? OPW_N(value)(OPW_N(bits)(y) & OPW_SIGN) : turned;
}

OPW_ONE OPW_T OPW_N(quotient)(OPW_T x, OPW_T y, OPW_T rest)
{
    const OPW_UINT apart = (OPW_N(bits)(rest) ^ OPW_N(bits)(y)) & OPW_SIGN;
    const OPW_T all = (x - rest) / y, less = apart ? all - 1 : all, whole = rest == 0 ? all : less;
    const OPW_T down = OPW_F(floor)(whole), near = whole - down > (OPW_T)0.5 ? down + 1 : down;
    return whole == 0 ? OPW_N(value)((OPW_N(bits)(x) ^ OPW_N(bits)(y)) & OPW_SIGN) : near;
}

/* The same by the C library, of any numbers. */
OPW_ONE OPW_T OPW_N(any_remainder)(OPW_T x, OPW_T y) { return y == 0 ? OPW_F(fmod)(x, y) : OPW_N(floored)(OPW_F(fmod)(x, y), y); }

OPW_ONE OPW_T OPW_N(any_floor_divide)(OPW_T x, OPW_T y)
{
    const OPW_T all = x / y, whole = y == 0 ? all : OPW_N(quotient)(x, y, OPW_F(fmod)(x, y));
    return whole == 0 ? OPW_F(copysign)(0, all) : whole; /* what NumPy marks of a quotient too small is marked */
}

#if OPW_FUSED
/* What is left to that: a divisor that is not normal or not finite, a dividend that is not finite, and quotients with more places than
   a number has, or so small that it would be marked. The bits of numbers without signs go by their size. */
OPW_ONE int OPW_N(no_quotient)(OPW_T x, OPW_T y)
{
    const OPW_UINT a = OPW_N(bits)(OPW_N(absolute)(x)), b = OPW_N(bits)(OPW_N(absolute)(y));
    const OPW_UINT small = (OPW_UINT)(OPW_BIAS - 28) << OPW_MANTISSA, large = (OPW_UINT)(OPW_MANTISSA - 1) << OPW_MANTISSA;
    return (int)(a > OPW_N(bits)(OPW_MOST)) | OPW_N(not_normal)(b) |
           ((int)(a - b + small > small + large) & (int)(a != 0));
}

/* Instead of what is left to the C library 1, of which nothing is marked: by bits, for compilers divide all and choose then. */
OPW_ONE OPW_T OPW_N(or_one)(OPW_T x, OPW_UINT none)
{
    return OPW_N(value)((OPW_N(bits)(x) & ~none) | (OPW_N(bits)(1) & none));
}

/* The whole quotient is right, or 1 too large where the quotient was rounded up; what is left of either is a number, so that the fused
   product gives it. */
OPW_ONE OPW_T OPW_N(fmod)(OPW_T x, OPW_T y)
{
    const OPW_UINT none = -(OPW_UINT)OPW_N(no_quotient)(x, y);
    const OPW_T a = OPW_N(or_one)(OPW_N(absolute)(x), none), b = OPW_N(or_one)(OPW_N(absolute)(y), none);
    const OPW_T rest = OPW_FMA(OPW_F(trunc)(a / b), -b, a);
    return OPW_N(signed)(OPW_N(absolute)(__builtin_isless(rest, 0) ? rest + b : rest), x);
}

OPW_ONE OPW_T OPW_N(remainder)(OPW_T x, OPW_T y) { return OPW_N(floored)(OPW_N(fmod)(x, y), y); }

OPW_ONE OPW_T OPW_N(floor_divide)(OPW_T x, OPW_T y)
{
    const OPW_UINT none = -(OPW_UINT)OPW_N(no_quotient)(x, y);
    const OPW_T a = OPW_N(or_one)(x, none), b = OPW_N(or_one)(y, none);
    return OPW_N(quotient)(a, b, OPW_N(fmod)(a, b));
}

OPW_LOOP2(fmod, OPW_N(no_quotient), OPW_F(fmod))
OPW_LOOP2(remainder, OPW_N(no_quotient), OPW_N(any_remainder))
OPW_LOOP2(floor_divide, OPW_N(no_quotient), OPW_N(any_floor_divide))
#else /* products would lose places */
#define OPW_ANY2(name, of)                                                                                                      \
    OPW_SEEN void OPW_N(opw_##name)(OPW_T * to, const OPW_T *from, const OPW_T *with, intptr_t n)                               \
    {                                                                                                                           \
        intptr_t i;                                                                                                             \
        for (i = 0; i < n; i++)                                                                                                 \
            to[i] = of(from[i], with[i]);                                                                                       \
    }                                                                                                                           \
    OPW_PIECE2(name)
OPW_ANY2(fmod, OPW_F(fmod))
OPW_ANY2(remainder, OPW_N(any_remainder))
OPW_ANY2(floor_divide, OPW_N(any_floor_divide))
#undef OPW_ANY2
#endif
