/* SPDX-License-Identifier: Apache-2.0 */
/* operate.h: template of elementwise.c and entries.k.h: a op b in the type of sums. No guard. */
#ifndef SPL__MINUS
#define SPL__MINUS(a, b)                                                                           \
    SPL__BY_TYPE(a, (int32_t)((uint32_t)(a) - (uint32_t)(b)),                                      \
                 (int64_t)((uint64_t)(a) - (uint64_t)(b)), (a) - (b))
#endif

SPL__EVERYWHERE ACC FN(operate)(spl_operation operation, ACC a, ACC b)
{
    const ACC same = a; /* but if a is not a number */
    switch (operation) {
    case SPL_OP_PLUS:
        return SPL__PLUS(a, b);
    case SPL_OP_MINUS:
        return SPL__MINUS(a, b);
    case SPL_OP_TIMES:
        return SPL__TIMES(a, b);
    case SPL_OP_MIN:
        return b < a || a != same ? b : a;
    case SPL_OP_MAX:
        return b > a || a != same ? b : a;
    case SPL_OP_FIRST:
        return a;
    case SPL_OP_SECOND:
        return b;
    default:
        return 1;
    }
}
