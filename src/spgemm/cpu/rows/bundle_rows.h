/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_rows.h: values of a bundle of rows of C, for once_bundles.c. A template inside a template,
 * as block_tile.h is. */
#include "spgemm/cpu/rows/block_tile.h"

#if RUN_LANES == 1
/* Rows of C from row i on, of equal columns; a thread's positions and sums. */
typedef struct FN(bundle) {
    I *position;
    void *sums;
    int64_t i;
    const I *columns;
    int64_t count;
} FN(bundle);
#endif

static SPL__APART void RUN(find_bundle)(const FN(factors) *f, const FN(bundle) *at, int64_t rows,
                                        T *values)
{
    const RUN(tile) c = RUN(begin_tile)(at->columns, at->count, at->position, at->sums);
    RUN(add_products)(f, at->i, rows, &c);
    RUN(store_rows)(&c, rows, values);
}

#include "spgemm/cpu/rows/block_tile_end.h"
