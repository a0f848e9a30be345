/* SPDX-License-Identifier: Apache-2.0 */
/* graph_write.h: graph files of METIS. */
#ifndef SPL_IO_GRAPH_GRAPH_WRITE_H
#define SPL_IO_GRAPH_GRAPH_WRITE_H

#include "core/context.h"
#include "file/output.h"

/* Writes a view that was taken (matrix/view.h) as a graph, neighbours ascending, entries of equal
 * position summed; edge weights only if one of them is not 1. SPL_UNSUPPORTED with the first entry
 * that a graph cannot hold: the matrix must be square and symmetric, its diagonal empty, its values
 * whole numbers from 1 to 2^53. SPL_CANCELLED, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, statuses of
 * spl__output_write. */
spl_status spl__graph_write(spl_context *context, const spl_sparse *matrix, spl__output *output);

#endif
