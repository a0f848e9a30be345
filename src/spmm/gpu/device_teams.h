/* SPDX-License-Identifier: Apache-2.0 */
/* device_teams.h: SpMM on a device by teams of lanes: the common part of its methods.
 *
 * A team of lanes computes a tile of columns of one row of C, with the sums in registers. The team
 * loads as many consecutive entries of A as it has lanes, and broadcasts them by shuffles. A row of
 * B, as wide as the tile, is loaded by `across` lanes, each with runs of up to 16 bytes; a team
 * with more lanes processes several entries at once, and reduces at the end. The loads of several
 * steps overlap. Where few lanes share an entry, each loads its entries itself (spmm_direct.h),
 * because with shuffles most steps would have no entry.
 *
 * Identical rows may share a team, which loads a row of B once for all; rows may be cut and
 * ordered (device_tasks.h). Pieces of cut rows store their sums to memory, and a second kernel adds
 * these in order.
 *
 * The width of loads of B depends on the call: order, leading dimension and alignment. So every
 * plan has one layout per width. */
#ifndef SPL_SPMM_GPU_DEVICE_TEAMS_H
#define SPL_SPMM_GPU_DEVICE_TEAMS_H

#include "spmm/gpu/device_tasks.h"

/* The largest variation of row lengths (standard deviation / mean) for which rows keep their
 * order and may be merged. */
#define SPL__SPMM_ALIKE 0.5
/* SHORT: rows of fewer entries gain less by merging. LEAST_LANES: the least lanes of rows with
 * enough entries for them. */
enum {
    SPL__SPMM_SHORT = 20,
    SPL__SPMM_LEAST_BITS = 2,
    SPL__SPMM_LEAST_LANES = 1 << SPL__SPMM_LEAST_BITS
};

/* The parameters that a method chooses. Numbers of lanes and elements are powers of two. */
typedef struct spl__spmm_shape {
    int32_t run;  /* the most bytes per load of a lane; at least one element */
    int32_t runs; /* the most such loads per lane, 1 or 2; up to 4 of single elements */
    /* the most lanes per entry, for runs of that many bytes; more for shorter ones */
    int32_t across;
    /* lanes per row, at least those of an entry; 0: as many as fill the device */
    int32_t team;
    /* all rows of one tile of columns, then the next tile; else all tiles of a row together */
    bool by_slabs;
    /* Rows that a team computes side by side, with the lanes of an entry: SPMM_ABREAST, where long
     * rows have blocks (cut.part); 0: one. */
    int32_t abreast;
    spl__spmm_cut cut;
} spl__spmm_shape;

/* The parameters of a method, and its functions. */
typedef struct spl__teams_method {
    spl__spmm_shape (*choose)(const spl__task *task);
} spl__teams_method;
void spl__device_teams_estimate(const spl__task *task, spl__estimate *e);
spl_status spl__device_teams_prepare(spl__step *step);
spl_status spl__device_teams_execute(spl__step *step, const spl__call *call);
void spl__device_teams_explain(const spl__step *step, spl__text *text);
void spl__device_teams_destroy(spl__step *step);

/* For predictions: gathered bytes, weighted for loads of `run` bytes per lane, which use less of
 * a multiprocessor's bandwidth than 16. */
double spl__device_teams_gathered(double bytes, double run);

/* The resident threads of the plan's device; the columns of a tile of B that is loaded in runs
 * of shape->run bytes. */
double spl__device_teams_resident(const spl__task *task);
int64_t spl__device_teams_tile(const spl__task *task, const spl__spmm_shape *shape);
/* Lanes per entry if rows of B and C have the alignment that their number of columns allows. */
int32_t spl__device_teams_across(const spl__task *task, const spl__spmm_shape *shape);

/* Whether rows of B or C can be loaded and stored in runs of `run` elements; kernels then use
 * 32-bit offsets between rows. */
bool spl__spmm_in_runs(const spl_dense *m, int32_t run);

#endif
