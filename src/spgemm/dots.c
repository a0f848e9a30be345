/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "spgemm/dots.h"

#include "core/checked.h"
#include "core/combination.h"
#include "core/threads/team.h"
#include "matrix/ascend.h"
#include "spgemm/product.h"

/* Steps of a merge, or of searches: about two per halving. */
static inline double steps_of(int64_t a, int64_t b)
{
    int64_t few = spl__min_i64(a, b), many = spl__max_i64(a, b);
    if (!spl__is_far_longer(many, few))
        return (double)(a + b);
    return (double)few * 2 * (64 - __builtin_clzll((unsigned long long)(many / (few + 1) + 1)));
}

#define SELF "spgemm/dots.c"
#include "core/each_type.h"

typedef void (*lengths_fn)(const spl_sparse *b, int64_t *lengths);
typedef double (*steps_fn)(const spl__problem *p, const int64_t *lengths);
static const lengths_fn count_columns[SPL__COMBINATIONS] = SPL__TABLE(count_columns);
static const steps_fn count_steps[SPL__COMBINATIONS] = SPL__TABLE(count_steps);

static spl_status survey_positions(spl_plan *plan, spl__product *c)
{
    const spl__problem *p = &plan->problem;
    int structure = spl__combination_of_structure(&p->b.csr);
    int64_t *lengths;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &lengths, p->cols));
    count_columns[structure](&p->b.csr, lengths);
    c->dot_steps = count_steps[structure](p, lengths);
    spl__free(lengths);
    return SPL_OK;
}

spl_status spl__look_at_mask(spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    spl__product *c = spl__product_of(plan);
    if (!p->mask.given)
        return SPL_OK;
    c->mask_positions = (double)p->mask.offsets[p->rows];
    if (p->mask.complement)
        return SPL_OK;
    c->ascending =
        spl__rows_ascend(&p->a.csr, p->threads) &&
        (spl__view_same_structure(&p->a.csr, &p->b.csr) || spl__rows_ascend(&p->b.csr, p->threads));
    return c->ascending ? survey_positions(plan, c) : SPL_OK;
}

bool spl__dots_have_rows(const spl__problem *p)
{
    return !p->b.renumbered && p->b.source.format != SPL_COO &&
           (p->b.source.format == SPL_CSC) == (p->options.op_b == SPL_NONE);
}

spl_status spl__dots_rows(spl_plan *plan, spl__arrangement *rows)
{
    const spl__problem *p = &plan->problem;
    const spl_sparse *csr = &p->b.csr;
    const bool own = spl__dots_have_rows(p);
    SPL__TRY(spl__arrange(&plan->account, p->threads, own ? &p->b.source : csr,
                          !own || p->options.op_b == SPL_NONE, csr->offset_type, csr->index_type,
                          rows));
    return spl__rows_ascend(&rows->csr, p->threads)
               ? SPL_OK
               : spl__arrange_sort(&plan->account, p->threads, rows);
}

#else

static void FN(count_columns)(const spl_sparse *b, int64_t *lengths)
{
    const I *columns = b->indices;
    for (int64_t p = 0; p < b->nnz; p++)
        lengths[columns[p]]++;
}

static double FN(count_steps)(const spl__problem *p, const int64_t *lengths)
{
    const P *a_offsets = p->a.csr.offsets;
    const I *columns = p->mask.columns;
    double steps = 0; /* whole numbers: the same for any number of threads */
#pragma omp parallel for num_threads(spl__team(p->threads)) schedule(static) reduction(+ : steps)
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t k = p->mask.offsets[i]; k < p->mask.offsets[i + 1]; k++)
            steps += steps_of(a_offsets[i + 1] - a_offsets[i], lengths[columns[k]]);
    return steps;
}

#endif
