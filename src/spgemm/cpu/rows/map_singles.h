/* SPDX-License-Identifier: Apache-2.0 */
/* map_singles.h: where the columns of B are found whose rows have one entry at most, by the number
 * of the row: single_rows.h has the template. */
#ifndef SPL_SPGEMM_CPU_ROWS_MAP_SINGLES_H
#define SPL_SPGEMM_CPU_ROWS_MAP_SINGLES_H

#include "spgemm/product.h"

typedef enum spl__single_rows {
    SPL__NO_SINGLES,     /* rows of B have more entries, or D has, or it does not pay */
    SPL__SINGLES,        /* each row of B has one: its columns are the map */
    SPL__MAPPED_SINGLES, /* a map of 4 bytes a row is made */
} spl__single_rows;

static inline spl__single_rows spl__singles(const spl__problem *p, const spl__product *c)
{
    const spl_sparse *b = &p->b.csr;
    if (!c->single_b || p->has_d || c->work[p->rows] == 0)
        return SPL__NO_SINGLES; /* arrays without elements may be NULL */
    if (b->nnz == b->rows && b->index_type == SPL_I32)
        return SPL__SINGLES;
    return b->rows <= INT32_MAX && b->rows <= c->work[p->rows] ? SPL__MAPPED_SINGLES
                                                               : SPL__NO_SINGLES;
}

#endif
