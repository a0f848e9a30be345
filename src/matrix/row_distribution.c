/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/row_distribution.h"

#include "core/checked.h"

spl_status spl__row_lengths(spl__account *account, const spl_sparse *view, int64_t **lengths)
{
    SPL__TRY(SPL__NEW_ZERO(account, lengths, view->rows));
    if (view->format == SPL_CSR) {
        for (int64_t i = 0; i < view->rows; i++)
            (*lengths)[i] = spl__index_at(view->offsets, view->offset_type, i + 1) -
                            spl__index_at(view->offsets, view->offset_type, i);
        return SPL_OK;
    }
    const void *rows = view->format == SPL_CSC ? view->indices : view->offsets;
    for (int64_t p = 0; p < view->nnz; p++)
        (*lengths)[spl__index_at(rows, view->index_type, p)]++;
    return SPL_OK;
}

static int64_t longest_of(const int64_t *lengths, int64_t rows)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < rows; i++)
        longest = spl__max_i64(longest, lengths[i]);
    return longest;
}

spl_status spl__distribution_make(spl__account *account, const int64_t *row_lengths, int64_t rows,
                                  spl__distribution *d)
{
    int64_t longest = longest_of(row_lengths, rows), *rows_of = NULL;
    *d = (spl__distribution){0};
    SPL__TRY(SPL__NEW_ZERO(account, &rows_of, longest + 1));
    for (int64_t i = 0; i < rows; i++)
        rows_of[row_lengths[i]]++;
    for (int64_t m = 0; m <= longest; m++)
        d->count += rows_of[m] > 0;
    spl_status status = SPL__NEW(account, &d->lengths, d->count);
    if (status == SPL_OK)
        status = SPL__NEW(account, &d->row_counts, d->count);
    for (int64_t m = 0, b = 0; status == SPL_OK && m <= longest; m++) {
        if (rows_of[m] == 0)
            continue;
        d->lengths[b] = m;
        d->row_counts[b++] = rows_of[m];
    }
    spl__free(rows_of);
    if (status != SPL_OK)
        spl__distribution_free(d);
    return status;
}

void spl__distribution_free(spl__distribution *d)
{
    spl__free(d->lengths);
    spl__free(d->row_counts);
    *d = (spl__distribution){0};
}
