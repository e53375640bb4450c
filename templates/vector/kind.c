/* What kind of number each is: exact, so the same at every level. Compiled once for each level of processors, with the package. */
#include "base.h"

#if defined(__AVX2__)
#include <immintrin.h>

#define OPW_ITSELF(name, x) (x)
#define OPW_UNORDERED(name, x) _mm256_cmp_##name(x, x, _CMP_UNORD_Q)
#define OPW_SIZE(name, x) _mm256_andnot_##name(_mm256_set1_##name(-0.0f), x)
#define OPW_INFINITE(name, x) _mm256_cmp_##name(OPW_SIZE(name, x), _mm256_set1_##name(INFINITY), _CMP_EQ_OQ)
#define OPW_FINITE(name, x) _mm256_cmp_##name(OPW_SIZE(name, x), _mm256_set1_##name(INFINITY), _CMP_LT_OQ)

/* The signs of 32 as bytes of 0 and 1. Words are packed within each half of a vector, and keep their signs. */
OPW_ONE __m256i opw_packed(__m256 a, __m256 b, __m256 c, __m256 d)
{
    const __m256i ab = _mm256_packs_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b));
    const __m256i cd = _mm256_packs_epi32(_mm256_castps_si256(c), _mm256_castps_si256(d));
    return _mm256_and_si256(_mm256_srli_epi16(_mm256_packs_epi16(ab, cd), 7), _mm256_set1_epi8(1));
}

/* Four numbers of each half are neighbours, */
OPW_ONE void opw_put_f32(uint8_t *to, __m256i signs)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256((void *)to, _mm256_permutevar8x32_epi32(signs, order));
}

/* or two. */
OPW_ONE void opw_put_f64(uint8_t *to, __m256i signs)
{
    const __m128i low = _mm256_castsi256_si128(signs), high = _mm256_extracti128_si256(signs, 1);
    _mm_storeu_si128((void *)to, _mm_unpacklo_epi16(low, high));
    _mm_storeu_si128((void *)(to + 16), _mm_unpackhi_epi16(low, high));
}

#define OPW_SIGNS_F32(from, of) of(ps, _mm256_loadu_ps(from))
#define OPW_OF_F64(from, of) _mm256_castpd_ps(of(pd, _mm256_loadu_pd(from)))
#define OPW_SIGNS_F64(from, of) _mm256_shuffle_ps(OPW_OF_F64(from, of), OPW_OF_F64((from) + 4, of), 0xdd) /* of words, the upper ones */
#define OPW_SIGNS(to, from, of)                                                                                                 \
    OPW_N(opw_put)(to, opw_packed(OPW_FOUR((from), of), OPW_FOUR((from) + 8, of), OPW_FOUR((from) + 16, of), OPW_FOUR((from) + 24, of)))
#endif

#define OPW_FOUR OPW_SIGNS_F64
#include "f64.h"
#include "each.h"
#include "kind.h"
#include "end.h"

#undef OPW_FOUR
#define OPW_FOUR OPW_SIGNS_F32
#include "f32.h"
#include "each.h"
#include "kind.h"
