/* SPDX-License-Identifier: Apache-2.0 */
#include "format/bsr_rows.h"

spl_status spl__bsr_rows_make(spl__account *account, int threads, const spl_sparse *csr, int size,
                              int64_t work, spl__bsr_rows *rows)
{
    SPL__TRY(spl__bsr_make(account, threads, csr, size, &rows->a));
    SPL__TRY(spl__bsr_make_values(account, &rows->a));
    const spl_sparse nodes = {.offset_type = csr->offset_type,
                              .offsets = rows->a.offsets,
                              .rows = rows->a.block_rows,
                              .nnz = rows->a.blocks};
    return spl__row_parts_make(account, &nodes, work, &rows->parts);
}

void spl__bsr_rows_free(spl__bsr_rows *rows)
{
    spl__bsr_free(&rows->a);
    spl__row_parts_free(&rows->parts);
}

void spl__bsr_rows_explain(const spl__bsr_rows *rows, spl__text *text)
{
    const spl__bsr *a = &rows->a;
    const double slots = (double)a->blocks * a->size * a->size;
    spl__text_add(text, "  %d unknowns per node: %s rows of blocks, %.3g %% full", a->size,
                  spl__thousands(a->block_rows),
                  slots > 0 ? 100 * (double)a->shape.nnz / slots : 100);
}
