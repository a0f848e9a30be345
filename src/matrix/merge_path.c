/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/merge_path.h"

#include "core/checked.h"

void spl__merge_path(const spl_sparse *csr, int64_t part, int64_t parts, int64_t *row,
                     int64_t *entry)
{
    int64_t work = csr->rows + csr->nnz;
    int64_t diagonal = work / parts * part + spl__min_i64(part, work % parts);
    int64_t low = 0, high = csr->rows;
    while (low < high) { /* row i is finished at diagonal i + 1 + offsets[i+1] */
        int64_t middle = low + (high - low) / 2;
        if (middle + spl__index_at(csr->offsets, csr->offset_type, middle + 1) < diagonal)
            low = middle + 1;
        else
            high = middle;
    }
    *row = low;
    *entry = diagonal - low;
}

spl_status spl__row_parts_make(spl__account *account, const spl_sparse *csr, int64_t work,
                               spl__row_parts *parts)
{
    enum { MOST_PARTS = 4096 };
    int64_t entry;
    parts->count = spl__max_i64(1, spl__min_i64(MOST_PARTS, (csr->rows + csr->nnz) / work));
    SPL__TRY(SPL__NEW(account, &parts->row, parts->count + 1));
    for (int64_t r = 0; r <= parts->count; r++)
        spl__merge_path(csr, r, parts->count, &parts->row[r], &entry);
    return SPL_OK;
}

void spl__row_parts_free(spl__row_parts *parts)
{
    spl__free(parts->row);
    *parts = (spl__row_parts){0};
}
