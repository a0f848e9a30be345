/* SPDX-License-Identifier: Apache-2.0 */
/* partition.h: rows of a matrix shared out among processors: where parts begin in an
 * order of rows. */
#ifndef SPL_PARTITION_PARTITION_H
#define SPL_PARTITION_PARTITION_H

#include "matrix/row_distribution.h"

/* Rows in their order, and who is to get them. */
typedef struct spl__shares {
    int64_t rows;
    const void *entries; /* [rows+1] of `type`: entries of all rows before each, in the order */
    spl_index type;
    int32_t count;
    const double *capabilities; /* the largest is 1 */
} spl__shares;

/* begin[count+1]: parts whose shares of rows, or of entries, follow the capabilities. */
void spl__cut_by_rows(const spl__shares *shares, int64_t *begin);
void spl__cut_by_entries(const spl__shares *shares, int64_t *begin);

/* Seconds of a part that has rows are seconds->start[p] (NULL: 0), and seconds->row[p] for each row
 * and seconds->entry[p] for each entry; INFINITY: none may go there. */
typedef struct spl__part_seconds {
    const double *row, *entry, *start; /* [count] */
} spl__part_seconds;
double spl__seconds_of_part(const spl__shares *shares, const spl__part_seconds *seconds,
                            int32_t part, int64_t begin, int64_t end);
/* begin[count+1]: parts in order whose slowest is as fast as can be, within a millionth. */
void spl__cut_by_seconds(const spl__shares *shares, const spl__part_seconds *seconds,
                         int64_t *begin);

/* What callers say of processors: SPL_INVALID_ARGUMENT. `links` may be NULL. */
spl_status spl__check_capabilities(int32_t count, const double *capabilities, const double *links);
/* order[rows]: rows by length, those of equal length as they come: row vector sets one behind the
 * other [S2]. */
spl_status spl__order_by_length(spl__account *account, const int64_t *lengths, int64_t rows,
                                int64_t *order);

#endif
