/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmv/compute/cpu/csr_balanced: y = alpha*A*x + beta*y on CSR, divided into chunks of equal work.
 *
 * Work is rows + entries, so that neither one long row nor millions of empty ones burden a single
 * thread: chunk c is between two diagonals of the merge of row ends with entries. A row belongs to
 * the chunk in which it ends; partial sums of earlier chunks are carried and added afterwards, in
 * the order of chunks. The chunks depend on the structure alone, therefore the result is
 * bit-identical for any number of threads.
 *
 * Cost: nnz*(value+index) + rows*(offset+y) bytes streamed, x gathered. Memory: 2 integers and one
 * value per chunk. Source: D. Merrill, M. Garland, Merge-based parallel sparse matrix-vector
 * multiplication, SC'16. Differs: chunks are of fixed work, not one per thread; a chunk whose rows
 * are complete carries nothing. */
#include "core/checked.h"
#include "core/lanes.h"
#include "core/variant.h"
#include "spmv/row_steps.h"

#include <string.h>

typedef struct chunks {
    int64_t count;
    int64_t *row, *entry; /* begins of chunks: count + 1 of each */
    void *carry;          /* count values: the partial sum of chunk c for row[c+1] */
} chunks;

#define SELF "spmv/cpu/spmv_csr_balanced_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const chunks *k, spl__sweep sweep, const spl_sparse *a,
                          const spl__call *call);
SPL__KERNELS(spmv_csr_balanced, kernel_fn, multiply, SPL__V4)

#ifndef SPL__VARIANT

enum { CHUNK_WORK = 8192, MOST_CHUNKS = 4096 };

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    spl__spmv_work work = {.bytes = spl__spmv_csr_bytes(task)};
    work.other_bytes =
        spl__min_i64(MOST_CHUNKS, 1 + (int64_t)((f->nnz_a + f->rows) / CHUNK_WORK)) * 24.0;
    double row =
        m->spmv_balanced_row + m->spmv_grouped_mispredicted * spl__spmv_misprediction(task);
    work.seconds = f->nnz_a * m->spmv_balanced_entry + f->rows * row;
    spl__spmv_predict(task, &work, e);
}

static spl_status prepare(spl__step *step)
{
    spl__account *account = &step->task.plan->account;
    const spl_sparse *a = &step->task.plan->problem.a.csr;
    chunks *k;
    SPL__TRY(SPL__NEW_ZERO(account, &k, 1));
    step->state = k;
    k->count = spl__max_i64(1, spl__min_i64(MOST_CHUNKS, (a->rows + a->nnz) / CHUNK_WORK));
    SPL__TRY(SPL__NEW(account, &k->row, k->count + 1));
    SPL__TRY(SPL__NEW(account, &k->entry, k->count + 1));
    SPL__TRY(spl__alloc(account, k->count, spl__type_size(a->type), &k->carry));
    for (int64_t c = 0; c <= k->count; c++)
        spl__merge_path(a, c, k->count, &k->row[c], &k->entry[c]);
    return SPL_OK;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    kernel(p->combination)(step->state, spl__step_sweep(step), &p->a.csr, call);
    return SPL_OK;
}

static void explain(const spl__step *step, spl__text *text)
{
    const chunks *k = step->state;
    spl__text_add(
        text, "  chunks %s of about %s rows and entries each\n", spl__thousands(k->count),
        spl__thousands(k->count ? (k->row[k->count] + k->entry[k->count]) / k->count : 0));
}

static void destroy(spl__step *step)
{
    chunks *k = step->state;
    if (!k)
        return;
    spl__free(k->row);
    spl__free(k->entry);
    spl__free(k->carry);
    spl__free(k);
}

const spl__method spl__spmv_compute_cpu_csr_balanced = {
    .summary = "CSR, chunks of equal rows + entries",
    .source = "D. Merrill, M. Garland, SC'16",
    .revision = 3,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};

#endif
#else

#include "spmv/cpu/beta_only.h"
#include "spmv/cpu/dot.h"

/* `far` is a compile-time constant in both callers. */
static SPL__INLINED void FN(multiply_each)(const chunks *k, int64_t c, const spl_sparse *a,
                                           const spl__call *call, const bool far)
{
    const P *offsets = a->offsets;
    const I *columns = a->indices;
    const T *values = a->values, *x = call->x;
    T alpha = *(const T *)call->alpha, beta = *(const T *)call->beta, *y = call->y;
    P p = (P)k->entry[c], all = (P)a->nnz;
    for (int64_t i = k->row[c]; i < k->row[c + 1]; i++) {
        y[i] = alpha * FN(dot)(values, columns, x, p, offsets[i + 1], all, far) +
               FN(scaled)(beta, &y[i]);
        p = offsets[i + 1];
    }
    ((T *)k->carry)[c] = FN(dot)(values, columns, x, p, (P)k->entry[c + 1], all, far);
}

static SPL__APART void FN(multiply_chunk)(const chunks *k, int64_t c, const spl_sparse *a,
                                          const spl__call *call)
{
    if (FN(is_far)(a))
        FN(multiply_each)(k, c, a, call, true);
    else
        FN(multiply_each)(k, c, a, call, false);
}

/* Adds the partial sums of rows that end in later chunks. */
static void FN(add_carries)(const chunks *k, const spl_sparse *a, const spl__call *call)
{
    const P *offsets = a->offsets;
    T alpha = *(const T *)call->alpha, *y = call->y;
    for (int64_t c = 0; c < k->count; c++) {
        int64_t row = k->row[c + 1];
        if (row < a->rows && k->entry[c + 1] > offsets[row])
            y[row] += alpha * ((const T *)k->carry)[c];
    }
}

static void FN(multiply)(const chunks *k, spl__sweep sweep, const spl_sparse *a,
                         const spl__call *call)
{
    if (FN(beta_only)(call, a->rows, sweep.threads))
        return;
    SPL__SWEEP_PARTS(c, k->count, sweep,
                     if (spl__watch_goes_on(call->watch)) FN(multiply_chunk)(k, c, a, call));
    FN(add_carries)(k, a, call);
}

#endif
