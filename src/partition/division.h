/* SPDX-License-Identifier: Apache-2.0 */
/* division.h: divides the rows of a product among the processors of a plan.
 *
 * Each processor takes a fixed time for x (the same bytes for any share), a time per row
 * (offsets, y) and a time per unit of work. Rows are divided so that the slowest is as fast as
 * possible ([S2], chapter 4: equal T_t + T_e), or in proportion to speeds. */
#ifndef SPL_PARTITION_DIVISION_H
#define SPL_PARTITION_DIVISION_H

#include "partition/rates.h"

typedef struct spl__division {
    spl__share *shares;
    int32_t count;
    int64_t *order; /* rows of the result in the order of shares; NULL: natural order */
    spl_sparse a;   /* the plan's A, with offsets on the host */
    void *offsets;  /* ... which are a copy if a device holds A; NULL: they are not */
} spl__division;

/* Makes the shares, with division->a given; B and D of a sparse product are on the host, too. On
 * failure spl__division_free cleans up. SPL_INVALID_ARGUMENT, SPL_UNSUPPORTED, ... */
spl_status spl__division_make(spl_plan *plan, spl__division *division);
void spl__division_free(spl__division *division);
/* The work of the row at a position in the order of shares. */
int64_t spl__division_work_at(const spl_plan *plan, const spl__division *division,
                              int64_t position);
/* Whether a processor has rows whose operands it does not read in place. */
bool spl__division_has_others(const spl__division *division);
/* The first device that has such rows; NULL: none. */
spl__device *spl__division_receiver(const spl__division *division);

#endif
