/* Included for each type, after each.h: numbers that are computed at once, and their bits. Where a table of 16 fits two registers they
   are vectors: compilers would fetch each number from memory. What is computed is the same. */
#undef OPW_AT_ONCE
#undef OPW_WORDS
#undef OPW_REALS
#undef OPW_WHERE
#undef OPW_ENTRY
#undef OPW_MORE
#undef OPW_EVERY
#undef OPW_SOME
#undef OPW_COUNT
#undef OPW_BELOW_0
#undef OPW_LOAD
#undef OPW_STORE
#undef OPW_REGISTER
#undef OPW_OF

#if defined(__AVX512F__)
#include <immintrin.h>
#define OPW_AT_ONCE OPW_WIDTH
#define OPW_SOME(u) (_mm512_test_epi64_mask((__m512i)(u), (__m512i)(u)) != 0)
#if OPW_TOP == 63
#define OPW_REGISTER __m512d
#define OPW_OF(name) _mm512_##name##_pd
#define OPW_ENTRY(table, i)                                                                                                     \
    ((reals_f64)_mm512_permutex2var_pd(_mm512_loadu_pd(table), (__m512i)(i), _mm512_loadu_pd((table) + 8)))
#else
#define OPW_REGISTER __m512
#define OPW_OF(name) _mm512_##name##_ps
#define OPW_ENTRY(table, i) ((reals_f32)_mm512_permutexvar_ps((__m512i)(i), _mm512_loadu_ps(table)))
#endif
#elif defined(__AVX2__) && OPW_TOP == 31
#include <immintrin.h>
#define OPW_AT_ONCE OPW_WIDTH
#define OPW_SOME(u) (!_mm256_testz_si256((__m256i)(u), (__m256i)(u)))
#define OPW_REGISTER __m256
#define OPW_OF(name) _mm256_##name##_ps
#define OPW_HALF(table, i) _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), (__m256i)(i))
#define OPW_ENTRY(table, i) /* by the fourth bit from one half */                                                               \
    ((reals_f32)_mm256_blendv_ps(OPW_HALF(table, i), OPW_HALF((table) + 8, i), (__m256)((words_f32)(i) << 28)))
#else
#define OPW_AT_ONCE 1
#define OPW_SOME(u) ((u) != 0)
#define OPW_ENTRY(table, i) (table)[(i) & 15]
#endif

#if defined(OPW_REGISTER)
typedef OPW_T OPW_N(reals) __attribute__((vector_size(OPW_BYTES)));
typedef OPW_UINT OPW_N(words) __attribute__((vector_size(OPW_BYTES)));
typedef OPW_INT OPW_N(counts) __attribute__((vector_size(OPW_BYTES)));
#define OPW_WORDS(x) ((OPW_N(words))(x))
#define OPW_REALS(u) ((OPW_N(reals))(u))
#define OPW_WHERE(condition) ((OPW_N(words))(condition))
#define OPW_COUNT(u, places) __builtin_convertvector((OPW_N(counts))(u) >> (places), OPW_N(reals))
#define OPW_MORE(a, b, c) ((OPW_N(reals))OPW_OF(fmadd)((OPW_REGISTER)(a), (OPW_REGISTER)(b), (OPW_REGISTER)(c)))
#define OPW_EVERY(c) ((OPW_N(reals))OPW_OF(set1)(c))
#define OPW_LOAD(at) ((OPW_N(reals))OPW_OF(loadu)(at))
#define OPW_STORE(at, x) OPW_OF(storeu)(at, (OPW_REGISTER)(x))
#else
typedef OPW_T OPW_N(reals);
typedef OPW_UINT OPW_N(words);
typedef OPW_INT OPW_N(counts);
#define OPW_WORDS(x) OPW_N(bits)(x)
#define OPW_REALS(u) OPW_N(value)(u)
#define OPW_WHERE(condition) (-(OPW_UINT)(condition))
#define OPW_COUNT(u, places) ((OPW_N(reals))((OPW_N(counts))(u) >> (places)))
#define OPW_MORE(a, b, c) OPW_MADD(a, b, c)
#define OPW_EVERY(c) (c)
#define OPW_LOAD(at) (*(at))
#define OPW_STORE(at, x) (*(at) = (x))
#endif
#define OPW_BELOW_0(x) ((OPW_N(words))((OPW_N(counts))OPW_WORDS(x) >> OPW_TOP))

/* A function of two arguments that tells by NaN, and `met`, what is left to the C library. */
#define OPW_LANES2(name, of, library)                                                                                           \
    OPW_ALONE OPW_UINT OPW_N(name##_run)(OPW_T * to, const OPW_T *from, const OPW_T *with, intptr_t n)                          \
    {                                                                                                                           \
        OPW_N(words) met = {0};                                                                                                 \
        intptr_t i;                                                                                                             \
        n &= -(intptr_t)OPW_WIDTH;                                                                                              \
        OPW_VECTORS                                                                                                             \
        for (i = 0; i < n; i += OPW_AT_ONCE)                                                                                    \
            OPW_STORE(to + i, of(OPW_LOAD(from + i), OPW_LOAD(with + i), &met));                                                \
        return OPW_SOME(met);                                                                                                   \
    }                                                                                                                           \
    OPW_PARTS2(name, __builtin_isunordered(to[i], to[i]), library)
