/* Included for each type: its names, its bits, and the loops. Wanted: OPW_T, OPW_UINT, OPW_N(name), and what types.h says of it. */
#define OPW_WIDTH (OPW_BYTES / (int)sizeof(OPW_T))

OPW_ONE OPW_UINT OPW_N(bits)(OPW_T x)
{
    OPW_UINT u;
    memcpy(&u, &x, sizeof u);
    return u;
}

OPW_ONE OPW_T OPW_N(value)(OPW_UINT u)
{
    OPW_T x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* 2**n, for what is a normal number. */
OPW_ONE OPW_T OPW_N(power2)(OPW_UINT n) { return OPW_N(value)((n + OPW_BIAS) << OPW_MANTISSA); }

OPW_ONE OPW_T OPW_N(absolute)(OPW_T x) { return OPW_N(value)(OPW_N(bits)(x) & ~OPW_SIGN); }

OPW_ONE OPW_T OPW_N(signed)(OPW_T x, OPW_T sign) { return OPW_N(value)(OPW_N(bits)(x) | (OPW_N(bits)(sign) & OPW_SIGN)); }

/* Of the bits of a number without its sign: whether it is 0, subnormal, infinite or NaN. */
OPW_ONE int OPW_N(not_normal)(OPW_UINT u)
{
    return u - OPW_N(bits)(OPW_NORMAL) > OPW_N(bits)(OPW_MOST) - OPW_N(bits)(OPW_NORMAL);
}

/* The bits of a number without its sign, above those of the least that is normal. */
OPW_ONE OPW_UINT OPW_N(size)(OPW_T x) { return OPW_N(bits)(OPW_N(absolute)(x)) - OPW_N(bits)(OPW_NORMAL); }

/* The smaller, the larger; x where it is NaN, and without a word about that. */
OPW_ONE OPW_T OPW_N(below)(OPW_T x, OPW_T most) { return __builtin_isgreater(x, most) ? most : x; }

OPW_ONE OPW_T OPW_N(above)(OPW_T x, OPW_T least) { return __builtin_isless(x, least) ? least : x; }

/* The same of both signs: what is farther from 0 than `most` comes to that. */
OPW_ONE OPW_T OPW_N(within)(OPW_T x, OPW_T most)
{
    return __builtin_isgreater(OPW_N(absolute)(x), most) ? OPW_N(signed)(most, x) : x;
}

/* Whether none of whole vectors is NaN or lies farther from 0 than `most`. */
OPW_ALONE int OPW_N(all_within)(const OPW_T *from, OPW_T most, intptr_t n)
{
    OPW_UINT beyond = 0;
    intptr_t i;
    n &= -(intptr_t)OPW_WIDTH;
    OPW_VECTORS
    for (i = 0; i < n; i++)
        beyond |= OPW_N(bits)(most) - OPW_N(bits)(OPW_N(absolute)(from[i]));
    return !(beyond >> OPW_TOP);
}

/* Functions as pieces of a loop that is run in stages (loop.h): of whole vectors. */
#define OPW_PIECE1(name)                                                                                                        \
    OPW_SEEN int OPW_N(opw_##name##_piece)(intptr_t n, char *const *at, const int32_t *where)                                   \
    {                                                                                                                           \
        OPW_N(opw_##name)((OPW_T *)(void *)at[where[0]], (const OPW_T *)(const void *)at[where[1]], (n + 7) & -8);              \
        return 0;                                                                                                               \
    }
#define OPW_PIECE2(name)                                                                                                        \
    OPW_SEEN int OPW_N(opw_##name##_piece)(intptr_t n, char *const *at, const int32_t *where)                                   \
    {                                                                                                                           \
        const OPW_T *from = (const OPW_T *)(const void *)at[where[1]], *with = (const OPW_T *)(const void *)at[where[2]];       \
        OPW_N(opw_##name)((OPW_T *)(void *)at[where[0]], from, with, (n + 7) & -8);                                             \
        return 0;                                                                                                               \
    }

/* Operations of an instruction or two as pieces: what is computed may lie where an argument does. One of two arguments may be one
   number throughout. */
#define OPW_SIMPLE(name, rights, once, each, of)                                                                                \
    OPW_SEEN int OPW_N(opw_##name##_piece)(intptr_t n, char *const *at, const int32_t *where)                                   \
    {                                                                                                                           \
        OPW_T *to = (OPW_T *)(void *)at[where[0]];                                                                              \
        const OPW_T *left = (const OPW_T *)(const void *)at[where[1]];                                                          \
        rights once;                                                                                                            \
        intptr_t i;                                                                                                             \
        n = (n + 7) & -8;                                                                                                       \
        OPW_VECTORS                                                                                                             \
        for (i = 0; i < n; i++) {                                                                                               \
            each;                                                                                                               \
            to[i] = of;                                                                                                         \
        }                                                                                                                       \
        return 0;                                                                                                               \
    }
#define OPW_RIGHTS const OPW_T *right = (const OPW_T *)(const void *)at[where[2]];
#define OPW_SIMPLE1(name, of) OPW_SIMPLE(name, , (void)0, const OPW_T x = left[i], of)
#define OPW_SIMPLE2(name, of)                                                                                                   \
    OPW_LEFTS2(name, of)                                                                                                        \
    OPW_SIMPLE(name##_right, OPW_RIGHTS, const OPW_T y = *right, const OPW_T x = left[i], of)
#define OPW_LEFTS2(name, of)                                                                                                    \
    OPW_SIMPLE(name, OPW_RIGHTS, (void)0, const OPW_T x = left[i]; const OPW_T y = right[i], of)                                \
    OPW_SIMPLE(name##_left, OPW_RIGHTS, const OPW_T x = *left, const OPW_T y = right[i], of)

/* Division by one number throughout: by products, to the last bit, as templates/scalar/over_f.c.tmpl tells, where that number and what it
   divides are so far within range, or 0, that nothing on the way is out of it. */
#if OPW_FUSED
#define OPW_OVER2(name, of)                                                                                                     \
    OPW_LEFTS2(name, of)                                                                                                        \
    OPW_SIMPLE(name##_each, OPW_RIGHTS, const OPW_T y = *right, const OPW_T x = left[i], of)                                    \
    OPW_ALONE int OPW_N(name##_within)(const OPW_T *from, intptr_t n)                                                           \
    {                                                                                                                           \
        const OPW_UINT far = OPW_BIAS * 2 / 3, least = (OPW_BIAS - far) << OPW_MANTISSA, span = 2 * far << OPW_MANTISSA;        \
        OPW_UINT beyond = 0;                                                                                                    \
        intptr_t i;                                                                                                             \
        OPW_VECTORS                                                                                                             \
        for (i = 0; i < n; i++) {                                                                                               \
            const OPW_UINT u = OPW_N(bits)(from[i]) & ~OPW_SIGN;                                                                \
            beyond |= (OPW_UINT)((u - least > span) & (u != 0));                                                                \
        }                                                                                                                       \
        return !beyond;                                                                                                         \
    }                                                                                                                           \
    OPW_SEEN int OPW_N(opw_##name##_right_piece)(intptr_t n, char *const *at, const int32_t *where)                             \
    {                                                                                                                           \
        OPW_T *to = (OPW_T *)(void *)at[where[0]];                                                                              \
        const OPW_T *left = (const OPW_T *)(const void *)at[where[1]], *right = (const OPW_T *)(const void *)at[where[2]];      \
        const OPW_T sign = OPW_F(copysign)(1, *right), divisor = *right * sign;                                                 \
        const intptr_t whole = (n + 7) & -8;                                                                                    \
        const OPW_UINT far = OPW_BIAS / 4;                                                                                      \
        OPW_T r;                                                                                                                \
        intptr_t i;                                                                                                             \
        if (OPW_N(bits)(divisor) - ((OPW_BIAS - far) << OPW_MANTISSA) > 2 * far << OPW_MANTISSA ||                              \
            !OPW_N(name##_within)(left, whole))                                                                                 \
            return OPW_N(opw_##name##_each_piece)(n, at, where);                                                                \
        r = 1 / divisor;                                                                                                        \
        OPW_VECTORS                                                                                                             \
        for (i = 0; i < whole; i++) {                                                                                           \
            const OPW_T x = left[i] * sign, q = x * r;                                                                          \
            to[i] = OPW_FMA(OPW_FMA(q, divisor, -x), -r, q);                                                                    \
        }                                                                                                                       \
        return 0;                                                                                                               \
    }
#else
#define OPW_OVER2 OPW_SIMPLE2
#endif

/* The loops. What is special, as `special` says, is left to the C library, which knows all about it. What is computed must not lie
   where the arguments do. OPW_LOOP1 is told what is special; of OPW_RANGE1 it is that whose `key`, a number without sign, is more than
   `most`: NaN too, which stays as it is; OPW_PARTS2 whether the one at i is, as from, with and to tell. */
#define OPW_LOOP1(name, special, library) OPW_EACH1(name, met |= (OPW_UINT)(special(from[i])), met, special, library)
#define OPW_RANGE1(name, key, most, library)                                                                                    \
    OPW_ONE int OPW_N(name##_beyond)(OPW_T x) { return key(x) > (most); }                                                       \
    OPW_ONE OPW_T OPW_N(name##_other)(OPW_T x) { return __builtin_isunordered(x, x) ? x : library(x); }                         \
    OPW_EACH1(name, met = key(from[i]) > met ? key(from[i]) : met, met > (most), OPW_N(name##_beyond), OPW_N(name##_other))
#define OPW_EACH1(name, meet, some, special, library)                                                                           \
    OPW_ALONE OPW_UINT OPW_N(name##_run)(OPW_T * to, const OPW_T *from, intptr_t n)                                             \
    {                                                                                                                           \
        OPW_UINT met = 0;                                                                                                       \
        intptr_t i;                                                                                                             \
        n &= -(intptr_t)OPW_WIDTH; /* as it is: no code for what would be left */                                               \
        OPW_VECTORS                                                                                                             \
        for (i = 0; i < n; i++) {                                                                                               \
            meet;                                                                                                               \
            to[i] = OPW_N(name)(from[i]);                                                                                       \
        }                                                                                                                       \
        return some;                                                                                                            \
    }                                                                                                                           \
    OPW_PARTS1(name, special, library)
#define OPW_PARTS1(name, special, library)                                                                                     \
    OPW_SEEN void OPW_N(opw_##name)(OPW_T * to, const OPW_T *from, intptr_t n)                                                  \
    {                                                                                                                           \
        OPW_T x[OPW_WIDTH], y[OPW_WIDTH];                                                                                       \
        intptr_t m, i;                                                                                                          \
        for (; n > 0; n -= m, to += m, from += m) {                                                                             \
            OPW_UINT met;                                                                                                       \
            m = n < OPW_PART ? n : OPW_PART;                                                                                    \
            if (m >= OPW_WIDTH) {                                                                                               \
                m &= -(intptr_t)OPW_WIDTH;                                                                                      \
                met = OPW_N(name##_run)(to, from, m);                                                                           \
            } else {                                                                                                            \
                for (i = 0; i < OPW_WIDTH; i++)                                                                                 \
                    x[i] = from[i < m ? i : 0];                                                                                 \
                met = OPW_N(name##_run)(y, x, OPW_WIDTH);                                                                       \
                memcpy(to, y, (size_t)m * sizeof *to);                                                                          \
            }                                                                                                                   \
            for (i = 0; met && i < m; i++)                                                                                      \
                if (special(from[i]))                                                                                           \
                    to[i] = library(from[i]);                                                                                   \
        }                                                                                                                       \
    }                                                                                                                           \
    OPW_PIECE1(name)
#define OPW_LOOP2(name, special, library)                                                                                       \
    OPW_ALONE OPW_UINT OPW_N(name##_run)(OPW_T * to, const OPW_T *from, const OPW_T *with, intptr_t n)                          \
    {                                                                                                                           \
        OPW_UINT met = 0;                                                                                                       \
        intptr_t i;                                                                                                             \
        n &= -(intptr_t)OPW_WIDTH;                                                                                              \
        OPW_VECTORS                                                                                                             \
        for (i = 0; i < n; i++) {                                                                                               \
            met |= (OPW_UINT)(special(from[i], with[i]));                                                                       \
            to[i] = OPW_N(name)(from[i], with[i]);                                                                              \
        }                                                                                                                       \
        return met;                                                                                                             \
    }                                                                                                                           \
    OPW_PARTS2(name, special(from[i], with[i]), library)
#define OPW_PARTS2(name, other, library)                                                                                        \
    OPW_SEEN void OPW_N(opw_##name)(OPW_T * to, const OPW_T *from, const OPW_T *with, intptr_t n)                               \
    {                                                                                                                           \
        OPW_T x[OPW_WIDTH], w[OPW_WIDTH], y[OPW_WIDTH];                                                                         \
        intptr_t m, i;                                                                                                          \
        for (; n > 0; n -= m, to += m, from += m, with += m) {                                                                  \
            OPW_UINT met;                                                                                                       \
            m = n < OPW_PART ? n : OPW_PART;                                                                                    \
            if (m >= OPW_WIDTH) {                                                                                               \
                m &= -(intptr_t)OPW_WIDTH;                                                                                      \
                met = OPW_N(name##_run)(to, from, with, m);                                                                     \
            } else {                                                                                                            \
                for (i = 0; i < OPW_WIDTH; i++) {                                                                               \
                    x[i] = from[i < m ? i : 0];                                                                                 \
                    w[i] = with[i < m ? i : 0];                                                                                 \
                }                                                                                                               \
                met = OPW_N(name##_run)(y, x, w, OPW_WIDTH);                                                                    \
                memcpy(to, y, (size_t)m * sizeof *to);                                                                          \
            }                                                                                                                   \
            for (i = 0; met && i < m; i++)                                                                                      \
                if (other)                                                                                                      \
                    to[i] = library(from[i], with[i]);                                                                          \
        }                                                                                                                       \
    }                                                                                                                           \
    OPW_PIECE2(name)

/* The same of what is computed in fewer steps where no number of a part lies farther from 0 than `most`, by `name`_near: with the same
   bits. */
#define OPW_NEAR1(name, most, library)                                                                                         \
    OPW_PLAIN1(name##_run_near, name##_near)                                                                                   \
    OPW_PLAIN1(name##_run_far, name)                                                                                           \
    OPW_ONE OPW_UINT OPW_N(name##_run)(OPW_T * to, const OPW_T *from, intptr_t n)                                              \
    {                                                                                                                          \
        if (OPW_N(all_within)(from, most, n))                                                                                  \
            OPW_N(name##_run_near)(to, from, n);                                                                               \
        else                                                                                                                   \
            OPW_N(name##_run_far)(to, from, n);                                                                                \
        return 0;                                                                                                              \
    }                                                                                                                          \
    OPW_PARTS1(name, OPW_NEVER, library)
#define OPW_PLAIN1(name, of)                                                                                                   \
    OPW_ALONE void OPW_N(name)(OPW_T * to, const OPW_T *from, intptr_t n)                                                      \
    {                                                                                                                          \
        intptr_t i;                                                                                                            \
        n &= -(intptr_t)OPW_WIDTH;                                                                                             \
        OPW_VECTORS                                                                                                            \
        for (i = 0; i < n; i++)                                                                                                \
            to[i] = OPW_N(of)(from[i]);                                                                                        \
    }
