/* What is made of logarithms. */

OPW_ONE OPW_T OPW_N(log1p)(OPW_T x) { return OPW_N(log1)(x, 0); }

OPW_ONE OPW_T OPW_N(asinh)(OPW_T from)
{
    const OPW_T x = OPW_N(absolute)(from), small = OPW_N(below)(x, OPW_SQUARES), square = small * small;
    const OPW_T y = small + square / (1 + OPW_F(sqrt)(1 + square));
    const int large = __builtin_isgreater(x, OPW_SQUARES);
    const OPW_T found = OPW_N(log1)(large ? x - 1 : y, large ? (OPW_T)1 : (OPW_T)0);
    return OPW_N(signed)(found, from);
}

OPW_ONE OPW_T OPW_N(acosh)(OPW_T x)
{
    const OPW_T small = OPW_N(below)(x, OPW_SQUARES) - 1, y = small + OPW_F(sqrt)(OPW_MADD(small, small, small + small));
    const int large = __builtin_isgreater(x, OPW_SQUARES);
    return OPW_N(log1)(large ? x - 1 : y, large ? (OPW_T)1 : (OPW_T)0);
}

OPW_ONE OPW_T OPW_N(atanh)(OPW_T from)
{
    const OPW_T x = OPW_N(absolute)(from), y = (x + x) / (1 - x), found = (OPW_T)0.5 * OPW_N(log1)(y, 0);
    return OPW_N(signed)(found, from);
}

/* Where each is, as OPW_RANGE1 has it: positive normal numbers, those above -1, those that are not too large, from 1 on, below 1. */
#define OPW_FROM_NORMAL(x) (OPW_N(bits)(x) - OPW_N(bits)(OPW_NORMAL))
#define OPW_FROM_MINUS_1(x) (OPW_N(bits)((x) + 1) - 1)
#define OPW_SIZE(x) OPW_N(bits)(OPW_N(absolute)(x))
#define OPW_FROM_1(x) (OPW_N(bits)(x) - OPW_N(bits)(1))

OPW_RANGE1(log, OPW_FROM_NORMAL, OPW_FROM_NORMAL(OPW_MOST), OPW_F(log))
OPW_RANGE1(log2, OPW_FROM_NORMAL, OPW_FROM_NORMAL(OPW_MOST), OPW_F(log2))
OPW_RANGE1(log10, OPW_FROM_NORMAL, OPW_FROM_NORMAL(OPW_MOST), OPW_F(log10))
OPW_RANGE1(log1p, OPW_FROM_MINUS_1, OPW_N(bits)(OPW_LARGE), OPW_F(log1p))
OPW_RANGE1(asinh, OPW_SIZE, OPW_N(bits)(OPW_LARGE), OPW_F(asinh))
OPW_RANGE1(acosh, OPW_FROM_1, OPW_FROM_1(OPW_LARGE), OPW_F(acosh))
OPW_RANGE1(atanh, OPW_SIZE, OPW_N(bits)(1) - 1, OPW_F(atanh))

#undef OPW_FROM_NORMAL
#undef OPW_FROM_MINUS_1
#undef OPW_SIZE
#undef OPW_FROM_1
