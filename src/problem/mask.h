/* SPDX-License-Identifier: Apache-2.0 */
/* mask.h: the mask of a problem as methods read it: positions in CSR, those of a row in order, each
 * once. */
#ifndef SPL_PROBLEM_MASK_H
#define SPL_PROBLEM_MASK_H

#include "device/device.h"
#include "matrix/arrange.h"

typedef struct spl__mask {
    bool given;          /* else the rest is zero */
    bool complement;     /* C may have the other positions */
    bool full;           /* C has all positions of the mask, with products or without */
    int64_t *offsets;    /* rows + 1 */
    const void *columns; /* of the plan's index type: the caller's, or in one of the next */
    spl__arrangement arrangement;
    void *distinct;   /* a copy without repeated columns; NULL: not needed */
    void *fetched[2]; /* copies of the arrays of a mask on a device; NULL: it is on the host */
    /* CSR on the device that multiplies, in order: read there, and the arrays above are NULL;
     * format 0: none */
    spl_sparse resident;
} spl__mask;

/* What the mask must fit: C, and the width of its columns; whether it is to be on the host, where
 * several processors cut its rows. */
typedef struct spl__mask_shape {
    int64_t rows, cols;
    spl_index index_type;
    bool on_host;
} spl__mask_shape;

/* Checks options.mask and prepares it; without one nothing is given. It is on the host or on the
 * queue's device, where it stays until the plan is made if it is CSR in order, each position once,
 * with 32-bit columns, unless it is to be on the host; else it is fetched. On failure
 * spl__mask_free cleans up. SPL_INVALID_*, SPL_SHAPE_MISMATCH, SPL_UNSUPPORTED, SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET, SPL_CANCELLED. */
spl_status spl__mask_make(spl__account *account, spl__queue *queue, int threads,
                          const spl_options *options, spl__mask_shape shape, spl__mask *mask);
/* Frees the positions; what kind of mask it was stays. */
void spl__mask_free(spl__mask *mask);

/* The number of the mask's positions in row i. */
static inline int64_t spl__mask_length(const spl__mask *mask, int64_t i)
{
    return mask->offsets[i + 1] - mask->offsets[i];
}
/* The positions of a mask on the host as a pattern. */
spl_sparse spl__mask_view(const spl__mask *mask, spl__mask_shape shape);
/* Whether the mask lists the positions that C may have. */
static inline bool spl__mask_lists(const spl__mask *mask)
{
    return mask->given && !mask->complement;
}

#endif
