/* SPDX-License-Identifier: Apache-2.0 */
#include "structure/device_identical_rows.h"

#include "core/checked.h"

/* These kernels read no values, so the instances for one type serve all. */
static spl_status launch(spl__queue *queue, const spl_sparse *csr, const char *name, int64_t blocks,
                         const void *args, size_t bytes)
{
    spl__launch l = {.blocks = blocks, .threads = DEVICE_GROUPS_THREADS, .args = args};
    SPL__TRY(spl__queue_kernel(queue, name, SPL_F64, csr->offset_type, &l.kernel));
    return spl__queue_launch(queue, &l, bytes);
}

spl_status spl__device_identical_rows_mark(spl__queue *queue, const spl_sparse *csr,
                                           int64_t longest, bool further, uint8_t *equals_previous)
{
    struct device_identical_rows_mark_args args = {csr->rows,    longest, csr->offsets,
                                                   csr->indices, further, equals_previous};
    return launch(queue, csr, "device_identical_rows_mark",
                  spl__blocks_for(queue, csr->rows * DEVICE_GROUPS_LANES, DEVICE_GROUPS_THREADS),
                  &args, sizeof args);
}

/* Temporary arrays of the listing. */
typedef struct listing {
    spl__device_array equals_previous, counts;
} listing;

static spl_status count_groups(spl__queue *queue, const spl_sparse *csr, int64_t longest,
                               listing *l, spl__device_identical_rows *g)
{
    SPL__TRY(spl__queue_alloc(queue, csr->rows, 1, &l->equals_previous));
    SPL__TRY(spl__queue_alloc(queue, csr->rows + 1, sizeof(int64_t), &l->counts));
    SPL__TRY(spl__device_identical_rows_mark(queue, csr, longest, false, l->equals_previous.data));
    struct device_groups_count_args args = {csr->rows, longest, csr->offsets,
                                            l->equals_previous.data, l->counts.data};
    SPL__TRY(launch(queue, csr, "device_groups_count",
                    spl__blocks_for(queue, csr->rows + 1, DEVICE_GROUPS_THREADS), &args,
                    sizeof args));
    SPL__TRY(spl__queue_offsets(queue, SPL_I64, l->counts.data, csr->rows, NULL));
    return spl__queue_fetch(queue, &g->count, (int64_t *)l->counts.data + csr->rows,
                            sizeof g->count);
}

static spl_status list_groups(spl__queue *queue, const spl_sparse *csr, const listing *l,
                              spl__device_identical_rows *g)
{
    SPL__TRY(spl__queue_alloc(queue, g->count, sizeof(struct device_identical_run), &g->list));
    struct device_groups_list_args args = {csr->rows, csr->offsets, l->equals_previous.data,
                                           l->counts.data, g->list.data};
    return launch(queue, csr, "device_groups_list",
                  spl__blocks_for(queue, csr->rows, DEVICE_GROUPS_THREADS), &args, sizeof args);
}

spl_status spl__device_identical_rows_make(spl__queue *queue, const spl_sparse *csr,
                                           int64_t longest, spl__device_identical_rows *g)
{
    listing l = {{NULL, 0}, {NULL, 0}};
    *g = (spl__device_identical_rows){.rows = csr->rows};
    if (csr->rows == 0)
        return SPL_OK;
    spl_status status = count_groups(queue, csr, longest, &l, g);
    if (status == SPL_OK)
        status = list_groups(queue, csr, &l, g);
    spl__queue_free(queue, &l.equals_previous);
    spl__queue_free(queue, &l.counts);
    return status;
}

void spl__device_identical_rows_free(spl__queue *queue, spl__device_identical_rows *g)
{
    spl__queue_free(queue, &g->list);
}
