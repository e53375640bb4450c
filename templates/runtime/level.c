/* The processor's level, as the psABI of x86-64 counts them: what processor and system both have. */
#if defined(__x86_64__)
#include <cpuid.h>

/* The registers that the system keeps for a process, as XGETBV says; its mnemonic is not known to all assemblers. */
static unsigned int opw_kept_registers(void)
{
    unsigned int low, high;
    __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static int opw_level(void)
{
    const unsigned int two = bit_SSE3 | bit_SSSE3 | bit_CMPXCHG16B | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT;
    const unsigned int three = bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C, three_more = bit_BMI | bit_AVX2 | bit_BMI2;
    const unsigned int four = bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL;
    unsigned int a, b, c, d, first, more = 0, extended = 0, kept;
    if (!__get_cpuid(1, &a, &b, &first, &d))
        return 1;
    if (__get_cpuid(0x80000001, &a, &b, &c, &d))
        extended = c;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
        more = b;
    if ((first & two) != two || !(extended & 1)) /* LAHF and SAHF */
        return 1;
    if ((first & three) != three || (more & three_more) != three_more || !(extended & (1u << 5))) /* LZCNT */
        return 2;
    kept = opw_kept_registers();
    if ((kept & 0x6u) != 0x6u) /* xmm, ymm */
        return 2;
    return (more & four) == four && (kept & 0xe6u) == 0xe6u ? 4 : 3; /* masks, zmm */
}
#else
static int opw_level(void)
{
    return 1;
}
#endif

/* Asked once a process, as in sha256.c. */
static PyObject *opw_py_level(PyObject *module, PyObject *none)
{
    static int known;
    (void)module;
    (void)none;
    if (!known)
        known = opw_level();
    return PyLong_FromLong(known);
}
