/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* One-shot SpMV: see once.h. Not a method, since there is no plan to choose it: the structure is
 * looked at part by part, while it is multiplied.
 *
 * The columns of a part of rows, some ten thousand entries, are compared with the bound, then
 * multiplied while they are in the nearest cache. Results go to an array of their own until all
 * columns are known to be good. Where that array costs more than reading the columns twice, which
 * is where rows are many and short, all columns are checked before.
 *
 * Cost: nnz*(value+index) + rows*(offset+y) bytes streamed, x gathered; y once more, or the columns
 * once more. */
#include "core/checked.h"
#include "core/lanes.h"
#include "core/parallel.h"
#include "core/team.h"
#include "core/variant.h"
#include "matrix/merge_path.h"
#include "matrix/view.h"
#include "plan/machine.h"
#include "spmv/once.h"

#include <stdatomic.h>
#include <string.h>

/* What all parts share. */
typedef struct once {
    const spl_sparse *a;
    const spl__call *call;
    int64_t parts;
    bool checked; /* columns have been */
    atomic_bool wrong;
} once;

#define SELF "spmv/cpu/spmv_once_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(once *o, int64_t part);
SPL__KERNELS(spmv_once, kernel_fn, multiply_part, SPL__V3)

#ifndef SPL__VARIANT

/* Rows whose results fit the stack; entries a row from which new memory for results costs less
 * than reading columns twice; rows + entries of a part. */
enum { FEW_ROWS = 512, LONG_ROW = 12, PART_WORK = 8192, MOST_PARTS = 4096 };

bool spl__spmv_once_serves(const spl_context *context, const spl_options *o, const spl_sparse *a)
{
    return a->format == SPL_CSR && a->place.kind == SPL_HOST && a->type >= SPL_F32 &&
           a->type <= SPL_F64 &&
           spl__index_size(a->offset_type) >= spl__index_size(a->index_type) && a->rows > 0 &&
           a->nnz > 0 && !o->op_a && !o->method && o->policy == SPL_POLICY_COST && !o->processors &&
           !o->memory_budget && !o->check_inputs && !o->distributed &&
           o->scalar_place.kind == SPL_HOST && !context->progress && !context->device_count &&
           spl__account_room(&context->account) == SIZE_MAX;
}

/* 1 where waking others costs more than they save. */
static int threads_of(const spl_sparse *a, int threads)
{
    const spl__machine *m = &spl__machine_cpu;
    double seconds = (double)a->nnz * m->spmv_vector_entry + (double)a->rows * m->spmv_vector_row;
    return seconds <= seconds / threads + m->parallel_start ? 1 : threads;
}

static spl_status multiply(once *o, int threads)
{
    const kernel_fn part =
        kernel(spl__combination(o->a->type, o->a->offset_type, o->a->index_type));
    SPL__FOR_PARTS(r, o->parts, threads, part(o, r));
    return atomic_load(&o->wrong) ? spl__view_check(NULL, threads, o->a, "A") : SPL_OK;
}

/* By way of `results`, an array like y. */
static spl_status multiply_into(once *o, void *results, int threads)
{
    const spl__call *given = o->call;
    const size_t bytes = (size_t)o->a->rows * spl__type_size(o->a->type);
    spl__call call = *given;
    call.y = results;
    if (spl__scalar(call.beta, o->a->type, 0) != 0)
        spl__copy_bytes(threads, results, given->y, bytes);
    o->call = &call;
    SPL__TRY(multiply(o, threads));
    spl__copy_bytes(threads, given->y, results, bytes);
    return SPL_OK;
}

spl_status spl__spmv_once(spl_context *context, const spl_options *options, const spl_sparse *a,
                          const spl__call *call)
{
    const int threads = threads_of(a, options->threads);
    double few[FEW_ROWS];
    once o = {.a = a, .call = call};
    o.parts = spl__max_i64(1, spl__min_i64(MOST_PARTS, (a->rows + a->nnz) / PART_WORK));
    SPL__TRY(spl__view_check_offsets(threads, a, "A"));
    if (a->rows <= FEW_ROWS)
        return multiply_into(&o, few, threads);
    if (a->nnz / a->rows < LONG_ROW) {
        SPL__TRY(spl__view_check(NULL, threads, a, "A"));
        o.checked = true;
        return multiply(&o, threads);
    }
    void *results;
    SPL__TRY(spl__alloc(&context->account, a->rows, spl__type_size(a->type), &results));
    spl_status status = multiply_into(&o, results, threads);
    spl__free(results);
    return status;
}

#endif
#else

#include "spmv/cpu/beta_only.h"
#include "spmv/cpu/dot.h"

/* Whether 0 <= columns[k] <= last for all k < count. */
static bool FN(columns_fit)(const I *columns, int64_t count, I last)
{
    enum { LANES = 8 };
    typedef I numbers __attribute__((vector_size(LANES * sizeof(I))));
    numbers wrong = {0}, some;
    I any = 0;
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES) {
        memcpy(&some, columns + k, sizeof some);
        wrong |= (some < 0) | (some > last);
    }
    for (int l = 0; l < LANES; l++)
        any |= wrong[l];
    for (; k < count; k++)
        any |= columns[k] < 0 || columns[k] > last;
    return !any;
}

/* Whether rows are short and mostly as long as the row before: then the ends of a plain loop are
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

static void FN(multiply_part)(once *o, int64_t part)
{
    const spl_sparse *a = o->a;
    const P *offsets = a->offsets;
    int64_t first, last, entry;
    spl__merge_path(a, part, o->parts, &first, &entry);
    spl__merge_path(a, part + 1, o->parts, &last, &entry);
    if (first == last)
        return;
    if (!o->checked) { /* a group looks up to three entries ahead */
        int64_t begin = offsets[first], end = spl__min_i64(a->nnz, (int64_t)offsets[last] + 3);
        I bound = (I)spl__min_i64(a->cols - 1, spl__index_max(a->index_type));
        if (!FN(columns_fit)((const I *)a->indices + begin, end - begin, bound)) {
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
