/* SPDX-License-Identifier: Apache-2.0 */
#include "structure/csr_survey.h"

#include "core/checked.h"
#include "core/types.h"
#include "matrix/view.h"
#include "structure/block_size.h"
#include "structure/csr_survey.k.h"
#include "structure/device_blocks.h"

#include <math.h>

/* Thread blocks that search for node blocks. */
static int64_t looking_blocks(spl__queue *queue, const spl_sparse *m, spl__look look)
{
    return look == SPL__LOOK_NO_FURTHER
               ? 0
               : spl__blocks_at_once(queue, m->rows * DEVICE_BLOCKS_LANES, CSR_SURVEY_THREADS);
}

/* What block sizes must divide for all matrices that are searched; 1 if one of them has no rows or
 * no columns, of which no block is made. */
static uint32_t common_multiple(const spl__survey_task *tasks, int count)
{
    int64_t common = 0;
    for (int k = 0; k < count; k++) {
        const spl_sparse *m = tasks[k].view;
        if (tasks[k].look == SPL__LOOK_NO_FURTHER)
            continue;
        if (m->rows == 0 || m->cols == 0)
            return 1;
        common = spl__common_divisor(common, spl__device_blocks_multiple(m));
    }
    return (uint32_t)common;
}

/* Lets the matrices that are searched have one result; none is where the dimensions tell. */
static void search_together(uint32_t multiple, uint32_t *block, struct csr_survey_args *args)
{
    for (int64_t k = 0; k < args->count; k++) {
        struct csr_survey_task *t = &args->task[k];
        t->multiple = multiple;
        t->block = block;
        if (multiple <= 1)
            t->looking = 0;
    }
}

/* Of the rows that spl__row_neighbours_of samples (row_neighbours.h). Rows of more than
 * DEVICE_ROW_LIKE_MOST entries count as different. */
static int64_t sampled_stretches(const spl_sparse *m, spl__look look)
{
    enum { STRETCHES = 64 };
    return look == SPL__LOOK_FOR_GROUPS
               ? spl__min_i64(STRETCHES, m->rows / DEVICE_LIKE_ROWS + (m->rows > 0))
               : 0;
}

/* Cuts the blocks that tasks ask for to what runs at once, by the same factor: every further wave
 * of blocks would cost its start and end again. Returns the factor. */
static double share_of(spl__queue *queue, int64_t asked)
{
    const double at_once = (double)spl__blocks_at_once(queue, INT64_MAX, CSR_SURVEY_THREADS);
    return fmin(1, at_once / (double)spl__max_i64(1, asked));
}

/* Sets the blocks of tasks; returns their number. */
static int64_t share_out(spl__queue *queue, struct csr_survey_args *args)
{
    int64_t looking = 0, surveying = 0, blocks = 0;
    for (int64_t k = 0; k < args->count; k++) {
        looking += args->task[k].looking;
        surveying += args->task[k].surveying;
    }
    const double of_looking = share_of(queue, looking), of_surveying = share_of(queue, surveying);
    for (int64_t k = 0; k < args->count; k++) {
        struct csr_survey_task *t = &args->task[k];
        t->looking = (int64_t)ceil((double)t->looking * of_looking);
        t->surveying = (int64_t)ceil((double)t->surveying * of_surveying);
        blocks += t->looking + t->surveying + t->stretches;
    }
    return blocks;
}

/* Puts small matrices first: those without blocks end the search in the others. */
static void sort_tasks(struct csr_survey_args *args)
{
    for (int64_t k = 1; k < args->count; k++) {
        const struct csr_survey_task task = args->task[k];
        int64_t at = k;
        for (; at > 0 && args->task[at - 1].nnz > task.nnz; at--)
            args->task[at] = args->task[at - 1];
        args->task[at] = task;
    }
}

/* All tasks are of matrices with offsets of that width. report: the kernel tells all `surveys` of
 * the product; NULL: a later one does. */
static spl_status enqueue(spl__queue *queue, spl_index offsets, struct csr_survey_args *args,
                          const spl__device_array *surveys, spl__report *report)
{
    const spl__kernel *kernel;
    struct csr_survey *first = surveys->data;
    sort_tasks(args);
    SPL__TRY(spl__queue_kernel(queue, "csr_survey", SPL_F64, offsets, &kernel));
    const int64_t blocks = share_out(queue, args);
    if (report && blocks > 0)
        args->tell = spl__queue_tell(queue, first, surveys->bytes, &first->arrived, report);
    return SPL__LAUNCH(queue, args, kernel, blocks, CSR_SURVEY_THREADS);
}

/* The further searches only. */
static void add_look(spl__queue *queue, const spl_sparse *m, spl__look look,
                     struct csr_survey *survey, struct csr_survey_args *args)
{
    args->task[args->count++] = (struct csr_survey_task){.rows = m->rows,
                                                         .cols = m->cols,
                                                         .nnz = m->nnz,
                                                         .offsets = m->offsets,
                                                         .columns = m->indices,
                                                         .survey = survey,
                                                         .looking = looking_blocks(queue, m, look),
                                                         .stretches = sampled_stretches(m, look)};
}

/* Checks that offsets ascend and indices are in 0..bound-1, too. offsets NULL: only indices. */
static void add_survey(spl__queue *queue, const spl_sparse *m, int64_t bound, spl__look look,
                       struct csr_survey *survey, struct csr_survey_args *args)
{
    enum { RUNS = 2 }; /* of a thread at least */
    const int64_t items = spl__max_i64(m->nnz / (RUNS * CSR_SURVEY_RUN), m->offsets ? m->rows : 0);
    struct csr_survey_task *task = &args->task[args->count];
    add_look(queue, m, look, survey, args);
    task->cols = bound;
    task->surveying = spl__blocks_at_once(queue, spl__max_i64(items, 1), CSR_SURVEY_THREADS);
}

static void add_all(spl__queue *queue, const spl_sparse *view, spl__look look,
                    struct csr_survey *survey, struct csr_survey_args *args)
{
    spl_sparse m = view->format == SPL_CSC ? spl__view_csc_as_csr(view) : *view;
    if (m.format != SPL_COO) {
        add_survey(queue, &m, m.cols, look, survey, args);
        return;
    }
    const void *rows = m.offsets;
    m.offsets = NULL;
    add_survey(queue, &m, m.cols, SPL__LOOK_NO_FURTHER, survey, args);
    m.indices = rows;
    add_survey(queue, &m, m.rows, SPL__LOOK_NO_FURTHER, survey, args);
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

/* Stores the results, or reports a fault. block: of all matrices that were searched. */
static spl_status tell(spl__queue *queue, const spl__survey_task *task,
                       const struct csr_survey *found, uint32_t block)
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
                                          .block = task->look == SPL__LOOK_NO_FURTHER ? 0 : block,
                                          .repeated = share_repeated(&found->identical)};
    return SPL_OK;
}

/* ---- surveys ---- */

/* Enqueues what `add` makes of the tasks, matrices of one width of offsets at once. */
typedef void (*add_fn)(spl__queue *queue, const spl_sparse *view, spl__look look,
                       struct csr_survey *survey, struct csr_survey_args *args);
static spl_status launch(spl__queue *queue, const spl__survey_task *tasks, int count, add_fn add,
                         const spl__device_array *array, spl__report *report)
{
    struct csr_survey *surveys = array->data;
    for (int k = 0, next; k < count; k = next) {
        const spl_index offsets = tasks[k].view->offset_type;
        struct csr_survey_args args = {0};
        for (next = k; next < count && tasks[next].view->offset_type == offsets; next++)
            add(queue, tasks[next].view, tasks[next].look, surveys + next, &args);
        search_together(common_multiple(tasks, count), &surveys->block, &args);
        SPL__TRY(enqueue(queue, offsets, &args, array, next == count ? report : NULL));
    }
    return SPL_OK;
}

/* Fetches the results for each matrix. */
static spl_status find(spl__queue *queue, const spl__survey_task *tasks, int count, add_fn add,
                       const spl__meanwhile *meanwhile, struct csr_survey *found)
{
    spl__device_array array;
    SPL__TRY(spl__queue_alloc_zeros(queue, count, sizeof *found, &array));
    spl__report report = {array.data, array.bytes, NULL};
    spl_status status = launch(queue, tasks, count, add, &array, &report);
    if (status == SPL_OK)
        status = spl__queue_told(queue, &report);
    if (status == SPL_OK && meanwhile)
        status = meanwhile->enqueue(meanwhile->context, array.data, count);
    spl_status arrived = spl__queue_collect(queue, &report, status == SPL_OK ? found : NULL);
    spl__queue_free(queue, &array);
    return status == SPL_OK ? arrived : status;
}

spl_status spl__device_surveys(spl__queue *queue, const spl__survey_task *tasks, int count,
                               const spl__meanwhile *meanwhile)
{
    struct csr_survey found[SPL__MOST_SURVEYS];
    SPL__TRY(find(queue, tasks, count, add_all, meanwhile, found));
    for (int k = 0; k < count; k++)
        SPL__TRY(tell(queue, &tasks[k], &found[k], found[0].block));
    return SPL_OK;
}

spl_status spl__device_survey(spl__queue *queue, const spl_sparse *view, const spl_sparse *source,
                              const char *name, spl__look look, spl__row_survey *survey)
{
    return spl__device_surveys(queue, &(spl__survey_task){view, source, name, look, survey}, 1,
                               NULL);
}

spl_status spl__device_looks(spl__queue *queue, const spl__survey_task *tasks, int count)
{
    struct csr_survey found[SPL__MOST_SURVEYS];
    SPL__TRY(find(queue, tasks, count, add_look, NULL, found));
    for (int k = 0; k < count; k++) {
        tasks[k].survey->block = found[0].block;
        tasks[k].survey->repeated = share_repeated(&found[k].identical);
    }
    return SPL_OK;
}
