/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int bench_report_add(bench_report *report, const bench_case *item)
{
    if (report->count == report->room) {
        int64_t room = 2 * report->room + 16;
        bench_case *cases = realloc(report->cases, (size_t)room * sizeof *cases);
        if (!cases)
            return 0;
        report->cases = cases;
        report->room = room;
    }
    report->cases[report->count++] = *item;
    return 1;
}

void bench_report_free(bench_report *report)
{
    free(report->cases);
    *report = (bench_report){0};
}

double bench_ratio(const bench_case *item, int rival)
{
    return item->entries[rival].warm.median / item->entries[0].warm.median;
}

int bench_best_rival(const bench_case *item)
{
    int best = 0;
    for (int i = 1; i < item->count; i++) {
        double median = item->entries[i].warm.median;
        if (!isnan(median) && (!best || median < item->entries[best].warm.median))
            best = i;
    }
    return best;
}

double bench_best_ratio(const bench_case *item)
{
    int best = bench_best_rival(item);
    return best ? bench_ratio(item, best) : NAN;
}

double bench_break_even(const bench_case *item)
{
    int best = bench_best_rival(item);
    const bench_entry *own_entry = &item->entries[0], *other = &item->entries[best];
    if (!best || isnan(own_entry->warm.median))
        return NAN;
    double more = own_entry->prepare - other->prepare,
           saved = other->warm.median - own_entry->warm.median;
    if (more + own_entry->warm.median <= other->warm.median)
        return 1;
    return saved > 0 ? ceil(more / saved) : NAN;
}

/* What decides the group: negative, zero, positive as for strcmp. */
static int compare_groups(const bench_case *a, const bench_case *b)
{
    int sets = strcmp(a->set, b->set);
    if (sets || a->operation != b->operation)
        return sets ? sets : (int)a->operation - (int)b->operation;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    return (a->columns > b->columns) - (a->columns < b->columns);
}

/* Losses first; who has no ratio, last. */
static int by_group_and_ratio(const void *left, const void *right)
{
    const bench_case *a = left, *b = right;
    int groups = compare_groups(a, b);
    double ratio_a = bench_best_ratio(a), ratio_b = bench_best_ratio(b);
    if (groups)
        return groups;
    if (isnan(ratio_a) || isnan(ratio_b))
        return isnan(ratio_a) != isnan(ratio_b) ? (isnan(ratio_a) ? 1 : -1)
                                                : strcmp(a->matrix, b->matrix);
    return (ratio_a > ratio_b) - (ratio_a < ratio_b);
}

void bench_report_sort(bench_report *report)
{
    if (report->count)
        qsort(report->cases, (size_t)report->count, sizeof *report->cases, by_group_and_ratio);
}

bench_group bench_group_at(const bench_report *report, int64_t first)
{
    bench_group group = {report->cases + first, 1};
    while (first + group.count < report->count &&
           !compare_groups(group.cases, group.cases + group.count))
        group.count++;
    return group;
}

double bench_mean_ratio(const bench_group *group, int rival, int *cases)
{
    double sum = 0;
    *cases = 0;
    for (int64_t i = 0; i < group->count; i++) {
        double ratio =
            rival < 0 ? bench_best_ratio(&group->cases[i]) : bench_ratio(&group->cases[i], rival);
        if (isnan(ratio))
            continue;
        sum += log(ratio);
        ++*cases;
    }
    return *cases ? exp(sum / *cases) : NAN;
}
