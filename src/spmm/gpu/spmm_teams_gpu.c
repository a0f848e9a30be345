/* SPDX-License-Identifier: Apache-2.0 */
/* spmm/compute/gpu/teams: C = alpha*A*B + beta*C, one team of lanes per row of A, with a shape
 * chosen for the matrix.
 *
 * device_teams.h is the method; here its parameters are chosen, by a table. Similar rows keep their
 * order, since neighbours use the same rows of B, which are then in L1, or for identical or
 * overlapping rows (device_merge.h) in registers. A team is as wide as a row of B, or wider, for
 * several entries at once, if rows are long enough. Dissimilar rows are ordered by length, so that
 * the teams of a warp, and blocks, finish at the same time. Long rows are cut into pieces, several
 * per team. Narrow teams waste least on short rows. Where one lane has a whole row of B, no rows
 * share a team, and rows are ordered only if some are long: reading more of A costs less. C is
 * computed in slabs of columns, so that the active part of B stays in L2.
 *
 * Cost: A once (slabs: once each), nnz*K elements of B gathered (identical rows: a third; merged
 * ones: words*K), C once. Memory: 16 bytes a task, 4 a word, K sums a piece. Source: S4
 * (coarsening C, SPLIT_SIZE with ptr_scheduled and target); ordering by length and runs of 16
 * bytes: T. Gale, M. Zaharia, C. Young, E. Elsen, Sparse GPU kernels for deep learning, SC'20.
 * Differs: pieces are added in order by a second kernel, without atomic additions; identical
 * rows share loads of B; any K, orders, leading dimensions and alignments; slabs. */
#include "core/checked.h"
#include "spmm/gpu/device_merge.h"
#include "spmm/gpu/device_teams.h"

#include <math.h>

/* The first matching line is used. `across`: lanes with 16 bytes each; `runs`: loads per lane. */
static const struct kind_of_rows {
    double most_variation, most_mean; /* of row lengths */
    int32_t across, runs;
    bool ordered;
} kinds[] = {
    {SPL__SPMM_ALIKE, INFINITY, 64, 1, false}, /* similar rows */
    /* short rows: reading a row twice costs as much as its entries */
    {INFINITY, 4, 32, 2, true},
    {INFINITY, INFINITY, 8, 2, true}, /* rows of any length */
};

/* The length of pieces of cut rows, as a multiple of the entries per thread of a full device;
 * and the number of pieces per team. In small matrices the last piece determines the time: 22 us
 * for 128 entries by eight lanes, H100, f32, K = 32; ca-AstroPh 22 -> 16, cora 22 -> 11. But
 * pieces must be added, at a sixth of the cost of an entry per piece. */
enum {
    LEAST_PIECE = 32,
    MOST_LEAST = 128,
    MOST_PIECE = 1024,
    PIECES_OF_TEAM = 3,
    TIMES_OF_THREAD = 16,
    ENTRIES_OF_PIECE = 6
};

static int64_t power_of_two(double least, int64_t from, int64_t to)
{
    int64_t power = from;
    while (power < to && (double)power < least)
        power *= 2;
    return power;
}

/* Lanes per entry: up to FEW_LANES process several entries at once, up to MOST_DIRECT may load
 * their entries themselves (device_teams_layout.c). */
enum { FEW_LANES = 2, MOST_DIRECT = 4 };

/* Dense rows share L1 while neighbours progress together: long pieces, if there are enough
 * tiles. */
static int64_t choose_piece(const spl__task *task, const spl__spmm_shape *s)
{
    enum { NARROW = 8 }; /* teams of fewer lanes process several entries at once */
    const spl__features *f = &task->plan->features;
    double tiles = ceil(f->cols / (double)spl__device_teams_tile(task, s));
    double of_thread = f->nnz_a * tiles / spl__device_teams_resident(task);
    int64_t least =
        power_of_two(fmax(TIMES_OF_THREAD * of_thread, sqrt(f->longest_row_a / ENTRIES_OF_PIECE)),
                     s->across < NARROW ? 2 * LEAST_PIECE : LEAST_PIECE, MOST_LEAST);
    return power_of_two(fmax(of_thread * s->across / PIECES_OF_TEAM, f->mean_row_a * tiles / 4),
                        least, MOST_PIECE);
}

/* The mean row length above which reading A once more is cheaper than tiles of B that exceed the
 * cache: 1.05 to 1.08 times as fast on an H100, K = 256 (reddit, citation, products, ppa), 0.93
 * with 6 entries (youtube, am, wikikg2). */
enum { MEAN_FOR_NARROW = 20 };

static double tile_of_b(const spl__task *task, const spl__spmm_shape *s)
{
    return task->plan->features.inner * s->run * s->runs * s->across;
}

static double cache_of(const spl__task *task)
{
    return (double)task->plan->problem.queue.device->properties.cache_bytes;
}

/* Whether rows are ordered by length. If lengths vary but no row is long, a task list costs as
 * much as it gains (H100, f32, K = 2, p2p-Gnutella31 17 -> 8 us); where most rows are empty the
 * others come first. */
static bool is_ordered(const spl__features *f, int32_t across)
{
    const bool few = across <= FEW_LANES;
    return f->longest_row_a > (few ? MOST_LEAST : LEAST_PIECE) ||
           (!few && f->empty_rows_a > f->rows / 2);
}

/* Whether rows that are computed together leave multiprocessors without work. */
static bool leaves_room(const spl__task *task, double lanes)
{
    return task->plan->features.rows * lanes <
           task->plan->gpu_machine->spmm_merged_fills * spl__device_teams_resident(task);
}

/* Lanes per entry: fewer than a row of B takes where rows leave room, so that a warp has several
 * entries of a row at once, each lane enough of them, and teams compute tiles of few columns. */
static int32_t choose_across(const spl__task *task, const struct kind_of_rows *kind, double lanes)
{
    enum { LEAST = 8, ENTRIES_OF_LANE = 4 };
    const spl__features *f = &task->plan->features;
    const int32_t most = task->plan->problem.queue.device->properties.lanes;
    int32_t across = (int32_t)power_of_two(lanes, 1, kind->across), warp = across;
    if (warp > most)
        warp = most;
    const double room = spl__device_teams_resident(task) / fmax(1, f->rows * lanes);
    while (across > LEAST && 2 * warp <= room * across &&
           ENTRIES_OF_LANE * 2 * warp <= f->mean_row_a * across)
        across /= 2;
    return across;
}

static void choose_cut(const spl__task *task, bool identical, double lanes, spl__spmm_shape *s)
{
    enum { NOT_CUT = 2 }; /* rows of up to that many pieces are not cut, to save a launch */
    const spl__features *f = &task->plan->features;
    const bool narrow = spl__device_teams_across(task, s) == 1;
    const int64_t piece = choose_piece(task, s);
    s->cut.ordered = !identical && is_ordered(f, s->across);
    s->cut.identical = identical ? !narrow && !leaves_room(task, lanes) : s->across > MOST_DIRECT;
    s->cut.clustered = identical && !spl__problem_is_single(&task->plan->problem);
    s->cut.merged = identical && !narrow && spl__spmm_merging_pays(task->plan, lanes);
    s->cut.longest =
        s->cut.ordered && f->longest_row_a > NOT_CUT * (double)piece ? piece : SPMM_MOST_LONGEST;
}

/* Where the device has room for a block per long row, and per tile of few columns, nothing is cut
 * and ordered: latency is all that such products cost, of one launch, of lists and of the longest
 * row, whose entries all warps of a block load at once. A matrix with rows of more than `limit`
 * entries has at most nnz/limit of them. Where no row is longer than that, the lanes of a warp walk
 * it in less than a block takes to add up, and nothing is listed. */
static bool choose_parts(const spl__task *task, spl__spmm_shape *chosen)
{
    enum { LEAST_LONG = 16, MOST_LONG = 64, MOST_ACROSS = 8, ROUNDS = 4 };
    const spl__features *f = &task->plan->features;
    const spl__device_properties *p = &task->plan->problem.queue.device->properties;
    spl__spmm_shape s = *chosen;
    s.across = (int32_t)spl__min_i64(s.across, MOST_ACROSS);
    s.runs = 1;
    const double tiles = ceil(f->cols / (double)spl__device_teams_tile(task, &s)),
                 blocks = spl__device_teams_resident(task) / SPMM_ROWS_THREADS,
                 least = f->nnz_a * fmax(1, tiles) / blocks;
    const int64_t at_once = SPMM_ROWS_THREADS / s.across * SPMM_DIRECT_STEPS,
                  limit = f->longest_row_a <= MOST_LONG
                              ? MOST_LONG
                              : power_of_two(least, LEAST_LONG, MOST_LONG);
    if (least > MOST_LONG || p->lanes < s.across)
        return false;
    s.cut = (spl__spmm_cut){.longest = limit, .part = ROUNDS * at_once};
    *chosen = s;
    return true;
}

static spl__spmm_shape choose(const spl__task *task)
{
    const spl__features *f = &task->plan->features;
    const struct kind_of_rows *kind = kinds;
    spl__spmm_shape s = {.run = 16, .by_slabs = true};
    double lanes = f->cols * (double)spl__type_size(task->plan->problem.a.csr.type) / s.run;
    while (f->variation_row_a > kind->most_variation || f->mean_row_a > kind->most_mean)
        kind++;
    s.across = choose_across(task, kind, lanes);
    s.runs = kind->runs;
    if (f->mean_row_a >= MEAN_FOR_NARROW && tile_of_b(task, &s) > cache_of(task))
        s.runs = 1;
    if (!kind->ordered || !choose_parts(task, &s))
        choose_cut(task, !kind->ordered && f->longest_row_a <= SPMM_MOST_LONGEST, lanes, &s);
    return s;
}

const spl__method spl__spmm_compute_gpu_teams = {
    .summary = "teams of lanes per row, by row lengths: identical rows at once, ordered, cut",
    .source = "S4, optimisations C and SPLIT_SIZE; T. Gale and others, SC'20",
    .revision = 2,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__HALVES,
    .parameters = &(const spl__teams_method){choose},
    .estimate = spl__device_teams_estimate,
    .prepare = spl__device_teams_prepare,
    .execute = spl__device_teams_execute,
    .explain = spl__device_teams_explain,
    .destroy = spl__device_teams_destroy,
};
