/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/triangle_rows.h"

#include "core/checked.h"
#include "core/threads/team_seconds.h"

/* Steps of a row, of an edge down, of a pair of such edges, of each entry that is compared, of an
 * edge up (its cursor); and how long one takes. Measured on roads, grids and random graphs. */
static const double ROW = 2, DOWN = 4, PAIR = 2.5, COMPARED = 0.5, UP = 1;
static const double STEP_SECONDS = 0.3e-9;

void spl__row_sample_take(spl__row_sample *s, const spl__triangle_rows *r)
{
    enum { LEAST = 32, PART = 128 };
    int64_t steps = 0, edges = 0, narrow = 0;
    double work = 0;
    s->count = (int32_t)spl__min_i64(SPL__SAMPLED_ROWS, r->n < LEAST ? r->n : LEAST + r->n / PART);
    for (int32_t k = 0; k < s->count; k++) {
        const int32_t u = (int32_t)((int64_t)r->n * (2 * k + 1) / (2 * s->count));
        const int64_t begin = spl__triangle_begin(r, u, r->wide),
                      end = spl__triangle_begin(r, u + 1, r->wide);
        int64_t p = begin;
        for (; p < end && r->to[p] >= 0 && r->to[p] < u; p++) {
            const int64_t length = spl__triangle_begin(r, r->to[p] + 1, r->wide) -
                                   spl__triangle_begin(r, r->to[p], r->wide);
            steps += spl__min_i64(p - begin, length);
            narrow += length <= 4;
        }
        const double down = (double)(p - begin);
        s->before[k] = work;
        work +=
            ROW + DOWN * down + UP * (double)(end - p) + PAIR * down + COMPARED * down * down / 2;
        edges += p - begin;
    }
    s->before[s->count] = work;
    s->shorter = (double)steps / (double)spl__max_i64(edges, 1);
    s->narrow = (double)narrow / (double)spl__max_i64(edges, 1);
}

/* By how many steps of the sample the other threads are late: half of what waking and waiting for
 * them takes. That was measured unless the loop is long. */
static double late_steps(const spl__row_sample *s, int32_t n, int threads)
{
    const double long_enough = 1e-3, step = STEP_SECONDS * n / s->count;
    return s->before[s->count] * step < long_enough ? spl__team_seconds(threads) / 2 / step : 0;
}

int32_t spl__row_sample_cut(const spl__row_sample *s, int32_t n, int range, int ranges)
{
    if (range == ranges || n == 0)
        return n;
    const double all = s->before[s->count], late = ranges > 1 ? late_steps(s, n, ranges) : 0,
                 wanted = late < all ? (all - late) / ranges * range : 0;
    int32_t k = 0;
    while (k + 1 < s->count && s->before[k + 1] <= wanted)
        k++;
    const double part = (wanted - s->before[k]) / (s->before[k + 1] - s->before[k]);
    return (int32_t)spl__min_i64(n, (int64_t)((k + part) * n / s->count));
}
