/* SPDX-License-Identifier: Apache-2.0 */
/* row_neighbours.h: how alike neighbouring rows of a CSR matrix are: what runs of equal rows and
 * diagonals save depends on it. */
#ifndef SPL_STRUCTURE_ROW_NEIGHBOURS_H
#define SPL_STRUCTURE_ROW_NEIGHBOURS_H

#include "core/types.h"

/* Shares of the entries in a sample of rows. */
typedef struct spl__row_neighbours {
    double repeated; /* in rows with the same columns as the row before */
    double shifted;  /* on the diagonal of the entry at the same place in the row before */
} spl__row_neighbours;

/* From 64 evenly spaced stretches of 32 rows, or all rows if they are fewer. 0 without entries.
 * Structure only. */
spl__row_neighbours spl__row_neighbours_of(const spl_sparse *csr);

#endif
