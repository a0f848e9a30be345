/* SPDX-License-Identifier: Apache-2.0 */
/* spmm/compute/gpu/short_rows: C = alpha*A*B + beta*C, several short rows per team of lanes, side
 * by side; long rows by blocks.
 *
 * A row of one entry costs a team three loads, each of which waits for the one before: offsets, the
 * entry, a row of B. With one row at a time a device has too little of B under way for its memory.
 * Here a team, which has the lanes that a row of B takes, loads the offsets of four rows, then
 * their first entries and those rows of B, the second ones, and so on; what rows have beyond a few
 * entries follows row by row. Rows keep their order. Long rows are cut into parts, for a block
 * each, in the same launch: so many that these fill the device, no more, since the block that
 * stores the last one adds them up. device_teams.h has the rest.
 *
 * Cost: A once per tile of columns, nnz*K elements of B gathered, C once. Memory: 32 bytes a part
 * of a long row, and K sums. Source: several independent results per thread, to hide latency: V.
 * Volkov, Better performance at lower occupancy, GTC 2010. */
#include "spmm/gpu/device_teams.h"

#include <math.h>

/* Entries of a short row: fewer where the device has room for a block per long row, and time is
 * that of the longest short row. A matrix with rows of more than so many has at most nnz over them.
 */
static int64_t choose_limit(double entries, double blocks)
{
    enum { LEAST = 16, MOST = 64, BLOCKS_IN_TURN = 4 };
    int64_t limit = LEAST;
    while (limit < MOST && (double)(BLOCKS_IN_TURN * limit) * blocks < entries)
        limit *= 2;
    return limit;
}

static spl__spmm_shape choose(const spl__task *task)
{
    /* ROUNDS, PARTS: a part is so many loads of each lane of a block one after the other, or more,
     * where otherwise it were more parts for each resident block */
    enum { MOST_ACROSS = 32, ROUNDS = 4, PARTS = 2, MOST_PART = 1 << 30 };
    const spl__features *f = &task->plan->features;
    spl__spmm_shape s = {
        .run = 16, .runs = 1, .across = MOST_ACROSS, .by_slabs = true, .abreast = SPMM_ABREAST};
    const double blocks = spl__device_teams_resident(task) / SPMM_ROWS_THREADS,
                 tiles = ceil(f->cols / (double)spl__device_teams_tile(task, &s)),
                 entries = f->nnz_a * tiles,
                 least = (double)ROUNDS * SPMM_DIRECT_STEPS * SPMM_ROWS_THREADS /
                         spl__device_teams_across(task, &s);
    s.cut.longest = choose_limit(entries, blocks);
    s.cut.part = (int64_t)fmin(MOST_PART, fmax(least, entries / (PARTS * blocks)));
    return s;
}

const spl__method spl__spmm_compute_gpu_short_rows = {
    .summary = "several short rows side by side per team of lanes, long rows by blocks",
    .source = "V. Volkov, GTC 2010",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__HALVES,
    .parameters = &(const spl__teams_method){choose},
    .estimate = spl__device_teams_estimate,
    .prepare = spl__device_teams_prepare,
    .execute = spl__device_teams_execute,
    .explain = spl__device_teams_explain,
    .destroy = spl__device_teams_destroy,
};
