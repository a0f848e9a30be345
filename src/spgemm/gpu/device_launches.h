/* SPDX-License-Identifier: Apache-2.0 */
/* device_launches.h: launches of the kernels for groups of rows: one for each group, side by side,
 * or one for several that the device computes at once. */
#ifndef SPL_SPGEMM_GPU_DEVICE_LAUNCHES_H
#define SPL_SPGEMM_GPU_DEVICE_LAUNCHES_H

#include "spgemm/gpu/device_product.h"
#include "spgemm/kernels/spgemm_several.k.h"

/* A group's own launch, and what the kernel for several groups has to know. */
typedef struct spl__team_launch {
    struct spgemm_teams layout; /* with the blocks of a launch of its own */
    const spl__kernel *kernel;
    int64_t teams;      /* that its rows ask for */
    int64_t team_bytes; /* of shared memory, for a team */
    int64_t shared;     /* for a block of a launch of its own */
    int32_t threads;    /* of that */
    bool joins;         /* the kernel for several groups computes such rows, too */
} spl__team_launch;

/* Of all groups that have rows. */
typedef struct spl__team_launches {
    spl__team_launch group[SPGEMM_MOST_GROUPS];
    unsigned joined; /* a bit for each group that is computed together with others */
    int32_t threads; /* of a block of these */
    int64_t blocks, shared;
    const spl__kernel *kernel;
} spl__team_launches;

/* Joins what the device computes at once, by the kernel `name`. */
spl_status spl__team_launches_join(const spl_plan *plan, const spl__device_groups *groups,
                                   const char *name, spl__team_launches *launches);

/* The structs of arguments: that for several groups begins with that for one. */
typedef struct spl__team_args {
    void *all;
    size_t own_bytes, bytes; /* of what a kernel for one group takes, and one for several */
    struct spgemm_teams *layout;
    struct spgemm_several *several;
    const spl__kernel *instead; /* of the groups' own, where none are joined; NULL: none */
} spl__team_args;

/* Enqueues them. */
spl_status spl__team_launches_enqueue(spl_plan *plan, const spl__device_groups *groups,
                                      const spl__team_launches *launches,
                                      const spl__team_args *args);

#endif
