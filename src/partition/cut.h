/* SPDX-License-Identifier: Apache-2.0 */
/* cut.h: cuts ordered rows into parts for processors. */
#ifndef SPL_PARTITION_CUT_H
#define SPL_PARTITION_CUT_H

#include "matrix/row_distribution.h"

/* Ordered rows with their work, and the processors that share them. */
typedef struct spl__workload {
    int64_t rows;
    const void *work; /* [rows+1] of `type`: prefix sums of work, in the order of rows */
    spl_index type;
    int32_t count;
    const double *capabilities; /* scaled so that the largest is 1 */
} spl__workload;

/* A part that has rows takes start[p] (start NULL: 0), plus row[p] per row and unit[p] per unit of
 * work; INFINITY: the processor gets no rows. */
typedef struct spl__workload_seconds {
    const double *row, *unit, *start; /* [count] */
} spl__workload_seconds;
double spl__seconds_of_rows(const spl__workload *load, const spl__workload_seconds *seconds,
                            int32_t processor, int64_t begin, int64_t end);
/* begin[count+1]: parts in proportion to capabilities, by rows or by work; or of kind cost (or 0),
 * in order, that minimise the time of the slowest, within a millionth. */
void spl__cut(spl_partition_kind kind, const spl__workload *load,
              const spl__workload_seconds *seconds, int64_t *begin);

/* Checks the caller's numbers: SPL_INVALID_ARGUMENT. `links` may be NULL. */
spl_status spl__check_capabilities(int32_t count, const double *capabilities, const double *links);
/* order[rows]: rows stably sorted by length, row vector sets consecutively [S2]; without
 * `by_length` the natural order. sums[rows+1]: prefix sums of lengths in that order. */
spl_status spl__order_rows(spl__account *account, bool by_length, const int64_t *lengths,
                           int64_t rows, int64_t *order, int64_t *sums);

#endif
