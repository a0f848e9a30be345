/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/cpu/rows/reference_row.h"

#include <stdlib.h>

spl_status spl__reference_row_make(spl_plan *plan, spl__ref_row *row)
{
    int64_t cols = plan->problem.cols;
    *row = (spl__ref_row){0};
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &row->elements, cols));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &row->present, cols));
    return SPL__NEW(&plan->account, &row->columns, cols);
}

void spl__reference_row_free(spl__ref_row *row)
{
    spl__free(row->elements);
    spl__free(row->present);
    spl__free(row->columns);
}

static int ascending(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

void spl__reference_row_compute(const spl__problem *p, double alpha, double beta, int64_t i,
                                spl__ref_row *row)
{
    spl__ref_spgemm_row(alpha, &p->a.csr, &p->b.csr, beta, p->has_d ? &p->d.csr : NULL, i, row);
    if (!p->options.unsorted && row->count > 0)
        qsort(row->columns, (size_t)row->count, sizeof *row->columns, ascending);
}
