/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/ref.h"

#include <float.h>
#include <math.h>

static double value(const spl_sparse *m, int64_t p)
{
    return spl__value_at(m->values, m->type, p);
}

/* ---- sums of any size ---- */

/* Terms from 2^-REACH to 2^REACH are added unscaled: 2^63 of them cannot overflow, and underflow
 * below f64 is negligible next to them. */
enum { REACH = 500 };

/* Changes the unit to 2^exponent. */
static void rescale(spl__ref_element *e, int exponent)
{
    e->value = ldexp(e->value, e->exponent - exponent);
    e->magnitude = ldexp(e->magnitude, e->exponent - exponent);
    e->exponent = exponent;
}

/* The exponent of the power of two that the sum of absolute values is below. */
static int size_of(const spl__ref_element *e)
{
    int exponent;
    return frexp(e->magnitude, &exponent) > 0 ? exponent + e->exponent : INT16_MIN;
}

/* a*b, of any size: a fraction from 1/4 to 1, and a power of two. */
static void add_far(spl__ref_element *e, double a, double b)
{
    int of_a, of_b;
    double fraction = frexp(a, &of_a) * frexp(b, &of_b);
    int exponent = of_a + of_b;
    if (e->magnitude == 0 || exponent > e->exponent + REACH)
        rescale(e, exponent);
    double term = ldexp(fraction, exponent - e->exponent);
    e->value += term;
    e->magnitude += fabs(term);
}

static void add(spl__ref_element *e, double a, double b)
{
    double term = a * b, size = fabs(term);
    e->terms++;
    if (e->exponent == 0 && size >= 0x1p-500 && size <= 0x1p500) {
        e->value += term;
        e->magnitude += size;
    } else if (!isfinite(a) || !isfinite(b))
        e->value += term;
    else if (a != 0 && b != 0)
        add_far(e, a, b);
}

/* A product of SpGEMM. Factors of A that are smaller than `vanishing` may become 0 when alpha
 * scales them, and 0 times Inf is NaN. */
static void add_product(spl__ref_element *e, double a, double b, double vanishing)
{
    add(e, a, b);
    if (isinf(b) && fabs(a) < vanishing)
        e->vague = true;
    if (!isfinite(a) || !isfinite(b))
        return;
    e->of_a = fmax(e->of_a, fabs(a));
    e->of_b += fabs(b) * 0x1p-64;
}

/* alpha times the sum of products. */
static void scale(spl__ref_element *e, double alpha)
{
    int exponent;
    e->peak = size_of(e);
    if (alpha == 1 || e->terms == 0)
        return;
    if (!isfinite(alpha)) {
        e->value *= alpha;
        e->vague = true;
        return;
    }
    double fraction = frexp(alpha, &exponent);
    e->value *= fraction;
    e->magnitude *= fabs(fraction);
    e->exponent += exponent;
}

/* In units of 1 where that can be. */
static void settle(spl__ref_element *e)
{
    if (e->exponent < 0 || (e->exponent > 0 && size_of(e) <= 2 * REACH))
        rescale(e, 0);
}

double spl__ref_value(const spl__ref_element *e)
{
    return ldexp(e->value, e->exponent);
}

/* ---- products ---- */

int64_t spl__dense_position(const spl_dense *m, int64_t i, int64_t j)
{
    return m->order == SPL_ROW_MAJOR ? i * m->ld + j : i + j * m->ld;
}

double spl__dense_at(const spl_dense *m, int64_t i, int64_t j)
{
    return spl__value_at(m->values, m->type, spl__dense_position(m, i, j));
}

void spl__dense_set(const spl_dense *m, int64_t i, int64_t j, double v)
{
    spl__value_set(m->values, m->type, spl__dense_position(m, i, j), v);
}

spl__ref_element spl__ref_spmv(double alpha, const spl_sparse *a, const void *x, double beta,
                               const void *y, int64_t i)
{
    spl__ref_element e = {0};
    if (alpha != 0)
        for (int64_t p = spl__offset_at(a, i); p < spl__offset_at(a, i + 1); p++)
            add(&e, value(a, p), spl__value_at(x, a->type, spl__entry_index(a, p)));
    scale(&e, alpha);
    if (beta != 0)
        add(&e, beta, spl__value_at(y, a->type, i));
    settle(&e);
    return e;
}

int64_t spl__ref_spmm(double alpha, const spl_sparse *a, const spl_dense *b, double beta,
                      const spl_dense *c, int64_t i, int64_t first, spl__ref_element *e)
{
    const int64_t left = b->cols - first, count = left < SPL__REF_COLUMNS ? left : SPL__REF_COLUMNS;
    for (int64_t j = 0; j < count; j++)
        e[j] = (spl__ref_element){0};
    if (alpha != 0)
        for (int64_t p = spl__offset_at(a, i); p < spl__offset_at(a, i + 1); p++)
            for (int64_t j = 0; j < count; j++)
                add(&e[j], value(a, p), spl__dense_at(b, spl__entry_index(a, p), first + j));
    for (int64_t j = 0; j < count; j++) {
        scale(&e[j], alpha);
        if (beta != 0)
            add(&e[j], beta, spl__dense_at(c, i, first + j));
        settle(&e[j]);
    }
    return count;
}

spl__ref_element *spl__ref_touch(spl__ref_row *row, int64_t j, spl__ref_element none)
{
    if (!row->present[j]) {
        row->present[j] = 1;
        row->columns[row->count++] = j;
        row->elements[j] = none;
    }
    return &row->elements[j];
}

/* What is smaller is below the smallest number of the type once alpha has scaled it. */
static double vanishing_below(double alpha, spl_type type)
{
    double least = spl__type_of_sums(type) == SPL_F32 ? FLT_TRUE_MIN : DBL_TRUE_MIN;
    return alpha == 1 || alpha == -1 || alpha == 0 ? 0 : least / fabs(alpha);
}

void spl__ref_spgemm_row(double alpha, const spl_sparse *a, const spl_sparse *b, double beta,
                         const spl_sparse *d, int64_t i, spl__ref_row *row)
{
    static const spl__ref_element none;
    const double vanishing = vanishing_below(alpha, a->type);
    for (int64_t p = spl__offset_at(a, i); p < spl__offset_at(a, i + 1); p++) {
        int64_t k = spl__entry_index(a, p);
        for (int64_t q = spl__offset_at(b, k); q < spl__offset_at(b, k + 1); q++) {
            spl__ref_element *e = spl__ref_touch(row, spl__entry_index(b, q), none);
            if (alpha != 0)
                add_product(e, value(a, p), value(b, q), vanishing);
        }
    }
    for (int64_t k = 0; k < row->count; k++)
        scale(&row->elements[row->columns[k]], alpha);
    for (int64_t p = d ? spl__offset_at(d, i) : 0; d && p < spl__offset_at(d, i + 1); p++) {
        spl__ref_element *e = spl__ref_touch(row, spl__entry_index(d, p), none);
        if (beta != 0)
            add(e, beta, value(d, p));
    }
    for (int64_t k = 0; k < row->count; k++)
        settle(&row->elements[row->columns[k]]);
}

void spl__ref_row_clear(spl__ref_row *row)
{
    for (int64_t k = 0; k < row->count; k++) {
        row->elements[row->columns[k]] = (spl__ref_element){0};
        row->present[row->columns[k]] = 0;
    }
    row->count = 0;
}
