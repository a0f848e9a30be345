/* SPDX-License-Identifier: Apache-2.0 */
/* device_block_teams.h: SpMV on a device by teams of lanes, one for each group of rows with the
 * same columns (spmv_blocks.k.h): what its methods choose alike. */
#ifndef SPL_SPMV_GPU_DEVICE_BLOCK_TEAMS_H
#define SPL_SPMV_GPU_DEVICE_BLOCK_TEAMS_H

#include "plan/plan.h"
#include "spmv/kernels/spmv_blocks.k.h"

typedef struct spl__block_teams {
    const spl__kernel *kernel;
    int64_t groups;
    int32_t most;  /* rows of a group */
    int32_t width; /* lanes of a team */
    int64_t kept;  /* see struct spmv_blocks_args */
} spl__block_teams;

/* What a group costs beside its entries, as bytes: box2d:300,300,2. */
enum { SPL__GROUP_BYTES = 160 };

/* The instance of kernel `name` for A's types, where %d stands for `size`. */
spl_status spl__block_teams_kernel(spl__queue *queue, const spl_sparse *a, const char *name,
                                   int32_t size, const spl__kernel **kernel);
/* Entries of the longest row that is a team's: it would be busy with longer ones when all others
 * are done. */
int64_t spl__block_teams_longest(const spl__features *f);
/* Whether so many values are read past L1, by kernels called ..._once. */
bool spl__block_teams_once(const spl__queue *queue, const spl_sparse *a, double values);
/* Sets width and kept, from groups, most, and how many loads a row takes on average. */
void spl__block_teams_shape(const spl_plan *plan, double loads, spl__block_teams *teams);
/* With `first` blocks of threads for others in front. Sets what of the arguments the teams know. */
spl_status spl__block_teams_launch(spl_plan *plan, const spl__block_teams *teams,
                                   const spl__kernel *kernel, int64_t first,
                                   struct spmv_blocks_args *args);

#endif
