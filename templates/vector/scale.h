/* x * 2**n of any n, and what x is such a product of, as loops of nothing else call them: they are no pieces, for compilers make vectors
   of loops that do more. What is computed must not lie where the arguments do. */

#if defined(__AVX512F__)
OPW_ALONE void OPW_N(ldexp_run)(OPW_T *to, const OPW_T *from, const int32_t *by, intptr_t n)
{
    intptr_t i;
    for (i = 0; i < n; i += OPW_WIDTH)
        OPW_N(opw_scale)(to + i, from + i, by + i);
}

OPW_ALONE void OPW_N(frexp_run)(OPW_T *to, int32_t *power, const OPW_T *from, intptr_t n)
{
    intptr_t i;
    for (i = 0; i < n; i += OPW_WIDTH)
        OPW_N(opw_parts)(to + i, power + i, from + i);
}
#else
/* In three products, two of them by 1 unless n is out of bounds as an exponent. The last is then the largest: where one before it rounds,
   nothing is left behind it. Beyond `far` any x is nothing, or infinite. */
OPW_ONE OPW_T OPW_N(ldexp)(OPW_T x, int32_t n)
{
    const int32_t far = 2 * (int32_t)OPW_BIAS + OPW_MANTISSA + 3, most = (int32_t)OPW_BIAS - 1;
    const int32_t above = n < -far ? -far : n, all = above > far ? far : above;
    const int32_t larger = all < 1 - most ? 1 - most : all, within = larger > most ? most : larger, half = (all - within) >> 1;
    const OPW_T twice = OPW_N(power2)((OPW_UINT)half);
    return x * twice * twice * OPW_N(power2)((OPW_UINT)(all - half - half));
}

OPW_ALONE void OPW_N(ldexp_run)(OPW_T *to, const OPW_T *from, const int32_t *by, intptr_t n)
{
    intptr_t i;
    n &= -(intptr_t)OPW_WIDTH;
    OPW_VECTORS
    for (i = 0; i < n; i++)
        to[i] = OPW_N(ldexp)(from[i], by[i]);
}

/* The mantissa, 0.5 to 1, and the exponent of 2 beside it; what has none stays, beside 0. A number that is not normal is multiplied. Bits
   of exponents are made short before they are shifted: vectors of short numbers hold more. */
OPW_ALONE void OPW_N(frexp_run)(OPW_T *to, int32_t *power, const OPW_T *from, intptr_t n)
{
    const OPW_UINT one = (OPW_UINT)1 << OPW_MANTISSA;
    intptr_t i;
    n &= -(intptr_t)OPW_WIDTH;
    OPW_VECTORS
    for (i = 0; i < n; i++) {
        const OPW_UINT less = (OPW_BIAS - 1) * one + ((OPW_N(bits)(from[i]) << 1) < 2 * one) * ((OPW_MANTISSA + 1) * one);
        const OPW_UINT bits = OPW_N(bits)(from[i] * OPW_N(value)(less + one)), size = bits & ~OPW_SIGN;
        const int none = size - one >= 2 * OPW_BIAS * one;
        const OPW_UINT of = none ? 0 : size - less;
        to[i] = OPW_N(value)(none ? bits : (bits & (OPW_SIGN | (one - 1))) | (OPW_BIAS - 1) * one);
        power[i] = (int32_t)(of >> (OPW_TOP - 31)) >> (OPW_MANTISSA - (OPW_TOP - 31));
    }
}
#endif

OPW_SEEN void OPW_N(opw_ldexp)(OPW_T *to, const OPW_T *from, const int32_t *by, intptr_t n)
{
    const intptr_t whole = n & -(intptr_t)OPW_WIDTH;
    OPW_T x[OPW_WIDTH], y[OPW_WIDTH];
    int32_t e[OPW_WIDTH];
    intptr_t i;
    OPW_N(ldexp_run)(to, from, by, whole);
    if (n == whole)
        return;
    for (i = 0; i < OPW_WIDTH; i++) {
        x[i] = from[whole + i < n ? whole + i : whole];
        e[i] = by[whole + i < n ? whole + i : whole];
    }
    OPW_N(ldexp_run)(y, x, e, OPW_WIDTH);
    memcpy(to + whole, y, (size_t)(n - whole) * sizeof *to);
}

OPW_SEEN void OPW_N(opw_frexp)(OPW_T *to, int32_t *power, const OPW_T *from, intptr_t n)
{
    const intptr_t whole = n & -(intptr_t)OPW_WIDTH;
    OPW_T x[OPW_WIDTH], y[OPW_WIDTH];
    int32_t e[OPW_WIDTH];
    intptr_t i;
    OPW_N(frexp_run)(to, power, from, whole);
    if (n == whole)
        return;
    for (i = 0; i < OPW_WIDTH; i++)
        x[i] = from[whole + i < n ? whole + i : whole];
    OPW_N(frexp_run)(y, e, x, OPW_WIDTH);
    memcpy(to + whole, y, (size_t)(n - whole) * sizeof *to);
    memcpy(power + whole, e, (size_t)(n - whole) * sizeof *power);
}
