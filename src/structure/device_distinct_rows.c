/* SPDX-License-Identifier: Apache-2.0 */
#include "structure/device_distinct_rows.h"

#include "core/types.h"
#include "structure/device_identical_rows.h"

/* Longer rows are not compared: only few lanes compare a row. */
enum { LONGEST_REPEATED = 1 << 14 };

/* These kernels read no values, so the instances for one type serve all. */
static spl_status launch(spl__queue *queue, const spl_sparse *csr, const char *name,
                         int64_t threads, const void *args, size_t bytes)
{
    spl__launch l = {.blocks = spl__blocks_at_once(queue, threads, DEVICE_JOIN_THREADS),
                     .threads = DEVICE_JOIN_THREADS,
                     .args = args};
    SPL__TRY(spl__queue_kernel(queue, name, SPL_F64, csr->offset_type, &l.kernel));
    return spl__queue_launch(queue, &l, bytes);
}

static spl_status cut_groups(spl__queue *queue, const spl_sparse *csr, const spl_sparse *also,
                             uint8_t *equals_previous, uint8_t *sizes)
{
    struct device_join_sizes_args args = {csr->rows, equals_previous, sizes};
    SPL__TRY(spl__device_identical_rows_mark(queue, csr, LONGEST_REPEATED, false, equals_previous));
    if (also)
        SPL__TRY(
            spl__device_identical_rows_mark(queue, also, LONGEST_REPEATED, true, equals_previous));
    return launch(queue, csr, "device_join_sizes", csr->rows, &args, sizeof args);
}

spl_status spl__device_group_sizes(spl__queue *queue, const spl_sparse *csr, const spl_sparse *also,
                                   spl__device_array *sizes)
{
    spl__device_array equals_previous;
    SPL__TRY(spl__queue_alloc(queue, csr->rows, 1, sizes));
    if (csr->rows == 0)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, csr->rows, 1, &equals_previous));
    spl_status status = cut_groups(queue, csr, also, equals_previous.data, sizes->data);
    spl__queue_free(queue, &equals_previous);
    return status;
}

/* Counts per row, in packed pairs, and for the matrix. */
typedef struct counting {
    spl__device_array numbers, products;
} counting;

static spl_status count(spl__queue *queue, const spl_sparse *csr, const struct device_join *join,
                        const spl_sparse *inner, const counting *c, spl__device_distinct_rows *j)
{
    struct {
        uint64_t products, counts;
    } found;
    uint64_t *notes = c->products.data;
    struct device_join_count_args args = {*join, inner ? inner->offsets : NULL, notes};
    SPL__TRY(spl__queue_fill(queue, notes, 0, c->products.bytes));
    SPL__TRY(
        launch(queue, csr, "device_join_count", csr->rows * DEVICE_JOIN_LANES, &args, sizeof args));
    SPL__TRY(spl__queue_offsets(queue, SPL_I64, c->numbers.data, csr->rows, &notes[1]));
    SPL__TRY(spl__queue_fetch(queue, &found, notes, sizeof found));
    j->products = (double)found.products;
    j->csr.rows = (int64_t)(found.counts >> DEVICE_JOIN_SHIFT);
    j->csr.nnz = (int64_t)(found.counts & UINT32_MAX);
    return SPL_OK;
}

static spl_status fill(spl__queue *queue, const spl_sparse *csr, const struct device_join *join,
                       spl__device_distinct_rows *j)
{
    SPL__TRY(
        spl__queue_alloc(queue, j->csr.rows + 1, spl__index_size(csr->offset_type), &j->offsets));
    SPL__TRY(spl__queue_alloc(queue, j->csr.nnz, sizeof(int32_t), &j->columns));
    SPL__TRY(spl__queue_alloc(queue, j->csr.nnz, sizeof(int32_t), &j->run_starts));
    SPL__TRY(spl__queue_alloc(queue, j->csr.rows + 1, sizeof(int32_t), &j->firsts));
    j->csr.offsets = j->offsets.data;
    j->csr.indices = j->columns.data;
    struct device_join_fill_args args = {*join, j->offsets.data, j->columns.data,
                                         j->run_starts.data, j->firsts.data};
    return launch(queue, csr, "device_join_fill", (csr->rows + 1) * DEVICE_JOIN_LANES, &args,
                  sizeof args);
}

spl_status spl__device_distinct_rows_make(spl__queue *queue, const spl_sparse *csr,
                                          const uint8_t *sizes, const spl_sparse *inner,
                                          const uint8_t *inner_sizes, spl__device_distinct_rows *j)
{
    enum { FOUND = 2 };
    counting c = {{NULL, 0}, {NULL, 0}};
    *j = (spl__device_distinct_rows){.csr = *csr};
    j->csr.values = NULL;
    spl_status status = spl__queue_alloc(queue, csr->rows + 1, sizeof(uint64_t), &c.numbers);
    if (status == SPL_OK)
        status = spl__queue_alloc(queue, FOUND, sizeof(uint64_t), &c.products);
    struct device_join join = {csr->rows, csr->offsets, csr->indices,
                               sizes,     inner_sizes,  c.numbers.data};
    if (status == SPL_OK)
        status = count(queue, csr, &join, inner, &c, j);
    if (status == SPL_OK)
        status = fill(queue, csr, &join, j);
    spl__queue_free(queue, &c.numbers);
    spl__queue_free(queue, &c.products);
    return status;
}

void spl__device_distinct_rows_free(spl__queue *queue, spl__device_distinct_rows *j)
{
    spl__queue_free(queue, &j->offsets);
    spl__queue_free(queue, &j->columns);
    spl__queue_free(queue, &j->run_starts);
    spl__queue_free(queue, &j->firsts);
}
