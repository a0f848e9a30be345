/* SPDX-License-Identifier: Apache-2.0 */
/* edges_header.h: the lines before the first edge of a list, and the properties that this edge
 * determines. */
#ifndef SPL_IO_GRAPH_EDGES_HEADER_H
#define SPL_IO_GRAPH_EDGES_HEADER_H

#include "file/text_file.h"

typedef struct spl__edges_header {
    bool commas;   /* fields are separated by commas: the name is one of .csv */
    bool weighted; /* edges have values */
    int64_t nodes; /* of the last remark "# Nodes: N"; 0: none */
} spl__edges_header;

/* Consumes comments, blank lines, and the names of columns in front of a list with commas.
 * SPL_FILE_INVALID, statuses of spl__text_file_more. */
spl_status spl__edges_read_header(spl__text_file *text, spl__edges_header *header);

#endif
