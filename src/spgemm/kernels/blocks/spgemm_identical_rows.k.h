/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for merged rows (structure/device_distinct_rows.h): C's structure from that of its
 * merged rows, and values. For values the structures of A and D are the merged ones, C's offsets
 * are those of merged rows, values are read in place from the operands, and columns from C's
 * first row of a group. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_IDENTICAL_ROWS_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_IDENTICAL_ROWS_K_H
#include "spgemm/kernels/spgemm_structures.h"

/* The most rows of a group, and columns of a run, that kernels compute at once. */
enum {
    SPGEMM_FEW_RUNS = 3,
    SPGEMM_MOST_RUNS = 6,
    SPGEMM_RUNS_LANES = 32,
    SPGEMM_RUNS_THREADS = 128
};

/* The offsets and columns of C to be filled. */
struct spgemm_expand_rows {
    int64_t groups;
    const int32_t *firsts;        /* [groups + 1] */
    const int64_t *group_offsets; /* [groups + 1] */
    const int32_t *group_columns;
    int64_t *offsets; /* [rows + 1] */
};
/* offsets[i] = length of row i */
struct spgemm_row_lengths_args {
    struct spgemm_expand_rows x;
};
/* Copies the columns of a group to each of its rows. */
struct spgemm_repeat_rows_args {
    struct spgemm_expand_rows x;
    int32_t *columns;
};
#endif
#else

#include "spgemm/kernels/spgemm_factors.h"

#include "spgemm/kernels/blocks/spgemm_steps.h"
#include "spgemm/kernels/spgemm_positions.h"

/* ---- structure ---- */

KERNEL(spgemm_row_lengths, SPGEMM_ROWS_THREADS, args)
{
    for (int64_t g = BLOCK * THREADS + THREAD; g < args.x.groups; g += BLOCKS * THREADS) {
        const int64_t length = READ(&args.x.group_offsets[g + 1]) - READ(&args.x.group_offsets[g]);
        for (int32_t row = READ(&args.x.firsts[g]); row < READ(&args.x.firsts[g + 1]); row++)
            args.x.offsets[row] = length;
    }
}

DEVICE void FN(repeat_row)(const struct spgemm_repeat_rows_args *args, int64_t group,
                           const int32_t *RESTRICT columns)
{
    const int32_t first = READ(&args->x.firsts[group]),
                  rows = READ(&args->x.firsts[group + 1]) - first;
    const int64_t begin = READ(&args->x.group_offsets[group]), to = READ(&args->x.offsets[first]);
    const int64_t length = READ(&args->x.group_offsets[group + 1]) - begin;
    for (int64_t q = LANE % SPGEMM_RUNS_LANES; q < length; q += SPGEMM_RUNS_LANES) {
        const int32_t column = READ(&columns[begin + q]);
        for (int r = 0; r < rows; r++)
            args->columns[to + r * length + q] = column;
    }
}

KERNEL(spgemm_repeat_rows, SPGEMM_ROWS_THREADS, args)
{
    const int64_t teams = THREADS / SPGEMM_RUNS_LANES;
    for (int64_t g = BLOCK * teams + THREAD / SPGEMM_RUNS_LANES; g < args.x.groups;
         g += BLOCKS * teams)
        FN(repeat_row)(&args, g, args.x.group_columns);
}

/* ---- values ---- */

enum { FN(MOST_RUN_SLICES) = 3 };

/* Number of slices (32 columns of rows of B, one per lane) that are loaded together: as many as
 * registers hold for `most` rows. */
DEVICE int FN(slices_of)(int most)
{
    return most <= SPGEMM_FEW_RUNS ? FN(MOST_RUN_SLICES) : 2;
}

/* A group of identical rows of C: their number, and their values in A. */
typedef struct FN(run_rows) {
    int rows;
    int32_t first;
    P begin;        /* in A's values */
    int32_t length; /* of a row of A */
} FN(run_rows);

DEVICE FN(run_rows) FN(rows_of_group)(const struct spgemm_distinct *j, int64_t group)
{
    FN(run_rows) g;
    g.first = READ(&j->firsts[group]);
    g.rows = READ(&j->firsts[group + 1]) - g.first;
    g.begin = READ(&((const P *)j->a_offsets)[g.first]);
    g.length = (int32_t)(READ(&((const P *)j->a_offsets)[g.first + 1]) - g.begin);
    return g;
}

/* Iterator of a team over the runs of a group, the rows of B of a run (up to `most` at a time),
 * and their columns. */
typedef struct FN(run_walk) {
    FN(walk) w;
    /* in the row of A; rows of B in this step; rows of the run that remain */
    int32_t position, depth, remaining;
} FN(run_walk);

/* What a lane loads in one step: columns of B with their values in all rows, and one or two
 * entries of A at the begin of a run. */
typedef struct FN(run_load) {
    int32_t column[FN(MOST_RUN_SLICES)]; /* -1: none */
    T b[FN(MOST_RUN_SLICES)][SPGEMM_MOST_RUNS];
    FN(of_a) a;
    int depth;
} FN(run_load);

/* Advances to the next rows of B that are not empty. */
DEVICE void FN(run_on)(FN(run_walk) *r, const spgemm_team *t, int most)
{
    FN(walk) *const w = &r->w;
    if (r->remaining > 0) { /* of the same run */
        w->column = 0;
        w->begin += (P)r->depth * w->length;
        r->position += r->depth;
        r->depth = r->remaining < most ? r->remaining : most;
        r->remaining -= r->depth;
        return;
    }
    FN(walk_on)(w, t);
    if (w->done)
        return;
    const int32_t all = SHUFFLE(t->mask, w->lane_length, t->base + w->index);
    r->position = SHUFFLE(t->mask, w->lane_start, t->base + w->index);
    r->depth = all < most ? all : most;
    r->remaining = all - r->depth;
}

DEVICE FN(run_load) FN(nothing_loaded)(void)
{
    FN(run_load) l;
    l.depth = l.a.loaded = 0;
    UNROLL
    for (int s = 0; s < FN(MOST_RUN_SLICES); s++) {
        l.column[s] = -1;
        UNROLL
        for (int k = 0; k < SPGEMM_MOST_RUNS; k++)
            l.b[s][k] = 0;
    }
    l.a.value[0] = l.a.value[1] = 0;
    return l;
}

/* Identical rows of B have consecutive values. Lanes beyond the last column load the last one
 * again, which is cheaper than a branch. */
DEVICE FN(run_load) FN(load_run)(const FN(run_walk) *run, const spgemm_team *t, int most,
                                 const FN(run_rows) *g)
{
    const FN(walk) *const w = &run->w;
    FN(run_load) l = FN(nothing_loaded)();
    l.a.loaded = w->column == 0;
    l.depth = run->depth;
    UNROLL
    for (int i = 0; i < 2; i++) {
        const int index = t->lane + i * SPGEMM_RUNS_LANES, r = index / most, k = index % most;
        if (i * SPGEMM_RUNS_LANES < most * most && l.a.loaded && r < g->rows && k < run->depth)
            l.a.value[i] = READ(&w->f->a.values[g->begin + (P)r * g->length + run->position + k]);
    }
    UNROLL
    for (int s = 0; s < FN(slices_of)(most); s++) {
        const int32_t q = w->column + s * SPGEMM_RUNS_LANES + t->lane, last = w->length - 1,
                      index = q < last ? q : last;
        const int32_t column = READ(&w->f->b.columns[w->begin + index]);
        l.column[s] = q <= last ? column : -1;
        UNROLL
        for (int k = 0; k < most; k++)
            if (k < run->depth)
                l.b[s][k] = READ(&w->f->b.values[w->begin + (P)k * w->length + index]);
    }
    return l;
}

/* Adds A's entries times the lane's columns of B, which differ from all others that the team
 * adds to at the same time. All sums are loaded before the first is stored, to overlap the
 * latencies; lanes without a column compute with zeros. (Separate code for one and two slices,
 * for short rows of B, made those a tenth faster and all others a fifth slower.) */
DEVICE void FN(add_run)(const FN(run_load) *l, const FN(positions) *p, int most, int rows, int kind,
                        const T *shown)
{
    int32_t position[FN(MOST_RUN_SLICES)];
    T sum[FN(MOST_RUN_SLICES)][SPGEMM_MOST_RUNS];
    UNROLL
    for (int s = 0; s < FN(slices_of)(most); s++) {
        position[s] = l->column[s] >= 0 ? spgemm_position_of(&p->lookup, l->column[s], kind) : -1;
        UNROLL
        for (int r = 0; r < most; r++)
            sum[s][r] =
                r < rows && position[s] >= 0 ? p->sums[r * p->lookup.count + position[s]] : (T)0;
    }
    UNROLL
    for (int k = 0; k < most; k++) {
        if (k >= l->depth)
            break;
        UNROLL
        for (int r = 0; r < most; r++) {
            const T a = shown[r * most + k];
            UNROLL
            for (int s = 0; s < FN(slices_of)(most); s++)
                sum[s][r] += a * l->b[s][k];
        }
    }
    UNROLL
    for (int s = 0; s < FN(slices_of)(most); s++) {
        UNROLL
        for (int r = 0; r < most; r++)
            if (r < rows && position[s] >= 0)
                p->sums[r * p->lookup.count + position[s]] = sum[s][r];
    }
}

/* The same where columns of a row of B may repeat: lanes take turns. */
DEVICE void FN(add_run_in_turn)(const FN(run_load) *l, const spgemm_team *t, const FN(positions) *p,
                                int most, int rows, int kind, const T *shown)
{
    UNROLL
    for (int s = 0; s < FN(slices_of)(most); s++) {
        const int32_t position =
            l->column[s] >= 0 ? spgemm_position_of(&p->lookup, l->column[s], kind) : -1;
        for (int turn = 0; turn < t->width; turn++) {
            UNROLL
            for (int k = 0; k < most; k++)
                for (int r = 0; turn == t->lane && position >= 0 && r < rows; r++)
                    p->sums[r * p->lookup.count + position] += shown[r * most + k] * l->b[s][k];
            SYNC_WARP(t->mask);
        }
    }
}

/* Loads of the next step overlap the additions of the current one. */
DEVICE void FN(add_runs)(const FN(positions) *p, const spgemm_team *t, int most, int kind,
                         const FN(run_rows) *g, const struct spgemm_values *v, int64_t group,
                         T *shown)
{
    FN(factors) f = FN(factors_of)(&v->o);
    FN(run_walk) run = {FN(walk_from)(&f, t, group, 1), 0, 0, 0};
    FN(walk) *const w = &run.w;
    f.valued = false; /* values are those of all rows */
    w->runs = true;
    w->run_starts = v->j.run_starts;
    w->row_length = g->length;
    FN(run_on)(&run, t, most);
    if (w->done)
        return;
    FN(run_load) now = FN(load_run)(&run, t, most, g);
    while (!w->done) {
        FN(run_load) next = now;
        w->column += FN(slices_of)(most) * SPGEMM_RUNS_LANES;
        if (w->column >= w->length)
            FN(run_on)(&run, t, most);
        if (!w->done)
            next = FN(load_run)(&run, t, most, g);
        FN(show)(&now.a, t, most * most, f.alpha, shown);
        if (v->ordered)
            FN(add_run)(&now, p, most, g->rows, kind, shown);
        else
            FN(add_run_in_turn)(&now, t, p, most, g->rows, kind, shown);
        now = next;
    }
}

DEVICE void FN(add_addend_runs)(const FN(positions) *p, const spgemm_team *t, int kind,
                                const FN(run_rows) *g, const struct spgemm_values *v, int64_t group,
                                T beta)
{
    const P *d_offsets = (const P *)v->o.s.d_offsets;
    const P begin = d_offsets[group], from = ((const P *)v->j.d_offsets)[g->first];
    const int32_t length = (int32_t)(d_offsets[group + 1] - begin);
    const int adders = v->ordered ? t->width : 1; /* lanes whose columns are known to differ */
    for (int32_t q = t->lane; t->lane < adders && q < length; q += adders) {
        const int32_t position =
            spgemm_position_of(&p->lookup, ((const I *)v->o.s.d_columns)[begin + q], kind);
        for (int r = 0; position >= 0 && r < g->rows; r++)
            p->sums[r * p->lookup.count + position] +=
                beta * ((const T *)v->o.d_values)[from + (P)r * length + q];
    }
}

/* Computes `count` columns of a group, from `begin` on in the structure of merged rows. */
DEVICE void FN(compute_runs)(const struct spgemm_values *v, const spgemm_team *t,
                             unsigned char *shared, int most, int kind, const FN(piece) *piece,
                             int64_t begin, int64_t count)
{
    const T alpha = SCALAR(T, v->o.scalars.alpha), beta = SCALAR(T, v->o.scalars.beta);
    T *const shown = (T *)(shared + (int64_t)(t->number + 1) * v->layout.team_bytes) -
                     SPGEMM_MOST_RUNS * SPGEMM_MOST_RUNS;
    const FN(run_rows) g = FN(rows_of_group)(&v->j, piece->row);
    const int64_t row_begin = v->o.offsets[piece->row], length = piece->end - row_begin;
    const int64_t out_begin = v->j.offsets[g.first] + (begin - row_begin);
    T *const out = (T *)v->o.values + out_begin;
    FN(positions) p = FN(positions_in)(v, t, shared, kind, begin, count, g.rows);
    FN(make_positions)(&p, t, kind, v->o.columns + out_begin);
    if (alpha != 0)
        FN(add_runs)(&p, t, most, kind, &g, v, piece->row, shown);
    spgemm_team_sync(t);
    if (beta != 0 && v->o.s.d_offsets)
        FN(add_addend_runs)(&p, t, kind, &g, v, piece->row, beta);
    spgemm_team_sync(t);
    for (int r = 0; r < g.rows; r++)
        for (int32_t q = t->rank; q < p.lookup.count; q += t->size)
            out[r * length + q] = p.sums[r * p.lookup.count + q];
    spgemm_team_sync(t);
}

DEVICE void FN(compute_groups)(const struct spgemm_values *v, unsigned char *shared, int most,
                               int kind)
{
    const spgemm_team t = spgemm_team_of(SPGEMM_RUNS_LANES, SPGEMM_RUNS_LANES);
    const int64_t teams = THREADS / t.size;
    for (int64_t k = BLOCK * teams + t.number; k < v->layout.list_count * v->layout.pieces;
         k += BLOCKS * teams) {
        const FN(piece) piece = FN(piece_of)(v, k);
        for (int64_t index = piece.begin; index < piece.end;
             index += v->layout.most * v->layout.pieces)
            FN(compute_runs)(v, &t, shared, most, kind, &piece, index,
                             FN(length_of_chunk)(v, &piece, index));
    }
}

KERNEL_OF(struct spgemm_values, spgemm_few_rows_values, SPGEMM_RUNS_THREADS, v)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    FN(compute_groups)(&v, shared, SPGEMM_FEW_RUNS, SPGEMM_NESTED);
}

KERNEL_OF(struct spgemm_values, spgemm_more_rows_values, SPGEMM_RUNS_THREADS, v)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    if (v.layout.kind == SPGEMM_NESTED)
        FN(compute_groups)(&v, shared, SPGEMM_MOST_RUNS, SPGEMM_NESTED);
    else
        FN(compute_groups)(&v, shared, SPGEMM_MOST_RUNS, SPGEMM_HASH);
}
#endif
