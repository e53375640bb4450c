/* Keeps the compiler's remarks on unused names of the glue away; a precompiled header does not carry it. */
#if defined(__GNUC__)              /* a unit uses what it needs of the runtime, a fragment of what it is given */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wunused-local-typedefs"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* a loop that calls a function is asked for vectors in vain */
#endif
#endif
