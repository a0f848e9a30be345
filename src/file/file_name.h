/* SPDX-License-Identifier: Apache-2.0 */
/* file_name.h: the format of a file by the ending of its name. */
#ifndef SPL_FILE_FILE_NAME_H
#define SPL_FILE_FILE_NAME_H

#include "core/text.h"

#include <stdbool.h>

typedef enum spl__named {
    SPL__NAMED_NOTHING, /* no ending, or none but ".gz" */
    SPL__NAMED_OTHER,   /* an ending that file_endings.def lacks */
    SPL__NAMED_MATRIX_MARKET,
    SPL__NAMED_GRAPH,
    SPL__NAMED_NPZ,
    SPL__NAMED_EDGES,
    SPL__NAMED_CSV /* an edge list with commas, which is read only */
} spl__named;

/* The format by the name, without a final ".gz"; an archive .npz is not compressed again. */
spl__named spl__named_format(const char *name);
bool spl__named_gzip(const char *name);
/* Adds the endings of a format to a text, for SPL__NAMED_OTHER all that are written: ".txt,
 * .edges". */
void spl__named_endings(spl__text *text, spl__named format);

#endif
