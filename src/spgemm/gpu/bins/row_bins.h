/* SPDX-License-Identifier: Apache-2.0 */
/* row_bins.h: bins the rows of C by the kernel configuration that suits them. */
#ifndef SPL_SPGEMM_GPU_BINS_ROW_BINS_H
#define SPL_SPGEMM_GPU_BINS_ROW_BINS_H

#include "spgemm/gpu/bins/row_shapes.h"

/* All rows in order of their bins; bin g has rows[first[g]..first[g+1]). */
typedef struct spl__row_bins {
    /* uint32_t[rows of C]; NULL: one bin has all rows, in natural order */
    spl__device_array rows;
    int64_t first[SPGEMM_MOST_BINS + 1];
    int64_t longest[SPGEMM_MOST_BINS]; /* columns of the longest row, or their bound */
    /* products and entries of D; a row counts for SPGEMM_MOST_COUNTED at most */
    int64_t work[SPGEMM_MOST_BINS];
    double row_of_b[SPGEMM_MOST_BINS]; /* average products per entry of A */
} spl__row_bins;

/* Bins rows by the lengths of C's rows if these are `known`, else by work. Waits once, unless the
 * bins were enqueued early. */
spl_status spl__row_bins_make(spl_plan *plan, const spl__row_shapes *shapes,
                              spl__window_bytes bytes, bool known, spl__row_bins *bins);
void spl__row_bins_free(spl_plan *plan, spl__row_bins *bins);
/* For methods: enqueues early the bins that spl__row_bins_make will be called for. Does nothing
 * where memory is short or rows need not be inspected. */
spl_status spl__row_bins_enqueue_early(spl_plan *plan, const spl__row_shapes *shapes,
                                       spl__window_bytes bytes, bool known);

/* The list of a bin's rows, for a kernel. */
const uint32_t *spl__row_bins_list(const spl__row_bins *bins, int g);
/* Adds a line that says how many rows each bin has and how they are computed. joined: one bit per
 * bin of the joint launch. */
void spl__row_bins_explain(const spl__row_shapes *shapes, const spl__row_bins *bins,
                           unsigned joined, spl__text *text);
/* A walk over the bins that have rows, the longest rows first, each on a branch of the queue. Of
 * the bins of a joint launch, one bit each in `joined`, it meets only the last one. */
typedef struct spl__bin_walk {
    spl__queue *queue;
    const spl__row_bins *bins;
    unsigned joined;
    int launches, branch, bin;
    spl_status status; /* of the bin's launch, for the caller to set */
} spl__bin_walk;
spl__bin_walk spl__bin_walk_begin(spl_plan *plan, const spl__row_bins *bins, unsigned joined);
/* The next bin; -1: there are no more, or a launch failed. */
int spl__bin_walk_next(spl__bin_walk *walk);
/* Joins the branches; returns the first failure. */
spl_status spl__bin_walk_end(const spl__bin_walk *walk);
/* Enlarges the teams of a bin that has few rows with many products, up to a whole block, because
 * the rest of the device would wait for them. The bin gets at most `threads` threads of a
 * multiprocessor. */
void spl__widen_teams(const spl_plan *plan, const spl__row_bins *bins, int g, int32_t threads,
                      spl__row_shape *shape);
/* Whether each lane should walk rows of B of its own, because these are short and the bin's rows
 * of A are long: plain aggregates. */
bool spl__walks_singly(const spl__row_bins *bins, int g);
/* The longest row of B that one part of a team walks alone; INT32_MAX: no limit. */
int32_t spl__long_row(const spl_plan *plan, int32_t team, int32_t width);

#endif
