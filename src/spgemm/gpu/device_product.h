/* SPDX-License-Identifier: Apache-2.0 */
/* device_product.h: C on a device: the counterpart of product.h for plans of a device. */
#ifndef SPL_SPGEMM_GPU_DEVICE_PRODUCT_H
#define SPL_SPGEMM_GPU_DEVICE_PRODUCT_H

#include "matrix/matrix.h"
#include "spgemm/gpu/bins/early_bins.h"
#include "spgemm/gpu/form.h"
#include "spgemm/kernels/bins/spgemm_rows.k.h"
#include "spgemm/product.h"

typedef struct spl__device_product {
    spl__form_survey survey;
    spl__form form;
    spl__device_array offsets; /* int64_t[rows+1] */
    spl__device_array columns; /* int32_t[nnz] */
    spl__device_array values;  /* T[nnz], if the plan keeps values, or is staged */
    /* int32_t[rows+1]: narrow offsets for the export of a staged plan, or for a matrix that is
     * handed over */
    spl__device_array narrow;
    bool narrowed;                                 /* they are written */
    spl__device_array kept_positions, kept_starts; /* spgemm_kept; empty: no positions are kept */
    /* rows that are summed as they are found (device_sums.h): T[], int64_t[rows] */
    spl__device_array sums, sum_starts;
    bool uses_sums; /* the numeric method copies sums */
    int64_t nnz;    /* of C; 0: not known yet */
    bool computed;  /* values are written */
    bool unsorted;  /* columns of a row come in any order */
    bool ordered;   /* columns of every row of B and D ascend */
    bool uses_kept; /* the numeric method reads kept positions */
    /* rows were stored at their bounds, which [S1] takes for their lengths */
    bool bounded;
    bool defers_columns; /* columns of C have not been expanded from its blocks yet */
    int64_t bound;       /* sum of the bounds of rows, once counted */
    /* upper bound of a row's work that is known without counting; INT64_MAX: none */
    int64_t most_work;
    /* During planning, once counted: for each row of C the work (products + entries of D) and
     * the window of its columns; B compressed, if that saves enough. */
    spl__device_array work, windows;       /* int64_t[rows], struct spgemm_window[rows] */
    spl__device_array pair_offsets, pairs; /* P[rows of B + 1], struct spgemm_pair[] */
    int64_t words_of_b;                    /* pairs of B, compressed or not */
    double pairs_of_entry;                 /* of B as the kernels read it; 1: not compressed */
    spl__device_array notes;               /* struct spl__product_notes */
    bool sampled, work_noted, find_noted;  /* parts of them are in use */
    struct spgemm_ahead ahead;             /* while work is counted ahead (row_work.h) */
    bool counts_ahead;                     /* that was enqueued, and nobody has fetched it */
    double columns_of_product;             /* of the sampled rows; NAN: not known */
    spl__early_bins early;
    /* during planning: the positions of the mask, int64_t[rows+1] and int32_t[mask_positions] */
    spl__device_array mask_offsets, mask_columns;
    int64_t mask_positions;
    double dot_steps; /* of dot products at them; 0: not counted */
} spl__device_product;

spl__device_product *spl__device_product_of(const spl_plan *plan);

/* The parameters in which methods differ in the cost model: steps of a warp per product and per
 * row, launches, and whether one team finds rows of very many columns with hash tables. Rows of
 * more than alone_most columns have several warps, which add to one sum after the other: `together`
 * more per product; rows of more than chunk_most columns take all their products again for each
 * further chunk. 0: neither. */
typedef struct spl__device_costs {
    double product, row, launches, together, alone_most, chunk_most;
    bool hashes_long;
} spl__device_costs;

/* The instance of a kernel for the types of the plan. */
spl_status spl__product_kernel(const spl_plan *plan, const char *name, const spl__kernel **kernel);
/* Launches a kernel of spgemm_rows.k.h with a thread for each of `items`, or as many as fill the
 * device. */
spl_status spl__product_launch(spl_plan *plan, const char *name, int64_t items, const void *args,
                               size_t bytes);
/* Allocates the starts of kept positions if rows may have any: the count of work, which reads all
 * rows, clears them. None if memory is short or may become so. */
spl_status spl__device_kept_begin(spl_plan *plan);
/* Frees kept positions that the numeric method does not use. */
void spl__device_kept_free(spl_plan *plan);

#endif
