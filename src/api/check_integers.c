/* SPDX-License-Identifier: Apache-2.0 */
#include "api/check_integers.h"

/* ---- numbers of the type ---- */

/* The number of the type that is equal modulo 2^32 or 2^64. */
static int64_t wrapped(spl_type type, uint64_t value)
{
    if (type == SPL_INT64)
        return (int64_t)value;
    value &= UINT32_MAX;
    return value > INT32_MAX ? (int64_t)value - INT64_C(0x100000000) : (int64_t)value;
}

static int64_t times(spl_type type, int64_t a, int64_t b)
{
    return wrapped(type, (uint64_t)a * (uint64_t)b);
}

static int64_t plus(spl_type type, int64_t a, int64_t b)
{
    return wrapped(type, (uint64_t)a + (uint64_t)b);
}

/* The length of a path, or its cost: see the header. */
static int64_t path(spl_type type, int64_t a, int64_t b, int64_t infinity)
{
    const int64_t largest = spl__integer_max(type), smallest = -largest - 1;
    if (a == infinity || b == infinity)
        return infinity;
    if (b > 0)
        return a > largest - b ? largest : a + b;
    return a < smallest - b ? smallest : a + b;
}

/* ---- semirings ---- */

static int64_t none(const spl__problem *p)
{
    const int64_t largest = spl__integer_max(p->a.csr.type);
    switch (p->options.semiring) {
    case SPL_MIN_PLUS:
    case SPL_MIN_SECOND:
        return largest;
    case SPL_MAX_PLUS:
    case SPL_MAX_SECOND:
        return -largest - 1;
    default:
        return 0;
    }
}

spl__ref_element spl__integers_none(const spl__problem *p)
{
    return (spl__ref_element){.whole = none(p)};
}

static int64_t multiply(const spl__problem *p, int64_t a, int64_t b)
{
    const spl_type type = p->a.csr.type;
    switch (p->options.semiring) {
    case SPL_PLUS_TIMES:
        return times(type, a, b);
    case SPL_PLUS_PAIR:
        return 1;
    case SPL_PLUS_FIRST:
        return a;
    case SPL_MIN_PLUS:
    case SPL_MAX_PLUS:
        return path(type, a, b, none(p));
    default:
        return b;
    }
}

static void join(const spl__problem *p, spl__ref_element *e, int64_t value)
{
    switch (p->options.semiring) {
    case SPL_MIN_PLUS:
    case SPL_MIN_SECOND:
        e->whole = value < e->whole ? value : e->whole;
        break;
    case SPL_MAX_PLUS:
    case SPL_MAX_SECOND:
        e->whole = value > e->whole ? value : e->whole;
        break;
    case SPL_OR_SECOND:
        e->whole |= value;
        break;
    default:
        e->whole = plus(p->a.csr.type, e->whole, value);
    }
}

/* ---- elements ---- */

/* Values that the semiring does not use may not be there. */
static int64_t value(const spl_sparse *m, int64_t k)
{
    return m->values ? spl__integer_at(m->values, m->type, k) : 0;
}

static int64_t dense_value(const spl_dense *m, int64_t i, int64_t j)
{
    return spl__integer_at(m->values, m->type, spl__dense_position(m, i, j));
}

void spl__integers_row(const spl__problem *p, int64_t alpha, int64_t beta, int64_t i,
                       spl__ref_row *row)
{
    const spl_sparse *a = &p->a.csr, *b = &p->b.csr, *d = &p->d.csr;
    const spl_type type = a->type;
    const spl__ref_element empty = spl__integers_none(p);
    for (int64_t q = spl__offset_at(a, i); q < spl__offset_at(a, i + 1); q++) {
        const int64_t k = spl__entry_index(a, q);
        for (int64_t r = spl__offset_at(b, k); r < spl__offset_at(b, k + 1); r++)
            join(p, spl__ref_touch(row, spl__entry_index(b, r), empty),
                 multiply(p, value(a, q), value(b, r)));
    }
    for (int64_t n = 0; n < row->count && p->options.semiring == SPL_PLUS_TIMES; n++) {
        spl__ref_element *e = &row->elements[row->columns[n]];
        e->whole = times(type, alpha, e->whole);
    }
    if (!p->has_d)
        return;
    for (int64_t q = spl__offset_at(d, i); q < spl__offset_at(d, i + 1); q++) {
        spl__ref_element *e = spl__ref_touch(row, spl__entry_index(d, q), empty);
        if (beta != 0)
            join(p, e, times(type, beta, value(d, q)));
    }
}

spl__ref_element spl__integers_element(const spl__problem *p, int64_t alpha, const spl_dense *b,
                                       int64_t beta, const spl_dense *before, int64_t i, int64_t j)
{
    const spl_sparse *a = &p->a.csr;
    spl__ref_element e = spl__integers_none(p);
    for (int64_t q = spl__offset_at(a, i); q < spl__offset_at(a, i + 1); q++)
        join(p, &e, multiply(p, value(a, q), dense_value(b, spl__entry_index(a, q), j)));
    if (p->options.semiring == SPL_PLUS_TIMES)
        e.whole = times(a->type, alpha, e.whole);
    if (beta != 0)
        join(p, &e, times(a->type, beta, dense_value(before, i, j)));
    return e;
}
