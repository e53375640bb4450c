/* Copies of runs of elements. */
/* ---- copies ------------------------------------------------------------------------------------------------------- */

#define OPW_PATTERN 64 /* bytes that repeat an element */

/* The same element n times, one behind the other: vectors of it. */
static void opw_repeat(char *to, const char *from, npy_intp n, npy_intp size)
{
    char pattern[OPW_PATTERN];
    npy_intp bytes = n * size, i;
    for (i = 0; i < OPW_PATTERN; i += size)
        memcpy(pattern + i, from, (size_t)size);
    for (i = 0; i + OPW_PATTERN <= bytes; i += OPW_PATTERN)
        memcpy(to + i, pattern, OPW_PATTERN);
    memcpy(to + i, pattern, (size_t)(bytes - i));
}

/* Copies n elements, which are f apart, to places that are t apart. At a line of its own: short runs take up to a third longer where its
   loops lie askew, which hangs on whatever stands before it. */
__attribute__((aligned(64))) static void opw_copy_run(char *to, npy_intp t, const char *from, npy_intp f, npy_intp n, npy_intp size)
{
    npy_intp i;
    if (t == size && f == size) {
        memcpy(to, from, (size_t)(n * size));
        return;
    }
    if (t == size && !f && size <= OPW_PATTERN && !(size & (size - 1))) {
        opw_repeat(to, from, n, size);
        return;
    }
#define OPW_COPY(bytes)                                   \
    case bytes:                                           \
        for (i = 0; i < n; i++)                           \
            memcpy(to + i * t, from + i * f, bytes);      \
        return;
    switch (size) {
        OPW_COPY(1)
        OPW_COPY(2)
        OPW_COPY(4)
        OPW_COPY(8)
        OPW_COPY(16)
    }
#undef OPW_COPY
    for (i = 0; i < n; i++)
        memcpy(to + i * t, from + i * f, (size_t)size);
}
