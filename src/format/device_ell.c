/* SPDX-License-Identifier: Apache-2.0 */
#include "format/device_ell.h"

#include "core/checked.h"
#include "core/types.h"
#include "matrix/device_row_order.h"

struct ell_blocks spl__ell_for_kernel(const spl_sparse *csr, const spl__device_ell *e)
{
    return (struct ell_blocks){csr->rows, e->blocks, e->table.data, e->rows.data};
}

static spl_status fill(spl__queue *queue, const spl_sparse *csr, const spl__device_ell *e,
                       bool structure)
{
    const spl__kernel *kernel;
    struct ell_fill_args args = {.ell = spl__ell_for_kernel(csr, e),
                                 .offsets = csr->offsets,
                                 .columns = structure ? csr->indices : NULL,
                                 .values = csr->values,
                                 .to_columns = e->columns.data,
                                 .to_values = e->values.data};
    if (e->stored == 0)
        return SPL_OK;
    SPL__TRY(spl__queue_kernel(queue, "ell_fill", csr->type, csr->offset_type, &kernel));
    int64_t blocks = spl__blocks_for(queue, csr->rows, DEVICE_ELL_THREADS);
    return SPL__LAUNCH(queue, &args, kernel, blocks, DEVICE_ELL_THREADS);
}

spl_status spl__device_ell_fill(spl__queue *queue, const spl_sparse *csr, const spl__device_ell *e)
{
    return fill(queue, csr, e, false);
}

/* Copies the table to the device and stores the entries. */
static spl_status make(spl__queue *queue, const spl_sparse *csr, const struct ell_block *table,
                       spl__device_ell *e)
{
    e->stored = table[e->blocks].entries;
    SPL__TRY(spl__queue_alloc(queue, e->blocks + 1, sizeof *table, &e->table));
    SPL__TRY(spl__queue_copy(queue, e->table.data, table, e->table.bytes));
    SPL__TRY(spl__queue_alloc(queue, e->stored, sizeof(int32_t), &e->columns));
    SPL__TRY(spl__queue_alloc(queue, e->stored, spl__type_size(csr->type), &e->values));
    SPL__TRY(fill(queue, csr, e, true));
    return spl__queue_wait(queue); /* because the caller frees the table */
}

spl_status spl__device_ell_make(spl__queue *queue, const spl_sparse *csr, int64_t longest,
                                spl__device_ell *e)
{
    struct ell_block table[2] = {{.length = longest}, {.first = csr->rows}};
    *e = (spl__device_ell){.blocks = 1};
    if (!spl__mul_i64(csr->rows, longest, &table[1].entries))
        return spl__fail(SPL_OUT_OF_MEMORY,
                         "ELL of %s rows and width %s is more than can be addressed",
                         spl__thousands(csr->rows), spl__thousands(longest));
    return make(queue, csr, table, e);
}

/* ---- row vector sets ---- */

static spl_status sort_rows(spl__queue *queue, const spl_sparse *csr, int64_t longest,
                            const spl__device_array *histogram, spl__device_row_order *order)
{
    const spl__kernel *kernel;
    SPL__TRY(spl__queue_fill(queue, histogram->data, 0, histogram->bytes));
    struct ell_lengths_args args = {csr->rows, csr->offsets, histogram->data, order->keys.data,
                                    order->numbers.data};
    SPL__TRY(spl__queue_kernel(queue, "ell_lengths", csr->type, csr->offset_type, &kernel));
    SPL__TRY(SPL__LAUNCH(queue, &args, kernel,
                         spl__blocks_for(queue, csr->rows, DEVICE_ELL_THREADS),
                         DEVICE_ELL_THREADS));
    return spl__device_row_order_sort(queue, longest, order);
}

/* Makes a block for each length that occurs, including 0: empty rows get their beta*y. */
static int64_t list_blocks(const uint64_t *histogram, int64_t longest, struct ell_block *table)
{
    struct ell_block next = {0};
    int64_t count = 0;
    for (int64_t length = 0; length <= longest; length++) {
        int64_t rows = (int64_t)histogram[length];
        if (rows == 0)
            continue;
        next.length = length;
        table[count++] = next;
        next.first += rows;
        next.entries += rows * length;
    }
    table[count] = next;
    return count;
}

static spl_status make_sets(spl__queue *queue, spl__account *account, const spl_sparse *csr,
                            int64_t longest, const spl__device_array *device_array,
                            spl__device_ell *e)
{
    uint64_t *histogram = NULL;
    struct ell_block *table = NULL;
    spl_status status = SPL__NEW(account, &histogram, longest + 1);
    if (status == SPL_OK)
        status = SPL__NEW(account, &table, longest + 2);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, histogram, device_array->data, device_array->bytes);
    if (status == SPL_OK) {
        e->blocks = list_blocks(histogram, longest, table);
        status = make(queue, csr, table, e);
    }
    spl__free(histogram);
    spl__free(table);
    return status;
}

spl_status spl__device_rvs_make(spl__queue *queue, spl__account *account, const spl_sparse *csr,
                                int64_t longest, spl__device_ell *e)
{
    spl__device_row_order order;
    spl__device_array histogram = {NULL, 0};
    *e = (spl__device_ell){0};
    spl_status status = spl__device_row_order_begin(queue, csr->rows, &order);
    if (status == SPL_OK)
        status = spl__queue_alloc(queue, longest + 1, sizeof(uint64_t), &histogram);
    if (status == SPL_OK)
        status = sort_rows(queue, csr, longest, &histogram, &order);
    spl__device_row_order_end(queue, &order);
    e->rows = order.rows;
    if (status == SPL_OK)
        status = make_sets(queue, account, csr, longest, &histogram, e);
    spl__queue_free(queue, &histogram);
    return status;
}

void spl__device_ell_free(spl__queue *queue, spl__device_ell *e)
{
    spl__queue_free(queue, &e->table);
    spl__queue_free(queue, &e->rows);
    spl__queue_free(queue, &e->columns);
    spl__queue_free(queue, &e->values);
}
