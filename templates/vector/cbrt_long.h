/* The cube root of float64: of m by a polynomial, and a step of Halley's for all. */
OPW_ONE OPW_T OPW_N(cbrt)(OPW_T x)
{
    OPW_REDUCE_ROOT(x);
    const OPW_T first = OPW_P(ROOT)(m) * OPW_ROOT_OF_2(r), cube = first * first * first;
    const OPW_T all = m * OPW_MADD(r, OPW_MADD(r, (OPW_T)0.5, (OPW_T)1.5), 2); /* m * 2**(1 + r) */
    return OPW_ROOT(OPW_MADD(first, (all - cube) / (cube + cube + all), first));
}
