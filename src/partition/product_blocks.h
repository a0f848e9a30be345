/* SPDX-License-Identifier: Apache-2.0 */
/* product_blocks.h: a part of a sparse product whose operands and result do not fit the device
 * together. */
#ifndef SPL_PARTITION_PRODUCT_BLOCKS_H
#define SPL_PARTITION_PRODUCT_BLOCKS_H

#include "partition/spread.h"

/* The result of one block of a part, on the host. */
typedef struct spl__block_result {
    int64_t nnz;
    int64_t *offsets; /* rows + 1 */
    void *columns;
} spl__block_result;

typedef struct spl__product_blocks {
    spl__device_array b[3]; /* offsets, columns, values of B, which stays on the device */
    spl_sparse device_b;
    spl__block_result *results; /* one per block */
    int64_t nnz;
    void *values; /* of C, if the plan keeps them */
    bool computed;
} spl__product_blocks;

/* Finds the structure of the part's rows of C, in as few blocks as fit the device. On failure
 * spl__product_blocks_free cleans up. */
spl_status spl__product_blocks_make(spl_plan *plan, spl__spread_part *part);
void spl__product_blocks_free(spl__spread_part *part);
/* Computes the values into `values`, or if NULL into the plan's. Plans every block again, hence
 * allocates. */
spl_status spl__product_blocks_run(spl_plan *plan, spl__spread_part *part, const spl__call *call,
                                   void *values);
/* Writes the part's rows of C, whose first entry has the number `first`; each array unless NULL. */
void spl__product_blocks_export(const spl_plan *plan, const spl__spread_part *part, void *offsets,
                                spl_index type, int64_t first, void *columns, void *values);
/* Copies new values of B. */
spl_status spl__product_blocks_update(spl_plan *plan, spl__spread_part *part);

#endif
