/* SPDX-License-Identifier: Apache-2.0 */
/* graph_read.h: graph files of METIS and its relatives: a line for every vertex, with its
 * neighbours. */
#ifndef SPL_IO_GRAPH_GRAPH_READ_H
#define SPL_IO_GRAPH_GRAPH_READ_H

#include "core/context.h"
#include "file/text_file.h"
#include "matrix/matrix.h"

/* Has the file the name of one? Its contents could as well be an edge list. */
bool spl__graph_detect(const spl__text_file *text);
/* Reads the rest of `text` as a graph: the adjacency matrix, edge weights as values, weights and
 * sizes of vertices left out. `options` must have been taken (entries.h). Statuses of spl_read. */
spl_status spl__graph_read(spl_context *context, spl__text_file *text,
                           const spl_read_options *options, spl_matrix **result);

#endif
