/* SPDX-License-Identifier: Apache-2.0 */
/* device_launches.h: launches the kernels of row bins: one launch per bin, concurrently, or
 * one joint launch for several bins that fit the device at once. */
#ifndef SPL_SPGEMM_GPU_DEVICE_LAUNCHES_H
#define SPL_SPGEMM_GPU_DEVICE_LAUNCHES_H

#include "spgemm/gpu/bins/row_bins.h"
#include "spgemm/gpu/device_product.h"
#include "spgemm/kernels/find/spgemm_several.k.h"

/* The launch of one bin, and what the kernel for several bins needs to know. */
typedef struct spl__team_launch {
    struct spgemm_teams layout; /* with the blocks of a single launch */
    const spl__kernel *kernel;
    int64_t teams;      /* that its rows need */
    int64_t team_bytes; /* shared memory of one team */
    int64_t shared;     /* shared memory of a block in a single launch */
    int32_t threads;    /* of a block in a single launch */
    bool joins;         /* the kernel for several bins supports this kind of rows */
} spl__team_launch;

/* The launches of all bins that have rows. */
typedef struct spl__team_launches {
    spl__team_launch bin[SPGEMM_MOST_BINS];
    unsigned joined; /* one bit per bin of the joint launch */
    int32_t threads; /* of a block of the joint launch */
    int64_t blocks, shared;
    const spl__kernel *kernel;
} spl__team_launches;

/* Puts the bins that fit the device at once into a joint launch of the kernel `name`. */
spl_status spl__team_launches_join(const spl_plan *plan, const spl__row_bins *bins,
                                   const char *name, spl__team_launches *launches);

/* Arguments of kernels: the struct for several bins begins with the struct for one. */
typedef struct spl__team_args {
    void *all;
    size_t own_bytes, bytes; /* sizes of the structs for one bin and for several */
    struct spgemm_teams *layout;
    struct spgemm_several *several;
    /* replaces the kernels of bins, where none are joined; NULL: keep them */
    const spl__kernel *instead;
} spl__team_args;

/* Enqueues all launches. */
spl_status spl__team_launches_enqueue(spl_plan *plan, const spl__row_bins *bins,
                                      const spl__team_launches *launches,
                                      const spl__team_args *args);

#endif
