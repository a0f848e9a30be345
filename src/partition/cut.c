/* SPDX-License-Identifier: Apache-2.0 */
/* cut.c: computes the begins of parts.
 *
 * [S2], algorithm 4.3, fills processor after processor up to its share and splits the block of
 * rows of equal length that would overshoot. As printed it counts each processor's share from
 * the end of the previous one, so that overshoots accumulate and the last processor pays for all
 * of them; it does not continue after an exact split; and it compares numbers of rows with
 * numbers of entries. Here targets are cumulative: a part ends at the first row at which the sum
 * of entries reaches the sum of shares. Then blocks need no special splitting: rows ordered by
 * length are divided like any others. */
#include "partition/cut.h"

#include "core/checked.h"

#include <math.h>

static int64_t work_before(const spl__workload *s, int64_t position)
{
    return spl__index_at(s->work, s->type, position);
}

/* The first position at which the prefix sum, of rows or of entries, is at least the target. */
static int64_t first_reaching(const spl__workload *s, bool by_rows, double target)
{
    int64_t low = 0, high = s->rows;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if ((double)(by_rows ? middle : work_before(s, middle)) < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The last processor that may have rows: it gets all remaining ones, empty rows included. */
static int32_t last_capable(const spl__workload *s)
{
    int32_t last = s->count - 1;
    while (last > 0 && s->capabilities[last] == 0)
        last--;
    return last;
}

/* Parts in proportion to capabilities. */
static void cut_in_proportion(const spl__workload *s, bool by_rows, int64_t *begin)
{
    double all = 0, sum = 0, total = (double)(by_rows ? s->rows : work_before(s, s->rows));
    int32_t last = last_capable(s);
    for (int32_t p = 0; p < s->count; p++)
        all += s->capabilities[p];
    begin[0] = 0;
    for (int32_t p = 0; p < s->count; p++) {
        sum += s->capabilities[p];
        if (p >= last)
            begin[p + 1] = s->rows;
        else if (s->capabilities[p] == 0)
            begin[p + 1] = begin[p];
        else
            begin[p + 1] = first_reaching(s, by_rows, total * (sum / all));
    }
}

/* ---- by seconds ---- */

double spl__seconds_of_rows(const spl__workload *s, const spl__workload_seconds *t, int32_t part,
                            int64_t begin, int64_t end)
{
    if (begin == end)
        return 0;
    return (t->start ? t->start[part] : 0) + (double)(end - begin) * t->row[part] +
           (double)(work_before(s, end) - work_before(s, begin)) * t->unit[part];
}

/* The end of the rows from `begin` on that the processor computes in that time. */
static int64_t furthest(const spl__workload *s, const spl__workload_seconds *t, int32_t part,
                        int64_t begin, double seconds)
{
    int64_t low = begin, high = s->rows;
    while (low < high) {
        int64_t middle = high - (high - low) / 2;
        if (s->capabilities[part] > 0 && spl__seconds_of_rows(s, t, part, begin, middle) <= seconds)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Whether all rows can be computed in that time, with each processor taking as many as it can. */
static bool fits(const spl__workload *s, const spl__workload_seconds *t, double seconds,
                 int64_t *begin)
{
    begin[0] = 0;
    for (int32_t p = 0; p < s->count; p++)
        begin[p + 1] = furthest(s, t, p, begin[p], seconds);
    return begin[s->count] == s->rows;
}

/* The least time in which a single processor computes all rows. */
static double best_single(const spl__workload *s, const spl__workload_seconds *t)
{
    double least = INFINITY;
    for (int32_t p = 0; p < s->count; p++)
        if (s->capabilities[p] > 0)
            least = fmin(least, spl__seconds_of_rows(s, t, p, 0, s->rows));
    return least;
}

static void cut_by_seconds(const spl__workload *load, const spl__workload_seconds *seconds,
                           int64_t *begin)
{
    enum { HALVINGS = 64 };
    double low = 0, high = best_single(load, seconds);
    if (!isfinite(high)) { /* overflow: too slow to compare */
        cut_in_proportion(load, false, begin);
        return;
    }
    for (int i = 0; i < HALVINGS && high - low > 1e-6 * high; i++) {
        double middle = low + (high - low) / 2;
        if (fits(load, seconds, middle, begin))
            high = middle;
        else
            low = middle;
    }
    fits(load, seconds, high, begin);
}

void spl__cut(spl_partition_kind kind, const spl__workload *load,
              const spl__workload_seconds *seconds, int64_t *begin)
{
    if (!kind || kind == SPL_PARTITION_COST)
        cut_by_seconds(load, seconds, begin);
    else
        cut_in_proportion(load, kind == SPL_PARTITION_ROWS, begin);
}

/* ---- capabilities and orders ---- */

spl_status spl__check_capabilities(int32_t count, const double *capabilities, const double *links)
{
    double largest = 0;
    for (int32_t p = 0; p < count; p++) {
        double c = capabilities[p], link = links ? links[p] : INFINITY;
        if (!(c >= 0 && c < INFINITY))
            return spl__fail(SPL_INVALID_ARGUMENT,
                             "capabilities[%d] is %g: not a finite number of at least 0", (int)p,
                             c);
        if (!(link > 0))
            return spl__fail(SPL_INVALID_ARGUMENT, "links[%d] is %g: not above 0", (int)p, link);
        largest = fmax(largest, c);
    }
    return largest > 0 ? SPL_OK
                       : spl__fail(SPL_INVALID_ARGUMENT, "all %d capabilities are 0", (int)count);
}

static spl_status order_by_length(spl__account *account, const int64_t *lengths, int64_t rows,
                                  int64_t *order)
{
    int64_t *next, longest = 0;
    for (int64_t i = 0; i < rows; i++)
        longest = spl__max_i64(longest, lengths[i]);
    SPL__TRY(SPL__NEW_ZERO(account, &next, longest + 2));
    for (int64_t i = 0; i < rows; i++)
        next[lengths[i] + 1]++;
    for (int64_t m = 0; m <= longest; m++)
        next[m + 1] += next[m];
    for (int64_t i = 0; i < rows; i++)
        order[next[lengths[i]]++] = i;
    spl__free(next);
    return SPL_OK;
}

spl_status spl__order_rows(spl__account *account, bool by_length, const int64_t *lengths,
                           int64_t rows, int64_t *order, int64_t *sums)
{
    if (by_length)
        SPL__TRY(order_by_length(account, lengths, rows, order));
    sums[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        order[i] = by_length ? order[i] : i;
        sums[i + 1] = sums[i] + lengths[order[i]];
    }
    return SPL_OK;
}
