/* SPDX-License-Identifier: Apache-2.0 */
#include "spmm/tile_rows.h"

#include "matrix/row_runs.h"

static void find_runs(const spl__problem *problem, int most, spl__tile_rows *rows)
{
    const spl__row_parts *parts = &rows->parts;
#pragma omp parallel for schedule(static) num_threads(problem->threads) if (parts->count > 1)
    for (int64_t part = 0; part < parts->count; part++)
        spl__row_runs_find(&problem->a.csr, parts->row[part], parts->row[part + 1], most, rows->runs);
}

spl_status spl__tile_rows_prepare(spl__step *step, int most)
{
    spl_plan *plan = step->task.plan;
    const spl_sparse *a = &plan->problem.a.csr;
    spl__tile_rows *rows;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &rows, 1));
    step->state = rows;
    SPL__TRY(spl__row_parts_make(&plan->account, a, SPL__PART_WORK, &rows->parts));
    if (most == 1)
        return SPL_OK;
    SPL__TRY(SPL__NEW(&plan->account, &rows->runs, a->rows));
    find_runs(&plan->problem, most, rows);
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

void spl__tile_rows_estimate(const spl__task *task, double fresh, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    const double threads = spl__assumed_threads(&task->plan->problem);
    const double bytes = f->cols * (double)spl__type_size(task->plan->problem.a.csr.type); /* of a row of B or C */
    const double load = f->inner * bytes > m->cache_bytes ? m->spmm_far_byte : m->spmm_near_byte;
    double seconds = f->rows * m->spmm_row + f->nnz_a * m->spmm_entry;
    seconds += f->nnz_a * bytes * (fresh * load + m->spmm_product_byte) + 2 * f->rows * bytes / m->bandwidth;
    e->seconds = seconds / threads + (threads > 1 ? m->parallel_start : 0);
    e->bytes = 8.0 * (1 + (f->nnz_a + f->rows) / SPL__PART_WORK);
}
