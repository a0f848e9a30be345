/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/numeric/cpu/dots: each value of C as the product of a row of A and a column of B, over any
 * semiring.
 *
 * Columns of B are rows of B', which is made, or borrowed where the caller has it. The positions of
 * a row of A are written into an array, where entries of these look theirs up, if they are more.
 * Else two rows are merged; where one is far longer than the other, the entries of the short one
 * are searched in it. Products are added in the order of the inner index.
 *
 * Cost: at most the steps of merges and searches (spl__dot_steps). Memory: B', and its values in
 * order; per thread an index per row of B.
 * Source: A. Azad, A. Buluc, J. Gilbert, Parallel triangle counting and enumeration using matrix
 * algebra, IPDPS workshops 2015; J. Bentley, A. Yao, An almost optimal algorithm for unbounded
 * searching, Inf. Process. Lett. 5(3), 1976. Differs: merge or search, by the lengths. */
#include "core/combination.h"
#include "spgemm/dots.h"
#include "spgemm/product.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* n->shared: B' and its values. */
typedef struct factor {
    spl__arrangement rows;
    const void *values; /* in the order of `rows`; NULL: the semiring does not use them */
    void *copy;         /* of values; NULL: they are read in place */
    bool own;           /* B' is of the caller's view of B */
} factor;

#define SELF "spgemm/cpu/numeric_dots_cpu.c"
#include "core/each_type.h"

typedef spl_status (*compute_fn)(spl__step *step, const spl__call *call);
static const compute_fn compute_kernels[SPL__COMBINATIONS] = SPL__TABLE_IN_INTEGERS(compute);

static const char *applicable(const spl__task *task)
{
    const spl__problem *p = &task->plan->problem;
    const spl__product *c = spl__product_of(task->plan);
    if (!spl__mask_lists(&p->mask))
        return p->mask.given ? "the mask is a complement" : "there is no mask";
    if (p->has_d)
        return "D is added by rows";
    if (!c->ascending)
        return "a row of A or B is not in order, or repeats a column";
    return c->known ? NULL : "the columns of C are not known";
}

static size_t workspace_bytes(const spl__problem *p)
{
    return (size_t)p->inner * spl__index_size(p->a.csr.index_type);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__product *c = spl__product_of(plan);
    const spl__machine *m = plan->machine;
    const spl_sparse *b = &plan->problem.b.csr;
    double positions = task->rows.nnz_c,
           steps = c->mask_positions > 0 ? c->dot_steps * positions / c->mask_positions : 0;
    double entry = (double)spl__index_size(b->index_type) + (double)spl__type_size(b->type);
    e->seconds = (steps * m->dot_step + positions * m->dot_position) *
                 spl__largest_share(plan, task->rows.products, task->rows.longest_products);
    spl__estimate_scratch((double)workspace_bytes(&plan->problem), INFINITY, e);
    spl__numeric_add_rows(task, e);
    e->setup = spl__dots_have_rows(&plan->problem) ? 0 : (double)b->nnz * m->dot_transpose;
    e->bytes = (double)b->nnz * entry + plan->features.cols * (double)sizeof(int64_t);
    if (spl__problem_is_single(&plan->problem)) {
        e->seconds += e->setup;
        e->setup = 0;
    }
}

/* B' and the memory for its values in order. */
static spl_status arrange(spl_plan *plan, factor *f)
{
    const spl__problem *p = &plan->problem;
    f->own = spl__dots_have_rows(p);
    SPL__TRY(spl__dots_rows(plan, &f->rows));
    if (f->rows.from && spl__semiring_reads_b(p->options.semiring))
        return spl__alloc(&plan->account, p->b.csr.nnz, spl__type_size(p->b.csr.type), &f->copy);
    return SPL_OK;
}

static void update(spl__step *step)
{
    const spl__problem *p = &step->task.plan->problem;
    const spl__numeric *n = step->state;
    factor *f = n->shared;
    const void *values = f->own ? p->b.source.values : p->b.csr.values;
    if (f->own && !f->rows.offsets) /* the caller's arrays may have moved */
        f->rows.csr.offsets = p->b.source.offsets;
    if (f->own && !f->rows.indices)
        f->rows.csr.indices = p->b.source.indices;
    f->values = f->copy ? f->copy : values;
    if (f->copy)
        spl__gather(NULL, f->copy, p->b.csr.type, values, p->b.csr.type, f->rows.from,
                    p->b.csr.nnz);
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    const size_t workspace = workspace_bytes(&plan->problem);
    SPL__TRY(spl__numeric_prepare(step, workspace, false));
    spl__numeric *n = step->state;
    for (int t = 0; t < n->threads; t++)
        if (n->workspaces[t])
            memset(n->workspaces[t], 0, workspace);
    SPL__TRY(SPL__NEW_ZERO(&plan->account, (factor **)&n->shared, 1));
    return arrange(plan, n->shared);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    return compute_kernels[step->task.plan->problem.combination](step, call);
}

static void destroy(spl__step *step)
{
    spl__numeric *n = step->state;
    factor *f = n ? n->shared : NULL;
    if (f) {
        spl__arrange_free(&f->rows);
        spl__free(f->copy);
        spl__free(f);
    }
    spl__numeric_destroy(step);
}

const spl__method spl__spgemm_numeric_cpu_dots = {
    .summary = "positions of C as products of a row of A and a column of B",
    .source = "A. Azad, A. Buluc, J. Gilbert, IPDPSW 2015",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__PAYS_ONCE | SPL__MASKS | SPL__ALGEBRA | SPL__INTEGERS,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .update = update,
    .execute = execute,
    .destroy = destroy,
};

#else
#define IN_INTEGERS

#include "spgemm/cpu/rows/gallop.h"
#include "spgemm/cpu/rows/numeric_rows.h"

/* A row of A or of B'. */
typedef struct FN(vector) {
    const I *columns;
    const T *values;
    int64_t length;
} FN(vector);

static inline __attribute__((always_inline)) T FN(dot)(FN(vector) a, FN(vector) b, T alpha,
                                                       int32_t semiring)
{
    const bool reads_a = spl__semiring_reads_a(semiring), reads_b = spl__semiring_reads_b(semiring);
    const bool far_b = spl__is_far_longer(b.length, a.length),
               far_a = spl__is_far_longer(a.length, b.length);
    T sum = SPL__SEMIRING_NONE(T, semiring);
    for (int64_t p = 0, q = 0; p < a.length && q < b.length;) {
        const I left = a.columns[p], right = b.columns[q];
        if (left == right) {
            const T x = !reads_a                     ? 0
                        : semiring == SPL_PLUS_TIMES ? SPL__TIMES(alpha, a.values[p])
                                                     : a.values[p];
            const T y = reads_b ? b.values[q] : 0;
            SPL__SEMIRING_ADD(T, semiring, sum, x, y);
        }
        if (far_b && right < left) {
            q = FN(gallop)(b.columns, q + 1, b.length, left);
        } else if (far_a && left < right) {
            p = FN(gallop)(a.columns, p + 1, a.length, right);
        } else {
            p += left <= right;
            q += right <= left;
        }
    }
    return sum;
}

/* The same where the positions of a's columns, from 1 on, stand in an array. */
static inline __attribute__((always_inline)) T
FN(dot_placed)(const T *a, const I *positions, FN(vector) b, T alpha, int32_t semiring)
{
    const bool reads_a = spl__semiring_reads_a(semiring), reads_b = spl__semiring_reads_b(semiring);
    T sum = SPL__SEMIRING_NONE(T, semiring);
    for (int64_t q = 0; q < b.length; q++) {
        const I k = positions[b.columns[q]];
        if (k == 0)
            continue;
        const T x = !reads_a                     ? 0
                    : semiring == SPL_PLUS_TIMES ? SPL__TIMES(alpha, a[k - 1])
                                                 : a[k - 1];
        const T y = reads_b ? b.values[q] : 0;
        SPL__SEMIRING_ADD(T, semiring, sum, x, y);
    }
    return sum;
}

static void FN(place)(FN(vector) a, I *positions, bool there)
{
    for (int64_t p = 0; p < a.length; p++)
        positions[a.columns[p]] = there ? (I)(p + 1) : 0;
}

/* Whether columns of B at so many positions have more entries than a row of A. */
static bool FN(places_pay)(int64_t length, const I *columns, int64_t count, const P *b_offsets)
{
    int64_t entries = 0;
    for (int64_t k = 0; k < count && entries <= length; k++)
        entries += (int64_t)(b_offsets[columns[k] + 1] - b_offsets[columns[k]]);
    return count > 1 && entries > length;
}

static inline __attribute__((always_inline)) void FN(dot_row)(const FN(row) *row, int32_t semiring)
{
    const spl__problem *p = row->problem;
    const factor *f = row->shared;
    const P *a_offsets = p->a.csr.offsets, *b_offsets = f->rows.csr.offsets;
    const I *columns = FN(columns_of)(row), *b_columns = f->rows.csr.indices;
    const T *a_values = p->a.csr.values, *b_values = f->values;
    const bool reads_a = spl__semiring_reads_a(semiring), reads_b = spl__semiring_reads_b(semiring);
    const T alpha = *(const T *)row->call->alpha;
    T *values = FN(values_of)(row);
    const P begin = a_offsets[row->i];
    const FN(vector) a = {(const I *)p->a.csr.indices + begin, reads_a ? a_values + begin : NULL,
                          a_offsets[row->i + 1] - begin};
    const int64_t count = spl__row_length(row->product, row->i);
    I *positions = row->workspace;
    const bool placed = FN(places_pay)(a.length, columns, count, b_offsets);
    if (placed)
        FN(place)(a, positions, true);
    for (int64_t k = 0; k < count; k++) {
        const P first = b_offsets[columns[k]];
        const FN(vector) b = {b_columns + first, reads_b ? b_values + first : NULL,
                              b_offsets[columns[k] + 1] - first};
        values[k] = placed && !spl__is_far_longer(b.length, a.length)
                        ? FN(dot_placed)(a.values, positions, b, alpha, semiring)
                        : FN(dot)(a, b, alpha, semiring);
    }
    if (placed)
        FN(place)(a, positions, false);
}

static SPL__APART void FN(dot_other)(const FN(row) *row)
{
    SPL__FOR_SEMIRING(T, row->problem->options.semiring, FN(dot_row)(row, S));
}

/* Where alpha is 0 no values are read. */
static void FN(clear_row)(const FN(row) *row)
{
    T *values = FN(values_of)(row);
    for (int64_t k = 0, count = spl__row_length(row->product, row->i); k < count; k++)
        values[k] = 0;
}

static inline int64_t FN(compute_row)(const FN(row) *row)
{
    const int32_t semiring = row->problem->options.semiring;
    if (semiring == SPL_PLUS_TIMES && *(const T *)row->call->alpha == 0)
        FN(clear_row)(row);
    else if (semiring == SPL_PLUS_TIMES)
        FN(dot_row)(row, SPL_PLUS_TIMES);
    else
        FN(dot_other)(row);
    return 1;
}

#endif
