/* SHA-256 (FIPS 180-4), by the processor's instructions where it has them: each module that a process takes from the cache is summed
   before it is loaded, and is hundreds of blocks. */
/* ---- sums ---------------------------------------------------------------------------------------------------------- */

static const uint32_t opw_sha_rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t opw_turned(uint32_t x, int n) { return x >> n | x << (32 - n); }

static inline uint32_t opw_big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | (uint32_t)at[3];
}

/* The words of one block's 64 rounds. */
static void opw_sha_schedule(const unsigned char *block, uint32_t *w)
{
    int i;
    for (i = 0; i < 16; i++)
        w[i] = opw_big_endian(block + 4 * i);
    for (; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (opw_turned(a, 7) ^ opw_turned(a, 18) ^ a >> 3) + w[i - 7] + (opw_turned(b, 17) ^ opw_turned(b, 19) ^ b >> 10);
    }
}

static void opw_sha_plainly(uint32_t *state, const unsigned char *data, size_t blocks)
{
    uint32_t w[64], s[8], one, two;
    int i;
    for (; blocks; blocks--, data += 64) {
        opw_sha_schedule(data, w);
        memcpy(s, state, sizeof(s));
        for (i = 0; i < 64; i++) {
            one = s[7] + (opw_turned(s[4], 6) ^ opw_turned(s[4], 11) ^ opw_turned(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) +
                  opw_sha_rounds[i] + w[i];
            two = (opw_turned(s[0], 2) ^ opw_turned(s[0], 13) ^ opw_turned(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            memmove(s + 1, s, 7 * sizeof(*s));
            s[4] += one;
            s[0] = one + two;
        }
        for (i = 0; i < 8; i++)
            state[i] += s[i];
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

static int opw_asked_for_sha(void)
{
    unsigned int a, b, c, d, first;
    if (!__get_cpuid(1, &a, &b, &first, &d) || !(first & bit_SSSE3) || !(first & bit_SSE4_1))
        return 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA) != 0;
}

/* Asked once: where a hypervisor answers, each question takes longer than a short sum. The caller holds Python's lock. */
static int opw_has_sha(void)
{
    static int known = -1;
    if (known < 0)
        known = opw_asked_for_sha();
    return known;
}

/* Four words a step; x and y hold the state as the instructions want it: ABEF and CDGH, from the highest down. */
__attribute__((target("sha,sse4.1,ssse3"))) static void opw_sha_by_processor(uint32_t *state, const unsigned char *data, size_t blocks)
{
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)state), 0xb1);
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(state + 4)), 0x1b);
    __m128i x = _mm_alignr_epi8(low, high, 8), y = _mm_blend_epi16(high, low, 0xf0), w[4], k;
    int i;
    for (; blocks; blocks--, data += 64) {
        const __m128i before_x = x, before_y = y;
        for (i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(data + 16 * i)), order);
#pragma GCC unroll 16
        for (i = 0; i < 16; i++) {
            k = _mm_add_epi32(w[i & 3], _mm_loadu_si128((const __m128i *)(const void *)(opw_sha_rounds + 4 * i)));
            y = _mm_sha256rnds2_epu32(y, x, k);
            x = _mm_sha256rnds2_epu32(x, y, _mm_shuffle_epi32(k, 0x0e));
            if (i < 12)
                w[i & 3] = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]),
                                                              _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4)), w[(i + 3) & 3]);
        }
        x = _mm_add_epi32(x, before_x);
        y = _mm_add_epi32(y, before_y);
    }
    low = _mm_shuffle_epi32(x, 0x1b);
    high = _mm_shuffle_epi32(y, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(low, high, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(high, low, 8));
}
#else
static int opw_has_sha(void) { return 0; }
#define opw_sha_by_processor opw_sha_plainly
#endif

/* The sum of n bytes, in hexadecimal digits. */
static void opw_sha(const unsigned char *data, size_t n, int plainly, char *digits)
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    void (*blocks)(uint32_t *, const unsigned char *, size_t) = !plainly && opw_has_sha() ? opw_sha_by_processor : opw_sha_plainly;
    unsigned char last[128] = {0};
    size_t rest = n % 64, end = rest < 56 ? 64 : 128;
    int i;
    blocks(state, data, n / 64);
    if (rest)
        memcpy(last, data + (n - rest), rest);
    last[rest] = 0x80;
    for (i = 0; i < 8; i++)
        last[end - 1 - (size_t)i] = (unsigned char)((uint64_t)n * 8 >> (8 * i));
    blocks(state, last, end / 64);
    for (i = 0; i < 64; i++)
        digits[i] = "0123456789abcdef"[state[i / 8] >> (28 - 4 * (i % 8)) & 15];
}

static PyObject *opw_py_sha256(PyObject *module, PyObject *args)
{
    Py_buffer data;
    char digits[64];
    int plainly = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*|p:sha256", &data, &plainly))
        return NULL;
    opw_sha((const unsigned char *)data.buf, (size_t)data.len, plainly, digits);
    PyBuffer_Release(&data);
    return PyUnicode_FromStringAndSize(digits, 64);
}
