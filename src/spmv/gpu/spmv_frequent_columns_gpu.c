/* SPDX-License-Identifier: Apache-2.0 */
/* spmv/compute/gpu/frequent_columns: y = alpha*A*x + beta*y on CSR, with x of the most frequent
 * columns in shared memory.
 *
 * In graphs a few percent of the columns, anywhere, have a third to a half of the entries. A
 * scattered gather takes a multiprocessor about two cycles per entry, whether it hits L1 or not;
 * shared memory serves many lanes per cycle. So columns are renumbered, in a copy: frequent ones
 * follow all others. A first launch packs their x; in the second a persistent block per
 * multiprocessor loads that and processes rows: long ones in pieces, one warp each, in the order in
 * which they read x (device_long_rows.h), short ones by a few lanes each; a third launch adds the
 * pieces. Values are A's, in place; if all are equal, none is read (device_narrow_values.h).
 *
 * Cost: as csr_balanced, two launches more, and fewer gathers. Memory: 4 bytes an entry, 40 for
 * every 256 of long rows, 8 a row; cols*28 while the plan is made. Source: frequency-based
 * clustering: Y. Zhang, V. Kiriansky, C. Mendis, S. Amarasinghe, M. Zaharia, Making caches work
 * for graph analytics, IEEE Big Data 2017. Differs: only the numbers of columns are reordered;
 * shared memory instead of a cache. */
#include "core/types.h"
#include "spmv/gpu/device_frequent.h"
#include "spmv/gpu/device_long_rows.h"
#include "spmv/gpu/device_work.h"
#include "spmv/row_steps.h"

enum { PIECE = 256 };

typedef struct state {
    const spl__kernel *multiply, *pack;
    spl__device_frequent frequent;
    spl__device_array packed; /* T[frequent.count] */
    spl__device_long_rows long_rows;
    spl__device_array found; /* struct device_narrow_found; empty: values were not all the same */
} state;

/* The columns whose x fits shared memory; the rest of the memory is L1, for the other columns.
 * H100, f64, 8,192, 12,000 and 24,576 of them: ppa 384, 369 and 331 us. */
static int64_t capacity(const spl_plan *plan)
{
    const double share = 5.0 / 6;
    double bytes = share * (double)plan->problem.queue.device->properties.block_shared;
    return (int64_t)(bytes / (double)spl__type_size(plan->problem.a.csr.type));
}

static const char *applicable(const spl__task *task)
{
    const spl_plan *plan = task->plan;
    if (plan->problem.a.csr.cols > INT32_MAX - capacity(plan))
        return "columns have no room for more numbers";
    return spl__spmv_needs_row_numbers(task);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__features *f = &plan->features;
    const double passes = 3;   /* counting, renumbering, pieces */
    const double uneven = 0.5; /* graphs have very different rows, hence columns */
    const spl__gpu_machine *m = plan->gpu_machine;
    double entries = spl__spmv_device_narrow_entries(task, sizeof(int32_t), SPL__VALUES_ONE);
    double pieces = f->nnz_a / PIECE * (sizeof(struct spmv_long_piece) + sizeof(double));
    spl__device_work work =
        spl__spmv_device_work(task, entries + spl__spmv_device_offsets(task) + pieces);
    work.launches += 2;
    spl__spmv_device_predict(
        task, &work, f->nnz_a * sizeof(int32_t) + pieces + f->rows * sizeof(int64_t), passes, e);
    if (f->variation_row_a > uneven)
        e->seconds -= m->spmv_frequent_saves * (e->seconds - work.launches * m->launch - m->event);
    e->seconds += f->rows * m->spmv_frequent_row / plan->problem.queue.device->properties.units;
    e->setup += spl__spmv_device_look(task, SPL__VALUES_ONE);
}

static spl_status find_kernels(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    state *s = step->state;
    bool one_value = spl__spmv_values_are(plan, SPL__VALUES_ONE);
    SPL__TRY(spl__queue_kernel(queue, "spmv_frequent_pack", a->type, a->offset_type, &s->pack));
    SPL__TRY(spl__queue_kernel(queue, one_value ? "spmv_frequent_one_value" : "spmv_frequent",
                               a->type, a->offset_type, &s->multiply));
    return one_value ? spl__device_narrow_alloc(queue, &s->found) : SPL_OK;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    SPL__TRY(find_kernels(step));
    SPL__TRY(spl__device_frequent_make(queue, a, capacity(plan), &s->frequent));
    SPL__TRY(spl__queue_alloc(queue, s->frequent.count, spl__type_size(a->type), &s->packed));
    return spl__device_long_rows_make(queue, a, SPMV_FREQUENT_SHORT, PIECE, &s->long_rows);
}

/* There is no copy; only tests whether all values are still equal. */
static void update(spl__step *step)
{
    spl__problem *p = &step->task.plan->problem;
    const state *s = step->state;
    if (s->found.data)
        (void)spl__device_narrow_scan(&p->queue, &p->a.csr, &s->found);
}

static spl_status multiply(const state *s, spl_plan *plan, const spl__call *call)
{
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    struct spmv_frequent_args args = {.a = spl__csr_for_kernel(plan, call),
                                      .long_rows = spl__long_rows_for_kernel(&s->long_rows),
                                      .cols = (int32_t)a->cols,
                                      .count = s->frequent.count,
                                      .packed = s->packed.data};
    args.a.columns = s->frequent.columns.data;
    struct spmv_frequent_one_value_args one_value_args = {args, s->found.data};
    int64_t blocks = queue->device->properties.units;
    if (s->found.data)
        return SPL__LAUNCH_SHARED(queue, &one_value_args, s->multiply, blocks,
                                  SPMV_FREQUENT_THREADS, s->packed.bytes);
    return SPL__LAUNCH_SHARED(queue, &args, s->multiply, blocks, SPMV_FREQUENT_THREADS,
                              s->packed.bytes);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    struct spmv_frequent_pack_args args = {s->frequent.count, s->frequent.list.data, call->x,
                                           s->packed.data, spl__plan_scalars(plan, call)};
    if (plan->problem.a.csr.rows == 0)
        return SPL_OK; /* x must not be read */
    SPL__TRY(SPL__LAUNCH(queue, &args, s->pack,
                         spl__blocks_for(queue, args.count, SPMV_FREQUENT_SETUP_THREADS),
                         SPMV_FREQUENT_SETUP_THREADS));
    SPL__TRY(multiply(s, plan, call));
    return spl__long_rows_join(plan, &s->long_rows, call);
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    spl__text_add(text, "  x of the %s most frequent columns in shared memory",
                  spl__thousands(s->frequent.count));
    spl__text_add(text, "; rows of more than %d in pieces", SPMV_FREQUENT_SHORT);
    spl__text_add(text, " %s, ordered by columns", spl__thousands(s->long_rows.pieces));
    if (s->found.data)
        spl__narrow_form_explain(&step->task.plan->problem.a.value_form, text);
    spl__text_add(text, "\n");
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    spl__queue *queue = &step->task.plan->problem.queue;
    if (!s)
        return;
    spl__device_frequent_free(queue, &s->frequent);
    spl__queue_free(queue, &s->packed);
    spl__device_long_rows_free(queue, &s->long_rows);
    spl__queue_free(queue, &s->found);
    spl__free(s);
}

const spl__method spl__spmv_compute_gpu_frequent_columns = {
    .summary = "CSR, x of the most frequent columns in shared memory",
    .source = "Y. Zhang et al., IEEE Big Data 2017",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__HALVES,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .update = update,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};
