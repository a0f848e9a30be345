/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/row_ranges.h"

#include "core/checked.h"
#include "plan/sweep.h"

enum { MOST_RANGES = 1024 };

/* The first row of range r of count. */
static int64_t begin_of(const spl__row_ranges *ranges, int64_t rows, int64_t r, int64_t count)
{
    return ranges->parts ? ranges->parts->row[r] : spl__min_i64(rows, r * (rows / count + 1));
}

/* Returns the rows + entries that were computed. */
static int64_t multiply(const spl__row_ranges *ranges, const spl__problem *p, int64_t r,
                        int64_t count, const spl__call *call)
{
    const spl__row_range range = {p, call, begin_of(ranges, p->rows, r, count),
                                  begin_of(ranges, p->rows, r + 1, count)};
    return spl__watch_goes_on(call->watch) ? ranges->compute(&range) : 0;
}

void spl__row_ranges_multiply(const spl__row_ranges *ranges, const spl__problem *p, int threads,
                              const spl__call *call)
{
    const int64_t count = ranges->parts ? ranges->parts->count
                                        : spl__min_i64(MOST_RANGES, p->rows / ranges->rows + 1);
    int64_t first = 0, work = 0;
    while (first < count && (threads == 1 || count == 1 || (call->rows && work < ranges->alone)))
        work += multiply(ranges, p, first++, count, call);
    if (first == count)
        return;
    const spl__sweep forwards = {.threads = threads};
    SPL__SWEEP_TASKS(r, count - first, forwards, (void)multiply(ranges, p, first + r, count, call));
}
