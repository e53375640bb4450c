/* The next number: bits read as a whole number, and one more, or one less. */

OPW_ONE OPW_T OPW_N(nextafter)(OPW_T x, OPW_T y)
{
    const OPW_UINT up = __builtin_isless(x, y), down = __builtin_isgreater(x, y);
    return OPW_N(value)(OPW_N(bits)(x) + (OPW_N(bits)(x) & OPW_SIGN ? down - up : up - down));
}

/* Where nothing normal comes of it, which is marked, and NaN. */
#define OPW_MARKED(x, y) (OPW_N(not_normal)(OPW_N(bits)(OPW_N(absolute)(OPW_N(nextafter)(x, y)))) || __builtin_isunordered(y, y))

OPW_LOOP2(nextafter, OPW_MARKED, OPW_F(nextafter))

#undef OPW_MARKED
