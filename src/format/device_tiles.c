/* SPDX-License-Identifier: Apache-2.0 */
#include "format/device_tiles.h"

#include "core/checked.h"

/* These kernels read no values, so the instances for one type serve all. */
static spl_status launch(spl__queue *queue, const spl_sparse *csr, const char *name,
                         struct device_tiles_args *args)
{
    const spl__kernel *kernel;
    args->rows = csr->rows;
    args->offsets = csr->offsets;
    args->columns = csr->indices;
    SPL__TRY(spl__queue_kernel(queue, name, SPL_F64, csr->offset_type, &kernel));
    return SPL__LAUNCH(
        queue, args, kernel,
        spl__blocks_for(queue, args->windows * DEVICE_TILES_THREADS, DEVICE_TILES_THREADS),
        DEVICE_TILES_THREADS);
}

static int64_t windows_of(const spl_sparse *csr, int32_t height)
{
    return csr->rows / height + (csr->rows % height != 0);
}

spl_status spl__device_tiles_make(spl__queue *queue, const spl_sparse *csr, int32_t height,
                                  spl__device_tiles *t)
{
    *t = (spl__device_tiles){.height = height, .windows = windows_of(csr, height)};
    const size_t counts = (size_t)(t->windows + 1) * sizeof(int64_t);
    SPL__TRY(spl__queue_alloc(queue, t->windows + 1, sizeof(int64_t), &t->first));
    SPL__TRY(spl__queue_fill(queue, t->first.data, 0, counts));
    struct device_tiles_args args = {
        .windows = t->windows, .stride = height, .height = height, .tiles = t->first.data};
    SPL__TRY(launch(queue, csr, "device_tiles_count", &args));
    SPL__TRY(spl__queue_offsets(queue, SPL_I64, t->first.data, t->windows, NULL));
    SPL__TRY(
        spl__queue_fetch(queue, &t->count, (int64_t *)t->first.data + t->windows, sizeof t->count));
    SPL__TRY(spl__queue_alloc(queue, t->count, DEVICE_TILE_COLUMNS * sizeof(int32_t), &t->columns));
    SPL__TRY(spl__queue_alloc(queue, t->count, 4 * sizeof(uint32_t), &t->bits));
    SPL__TRY(spl__queue_fill(queue, t->bits.data, 0, (size_t)t->count * 4 * sizeof(uint32_t)));
    args.tile_columns = t->columns.data;
    args.bits = t->bits.data;
    return t->count > 0 ? launch(queue, csr, "device_tiles_position", &args) : SPL_OK;
}

void spl__device_tiles_free(spl__queue *queue, spl__device_tiles *t)
{
    spl__queue_free(queue, &t->first);
    spl__queue_free(queue, &t->columns);
    spl__queue_free(queue, &t->bits);
}

enum { HEIGHTS = 2 };
static const int32_t heights[HEIGHTS] = {DEVICE_TILE_ROWS, DEVICE_TILE_FEW_ROWS};

static spl_status sample(spl__queue *queue, const spl_sparse *csr, struct device_tiles_sums *sums,
                         struct device_tiles_sums found[HEIGHTS])
{
    enum { MOST_WINDOWS = 256 };
    SPL__TRY(spl__queue_fill(queue, sums, 0, HEIGHTS * sizeof *sums));
    for (int i = 0; i < HEIGHTS; i++) {
        const int64_t all = windows_of(csr, heights[i]), windows = spl__min_i64(all, MOST_WINDOWS);
        struct device_tiles_args args = {.windows = windows,
                                         .stride = all / windows * heights[i],
                                         .height = heights[i],
                                         .sums = sums + i};
        SPL__TRY(launch(queue, csr, "device_tiles_count", &args));
    }
    return spl__queue_fetch(queue, found, sums, HEIGHTS * sizeof *found);
}

spl_status spl__device_tiles_sample(spl__queue *queue, const spl_sparse *csr, double fill[2])
{
    struct device_tiles_sums found[HEIGHTS] = {{0, 0}, {0, 0}};
    spl__device_array sums;
    fill[0] = fill[1] = 1;
    if (csr->nnz == 0)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, HEIGHTS, sizeof found[0], &sums));
    spl_status status = sample(queue, csr, sums.data, found);
    spl__queue_free(queue, &sums);
    for (int i = 0; i < HEIGHTS; i++)
        if (found[i].tiles > 0)
            fill[i] = (double)found[i].entries /
                      ((double)found[i].tiles * heights[i] * DEVICE_TILE_COLUMNS);
    return status;
}
