/* SPDX-License-Identifier: Apache-2.0 */
/* device_product_distinct.c: products of matrices with groups of identical neighbouring rows, of
 * any mixture of sizes. The phases multiply merged rows of A (and D) whose entries are runs of
 * columns by rows of B, of which the first represents all rows of a run. C is expanded from its
 * merged rows. */
#include "spgemm/gpu/device_product.h"

#include <math.h>

/* Memory used while rows are merged. */
typedef struct joining {
    spl__device_array of_a, of_b;
} joining;

static spl_status join_rows(spl_plan *plan, joining *x, spl__device_factors *factors)
{
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *d = plan->problem.has_d ? &factors->d : NULL;
    bool square = spl__view_same_structure(&factors->b, &factors->a);
    SPL__TRY(spl__device_group_sizes(queue, &factors->a, d, &x->of_a));
    if (!square)
        SPL__TRY(spl__device_group_sizes(queue, &factors->b, NULL, &x->of_b));
    return spl__device_distinct_rows_make(queue, &factors->a, x->of_a.data, &factors->b,
                                          square ? x->of_a.data : x->of_b.data,
                                          &factors->a_distinct);
}

/* A run costs one step of a team, however long the rows of B are, as long as they fit the team's
 * lanes. An entry on its own costs more the longer the rows of B are. Fitted to f64 on an H100,
 * in ns: a run .65 to 1.0, an entry .14 with 16 columns and .21 with 49. Beyond the columns of a
 * step both grow in proportion: bands of 180 columns without runs took 2.1 times as long in runs
 * of one as in entries. A one-shot product must also pay for finding the runs and for expanding
 * C. */
static bool pays(const spl_plan *plan, double runs)
{
    const double shortest = 10, usual = 17.5, of_a_step = 49, entries_of_search = 150000;
    const spl__features *f = &plan->features;
    double length = f->inner > 0 ? fmin(f->nnz_b / f->inner, of_a_step) : 0;
    return f->nnz_a >=
           shortest / (1 + length / usual) * runs + (plan->problem.once ? entries_of_search : 0);
}

/* Estimates the number of runs, assuming that columns merge as often as rows of the sample. */
static double guess_runs(const spl_plan *plan)
{
    double distinct_share = 1 - plan->problem.a.survey.repeated;
    return plan->features.nnz_a * distinct_share * distinct_share;
}

static spl_status join(spl_plan *plan, bool wanted, spl__device_factors *factors)
{
    joining x = {{NULL, 0}, {NULL, 0}};
    spl__queue *queue = &plan->problem.queue;
    spl_status status = join_rows(plan, &x, factors);
    factors->distinct =
        status == SPL_OK && (wanted || pays(plan, (double)factors->a_distinct.csr.nnz));
    if (factors->distinct && plan->problem.has_d)
        status = spl__device_distinct_rows_make(queue, &factors->d, x.of_a.data, NULL, NULL,
                                                &factors->d_distinct);
    spl__queue_free(queue, &x.of_a);
    spl__queue_free(queue, &x.of_b);
    return status;
}

/* If memory is short, rows are not merged. */
spl_status spl__device_distinct_rows_factors(spl_plan *plan, bool wanted)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    if (factors->a.nnz > UINT32_MAX || factors->d.nnz > UINT32_MAX ||
        (!wanted && !pays(plan, guess_runs(plan))))
        return SPL_OK;
    spl_status status = join(plan, wanted, factors);
    if (status == SPL_OK && factors->distinct) {
        factors->a = factors->a_distinct.csr;
        factors->d = factors->d_distinct.csr;
        return SPL_OK;
    }
    factors->distinct = false;
    spl__device_distinct_rows_free(queue, &factors->a_distinct);
    spl__device_distinct_rows_free(queue, &factors->d_distinct);
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
}

/* Kernel arguments, once the offsets of merged rows are known. */
static struct spgemm_expand_rows
rows_of_groups(const spl_plan *plan, const spl__device_array *offsets, const spl__device_array *to)
{
    const spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    return (struct spgemm_expand_rows){.groups = factors->a.rows,
                                       .firsts = factors->a_distinct.firsts.data,
                                       .group_offsets = offsets->data,
                                       .group_columns = factors->columns.data,
                                       .offsets = to->data};
}

spl_status spl__device_distinct_rows_offsets(spl_plan *plan, int64_t *nnz)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    spl__device_array *c_offsets = &device_c->factors.c_offsets;
    int64_t rows = plan->problem.rows;
    if (!c_offsets->data)
        SPL__TRY(spl__queue_alloc(queue, rows + 1, sizeof(int64_t), c_offsets));
    struct spgemm_row_lengths_args args = {rows_of_groups(plan, &device_c->offsets, c_offsets)};
    SPL__TRY(spl__product_launch(plan, "spgemm_row_lengths", args.x.groups, &args, sizeof args));
    return spl__queue_offsets(queue, SPL_I64, c_offsets->data, rows, nnz);
}

spl_status spl__device_distinct_rows_expand(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    spl__device_factors *factors = &device_c->factors;
    device_c->offsets = factors->c_offsets;
    factors->c_offsets = (spl__device_array){NULL, 0};
    device_c->nnz = factors->nnz;
    SPL__TRY(spl__check_result_width(plan, device_c->nnz));
    SPL__TRY(spl__queue_alloc(queue, device_c->nnz, sizeof(int32_t), &device_c->columns));
    struct spgemm_repeat_rows_args args = {
        rows_of_groups(plan, &factors->offsets, &device_c->offsets), device_c->columns.data};
    SPL__TRY(spl__product_launch(plan, "spgemm_repeat_rows", args.x.groups * SPGEMM_RUNS_LANES,
                                 &args, sizeof args));
    spl__queue_free(queue, &factors->columns);
    return SPL_OK;
}

struct spgemm_distinct spl__device_distinct_rows_values(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    const struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    if (!device_c->factors.distinct)
        return (struct spgemm_distinct){NULL, NULL, NULL, NULL, NULL};
    return (struct spgemm_distinct){.firsts = device_c->factors.a_distinct.firsts.data,
                                    .run_starts = device_c->factors.a_distinct.run_starts.data,
                                    .a_offsets = p->a.csr.offsets,
                                    .d_offsets = p->has_d ? p->d.csr.offsets : NULL,
                                    .offsets = device_c->offsets.data};
}
