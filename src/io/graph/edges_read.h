/* SPDX-License-Identifier: Apache-2.0 */
/* edges_read.h: edge lists as SNAP publishes them: lines "source target" or "source target value",
 * comments that begin with '#'. */
#ifndef SPL_IO_GRAPH_EDGES_READ_H
#define SPL_IO_GRAPH_EDGES_READ_H

#include "core/context.h"
#include "file/text_file.h"
#include "matrix/matrix.h"

/* Whether the text begins with a '#', or the file has a name of edge lists or .csv. */
bool spl__edges_detect(const spl__text_file *text);
/* Reads the rest of `text` as an edge list: square, one row and column more than the largest id, or
 * as many as a remark "# Nodes: N" in front says, if that is more; ids are kept. `options` must
 * have been taken (entries.h). Statuses of spl_read. */
spl_status spl__edges_read(spl_context *context, spl__text_file *text,
                           const spl_read_options *options, spl_matrix **result);

#endif
