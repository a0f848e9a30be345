/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/merge_path.h"

#include "core/checked.h"

void spl__merge_path(const spl_sparse *csr, int64_t part, int64_t parts, int64_t *row, int64_t *entry)
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
