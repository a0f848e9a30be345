/* SPDX-License-Identifier: Apache-2.0 */
/* device_teams.h: SpMM on a device by teams of lanes: what its methods have in common.
 *
 * A team of lanes computes a tile of columns of one row of C, its sums in registers. The team loads
 * as many entries of A as it has lanes, side by side, and hands them round by shuffles. A row of B,
 * as wide as the tile, is loaded by `across` lanes, each with runs of neighbours of up to 16 bytes;
 * a team with more lanes looks at several entries at once, and adds up at the end. Several steps'
 * loads are under way at once. Where few lanes share an entry, each loads what it multiplies itself
 * (spmm_direct.h): handing entries round leaves most steps without any.
 *
 * Rows may be joined, cut and ordered (device_tasks.h): joined ones have the same columns, and a
 * row of B that is loaded serves them all; pieces of cut ones leave their sums in memory, and a
 * second kernel adds them up in the order of pieces.
 *
 * How wide the loads of B can be depends on the call: order, leading dimension and alignment. So
 * every plan has a layout for each width. */
#ifndef SPL_SPMM_GPU_DEVICE_TEAMS_H
#define SPL_SPMM_GPU_DEVICE_TEAMS_H

#include "spmm/gpu/device_tasks.h"

/* Rows whose lengths vary no more (standard deviation / mean) keep their order, and
 * may be merged. */
#define SPL__SPMM_ALIKE 0.5
/* Rows of fewer entries gain less by merging; lanes that rows with entries enough for it have at
 * least, and the power of two that this is. */
enum {
    SPL__SPMM_SHORT = 20,
    SPL__SPMM_LEAST_BITS = 2,
    SPL__SPMM_LEAST_LANES = 1 << SPL__SPMM_LEAST_BITS
};

/* What a method chooses. Numbers of lanes and elements are powers of two. */
typedef struct spl__spmm_shape {
    int32_t run;    /* most bytes that a lane loads at once; one element at least */
    int32_t runs;   /* most such runs of a lane, 1 or 2; of single elements up to 4 */
    int32_t across; /* most lanes of an entry, for runs of that many bytes: for shorter ones more */
    /* lanes of a row, at least those of an entry; 0: as many more as the device needs to be full */
    int32_t team;
    /* all rows of one tile of columns, then the next tile; else all tiles of a row side by side */
    bool by_slabs;
    spl__spmm_cut cut;
} spl__spmm_shape;

/* The functions of a method. */
void spl__device_teams_estimate(const spl__task *task, const spl__spmm_shape *shape,
                                spl__estimate *e);
spl_status spl__device_teams_prepare(spl__step *step, const spl__spmm_shape *shape);
spl_status spl__device_teams_execute(spl__step *step, const spl__call *call);
void spl__device_teams_explain(const spl__step *step, spl__text *text);
void spl__device_teams_destroy(spl__step *step);

/* For predictions: bytes that are gathered, weighted for loads of `run` bytes a lane, which keep
 * less of a multiprocessor busy than 16 do. */
double spl__device_teams_gathered(double bytes, double run);

/* Threads that the plan's device holds at once, and columns of a tile of B that is loaded in runs
 * of shape->run bytes. */
double spl__device_teams_resident(const spl__task *task);
int64_t spl__device_teams_tile(const spl__task *task, const spl__spmm_shape *shape);
/* Lanes that share an entry where rows of B and C are aligned to what their number of columns
 * allows. */
int32_t spl__device_teams_across(const spl__task *task, const spl__spmm_shape *shape);

/* Whether rows of B or C can be loaded and stored `run` elements at a time; kernels then reach rows
 * by steps of 32 bits. */
bool spl__spmm_in_runs(const spl_dense *m, int32_t run);

#endif
