/* SPDX-License-Identifier: Apache-2.0 */
/* row_ranges.h: rows of y or C in ranges that threads take as they are ready, where a mask may
 * leave work in few of them. */
#ifndef SPL_PLAN_ROW_RANGES_H
#define SPL_PLAN_ROW_RANGES_H

#include "matrix/merge_path.h"
#include "plan/method.h"

/* Rows from first to last - 1. */
typedef struct spl__row_range {
    const spl__problem *problem;
    const spl__call *call;
    int64_t first, last;
} spl__row_range;

/* Computes a range; returns the rows + entries that were computed. */
typedef int64_t (*spl__row_range_fn)(const spl__row_range *range);

typedef struct spl__row_ranges {
    const spl__row_parts *parts; /* of equal work; NULL: ranges of about `rows` rows */
    int64_t rows;
    /* rows + entries under a mask from which on other threads are woken */
    int64_t alone;
    spl__row_range_fn compute;
} spl__row_ranges;

/* Computes all rows of the problem by at most `threads` threads. Allocates nothing. */
void spl__row_ranges_multiply(const spl__row_ranges *ranges, const spl__problem *problem,
                              int threads, const spl__call *call);

#endif
