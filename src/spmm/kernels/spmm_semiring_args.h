/* SPDX-License-Identifier: Apache-2.0 */
/* spmm_semiring_args.h: arguments of the kernels spmm_semiring_rows and spmm_winners. */
#ifndef SPL_SPMM_KERNELS_SPMM_SEMIRING_ARGS_H
#define SPL_SPMM_KERNELS_SPMM_SEMIRING_ARGS_H
#include "device/scalars.h"
#include "problem/row_choice.h"

enum { SPMM_SEMIRING_THREADS = 256, SPMM_SEMIRING_AT_ONCE = 4 };

/* C = "add" of "multiply"(A, B) in the chosen rows; B and C have `width` columns; strides in
 * elements between rows and between columns. Teams of `team` lanes, a power of two up to LANES,
 * have a row and as many columns. The first long_rows.count blocks have a long row each. */
struct spmm_semiring_args {
    int64_t rows, width;
    const void *offsets, *columns, *values; /* P[rows+1], I[nnz], T[nnz] or NULL */
    const void *b;
    int64_t b_row, b_column;
    void *c;
    int64_t c_row, c_column;
    spl__device_scalars scalars; /* of spmm_semiring_rows alone */
    int64_t *winners;            /* of spmm_winners alone; rows of winners_ld elements */
    int64_t winners_ld;
    struct row_choice choice;
    struct row_list long_rows;
    int32_t semiring, team;
};

#endif
