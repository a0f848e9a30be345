/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* One-shot SpMV: see spmv_once.h. Not a method, since there is no plan to choose it: the structure
 * is looked at part by part, while it is multiplied.
 *
 * The indices of a part of lines, some ten thousand entries, are compared with the bound, then
 * multiplied while they are in the nearest cache. Results go to an array of their own until all
 * indices are known to be good. Where that array costs more than reading the indices twice, which
 * is where lines are many and short, where memory has a budget, and where the matrix is small, all
 * indices are checked before.
 * Lines that are columns of op(A) are added to y one after the other, by one thread, once all are
 * checked.
 *
 * Cost: nnz*(value+index) + rows*(offset+y) bytes streamed, x gathered; y once more, or the indices
 * once more. */
#include "core/checked.h"
#include "core/context.h"
#include "core/lanes.h"
#include "core/threads/parallel.h"
#include "core/threads/team_seconds.h"
#include "core/variant.h"
#include "core/watch.h"
#include "machine/machine.h"
#include "matrix/merge_path.h"
#include "matrix/view.h"
#include "plan/sweep.h"
#include "spmv/spmv_once.h"

#include <stdatomic.h>
#include <string.h>

/* What all parts share. */
typedef struct product {
    spl_sparse lines; /* as CSR, also where they are columns of op(A) */
    const spl__call *call;
    spl__watch *watch; /* NULL: nobody asks how far it is */
    int64_t parts;
    bool gather, checked; /* `checked`: indices have been */
    atomic_bool wrong;
} product;

typedef void (*kernel_fn)(product *o, int64_t part);

#define SELF "spmv/cpu/spmv_once_cpu.c"
#include "core/each_type.h"

SPL__KERNELS(spmv_once, kernel_fn, multiply_part, SPL__V3)

#ifndef SPL__VARIANT

/* Lines + entries of a part; entries, times threads that a plan would use, which one thread
 * scatters. Two threads and a plan, 0.8 and 4.8 million entries: 1.5 ms for 1.0, and 6.5 for the
 * 7.2 of SciPy's loop. */
enum { PART_WORK = 8192, MOST_PARTS = 4096, MOST_SCATTERED = 1 << 22 };

bool spl__spmv_once_serves(const spl__once *once)
{
    const int64_t threads = spl__threads(once->context, once->threads);
    return once->gather || (once->a.nnz <= MOST_SCATTERED / threads && spl__once_scatters(once));
}

/* Whether indices should be read twice: see above. */
static bool is_checked_before(const spl__once *once)
{
    return !once->gather ||
           (double)once->a.nnz < spl__machine_cpu.once_line * (double)once->lines ||
           once->budget > 0 || spl__account_room(&once->context->account) < SIZE_MAX;
}

/* 1 where waking others costs more than they save. */
static int threads_of(const spl__once *once)
{
    const spl__machine *m = &spl__machine_cpu;
    return spl__threads_worth((double)once->a.nnz * m->spmv_vector_entry +
                                  (double)once->lines * m->spmv_vector_row,
                              spl__threads(once->context, once->threads));
}

static void multiply(product *o, int threads)
{
    const kernel_fn part =
        kernel(spl__combination(o->lines.type, o->lines.offset_type, o->lines.index_type));
    spl__watch_stage(o->watch, "multiply", o->parts);
    const spl__sweep forwards = {.threads = threads};
    SPL__SWEEP_PARTS(r, o->parts, forwards, if (spl__watch_goes_on(o->watch)) part(o, r));
}

/* By way of an array like y. */
static spl_status multiply_into(const spl__once *once, product *o, int threads)
{
    const size_t size = spl__type_size(once->a.type), bytes = (size_t)once->rows * size;
    spl__call call = once->call;
    SPL__TRY(spl__alloc(&once->context->account, once->rows, size, &call.y));
    if (spl__scalar(call.beta, once->a.type, 0) != 0)
        spl__copy_bytes(threads, call.y, once->call.y, bytes);
    o->call = &call;
    multiply(o, threads);
    spl_status status = spl__watch_check(o->watch);
    if (status == SPL_OK && atomic_load(&o->wrong))
        status = spl__view_check(o->watch, threads, &once->a, "A");
    else if (status == SPL_OK)
        spl__copy_bytes(threads, once->call.y, call.y, bytes);
    spl__free(call.y);
    return status;
}

spl_status spl__spmv_once(const spl__once *once)
{
    product o = {.lines = once->a, .call = &once->call, .parts = 1, .gather = once->gather};
    o.lines.rows = once->lines;
    o.lines.cols = once->across;
    if (spl__once_is_small(once, 1)) {
        SPL__TRY(spl__once_check(once));
        o.checked = true;
        multiply(&o, 1);
        return SPL_OK;
    }
    spl__watch watch;
    const int threads = threads_of(once);
    o.watch = spl__watch_begin(&watch, once->context, "multiply", 0);
    if (once->gather)
        o.parts =
            spl__max_i64(1, spl__min_i64(MOST_PARTS, (once->lines + once->a.nnz) / PART_WORK));
    o.checked = is_checked_before(once);
    SPL__TRY(o.checked ? spl__view_check(o.watch, threads, &once->a, "A")
                       : spl__view_check_offsets(threads, &once->a, "A"));
    if (!o.checked)
        return multiply_into(once, &o, threads);
    multiply(&o, threads);
    return spl__watch_check(o.watch);
}

#endif
#else

#include "spmv/cpu/beta_only.h"
#include "spmv/cpu/dot.h"

/* Whether lines are short and mostly as long as the one before: then the ends of a plain loop are
 * predicted. */
static bool FN(is_even)(const P *offsets, int64_t first, int64_t last)
{
    enum { SAMPLE = 64, SHORT_ROW = 7, FEW = 8 };
    int64_t end = spl__min_i64(last, first + SAMPLE), changes = 0;
    for (int64_t i = first + 1; i < end; i++)
        changes += offsets[i + 1] - offsets[i] != offsets[i] - offsets[i - 1];
    return changes * FEW <= end - first &&
           offsets[last] - offsets[first] < (last - first) * SHORT_ROW;
}

static void FN(multiply_plainly)(const spl_sparse *a, const spl__call *call, int64_t first,
                                 int64_t last)
{
    const P *offsets = a->offsets;
    const I *columns = a->indices;
    const T *restrict values = a->values, *restrict x = call->x;
    const T alpha = *(const T *)call->alpha, beta = *(const T *)call->beta;
    T *restrict y = call->y;
    for (int64_t i = first; i < last; i++) {
        T sum = 0;
        for (P p = offsets[i]; p < offsets[i + 1]; p++)
            sum += values[p] * x[columns[p]];
        y[i] = alpha * sum + FN(scaled)(beta, &y[i]);
    }
}

static void FN(multiply_in_groups)(const spl_sparse *a, const spl__call *call, int64_t first,
                                   int64_t last)
{
    const P *offsets = a->offsets, all = (P)a->nnz;
    const I *columns = a->indices;
    const T *values = a->values, *x = call->x;
    const T alpha = *(const T *)call->alpha, beta = *(const T *)call->beta;
    T *restrict y = call->y;
    P p = offsets[first];
    for (int64_t i = first; i < last; i++) {
        P end = offsets[i + 1];
        y[i] = alpha * FN(dot)(values, columns, x, p, end, all, false) + FN(scaled)(beta, &y[i]);
        p = end;
    }
}

/* y += alpha*op(A)*x after y = beta*y. alpha is 1 or -1. */
static void FN(scatter)(const product *o)
{
    const P *offsets = o->lines.offsets;
    const I *rows = o->lines.indices;
    const T *restrict values = o->lines.values, *restrict x = o->call->x;
    const T alpha = *(const T *)o->call->alpha, beta = *(const T *)o->call->beta;
    T *restrict y = o->call->y;
    for (int64_t i = 0; i < o->lines.cols; i++)
        y[i] = FN(scaled)(beta, &y[i]);
    for (int64_t j = 0; j < o->lines.rows; j++) {
        const T factor = alpha * x[j];
        for (P p = offsets[j]; p < offsets[j + 1]; p++)
            y[rows[p]] += values[p] * factor;
    }
}

static void FN(multiply_part)(product *o, int64_t part)
{
    const spl_sparse *a = &o->lines;
    const P *offsets = a->offsets;
    int64_t first = 0, last = a->rows, entry;
    if (!o->gather) {
        FN(scatter)(o);
        return;
    }
    if (o->parts > 1) {
        spl__merge_path(a, part, o->parts, &first, &entry);
        spl__merge_path(a, part + 1, o->parts, &last, &entry);
    }
    if (first == last)
        return;
    if (!o->checked) { /* a group looks up to three entries ahead */
        int64_t begin = offsets[first], end = spl__min_i64(a->nnz, (int64_t)offsets[last] + 3);
        if (!spl__indices_within(a->indices, a->index_type, begin, end - begin, a->cols)) {
            atomic_store(&o->wrong, true);
            return;
        }
    }
    if (FN(is_even)(offsets, first, last))
        FN(multiply_plainly)(a, o->call, first, last);
    else
        FN(multiply_in_groups)(a, o->call, first, last);
}

#endif
