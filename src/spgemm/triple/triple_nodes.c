/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* triple_nodes.c: the nodes of A and P, and P' in nodes: the blocks of each coarse node, and where
 * in P each begins.
 *
 * Cost: the columns of A and P once, less where neighbouring rows differ; P twice. Memory: two
 * indices a block of P. */
#include "spgemm/triple/triple_state.h"

#include "core/combination.h"
#include "structure/block_size.h"

#include <string.h>

typedef struct functions {
    void (*measure)(const spl__problem *p, spl__watch *watch, int64_t *fine, int64_t *coarse);
    void (*transpose)(const spl__problem *p, spl__watch *watch, spl__triple *t);
} functions;

#define SELF "spgemm/triple/triple_nodes.c"
#include "core/each_type.h"

static const functions *functions_of(const spl_plan *plan)
{
    static const functions *const table[] = SPL__TABLE(&functions);
    return table[spl__combination_of_structure(&plan->problem.a.csr)];
}

void spl__triple_measure(spl_plan *plan)
{
    spl__triple *t = spl__triple_of(plan);
    const spl__problem *p = &plan->problem;
    int64_t fine = spl__common_divisor(SPL__BLOCK_MULTIPLE, p->inner),
            coarse = spl__common_divisor(SPL__BLOCK_MULTIPLE, p->cols);
    functions_of(plan)->measure(p, spl__account_watch(&plan->account), &fine, &coarse);
    t->coarse = spl__largest_divisor(coarse, SPL__NODE_MOST);
    /* one lane alone gains nothing from nodes of A */
    t->fine = t->coarse > 1 ? spl__largest_divisor(fine, SPL__NODE_MOST) : 1;
    t->fine_nodes = p->inner / t->fine;
    t->coarse_nodes = p->cols / t->coarse;
}

spl_status spl__triple_transpose(spl_plan *plan)
{
    spl__triple *t = spl__triple_of(plan);
    const spl_sparse *b = &plan->problem.b.csr;
    spl__account *account = &plan->account;
    int64_t count = b->nnz / t->fine / t->coarse;
    SPL__TRY(SPL__NEW_ZERO(account, &t->starts, t->coarse_nodes + 1));
    SPL__TRY(spl__alloc(account, count, spl__index_size(b->index_type), &t->blocks_node));
    SPL__TRY(spl__alloc(account, count, spl__index_size(b->offset_type), &t->blocks_first));
    functions_of(plan)->transpose(&plan->problem, spl__account_watch(account), t);
    return spl__watch_check(spl__account_watch(account));
}

#else

/* ---- nodes ---- */

static bool FN(equals_previous)(const spl_sparse *m, int64_t i)
{
    const P *offsets = m->offsets;
    const I *columns = m->indices;
    P length = offsets[i + 1] - offsets[i];
    if (i == 0 || offsets[i] - offsets[i - 1] != length)
        return false;
    return length == 0 ||
           memcmp(columns + offsets[i - 1], columns + offsets[i], (size_t)length * sizeof(I)) == 0;
}

/* The greatest divisor of `size` by which runs of neighbouring columns begin and end. The order of
 * runs is free. */
static int64_t FN(cut_by_runs)(const spl_sparse *m, int64_t i, int64_t size)
{
    const I *columns = m->indices;
    const P begin = ((const P *)m->offsets)[i], end = ((const P *)m->offsets)[i + 1];
    for (P p = begin; p < end && size > 1; p++) {
        if (p == begin || columns[p] != columns[p - 1] + 1)
            size = spl__common_divisor(size, columns[p]);
        if (p + 1 == end || columns[p + 1] != columns[p] + 1)
            size = spl__common_divisor(size, columns[p] + 1);
    }
    return size;
}

/* Divides the sizes of groups of equal rows and of runs of columns until they fit the matrix. */
static void FN(fit)(const spl_sparse *m, spl__watch *watch, int64_t *rows, int64_t *cols)
{
    for (int64_t i = 0; i < m->rows && (*rows > 1 || *cols > 1) && spl__watch_goes_on_at(watch, i);
         i++)
        if (!FN(equals_previous)(m, i)) {
            *rows = spl__common_divisor(*rows, i);
            *cols = FN(cut_by_runs)(m, i, *cols);
        }
}

/* Where columns of P are single nothing is asked of A. */
static void FN(measure)(const spl__problem *p, spl__watch *watch, int64_t *fine, int64_t *coarse)
{
    int64_t runs = *fine;
    FN(fit)(&p->b.csr, watch, fine, coarse);
    if (*coarse > 1 && *fine > 1)
        FN(fit)(&p->a.csr, watch, fine, &runs);
    *fine = spl__common_divisor(*fine, runs);
}

/* ---- P' ---- */

/* Counts, begins, and fills, by which each begin becomes the next one's. */
static void FN(transpose)(const spl__problem *problem, spl__watch *watch, spl__triple *t)
{
    const spl_sparse *b = &problem->b.csr;
    const P *offsets = b->offsets;
    const I *columns = b->indices;
    const I coarse = (I)t->coarse;
    I *nodes = t->blocks_node;
    P *first = t->blocks_first;
    int64_t *starts = t->starts, sum = 0;
    for (int64_t i = 0; i < t->fine_nodes && spl__watch_goes_on_at(watch, i); i++)
        for (P p = offsets[i * t->fine]; p < offsets[i * t->fine + 1]; p += (P)coarse)
            starts[columns[p] / coarse]++;
    for (int64_t k = 0; k <= t->coarse_nodes; k++) {
        int64_t count = starts[k];
        starts[k] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < t->fine_nodes && spl__watch_goes_on_at(watch, i); i++)
        for (P p = offsets[i * t->fine]; p < offsets[i * t->fine + 1]; p += (P)coarse) {
            int64_t at = starts[columns[p] / coarse]++;
            nodes[at] = (I)i;
            first[at] = p;
        }
    for (int64_t k = t->coarse_nodes; k > 0; k--)
        starts[k] = starts[k - 1];
    starts[0] = 0;
}

static const functions FN(functions) = {FN(measure), FN(transpose)};

#endif
