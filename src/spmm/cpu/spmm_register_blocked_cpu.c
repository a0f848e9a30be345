/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmm/compute/cpu/register_blocked: C = alpha*A*B + beta*C, a tile of one row of C at a time in
 * registers.
 *
 * For row i and a tile of columns, the entries of row i are walked once; each adds a_ik times a
 * piece of B's row k, while the next rows of B are prefetched: their numbers are known, since the
 * entries of consecutive rows are neighbours. C is read and written once. Rows are divided into
 * parts of equal rows + entries, columns into panels. Stores that bypass the caches did not pay.
 *
 * Cost: per panel, A once per tile; nnz*K elements of B from wherever they are cached. Memory:
 * one integer per part. Source: the CPU counterpart of S4 (a warp keeps 32 columns of C in
 * registers, its rows' entries staged); register tiling: M. Lam, E. Rothberg, M. Wolf,
 * ASPLOS'91. Differs: values of 16 bits are widened as they are loaded; the tile is 16 registers
 * wide, or 8 if there are only 16; 8, 4, 2 or 1, partly masked, for the remaining columns. */
#define MOST_ROWS 1
#include "spmm/cpu/tile_shape.h"

#define SELF "spmm/cpu/spmm_register_blocked_cpu.c"
#include "core/each_type.h"

SPL__KERNELS_IN_HALVES(spmm_register_blocked, kernel_fn, multiply, SPL__V4)

#ifndef SPL__VARIANT

static void estimate(const spl__task *task, spl__estimate *e)
{
    spl__tile_rows_estimate(task, 1, 0, e);
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
    spl__text_add(text, "  parts of rows %s, registers of %s\n", spl__thousands(rows->parts.count),
                  spl__variant_name(spl__variant_up_to(spl__spmm_variant(step->task.plan))));
}

const spl__method spl__spmm_compute_cpu_register_blocked = {
    .summary = "row by row, a tile of columns in registers",
    .source = "after S4; M. Lam, E. Rothberg, M. Wolf, ASPLOS'91",
    .revision = 5,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__HALVES,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = spl__tile_rows_destroy,
};

#endif
#else
#define IN_HALVES
#include "spmm/cpu/multiply_tiles.h"
#endif
