/* SPDX-License-Identifier: Apache-2.0 */
/* device_block_teams.h: SpMV on a device by teams of lanes, one per group of identical rows
 * (spmv_blocks.k.h): choices that its methods share. */
#ifndef SPL_SPMV_GPU_DEVICE_BLOCK_TEAMS_H
#define SPL_SPMV_GPU_DEVICE_BLOCK_TEAMS_H

#include "plan/plan.h"
#include "spmv/kernels/spmv_blocks.k.h"

typedef struct spl__block_teams {
    const spl__kernel *kernel;
    int64_t groups;
    int32_t most;  /* the most rows of a group */
    int32_t width; /* lanes per team */
    int64_t kept;  /* see struct spmv_blocks_args */
} spl__block_teams;

/* The cost of a group in addition to its entries, in bytes: box2d:300,300,2. */
enum { SPL__GROUP_BYTES = 160 };

/* The instance of kernel `name` for A's types; %d in the name is replaced by `size`. */
spl_status spl__block_teams_kernel(spl__queue *queue, const spl_sparse *a, const char *name,
                                   int32_t size, const spl__kernel **kernel);
/* The most entries of a row that a team computes: longer rows would outlast all others. */
int64_t spl__block_teams_longest(const spl__features *f);
/* Whether that many values bypass L1, with kernels called ..._once. */
bool spl__block_teams_once(const spl__queue *queue, const spl_sparse *a, double values);
/* Sets width and kept, from groups, most, and the average number of loads per row. */
void spl__block_teams_shape(const spl_plan *plan, double loads, spl__block_teams *teams);
/* Launches after `first` thread blocks for other work. Sets the arguments of the teams. */
spl_status spl__block_teams_launch(spl_plan *plan, const spl__block_teams *teams,
                                   const spl__kernel *kernel, int64_t first,
                                   struct spmv_blocks_args *args);

#endif
