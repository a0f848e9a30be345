/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmm/compute/cpu/identical_rows: C = alpha*A*B + beta*C, a tile of up to three rows of C with the
 * same columns of A in registers.
 *
 * Where a mesh node has several unknowns, consecutive rows of A have the same columns. The plan
 * finds these runs exactly and divides them into groups of two and three. For a group and a tile of
 * columns the entries of the first row are walked once; each loads its piece of B's row once and
 * adds it, times a different value, to each row of the tile. Single rows are computed as in
 * register_blocked.
 *
 * Cost: as register_blocked, but B is read once per run. Memory: one byte per row, one integer per
 * part. Source: rows with equal columns: R. Vuduc, H.-J. Moon, HPCC'05; register tiling: M. Lam, E.
 * Rothberg, M. Wolf, ASPLOS'91. Differs: A stays in CSR: no blocks are stored, rows of a run are
 * found through their lengths. Runs of four in one tile were no faster. */
#define MOST_ROWS 3
#include "spmm/cpu/tile_shape.h"

#include <math.h>

#define SELF "spmm/cpu/spmm_identical_rows_cpu.c"
#include "core/each_type.h"

SPL__KERNELS(spmm_identical_rows, kernel_fn, multiply, SPL__V4)

#ifndef SPL__VARIANT

/* Bytes of a row in a tile, of AVX-512: predictions do not depend on the instruction set. */
enum { TILE_BYTES = 512 };

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    const double threads = spl__assumed_threads(&task->plan->problem);
    const double tiles = ceil(spl__spmm_row_bytes(task->plan) / TILE_BYTES);
    const double row = m->spmm_run + fmax(0, tiles - 1) * m->spmm_tile;
    spl__tile_rows_estimate(task, fmax(1 - f->repeated_sampled, 1.0 / MOST_ROWS), row, e);
    e->setup =
        (f->rows * m->spmm_run + f->nnz_a * f->repeated_sampled * m->spmm_run_entry) / threads;
    e->bytes += f->rows;
}

static spl_status prepare(spl__step *step)
{
    return spl__tile_rows_prepare(step, MOST_ROWS);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    const kernel_fn multiply = kernel_up_to(spl__spmm_variant(step->task.plan), p->combination);
    multiply(step->state, spl__step_sweep(step), &p->a.csr, call);
    return SPL_OK;
}

static void explain(const spl__step *step, spl__text *text)
{
    const spl__tile_rows *rows = step->state;
    const int64_t count = step->task.plan->problem.rows;
    int64_t runs = 0;
    for (int64_t i = 0; i < count; i += spl__run_length(rows->runs, i))
        runs++;
    spl__text_add(text, "  runs of at most %d rows %s, parts of rows %s, registers of %s\n",
                  MOST_ROWS, spl__thousands(runs), spl__thousands(rows->parts.count),
                  spl__variant_name(spl__variant_up_to(spl__spmm_variant(step->task.plan))));
}

const spl__method spl__spmm_compute_cpu_identical_rows = {
    .summary = "rows that share their columns together, a tile in registers",
    .source = "R. Vuduc, H.-J. Moon, HPCC'05; M. Lam, E. Rothberg, M. Wolf, ASPLOS'91",
    .revision = 3,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = spl__tile_rows_destroy,
};

#endif
#else
#include "spmm/cpu/multiply_tiles.h"
#endif
