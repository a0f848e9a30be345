/* SPDX-License-Identifier: Apache-2.0 */
/* monoid.h: template of reduce.c and entries.k.h: what a monoid makes of two values, and of none.
 * Defines SUM, the type of sums: f64, or i64 for integers, which wrap as narrower ones do. No
 * guard; #undef SUM after use. */
#ifdef INTEGER
#define SUM int64_t
#else
#define SUM double
#endif

SPL__EVERYWHERE SUM FN(identity)(spl_monoid monoid)
{
#ifdef INTEGER
    const SUM largest = sizeof(T) == sizeof(int32_t) ? INT32_MAX : INT64_MAX, least = -largest - 1;
#else
    const SUM largest = __builtin_inf(), least = -__builtin_inf();
#endif
    switch (monoid) {
    case SPL_TIMES:
        return 1;
    case SPL_MIN:
        return largest;
    case SPL_MAX:
        return least;
    default:
        return 0;
    }
}

SPL__EVERYWHERE SUM FN(combine)(spl_monoid monoid, SUM a, SUM b)
{
    switch (monoid) {
    case SPL_TIMES:
        return SPL__TIMES(a, b);
    case SPL_MIN:
        return b < a ? b : a;
    case SPL_MAX:
        return b > a ? b : a;
    default:
        return SPL__PLUS(a, b);
    }
}
