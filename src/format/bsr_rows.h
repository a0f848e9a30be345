/* SPDX-License-Identifier: Apache-2.0 */
/* bsr_rows.h: a copy of a matrix in blocks with zeros in the holes, whose block rows are divided
 * among threads: what methods of dense products on CPUs multiply. */
#ifndef SPL_FORMAT_BSR_ROWS_H
#define SPL_FORMAT_BSR_ROWS_H

#include "core/text.h"
#include "format/bsr.h"
#include "matrix/merge_path.h"

typedef struct spl__bsr_rows {
    spl__bsr a;
    spl__row_parts parts; /* of block rows, with about `work` block rows + blocks each */
} spl__bsr_rows;

/* Makes all but the values: spl__bsr_fill. On failure spl__bsr_rows_free cleans up.
 * SPL_UNSUPPORTED as spl__bsr_make, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__bsr_rows_make(spl__account *account, int threads, const spl_sparse *csr, int size,
                              int64_t work, spl__bsr_rows *rows);
void spl__bsr_rows_free(spl__bsr_rows *rows);
/* Size, number and fill of the blocks, without a line's end. */
void spl__bsr_rows_explain(const spl__bsr_rows *rows, spl__text *text);

#endif
