/* What the runtime asks of the processor. */
/* ---- processor ----------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define OPW_SECOND (1 << 21) /* as many bytes that a second cache may hold */
#define OPW_MEMORY (1 << 24) /* as many that no cache holds for long */

/* Processors that differ in what helps them. */
enum { OPW_INTELS = 1, OPW_ICE_LAKES, OPW_ZEN_5, OPW_OTHERS };

#if defined(__x86_64__)
/* Of AMD's the family tells: 0x19 is Zen 3 and 4, 0x1a Zen 5. Of Intel's, nearly all of one family, the model: 0x6a and 0x6c are Xeons of
   Ice Lake. */
static int opw_look_at_processor(void)
{
    unsigned int answer, maker = 0, family, model, b, c, d;
    if (!__get_cpuid(0, &answer, &maker, &c, &d) || !__get_cpuid(1, &answer, &b, &c, &d))
        return OPW_OTHERS;
    family = (answer >> 8 & 15) + (answer >> 20 & 255);
    model = (answer >> 4 & 15) | (answer >> 12 & 0xf0);
    if (maker == signature_INTEL_ebx)
        return family == 6 && (model == 0x6a || model == 0x6c) ? OPW_ICE_LAKES : OPW_INTELS;
    return maker == signature_AMD_ebx && family >= 0x1a ? OPW_ZEN_5 : OPW_OTHERS;
}
#else
static int opw_look_at_processor(void) { return OPW_OTHERS; }
#endif

/* Which the processor is, or is taken for. Looked at once: where it is a virtual one, that takes as long as 10^5 additions. */
static int opw_processor(void)
{
#ifdef OPW_TAKEN_FOR /* what tests, which compile the runtime, say */
    (void)opw_look_at_processor;
    return OPW_TAKEN_FOR;
#else
    static int known;
    int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!answer) {
        answer = opw_look_at_processor();
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    return answer;
#endif
}

static int opw_is_intel(void) { return opw_processor() <= OPW_ICE_LAKES; }

/* Whether so many bytes that are written are better put past the caches, which would read each line first. On a Xeon of Ice Lake loops over
   10^7 elements took 0.7 to 0.88 of the time so, by way of a part at a time in the nearest cache, which was as fast as from registers; in
   memory that the system had yet to give it took 0.9 to 1.2. On Zen 4 that way took 1.05 to 1.2. Elsewhere it was not tried. */
static int opw_stores_past(npy_intp bytes) { return bytes > OPW_MEMORY && opw_processor() == OPW_ICE_LAKES; }

/* Whether a processor is better left to itself where so many bytes are read and written, which come from memory: vectors that cross
   lines ask for the next line sooner. On Zen 4 stores of 10^7 elements took 1.05 to 1.1 times as long. Intel's is not: on Xeons what
   helps near was not seen to harm there. */
static int opw_is_left_alone(npy_intp bytes) { return bytes > OPW_MEMORY && !opw_is_intel(); }

/* Whether so many bytes are read one stretch at a time, not several that are rows apart: on Zen 4 var of 10^7 elements by rows took 1.3
   times as long where loops went over two rows at once as where one had a stretch of rows before the next; on Xeons and Zen 5 it is the
   other way. */
static int opw_is_by_stretches(npy_intp bytes) { return bytes > OPW_MEMORY && opw_processor() == OPW_OTHERS; }

/* How many bytes on what is read once, so many in all, is asked for. On Zen 5: from the third cache 512 changed nothing, 1024 to 3072
   took a tenth off; from memory, one array, 2048 a tenth and 4096 to 8192 a fifth. On Xeons, one array: from the second cache 2048 took a
   quarter off; from memory itself 3072 a twentieth, and a page and more took up to a tenth longer than less; of several arrays it changed
   nothing how far. On Zen 4 loops that also store gained an eighth from the third cache, and nothing from nearer ones. */
#define OPW_AHEAD_NEAR 2048
static int opw_ahead_of(npy_intp bytes)
{
    const int processor = opw_processor();
    if (bytes <= OPW_MEMORY)
        return processor == OPW_OTHERS && bytes <= OPW_SECOND ? 0 : OPW_AHEAD_NEAR;
    return opw_is_intel() ? 3072 : 6144;
}

/* Whether several long rows of several inputs are read at once, where that changes no bits: on Zen 4 what is larger or smaller of two took
   0.75 to 0.95 of the time so, from caches as from memory, and up to twice as long in rows of less than 8 KB. */
static int opw_reads_apart(void) { return opw_processor() == OPW_OTHERS; }

/* Whether loops that store nothing ask at all. On Zen 4 sums of one array and of two took 1.05 to 1.3 times as long from each cache and
   from memory, whatever the distance. */
static int opw_folds_ask(void) { return opw_processor() != OPW_OTHERS; }
