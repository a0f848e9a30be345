/* SPDX-License-Identifier: Apache-2.0 */
/* edges_piece.h: a run of lines of an edge list, the unit of work of one thread. */
#ifndef SPL_IO_GRAPH_EDGES_PIECE_H
#define SPL_IO_GRAPH_EDGES_PIECE_H

#include "file/text_file.h"

/* Kinds of faults of a line. */
typedef enum spl__edges_wrong {
    SPL__EDGES_FINE,
    SPL__EDGES_FIELD, /* lines with commas: one too many, or one that lacks */
    SPL__EDGES_ID,    /* no number from 0 to SPL__LARGEST_ID */
    SPL__EDGES_VALUE  /* no number, or one that lacks, or one too many */
} spl__edges_wrong;

#define SPL__LARGEST_ID                                                                            \
    (INT64_MAX - 2) /* the matrix has a row more, and offsets have one element more than rows */

typedef struct spl__edges_piece {
    const char *begin, *end; /* whole lines */
    /* fields are separated by commas; blanks take their place in the buffer */
    bool commas;
    int64_t *rows, *cols; /* parsed */
    union {
        double *values;  /* NULL: there are none */
        int64_t *wholes; /* the same, of integers */
    };
    spl_type integers; /* their type; 0: values are floating-point numbers */
    int64_t count, lines;
    int64_t largest; /* id; -1: none */
    int64_t to;      /* their position in spl__entries */
    spl__edges_wrong wrong;
    const char *fault; /* the faulty token */
} spl__edges_piece;

/* Parses the lines: two numbers, and a value if there is an array for it. The thread must be in the
 * C locale. */
void spl__edges_piece_parse(spl__edges_piece *piece);
/* The status for the piece's fault; `line` is the number of the piece's first line. */
spl_status spl__edges_piece_fault(const spl__edges_piece *piece, const spl__text_file *text,
                                  int64_t line);

#endif
