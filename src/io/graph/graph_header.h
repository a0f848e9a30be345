/* SPDX-License-Identifier: Apache-2.0 */
/* graph_header.h: the first line of a METIS graph: "vertices edges [fmt [ncon]]". */
#ifndef SPL_IO_GRAPH_GRAPH_HEADER_H
#define SPL_IO_GRAPH_GRAPH_HEADER_H

#include "file/text_file.h"

typedef struct spl__graph_header {
    int64_t vertices;
    int64_t edges;        /* undirected */
    int64_t entries;      /* 2*edges: each is in the lists of both its vertices */
    int64_t vertex_items; /* numbers in front of the neighbours: a size, weights */
    bool weighted;        /* every neighbour is followed by the weight of the edge */
    int64_t line;         /* its number in the file */
} spl__graph_header;

/* Skips comments and reads the header; what it claims must fit in the rest of the file.
 * SPL_FILE_INVALID, statuses of spl__text_file_more. */
spl_status spl__graph_read_header(spl__text_file *text, spl__graph_header *header);

#endif
