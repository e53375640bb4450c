/* What the runtime asks of the processor. */
/* ---- processor ----------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define OPW_MEMORY (1 << 24) /* as many bytes that no cache holds for long */

/* Whether the processor is Intel's, or said to be. Asked once: where it is a virtual one, its answer takes as long as 10^5 additions. */
static int opw_is_intel(void)
{
#ifdef OPW_INTEL /* what tests, which say so in cflags, take it for */
    return OPW_INTEL;
#elif defined(__x86_64__)
    static int known; /* 1 + the answer */
    unsigned int most, b, c, d;
    int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!answer) {
        answer = 1 + (__get_cpuid(0, &most, &b, &c, &d) && b == signature_INTEL_ebx);
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    return answer - 1;
#else
    return 0;
#endif
}

/* Whether a processor is better left to itself where so many bytes are read and written, which come from memory: vectors that cross
   lines ask for the next line sooner. On Zen 4 stores of 10^7 elements took 1.05 to 1.1 times as long. Intel's is not: on Xeons what
   helps near was not seen to harm there. */
static int opw_is_left_alone(npy_intp bytes) { return bytes > OPW_MEMORY && !opw_is_intel(); }

/* How many bytes on what is read once, so many in all, is asked for. On Zen 5: from the third cache 512 changed nothing, 1024 to 3072
   took a tenth off; from memory, one array, 2048 a tenth and 4096 to 8192 a fifth. On Xeons, one array: from the second cache 2048 took a
   quarter off; from memory itself 3072 a twentieth, and a page and more took up to a tenth longer than less; of several arrays it changed
   nothing how far. */
#define OPW_AHEAD_NEAR 2048
static int opw_ahead_of(npy_intp bytes) { return bytes <= OPW_MEMORY ? OPW_AHEAD_NEAR : opw_is_intel() ? 3072 : 6144; }
