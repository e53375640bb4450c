/* Rounding down, up and towards zero, as a loop of nothing else calls it: it is no piece. Processors have an instruction, of which a compiler
   makes vectors only where it need not tell what floating point marks; loops that do more are told (gen/scalar/table.go). What is computed
   must not lie where the argument does. */
#define OPW_ROUNDED(name)                                                                                                       \
    OPW_SEEN void OPW_N(opw_##name)(OPW_T *to, const OPW_T *from, intptr_t n)                                                   \
    {                                                                                                                           \
        intptr_t i;                                                                                                             \
        OPW_VECTORS                                                                                                             \
        for (i = 0; i < n; i++)                                                                                                 \
            to[i] = OPW_F(name)(from[i]);                                                                                       \
    }

OPW_ROUNDED(floor)
OPW_ROUNDED(ceil)
OPW_ROUNDED(trunc)

#undef OPW_ROUNDED
