/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/ref.h"

#include <math.h>

static int64_t row_begin(const spl_sparse *m, int64_t i)
{
    return spl__index_at(m->offsets, m->offset_type, i);
}

static int64_t column(const spl_sparse *m, int64_t p)
{
    return spl__index_at(m->indices, m->index_type, p);
}

static double value(const spl_sparse *m, int64_t p)
{
    return spl__value_at(m->values, m->type, p);
}

static void add(spl__ref_element *e, double term)
{
    e->value += term;
    e->magnitude += fabs(term);
    e->terms++;
}

static int64_t dense_offset(const spl_dense *m, int64_t i, int64_t j)
{
    return m->order == SPL_ROW_MAJOR ? i * m->ld + j : i + j * m->ld;
}

double spl__dense_at(const spl_dense *m, int64_t i, int64_t j)
{
    return spl__value_at(m->values, m->type, dense_offset(m, i, j));
}

void spl__dense_set(const spl_dense *m, int64_t i, int64_t j, double v)
{
    spl__value_set(m->values, m->type, dense_offset(m, i, j), v);
}

spl__ref_element spl__ref_spmv(double alpha, const spl_sparse *a, const void *x, double beta, const void *y, int64_t i)
{
    spl__ref_element e = {0};
    if (alpha != 0)
        for (int64_t p = row_begin(a, i); p < row_begin(a, i + 1); p++)
            add(&e, alpha * value(a, p) * spl__value_at(x, a->type, column(a, p)));
    if (beta != 0)
        add(&e, beta * spl__value_at(y, a->type, i));
    return e;
}

void spl__ref_spmm(double alpha, const spl_sparse *a, const spl_dense *b, double beta, const spl_dense *c, int64_t i,
                   int64_t first, int64_t count, spl__ref_element *e)
{
    for (int64_t j = 0; j < count; j++)
        e[j] = (spl__ref_element){0};
    if (alpha != 0)
        for (int64_t p = row_begin(a, i); p < row_begin(a, i + 1); p++)
            for (int64_t j = 0; j < count; j++)
                add(&e[j], alpha * value(a, p) * spl__dense_at(b, column(a, p), first + j));
    if (beta != 0)
        for (int64_t j = 0; j < count; j++)
            add(&e[j], beta * spl__dense_at(c, i, first + j));
}

/* The element in column j, which is part of the row's pattern from now on. */
static spl__ref_element *touch(spl__ref_row *row, int64_t j)
{
    if (!row->present[j]) {
        row->present[j] = 1;
        row->columns[row->count++] = j;
    }
    return &row->elements[j];
}

void spl__ref_spgemm_row(double alpha, const spl_sparse *a, const spl_sparse *b, double beta, const spl_sparse *d,
                         int64_t i, spl__ref_row *row)
{
    for (int64_t p = row_begin(a, i); p < row_begin(a, i + 1); p++) {
        int64_t k = column(a, p);
        for (int64_t q = row_begin(b, k); q < row_begin(b, k + 1); q++) {
            spl__ref_element *e = touch(row, column(b, q));
            if (alpha != 0)
                add(e, alpha * value(a, p) * value(b, q));
        }
    }
    if (!d)
        return;
    for (int64_t p = row_begin(d, i); p < row_begin(d, i + 1); p++) {
        spl__ref_element *e = touch(row, column(d, p));
        if (beta != 0)
            add(e, beta * value(d, p));
    }
}

void spl__ref_row_clear(spl__ref_row *row)
{
    for (int64_t k = 0; k < row->count; k++) {
        row->elements[row->columns[k]] = (spl__ref_element){0};
        row->present[row->columns[k]] = 0;
    }
    row->count = 0;
}
