/* SPDX-License-Identifier: Apache-2.0 */
/* spread_run.h: one execution of SpMV or SpMM by several processors: shared by its source files. */
#ifndef SPL_PARTITION_SPREAD_RUN_H
#define SPL_PARTITION_SPREAD_RUN_H

#include "partition/spread.h"

typedef struct spl__execution {
    spl_plan *plan;
    spl__spread *spread;
    const spl__call *call;
    const spl_dense *b, *c; /* the caller's; NULL: the distributed arrays */
    bool reads_b, reads_c;  /* alpha, beta are not 0 */
    int threads;
} spl__execution;

/* ---- images: spread_images.c ---- */

/* Whether the part's rows of the result have an array of their own on the host. */
bool spl__spread_has_image(const spl_plan *plan, const spl__spread_part *part);
/* Because the CPU's rows are not contiguous in the caller's result. */
bool spl__spread_needs_image(const spl_plan *plan);
/* Whether devices' plans are made within the execution (one-shot calls). The CPU's part then has
 * an image as well, if memory allows, to compute in advance. */
bool spl__spread_defers_plans(const spl_plan *plan);
/* The CPU's part; NULL: it has no rows. */
spl__spread_part *spl__spread_cpu_part(const spl__spread *spread);
/* The first device that has rows and needs x from the host; NULL: none. */
spl__device *spl__spread_any_device(const spl__spread *spread);

/* ---- operands ---- */

size_t spl__spread_image_bytes(const spl_dense *m, int64_t rows);
/* Operands in distributed form at a place: without gaps, in the order of the last call's. */
spl_dense spl__spread_held_b(const spl__execution *e, spl_place place, void *values);
spl_dense spl__spread_held_c(const spl__execution *e, const spl__spread_part *part, spl_place place,
                             void *values);
/* The part's rows within the caller's C. */
spl_dense spl__spread_rows_within(const spl_dense *c, const spl__spread_part *part);

/* ---- steps of an execution: spread_dense.c ---- */

/* Copies bytes of x, from `offset` on, from the host to all devices that need them. */
spl_status spl__spread_to_all(const spl__spread *s, const void *from, size_t offset, size_t bytes);
/* A device's part. compute_part enqueues up to the result on the device; return_part enqueues
 * its copy to the host, if that does not block; start_part does both; finish_part waits until
 * the rows are on the host. */
spl_status spl__spread_compute_part(const spl__execution *e, spl__spread_part *part);
spl_status spl__spread_return_part(const spl__execution *e, spl__spread_part *part);
spl_status spl__spread_start_part(const spl__execution *e, spl__spread_part *part); /* both */
spl_status spl__spread_finish_part(const spl__execution *e, spl__spread_part *part);
spl_status spl__spread_finish_parts(const spl__execution *e);
/* The CPU's part: goes_through: whether it uses an image, which may be missing in one-shot
 * calls; compute_here computes into the image or the caller's array; give_here copies from the
 * image. */
bool spl__spread_goes_through(const spl__execution *e, const spl__spread_part *part);
spl_status spl__spread_compute_cpu(const spl__execution *e, spl__spread_part *part);
void spl__spread_give_cpu(const spl__execution *e, const spl__spread_part *part);
spl_status spl__spread_run_all_on_cpu(const spl__execution *e);
/* Runs all parts if spl__spread_defers_plans: spread_once.c. */
spl_status spl__spread_run_once(const spl__execution *e);

/* Runs an execution where a device holds A, x and y, unless all operands are distributed:
 * resident_dense.c. */
spl_status spl__resident_run(const spl__execution *e);

#endif
