/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/row_steps.h"

#include <math.h>

enum { PART_WORK = 8192, FEW_CONVERTED = 20000 };

/* Arithmetic and memory traffic overlap, except for this part of the shorter one. */
static const double NOT_HIDDEN = 0.25;

spl_status spl__row_steps_prepare(spl__step *step)
{
    spl__account *account = &step->task.plan->account;
    spl__row_parts *parts;
    SPL__TRY(SPL__NEW_ZERO(account, &parts, 1));
    step->state = parts;
    return spl__row_parts_make(account, &step->task.plan->problem.a.csr, PART_WORK, parts);
}

double spl__row_steps_bytes(const spl__task *task)
{
    const spl__features *f = &task->plan->features;
    const double most = 4096; /* merge_path.h */
    double parts = fmin(most, fmax(1, (f->rows + f->nnz_a) / PART_WORK));
    return spl__counted_bytes(1, sizeof(spl__row_parts)) +
           spl__counted_bytes(parts + 1, sizeof(int64_t));
}

void spl__row_steps_explain(const spl__step *step, spl__text *text)
{
    const spl__row_parts *parts = step->state;
    spl__text_add(text, "  parts of rows %s\n", spl__thousands(parts->count));
}

void spl__row_steps_destroy(spl__step *step)
{
    spl__row_parts *parts = step->state;
    if (!parts)
        return;
    spl__row_parts_free(parts);
    spl__free(parts);
}

/* The bytes that miss the caches of all threads together: a linear ramp between the caches' size
 * and twice that. */
static double from_memory(const spl__machine *m, double threads, double bytes)
{
    double cache = fmax(m->last_cache_bytes, m->cache_bytes * threads);
    return bytes * fmin(1, fmax(0, bytes / cache - 1));
}

/* Seconds of an execution by so many threads. */
static double seconds_by(const spl__task *task, const spl__spmv_work *work, double threads)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    double value = (double)spl__type_size(task->plan->problem.a.csr.type);
    double bytes = work->bytes + (f->rows + f->inner) * value;
    double slow = from_memory(m, threads, bytes);
    double from_cache = m->cache_bandwidth * (work->stream > 0 ? work->stream : 1);
    double streaming = (bytes - slow) / from_cache + slow / spl__memory_rate(m, threads);
    double shared = fmax(work->seconds, streaming) + NOT_HIDDEN * fmin(work->seconds, streaming);
    return fmax(shared / threads, work->largest) + (threads > 1 ? m->parallel_start : 0);
}

void spl__spmv_predict(const spl__task *task, const spl__spmv_work *work, spl__estimate *e)
{
    double threads = spl__assumed_threads(&task->plan->problem);
    double together = seconds_by(task, work, threads), alone = seconds_by(task, work, 1);
    spl__estimate_team(alone, together, e);
    e->bytes = work->other_bytes;
    e->setup = work->converted * task->plan->machine->spmv_convert_entry /
               (work->converted > FEW_CONVERTED ? threads : 1);
}

double spl__spmv_uneven(const spl__task *task)
{
    const spl__features *f = &task->plan->features;
    const double mean = f->nnz_a / fmax(1, f->rows), others = f->rows - 1,
                 left = f->nnz_a - f->longest_row_a;
    if (others < 1 || left <= 0)
        return fmin(1, f->variation_row_a);
    const double deviation = f->variation_row_a * mean, excess = f->longest_row_a - mean;
    const double squares = f->rows * deviation * deviation - excess * excess * f->rows / others;
    return fmin(1, sqrt(fmax(0, squares) / others) / (left / others));
}

double spl__spmv_row_misprediction(const spl__task *task)
{
    const spl__machine *m = task->plan->machine;
    double rows = task->plan->features.rows;
    return m->spmv_row_mispredicted * spl__spmv_uneven(task) * rows / (rows + m->spmv_rows_learned);
}

double spl__spmv_misprediction(const spl__task *task)
{
    const spl__features *f = &task->plan->features;
    double filled = 1 - f->empty_rows_a / fmax(1, f->rows);
    return spl__spmv_row_misprediction(task) * fmin(1, 2 * filled);
}

double spl__spmv_entry_bytes(const spl__task *task)
{
    const spl_sparse *a = &task->plan->problem.a.csr;
    return task->plan->features.nnz_a *
           (double)(spl__type_size(a->type) + spl__index_size(a->index_type));
}

double spl__spmv_csr_bytes(const spl__task *task)
{
    const spl_sparse *a = &task->plan->problem.a.csr;
    return spl__spmv_entry_bytes(task) +
           task->plan->features.rows * (double)spl__index_size(a->offset_type);
}

const char *spl__spmv_needs_row_numbers(const spl__task *task)
{
    const spl_sparse *a = &task->plan->problem.a.csr;
    return a->rows - 1 > spl__index_max(a->index_type)
               ? "row numbers do not fit the columns' integers"
               : NULL;
}
