/* SPDX-License-Identifier: Apache-2.0 */
/* mm_write.h: Matrix Market files. */
#ifndef SPL_IO_MATRIX_MARKET_MM_WRITE_H
#define SPL_IO_MATRIX_MARKET_MM_WRITE_H

#include "core/context.h"
#include "file/output.h"

/* Writes a view that was taken (matrix/view.h) as coordinate real general, entries in stored order.
 * Reports progress stage "write" in entries. SPL_CANCELLED, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET,
 * statuses of spl__output_write. */
spl_status spl__mm_write(spl_context *context, const spl_sparse *matrix, spl__output *output);

#endif
