/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/form/gpu/holed_blocks: both phases multiply structures of holed blocks, dense blocks with
 * gaps, of 2 to 6 rows and columns.
 *
 * Each execution copies the operands' values with zeros in the holes. Masks tell which slots of C's
 * blocks are entries: those that a product of entries reaches. The kernels of the numeric method
 * compute them, so that C is known once the method was prepared. If a number is not finite, its
 * product with a zero in a hole would be NaN: a following kernel then computes all values entry by
 * entry.
 *
 * Cost: slots without an entry are multiplied, too; a copy of the values per execution. Memory: the
 * structures of blocks, values of all slots, 8 bytes per block of C. Source: own; R. Vuduc, J.
 * Demmel, K. Yelick, OSKI, J. Phys. Conf. Ser. 16, 2005. Differs: the masks, so that fill-in never
 * becomes an entry of C. */
#include "device/device.h"
#include "format/device_holed.h"
#include "plan/forced.h"
#include "spgemm/gpu/device_values.h"
#include "spgemm/gpu/forms/form_kinds.h"
#include "spgemm/kernels/blocks/spgemm_blocks.k.h"
#include "spgemm/kernels/blocks/spgemm_holed.k.h"

#include <math.h>

typedef struct state {
    spl__device_holed a, b, d;
    bool square;                  /* B has A's structure: b has only values */
    spl__device_array masks, odd; /* of C's blocks; set if numbers are not finite */
} state;

static state *state_of(const spl_plan *plan)
{
    return spl__form_of(plan)->state;
}

#define KERNELS(size) SPL__BLOCK_KERNELS(size, "spgemm_holed" #size "_values")
static const spl__value_kernels kernels[SPGEMM_MOST_BLOCK + 1] = {EACH_BLOCK_SIZE(KERNELS)};

/* ---- C's structure ---- */

static int64_t entries(const spl__form *form, int64_t counted)
{
    (void)form, (void)counted;
    return 0;
}

static spl_status expand(spl_plan *plan)
{
    const spl__form *form = spl__form_of(plan);
    /* an estimate until the holes are known */
    plan->features.nnz_c = (double)form->nnz_c * form->block * form->block;
    return SPL_OK;
}

static spl_status find(const spl__step *step)
{
    spl_plan *plan = step->task.plan;
    const spl__form *form = spl__form_of(plan);
    state *s = state_of(plan);
    const spl__kernel *kernel;
    /* left by a method that was tried before */
    spl__queue_free(&plan->problem.queue, &s->masks);
    SPL__TRY(spl__queue_alloc(&plan->problem.queue, form->nnz_c, sizeof(uint64_t), &s->masks));
    SPL__TRY(spl__product_kernel(plan, "spgemm_masks", &kernel));
    struct spgemm_operands o = {.s = spl__form_structures(plan),
                                .a_values = s->a.masks.data,
                                .b_values = (s->square ? s->a : s->b).masks.data,
                                .d_values = s->d.masks.data,
                                .offsets = form->offsets.data,
                                .columns = form->columns.data,
                                .values = s->masks.data};
    return spl__device_values_launch(step, &o, kernel);
}

static struct spgemm_holed_rows rows_of_blocks(const spl_plan *plan)
{
    const spl__device_product *c = spl__device_product_of(plan);
    return (struct spgemm_holed_rows){.rows = c->form.a.rows,
                                      .size = c->form.block,
                                      .block_offsets = c->form.offsets.data,
                                      .block_columns = c->form.columns.data,
                                      .masks = state_of(plan)->masks.data,
                                      .offsets = c->offsets.data};
}

static spl_status complete(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *c = spl__device_product_of(plan);
    int64_t rows = plan->problem.rows;
    SPL__TRY(spl__queue_alloc(queue, rows + 1, sizeof(int64_t), &c->offsets));
    struct spgemm_holed_lengths_args lengths = {rows_of_blocks(plan)};
    int64_t items = lengths.x.rows * SPGEMM_HOLED_LANES, *offsets = c->offsets.data;
    SPL__TRY(spl__product_launch(plan, "spgemm_holed_lengths", items, &lengths, sizeof lengths));
    SPL__TRY(spl__queue_offsets(queue, SPL_I64, offsets, rows, NULL));
    SPL__TRY(spl__queue_fetch(queue, &c->nnz, offsets + rows, sizeof c->nnz));
    SPL__TRY(spl__queue_alloc(queue, c->nnz, sizeof(int32_t), &c->columns));
    struct spgemm_holed_columns_args columns = {rows_of_blocks(plan), c->columns.data};
    return spl__product_launch(plan, "spgemm_holed_columns", items, &columns, sizeof columns);
}

/* ---- values ---- */

/* Whether B shares the copy of A's values. Not if the plan may later get new values for one of
 * them. */
static bool shares_values(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    return state_of(plan)->square && p->a.csr.values == p->b.csr.values;
}

static void values(const spl_plan *plan, struct spgemm_operands *operands)
{
    const state *s = state_of(plan);
    operands->a_values = s->a.values.data;
    operands->b_values = (shares_values(plan) ? s->a : s->b).values.data;
    operands->d_values = s->d.values.data;
}

static void arguments(spl_plan *plan, struct spgemm_values *to)
{
    const spl__device_product *c = spl__device_product_of(plan);
    to->m = (struct spgemm_holed){
        .masks = state_of(plan)->masks.data, .offsets = c->offsets.data, .size = c->form.block};
}

/* Copies the operands' values into blocks with zeros in the holes. */
static spl_status begin(spl_plan *plan, const spl__call *call)
{
    spl__queue *queue = &plan->problem.queue;
    const spl__problem *p = &plan->problem;
    const state *s = state_of(plan);
    const int32_t size = spl__form_of(plan)->block;
    spl__device_scalars scalars = spl__plan_scalars(plan, call);
    uint32_t *odd = s->odd.data;
    SPL__TRY(spl__queue_fill(queue, odd, 0, sizeof *odd));
    spl__device_holed right = s->square ? s->a : s->b;
    right.values = s->b.values;
    SPL__TRY(spl__device_holed_fill(queue, &p->a.csr, size, &s->a, &scalars, false, odd));
    if (!shares_values(plan))
        SPL__TRY(spl__device_holed_fill(queue, &p->b.csr, size, &right, &scalars, false, odd));
    return p->has_d ? spl__device_holed_fill(queue, &p->d.csr, size, &s->d, &scalars, true, odd)
                    : SPL_OK;
}

/* If a value is not finite, computes all values again entry by entry. */
static spl_status end(spl_plan *plan, const spl__call *call)
{
    const spl__problem *p = &plan->problem;
    const spl__device_product *c = spl__device_product_of(plan);
    struct spgemm_exact_values_args args = {.o = {.s = spl__own_structures(plan),
                                                  .a_values = p->a.csr.values,
                                                  .b_values = p->b.csr.values,
                                                  .d_values = p->has_d ? p->d.csr.values : NULL,
                                                  .scalars = spl__plan_scalars(plan, call),
                                                  .offsets = c->offsets.data,
                                                  .columns = c->columns.data,
                                                  .values = call->values},
                                            .wanted = state_of(plan)->odd.data};
    return spl__product_launch(plan, "spgemm_exact_values", p->rows * SPGEMM_HOLED_LANES, &args,
                               sizeof args);
}

static void free_blocks(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    state *s = state_of(plan);
    if (!s)
        return;
    spl__device_holed_free(queue, &s->a);
    spl__device_holed_free(queue, &s->b);
    spl__device_holed_free(queue, &s->d);
    spl__queue_free(queue, &s->masks);
    spl__queue_free(queue, &s->odd);
    spl__free(s);
}

const spl__form_kind spl__form_holed_blocks = {
    .id = "spgemm/form/gpu/holed_blocks",
    .attribute = SPL__OF_BLOCKS,
    .refuses = {[SPL__BY_ENTRIES] = spl__known_by_blocks,
                [SPL__BY_ROWS] = spl__known_by_blocks,
                [SPL__BY_TERMS] = spl__known_by_blocks},
    .block_values = kernels,
    .entries = entries,
    .expand = expand,
    .find = find,
    .complete = complete,
    .begin = begin,
    .end = end,
    .values = values,
    .arguments = arguments,
    .free = free_blocks,
};

/* ---- the method ---- */

static bool is_forced(const spl_plan *plan)
{
    return spl__form_is_forced(plan, &spl__form_holed_blocks);
}

static bool ascends(const spl__problem *p)
{
    return p->staged ||
           (p->a.survey.ascends && p->b.survey.ascends && (!p->has_d || p->d.survey.ascends));
}

/* Steps of a warp per product that decide, from those in blocks. With many products identical rows
 * are better (fixed unknowns, one-shot: 1.2 to 1.4 times as fast). The only execution pays for the
 * copies. */
static double steps_of(const spl_plan *plan, double steps)
{
    const spl__gpu_machine *m = plan->gpu_machine;
    const spl__features *f = &plan->features;
    double products = f->nnz_a * (f->inner > 0 ? f->nnz_b / f->inner : 0);
    return steps * (products < m->spgemm_holed_first ? 1 : m->spgemm_holed_many) +
           (plan->problem.once ? m->spgemm_holed_copies : 0);
}

/* What can be told without a sample. With few products the sample costs more than the gain. With
 * short rows of B's blocks lanes are idle, one per slot (A*P of elastic3d, whose P has one entry
 * per row: numeric .92 ms instead of .34). One warp computes a row of blocks, so with few of those
 * most of the device is idle. */
static const char *does_not_pay(const spl_plan *plan)
{
    const spl__gpu_machine *m = plan->gpu_machine;
    const spl__features *f = &plan->features;
    double of_b = f->inner > 0 ? f->nnz_b / f->inner : 0, products = f->nnz_a * of_b;
    if (f->rows < m->spgemm_holed_rows * plan->problem.queue.device->properties.units)
        return "rows of blocks are too few for the device";
    if (f->nnz_a < m->spgemm_holed_row * f->rows || of_b < m->spgemm_holed_row)
        return "rows of A or B are too short for blocks";
    if (products < m->spgemm_holed_products)
        return "too few products to look for blocks with gaps";
    if (plan->problem.once && products < m->spgemm_holed_first)
        return "one execution of few products does not pay back the copies";
    return spl__identical_rows_steps(plan) <= steps_of(plan, spl__block_steps(DEVICE_MOST_HOLED, 1))
               ? "merging identical rows is expected to save more than any blocks"
               : NULL;
}

static const char *cannot_be(const spl_plan *plan)
{
    const spl__features *f = &plan->features;
    const char *excluded = spl__form_excluded(plan, &spl__form_holed_blocks);
    if (excluded)
        return excluded;
    if (spl__form_survey_of(plan)->node_block > 1 &&
        !spl__form_excluded(plan, &spl__form_node_blocks))
        return "the operands consist of node blocks";
    if (!ascends(&plan->problem))
        return "columns of a row do not ascend";
    if (spl__queue_has_budget(&plan->problem.queue))
        return "makes copies, and memory is limited";
    if (f->nnz_a == 0 || f->nnz_b == 0)
        return "there are no products";
    return is_forced(plan) ? NULL : does_not_pay(plan);
}

static const char *applicable(const spl__task *task)
{
    const char *why = cannot_be(task->plan);
    return why || spl__form_survey_of(task->plan)->holed.size > 1
               ? why
               : "blocks of every size have too many gaps";
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__holed_guess *guess = &spl__form_survey_of(plan)->holed;
    spl__form_estimate(task, steps_of(plan, guess->steps), e);
    e->bytes = (double)spl__type_size(plan->problem.a.csr.type) *
               (plan->features.nnz_a + plan->features.nnz_b);
}

/* ---- the sample ---- */

/* Fills of blocks in a sample of the operands' rows. */
typedef struct sample {
    struct device_block_fills operand[3];
} sample;

static spl_status take_sample(spl_plan *plan, sample *s)
{
    spl__queue *queue = &plan->problem.queue;
    const spl__problem *p = &plan->problem;
    const spl_sparse *const operands[] = {&p->a.csr, &p->b.csr, &p->d.csr};
    bool square = spl__view_same_structure(operands[1], operands[0]);
    spl__device_array found;
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof *s, &found));
    spl_status status = spl__queue_fill(queue, found.data, 0, sizeof *s);
    for (int i = 0; i < (p->has_d ? 3 : 2) && status == SPL_OK; i++)
        if (i != 1 || !square)
            status =
                spl__device_block_fills(queue, operands[i], &((sample *)found.data)->operand[i]);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, s, found.data, sizeof *s);
    spl__queue_free(queue, &found);
    if (square)
        s->operand[1] = s->operand[0];
    return status;
}

/* Divided by the fills, since slots without an entry are multiplied, too. */
static double sampled_steps(const sample *s, int size)
{
    return spl__block_steps(size, spl__device_block_fill(&s->operand[0], size) *
                                      spl__device_block_fill(&s->operand[1], size));
}

spl_status spl__holed_blocks_look(spl_plan *plan, spl__holed_guess *guess)
{
    sample s = {0};
    *guess = (spl__holed_guess){.size = 1, .steps = INFINITY};
    if (cannot_be(plan))
        return SPL_OK;
    SPL__TRY(take_sample(plan, &s));
    for (int32_t size = 2; size <= DEVICE_MOST_HOLED; size++) {
        double steps = sampled_steps(&s, size);
        if (steps < guess->steps)
            *guess = (spl__holed_guess){size, steps};
    }
    return SPL_OK;
}

/* ---- making it ---- */

/* B has A's structure: allocates only its values, if they differ from A's or may do so later. */
static spl_status make_right_like_left(spl_plan *plan, int32_t size, state *s)
{
    s->b.csr = s->a.csr;
    if (plan->problem.once && shares_values(plan))
        return SPL_OK;
    return spl__queue_alloc(&plan->problem.queue, s->a.csr.nnz * size * size,
                            spl__type_size(s->a.csr.type), &s->b.values);
}

static spl_status make(spl_plan *plan, int32_t size, const spl__form *form, state *s)
{
    spl__queue *queue = &plan->problem.queue;
    s->square = spl__view_same_structure(&form->b, &form->a);
    SPL__TRY(spl__device_holed_make(queue, &form->a, size, &form->b, &s->a));
    SPL__TRY(s->square ? make_right_like_left(plan, size, s)
                       : spl__device_holed_make(queue, &form->b, size, NULL, &s->b));
    if (plan->problem.has_d)
        SPL__TRY(spl__device_holed_make(queue, &form->d, size, NULL, &s->d));
    return spl__queue_alloc(queue, 1, sizeof(uint32_t), &s->odd);
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__form *form = spl__form_of(plan);
    const int32_t size = spl__form_survey_of(plan)->holed.size;
    const double entry = size * size;
    state *s;
    spl__form_begin(plan, &spl__form_holed_blocks, form);
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    form->state = s;
    SPL__TRY(make(plan, size, form, s));
    form->a = s->a.csr;
    form->b = s->b.csr;
    form->d = s->d.csr;
    form->block = size;
    form->times = (spl__form_times){size, entry, entry, entry, entry * size};
    form->products = s->a.products;
    form->ordered = true;
    return SPL_OK;
}

static void explain(const spl__step *step, spl__text *text)
{
    const spl_plan *plan = step->task.plan;
    const spl__form *form = spl__form_of(plan);
    double slots = (double)form->a.nnz * form->block * form->block;
    spl__text_add(text, "  %d unknowns per node: %s rows of blocks, A's %.3g %% full\n",
                  form->block, spl__thousands(form->a.rows),
                  100 * (slots > 0 ? plan->features.nnz_a / slots : 1));
}

const spl__method spl__spgemm_form_gpu_holed_blocks = {
    .summary = "holed blocks: dense blocks with gaps, zeros in the holes",
    .source = "own; R. Vuduc, J. Demmel, K. Yelick, OSKI, 2005",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__PAYS_ONCE,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .explain = explain,
    .destroy = spl__form_destroy,
};
