/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_compare.h"

#include "typed_array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_timed(const bench_point *point)
{
    return isfinite(point->ours.median) && point->ours.median > 0;
}

static int same_case(const bench_point *a, const bench_point *b)
{
    return !strcmp(a->set, b->set) && !strcmp(a->matrix, b->matrix) &&
           !strcmp(a->operation, b->operation) && !strcmp(a->type, b->type) &&
           a->columns == b->columns;
}

/* The timed point of the same case; NULL if there is none. */
static const bench_point *counterpart(const bench_results *results, const bench_point *point)
{
    for (int64_t i = 0; i < results->count; i++)
        if (is_timed(&results->points[i]) && same_case(&results->points[i], point))
            return &results->points[i];
    return NULL;
}

static bench_change change_of(const bench_point *before, const bench_point *after)
{
    bench_change change = {before, after, after->ours.median / before->ours.median,
                           BENCH_UNCHANGED};
    if (before->ours.runs < BENCH_LEAST_RUNS || after->ours.runs < BENCH_LEAST_RUNS)
        return change;
    if (after->ours.q1 > before->ours.q3 && change.factor > BENCH_LEAST_CHANGE)
        change.kind = BENCH_SLOWER;
    if (after->ours.q3 < before->ours.q1 && change.factor < 1 / BENCH_LEAST_CHANGE)
        change.kind = BENCH_FASTER;
    return change;
}

static int by_factor(const void *left, const void *right)
{
    const bench_change *a = left, *b = right;
    return (a->factor < b->factor) - (a->factor > b->factor);
}

static int64_t count_timed(const bench_results *results)
{
    int64_t count = 0;
    for (int64_t i = 0; i < results->count; i++)
        count += is_timed(&results->points[i]);
    return count;
}

int bench_compare(const bench_results *before, const bench_results *after, bench_comparison *c)
{
    *c = (bench_comparison){.changes = tool_array(before->count, sizeof *c->changes)};
    if (!c->changes)
        return 0;
    for (int64_t i = 0; i < before->count; i++) {
        const bench_point *point = &before->points[i],
                          *other = is_timed(point) ? counterpart(after, point) : NULL;
        if (!other)
            continue;
        bench_change change = change_of(point, other);
        c->slower += change.kind == BENCH_SLOWER;
        c->faster += change.kind == BENCH_FASTER;
        c->changes[c->count++] = change;
    }
    c->missing = count_timed(before) - c->count;
    c->added = count_timed(after) - c->count;
    if (c->count)
        qsort(c->changes, (size_t)c->count, sizeof *c->changes, by_factor);
    return 1;
}

void bench_comparison_free(bench_comparison *comparison)
{
    free(comparison->changes);
    *comparison = (bench_comparison){0};
}
