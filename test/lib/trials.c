/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/trials.h"

#include "lib/testing.h"
#include "spgemm/gpu/device_product.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A copy on the host of what may be on the plan's device. */
static void *bring(spl_plan *plan, const void *from, size_t bytes)
{
    void *copy = zoo_allocate(bytes);
    if (bytes > 0 && !plan->problem.queue.device)
        memcpy(copy, from, bytes);
    else if (bytes > 0)
        EXPECT_OK(spl__queue_fetch(&plan->problem.queue, copy, from, bytes));
    return copy;
}

static size_t element(const spl_plan *plan)
{
    return zoo_type_bytes(plan->problem.a.csr.type);
}

static spl_check check_dense(spl_plan *plan, const spl__call *call)
{
    const spl__problem *p = &plan->problem;
    spl_check check = SPL_CHECK_INIT;
    spl_dense b = *call->b, c = *call->c;
    b.place = c.place = (spl_place){SPL_HOST, 0};
    b.values = bring(plan, call->x, (size_t)(p->inner * p->cols) * element(plan));
    c.values = bring(plan, call->y, (size_t)(p->rows * p->cols) * element(plan));
    if (p->kind == SPL__KIND_spmv)
        EXPECT_OK(spl_check_spmv(NULL, &p->a.source, b.values, NULL, NULL, c.values, &p->options,
                                 &check));
    else
        EXPECT_OK(spl_check_spmm(NULL, &p->a.source, &b, NULL, NULL, &c, &p->options, &check));
    free(b.values);
    free(c.values);
    return check;
}

/* Compares C on the host with the reference, and frees its arrays. */
static spl_check check_product(const spl__problem *p, const spl_sparse *view)
{
    const double one = 1, zero = 0;
    const float one_f = 1, zero_f = 0;
    bool wide = view->type == SPL_F64;
    spl_check check = SPL_CHECK_INIT;
    EXPECT_OK(spl_check_spgemm(wide ? (const void *)&one : &one_f, &p->a.source, &p->b.source,
                               wide ? (const void *)&zero : &zero_f, p->has_d ? &p->d.source : NULL,
                               view, &p->options, &check));
    free((void *)view->offsets);
    free((void *)view->indices);
    free((void *)view->values);
    return check;
}

static spl_sparse host_view(const spl_plan *plan, int64_t nnz)
{
    spl_sparse view = plan->problem.a.csr;
    view.place = (spl_place){SPL_HOST, 0};
    view.rows = plan->problem.rows;
    view.cols = plan->problem.cols;
    view.nnz = nnz;
    view.offset_type = SPL_I64;
    return view;
}

/* C as the symbolic phase has left it, with the values of the trial. */
static spl_check check_sparse(spl_plan *plan, const spl__call *call)
{
    bool on_device = plan->problem.queue.device != NULL;
    const spl__product *c = on_device ? NULL : spl__product_of(plan);
    const spl__device_product *d = on_device ? spl__device_product_of(plan) : NULL;
    spl_sparse view = host_view(plan, plan->operation->terms(plan).capacity);
    size_t width = zoo_index_bytes(view.index_type);
    view.offsets = bring(plan, d ? d->offsets.data : c->offsets, (size_t)(view.rows + 1) * 8);
    view.indices = bring(plan, d ? d->columns.data : c->columns, (size_t)view.nnz * width);
    view.values = bring(plan, call->values, (size_t)view.nnz * element(plan));
    return check_product(&plan->problem, &view);
}

/* C as the trial has found it after a bound, on the host: perhaps with gaps between rows. */
static spl_check check_bounded(spl_plan *plan, const spl__call *call)
{
    const spl__product *c = spl__product_of(plan);
    spl_sparse view = host_view(plan, 0);
    size_t width = zoo_index_bytes(view.index_type), size = element(plan);
    for (int64_t i = 0; i < view.rows; i++)
        view.nnz += spl__row_length(c, i);
    int64_t *offsets = zoo_allocate((size_t)(view.rows + 1) * 8);
    char *indices = zoo_allocate((size_t)view.nnz * width),
         *values = zoo_allocate((size_t)view.nnz * size);
    offsets[0] = 0;
    for (int64_t i = 0; i < view.rows; i++) {
        size_t length = (size_t)spl__row_length(c, i), from = (size_t)c->offsets[i],
               to = (size_t)offsets[i];
        memcpy(indices + to * width, (const char *)c->columns + from * width, length * width);
        memcpy(values + to * size, (const char *)call->values + from * size, length * size);
        offsets[i + 1] = offsets[i] + (int64_t)length;
    }
    view.offsets = offsets;
    view.indices = indices;
    view.values = values;
    return check_product(&plan->problem, &view);
}

static spl_check check_numeric(spl_plan *plan, const spl__call *call)
{
    return (plan->operation->terms(plan).bounded ? check_bounded : check_sparse)(plan, call);
}

static void tried(spl__trial_hook *hook, const spl__step *step, const spl__call *call,
                  const spl__timing *timing)
{
    test_trials *t = (test_trials *)(void *)hook;
    spl_plan *plan = step->task.plan;
    t->tried++;
    EXPECT(timing->run >= 0 && isfinite(timing->run) && timing->prepare >= 0);
    if (!call || step->task.rows.list || plan->problem.a.source.place.kind != SPL_HOST)
        return; /* no values; those of some rows; the reference is on the host */
    spl_check check = step->task.phase == SPL__PHASE_numeric ? check_numeric(plan, call)
                                                             : check_dense(plan, call);
    testing_case("a trial of %s: %lld of %lld elements are wrong", step->entry->id,
                 (long long)check.failed, (long long)check.compared);
    EXPECT(check.ok);
    t->checked++;
}

void trials_watch(test_trials *trials, spl_context *context)
{
    *trials = (test_trials){.hook = {.hasty = true, .tried = tried}};
    context->hook = &trials->hook;
}
