/* Operations of an instruction or two, as pieces: `make golden` writes this file from gen/scalar/table.go. */
OPW_SIMPLE2(add, x + y)
OPW_SIMPLE2(subtract, x - y)
OPW_SIMPLE2(multiply, x * y)
OPW_OVER2(divide, x / y)
OPW_SIMPLE1(negative, -x)
OPW_SIMPLE1(positive, x)
OPW_SIMPLE1(absolute, OPW_F(fabs)(x))
OPW_SIMPLE1(fabs, OPW_F(fabs)(x))
OPW_SIMPLE1(square, x * x)
OPW_SIMPLE1(reciprocal, 1 / x)
OPW_SIMPLE1(sqrt, OPW_F(sqrt)(x))
OPW_SIMPLE1(floor, OPW_F(rint)(x) - (__builtin_isgreater(OPW_F(rint)(x), x) ? 1 : 0))
OPW_SIMPLE1(ceil, -(OPW_F(rint)(-x) - (__builtin_isgreater(OPW_F(rint)(-x), -x) ? 1 : 0)))
OPW_SIMPLE1(trunc, OPW_F(copysign)(OPW_F(rint)(OPW_F(fabs)(x)) - (__builtin_isgreater(OPW_F(rint)(OPW_F(fabs)(x)), OPW_F(fabs)(x)) ? 1 : 0), x))
OPW_SIMPLE1(rint, OPW_F(rint)(x))

static inline OPW_T OPW_N(maximum)(OPW_T a, OPW_T b)
{
    const OPW_T larger = b > a ? b : a;
    return b != b ? b : larger;
}

OPW_SIMPLE2(maximum, OPW_N(maximum)(x, y))

static inline OPW_T OPW_N(minimum)(OPW_T a, OPW_T b)
{
    const OPW_T larger = -b > -a ? -b : -a;
    return b != b ? b : -larger;
}

OPW_SIMPLE2(minimum, OPW_N(minimum)(x, y))
