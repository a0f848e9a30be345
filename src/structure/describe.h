/* SPDX-License-Identifier: Apache-2.0 */
/* describe.h: two implementations of a description: by rows, or, where dimensions are far larger
 * than nnz, without arrays of their length. */
#ifndef SPL_STRUCTURE_DESCRIBE_H
#define SPL_STRUCTURE_DESCRIBE_H

#include "core/memory.h"
#include "matrix/view.h"

/* For a checked view. SPL_INDEX_OVERFLOW, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__describe(spl__account *account, int threads, const spl_sparse *view,
                         spl_description *description);
spl_status spl__describe_far(spl__account *account, int threads, const spl_sparse *view,
                             spl_description *description);

/* What that takes, about. */
double spl__describe_bytes(const spl_sparse *view);
double spl__describe_far_bytes(const spl_sparse *view);

/* Whether `size` divides the dimensions. */
bool spl__describe_divides(const spl_description *d, int64_t size);
/* Stores `blocks` non-empty blocks of `size`, if they are full enough and take fewer steps than
 * the stored ones. */
void spl__describe_fill(spl_description *d, int64_t size, double blocks);

#endif
