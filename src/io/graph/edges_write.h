/* SPDX-License-Identifier: Apache-2.0 */
/* edges_write.h: edge lists. */
#ifndef SPL_IO_GRAPH_EDGES_WRITE_H
#define SPL_IO_GRAPH_EDGES_WRITE_H

#include "core/context.h"
#include "file/output.h"

/* Writes a view that was taken (matrix/view.h) as an edge list, entries in stored order; values
 * only if one of them is not 1. The remark
 * "# Nodes: N" in front keeps rows behind the largest id.
 * SPL_UNSUPPORTED if the matrix is not square; statuses of spl__entry_lines. */
spl_status spl__edges_write(spl_context *context, const spl_sparse *matrix, spl__output *output);

#endif
