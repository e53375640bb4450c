/* What kind of number each is, as loops of nothing else call it: they are no pieces. A compiler makes bytes of what it compared in more steps
   than processors need, whose vectors of 32 bytes are told here; those of 64, and the instruction that shortens them, took no less. `of` is
   the same of a vector: its signs are the answer. */
#if defined(OPW_SIGNS)
#define OPW_BY_VECTORS(of)                                                                                                      \
    for (; i + 32 <= n; i += 32)                                                                                                \
        OPW_SIGNS(to + i, from + i, of);
#else
#define OPW_BY_VECTORS(of)
#endif
#define OPW_KIND(name, test, of)                                                                                                \
    OPW_ONE int OPW_N(name)(OPW_T x) { return test; }                                                                           \
    OPW_SEEN void OPW_N(opw_##name)(uint8_t *to, const OPW_T *from, intptr_t n)                                                 \
    {                                                                                                                           \
        intptr_t i = 0;                                                                                                         \
        OPW_BY_VECTORS(of)                                                                                                      \
        OPW_VECTORS                                                                                                             \
        for (; i < n; i++)                                                                                                      \
            to[i] = (uint8_t)OPW_N(name)(from[i]);                                                                              \
    }

OPW_KIND(signbit, (int)(OPW_N(bits)(x) >> OPW_TOP), OPW_ITSELF)
OPW_KIND(isnan, x != x, OPW_UNORDERED)
OPW_KIND(isinf, OPW_N(absolute)(x) == (OPW_T)INFINITY, OPW_INFINITE)
OPW_KIND(isfinite, OPW_N(absolute)(x) < (OPW_T)INFINITY, OPW_FINITE)

#undef OPW_KIND
#undef OPW_BY_VECTORS
