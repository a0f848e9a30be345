/* SPDX-License-Identifier: Apache-2.0 */
#include "spmm/cpu/tile_rows.h"

#include "plan/forced.h"
#include "structure/identical_rows.h"

#include <math.h>

/* Share of entries apart from recent ones up to which prefetches only cost: on stencils and bands
 * of 0.1 to 5 million entries a sixth of the time; on random ones they gain a third to a half; one
 * thread of an AMD EPYC of family 26. */
static const double MOST_APART = 0.5;

double spl__spmm_row_bytes(const spl_plan *plan)
{
    return plan->features.cols * (double)spl__type_size(plan->problem.a.csr.type);
}

static bool b_is_far(const spl_plan *plan)
{
    return plan->features.inner * spl__spmm_row_bytes(plan) > plan->machine->cache_bytes;
}

/* Without fused multiply-adds, on sixteen narrow registers, arithmetic is the bottleneck; tiles
 * of several rows and prefetching cost a fifth there. */
static bool bound_by_arithmetic(void)
{
    return spl__variant_up_to(SPL__V4) == SPL__BASE;
}

bool spl__spmm_rows_are_far(const spl_plan *plan)
{
    return b_is_far(plan) && !bound_by_arithmetic();
}

spl__variant spl__spmm_variant(const spl_plan *plan)
{
    const double sum_bytes = plan->problem.a.csr.type == SPL_F64 ? 8 : 4;
    return plan->features.cols * sum_bytes <= 32 ? SPL__V3 : SPL__V4;
}

/* The share of entries whose rows of B are not near recently read ones. The rows of a node have
 * most columns in common, whatever the holes; samples of neighbours, which compare whole rows,
 * do not detect this. */
static double rows_apart(const spl__features *f)
{
    if (f->holed_block_size > 1)
        return 0;
    return fmin(1, fmax(0, 1 - fmax(f->repeated_sampled, f->shifted_sampled)));
}

/* The share of entries whose row of B the row above has not just read. */
static double first_reads(const spl__features *f)
{
    return f->holed_block_size > 1 ? 1 / f->holed_block_size : 1 - f->repeated_sampled;
}

double spl__spmm_load_seconds(const spl_plan *plan)
{
    const spl__machine *m = plan->machine;
    return b_is_far(plan) ? m->spmm_far_byte + rows_apart(&plan->features) * m->spmm_apart_byte
                          : m->spmm_near_byte;
}

/* Seconds to read and write all of C. */
static double result_seconds(const spl_plan *plan, double threads)
{
    const double bytes = plan->features.rows * spl__spmm_row_bytes(plan);
    return 2 * bytes *
           (bytes > plan->machine->cache_bytes ? 1 / spl__memory_rate(plan->machine, threads)
                                               : plan->machine->spmm_near_byte);
}

static void find_runs(spl__watch *watch, const spl__problem *problem, int most,
                      spl__tile_rows *rows)
{
    const spl__row_parts *parts = &rows->parts;
#pragma omp parallel for num_threads(spl__team(parts->count > 1 ? problem->threads : 1))           \
    schedule(static)
    for (int64_t part = 0; part < parts->count; part++)
        if (spl__watch_goes_on(watch))
            spl__identical_rows_find(&problem->a.csr, parts->row[part], parts->row[part + 1], most,
                                     rows->runs);
}

spl_status spl__tile_rows_prepare(spl__step *step, int most)
{
    spl_plan *plan = step->task.plan;
    const spl_sparse *a = &plan->problem.a.csr;
    spl__tile_rows *rows;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &rows, 1));
    step->state = rows;
    rows->far = spl__spmm_rows_are_far(plan);
    rows->apart = rows_apart(&plan->features) > MOST_APART;
    SPL__TRY(spl__row_parts_make(&plan->account, a, SPL__PART_WORK, &rows->parts));
    if (most == 1 || (bound_by_arithmetic() && !spl__phase_is_forced(plan, SPL__PHASE_compute)))
        /* predictions do not depend on the instruction set; unless runs are forced, the faster
         * variant is used */
        return SPL_OK;
    SPL__TRY(SPL__NEW(&plan->account, &rows->runs, a->rows));
    find_runs(spl__account_watch(&plan->account), &plan->problem, most, rows);
    return SPL_OK;
}

void spl__tile_rows_destroy(spl__step *step)
{
    spl__tile_rows *rows = step->state;
    if (!rows)
        return;
    spl__row_parts_free(&rows->parts);
    spl__free(rows->runs);
    spl__free(rows);
}

void spl__spmm_predict(const spl__task *task, double work, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const double threads = spl__assumed_threads(&plan->problem);
    const double alone = work + result_seconds(plan, 1),
                 shared = (work + result_seconds(plan, threads)) / threads;
    spl__estimate_team(task, alone, shared + plan->machine->parallel_start, e);
}

void spl__tile_rows_estimate(const spl__task *task, double fresh, double row, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    const double bytes = spl__spmm_row_bytes(task->plan);
    const double first = fmin(fresh, first_reads(f));
    const double load =
        first * spl__spmm_load_seconds(task->plan) + (fresh - first) * m->spmm_near_byte;
    spl__spmm_predict(task,
                      f->rows * (m->spmm_row + row) + f->nnz_a * m->spmm_entry +
                          f->nnz_a * bytes * (load + m->spmm_product_byte),
                      e);
    e->bytes = 8.0 * (1 + (f->nnz_a + f->rows) / SPL__PART_WORK);
}
