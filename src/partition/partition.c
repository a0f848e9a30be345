/* SPDX-License-Identifier: Apache-2.0 */
/* partition.c: the parts of a matrix for processors that the caller describes. */
#include "core/checked.h"
#include "core/context.h"
#include "core/sized.h"
#include "partition/cut.h"

#include <math.h>

/* The caller's request and derived data. */
typedef struct job {
    spl_sparse view;
    int64_t *lengths, *entries; /* of rows, and their prefix sums */
    double *numbers;            /* per processor: capability, seconds of a row, of an entry */
    int64_t *begin;             /* count + 1 */
    spl__workload load;
    spl__workload_seconds seconds;
} job;

/* ---- the request ---- */

static spl_status check_arguments(const spl_context *context, spl_partition_kind kind,
                                  int32_t count, const double *capabilities, const double *links)
{
    if (!context || !capabilities)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", context ? "capabilities" : "context");
    if (kind < SPL_PARTITION_ROWS || kind > SPL_PARTITION_COST)
        return spl__fail(SPL_INVALID_ARGUMENT, "there is no partition of kind %d", (int)kind);
    if (count < 1)
        return spl__fail(SPL_INVALID_ARGUMENT, "%d processors", (int)count);
    return spl__check_capabilities(count, capabilities, links);
}

static spl_status allocate(spl__account *account, job *j, int32_t count)
{
    SPL__TRY(spl__row_lengths(account, &j->view, &j->lengths));
    SPL__TRY(SPL__NEW(account, &j->entries, j->view.rows + 1));
    SPL__TRY(SPL__NEW(account, &j->numbers, 3 * (int64_t)count));
    return SPL__NEW(account, &j->begin, (int64_t)count + 1);
}

/* Scales capabilities so that the largest is 1 and sums stay finite; seconds use the caller's
 * numbers. */
static void read_processors(job *j, int32_t count, const double *capabilities, const double *links)
{
    const spl_sparse *v = &j->view;
    double largest = 0, entry = (double)(spl__type_size(v->type) + spl__index_size(v->index_type));
    double *scaled = j->numbers, *row = scaled + count, *unit = row + count;
    for (int32_t p = 0; p < count; p++)
        largest = fmax(largest, capabilities[p]);
    for (int32_t p = 0; p < count; p++) {
        double link = links ? links[p] : INFINITY;
        scaled[p] = capabilities[p] / largest;
        row[p] = (double)spl__index_size(v->offset_type) / link;
        unit[p] = entry / link + 1 / capabilities[p];
    }
    j->load = (spl__workload){v->rows, j->entries, SPL_I64, count, scaled};
    j->seconds = (spl__workload_seconds){.row = row, .unit = unit};
}

/* ---- result ---- */

static spl_part describe(const job *j, const int64_t *order, int32_t p)
{
    int64_t begin = j->begin[p], end = j->begin[p + 1], filled = 0;
    spl_part part = {
        .begin = begin, .rows = end - begin, .nnz = j->entries[end] - j->entries[begin]};
    for (int64_t i = begin; i < end; i++) {
        part.width = spl__max_i64(part.width, j->lengths[order[i]]);
        filled += j->lengths[order[i]] > 0;
    }
    if (part.nnz > 0)
        part.density = (double)part.nnz / ((double)filled * (double)part.width);
    part.seconds = spl__seconds_of_rows(&j->load, &j->seconds, p, begin, end);
    return part;
}

static spl_status write_parts(const job *j, const int64_t *order, spl_part *parts)
{
    size_t step = parts->size; /* the size of the caller's struct, which may be older or newer */
    for (int32_t p = 0; p < j->load.count; p++) {
        spl_part part = describe(j, order, p);
        SPL__TRY(spl__sized_write((char *)parts + (size_t)p * step, &part, sizeof part, "parts"));
    }
    return SPL_OK;
}

static void free_job(job *j)
{
    spl__free(j->lengths);
    spl__free(j->entries);
    spl__free(j->numbers);
    spl__free(j->begin);
}

spl_status spl_partition(spl_context *context, const spl_sparse *matrix, spl_partition_kind kind,
                         int32_t count, const double *capabilities, const double *links,
                         int64_t *order, spl_part *parts)
{
    job j = {0};
    SPL__TRY(check_arguments(context, kind, count, capabilities, links));
    SPL__TRY(spl__view_take(NULL, &j.view, matrix, "matrix"));
    if (!parts || (j.view.rows > 0 && !order))
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", parts ? "order" : "parts");
    spl_status status = allocate(&context->account, &j, count);
    if (status == SPL_OK)
        status = spl__order_rows(&context->account, kind == SPL_PARTITION_DENSITY, j.lengths,
                                 j.view.rows, order, j.entries);
    if (status == SPL_OK) {
        read_processors(&j, count, capabilities, links);
        spl__cut(kind, &j.load, &j.seconds, j.begin);
        status = write_parts(&j, order, parts);
    }
    free_job(&j);
    return status;
}
