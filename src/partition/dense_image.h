/* SPDX-License-Identifier: Apache-2.0 */
/* dense_image.h: images: rows of a caller's dense matrix without gaps, in pinned memory, so that
 * copies to devices do not block. */
#ifndef SPL_PARTITION_DENSE_IMAGE_H
#define SPL_PARTITION_DENSE_IMAGE_H

#include "device/device.h"

/* Host memory that is counted against an account. */
typedef struct spl__image {
    void *data;
    size_t bytes;
    spl__account *account;
    spl__device *device; /* the device that pinned it; NULL: pageable memory */
} spl__image;

/* Allocates `count` elements of `size` bytes, pinned by the device unless it is NULL or cannot
 * pin more. On failure nothing is allocated. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__image_make(spl__account *account, spl__device *device, int64_t count, size_t size,
                           spl__image *image);
void spl__image_free(spl__image *image);

/* Rows order[begin .. begin+rows) of a dense matrix, or begin .. begin+rows without an order. */
typedef struct spl__dense_rows {
    spl_dense all;
    const int64_t *order;
    int64_t begin, rows;
} spl__dense_rows;

/* The address of the rows if they are contiguous like an image; else NULL. */
void *spl__dense_rows_contiguous(const spl__dense_rows *rows);
/* Copies the rows to an image, and back. */
void spl__dense_rows_take(const spl__dense_rows *rows, int threads, void *image);
void spl__dense_rows_give(const spl__dense_rows *rows, int threads, const void *image);

/* Enqueues a copy of a dense matrix between the host and the device, one side of which may have
 * gaps between lines. */
spl_status spl__dense_copy(spl__queue *queue, const spl_dense *to, const spl_dense *from);

/* The header of an image of `rows` rows at a place, with the order and type of `like`. */
spl_dense spl__image_header(const spl_dense *like, spl_place place, int64_t rows, void *values);

#endif
