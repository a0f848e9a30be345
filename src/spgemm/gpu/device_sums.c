/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/device_sums.h"

#include "core/types.h"
#include "device/device.h"
#include "spgemm/gpu/bins/row_shapes.h"
#include "spgemm/gpu/device_notes.h"

#include <string.h>

/* Whether alpha is known to be 1: then sums are values of C. */
static bool is_unscaled(const spl__problem *p)
{
    double alpha = 1;
    float narrow = 1;
    if (!p->factor_known || p->options.scalar_place.kind != SPL_HOST)
        return false;
    if (p->factor && p->a.csr.type == SPL_F64)
        memcpy(&alpha, p->factor, sizeof alpha);
    if (p->factor && p->a.csr.type == SPL_F32)
        memcpy(&narrow, p->factor, sizeof narrow);
    return alpha == 1 && narrow == 1;
}

static bool is_in_place(const spl__operand *operand)
{
    return operand->csr.values == operand->source.values;
}

/* Whether the average row has more products than are sorted, and not too many. */
static bool has_such_rows(const spl_plan *plan)
{
    const double rows = (double)plan->problem.rows, products = plan->features.products;
    return products > SPGEMM_ALIKE_PRODUCTS * rows * 3 / 4 &&
           products < SPGEMM_SUMMED_PRODUCTS * rows;
}

/* Whether a sample tells how many columns rows have, and the call uses that once. */
static bool may_sample(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    return p->once && !p->staged && !p->has_d && !p->options.method && !p->options.deterministic &&
           !spl__needs_positions(p) && !spl__form_of(plan)->kind->refuses[SPL__BY_ENTRIES] &&
           has_such_rows(plan);
}

static bool may_sum(const spl_plan *plan)
{
    enum { LEAST_ROWS = 64 }; /* of a multiprocessor */
    const spl__problem *p = &plan->problem;
    const spl__form *form = spl__form_of(plan);
    return may_sample(plan) && !p->options.unsorted && is_unscaled(p) && is_in_place(&p->a) &&
           is_in_place(&p->b) &&
           form->a.rows >= LEAST_ROWS * (int64_t)p->queue.device->properties.units &&
           form->b.cols <= SPGEMM_MOST_SUMMED_COLUMNS && !spl__queue_has_budget(&p->queue);
}

/* Where rows may be summed, those that are sorted tell nothing of them. */
struct spgemm_sample_columns_args spl__device_sample_of(const spl_plan *plan)
{
    return (struct spgemm_sample_columns_args){
        .f = {.s = spl__form_structures(plan),
              .layout = {.shift = spl__table_shift(2 * SPGEMM_SUMMED_PRODUCTS)}},
        .least = spl__device_product_of(plan)->sampled ? SPGEMM_SORTED_PRODUCTS : 0,
        .sample = spl__device_sample_note(plan)};
}

int64_t spl__device_sums_decide(spl_plan *plan)
{
    enum { ROWS_TO_SUM = 128, ROWS = 32 };
    spl__device_product *device_c = spl__device_product_of(plan);
    device_c->sampled = may_sum(plan);
    if (device_c->sampled)
        return ROWS_TO_SUM;
    return may_sample(plan) ? ROWS : 0;
}

spl_status spl__device_sums_make(spl_plan *plan, int64_t room)
{
    const int64_t most = 1 << 30; /* bytes */
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *device_c = spl__device_product_of(plan);
    const size_t size = spl__type_size(plan->problem.a.csr.type);
    const int64_t rows = device_c->form.a.rows;
    if (!device_c->sampled || room == 0 || room > most / (int64_t)size || !device_c->ordered)
        return SPL_OK;
    spl_status status = spl__queue_alloc(queue, room, size, &device_c->sums);
    if (status == SPL_OK)
        status = spl__queue_alloc(queue, rows, sizeof(int64_t), &device_c->sum_starts);
    if (status == SPL_OK)
        return spl__queue_fill(queue, device_c->sum_starts.data, 0xff, device_c->sum_starts.bytes);
    spl__queue_free(queue, &device_c->sums);
    return status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
}

struct spgemm_sums spl__device_sums(const spl_plan *plan)
{
    const spl__device_product *device_c = spl__device_product_of(plan);
    const spl__problem *p = &plan->problem;
    if (!device_c->sums.data)
        return (struct spgemm_sums){0};
    return (struct spgemm_sums){p->a.csr.values, p->b.csr.values, device_c->sums.data,
                                device_c->sum_starts.data};
}

void spl__device_sums_free(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *device_c = spl__device_product_of(plan);
    spl__queue_free(queue, &device_c->sums);
    spl__queue_free(queue, &device_c->sum_starts);
    device_c->uses_sums = false;
}
