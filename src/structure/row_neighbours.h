/* SPDX-License-Identifier: Apache-2.0 */
/* row_neighbours.h: the similarity of neighbouring rows of a CSR matrix, which determines the
 * gain of identical rows and diagonals. */
#ifndef SPL_STRUCTURE_ROW_NEIGHBOURS_H
#define SPL_STRUCTURE_ROW_NEIGHBOURS_H

#include "core/types.h"

/* Shares of the entries in a sample of rows. */
typedef struct spl__row_neighbours {
    double repeated; /* in rows with the same columns as the previous row */
    double shifted;  /* on the diagonal of the entry at the same position of the previous row */
} spl__row_neighbours;

/* From 64 evenly spaced stretches of 32 rows, or all rows if they are fewer. 0 without entries.
 * Structure only. */
spl__row_neighbours spl__row_neighbours_of(const spl_sparse *csr);

#endif
