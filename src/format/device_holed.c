/* SPDX-License-Identifier: Apache-2.0 */
#include "format/device_holed.h"

#include "core/checked.h"
#include "core/types.h"

/* These kernels read no values, so the instances for one type serve all. */
static spl_status launch(spl__queue *queue, const spl_sparse *csr, spl_type type, const char *name,
                         int64_t threads, const void *args, size_t bytes)
{
    spl__launch l = {.blocks = spl__blocks_at_once(queue, threads, DEVICE_HOLED_THREADS),
                     .threads = DEVICE_HOLED_THREADS,
                     .args = args};
    SPL__TRY(spl__queue_kernel(queue, name, type, csr->offset_type, &l.kernel));
    return spl__queue_launch(queue, &l, bytes);
}

spl_status spl__device_block_fills(spl__queue *queue, const spl_sparse *csr,
                                   struct device_block_fills *fills)
{
    const spl__kernel *kernel;
    struct device_block_fills_args args = {csr->rows, csr->cols, csr->offsets, csr->indices, fills};
    SPL__TRY(spl__queue_kernel(queue, "device_block_fills", SPL_F64, csr->offset_type, &kernel));
    return SPL__LAUNCH(queue, &args, kernel, DEVICE_HOLED_STRETCHES * DEVICE_HOLED_SIZES,
                       DEVICE_HOLED_THREADS);
}

double spl__device_block_fill(const struct device_block_fills *fills, int size)
{
    double slots = (double)fills->blocks[size] * size * size;
    return slots > 0 ? (double)fills->entries[size] / slots : 0;
}

/* Computes the offsets of rows of blocks, and counts blocks and products. */
static spl_status count(spl__queue *queue, const spl_sparse *csr, int32_t size,
                        const spl_sparse *inner, struct device_holed_notes *notes,
                        spl__device_holed *m)
{
    struct device_holed_notes found = {0};
    struct device_holed_count_args args = {.rows = m->csr.rows,
                                           .size = size,
                                           .offsets = csr->offsets,
                                           .columns = csr->indices,
                                           .inner_offsets = inner ? inner->offsets : NULL,
                                           .counts = m->offsets.data,
                                           .notes = notes};
    SPL__TRY(spl__queue_fill(queue, notes, 0, sizeof *notes));
    SPL__TRY(launch(queue, csr, SPL_F64, "device_holed_count", args.rows * DEVICE_HOLED_TEAM, &args,
                    sizeof args));
    SPL__TRY(spl__queue_offsets(queue, csr->offset_type, m->offsets.data, args.rows,
                                &notes->blocks)); /* the upper bytes of the number are zero */
    SPL__TRY(spl__queue_fetch(queue, &found, notes, sizeof found));
    m->products = (double)found.products;
    m->csr.nnz = (int64_t)found.blocks;
    return found.disorder ? spl__fail(SPL_UNSUPPORTED, "columns of rows do not ascend") : SPL_OK;
}

static spl_status make_structure(spl__queue *queue, const spl_sparse *csr, int32_t size,
                                 spl__device_holed *m)
{
    int64_t slots = m->csr.nnz * size * size;
    if (csr->offset_type == SPL_I32 && slots > INT32_MAX)
        return spl__fail(SPL_UNSUPPORTED,
                         "blocks of %d have %s positions, which 32-bit offsets do not number",
                         (int)size, spl__thousands(slots));
    SPL__TRY(spl__queue_alloc(queue, m->csr.nnz, sizeof(int32_t), &m->columns));
    SPL__TRY(spl__queue_alloc(queue, m->csr.nnz, sizeof(uint64_t), &m->masks));
    SPL__TRY(spl__queue_alloc(queue, slots, spl__type_size(csr->type), &m->values));
    m->csr.offsets = m->offsets.data;
    m->csr.indices = m->columns.data;
    m->csr.values = m->values.data;
    struct device_holed_structure_args args = {.rows = m->csr.rows,
                                               .size = size,
                                               .offsets = csr->offsets,
                                               .columns = csr->indices,
                                               .block_offsets = m->offsets.data,
                                               .block_columns = m->columns.data,
                                               .masks = m->masks.data};
    return launch(queue, csr, SPL_F64, "device_holed_structure", args.rows * DEVICE_HOLED_TEAM,
                  &args, sizeof args);
}

spl_status spl__device_holed_make(spl__queue *queue, const spl_sparse *csr, int32_t size,
                                  const spl_sparse *inner, spl__device_holed *m)
{
    spl__device_array notes;
    m->csr = *csr;
    m->csr.rows = csr->rows / size;
    m->csr.cols = csr->cols / size;
    SPL__TRY(
        spl__queue_alloc(queue, m->csr.rows + 1, spl__index_size(csr->offset_type), &m->offsets));
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof(struct device_holed_notes), &notes));
    spl_status status = count(queue, csr, size, inner, notes.data, m);
    spl__queue_free(queue, &notes);
    return status == SPL_OK ? make_structure(queue, csr, size, m) : status;
}

spl_status spl__device_holed_fill(spl__queue *queue, const spl_sparse *csr, int32_t size,
                                  const spl__device_holed *m, const spl__device_scalars *scalars,
                                  bool is_addend, uint32_t *odd)
{
    enum { LANES_OF_ROW = 32 };
    struct device_holed_values_args args = {.rows = m->csr.rows,
                                            .size = size,
                                            .is_addend = is_addend,
                                            .offsets = csr->offsets,
                                            .values = csr->values,
                                            .block_offsets = m->offsets.data,
                                            .masks = m->masks.data,
                                            .scalars = *scalars,
                                            .filled = m->values.data,
                                            .odd = odd};
    return launch(queue, csr, csr->type, "device_holed_values", args.rows * LANES_OF_ROW, &args,
                  sizeof args);
}

/* Like an addend that is scaled by 1: finiteness is not checked. */
spl_status spl__device_holed_copy(spl__queue *queue, const spl_sparse *csr, int32_t size,
                                  const spl__device_holed *m)
{
    const spl__device_scalars one = {.beta = {.value = 1}};
    return spl__device_holed_fill(queue, csr, size, m, &one, true, NULL);
}

void spl__device_holed_free(spl__queue *queue, spl__device_holed *m)
{
    spl__queue_free(queue, &m->offsets);
    spl__queue_free(queue, &m->columns);
    spl__queue_free(queue, &m->masks);
    spl__queue_free(queue, &m->values);
}
