/* What the vector functions are written with: plain C of one number, of which compilers make vectors. */
#include <math.h>
#include <stdint.h>
#include <string.h>

/* A product and a sum: rounded once where the level has that, so that results of one level are the same whatever compiles. The first
   factor is written once: polynomials are nested there. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define OPW_FUSED 1
#define OPW_MADD(a, b, c) OPW_FMA(a, b, c)
#define OPW_FMA(a, b, c) _Generic((b) + (c), float: __builtin_fmaf, double: __builtin_fma)(a, b, c)
#else
#define OPW_FUSED 0
#define OPW_MADD(a, b, c) ((a) * (b) + (c))
#endif

#if !defined(OPW_SEEN)
#define OPW_SEEN __attribute__((visibility("hidden"))) /* between the objects of one module */
#endif
#define OPW_NEVER(x) 0
#define OPW_ALONE static __attribute__((noinline, unused)) /* where its constants stay in registers */
#define OPW_ONE static inline __attribute__((always_inline, unused))
#if defined(__clang__)
#define OPW_VECTORS _Pragma("clang loop vectorize(assume_safety) interleave(disable)")
#else
#define OPW_VECTORS _Pragma("GCC ivdep")
#pragma GCC optimize("no-tree-pre") /* by which what comes of a bound of arguments is known before: infinite, and no overflow is marked */
#endif

/* How many numbers are computed at once; what is left of a run is filled up to so many. */
#if defined(__AVX512F__)
#define OPW_BYTES 64
#elif defined(__AVX__)
#define OPW_BYTES 32
#else
#define OPW_BYTES 16
#endif

/* Runs are computed in such parts, so that what is special is still in the nearest cache when it is looked at. */
#define OPW_PART (intptr_t)(4096 / sizeof(OPW_T))

#include "polynomials.h"
