/* SPDX-License-Identifier: Apache-2.0 */
/* add_row.h: the terms of a row of C = alpha*A*B + beta*D, piece by piece: a piece is a row of B
 * for an entry of A's row, or the row of D. A template, included after numeric_rows.h; the includer
 * has defined
 *
 *   FN(accumulator)                                              what a row needs
 *   FN(add_scaled)(accumulator, columns, values, count, scale)   adds scale * values[k] to
 * columns[k]
 * */

#include "core/integer.h"

/* Prefetches the row of B of the entry of A that is SPL__AHEAD further. Rows of B come in an
 * order that hardware prefetchers cannot predict: on a scattered mesh waiting for them took a
 * third of the time. */
static inline void FN(send_for_row)(const spl_sparse *b, int64_t k)
{
    const P *offsets = b->offsets;
    const char *columns = (const char *)((const I *)b->indices + offsets[k]);
    const char *values = (const char *)((const T *)b->values + offsets[k]);
    __builtin_prefetch(columns);
    __builtin_prefetch(columns + SPL__LINE);
    __builtin_prefetch(values);
    __builtin_prefetch(values + SPL__LINE);
    __builtin_prefetch(values + 2 * SPL__LINE);
}

/* Where alpha or beta is zero no values are read: such pieces are skipped, or with `zeros`
 * passed without values (NULL). */
static inline void FN(add_row)(const FN(row) *row, FN(accumulator) *sums, bool zeros)
{
    const spl__problem *p = row->problem;
    const P *a_offsets = p->a.csr.offsets, *b_offsets = p->b.csr.offsets,
            *d_offsets = p->d.csr.offsets;
    const I *a_columns = p->a.csr.indices, *b_columns = p->b.csr.indices,
            *d_columns = p->d.csr.indices;
    const T *a_values = p->a.csr.values, *b_values = p->b.csr.values, *d_values = p->d.csr.values;
    T alpha = *(const T *)row->call->alpha, beta = *(const T *)row->call->beta;
    int64_t i = row->i;
    for (P q = a_offsets[i], last = a_offsets[p->rows] - 1; alpha != 0 && q < a_offsets[i + 1];
         q++) {
        P begin = b_offsets[a_columns[q]], end = b_offsets[a_columns[q] + 1];
        FN(send_for_row)(&p->b.csr, a_columns[q < last - SPL__AHEAD ? q + SPL__AHEAD : last]);
        FN(add_scaled)(sums, b_columns + begin, b_values + begin, end - begin,
                       SPL__TIMES((ACC)alpha, a_values[q]));
    }
    for (P q = a_offsets[i]; zeros && alpha == 0 && q < a_offsets[i + 1]; q++) {
        P begin = b_offsets[a_columns[q]], end = b_offsets[a_columns[q] + 1];
        FN(add_scaled)(sums, b_columns + begin, NULL, end - begin, 0);
    }
    if (p->has_d && (zeros || beta != 0)) {
        P begin = d_offsets[i], end = d_offsets[i + 1];
        FN(add_scaled)(sums, d_columns + begin, beta != 0 ? d_values + begin : NULL, end - begin,
                       (ACC)beta);
    }
}

/* The same where each row of B has one entry, as in plain aggregation, which is found without
 * offsets, and there is no D. The processor does not wait for one entry before it asks for the
 * next: nothing is sent for. */
static inline void FN(add_singles)(const FN(row) *row, FN(accumulator) *sums)
{
    const spl__problem *p = row->problem;
    const P *a_offsets = p->a.csr.offsets, end = a_offsets[row->i + 1];
    const I *a_columns = p->a.csr.indices, *b_columns = p->b.csr.indices;
    const T *a_values = p->a.csr.values, *b_values = p->b.csr.values;
    const T alpha = *(const T *)row->call->alpha;
    for (P q = a_offsets[row->i]; alpha != 0 && q < end; q++) {
        const I k = a_columns[q];
        const ACC scale = SPL__TIMES((ACC)alpha, a_values[q]);
        FN(add_scaled)(sums, b_columns + k, b_values + k, 1, scale);
    }
}
