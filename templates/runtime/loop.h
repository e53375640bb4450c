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
/* An element's place among those that are folded together goes with the operands' pointers, of which none is so small. */
#define OPW_NO_PLACE ((char *)4096)
#define OPW_PLACE(p) ((npy_intp)((p) - OPW_NO_PLACE))
