/* SPDX-License-Identifier: Apache-2.0 */
/* frontier.c: the operation y = op(A)*x with sparse vectors: see frontier.h. */
#include "spmv/frontier/frontier.h"

#include "core/checked.h"
#include "core/environment.h"
#include "problem/problem_operands.h"

#include <stdlib.h>

int64_t spl__frontier_few = 32768;

/* Pulling reads all entries of rows that the mask leaves: it pays from this part of them on; or
 * from that on where a row ends with the first entry that x has (min_second of indices). */
enum { HEAVY = 4, HEAVY_AT_FIRST = 16 };
/* Sampled entries for each band. */
enum { SAMPLES = 64 };

spl_status spl__frontier_check(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    if (spl__type_is_half(p->a.csr.type))
        return spl__fail(SPL_UNSUPPORTED, "sparse vectors are of f32, f64, i32 and i64, not of %s",
                         spl__type_name(p->a.csr.type));
    if (p->a.csr.index_type == SPL_I32 && spl__max_i64(p->rows, p->inner) > INT32_MAX)
        return spl__fail(SPL_UNSUPPORTED, "op(A) is %s x %s: indices need 64 bits",
                         spl__thousands(p->rows), spl__thousands(p->inner));
    return SPL_OK;
}

/* ---- the plan ---- */

static void free_sums(spl__frontier_sums *s)
{
    for (int k = 0; k < SPL__FRONTIER_LEVELS; k++)
        spl__free(s->bits[k]);
    spl__free(s->sums);
    *s = (spl__frontier_sums){0};
}

static spl_status make_sums(spl_plan *plan, spl__frontier *f, spl__frontier_sums *s)
{
    const spl__problem *p = &plan->problem;
    int64_t count = p->rows;
    SPL__TRY(spl__alloc_zero(&plan->account, count, spl__type_size(p->a.csr.type), &s->sums));
    for (f->levels = 0; f->levels == 0 || count > 64; f->levels++) {
        count = count / 64 + (count % 64 > 0);
        f->words[f->levels] = count;
        SPL__TRY(SPL__NEW_ZERO(&plan->account, &s->bits[f->levels], count));
    }
    return SPL_OK;
}

/* One of them must fit, others as many as do. */
static spl_status make_all_sums(spl_plan *plan, spl__frontier *f)
{
    const spl__problem *p = &plan->problem;
    const int64_t wanted = spl__min_i64(p->threads, p->cols);
    spl_status status = SPL_OK;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &f->sums, wanted));
    while (status == SPL_OK && f->sum_count < wanted) {
        status = make_sums(plan, f, &f->sums[f->sum_count]);
        if (status == SPL_OK)
            f->sum_count++;
        else
            free_sums(&f->sums[f->sum_count]);
    }
    return status == SPL_OVER_BUDGET && f->sum_count > 0 ? SPL_OK : status;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Bands with about as many entries each, by a sample. */
static spl_status make_bands(spl_plan *plan, spl__frontier *f)
{
    const spl__problem *p = &plan->problem;
    const spl_sparse *csr = &p->a.csr;
    int64_t *sample;
    f->bands = p->threads * SPL__FRONTIER_BANDS;
    const int64_t count = spl__min_i64((int64_t)SAMPLES * f->bands, csr->nnz);
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &f->cuts, f->bands + 1));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &f->counts, f->bands + 1));
    SPL__TRY(SPL__NEW(&plan->account, &sample, count));
    for (int64_t k = 0; k < count; k++)
        sample[k] = spl__entry_index(csr, (int64_t)((double)k * (double)csr->nnz / (double)count));
    if (count > 0)
        qsort(sample, (size_t)count, sizeof *sample, by_number);
    for (int32_t b = 1; b < f->bands && count > 0; b++)
        f->cuts[b] = sample[count * b / f->bands] / 64 * 64;
    f->cuts[f->bands] = p->rows;
    spl__free(sample);
    return SPL_OK;
}

static void forget_rows(spl_plan *plan, spl__frontier *f)
{
    spl__operand_free(&plan->problem.queue, &f->rows);
    spl__free(f->given);
    spl__free(f->given_bits);
    f->rows = (spl__operand){0};
    f->given = f->given_bits = NULL;
    f->pulls = false;
}

/* op(A) by rows, and room for x. */
static spl_status make_rows(spl_plan *plan, spl__frontier *f)
{
    const spl__problem *p = &plan->problem;
    const spl_sparse *a = &p->a.csr;
    f->rows.name = "A";
    SPL__TRY(spl__alloc(&plan->account, p->inner, spl__type_size(a->type), &f->given));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &f->given_bits, p->inner / 64 + 1));
    SPL__TRY(spl__operand_prepare(&plan->account, p->threads, &p->a.source,
                                  spl__transposes(p->options.op_a), a->offset_type, a->index_type,
                                  &f->rows));
    f->rows_ascend = spl__frontier_ascends(&f->rows.csr);
    f->pulls = true;
    return SPL_OK;
}

static spl_status plan_frontier(spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    spl__frontier *f;
    SPL__TRY(spl__frontier_check(plan));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &f, 1));
    plan->state = f;
    SPL__TRY(make_all_sums(plan, f));
    SPL__TRY(make_bands(plan, f));
    f->ascends = spl__frontier_ascends(&p->a.csr);
    if (spl__problem_is_single(p))
        return SPL_OK;
    spl_status status = make_rows(plan, f);
    if (status != SPL_OK)
        forget_rows(plan, f);
    return status == SPL_OVER_BUDGET ? SPL_OK : status;
}

static void destroy_frontier(spl_plan *plan)
{
    spl__frontier *f = spl__frontier_of(plan);
    if (!f)
        return;
    forget_rows(plan, f);
    for (int32_t k = 0; k < f->sum_count; k++)
        free_sums(&f->sums[k]);
    spl__free(f->sums);
    spl__free(f->cuts);
    spl__free(f->counts);
    spl__free(f);
    plan->state = NULL;
}

static spl_status update_frontier(spl_plan *plan, const spl_sparse *const operands[3])
{
    spl__frontier *f = spl__frontier_of(plan);
    SPL__TRY(spl__plan_update(plan, operands));
    if (!f->pulls || !operands[0])
        return SPL_OK;
    return spl__operand_update(spl__account_watch(&plan->account), &plan->problem.queue, &f->rows,
                               operands[0]);
}

/* ---- execute ---- */

spl__frontier_way spl__frontier_choose(const spl__frontier_call *c)
{
    const spl__frontier *f = c->f;
    const bool at_first =
        c->problem->options.semiring == SPL_MIN_SECOND && !c->x.values && f->rows_ascend;
    const int64_t part = c->problem->a.csr.nnz / (at_first ? HEAVY_AT_FIRST : HEAVY);
    if (f->pulls && c->work > part && c->work > c->problem->rows / 64)
        return SPL__FRONTIER_PULLED;
    return f->ascends && c->work > spl__frontier_few ? SPL__FRONTIER_BANDED : SPL__FRONTIER_LIGHT;
}

spl_status spl__frontier_multiply(spl__frontier_call *c)
{
    c->way = spl__frontier_choose(c);
    SPL__TRY(spl__frontier_compute(c));
    c->f->taken[c->way]++;
    return SPL_OK;
}

static spl_status compute(spl_plan *plan, spl__call *call)
{
    spl__frontier_call *c = call->frontier;
    spl__watch watch;
    c->problem = &plan->problem;
    c->f = spl__frontier_of(plan);
    c->sums = c->f->sums;
    c->mask = call->rows;
    SPL__TRY(c->x.offsets ? spl__frontier_check_vectors(c) : spl__frontier_measure(c));
    c->watch = spl__watch_begin(&watch, plan->problem.context, "frontier", 0);
    SPL__TRY(c->x.offsets ? spl__frontier_multiply_vectors(c) : spl__frontier_multiply(c));
    spl__environment_check_refusals(plan->problem.context);
    atomic_fetch_add(&plan->executions, 1);
    return SPL_OK;
}

static spl_status execute_frontier(spl_plan *plan, spl__call *call, const spl_stream *stream)
{
    SPL__TRY(spl__plan_enter(plan, stream));
    spl_status status = compute(plan, call);
    spl__plan_leave(plan);
    return status;
}

/* ---- explanation ---- */

static void explain_frontier(const spl_plan *plan, spl__text *text)
{
    const spl__frontier *f = spl__frontier_of(plan);
    spl__plan_explain(plan, text);
    spl__text_add(text, "x of few products: pushed into sums; a tree of bits, %d high, orders y\n",
                  f->levels);
    if (f->ascends)
        spl__text_add(text, "  of more than %s: into %d bands of rows, shared by threads\n",
                      spl__thousands(spl__frontier_few), (int)f->bands);
    else
        spl__text_add(text, "  of many: by one thread, since columns of op(A) do not ascend\n");
    if (f->pulls)
        spl__text_add(text, "  of more than 1/%d of A's entries: pulled by rows of op(A)\n", HEAVY);
    else
        spl__text_add(text, "  never pulled by rows of op(A): %s\n",
                      spl__problem_is_single(&plan->problem)
                          ? "a single execution does not pay for them"
                          : "the budget has no room for them");
    if (plan->problem.cols > 1)
        spl__text_add(text, "several x of few products: shared out among %d threads\n",
                      (int)f->sum_count);
    spl__text_add(text, "executed so: %s", spl__thousands(f->taken[SPL__FRONTIER_LIGHT]));
    spl__text_add(text, " few, %s", spl__thousands(f->taken[SPL__FRONTIER_BANDED]));
    spl__text_add(text, " many, %s pulled\n", spl__thousands(f->taken[SPL__FRONTIER_PULLED]));
}

/* The sums. */
static double least_bytes(const spl__problem *p, double *device)
{
    *device = 0;
    return (double)sizeof(spl__frontier) + (double)p->rows * sizeof(float);
}

const spl__traits spl__frontier_traits = {.name = "frontier",
                                          .formula = "y = op(A)*x, x and y sparse",
                                          .frontier = true,
                                          .look_at_a = SPL__LOOK_NO_FURTHER,
                                          .look_at_others = SPL__LOOK_NO_FURTHER,
                                          .least_bytes = least_bytes};

const spl__operation spl__frontier_cpu = {.plan = plan_frontier,
                                          .update = update_frontier,
                                          .wait = spl__plan_wait,
                                          .explain = explain_frontier,
                                          .count = spl__plan_count,
                                          .inner = spl__plan_itself,
                                          .destroy = destroy_frontier,
                                          .execute = execute_frontier};
