/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/dense_image.h"

#include "core/checked.h"
#include "core/threads/parallel.h"
#include "core/types.h"
#include "matrix/lines.h"

#include <string.h>

/* ---- memory ---- */

static spl_status pin(spl__account *account, spl__device *device, size_t bytes, spl__image *image)
{
    SPL__TRY(spl__account_reserve(account, bytes));
    if (device->driver->pinned_alloc(device->handle, bytes, &image->data) != SPL_OK) {
        spl__account_release(account, bytes);
        image->data = NULL;
        return SPL_OK;
    }
    spl__account_begin(account, bytes);
    image->device = device;
    return SPL_OK;
}

spl_status spl__image_make(spl__account *account, spl__device *device, int64_t count, size_t size,
                           spl__image *image)
{
    size_t bytes;
    *image = (spl__image){.account = account};
    if (count < 0 || !spl__mul_size((size_t)count, size, &bytes) || bytes > PTRDIFF_MAX)
        return spl__fail(SPL_OUT_OF_MEMORY,
                         "%s elements of %zu bytes are more than can be addressed",
                         spl__thousands(count), size);
    image->bytes = bytes;
    if (device && bytes > 0)
        SPL__TRY(pin(account, device, bytes, image));
    return image->data ? SPL_OK : spl__alloc(account, count, size, &image->data);
}

void spl__image_free(spl__image *image)
{
    if (image->device) {
        spl__account_end(image->account, image->bytes);
        image->device->driver->pinned_free(image->device->handle, image->data);
        spl__account_release(image->account, image->bytes);
    } else {
        spl__free(image->data);
    }
    *image = (spl__image){.bytes = 0};
}

/* ---- copies ---- */

enum { FEW_BYTES = 1 << 20 }; /* for so few one thread is faster */

static bool by_rows(const spl_dense *m)
{
    return m->order == SPL_ROW_MAJOR;
}

void *spl__dense_rows_contiguous(const spl__dense_rows *r)
{
    const spl_dense *m = &r->all;
    bool contiguous =
        by_rows(m) ? m->ld == m->cols || r->rows <= 1 : m->cols <= 1 || r->rows == m->ld;
    size_t first = (size_t)r->begin * (size_t)(by_rows(m) ? m->ld : 1) * spl__type_size(m->type);
    return r->order || !contiguous ? NULL : (char *)m->values + first;
}

/* The address of element (i, j) of the rows. */
static char *element(const spl__dense_rows *r, int64_t i, int64_t j)
{
    const spl_dense *m = &r->all;
    int64_t row = r->order ? r->order[r->begin + i] : r->begin + i;
    return (char *)m->values +
           (size_t)(by_rows(m) ? row * m->ld + j : row + j * m->ld) * spl__type_size(m->type);
}

static void copy(void *image, void *target, size_t bytes, bool give)
{
    memcpy(give ? target : image, give ? image : target, bytes);
}

/* Copies row i between the image and the matrix: in one piece, or element by element. */
static void move_row(const spl__dense_rows *r, int64_t i, char *image, bool give)
{
    size_t size = spl__type_size(r->all.type);
    if (by_rows(&r->all)) {
        size_t bytes = (size_t)r->all.cols * size;
        if (bytes > 0)
            copy(image + (size_t)i * bytes, element(r, i, 0), bytes, give);
        return;
    }
    for (int64_t j = 0; j < r->all.cols; j++)
        copy(image + (size_t)(j * r->rows + i) * size, element(r, i, j), size, give);
}

static void move(const spl__dense_rows *r, int threads, char *image, bool give)
{
    char *contiguous = spl__dense_rows_contiguous(r);
    size_t bytes = (size_t)r->rows * (size_t)r->all.cols * spl__type_size(r->all.type);
    if (contiguous && bytes > 0) {
        spl__copy_bytes(threads, give ? contiguous : image, give ? image : contiguous, bytes);
        return;
    }
#pragma omp parallel for num_threads(spl__team(bytes > FEW_BYTES ? threads : 1))
    for (int64_t i = 0; i < r->rows; i++)
        move_row(r, i, image, give);
}

void spl__dense_rows_take(const spl__dense_rows *r, int threads, void *image)
{
    move(r, threads, image, false);
}

void spl__dense_rows_give(const spl__dense_rows *r, int threads, const void *image)
{
    move(r, threads, (char *)image, true);
}

spl_dense spl__image_header(const spl_dense *like, spl_place place, int64_t rows, void *values)
{
    spl_dense header = *like;
    header.place = place;
    header.rows = rows;
    header.ld = by_rows(like) ? like->cols : rows;
    header.values = values;
    return header;
}

spl_status spl__dense_copy(spl__queue *queue, const spl_dense *to, const spl_dense *from)
{
    spl__lines t = spl__lines_of(to), f = spl__lines_of(from);
    bool to_host = to->place.kind == SPL_HOST, contiguous = t.line == t.step && f.line == f.step;
    size_t bytes = contiguous ? t.line * (size_t)t.count : t.line;
    for (int64_t k = 0; k < (contiguous ? spl__min_i64(1, t.count) : t.count); k++)
        SPL__TRY((to_host ? spl__queue_bring : spl__queue_copy)(
            queue, t.data + (size_t)k * t.step, f.data + (size_t)k * f.step, bytes));
    return SPL_OK;
}
