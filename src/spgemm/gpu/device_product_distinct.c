/* SPDX-License-Identifier: Apache-2.0 */
/* device_product_distinct.c: products of matrices whose neighbouring rows have the same columns, in
 * groups of any mixture of sizes: phases work on groups of rows of A and D, runs of columns of A,
 * and B's own rows, of which the first one stands for all that a run leads to. C is expanded from
 * its rows of groups. */
#include "spgemm/gpu/device_product.h"

#include <math.h>

/* What is needed while rows are joined. */
typedef struct joining {
    spl__device_array of_a, of_b;
} joining;

static spl_status join_rows(spl_plan *plan, joining *x, spl__device_factors *of)
{
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *d = plan->problem.has_d ? &of->d : NULL;
    bool square = spl__view_same_structure(&of->b, &of->a);
    SPL__TRY(spl__device_group_sizes(queue, &of->a, d, &x->of_a));
    if (!square)
        SPL__TRY(spl__device_group_sizes(queue, &of->b, NULL, &x->of_b));
    return spl__device_distinct_rows_make(queue, &of->a, x->of_a.data, &of->b,
                                          square ? x->of_a.data : x->of_b.data, &of->a_distinct);
}

/* A run costs a step of a team, whatever the length of the rows of B that it leads to, while they
 * fit the team's lanes; an entry of A that is taken alone costs the more, the longer they are.
 * Fitted to f64 on an H100, ns: a run .65 to 1.0, an entry .14 with 16 columns, .21 with 49; beyond
 * what a step takes both grow alike: bands of 180 columns without runs took 2.1 times as long by
 * runs of one as by entries. A product that is computed but once has to pay for finding runs, too,
 * and for making C's rows from those of groups. */
static bool pays(const spl_plan *plan, double runs)
{
    const double shortest = 10, usual = 17.5, of_a_step = 49, entries_of_search = 150000;
    const spl__features *f = &plan->features;
    double length = f->inner > 0 ? fmin(f->nnz_b / f->inner, of_a_step) : 0;
    return f->nnz_a >=
           shortest / (1 + length / usual) * runs + (plan->problem.once ? entries_of_search : 0);
}

/* Runs, if columns come together as often as rows do in the sample that was looked at. */
static double guess_runs(const spl_plan *plan)
{
    double apart = 1 - plan->problem.a.survey.repeated;
    return plan->features.nnz_a * apart * apart;
}

static spl_status join(spl_plan *plan, bool wanted, spl__device_factors *of)
{
    joining x = {{NULL, 0}, {NULL, 0}};
    spl__queue *queue = &plan->problem.queue;
    spl_status status = join_rows(plan, &x, of);
    of->distinct = status == SPL_OK && (wanted || pays(plan, (double)of->a_distinct.csr.nnz));
    if (of->distinct && plan->problem.has_d)
        status =
            spl__device_distinct_rows_make(queue, &of->d, x.of_a.data, NULL, NULL, &of->d_distinct);
    spl__queue_free(queue, &x.of_a);
    spl__queue_free(queue, &x.of_b);
    return status;
}

/* Where memory is short the product is computed row by row. */
spl_status spl__device_distinct_rows_factors(spl_plan *plan, bool wanted)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_factors *of = &spl__product_of(plan)->there->of;
    if (of->a.nnz > UINT32_MAX || of->d.nnz > UINT32_MAX ||
        (!wanted && !pays(plan, guess_runs(plan))))
        return SPL_OK;
    spl_status status = join(plan, wanted, of);
    if (status == SPL_OK && of->distinct) {
        of->a = of->a_distinct.csr;
        of->d = of->d_distinct.csr;
        return SPL_OK;
    }
    of->distinct = false;
    spl__device_distinct_rows_free(queue, &of->a_distinct);
    spl__device_distinct_rows_free(queue, &of->d_distinct);
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
}

/* For kernels, once the offsets of groups of rows are known. */
static struct spgemm_expand_rows
rows_of_groups(const spl_plan *plan, const spl__device_array *offsets, const spl__device_array *to)
{
    const spl__device_factors *of = &spl__product_of(plan)->there->of;
    return (struct spgemm_expand_rows){.groups = of->a.rows,
                                       .firsts = of->a_distinct.firsts.data,
                                       .group_offsets = offsets->data,
                                       .group_columns = of->columns.data,
                                       .offsets = to->data};
}

spl_status spl__device_distinct_rows_offsets(spl_plan *plan, int64_t *nnz)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *there = spl__product_of(plan)->there;
    spl__device_array *whole = &there->of.whole;
    int64_t rows = plan->problem.rows;
    if (!whole->data)
        SPL__TRY(spl__queue_alloc(queue, rows + 1, sizeof(int64_t), whole));
    struct spgemm_row_lengths_args args = {rows_of_groups(plan, &there->offsets, whole)};
    SPL__TRY(spl__product_launch(plan, "spgemm_row_lengths", args.x.groups, &args, sizeof args));
    return spl__queue_offsets(queue, SPL_I64, whole->data, rows, nnz);
}

spl_status spl__device_distinct_rows_expand(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *there = spl__product_of(plan)->there;
    spl__device_factors *of = &there->of;
    there->offsets = of->whole;
    of->whole = (spl__device_array){NULL, 0};
    there->nnz = of->nnz;
    SPL__TRY(spl__check_result_width(plan, there->nnz));
    SPL__TRY(spl__queue_alloc(queue, there->nnz, sizeof(int32_t), &there->columns));
    struct spgemm_repeat_rows_args args = {rows_of_groups(plan, &of->offsets, &there->offsets),
                                           there->columns.data};
    SPL__TRY(spl__product_launch(plan, "spgemm_repeat_rows", args.x.groups * SPGEMM_RUNS_LANES,
                                 &args, sizeof args));
    spl__queue_free(queue, &of->columns);
    return SPL_OK;
}

struct spgemm_distinct spl__device_distinct_rows_values(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    const struct spl__device_product *there = spl__product_of(plan)->there;
    if (!there->of.distinct)
        return (struct spgemm_distinct){NULL, NULL, NULL, NULL, NULL};
    return (struct spgemm_distinct){.firsts = there->of.a_distinct.firsts.data,
                                    .places = there->of.a_distinct.places.data,
                                    .a_offsets = p->a.csr.offsets,
                                    .d_offsets = p->has_d ? p->d.csr.offsets : NULL,
                                    .offsets = there->offsets.data};
}
