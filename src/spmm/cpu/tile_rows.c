/* SPDX-License-Identifier: Apache-2.0 */
#include "spmm/cpu/tile_rows.h"

#include "core/checked.h"
#include "core/lanes.h"
#include "plan/forced.h"
#include "structure/identical_rows.h"

#include <math.h>
#include <stdlib.h>

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

/* Whether C is stored past the caches: it does not fit the one that all share, so that it will not
 * be there when it is read. One Xeon thread, K = 32, f32 and f64: 1.07 to 1.67 times as fast on
 * bands, stencils, prolongations, a dense row and single entries, nodes of two unknowns 1.01 and
 * 1.09. Where rows wait for rows of B in no order, lines of C wait half full: .81 to .97. */
static bool c_is_streamed(const spl_plan *plan)
{
    enum { FEW = 2 };
    const spl__features *f = &plan->features;
    return f->rows * spl__spmm_row_bytes(plan) > plan->machine->last_cache_bytes &&
           (rows_apart(f) <= MOST_APART || f->nnz_a < FEW * f->rows);
}

/* Seconds to write all of C, and to read its lines before unless they are stored past the caches.
 */
static double result_seconds(const spl_plan *plan, double threads)
{
    const double bytes = plan->features.rows * spl__spmm_row_bytes(plan),
                 times = c_is_streamed(plan) ? 1 : 2;
    return times * bytes *
           (bytes > plan->machine->cache_bytes ? 1 / spl__memory_rate(plan->machine, threads)
                                               : plan->machine->spmm_near_byte);
}

/* Whether rows have four entries or more in the mean, and at most a third of some are not as long
 * as those before them. One Xeon thread, f32, K = 8, ns a row, one by one and even: stencils of 5,
 * 7, 9 and 27 points 3.6 -> 3.0, 4.4 -> 3.6, 5.3 -> 4.9, 12.0 -> 10.6; rows of 7 in no order 11.0
 * -> 11.5, of 1 to 3 no gain. */
static bool rows_are_even(const spl_sparse *a)
{
    enum { SHORT = 4, SAMPLES = 4096 };
    const int64_t step = 1 + a->rows / SAMPLES;
    int64_t pairs = 0, uneven = 0;
    for (int64_t i = 1; i < a->rows; i += step, pairs++)
        uneven += spl__offset_at(a, i + 1) + spl__offset_at(a, i - 1) != 2 * spl__offset_at(a, i);
    return a->nnz / SHORT >= a->rows && 3 * uneven <= pairs;
}

/* Whether entry p of a row has a column beside one of some entries of the row before, which begins
 * at `first`. */
static bool is_near(const spl_sparse *a, int64_t p, int64_t first, int64_t last)
{
    enum { MOST = 32 };
    const int64_t column = spl__entry_index(a, p);
    for (int64_t q = first; q < spl__min_i64(last, first + MOST); q++)
        if (llabs(spl__entry_index(a, q) - column) <= 2)
            return true;
    return false;
}

/* Whether most of some rows' first and last entries are not: whole rows that are neither equal nor
 * shifted may be in order, such as those of prolongations. */
static bool rows_are_in_no_order(const spl_sparse *a)
{
    enum { SAMPLES = 256 };
    const int64_t step = 1 + a->rows / SAMPLES;
    int64_t entries = 0, near = 0;
    for (int64_t i = 1; i < a->rows; i += step) {
        const int64_t before = spl__offset_at(a, i - 1), begin = spl__offset_at(a, i),
                      end = spl__offset_at(a, i + 1);
        for (int64_t p = begin; p < end; p += spl__max_i64(1, end - begin - 1), entries++)
            near += is_near(a, p, before, begin);
    }
    return 2 * near < entries;
}

/* Whether a row of B that lies in two lines of the cache, and fills a register, is loaded line by
 * line. One Xeon thread, ns a row of 8, 20 and 33 entries in no order, B of 51 to 207 kB: f64, K =
 * 8, 11.6 -> 9.0, 24.4 -> 20.2, 33.2 -> 27.8; f32, K = 16, 12.7 -> 12.2, 21.9 -> 17.7, 30.1
 * -> 25.2. Where B fits the first cache 1.1 to 1.25 times as long, and 1.2 times in order. AMD's
 * processors, which gather by loads, are not measured. */
static bool rows_are_scattered(const spl_plan *plan)
{
    enum { FIRST_CACHE = 48 << 10 };
    const double bytes = plan->features.inner * spl__spmm_row_bytes(plan);
    return spl__gathers_pay && bytes > FIRST_CACHE && !b_is_far(plan) &&
           rows_apart(&plan->features) > MOST_APART && rows_are_in_no_order(&plan->problem.a.csr);
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
    rows->even = rows_are_even(a);
    rows->longer = a->nnz / 12 >= a->rows;
    rows->scattered = rows_are_scattered(plan);
    rows->apart = rows_apart(&plan->features) > MOST_APART;
    rows->streams = c_is_streamed(plan);
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
    spl__estimate_team(alone, shared + plan->machine->parallel_start, e);
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
