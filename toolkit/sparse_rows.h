/* SPDX-License-Identifier: Apache-2.0 */
/* sparse_rows.h: offsets and columns of a matrix on the host, for all index widths. */
#ifndef TOOL_SPARSE_ROWS_H
#define TOOL_SPARSE_ROWS_H

#include <sparloom/sparloom.h>

static inline int64_t tool_offset(const spl_sparse *matrix, int64_t row)
{
    return matrix->offset_type == SPL_I32 ? ((const int32_t *)matrix->offsets)[row]
                                          : ((const int64_t *)matrix->offsets)[row];
}

static inline int64_t tool_column(const spl_sparse *matrix, int64_t entry)
{
    return matrix->index_type == SPL_I32 ? ((const int32_t *)matrix->indices)[entry]
                                         : ((const int64_t *)matrix->indices)[entry];
}

static inline int64_t tool_row_length(const spl_sparse *matrix, int64_t row)
{
    return tool_offset(matrix, row + 1) - tool_offset(matrix, row);
}

#endif
