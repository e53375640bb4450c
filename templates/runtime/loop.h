/* How the functions of a module's objects and its loops are marked. */
#define OPW_SHARED __attribute__((visibility("hidden"))) /* between the objects of one module */
#define OPW_INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define OPW_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define OPW_INDEPENDENT _Pragma("GCC ivdep")
#endif
#define OPW_EACH static __attribute__((noinline, unused))
/* Stands in a loop whose body folds an element into each of several accumulators: compilers that vectorise across its rounds would
   add them in order, one after the other; those that look at one round find the accumulators side by side. */
#define OPW_LANES __asm__ volatile("");
/* What integers do not mark in the processor's status word, as NumPy does: of divisions, and of halves. They give 0. */
OPW_INLINE int opw_by_zero(void)
{
    volatile double zero = 0;
    zero = 1 / zero;
    return 0;
}
OPW_INLINE int opw_overflows(void)
{
    volatile double huge = 1e308;
    huge *= huge;
    return 0;
}
OPW_INLINE int opw_underflows(void)
{
    volatile double tiny = 1e-308;
    tiny *= tiny;
    return 0;
}
/* An element's place among those that are folded together goes with the operands' pointers, of which none is so small. */
#define OPW_NO_PLACE ((char *)4096)
#define OPW_PLACE(p) ((npy_intp)((p) - OPW_NO_PLACE))
