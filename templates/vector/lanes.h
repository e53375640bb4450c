/* Included for each type, after each.h: numbers that are computed at once, and their bits. Where a table of 16 fits two registers they
   are vectors: compilers would fetch each number from memory. What is computed is the same. */
#undef OPW_AT_ONCE
#undef OPW_WORDS
#undef OPW_REALS
#undef OPW_WHERE
#undef OPW_AT_LEAST
#undef OPW_NEGATIVE
#undef OPW_DIFFER
#undef OPW_UNLESS
#undef OPW_NAN_IF
#undef OPW_ENTRY
#undef OPW_MORE
#undef OPW_EVERY
#undef OPW_SOME
#undef OPW_COUNT
#undef OPW_LOAD
#undef OPW_STORE
#undef OPW_REGISTER
#undef OPW_OF
#undef OPW_COMPARED
#undef OPW_MASKED

#if defined(__AVX512F__)
#include <immintrin.h>
#define OPW_AT_ONCE OPW_WIDTH
#if OPW_TOP == 63
#define OPW_REGISTER __m512d
#define OPW_OF(name) _mm512_##name##_pd
#define OPW_MASKED(name) _mm512_##name##64_mask
#define OPW_COMPARED _mm512_cmp_pd_mask
#define OPW_ENTRY(table, i)                                                                                                     \
    ((reals_f64)_mm512_permutex2var_pd(_mm512_loadu_pd(table), (__m512i)(i), _mm512_loadu_pd((table) + 8)))
typedef __mmask8 OPW_N(marks);
#else
#define OPW_REGISTER __m512
#define OPW_OF(name) _mm512_##name##_ps
#define OPW_MASKED(name) _mm512_##name##32_mask
#define OPW_COMPARED _mm512_cmp_ps_mask
#define OPW_ENTRY(table, i) ((reals_f32)_mm512_permutexvar_ps((__m512i)(i), _mm512_loadu_ps(table)))
typedef __mmask16 OPW_N(marks);
#endif
#elif defined(__AVX2__) && OPW_TOP == 31
#include <immintrin.h>
#define OPW_AT_ONCE OPW_WIDTH
#define OPW_SOME(met) (!_mm256_testz_si256((__m256i)(met), (__m256i)(met)))
#define OPW_REGISTER __m256
#define OPW_OF(name) _mm256_##name##_ps
#define OPW_HALF(table, i) _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), (__m256i)(i))
#define OPW_ENTRY(table, i) /* by the fourth bit from one half */                                                               \
    ((reals_f32)_mm256_blendv_ps(OPW_HALF(table, i), OPW_HALF((table) + 8, i), (__m256)((words_f32)(i) << 28)))
#else
#define OPW_AT_ONCE 1
#define OPW_SOME(met) ((met) != 0)
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

/* Marks of the numbers of which something is true: masks where processors have them, else words without a bit or with all bits. What is
   marked becomes 0, or NaN. */
#if defined(OPW_MASKED)
#define OPW_SOME(met) ((met) != 0)
#define OPW_AT_LEAST(u, least) OPW_MASKED(cmpge_epu)((__m512i)(u), (__m512i)((OPW_N(words)){0} + (least)))
#define OPW_NEGATIVE(x) OPW_MASKED(movepi)((__m512i)(x))
#define OPW_DIFFER(x, y) OPW_COMPARED((OPW_REGISTER)(x), (OPW_REGISTER)(y), _CMP_NEQ_UQ)
#define OPW_UNLESS(which, x) ((OPW_N(reals))OPW_OF(maskz_mov)((OPW_N(marks)) ~(which), (OPW_REGISTER)(x)))
#define OPW_NAN_IF(which, x) ((OPW_N(reals))OPW_OF(mask_mov)((OPW_REGISTER)(x), which, (OPW_REGISTER) ~(OPW_N(words)){0}))
#else
typedef OPW_N(words) OPW_N(marks);
#define OPW_AT_LEAST(u, least) OPW_WHERE((u) >= (least))
#define OPW_NEGATIVE(x) ((OPW_N(words))((OPW_N(counts))OPW_WORDS(x) >> OPW_TOP))
#define OPW_DIFFER(x, y) OPW_WHERE((x) != (y))
#define OPW_UNLESS(which, x) OPW_REALS(OPW_WORDS(x) & ~(which))
#define OPW_NAN_IF(which, x) OPW_REALS(OPW_WORDS(x) | (which))
#endif

/* A function of two arguments that tells by NaN, and `met`, what is left to the C library. */
#define OPW_LANES2(name, of, library)                                                                                           \
    OPW_ALONE OPW_UINT OPW_N(name##_run)(OPW_T * to, const OPW_T *from, const OPW_T *with, intptr_t n)                          \
    {                                                                                                                           \
        OPW_N(marks) met = {0};                                                                                                 \
        intptr_t i;                                                                                                             \
        n &= -(intptr_t)OPW_WIDTH;                                                                                              \
        OPW_VECTORS                                                                                                             \
        for (i = 0; i < n; i += OPW_AT_ONCE)                                                                                    \
            OPW_STORE(to + i, of(OPW_LOAD(from + i), OPW_LOAD(with + i), &met));                                                \
        return OPW_SOME(met);                                                                                                   \
    }                                                                                                                           \
    OPW_PARTS2(name, __builtin_isunordered(to[i], to[i]), library)
