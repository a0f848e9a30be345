/* SPDX-License-Identifier: Apache-2.0 */
#include "api/check_algebra.h"

#include "api/check_integers.h"

#include <math.h>

static int64_t row_begin(const spl_sparse *m, int64_t i)
{
    return spl__index_at(m->offsets, m->offset_type, i);
}

static int64_t column(const spl_sparse *m, int64_t p)
{
    return spl__index_at(m->indices, m->index_type, p);
}

/* Values that the semiring does not use may not be there. */
static double value(const spl_sparse *m, int64_t p, bool used)
{
    return used ? spl__value_at(m->values, m->type, p) : 0;
}

static bool of_integers(const spl__problem *p)
{
    return spl__type_is_integer(p->a.csr.type);
}

static spl__ref_element none_of(const spl__problem *p)
{
    return of_integers(p) ? spl__integers_none(p)
                          : (spl__ref_element){.value = spl__semiring_none(p->options.semiring)};
}

static void join(spl__ref_element *e, int32_t semiring, double product)
{
    double before = e->value;
    SPL__SEMIRING_JOIN(semiring, e->value, product);
    bool sums = !spl__semiring_is_min(semiring) && !spl__semiring_is_max(semiring);
    e->terms = sums ? e->terms + 1 : 1;
    if (sums)
        e->magnitude += fabs(e->value - before);
    else if (isfinite(e->value))
        e->magnitude = fabs(e->value);
}

static void add(spl__ref_element *e, int32_t semiring, double a, double b)
{
    join(e, semiring, SPL__SEMIRING_PRODUCT(double, semiring, a, b));
}

static void multiply(const spl__problem *p, double beta, int64_t i, spl__ref_row *row)
{
    const spl_sparse *a = &p->a.csr, *b = &p->b.csr, *d = &p->d.csr;
    const int32_t semiring = p->options.semiring;
    const bool of_a = spl__semiring_reads_a(semiring), of_b = spl__semiring_reads_b(semiring);
    const spl__ref_element none = none_of(p);
    for (int64_t q = row_begin(a, i); q < row_begin(a, i + 1); q++) {
        int64_t k = column(a, q);
        for (int64_t r = row_begin(b, k); r < row_begin(b, k + 1); r++)
            add(spl__ref_touch(row, column(b, r), none), semiring, value(a, q, of_a),
                value(b, r, of_b));
    }
    for (int64_t q = p->has_d ? row_begin(d, i) : 0; p->has_d && q < row_begin(d, i + 1); q++) {
        spl__ref_element *e = spl__ref_touch(row, column(d, q), none);
        if (beta != 0)
            join(e, semiring, value(d, q, true));
    }
}

/* Leaves the positions that the mask allows. The mask's columns are marked 2, which tells them from
 * columns that only the product has. */
static void apply_mask(const spl__problem *p, int64_t i, spl__ref_row *row)
{
    enum { LISTED = 2 };
    const spl__mask *mask = &p->mask;
    int64_t kept = 0;
    for (int64_t k = mask->offsets[i]; k < mask->offsets[i + 1]; k++) {
        int64_t j = spl__index_at(mask->columns, p->a.csr.index_type, k);
        if (mask->full)
            spl__ref_touch(row, j, none_of(p));
        if (row->present[j])
            row->present[j] = LISTED;
    }
    for (int64_t k = 0; k < row->count; k++) {
        int64_t j = row->columns[k];
        bool keep = (row->present[j] == LISTED) != mask->complement;
        row->present[j] = keep;
        if (keep)
            row->columns[kept++] = j;
        else
            row->elements[j] = (spl__ref_element){0};
    }
    row->count = kept;
}

void spl__check_row(const spl__problem *p, const spl__check_scalars *s, int64_t i,
                    spl__ref_row *row)
{
    if (of_integers(p))
        spl__integers_row(p, s->whole_alpha, s->whole_beta, i, row);
    else if (p->options.semiring)
        multiply(p, s->beta, i, row);
    else
        spl__ref_spgemm_row(s->alpha, &p->a.csr, &p->b.csr, s->beta, p->has_d ? &p->d.csr : NULL, i,
                            row);
    if (p->mask.given)
        apply_mask(p, i, row);
}

bool spl__checks_elements(const spl__problem *p)
{
    return p->options.semiring || of_integers(p);
}

spl__ref_element spl__check_element(const spl__problem *p, const spl__check_scalars *s,
                                    const spl_dense *b, const spl_dense *before, int64_t i,
                                    int64_t j)
{
    if (of_integers(p))
        return spl__integers_element(p, s->whole_alpha, b, s->whole_beta, before, i, j);
    const spl_sparse *a = &p->a.csr;
    const int32_t semiring = p->options.semiring;
    spl__ref_element e = none_of(p);
    for (int64_t q = row_begin(a, i); q < row_begin(a, i + 1); q++)
        add(&e, semiring, value(a, q, spl__semiring_reads_a(semiring)),
            spl__dense_at(b, column(a, q), j));
    if (s->beta != 0)
        join(&e, semiring, spl__dense_at(before, i, j));
    return e;
}
