/* SPDX-License-Identifier: Apache-2.0 */
/* spread_run.h: one execution of SpMV or SpMM by several processors: what its files share. */
#ifndef SPL_PARTITION_SPREAD_RUN_H
#define SPL_PARTITION_SPREAD_RUN_H

#include "partition/spread.h"

typedef struct spl__execution {
    spl_plan *plan;
    spl__spread *spread;
    const spl__call *call;
    const spl_dense *b, *c; /* the caller's; NULL: what processors hold */
    bool reads_b, reads_c;  /* alpha, beta are not 0 */
    int threads;
} spl__execution;

/* ---- images: spread_images.c ---- */

/* Whether the part's rows of the result have an array of their own on the host. */
bool spl__spread_has_image(const spl_plan *plan, const spl__spread_part *part);
/* Because the CPU's rows of the result cannot be where the caller wants them. */
bool spl__spread_lies_apart(const spl_plan *plan);
/* Whether devices' plans are made in the execution, the only one. The CPU's part then has an array,
 * too, if there is memory for one: to compute ahead. */
bool spl__spread_plans_late(const spl_plan *plan);
/* The CPU's part; NULL: it has no rows. */
spl__spread_part *spl__spread_part_here(const spl__spread *spread);
/* The first device that has rows and needs x from the host; NULL: none. */
spl__device *spl__spread_any_device(const spl__spread *spread);

/* ---- operands ---- */

size_t spl__spread_image_bytes(const spl_dense *m, int64_t rows);
/* Operands as they are held at a place: without gaps, in the order of the last ones. */
spl_dense spl__spread_held_b(const spl__execution *e, spl_place place, void *values);
spl_dense spl__spread_held_c(const spl__execution *e, const spl__spread_part *part, spl_place place,
                             void *values);
/* The part's rows within the caller's C. */
spl_dense spl__spread_rows_within(const spl_dense *c, const spl__spread_part *part);

/* ---- steps of an execution: spread_dense.c ---- */

/* Bytes of x, from `at` on, from the host to all devices that need them. */
spl_status spl__spread_to_all(const spl__spread *s, const void *from, size_t offset, size_t bytes);
/* A device's part: enqueued, first up to the result, which stays there, then its way home, if
 * nobody has to wait for it; until its rows are on the host. */
spl_status spl__spread_compute_part(const spl__execution *e, spl__spread_part *part);
spl_status spl__spread_return_part(const spl__execution *e, spl__spread_part *part);
spl_status spl__spread_start_part(const spl__execution *e, spl__spread_part *part); /* both */
spl_status spl__spread_finish_part(const spl__execution *e, spl__spread_part *part);
spl_status spl__spread_finish_parts(const spl__execution *e);
/* The CPU's: whether it writes to an array of its own first (that to compute ahead in may be
 * missing); to there, or to the caller's; from there to the caller's. */
bool spl__spread_goes_through(const spl__execution *e, const spl__spread_part *part);
spl_status spl__spread_compute_here(const spl__execution *e, spl__spread_part *part);
void spl__spread_give_here(const spl__execution *e, const spl__spread_part *part);
spl_status spl__spread_run_all_here(const spl__execution *e);
/* All parts, where spl__spread_plans_late: spread_once.c. */
spl_status spl__spread_run_once(const spl__execution *e);

/* The execution where A, x and y live on a device, but for operands that are all held:
 * resident_dense.c. */
spl_status spl__resident_run(const spl__execution *e);

#endif
