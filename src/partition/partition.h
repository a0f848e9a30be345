/* SPDX-License-Identifier: Apache-2.0 */
/* partition.h: divides the rows of a matrix among processors: the begins of parts in an order of
 * rows. */
#ifndef SPL_PARTITION_PARTITION_H
#define SPL_PARTITION_PARTITION_H

#include "matrix/row_distribution.h"

/* Ordered rows, and the processors that share them. */
typedef struct spl__shares {
    int64_t rows;
    const void *entries; /* [rows+1] of `type`: prefix sums of entries, in the order of rows */
    spl_index type;
    int32_t count;
    const double *capabilities; /* scaled so that the largest is 1 */
} spl__shares;

/* begin[count+1]: parts in proportion to capabilities, by rows or by entries. */
void spl__cut_by_rows(const spl__shares *shares, int64_t *begin);
void spl__cut_by_entries(const spl__shares *shares, int64_t *begin);

/* A part that has rows takes seconds->start[p] (NULL: 0), plus seconds->row[p] per row and
 * seconds->entry[p] per entry; INFINITY: the processor gets no rows. */
typedef struct spl__part_seconds {
    const double *row, *entry, *start; /* [count] */
} spl__part_seconds;
double spl__seconds_of_part(const spl__shares *shares, const spl__part_seconds *seconds,
                            int32_t part, int64_t begin, int64_t end);
/* begin[count+1]: parts, in order, that minimise the time of the slowest, within a millionth. */
void spl__cut_by_seconds(const spl__shares *shares, const spl__part_seconds *seconds,
                         int64_t *begin);

/* Checks the caller's numbers: SPL_INVALID_ARGUMENT. `links` may be NULL. */
spl_status spl__check_capabilities(int32_t count, const double *capabilities, const double *links);
/* order[rows]: rows stably sorted by length: row vector sets consecutively [S2]. */
spl_status spl__order_by_length(spl__account *account, const int64_t *lengths, int64_t rows,
                                int64_t *order);

#endif
