/* How the functions of a module's objects and its loops are marked. */
#define OPW_SHARED __attribute__((visibility("hidden"))) /* between the objects of one module */
#if defined(__cplusplus)
#define OPW_VECTOR extern "C" OPW_SHARED /* a function of the vector library */
#else
#define OPW_VECTOR OPW_SHARED
#endif
#define OPW_INLINE static inline __attribute__((always_inline, unused))
#if defined(__clang__)
#define OPW_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define OPW_INDEPENDENT _Pragma("GCC ivdep")
#endif
/* A copy of one element. */
#define OPW_HELD(name, from, size) \
    char name[size] __attribute__((aligned(16))); \
    memcpy(name, from, size)
#define OPW_EACH static __attribute__((noinline, unused))
/* Stands before a loop over accumulators that take turns: vectors are to be made of it before it is written out. Compilers that
   write it out first vectorise what is round it, and add in order, one after the other. */
#if defined(__clang__)
#define OPW_LANES
#else
#define OPW_LANES _Pragma("GCC unroll 1")
#endif
/* How many columns are folded at once, by the bytes of one's accumulators: as many as fit into a page. */
#define OPW_ACCUMULATORS 4096
#define OPW_COLUMNS(size) (OPW_ACCUMULATORS / (size) < 256 ? OPW_ACCUMULATORS / (npy_intp)(size) : 256)
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
