/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sparse_oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void oracle_add(oracle_sum *sum, double factor, double a, double b)
{
    if (factor == 0)
        return;
    long double product = (long double)a * b, term = factor * product;
    sum->value += term;
    sum->magnitude += isfinite(term) ? fabsl(term) : 0;
    sum->products += isfinite(product) ? fabsl(product) : 0;
    sum->growth = isfinite(factor) && fabs(factor) > sum->growth ? fabs(factor) : sum->growth;
    sum->vague |= !isfinite(factor);
    sum->terms++;
}

/* A product of SpGEMM, where factor*a may be formed first. */
static void add_product(oracle_sum *sum, double factor, double a, double b)
{
    oracle_add(sum, factor, a, b);
    long double first = fabsl((long double)factor * a);
    if (fabs(factor) == 1 || !isfinite(first) || !isfinite(b))
        return;
    sum->of_a = first > sum->of_a ? first : sum->of_a;
    sum->of_b += fabs(b);
}

/* Inf or NaN where sums of some terms may be beyond the type, or alpha is not finite. */
static bool may_be_special(const oracle_sum *sum, bool wide)
{
    long double half = wide ? 0x1p1023L : 0x1p127L;
    return sum->vague || sum->magnitude >= half || sum->products >= half || sum->of_a >= half;
}

static bool accepts(const oracle_sum *sum, double actual, spl_type type, long double u,
                    long double of_factors)
{
    if (!isfinite(actual) && may_be_special(sum, type == SPL_F64))
        return true;
    if (isnan(sum->value))
        return isnan(actual);
    if (isinf(sum->value))
        return (long double)actual == sum->value;
    long double k = (long double)(sum->terms + 3);
    long double bound = (2 * (k * u / (1 - k * u)) + of_factors) * sum->magnitude;
    bound += (k * (sum->growth > 1 ? sum->growth : 1) + sum->of_b) *
             (type == SPL_F64 ? 0x1p-1074L : 0x1p-149L);
    if (type == SPL_F16 || type == SPL_BF16) { /* the sum in f32, rounded once more */
        if (isinf(actual)) /* as it must be from half way beyond the largest number on */
            return copysignl(1, sum->value) == copysign(1, actual) &&
                   fabsl(sum->value) + bound >= (type == SPL_F16 ? 65520 : 0x1.ffp127L);
        bound += (type == SPL_F16 ? 0x1p-11L : 0x1p-8L) * (fabsl(sum->value) + bound);
        bound += type == SPL_F16 ? 0x1p-25L : 0x1p-134L;
    }
    long double error = fabsl((long double)actual - sum->value);
    return error <= bound; /* false for NaN */
}

bool oracle_accepts(const oracle_sum *sum, double actual, spl_type type)
{
    return accepts(sum, actual, type, type == SPL_F64 ? 0x1p-53L : 0x1p-24L, 0);
}

bool oracle_accepts_reduced(const oracle_sum *sum, double actual, spl_type type)
{
    return accepts(sum, actual, type, type == SPL_F64 ? 0x1p-51L : 0x1p-22L,
                   type == SPL_F32 ? 0x1p-9L : 0);
}

void oracle_rows(zoo_matrix *rows, const spl_sparse *view, spl_operator op)
{
    zoo_triples triples;
    zoo_triples_of_view(&triples, view);
    if (op != SPL_NONE)
        zoo_triples_transpose(&triples);
    zoo_build(rows, &triples, (zoo_form){SPL_CSR, SPL_F64, SPL_I64, SPL_I64});
    zoo_triples_free(&triples);
}

void oracle_spmv(oracle_sum *sums, const spl_sparse *a, spl_operator op, double alpha,
                 const void *x, double beta, const void *y)
{
    zoo_triples t;
    zoo_triples_of_view(&t, a);
    if (op != SPL_NONE)
        zoo_triples_transpose(&t);
    memset(sums, 0, (size_t)t.rows * sizeof *sums);
    for (int64_t i = 0; i < t.rows; i++)
        if (beta != 0)
            oracle_add(&sums[i], beta, zoo_value_at(y, a->type, i), 1);
    for (int64_t e = 0; e < t.nnz; e++)
        oracle_add(&sums[t.i[e]], alpha, t.v[e], alpha != 0 ? zoo_value_at(x, a->type, t.j[e]) : 0);
    zoo_triples_free(&t);
}

/* A row of the expected C: for each column, the sum of its terms and whether it has any. */
typedef struct expected_row {
    oracle_sum *sums;
    unsigned char *present;
    int64_t *columns; /* those present */
    int64_t count;
} expected_row;

static void mark(expected_row *row, int64_t j)
{
    if (row->present[j])
        return;
    row->present[j] = 1;
    row->sums[j] = (oracle_sum){0};
    row->columns[row->count++] = j;
}

/* Calls for all (column, value) of row i of a matrix made by oracle_rows. */
#define EACH_IN_ROW(m, i, e)                                                                       \
    int64_t e = ((const int64_t *)(m)->offsets)[i],                                                \
            e##_end = ((const int64_t *)(m)->offsets)[(i) + 1];                                    \
    e < e##_end;                                                                                   \
    e++

static void add_product_row(expected_row *row, const zoo_matrix *a, const zoo_matrix *b, int64_t i,
                            double alpha)
{
    const int64_t *a_columns = a->indices, *b_columns = b->indices;
    const double *a_values = a->values, *b_values = b->values;
    for (EACH_IN_ROW(a, i, p))
        for (EACH_IN_ROW(b, a_columns[p], q)) {
            mark(row, b_columns[q]);
            add_product(&row->sums[b_columns[q]], alpha, a_values[p], b_values[q]);
        }
}

static void add_summand_row(expected_row *row, const zoo_matrix *d, int64_t i, double beta)
{
    const int64_t *columns = d->indices;
    const double *values = d->values;
    for (EACH_IN_ROW(d, i, p)) {
        mark(row, columns[p]);
        oracle_add(&row->sums[columns[p]], beta, values[p], 1);
    }
}

/* Compares and clears: each column met is taken from the row, and nothing may be left. */
static bool row_matches(expected_row *row, const spl_sparse *c, int64_t i, bool unsorted,
                        char *message, size_t room)
{
    int64_t begin = zoo_index_at(c->offsets, c->offset_type, i),
            end = zoo_index_at(c->offsets, c->offset_type, i + 1);
    if (end - begin != row->count) {
        snprintf(message, room, "row %lld has %lld entries, expected %lld", (long long)i,
                 (long long)(end - begin), (long long)row->count);
        return false;
    }
    for (int64_t e = begin, last = -1; e < end; e++) {
        int64_t j = zoo_index_at(c->indices, c->index_type, e);
        bool in_range = j >= 0 && j < c->cols, in_order = unsorted || j > last;
        if (!in_range || !in_order || !row->present[j]) {
            snprintf(message, room, "row %lld: column %lld is %s", (long long)i, (long long)j,
                     !in_range   ? "out of range"
                     : !in_order ? "out of order"
                                 : "there twice or should not be");
            return false;
        }
        double v = zoo_value_at(c->values, c->type, e);
        if (!oracle_accepts(&row->sums[j], v, c->type)) {
            snprintf(message, room,
                     "element (%lld,%lld) is %.17g, expected %.17Lg, magnitude %.5Lg, %lld terms",
                     (long long)i, (long long)j, v, row->sums[j].value, row->sums[j].magnitude,
                     (long long)row->sums[j].terms);
            return false;
        }
        row->present[j] = 0;
        last = j;
    }
    row->count = 0;
    return true;
}

static bool rows_match(const oracle_spgemm *p, const zoo_matrix rows[3], const spl_sparse *c,
                       char *message, size_t room)
{
    size_t cols = (size_t)c->cols;
    expected_row row = {zoo_allocate(cols * sizeof(oracle_sum)), zoo_allocate(cols),
                        zoo_allocate(cols * sizeof(int64_t)), 0};
    memset(row.present, 0, cols);
    bool ok = true;
    for (int64_t i = 0; ok && i < c->rows; i++) {
        add_product_row(&row, &rows[0], &rows[1], i, p->alpha);
        if (p->d)
            add_summand_row(&row, &rows[2], i, p->beta);
        ok = row_matches(&row, c, i, p->unsorted, message, room);
    }
    free(row.sums);
    free(row.present);
    free(row.columns);
    return ok;
}

static bool header_fits(const zoo_matrix rows[2], const spl_sparse *c)
{
    return c->format == SPL_CSR && c->rows == rows[0].view.rows && c->cols == rows[1].view.cols &&
           zoo_index_at(c->offsets, c->offset_type, 0) == 0 &&
           zoo_index_at(c->offsets, c->offset_type, c->rows) == c->nnz;
}

bool oracle_spgemm_accepts(const oracle_spgemm *problem, const spl_sparse *c, char *message,
                           size_t room)
{
    zoo_matrix rows[3];
    memset(rows, 0, sizeof rows);
    oracle_rows(&rows[0], problem->a, problem->op_a);
    oracle_rows(&rows[1], problem->b, problem->op_b);
    if (problem->d)
        oracle_rows(&rows[2], problem->d, SPL_NONE);
    bool ok = header_fits(rows, c);
    if (!ok)
        snprintf(message, room, "result is %lld x %lld with %lld entries: header wrong",
                 (long long)c->rows, (long long)c->cols, (long long)c->nnz);
    else
        ok = rows_match(problem, rows, c, message, room);
    for (int m = 0; m < 3; m++)
        zoo_matrix_free(&rows[m]);
    return ok;
}
