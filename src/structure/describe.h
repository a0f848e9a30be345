/* SPDX-License-Identifier: Apache-2.0 */
/* describe.h: the two ways to a description: by rows, or, where dimensions are far larger than the
 * matrix, without anything of their length. */
#ifndef SPL_STRUCTURE_DESCRIBE_H
#define SPL_STRUCTURE_DESCRIBE_H

#include "core/memory.h"
#include "matrix/view.h"

/* Of a view that was taken. SPL_INDEX_OVERFLOW, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__describe(spl__account *account, int threads, const spl_sparse *view,
                         spl_description *description);
spl_status spl__describe_far(spl__account *account, int threads, const spl_sparse *view,
                             spl_description *description);

/* Whether there can be blocks of `size`. */
bool spl__describe_divides(const spl_description *d, int64_t size);
/* Notes so many blocks of `size` that have entries, if they are full enough and take fewer steps
 * than those noted before. */
void spl__describe_fill(spl_description *d, int64_t size, double blocks);

#endif
