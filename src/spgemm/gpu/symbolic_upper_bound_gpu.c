/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/symbolic/gpu/upper_bound: the structure of C = A*B + D, stored at the upper bounds of its
 * rows.
 *
 * A row of C has at most as many columns as products plus entries of D, and at most cols(C). Prefix
 * sums of these bounds give the begin of each row in one array. Rows are found there, once: short
 * ones by sorting their products in registers, others as hash sets, see symbolic_hash_gpu.c. Their
 * lengths are summed to offsets, and the rows are compacted.
 *
 * Cost: every product sorted or inserted once, C's columns written twice. Memory: bound_c
 * columns and 8 bytes a row until C is complete; tables for long rows. Source: S1, symbolic
 * phase for sparse B. Differs: columns are found here, not by the first execution, and C is
 * exact when the plan is made: executions of a plan on a device allocate nothing and report
 * nothing to the host. */
#include "spgemm/gpu/device_find.h"

#include <math.h>

static const spl__find_method parameters = {
    .shapes = SPL__ROW_SHAPES({SPGEMM_SORT, .team = 4, .threads = 256, .most = 4 * SPGEMM_RUN_KEYS,
                               .most_work = 4 * SPGEMM_RUN_KEYS},
                              {SPGEMM_SORT, .team = 8, .threads = 256, .most = 8 * SPGEMM_RUN_KEYS,
                               .most_work = 8 * SPGEMM_RUN_KEYS},
                              {SPGEMM_SORT, .team = 16, .threads = 256,
                               .most = 16 * SPGEMM_RUN_KEYS, .most_work = 16 * SPGEMM_RUN_KEYS},
                              {SPGEMM_HASH, .team = 32, .threads = 128, .most = 512},
                              {SPGEMM_HASH, .team = 128, .threads = 128, .most = 1024}),
    .costs = {.product = 20, .row = 48, .launches = 14, .hashes_long = true},
    .attempts = true,
    .bounded = true};

/* Longer rows are hashed, which takes longer than sorting short ones: as in symbolic/gpu/hash. */
static double hash_seconds(const spl__task *task)
{
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const spl__device_properties *p = &task->plan->problem.queue.device->properties;
    spl__form_times times = spl__form_of(task->plan)->times;
    double rows = fmax(1, f->rows / times.rows), products = f->products / times.products;
    return products > SPGEMM_ALIKE_PRODUCTS * rows
               ? m->spgemm_bound_hash * products / p->lanes / m->warp_rate / p->units
               : 0;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    spl__device_find_estimate(task, e);
    e->seconds += hash_seconds(task);
    e->bytes = 20 * f->rows + 8 * f->bound_c;
}

const spl__method spl__spgemm_symbolic_gpu_upper_bound = {
    .summary = "rows found where their bounds give them room",
    .source = "S1, symbolic phase for sparse B",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .parameters = &parameters,
    .estimate = estimate,
    .prepare = spl__device_find_prepare,
    .execute = spl__device_find_execute,
    .explain = spl__device_find_explain,
};
