/* SPDX-License-Identifier: Apache-2.0 */
#include "structure/device_blocks.h"

#include "core/types.h"
#include "structure/block_size.h"
#include "structure/device_blocks.k.h"

_Static_assert(DEVICE_BLOCKS_APART % SPL__BLOCK_MULTIPLE == 0,
               "rows of a warp are alike in being the first of a block");

uint32_t spl__device_blocks_multiple(const spl_sparse *csr)
{
    return (uint32_t)spl__common_divisor(SPL__BLOCK_MULTIPLE,
                                         spl__common_divisor(csr->rows, csr->cols));
}

int32_t spl__device_block_size(const spl_sparse *const *matrices, const int64_t *found, int count,
                               int32_t most)
{
    int64_t common = 0, entries = 0;
    for (int i = 0; i < count; i++) {
        entries += matrices[i]->nnz;
        common =
            spl__common_divisor(common, spl__common_divisor(matrices[i]->rows, matrices[i]->cols));
        common = spl__common_divisor(common, found[i] > 0 ? found[i] : 1);
    }
    return entries > 0 ? spl__largest_divisor(common, most) : 1;
}

static spl_status make_structure(spl__queue *queue, const spl_sparse *csr, int32_t size,
                                 spl__device_blocks *b)
{
    const spl__kernel *kernel;
    struct device_block_structure_args args = {
        b->csr.rows, size, csr->offsets, csr->indices, b->offsets.data, b->columns.data};
    SPL__TRY(
        spl__queue_kernel(queue, "device_block_structure", SPL_F64, csr->offset_type, &kernel));
    int64_t blocks =
        spl__blocks_for(queue, (b->csr.rows + 1) * DEVICE_BLOCKS_LANES, DEVICE_BLOCKS_THREADS);
    return SPL__LAUNCH(queue, &args, kernel, blocks, DEVICE_BLOCKS_THREADS);
}

spl_status spl__device_blocks_make(spl__queue *queue, const spl_sparse *csr, int32_t size,
                                   spl__device_blocks *b)
{
    b->csr = *csr;
    b->csr.rows = csr->rows / size;
    b->csr.cols = csr->cols / size;
    b->csr.nnz = csr->nnz / size / size;
    SPL__TRY(
        spl__queue_alloc(queue, b->csr.rows + 1, spl__index_size(csr->offset_type), &b->offsets));
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
