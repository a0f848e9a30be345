/* SPDX-License-Identifier: Apache-2.0 */
#include "structure/csr_survey.h"

#include "core/checked.h"
#include "core/types.h"
#include "matrix/view.h"
#include "structure/csr_survey.k.h"
#include "structure/device_blocks.h"
#include "structure/device_identical_rows.h"

/* Checks that offsets ascend and indices are in 0..bound-1. offsets NULL: only indices. */
static spl_status launch_survey(spl__queue *queue, const spl_sparse *m, const void *offsets,
                                const void *indices, int64_t bound, struct csr_survey *survey)
{
    const spl__kernel *kernel;
    struct csr_survey_args args = {m->rows, bound, m->nnz, offsets, indices, survey};
    SPL__TRY(spl__queue_kernel(queue, "csr_survey", SPL_F64, m->offset_type, &kernel));
    int64_t items = spl__max_i64(m->nnz, offsets ? m->rows : 0);
    int64_t blocks = spl__blocks_at_once(queue, spl__max_i64(items, 1), CSR_SURVEY_THREADS);
    return SPL__LAUNCH(queue, &args, kernel, blocks, CSR_SURVEY_THREADS);
}

static spl_status launch_look(spl__queue *queue, const spl_sparse *m, spl__look look,
                              struct csr_survey *survey)
{
    if (look != SPL__LOOK_NO_FURTHER)
        SPL__TRY(spl__device_blocks_look(queue, m, &survey->block));
    return look == SPL__LOOK_FOR_GROUPS ? spl__device_identical_sample(queue, m, &survey->identical)
                                        : SPL_OK;
}

/* The survey and further searches both read all columns, and neither fills the device: they run
 * beside each other where that takes longer than events do. */
static spl_status launch_both(spl__queue *queue, const spl_sparse *m, spl__look look,
                              struct csr_survey *survey)
{
    enum { MANY = 1 << 20 }; /* entries: 6 us each on an H100, events 3 */
    const bool beside = look != SPL__LOOK_NO_FURTHER && m->nnz >= MANY;
    if (beside) {
        SPL__TRY(spl__queue_split(queue));
        SPL__TRY(spl__queue_branch(queue, 0));
    }
    spl_status status = launch_survey(queue, m, m->offsets, m->indices, m->cols, survey);
    if (beside && status == SPL_OK)
        status = spl__queue_branch(queue, 1);
    if (status == SPL_OK)
        status = launch_look(queue, m, look, survey);
    if (!beside)
        return status;
    spl_status joined = spl__queue_join(queue);
    return status == SPL_OK ? joined : status;
}

static spl_status launch_all(spl__queue *queue, const spl_sparse *view, spl__look look,
                             struct csr_survey *survey)
{
    spl_sparse m = view->format == SPL_CSC ? spl__view_csc_as_csr(view) : *view;
    if (m.format == SPL_COO) {
        SPL__TRY(launch_survey(queue, &m, NULL, m.offsets, m.rows, survey));
        return launch_survey(queue, &m, NULL, m.indices, m.cols, survey);
    }
    return launch_both(queue, &m, look, survey);
}

/* ---- reporting faults ---- */

/* Fetches element i of an array on the device. */
static spl_status fetch_index(spl__queue *queue, const void *array, spl_index type, int64_t i,
                              int64_t *index)
{
    size_t size = spl__index_size(type);
    int64_t storage = 0;
    SPL__TRY(spl__queue_fetch(queue, &storage, (const char *)array + (size_t)i * size, size));
    *index = spl__index_at(&storage, type, 0);
    return SPL_OK;
}

/* Finds the line of entry p by binary search in the offsets. Numbers are fetched one by one, as
 * this happens only for faults. */
static spl_status find_line(spl__queue *queue, const spl_sparse *m, int64_t p, int64_t *line)
{
    int64_t low = 0, high = spl__offsets_count(m) - 1;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2, begin;
        SPL__TRY(fetch_index(queue, m->offsets, m->offset_type, middle, &begin));
        if (begin <= p)
            low = middle;
        else
            high = middle;
    }
    *line = low;
    return SPL_OK;
}

static spl_status tell_offsets(spl__queue *queue, const spl_sparse *m, const char *name,
                               int64_t line)
{
    int64_t begin, end;
    SPL__TRY(fetch_index(queue, m->offsets, m->offset_type, line, &begin));
    end = begin;
    if (line < spl__offsets_count(m) - 1)
        SPL__TRY(fetch_index(queue, m->offsets, m->offset_type, line + 1, &end));
    return spl__fail_offsets(m, name, line, begin, end);
}

static spl_status tell_entry(spl__queue *queue, const spl_sparse *m, const char *name, int64_t p)
{
    int64_t line, index;
    SPL__TRY(fetch_index(queue, m->indices, m->index_type, p, &index));
    if (m->format == SPL_COO) {
        SPL__TRY(fetch_index(queue, m->offsets, m->index_type, p, &line));
        return spl__fail_position(m, name, p, line, index);
    }
    SPL__TRY(find_line(queue, m, p, &line));
    return spl__fail_index(m, name, line, p, index);
}

static double share_repeated(const struct device_identical_sample *identical)
{
    return identical->sampled > 0 ? (double)identical->repeated / (double)identical->sampled : 0;
}

/* Stores the results, or reports a fault. */
static spl_status tell(spl__queue *queue, const spl__survey_task *task,
                       const struct csr_survey *found)
{
    if (found->bad_row)
        return tell_offsets(queue, task->source, task->name, (int64_t)~found->bad_row);
    if (found->bad_entry)
        return tell_entry(queue, task->source, task->name, (int64_t)~found->bad_entry);
    if (task->survey)
        *task->survey = (spl__row_survey){.squares = (double)found->squares,
                                          .longest = (double)found->longest,
                                          .empty = (double)found->empty,
                                          .ascends = found->descents == found->at_starts,
                                          .block = found->block,
                                          .repeated = share_repeated(&found->identical)};
    return SPL_OK;
}

/* ---- surveys ---- */

/* Runs the kernels that `launch` enqueues, and fetches their results for each matrix. */
typedef spl_status (*launch_fn)(spl__queue *queue, const spl_sparse *view, spl__look look,
                                struct csr_survey *survey);
static spl_status find(spl__queue *queue, const spl__survey_task *tasks, int count,
                       launch_fn launch, struct csr_survey *found)
{
    spl__device_array array;
    SPL__TRY(spl__queue_alloc(queue, count, sizeof *found, &array));
    spl_status status = spl__queue_fill(queue, array.data, 0, array.bytes);
    for (int k = 0; k < count && status == SPL_OK; k++)
        status = launch(queue, tasks[k].view, tasks[k].look, (struct csr_survey *)array.data + k);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, found, array.data, array.bytes);
    spl__queue_free(queue, &array);
    return status;
}

spl_status spl__device_surveys(spl__queue *queue, const spl__survey_task *tasks, int count)
{
    struct csr_survey found[SPL__MOST_SURVEYS];
    SPL__TRY(find(queue, tasks, count, launch_all, found));
    for (int k = 0; k < count; k++)
        SPL__TRY(tell(queue, &tasks[k], &found[k]));
    return SPL_OK;
}

spl_status spl__device_survey(spl__queue *queue, const spl_sparse *view, const spl_sparse *source,
                              const char *name, spl__look look, spl__row_survey *survey)
{
    return spl__device_surveys(queue, &(spl__survey_task){view, source, name, look, survey}, 1);
}

spl_status spl__device_survey_groups(spl__queue *queue, const spl_sparse *csr,
                                     spl__row_survey *survey)
{
    struct csr_survey found;
    spl__survey_task task = {.view = csr, .look = SPL__LOOK_FOR_GROUPS};
    SPL__TRY(find(queue, &task, 1, launch_look, &found));
    survey->block = found.block;
    survey->repeated = share_repeated(&found.identical);
    return SPL_OK;
}
