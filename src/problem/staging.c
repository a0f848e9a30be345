/* SPDX-License-Identifier: Apache-2.0 */
#include "problem/staging.h"

#include "core/checked.h"

#include <string.h>

enum { LINES_BYTES = 1 << 20 };

/* The bytes of an element of C besides its value. */
static size_t winner_bytes(const spl__problem *p)
{
    const int32_t semiring = p->options.semiring;
    const bool wins = spl__semiring_is_min(semiring) || spl__semiring_is_max(semiring);
    return wins && !p->traits->vectors ? sizeof(int64_t) : 0;
}

double spl__staging_bytes(const spl__problem *p, double *device)
{
    double size = (double)spl__type_size(p->a.source.type);
    *device = p->staged ? (double)p->cols * (size * (double)(p->inner + p->rows) +
                                             (double)winner_bytes(p) * (double)p->rows)
                        : 0;
    return p->staged && !p->traits->vectors ? spl__counted_bytes(LINES_BYTES, 1) : 0;
}

spl_status spl__staging_make(spl__staging *staging, spl__problem *p, spl__account *account)
{
    size_t size = spl__type_size(p->a.csr.type);
    int64_t right, result;
    if (!p->staged)
        return SPL_OK;
    if (!spl__mul_i64(p->inner, p->cols, &right) || !spl__mul_i64(p->rows, p->cols, &result))
        return spl__fail(SPL_OUT_OF_MEMORY, "%s dense columns are more than can be addressed",
                         spl__thousands(p->cols));
    SPL__TRY(spl__queue_alloc(&p->queue, right, size, &staging->right));
    SPL__TRY(spl__queue_alloc(&p->queue, result, size, &staging->result));
    if (winner_bytes(p) > 0)
        SPL__TRY(spl__queue_alloc(&p->queue, result, winner_bytes(p), &staging->winners));
    SPL__TRY(spl__queue_alloc(&p->queue, p->rows / 8 + 1, sizeof(uint64_t), &staging->rows));
    return p->traits->vectors ? SPL_OK : spl__alloc(account, LINES_BYTES, 1, &staging->lines);
}

void spl__staging_free(spl__staging *staging, spl__queue *queue)
{
    spl__queue_free(queue, &staging->right);
    spl__queue_free(queue, &staging->result);
    spl__queue_free(queue, &staging->rows);
    spl__queue_free(queue, &staging->winners);
    spl__free(staging->lines);
}

spl_dense spl__stage_header(const spl__queue *queue, const spl_dense *host,
                            const spl__device_array *array)
{
    spl_dense device_view = *host;
    device_view.place = queue->device->place;
    device_view.ld = host->order == SPL_ROW_MAJOR ? host->cols : host->rows;
    device_view.values = array->data;
    return device_view;
}

/* The number of lines per copy: all if there are no gaps, else as many as fit the buffer; at
 * least one. */
static int64_t lines_at_once(const spl__lines *l)
{
    if (l->line == l->step || l->line == 0)
        return l->count;
    return spl__max_i64(1, spl__min_i64(l->count, (int64_t)(LINES_BYTES / l->line)));
}

/* Copies from pageable memory have read their source when they return, so that the buffer is
 * free again. */
spl_status spl__stage_in(spl__staging *staging, spl__queue *queue, const spl_dense *host,
                         const spl_dense *device_view)
{
    spl__lines from = spl__lines_of(host), to = spl__lines_of(device_view);
    int64_t step = lines_at_once(&from);
    for (int64_t k = 0; k < from.count; k += step) {
        int64_t count = spl__min_i64(step, from.count - k);
        const char *source = from.data + (size_t)k * from.step;
        bool packed = from.line != from.step && count > 1;
        for (int64_t i = 0; packed && i < count; i++)
            memcpy((char *)staging->lines + (size_t)i * from.line, source + (size_t)i * from.step,
                   from.line);
        SPL__TRY(spl__queue_copy(queue, to.data + (size_t)k * to.line,
                                 packed ? staging->lines : source, (size_t)count * from.line));
    }
    return SPL_OK;
}

spl_status spl__stage_rows(const spl__staging *staging, spl__queue *queue, const spl_row_mask *host,
                           int64_t rows, spl_row_mask *device_rows)
{
    const int64_t words = rows / 64 + (rows % 64 > 0);
    *device_rows = *host;
    if (host->bits)
        device_rows->bits = staging->rows.data;
    else
        device_rows->bytes = staging->rows.data;
    return spl__queue_copy(queue, staging->rows.data,
                           host->bits ? (const void *)host->bits : host->bytes,
                           host->bits ? (size_t)words * sizeof *host->bits : (size_t)rows);
}

spl_status spl__stage_out(spl__staging *staging, spl__queue *queue, const spl_dense *device_view,
                          const spl_dense *host)
{
    spl__lines from = spl__lines_of(device_view), to = spl__lines_of(host);
    int64_t step = lines_at_once(&to);
    for (int64_t k = 0; k < to.count; k += step) {
        int64_t count = spl__min_i64(step, to.count - k);
        char *target = to.data + (size_t)k * to.step;
        bool packed = to.line != to.step && count > 1;
        SPL__TRY(spl__queue_fetch(queue, packed ? staging->lines : target,
                                  from.data + (size_t)k * from.line, (size_t)count * from.line));
        for (int64_t i = 0; packed && i < count; i++)
            memcpy(target + (size_t)i * to.step, (char *)staging->lines + (size_t)i * to.line,
                   to.line);
    }
    return spl__queue_wait(queue);
}
