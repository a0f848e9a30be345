/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/row_groups.h"

#include "core/checked.h"

#include <stdio.h>

static const int64_t most_work[] = {
#define ROW_GROUP(most) most,
#include "spgemm/row_groups.def"
#undef ROW_GROUP
    INT64_MAX};

enum { GROUPS = sizeof most_work / sizeof *most_work };
_Static_assert((int)GROUPS < (int)SPL__MAX_STEPS,
               "each group may become a step of its own, after the symbolic one");

static int64_t work_of(const spl__product *c, int64_t row)
{
    return c->work[row + 1] - c->work[row];
}

static int group_of(const spl__product *c, int64_t row)
{
    int group = 0;
    while (work_of(c, row) > most_work[group])
        group++;
    return group;
}

static int64_t entries_between(const spl_sparse *a, int64_t begin, int64_t end)
{
    return spl__index_at(a->offsets, a->offset_type, end) -
           spl__index_at(a->offsets, a->offset_type, begin);
}

/* The end of the rows from `begin` on that are of the same group; notes the longest. */
static int64_t end_of_group(const spl_plan *plan, int64_t begin, spl__row_set *group, int number)
{
    const spl__product *c = spl__product_of(plan);
    const int64_t most = most_work[number], least = number ? most_work[number - 1] + 1 : 0;
    int64_t i = begin, longest = (int64_t)group->longest_products;
    for (; i < plan->problem.rows && work_of(c, i) >= least && work_of(c, i) <= most; i++)
        longest = spl__max_i64(longest, work_of(c, i));
    group->longest_products = (double)longest;
    return i;
}

/* Counts rows, products, entries of A and of C of every group. Rows of one group often follow each
 * other: then these are differences. */
static void measure_groups(const spl_plan *plan, spl__row_set groups[GROUPS])
{
    const spl__product *c = spl__product_of(plan);
    for (int g = 0; g < GROUPS; g++)
        groups[g] = (spl__row_set){0};
    for (int64_t i = 0, end; i < plan->problem.rows; i = end) {
        const int number = group_of(c, i);
        spl__row_set *group = &groups[number];
        end = end_of_group(plan, i, group, number);
        group->count += end - i;
        group->products += (double)(c->work[end] - c->work[i]);
        group->nnz_a += (double)entries_between(&plan->problem.a.csr, i, end);
        group->nnz_c += (double)(c->offsets[end] - c->offsets[i]);
    }
}

static void join(spl__row_set *target, const spl__row_set *group)
{
    target->count += group->count;
    target->products += group->products;
    target->nnz_a += group->nnz_a;
    target->nnz_c += group->nnz_c;
    if (group->longest_products > target->longest_products)
        target->longest_products = group->longest_products;
}

static void name_groups(spl__row_set *set, int first, int last)
{
    int64_t least = first ? most_work[first - 1] + 1 : 0;
    if (last == GROUPS - 1)
        snprintf(set->words, sizeof set->words, "%lld and more products", (long long)least);
    else
        snprintf(set->words, sizeof set->words, "%lld to %lld products", (long long)least,
                 (long long)most_work[last]);
}

/* Lists the rows of groups first..last. */
static spl_status list_rows(spl_plan *plan, int first, int last, spl__row_set *set)
{
    const spl__product *c = spl__product_of(plan);
    int64_t k = 0;
    SPL__TRY(SPL__NEW(&plan->account, &set->list, set->count));
    for (int64_t i = 0; i < plan->problem.rows; i++) {
        int group = group_of(c, i);
        if (group >= first && group <= last)
            set->list[k++] = i;
    }
    return SPL_OK;
}

/* The best method of the group, or the best one for all rows if a step of its own would gain
 * less than its start costs. */
static const spl__registry_entry *choose_one(spl_plan *plan, const spl__row_set *group,
                                             const spl__registry_entry *usual)
{
    const spl__registry_entry *best = spl__plan_preview(plan, SPL__PHASE_numeric, group);
    if (!best || !usual || best == usual)
        return best;
    double gain = spl__plan_predict(plan, SPL__PHASE_numeric, group, usual).seconds -
                  spl__plan_predict(plan, SPL__PHASE_numeric, group, best).seconds;
    return gain > spl__loop_seconds(plan->machine, spl__assumed_threads(&plan->problem)) ? best
                                                                                         : usual;
}

/* Chooses a method per group; empty groups take that of a neighbour. */
static void choose(spl_plan *plan, const spl__row_set groups[GROUPS],
                   const spl__registry_entry *choice[GROUPS])
{
    spl__row_set all = spl__all_rows(plan);
    const spl__registry_entry *usual = spl__plan_preview(plan, SPL__PHASE_numeric, &all),
                              *last = NULL;
    for (int g = 0; g < GROUPS; g++) {
        if (groups[g].count)
            last = choose_one(plan, &groups[g], usual);
        choice[g] = last;
    }
    for (int g = GROUPS - 1; g > 0; g--)
        if (!choice[g - 1])
            choice[g - 1] = choice[g];
}

/* Makes the step for groups first..last. */
static spl_status plan_run(spl_plan *plan, const spl__row_set groups[GROUPS], int first, int last)
{
    spl__row_set set = groups[first];
    for (int g = first + 1; g <= last; g++)
        join(&set, &groups[g]);
    if (set.count == plan->problem.rows) {
        set = spl__all_rows(plan);
        return spl__plan_step(plan, SPL__PHASE_numeric, &set);
    }
    name_groups(&set, first, last);
    SPL__TRY(list_rows(plan, first, last, &set));
    return spl__plan_step(plan, SPL__PHASE_numeric, &set);
}

static spl_status plan_runs(spl_plan *plan, const spl__row_set groups[GROUPS],
                            const spl__registry_entry *const choice[GROUPS])
{
    for (int first = 0, last; first < GROUPS; first = last + 1) {
        last = first;
        while (last + 1 < GROUPS && choice[last + 1] == choice[first])
            last++;
        SPL__TRY(plan_run(plan, groups, first, last));
    }
    return SPL_OK;
}

spl_status spl__plan_row_groups(spl_plan *plan)
{
    spl__row_set groups[GROUPS];
    const spl__registry_entry *choice[GROUPS];
    int before = plan->step_count;
    measure_groups(plan, groups);
    choose(plan, groups, choice);
    spl_status status = plan_runs(plan, groups, choice);
    if (status != SPL_OVER_BUDGET)
        return status;
    /* A single step needs no lists of rows and only one workspace. */
    spl__plan_forget(plan, before);
    spl__row_set all = spl__all_rows(plan);
    return spl__plan_step(plan, SPL__PHASE_numeric, &all);
}
