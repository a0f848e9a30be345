/* SPDX-License-Identifier: Apache-2.0 */
/* diagonal_fill.h: how full the diagonals of neighbouring rows of a CSR matrix on the host are, see
 * format/diagonal_slices.h, from a few groups of rows. */
#ifndef SPL_STRUCTURE_DIAGONAL_FILL_H
#define SPL_STRUCTURE_DIAGONAL_FILL_H

#include "core/types.h"

typedef struct spl__diagonal_fill {
    double share; /* of the entries, in groups whose diagonals are at least half full */
    double fill;  /* entries per position of those diagonals; 1 if there are none */
} spl__diagonal_fill;

/* From up to 16 evenly spaced groups of 16 rows. Structure only. Cost: a few nanoseconds for
 * each of their entries. */
spl__diagonal_fill spl__diagonal_fill_sampled(const spl_sparse *csr);

#endif
