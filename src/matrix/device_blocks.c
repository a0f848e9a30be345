/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/device_blocks.h"

#include "core/types.h"
#include "matrix/device_blocks.k.h"
#include "matrix/view.h"

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int32_t largest_divisor(int64_t number, int32_t most)
{
    int32_t divisor = most;
    while (divisor > 1 && number % divisor != 0)
        divisor--;
    return divisor;
}

static spl_status look_at_rows(spl__queue *queue, const spl_sparse *m, int64_t rows, uint32_t most, uint32_t *size)
{
    const spl__kernel *kernel;
    struct device_block_size_args args = {rows, m->nnz, m->offsets, m->indices, most, size};
    SPL__TRY(spl__queue_kernel(queue, "device_block_size", m->type, m->offset_type, &kernel));
    int64_t blocks = spl__blocks_for(queue, rows * DEVICE_BLOCKS_LANES, DEVICE_BLOCKS_THREADS);
    return SPL__LAUNCH(queue, &args, kernel, blocks, DEVICE_BLOCKS_THREADS);
}

/* A few rows first: they show most matrices that have no blocks, and the rest is not looked at. */
static spl_status look_at(spl__queue *queue, const spl_sparse *m, uint32_t most, uint32_t *size)
{
    enum { FIRST = DEVICE_BLOCKS_THREADS / DEVICE_BLOCKS_LANES };
    SPL__TRY(look_at_rows(queue, m, m->rows < FIRST ? m->rows : FIRST, most, size));
    return m->rows > FIRST ? look_at_rows(queue, m, m->rows, most, size) : SPL_OK;
}

static spl_status look_at_all(spl__queue *queue, const spl_sparse *const *matrices, int count, uint32_t most,
                              uint32_t *size)
{
    SPL__TRY(spl__queue_fill(queue, size, 0, sizeof *size));
    for (int i = 0; i < count; i++)
        if (i == 0 || !spl__view_same_structure(matrices[i], matrices[i - 1]))
            SPL__TRY(look_at(queue, matrices[i], most, size));
    return SPL_OK;
}

spl_status spl__device_block_size(spl__queue *queue, const spl_sparse *const *matrices, int count, int32_t most,
                                  int32_t *size)
{
    int64_t common = 0;
    uint32_t found = 1;
    spl__device_array there;
    for (int i = 0; i < count; i++)
        common = common_divisor(common, common_divisor(matrices[i]->rows, matrices[i]->cols));
    *size = 1;
    if (common == 0 || largest_divisor(common, most) == 1)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof found, &there));
    spl_status status = look_at_all(queue, matrices, count, (uint32_t)common, there.data); /* dimensions fit 31 bits */
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, &found, there.data, sizeof found);
    spl__queue_free(queue, &there);
    *size = status == SPL_OK ? largest_divisor(found, most) : 1;
    return status;
}

static spl_status make_structure(spl__queue *queue, const spl_sparse *csr, int32_t size, spl__device_blocks *b)
{
    const spl__kernel *kernel;
    struct device_block_structure_args args = {
        b->csr.rows, size, csr->offsets, csr->indices, b->offsets.data, b->columns.data};
    SPL__TRY(spl__queue_kernel(queue, "device_block_structure", csr->type, csr->offset_type, &kernel));
    int64_t blocks = spl__blocks_for(queue, (b->csr.rows + 1) * DEVICE_BLOCKS_LANES, DEVICE_BLOCKS_THREADS);
    return SPL__LAUNCH(queue, &args, kernel, blocks, DEVICE_BLOCKS_THREADS);
}

spl_status spl__device_blocks_make(spl__queue *queue, const spl_sparse *csr, int32_t size, spl__device_blocks *b)
{
    b->csr = *csr;
    b->csr.rows = csr->rows / size;
    b->csr.cols = csr->cols / size;
    b->csr.nnz = csr->nnz / size / size;
    SPL__TRY(spl__queue_alloc(queue, b->csr.rows + 1, spl__index_size(csr->offset_type), &b->offsets));
    SPL__TRY(spl__queue_alloc(queue, b->csr.nnz, sizeof(int32_t), &b->columns));
    b->csr.offsets = b->offsets.data;
    b->csr.indices = b->columns.data;
    return make_structure(queue, csr, size, b);
}

void spl__device_blocks_free(spl__queue *queue, spl__device_blocks *blocks)
{
    spl__queue_free(queue, &blocks->offsets);
    spl__queue_free(queue, &blocks->columns);
}
