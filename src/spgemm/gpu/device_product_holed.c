/* SPDX-License-Identifier: Apache-2.0 */
/* device_product_holed.c: products of matrices in holed blocks. The phases multiply block
 * structures and copies of the values with zeros in the holes. Masks tell which slots of C's
 * blocks are entries: those that a product of entries reaches. */
#include "spgemm/gpu/device_product.h"

#include "device/device.h"
#include "structure/block_size.h"

#include <math.h>

/* Fills of blocks in a sample of the operands' rows. */
typedef struct sample {
    struct device_block_fills operand[3];
} sample;

static spl_status take_sample(spl_plan *plan, sample *s)
{
    spl__queue *queue = &plan->problem.queue;
    const spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    const spl_sparse *const operands[] = {&factors->a, &factors->b, &factors->d};
    int count = plan->problem.has_d ? 3 : 2;
    spl__device_array device_array;
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof *s, &device_array));
    spl_status status = spl__queue_fill(queue, device_array.data, 0, sizeof *s);
    for (int i = 0; i < count && status == SPL_OK; i++)
        if (i != 1 || !spl__view_same_structure(operands[1], operands[0]))
            status = spl__device_block_fills(queue, operands[i],
                                             &((sample *)device_array.data)->operand[i]);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, s, device_array.data, sizeof *s);
    spl__queue_free(queue, &device_array);
    if (spl__view_same_structure(operands[1], operands[0]))
        s->operand[1] = s->operand[0];
    return status;
}

/* Steps of a warp per product of entries: see numeric_blocks_gpu.c. It is divided by the fills,
 * since slots without an entry are multiplied, too. */
static double steps_of_product(const sample *s, int size)
{
    return spl__block_steps(size, spl__device_block_fill(&s->operand[0], size) *
                                      spl__device_block_fill(&s->operand[1], size));
}

static int32_t best_size(const spl_plan *plan, const sample *s)
{
    const spl__gpu_machine *m = plan->gpu_machine;
    double least = plan->problem.once ? m->spgemm_holed_once : m->spgemm_holed_most;
    int32_t best = 1;
    for (int32_t size = 2; size <= DEVICE_MOST_HOLED; size++) {
        double steps = steps_of_product(s, size);
        if (steps < least) {
            least = steps;
            best = size;
        }
    }
    return best;
}

/* Limits below which holed blocks do not pay. With few products the sampling costs more than the
 * gain. With short rows of B's blocks lanes are idle, one per slot (A*P of elastic3d, whose P
 * has one entry per row: numeric .92 ms instead of .34). One warp computes a row of blocks, so
 * with few of those most of the device is idle (1,185 rows of 110 entries: numeric 450 us
 * instead of 140). With a memory budget no copies are made. */
static bool may_pay(const spl_plan *plan, bool wanted)
{
    const spl__gpu_machine *m = plan->gpu_machine;
    const spl__problem *p = &plan->problem;
    const spl__features *f = &plan->features;
    double of_b = f->inner > 0 ? f->nnz_b / f->inner : 0;
    bool ascend = p->staged || (p->a.survey.ascends && p->b.survey.ascends &&
                                (!p->has_d || p->d.survey.ascends));
    if (!ascend || spl__queue_has_budget(&p->queue) || f->nnz_a == 0 || f->nnz_b == 0)
        return false;
    return wanted || (f->rows >= m->spgemm_holed_rows * p->queue.device->properties.units &&
                      fmin(f->nnz_a / f->rows, of_b) >= m->spgemm_holed_row &&
                      f->nnz_a * of_b >= m->spgemm_holed_products);
}

/* Whether B shares the copy of A's values. Not if the plan may later get new values for one of
 * them. */
static bool shares_values(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    return spl__product_of(plan)->device_c->factors.square && p->a.csr.values == p->b.csr.values;
}

/* B has A's structure: allocates only its values, if they differ from A's or may do so later. */
static spl_status make_right_like_left(spl_plan *plan, int32_t size)
{
    spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    factors->b_holed.csr = factors->a_holed.csr;
    if (plan->problem.once && shares_values(plan))
        return SPL_OK;
    return spl__queue_alloc(&plan->problem.queue, factors->a_holed.csr.nnz * size * size,
                            spl__type_size(factors->a.type), &factors->b_holed.values);
}

static spl_status make_factors(spl_plan *plan, int32_t size)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    const spl__problem *p = &plan->problem;
    factors->square = spl__view_same_structure(&factors->b, &factors->a);
    SPL__TRY(spl__device_holed_make(queue, &factors->a, size, &factors->b, &factors->a_holed));
    SPL__TRY(factors->square
                 ? make_right_like_left(plan, size)
                 : spl__device_holed_make(queue, &factors->b, size, NULL, &factors->b_holed));
    if (p->has_d)
        SPL__TRY(spl__device_holed_make(queue, &factors->d, size, NULL, &factors->d_holed));
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof(uint32_t), &factors->odd));
    factors->a = factors->a_holed.csr;
    factors->b = factors->b_holed.csr;
    factors->d = factors->d_holed.csr;
    factors->block = size;
    factors->holed = true;
    return SPL_OK;
}

static void forget_factors(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    spl__device_holed_free(queue, &factors->a_holed);
    spl__device_holed_free(queue, &factors->b_holed);
    spl__device_holed_free(queue, &factors->d_holed);
    spl__queue_free(queue, &factors->odd);
}

spl_status spl__device_holed_factors(spl_plan *plan, bool wanted)
{
    sample s = {0};
    if (!may_pay(plan, wanted))
        return SPL_OK;
    SPL__TRY(take_sample(plan, &s));
    int32_t size = best_size(plan, &s);
    if (size == 1)
        return SPL_OK;
    spl_status status = make_factors(plan, size);
    if (status == SPL_OK)
        return SPL_OK;
    forget_factors(plan);
    bool can_do_without =
        status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY || status == SPL_UNSUPPORTED;
    return can_do_without ? SPL_OK : status;
}

/* ---- C's structure ---- */

static struct spgemm_holed_rows rows_of_blocks(const spl_plan *plan)
{
    const struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    return (struct spgemm_holed_rows){.rows = device_c->factors.a.rows,
                                      .size = device_c->factors.block,
                                      .block_offsets = device_c->factors.offsets.data,
                                      .block_columns = device_c->factors.columns.data,
                                      .masks = device_c->factors.masks.data,
                                      .offsets = device_c->offsets.data};
}

spl_status spl__device_holed_find(const spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    const spl__kernel *kernel;
    /* left by a method that was tried before */
    spl__queue_free(&plan->problem.queue, &factors->masks);
    SPL__TRY(spl__queue_alloc(&plan->problem.queue, factors->blocks_of_c, sizeof(uint64_t),
                              &factors->masks));
    SPL__TRY(spl__product_kernel(plan, "spgemm_masks", &kernel));
    struct spgemm_operands o = {
        .s = spl__device_structures(plan),
        .a_values = factors->a_holed.masks.data,
        .b_values = (factors->square ? factors->a_holed : factors->b_holed).masks.data,
        .d_values = factors->d_holed.masks.data,
        .offsets = factors->offsets.data,
        .columns = factors->columns.data,
        .values = factors->masks.data};
    return spl__device_values_launch(step, &o, kernel);
}

spl_status spl__device_holed_expand(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    int64_t rows = plan->problem.rows;
    SPL__TRY(spl__queue_alloc(queue, rows + 1, sizeof(int64_t), &device_c->offsets));
    struct spgemm_holed_lengths_args lengths = {rows_of_blocks(plan)};
    int64_t items = lengths.x.rows * SPGEMM_HOLED_LANES, *offsets = device_c->offsets.data;
    SPL__TRY(spl__product_launch(plan, "spgemm_holed_lengths", items, &lengths, sizeof lengths));
    SPL__TRY(spl__queue_offsets(queue, SPL_I64, offsets, rows, NULL));
    SPL__TRY(spl__queue_fetch(queue, &device_c->nnz, offsets + rows, sizeof device_c->nnz));
    SPL__TRY(spl__queue_alloc(queue, device_c->nnz, sizeof(int32_t), &device_c->columns));
    struct spgemm_holed_columns_args columns = {rows_of_blocks(plan), device_c->columns.data};
    return spl__product_launch(plan, "spgemm_holed_columns", items, &columns, sizeof columns);
}

struct spgemm_holed spl__device_holed_values(const spl_plan *plan)
{
    const struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    return (struct spgemm_holed){.masks = device_c->factors.masks.data,
                                 .offsets = device_c->factors.holed ? device_c->offsets.data : NULL,
                                 .size = device_c->factors.block};
}

/* ---- values ---- */

const void *spl__device_holed_right(const spl_plan *plan)
{
    const spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    return (shares_values(plan) ? factors->a_holed : factors->b_holed).values.data;
}

spl_status spl__device_holed_fill_all(spl_plan *plan, const spl__call *call)
{
    spl__queue *queue = &plan->problem.queue;
    const spl__problem *p = &plan->problem;
    const spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    spl__device_scalars scalars = spl__plan_scalars(plan, call);
    uint32_t *odd = factors->odd.data;
    SPL__TRY(spl__queue_fill(queue, odd, 0, sizeof *odd));
    spl__device_holed right = factors->square ? factors->a_holed : factors->b_holed;
    right.values = factors->b_holed.values;
    SPL__TRY(spl__device_holed_fill(queue, &p->a.csr, factors->block, &factors->a_holed, &scalars,
                                    false, odd));
    if (!shares_values(plan))
        SPL__TRY(
            spl__device_holed_fill(queue, &p->b.csr, factors->block, &right, &scalars, false, odd));
    return p->has_d ? spl__device_holed_fill(queue, &p->d.csr, factors->block, &factors->d_holed,
                                             &scalars, true, odd)
                    : SPL_OK;
}

spl_status spl__device_holed_exactly(spl_plan *plan, const spl__call *call)
{
    const spl__problem *p = &plan->problem;
    const struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    struct spgemm_exact_values_args args = {.o = {.s = spl__device_own_structures(plan),
                                                  .a_values = p->a.csr.values,
                                                  .b_values = p->b.csr.values,
                                                  .d_values = p->has_d ? p->d.csr.values : NULL,
                                                  .scalars = spl__plan_scalars(plan, call),
                                                  .offsets = device_c->offsets.data,
                                                  .columns = device_c->columns.data,
                                                  .values = call->values},
                                            .wanted = device_c->factors.odd.data};
    return spl__product_launch(plan, "spgemm_exact_values", p->rows * SPGEMM_HOLED_LANES, &args,
                               sizeof args);
}

double spl__device_holed_share(const spl_plan *plan)
{
    const spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    double slots = (double)factors->a_holed.csr.nnz * factors->block * factors->block;
    return slots > 0 ? plan->features.nnz_a / slots : 1;
}

void spl__device_holed_forget(spl_plan *plan)
{
    forget_factors(plan);
    spl__queue_free(&plan->problem.queue, &spl__product_of(plan)->device_c->factors.masks);
}
