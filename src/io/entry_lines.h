/* SPDX-License-Identifier: Apache-2.0 */
/* entry_lines.h: a text line for every entry: row, column, value. */
#ifndef SPL_IO_ENTRY_LINES_H
#define SPL_IO_ENTRY_LINES_H

#include "core/context.h"
#include "file/output.h"

#include <stdbool.h>

typedef struct spl__line_style {
    int first; /* what row 0 is called */
    char separator;
    bool values; /* write them */
} spl__line_style;

/* Writes the entries of a view that was taken (matrix/view.h) in stored order, values so that they
 * read back as the same bits. Reports progress stage "write" in entries. SPL_CANCELLED,
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, statuses of spl__output_write. */
spl_status spl__entry_lines(spl_context *context, const spl_sparse *matrix,
                            const spl__line_style *style, spl__output *output);

#endif
