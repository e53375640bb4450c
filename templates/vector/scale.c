/* Products with powers of two: exact, or rounded once, so the same at every level. Compiled once for each level of processors, with the
   package. */
#include "base.h"

#if defined(__AVX512F__) /* has an instruction for it */
#include <immintrin.h>

OPW_ONE void opw_scale_f64(double *to, const double *from, const int32_t *by)
{
    _mm512_storeu_pd(to, _mm512_scalef_pd(_mm512_loadu_pd(from), _mm512_cvtepi32_pd(_mm256_loadu_si256((const void *)by))));
}

OPW_ONE void opw_scale_f32(float *to, const float *from, const int32_t *by)
{
    _mm512_storeu_ps(to, _mm512_scalef_ps(_mm512_loadu_ps(from), _mm512_cvtepi32_ps(_mm512_loadu_si512(by))));
}
#endif

#include "f64.h"
#include "each.h"
#include "scale.h"
#include "end.h"

#include "f32.h"
#include "each.h"
#include "scale.h"
