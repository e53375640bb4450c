/* Logarithms of sums of powers: the greater of two, and log(1 + exp(d)) or log2(1 + exp2(d)) of how far the other lies below it. */

/* What is NaN or infinite comes of a choice: where a number is NaN, or the greater infinite. */
OPW_ONE int OPW_N(no_sum)(OPW_T x, OPW_T y)
{
    return __builtin_isunordered(x, y) | __builtin_isgreater(x, OPW_MOST) | __builtin_isgreater(y, OPW_MOST) |
           (__builtin_isless(x, -OPW_MOST) & __builtin_isless(y, -OPW_MOST));
}

OPW_ONE OPW_T OPW_N(no_sum_of)(OPW_T x, OPW_T y)
{
    return __builtin_isunordered(x, y) ? x + y : __builtin_isgreater(x, y) ? x : y;
}

/* d, 0 or less, and the power that comes of it: nothing comes of -infinity, and no underflow is marked. */
#define OPW_SUM_OF(power)                                                                                                       \
    const int other = OPW_N(no_sum)(x, y), less = __builtin_isless(x, y);                                                       \
    const OPW_T most = less ? y : x, least = less ? x : y, d = (other ? 0 : least) - (other ? 0 : most);                        \
    const OPW_T found = power(__builtin_isless(d, -OPW_MOST) ? 0 : d), t = __builtin_isless(d, -OPW_MOST) ? 0 : found

OPW_ONE OPW_T OPW_N(logaddexp)(OPW_T x, OPW_T y)
{
    OPW_SUM_OF(OPW_N(exp));
    return most + OPW_N(log1)(t, 0);
}

OPW_ONE OPW_T OPW_N(logaddexp2)(OPW_T x, OPW_T y)
{
    OPW_SUM_OF(OPW_N(exp2));
    return OPW_MADD(OPW_N(log1)(t, 0), OPW_LOG2E, most);
}

OPW_LOOP2(logaddexp, OPW_N(no_sum), OPW_N(no_sum_of))
OPW_LOOP2(logaddexp2, OPW_N(no_sum), OPW_N(no_sum_of))

#undef OPW_SUM_OF
