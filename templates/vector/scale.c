/* Products with powers of two, exact or rounded once, and what numbers are such products of: the same at every level. Compiled once for
   each level of processors, with the package. */
#include "base.h"

#if defined(__AVX512F__) /* has instructions for them */
#include <immintrin.h>

OPW_ONE void opw_scale_f64(double *to, const double *from, const int32_t *by)
{
    _mm512_storeu_pd(to, _mm512_scalef_pd(_mm512_loadu_pd(from), _mm512_cvtepi32_pd(_mm256_loadu_si256((const void *)by))));
}

OPW_ONE void opw_scale_f32(float *to, const float *from, const int32_t *by)
{
    _mm512_storeu_ps(to, _mm512_scalef_ps(_mm512_loadu_ps(from), _mm512_cvtepi32_ps(_mm512_loadu_si512(by))));
}

#define OPW_NO_EXPONENT 0x9f /* zeros, infinities, NaN */

OPW_ONE void opw_parts_f64(double *to, int32_t *power, const double *from)
{
    const __m512d x = _mm512_loadu_pd(from), above = _mm512_add_pd(_mm512_getexp_pd(x), _mm512_set1_pd(1));
    const __mmask8 has = (__mmask8)~_mm512_fpclass_pd_mask(x, OPW_NO_EXPONENT);
    _mm512_storeu_pd(to, _mm512_mask_getmant_pd(x, has, x, _MM_MANT_NORM_p5_1, _MM_MANT_SIGN_src));
    _mm256_storeu_si256((void *)power, _mm512_maskz_cvtpd_epi32(has, above));
}

OPW_ONE void opw_parts_f32(float *to, int32_t *power, const float *from)
{
    const __m512 x = _mm512_loadu_ps(from), above = _mm512_add_ps(_mm512_getexp_ps(x), _mm512_set1_ps(1));
    const __mmask16 has = (__mmask16)~_mm512_fpclass_ps_mask(x, OPW_NO_EXPONENT);
    _mm512_storeu_ps(to, _mm512_mask_getmant_ps(x, has, x, _MM_MANT_NORM_p5_1, _MM_MANT_SIGN_src));
    _mm512_storeu_si512(power, _mm512_maskz_cvtps_epi32(has, above));
}
#endif

#include "f64.h"
#include "each.h"
#include "scale.h"
#include "end.h"

#include "f32.h"
#include "each.h"
#include "scale.h"
