/* The cube root of float32: of m from 1 to 2 by a polynomial, for the terms of a whole one take less long than a division. */
OPW_ONE OPW_T OPW_N(cbrt)(OPW_T x)
{
    OPW_REDUCE_ROOT(x);
    return OPW_ROOT(OPW_P(CBRT)(m - 1.5f) * OPW_ROOT_OF_2(r));
}
