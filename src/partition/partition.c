/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/partition.h"

#include "core/checked.h"
#include "core/context.h"
#include "core/sized.h"

#include <math.h>

/* The caller's request and derived data. */
typedef struct job {
    spl_sparse view;
    spl_partition_kind kind;
    int64_t *lengths;                    /* rows */
    int64_t *entries;                    /* rows + 1 */
    double *capabilities;                /* count */
    double *row_seconds, *entry_seconds; /* count */
    int64_t *begin;                      /* count + 1 */
    spl__shares shares;
} job;

/* ---- the request ---- */

spl_status spl__check_capabilities(int32_t count, const double *capabilities, const double *links)
{
    double largest = 0;
    for (int32_t p = 0; p < count; p++) {
        double c = capabilities[p], link = links ? links[p] : INFINITY;
        if (!(c >= 0 && c < INFINITY))
            return spl__fail(SPL_INVALID_ARGUMENT,
                             "capabilities[%d] is %g: not a finite number of at least 0", (int)p,
                             c);
        if (!(link > 0))
            return spl__fail(SPL_INVALID_ARGUMENT, "links[%d] is %g: not above 0", (int)p, link);
        largest = fmax(largest, c);
    }
    return largest > 0 ? SPL_OK
                       : spl__fail(SPL_INVALID_ARGUMENT, "all %d capabilities are 0", (int)count);
}

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

/* ---- order and shares ---- */

spl_status spl__order_by_length(spl__account *account, const int64_t *lengths, int64_t rows,
                                int64_t *order)
{
    int64_t *next, longest = 0;
    for (int64_t i = 0; i < rows; i++)
        longest = spl__max_i64(longest, lengths[i]);
    SPL__TRY(SPL__NEW_ZERO(account, &next, longest + 2));
    for (int64_t i = 0; i < rows; i++)
        next[lengths[i] + 1]++;
    for (int64_t m = 0; m <= longest; m++)
        next[m + 1] += next[m];
    for (int64_t i = 0; i < rows; i++)
        order[next[lengths[i]]++] = i;
    spl__free(next);
    return SPL_OK;
}

static spl_status arrange(spl__account *account, job *j, int64_t *order)
{
    if (j->kind == SPL_PARTITION_DENSITY)
        SPL__TRY(spl__order_by_length(account, j->lengths, j->view.rows, order));
    for (int64_t i = 0; i < j->view.rows && j->kind != SPL_PARTITION_DENSITY; i++)
        order[i] = i;
    j->entries[0] = 0;
    for (int64_t i = 0; i < j->view.rows; i++)
        j->entries[i + 1] = j->entries[i] + j->lengths[order[i]];
    return SPL_OK;
}

static spl_status allocate(spl__account *account, job *j, int32_t count)
{
    SPL__TRY(spl__row_lengths(account, &j->view, &j->lengths));
    SPL__TRY(SPL__NEW(account, &j->entries, j->view.rows + 1));
    SPL__TRY(SPL__NEW(account, &j->capabilities, count));
    SPL__TRY(SPL__NEW(account, &j->row_seconds, count));
    SPL__TRY(SPL__NEW(account, &j->entry_seconds, count));
    return SPL__NEW(account, &j->begin, (int64_t)count + 1);
}

/* Scales capabilities so that the largest is 1 and sums stay finite; seconds use the caller's
 * numbers. */
static void read_processors(job *j, int32_t count, const double *capabilities, const double *links)
{
    const spl_sparse *v = &j->view;
    double largest = 0, entry = (double)(spl__type_size(v->type) + spl__index_size(v->index_type));
    for (int32_t p = 0; p < count; p++)
        largest = fmax(largest, capabilities[p]);
    for (int32_t p = 0; p < count; p++) {
        double link = links ? links[p] : INFINITY;
        j->capabilities[p] = capabilities[p] / largest;
        j->row_seconds[p] = (double)spl__index_size(v->offset_type) / link;
        j->entry_seconds[p] = entry / link + 1 / capabilities[p];
    }
    j->shares = (spl__shares){v->rows, j->entries, SPL_I64, count, j->capabilities};
}

static void cut(const job *j)
{
    spl__part_seconds seconds = {.row = j->row_seconds, .entry = j->entry_seconds};
    if (j->kind == SPL_PARTITION_ROWS)
        spl__cut_by_rows(&j->shares, j->begin);
    else if (j->kind == SPL_PARTITION_COST)
        spl__cut_by_seconds(&j->shares, &seconds, j->begin);
    else
        spl__cut_by_entries(&j->shares, j->begin);
}

/* ---- result ---- */

static spl_part describe(const job *j, const int64_t *order, int32_t p)
{
    int64_t begin = j->begin[p], end = j->begin[p + 1], filled = 0;
    spl__part_seconds seconds = {.row = j->row_seconds, .entry = j->entry_seconds};
    spl_part part = {
        .begin = begin, .rows = end - begin, .nnz = j->entries[end] - j->entries[begin]};
    for (int64_t i = begin; i < end; i++) {
        part.width = spl__max_i64(part.width, j->lengths[order[i]]);
        filled += j->lengths[order[i]] > 0;
    }
    if (part.nnz > 0)
        part.density = (double)part.nnz / ((double)filled * (double)part.width);
    part.seconds = spl__seconds_of_part(&j->shares, &seconds, p, begin, end);
    return part;
}

static spl_status write_parts(const job *j, const int64_t *order, spl_part *parts)
{
    size_t step = parts->size; /* the size of the caller's struct, which may be older or newer */
    for (int32_t p = 0; p < j->shares.count; p++) {
        spl_part part = describe(j, order, p);
        SPL__TRY(spl__sized_write((char *)parts + (size_t)p * step, &part, sizeof part, "parts"));
    }
    return SPL_OK;
}

static void free_job(job *j)
{
    spl__free(j->lengths);
    spl__free(j->entries);
    spl__free(j->capabilities);
    spl__free(j->row_seconds);
    spl__free(j->entry_seconds);
    spl__free(j->begin);
}

spl_status spl_partition(spl_context *context, const spl_sparse *matrix, spl_partition_kind kind,
                         int32_t count, const double *capabilities, const double *links,
                         int64_t *order, spl_part *parts)
{
    job j = {.kind = kind};
    SPL__TRY(check_arguments(context, kind, count, capabilities, links));
    SPL__TRY(spl__view_take(NULL, &j.view, matrix, "matrix"));
    if (!parts || (j.view.rows > 0 && !order))
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", parts ? "order" : "parts");
    spl_status status = allocate(&context->account, &j, count);
    if (status == SPL_OK)
        status = arrange(&context->account, &j, order);
    if (status == SPL_OK) {
        read_processors(&j, count, capabilities, links);
        cut(&j);
        status = write_parts(&j, order, parts);
    }
    free_job(&j);
    return status;
}
