/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/term_lists: the values of C = alpha*A*B + beta*D, for many executions, from a
 * list of the terms of each entry of C.
 *
 * C's values are a sparse matrix of zeros and ones times a vector of products: each entry of C is
 * the sum of some, its terms. The plan lists them in blocks of nearly equal numbers of terms,
 * regardless of rows. A block of threads multiplies in the order of A's and B's entries, so that
 * neighbouring threads read neighbouring entries, stores the products into shared memory in the
 * order of C's entries, with many loads in flight, and sums up. No column is read or searched and
 * no addition is atomic; the terms of a sum are added in the order of A's entries. For entries of D
 * their positions in C are stored; a separate launch adds them.
 *
 * Cost: 2 bytes per product and its value of B, 8 bytes per entry of A, more where rows of C lie
 * in several blocks; 2 bytes and the value per entry of C. Memory: as much, and 4 bytes per
 * entry of D; 4 more per entry of C while lists are made. Source: own; sums of products out of
 * shared memory as in CSR-Stream: J. Greathouse, M. Daga, SC'14. Differs: the list has positions
 * of 16 bits, in the order of A and B, not of C. */
#include "plan/forced.h"
#include "spgemm/gpu/device_product.h"
#include "spgemm/kernels/spgemm_term_lists.k.h"

typedef struct state {
    struct spgemm_terms lists;
    int64_t products, runs;
    spl__device_array blocks, starts, terms, first_runs, runs_of, singles, addends;
    spl__device_array firsts; /* of runs and then of single terms */
    const spl__kernel *sum, *add;
} state;

/* ---- lists ---- */

/* For the operands and C themselves, whatever compact form the symbolic phase used. */
static struct spgemm_term_walk walk_of(const spl_plan *plan, const spl__device_array *firsts)
{
    const spl__device_product *device_c = spl__device_product_of(plan);
    return (struct spgemm_term_walk){.s = spl__own_structures(plan),
                                     .offsets = device_c->offsets.data,
                                     .columns = device_c->columns.data,
                                     .entries = device_c->nnz,
                                     .firsts = firsts->data,
                                     .single_terms = !device_c->ordered};
}

/* Counts terms, and forms prefix sums. */
static spl_status count_terms(spl_plan *plan, const struct spgemm_term_walk *w)
{
    spl__queue *queue = &plan->problem.queue;
    struct spgemm_count_terms_args count = {*w};
    int64_t threads =
        plan->problem.a.csr.nnz / SPGEMM_LIST_LANES * SPGEMM_ROWS_THREADS + SPGEMM_ROWS_THREADS;
    SPL__TRY(spl__queue_fill(queue, w->firsts, 0, (size_t)(w->entries + 1) * sizeof *w->firsts));
    SPL__TRY(spl__product_launch(plan, "spgemm_count_terms", threads, &count, sizeof count));
    return spl__queue_offsets(queue, SPL_I32, w->firsts, w->entries, NULL);
}

/* Computes where blocks begin and allocates their runs and single terms. Waits once. */
static spl_status cut_lists(spl_plan *plan, state *s, const struct spgemm_term_walk *w)
{
    spl__queue *queue = &plan->problem.queue;
    int64_t count = s->products / SPGEMM_TERMS_EACH + 1;
    int32_t runs, singles, terms;
    SPL__TRY(spl__queue_alloc(queue, count + 1, sizeof(struct spgemm_term_block), &s->blocks));
    SPL__TRY(spl__queue_alloc(queue, 2 * (count + 1), sizeof(int32_t), &s->firsts));
    int32_t *first_runs = s->firsts.data, *first_singles = first_runs + count + 1;
    struct spgemm_cut_terms_args cut = {*w, s->blocks.data, count, first_runs, first_singles};
    SPL__TRY(spl__product_launch(plan, "spgemm_cut_terms", count + 1, &cut, sizeof cut));
    SPL__TRY(spl__queue_offsets(queue, SPL_I32, first_runs, count, NULL));
    SPL__TRY(spl__queue_offsets(queue, SPL_I32, first_singles, count, NULL));
    SPL__TRY(spl__queue_bring(queue, &terms, w->firsts + w->entries, sizeof terms));
    SPL__TRY(spl__queue_bring(queue, &runs, first_runs + count, sizeof runs));
    SPL__TRY(spl__queue_fetch(queue, &singles, first_singles + count, sizeof singles));
    if (terms != s->products)
        return spl__fail(SPL_INTERNAL, "%d terms of %s products", terms,
                         spl__thousands(s->products));
    s->lists.count = count;
    s->runs = runs;
    SPL__TRY(spl__queue_alloc(queue, runs, sizeof(struct spgemm_term_run), &s->runs_of));
    return spl__queue_alloc(queue, singles, sizeof(struct spgemm_term_run), &s->singles);
}

static spl_status fill_lists(spl_plan *plan, state *s, const struct spgemm_term_walk *w)
{
    spl__queue *queue = &plan->problem.queue;
    int64_t count = s->lists.count, parts = count * SPGEMM_TERMS_PARTS;
    SPL__TRY(spl__queue_alloc(queue, w->entries, sizeof(uint16_t), &s->starts));
    SPL__TRY(spl__queue_alloc(queue, s->products, sizeof(uint16_t), &s->terms));
    SPL__TRY(spl__queue_alloc(queue, parts, sizeof(uint16_t), &s->first_runs));
    SPL__TRY(spl__queue_fill(queue, s->first_runs.data, 0,
                             s->first_runs.bytes)); /* the rest after the last term */
    const int32_t *firsts = s->firsts.data;
    s->lists = (struct spgemm_terms){.blocks = s->blocks.data,
                                     .count = count,
                                     .starts = s->starts.data,
                                     .terms = s->terms.data,
                                     .first_runs = s->first_runs.data,
                                     .runs = s->runs_of.data,
                                     .singles = s->singles.data,
                                     .run_firsts = firsts,
                                     .single_firsts = firsts + count + 1};
    struct spgemm_start_terms_args start = {w->entries, w->firsts, s->blocks.data, s->starts.data};
    struct spgemm_list_terms_args list = {*w,
                                          s->blocks.data,
                                          count,
                                          firsts,
                                          firsts + count + 1,
                                          s->terms.data,
                                          s->first_runs.data,
                                          s->runs_of.data,
                                          s->singles.data};
    SPL__TRY(spl__product_launch(plan, "spgemm_start_terms", w->entries, &start, sizeof start));
    return spl__product_launch(plan, "spgemm_list_terms", count * SPGEMM_LIST_LANES, &list,
                               sizeof list);
}

static spl_status make_lists(spl_plan *plan, state *s, const struct spgemm_term_walk *w)
{
    SPL__TRY(count_terms(plan, w));
    SPL__TRY(cut_lists(plan, s, w));
    return fill_lists(plan, s, w);
}

static spl_status position_addends(spl_plan *plan, state *s, const struct spgemm_term_walk *w)
{
    SPL__TRY(spl__queue_alloc(&plan->problem.queue, plan->problem.d.csr.nnz, sizeof(int32_t),
                              &s->addends));
    struct spgemm_position_addends_args args = {*w, s->addends.data};
    SPL__TRY(spl__product_launch(plan, "spgemm_position_addends", w->s.rows * SPGEMM_ROW_LANES,
                                 &args, sizeof args));
    return spl__product_kernel(plan, "spgemm_term_addends", &s->add);
}

/* ---- the method ---- */

/* Why the planner does not choose the method, though it can be forced. */
static const char *does_not_pay(const spl_plan *plan)
{
    const spl__features *f = &plan->features;
    if (spl__problem_is_single(&plan->problem))
        return "makes lists, which one execution does not pay back";
    if (!spl__device_product_of(plan)->ordered)
        return "columns of rows of B or D do not ascend";
    return f->products > plan->gpu_machine->spgemm_terms_most * f->nnz_c
               ? "lists would take many times the memory of C"
               : NULL;
}

static const char *applicable(const spl__task *task)
{
    const spl__features *f = &task->plan->features;
    const spl__device_product *device_c = spl__device_product_of(task->plan);
    if (device_c->unsorted)
        return spl__known_unsorted;
    if (device_c->defers_columns)
        return "C's columns are found along with its values";
    const char *refused = spl__form_refuses(task, SPL__BY_TERMS);
    if (refused)
        return refused;
    if (f->products + f->nnz_d > INT32_MAX || f->nnz_b > INT32_MAX)
        return "has more than 2^31 products or entries of B";
    return spl__phase_is_forced(task->plan, task->phase) ? NULL : does_not_pay(task->plan);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    double value = (double)spl__type_size(task->plan->problem.a.csr.type);
    double run = sizeof(struct spgemm_term_run), term = sizeof(uint16_t), start = sizeof(uint16_t);
    spl__device_work work = {.streamed = term * f->products + (start + value) * f->nnz_c +
                                         (run + value) * f->nnz_a + (4 + 3 * value) * f->nnz_d,
                             .gathered = m->spgemm_terms_gather * f->products,
                             .reach = value * f->nnz_b,
                             .steps = m->spgemm_terms_step * f->products / SPGEMM_LIST_LANES,
                             .launches = f->nnz_d > 0 ? 2 : 1};
    e->seconds = spl__device_seconds(task, &work);
    e->setup = m->spgemm_terms_start + m->spgemm_terms_entry * f->nnz_a +
               m->spgemm_terms_term * f->products;
    e->bytes = term * f->products + run * f->nnz_a + start * f->nnz_c + sizeof(int32_t) * f->nnz_d;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    spl__device_array firsts;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    s->products = (int64_t)plan->features.products;
    SPL__TRY(spl__product_kernel(plan, "spgemm_term_values", &s->sum));
    SPL__TRY(
        spl__queue_alloc(queue, spl__device_product_of(plan)->nnz + 1, sizeof(int32_t), &firsts));
    struct spgemm_term_walk w = walk_of(plan, &firsts);
    spl_status status = make_lists(plan, s, &w);
    if (status == SPL_OK && plan->problem.has_d)
        status = position_addends(plan, s, &w);
    spl__queue_free(queue, &firsts);
    return status;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    const spl__problem *p = &step->task.plan->problem;
    spl__queue *queue = &step->task.plan->problem.queue;
    spl__device_scalars scalars = spl__plan_scalars(step->task.plan, call);
    struct spgemm_term_values_args sum = {s->lists, p->a.csr.values, p->b.csr.values, scalars,
                                          call->values};
    SPL__TRY(SPL__LAUNCH(queue, &sum, s->sum, s->lists.count, SPGEMM_TERMS_THREADS));
    if (!s->add)
        return SPL_OK;
    struct spgemm_term_addends_args add = {.rows = p->rows,
                                           .d_offsets = p->d.csr.offsets,
                                           .slots = s->addends.data,
                                           .d_values = p->d.csr.values,
                                           .scalars = scalars,
                                           .values = call->values,
                                           .single_terms =
                                               !spl__device_product_of(step->task.plan)->ordered};
    int64_t blocks = spl__blocks_for(queue, add.rows * SPGEMM_ROW_LANES, SPGEMM_ROWS_THREADS);
    return SPL__LAUNCH(queue, &add, s->add, blocks, SPGEMM_ROWS_THREADS);
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    spl__text_add(text, "  %s terms in %s blocks, at most %s runs\n", spl__thousands(s->products),
                  spl__thousands(s->lists.count), spl__thousands(s->runs));
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__device_array *const arrays[] = {&s->blocks,     &s->firsts,  &s->starts,  &s->terms,
                                         &s->first_runs, &s->runs_of, &s->singles, &s->addends};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        spl__queue_free(&step->task.plan->problem.queue, arrays[i]);
    spl__free(s);
}

const spl__method spl__spgemm_numeric_gpu_term_lists = {
    .summary = "for each entry of C a list of its terms, for plans that are executed several times",
    .source = "own; sums out of shared memory as in CSR-Stream: J. Greathouse, M. Daga, SC'14",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};
