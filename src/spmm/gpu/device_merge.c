/* SPDX-License-Identifier: Apache-2.0 */
#include "spmm/gpu/device_merge.h"

#include "core/checked.h"
#include "spmm/gpu/device_teams.h"
#include "spmm/kernels/spmm_merge.k.h"

#include <math.h>

/* Temporary arrays of the merge. */
typedef struct merging {
    spl__device_array words, choice, counts;
} merging;

/* Requires that columns leave bits for the rows of a task, and that rows are neither cut nor
 * ordered. */
static bool can_merge(const spl_plan *plan)
{
    return plan->problem.queue.device && plan->problem.a.csr.cols <= SPMM_WORD_COLUMN &&
           plan->features.variation_row_a <= SPL__SPMM_ALIKE &&
           plan->features.longest_row_a <= SPMM_MOST_LONGEST && plan->features.nnz_a > 0;
}

static spl_status sample(spl_plan *plan, void *device_sums, struct spmm_merge_sums *sums)
{
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    int32_t lanes = queue->device->properties.lanes;
    int64_t stretches = spl__min_i64((a->rows + lanes - 1) / lanes, SPMM_MERGE_SAMPLES);
    SPL__TRY(spl__queue_fill(queue, device_sums, 0, sizeof *sums));
    struct spmm_merge_sample_args args = {a->rows, stretches, a->offsets, a->indices, device_sums};
    SPL__TRY(
        spl__spmm_tasks_launch(plan, "spmm_merge_sample", stretches * lanes, &args, sizeof args));
    return spl__queue_fetch(queue, sums, device_sums, sizeof *sums);
}

spl_status spl__spmm_look_at_overlap(spl_plan *plan)
{
    struct spmm_merge_sums sums;
    spl__device_array device_sums;
    if (!can_merge(plan) || spl__problem_is_single(&plan->problem))
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(&plan->problem.queue, 1, sizeof sums, &device_sums));
    spl_status status = sample(plan, device_sums.data, &sums);
    spl__queue_free(&plan->problem.queue, &device_sums);
    if (status == SPL_OK)
        plan->features.merged_sampled =
            sums.entries > 0 ? (double)sums.words / (double)sums.entries : 1;
    return status;
}

/* The required multiple of a full device. H100, f32, 32 columns, before and after, us: qcd,
 * holes=.1, 1.5 times, 24.8 and 17.6; protein, holes=.1, 1.1 times, 51 and 37;
 * banded:60000,0,11, 1.8 times, 13.3 and 14.5; banded:20000,3,3, half, 6.2 and 8.3. */
bool spl__spmm_merging_pays(const spl_plan *plan, double lanes)
{
    enum { MORE = 4 }; /* factor for short rows */
    const spl__gpu_machine *m = plan->gpu_machine;
    const spl__features *f = &plan->features;
    const spl__device_properties *p = &plan->problem.queue.device->properties;
    double most = plan->problem.a.csr.type == SPL_F64 ? m->spmm_merged_f64 : m->spmm_merged;
    double fills =
        f->rows * fmax(SPL__SPMM_LEAST_LANES, lanes) / ((double)p->units * p->unit_threads);
    return f->merged_sampled <= most &&
           fills >= m->spmm_merged_fills * (f->mean_row_a < SPL__SPMM_SHORT ? MORE : 1) &&
           !spl__queue_has_budget(&plan->problem.queue);
}

/* Computes the begins of tasks and of their words by prefix sums, and the totals. */
static spl_status cut(spl_plan *plan, merging *m, int64_t *count, int64_t *words)
{
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    SPL__TRY(spl__queue_alloc(queue, a->rows, SPMM_MOST_ROWS * sizeof(uint16_t), &m->words));
    SPL__TRY(spl__queue_alloc(queue, a->rows, 1, &m->choice));
    SPL__TRY(spl__queue_alloc(queue, a->rows + 1, 2 * sizeof(int64_t), &m->counts));
    struct spmm_merge_measure_args measure = {a->rows, a->offsets, a->indices, m->words.data};
    SPL__TRY(spl__spmm_tasks_launch(plan, "spmm_merge_measure", a->rows, &measure, sizeof measure));
    struct spmm_merge_cut_args args = {a->rows, m->words.data, m->choice.data, m->counts.data};
    SPL__TRY(spl__spmm_tasks_launch(plan, "spmm_merge_cut", a->rows / SPMM_MERGE_STRETCH + 1, &args,
                                    sizeof args));
    SPL__TRY(spl__queue_offsets(queue, SPL_I64, m->counts.data, 2 * a->rows + 1, NULL));
    const int64_t *sums = m->counts.data;
    SPL__TRY(spl__queue_fetch(queue, count, sums + a->rows, sizeof *count));
    SPL__TRY(spl__queue_fetch(queue, words, sums + 2 * a->rows + 1, sizeof *words));
    *words -= *count;
    return SPL_OK;
}

static spl_status list(spl_plan *plan, const merging *m, spl__spmm_tasks *tasks)
{
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    SPL__TRY(spl__queue_alloc(queue, tasks->count, sizeof(struct spmm_task), &tasks->list));
    SPL__TRY(spl__queue_alloc(queue, tasks->entries, sizeof(uint32_t), &tasks->words));
    struct spmm_merge_list_args args = {a->rows,        a->offsets,       a->indices,
                                        m->counts.data, tasks->list.data, tasks->words.data};
    return spl__spmm_tasks_launch(plan, "spmm_merge_list", a->rows, &args, sizeof args);
}

spl_status spl__spmm_merge(spl_plan *plan, spl__spmm_tasks *tasks)
{
    merging m = {0};
    spl__spmm_tasks merged = {.rows = SPMM_MOST_ROWS, .merged = true};
    spl_status status = cut(plan, &m, &merged.count, &merged.entries);
    if (status == SPL_OK) {
        *tasks = merged;
        status = list(plan, &m, tasks);
    }
    spl__queue_free(&plan->problem.queue, &m.words);
    spl__queue_free(&plan->problem.queue, &m.choice);
    spl__queue_free(&plan->problem.queue, &m.counts);
    return status;
}
