/* What was met of floating point, brought into the status word where it is asked for. */
#ifndef OPW_FLOATS
#define OPW_FLOATS
#include <fenv.h>

#if defined(__SSE2__) && defined(__GNUC__)
#include <xmmintrin.h>
#define OPW_MET (_MM_EXCEPT_DIV_ZERO | _MM_EXCEPT_OVERFLOW | _MM_EXCEPT_UNDERFLOW | _MM_EXCEPT_INVALID)

/* As if it had been met now: in the word of the unit that computes floats and doubles. glibc's feraiseexcept raises overflow and
   underflow in the x87 unit alone. */
static inline void opw_meet_floats(int met)
{
    unsigned int word = _mm_getcsr();
    if ((unsigned int)met & ~word) /* the bits are the same in both units */
        _mm_setcsr(word | ((unsigned int)met & OPW_MET));
}
#else
static inline void opw_meet_floats(int met)
{
    if (met)
        (void)feraiseexcept(met);
}
#endif
#endif
