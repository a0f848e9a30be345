/* SPDX-License-Identifier: Apache-2.0 */
/* frontier_device.c: y = op(A)*x with sparse vectors on a device that holds A, x and y.
 *
 * All products are written as pairs of a key (vector, row) and a term, in the order of x, and
 * sorted by key; the sort is stable, so that the first product of a key adds the others in the
 * order in which the CPU adds them: the same bits. A thread has a product and finds its entry of x
 * by a search in the numbers of products before: hubs and short columns are the same to it.
 *
 * Cost: two waits, a few launches and a sort of as many bits as vectors and rows have: from some
 * thousands of products on that is less than a host takes; one vector of a hundred entries is not
 * worth it. Memory, in execute: 24 bytes a product and two terms.
 * Source: expansion, sorting, compression: S. Dalton, L. Olson, N. Bell, Optimizing sparse
 * matrix-matrix multiplication for the GPU, ACM Trans. Math. Softw. 41(4), 2015; sparse vectors:
 * C. Yang, Y. Wang, J. Owens, Fast sparse matrix and sparse vector multiplication algorithm on the
 * GPU, IPDPS workshops 2015. Differs: several vectors at once; any semiring, masks, `into`. */
#include "core/checked.h"
#include "core/environment.h"
#include "spmv/frontier/frontier.h"
#include "spmv/kernels/spmv_frontier.k.h"

typedef struct product {
    spl_plan *plan;
    spl__frontier_call *c;
    struct frontier_args args;
    spl__device_array begin, keys[2], terms[2], kept;
} product;

static spl__queue *queue_of(const product *p)
{
    return &p->plan->problem.queue;
}

/* ---- the plan ---- */

static spl_status plan_frontier(spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    SPL__TRY(spl__frontier_check(plan));
    if (p->staged)
        return spl__fail(SPL_UNSUPPORTED, "sparse vectors are multiplied on a device where A is "
                                          "there: a host's go to the CPU");
    return SPL_OK;
}

/* ---- execute ---- */

static spl_status launch(const product *p, const char *name, int64_t items)
{
    const spl_sparse *a = &p->plan->problem.a.csr;
    const spl__kernel *kernel;
    SPL__TRY(spl__queue_kernel(queue_of(p), name, a->type, a->offset_type, &kernel));
    return SPL__LAUNCH(queue_of(p), &p->args, kernel,
                       spl__blocks_for(queue_of(p), items, FRONTIER_THREADS), FRONTIER_THREADS);
}

static int bits_of(int64_t count)
{
    return count > 1 ? 64 - __builtin_clzll((unsigned long long)(count - 1)) : 0;
}

static spl_status read_arguments(product *p)
{
    static const spl_row_mask all;
    const spl__problem *problem = &p->plan->problem;
    const spl__frontier_call *c = p->c;
    const spl_row_mask *mask = c->mask ? c->mask : &all;
    const int64_t vectors = c->x.offsets ? c->x.vectors : 1;
    const int row_bits = bits_of(problem->rows);
    if (row_bits + bits_of(vectors + 1) > 63)
        return spl__fail(SPL_INDEX_OVERFLOW, "%s vectors of %s rows", spl__thousands(vectors),
                         spl__thousands(problem->rows));
    p->args = (struct frontier_args){.rows = problem->rows,
                                     .inner = problem->inner,
                                     .vectors = vectors,
                                     .count = c->x.count,
                                     .offsets = problem->a.csr.offsets,
                                     .index = problem->a.csr.indices,
                                     .values = problem->a.csr.values,
                                     .x_offsets = c->x.offsets,
                                     .x = c->x.indices,
                                     .x_values = c->x.values,
                                     .mask = {mask->bits, mask->bytes, mask->complement, 0},
                                     .into = c->into,
                                     .y = c->y.indices,
                                     .y_values = c->y.values,
                                     .y_offsets = c->y.offsets,
                                     .semiring = problem->options.semiring,
                                     .row_bits = row_bits,
                                     .wide = row_bits + bits_of(vectors) > 32};
    return SPL_OK;
}

static spl_status refuse(const product *p, uint64_t wrong)
{
    const int64_t entry = p->c->x.count - (int64_t)(wrong / 2);
    if (wrong == UINT64_MAX)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "x.offsets descend, or do not go from 0 to the %s entries",
                         spl__thousands(p->c->x.count));
    return spl__fail(SPL_INVALID_ARGUMENT, "x.indices[%lld]: %s", (long long)entry,
                     wrong % 2 ? "op(A) has no such column" : "indices do not ascend");
}

/* Checks x, and counts products. Waits. */
static spl_status measure(product *p)
{
    spl__queue *queue = queue_of(p);
    const int64_t count = p->c->x.count;
    int64_t found[2]; /* products, and what is wrong */
    SPL__TRY(spl__queue_alloc(queue, count + 2, sizeof(int64_t), &p->begin));
    p->args.begin = p->begin.data;
    p->args.wrong = (uint64_t *)p->begin.data + count + 1;
    SPL__TRY(spl__queue_fill(queue, p->args.wrong, 0, sizeof(uint64_t)));
    SPL__TRY(launch(p, "frontier_measure", spl__max_i64(count, p->args.vectors + 1)));
    SPL__TRY(spl__queue_offsets(queue, SPL_I64, p->begin.data, count, NULL));
    SPL__TRY(spl__queue_fetch(queue, found, p->args.begin + count, sizeof found));
    p->args.products = found[0];
    return found[1] ? refuse(p, (uint64_t)found[1]) : SPL_OK;
}

static spl_status allocate(product *p)
{
    spl__queue *queue = queue_of(p);
    const int64_t products = p->args.products;
    const size_t key = p->args.wide ? sizeof(uint64_t) : sizeof(uint32_t),
                 term = spl__type_size(p->plan->problem.a.csr.type);
    for (int k = 0; k < 2; k++) {
        SPL__TRY(spl__queue_alloc(queue, products, key, &p->keys[k]));
        SPL__TRY(spl__queue_alloc(queue, products, term, &p->terms[k]));
    }
    return spl__queue_alloc(queue, products + 1, sizeof(int64_t), &p->kept);
}

/* All products, those of a row next to each other. */
static spl_status expand(product *p)
{
    const int64_t products = p->args.products;
    const spl__sort_pairs pairs = {.count = products,
                                   .key_bytes = p->args.wide ? sizeof(uint64_t) : sizeof(uint32_t),
                                   .value_bytes =
                                       (int32_t)spl__type_size(p->plan->problem.a.csr.type),
                                   .bits = p->args.row_bits + bits_of(p->args.vectors),
                                   .keys = p->keys[0].data,
                                   .values = p->terms[0].data,
                                   .sorted_keys = p->keys[1].data,
                                   .sorted_values = p->terms[1].data};
    p->args.keys = p->keys[0].data;
    p->args.terms = p->terms[0].data;
    SPL__TRY(launch(p, "frontier_expand", products));
    if (pairs.bits == 0) /* one row of one vector */
        return SPL_OK;
    p->args.keys = p->keys[1].data;
    p->args.terms = p->terms[1].data;
    return spl__queue_sort(queue_of(p), &pairs);
}

/* Entries of y, which must have room for them, and its offsets. Waits. */
static spl_status compress(product *p)
{
    spl__queue *queue = queue_of(p);
    const int64_t products = p->args.products;
    int64_t total;
    p->args.kept = p->kept.data;
    SPL__TRY(launch(p, "frontier_sums", products));
    SPL__TRY(spl__queue_offsets(queue, SPL_I64, p->kept.data, products, NULL));
    SPL__TRY(spl__queue_fetch(queue, &total, p->args.kept + products, sizeof total));
    p->c->y.count = total;
    if (total > p->c->y.capacity)
        return spl__fail(SPL_INVALID_ARGUMENT, "y has room for %s entries, there are %s",
                         spl__thousands(p->c->y.capacity), spl__thousands(total));
    return launch(p, "frontier_write", spl__max_i64(products, p->args.vectors + 1));
}

static spl_status multiply(product *p)
{
    SPL__TRY(read_arguments(p));
    SPL__TRY(measure(p));
    p->c->y.count = 0;
    if (p->args.products == 0)
        return p->c->y.offsets ? spl__queue_fill(queue_of(p), p->c->y.offsets, 0,
                                                 (size_t)(p->args.vectors + 1) * sizeof(int64_t))
                               : SPL_OK;
    SPL__TRY(allocate(p));
    SPL__TRY(expand(p));
    return compress(p);
}

static spl_status execute_frontier(spl_plan *plan, spl__call *call, const spl_stream *stream)
{
    product p = {.plan = plan, .c = call->frontier};
    SPL__TRY(spl__plan_enter(plan, stream));
    p.c->mask = call->rows;
    spl_status status = multiply(&p);
    spl__device_array *const arrays[] = {&p.begin,    &p.keys[0],  &p.keys[1],
                                         &p.terms[0], &p.terms[1], &p.kept};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        spl__queue_free(queue_of(&p), arrays[k]);
    if (status == SPL_OK)
        status = spl__queue_wait(queue_of(&p)); /* y.count says that y is there */
    if (status == SPL_OK)
        atomic_fetch_add(&plan->executions, 1);
    spl__environment_check_refusals(plan->problem.context);
    spl__plan_leave(plan);
    return status;
}

static void explain_frontier(const spl_plan *plan, spl__text *text)
{
    spl__plan_explain(plan, text);
    spl__text_add(text, "products sorted by vector and row, and added in the order of x\n");
}

const spl__operation spl__frontier_gpu = {.plan = plan_frontier,
                                          .update = spl__plan_update,
                                          .wait = spl__plan_wait,
                                          .explain = explain_frontier,
                                          .count = spl__plan_count,
                                          .inner = spl__plan_itself,
                                          .execute = execute_frontier};
