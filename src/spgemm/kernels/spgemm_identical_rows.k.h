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

struct spgemm_few_rows_values_args {
    struct spgemm_values v;
};
struct spgemm_more_rows_values_args {
    struct spgemm_values v;
};
#endif
#else

#include "spgemm/kernels/spgemm_team.h"

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
    FN(entries) e; /* one run per lane */
    /* this lane's run: its begin in the row, its number of columns */
    int32_t lane_position, lane_of;
    P from, last;           /* runs: the first one in e, and the end */
    int index;              /* of the current run in e */
    P begin;                /* of the first row of B of the step */
    int32_t length, column; /* of B's rows; the current column */
    /* in the row of A; rows of B in this step; rows of the run that remain */
    int32_t position, depth, left;
    bool done;
} FN(run_walk);

/* What a lane loads in one step: columns of B with their values in all rows, and one or two
 * entries of A at the begin of a run. */
typedef struct FN(run_load) {
    int32_t column[FN(MOST_RUN_SLICES)]; /* -1: none */
    T b[FN(MOST_RUN_SLICES)][SPGEMM_MOST_RUNS];
    T a[2];
    int depth;
    bool first; /* columns of B's rows */
} FN(run_load);

/* Loads the runs from w->from on, one per lane. */
DEVICE void FN(next_runs)(FN(run_walk) *w, const FN(team) *t, const FN(run_rows) *g,
                          const struct spgemm_values *v)
{
    const P mine = w->from + t->lane;
    w->e = FN(entries_from)(t, w->from, w->last, 0, (const I *)v->o.s.a_columns, (const T *)0,
                            (const P *)v->o.s.b_offsets);
    w->lane_position = mine < w->last ? READ(&v->j.run_starts[mine]) : 0;
    w->lane_of =
        (mine + 1 < w->last ? READ(&v->j.run_starts[mine + 1]) : g->length) - w->lane_position;
}

/* Advances to the next rows of B that are not empty. */
DEVICE void FN(run_on)(FN(run_walk) *w, const FN(team) *t, int most, const FN(run_rows) *g,
                       const struct spgemm_values *v)
{
    w->column = 0;
    if (w->left > 0) { /* of the same run */
        w->begin += (P)w->depth * w->length;
        w->position += w->depth;
        w->depth = w->left < most ? w->left : most;
        w->left -= w->depth;
        return;
    }
    do {
        w->index++;
        if (w->index >= w->e.count) {
            w->from += t->width;
            w->index = 0;
            w->done = w->from >= w->last;
            if (w->done)
                return;
            FN(next_runs)(w, t, g, v);
        }
        w->begin = SHUFFLE(t->mask, w->e.begin, t->base + w->index);
        w->length = (int32_t)SHUFFLE(t->mask, w->e.length, t->base + w->index);
    } while (w->length == 0);
    const int32_t all = SHUFFLE(t->mask, w->lane_of, t->base + w->index);
    w->position = SHUFFLE(t->mask, w->lane_position, t->base + w->index);
    w->depth = all < most ? all : most;
    w->left = all - w->depth;
}

DEVICE FN(run_load) FN(nothing_loaded)(void)
{
    FN(run_load) l;
    l.depth = l.first = 0;
    UNROLL
    for (int s = 0; s < FN(MOST_RUN_SLICES); s++) {
        l.column[s] = -1;
        UNROLL
        for (int k = 0; k < SPGEMM_MOST_RUNS; k++)
            l.b[s][k] = 0;
    }
    l.a[0] = l.a[1] = 0;
    return l;
}

/* Identical rows of B have consecutive values. Lanes beyond the last column load the last one
 * again, which is cheaper than a branch. */
DEVICE FN(run_load) FN(load_run)(const FN(run_walk) *w, const FN(team) *t, int most,
                                 const FN(run_rows) *g, const T *RESTRICT a_values,
                                 const I *RESTRICT b_columns, const T *RESTRICT b_values)
{
    FN(run_load) l = FN(nothing_loaded)();
    l.first = w->column == 0;
    l.depth = w->depth;
    UNROLL
    for (int i = 0; i < 2; i++) {
        const int index = t->lane + i * SPGEMM_RUNS_LANES, r = index / most, k = index % most;
        if (i * SPGEMM_RUNS_LANES < most * most && l.first && r < g->rows && k < w->depth)
            l.a[i] = READ(&a_values[g->begin + (P)r * g->length + w->position + k]);
    }
    UNROLL
    for (int s = 0; s < FN(slices_of)(most); s++) {
        const int32_t q = w->column + s * SPGEMM_RUNS_LANES + t->lane, last = w->length - 1,
                      index = q < last ? q : last;
        const int32_t column = READ(&b_columns[w->begin + index]);
        l.column[s] = q <= last ? column : -1;
        UNROLL
        for (int k = 0; k < most; k++)
            if (k < w->depth)
                l.b[s][k] = READ(&b_values[w->begin + (P)k * w->length + index]);
    }
    return l;
}

/* Stores alpha * A's entries to shared memory. The sums of the previous rows of B are complete
 * afterwards. */
DEVICE void FN(show_run)(const FN(run_load) *l, const FN(team) *t, int most, T alpha, T *shown)
{
    if (!l->first)
        return;
    SYNC_WARP(t->mask);
    UNROLL
    for (int i = 0; i < 2; i++)
        if (t->lane + i * SPGEMM_RUNS_LANES < most * most)
            shown[t->lane + i * SPGEMM_RUNS_LANES] = alpha * l->a[i];
    SYNC_WARP(t->mask);
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
        position[s] = l->column[s] >= 0 ? FN(position_of)(p, l->column[s], kind) : -1;
        UNROLL
        for (int r = 0; r < most; r++)
            sum[s][r] = r < rows && position[s] >= 0 ? p->sums[r * p->count + position[s]] : (T)0;
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
                p->sums[r * p->count + position[s]] = sum[s][r];
    }
}

/* The same where columns of a row of B may repeat: lanes take turns. */
DEVICE void FN(add_run_in_turn)(const FN(run_load) *l, const FN(team) *t, const FN(positions) *p,
                                int most, int rows, int kind, const T *shown)
{
    UNROLL
    for (int s = 0; s < FN(slices_of)(most); s++) {
        const int32_t position = l->column[s] >= 0 ? FN(position_of)(p, l->column[s], kind) : -1;
        for (int turn = 0; turn < t->width; turn++) {
            UNROLL
            for (int k = 0; k < most; k++)
                for (int r = 0; turn == t->lane && position >= 0 && r < rows; r++)
                    p->sums[r * p->count + position] += shown[r * most + k] * l->b[s][k];
            SYNC_WARP(t->mask);
        }
    }
}

/* Loads of the next step overlap the additions of the current one. */
DEVICE void FN(add_runs)(const FN(positions) *p, const FN(team) *t, int most, int kind,
                         const FN(run_rows) *g, const struct spgemm_values *v, int64_t group,
                         T alpha, T *shown)
{
    const P *a_offsets = (const P *)v->o.s.a_offsets;
    const T *a_values = (const T *)v->o.a_values, *b_values = (const T *)v->o.b_values;
    const I *b_columns = (const I *)v->o.s.b_columns;
    FN(run_walk) w;
    w.e.count = w.index = 0;
    w.left = 0;
    w.from = READ(&a_offsets[group]) - t->width;
    w.last = READ(&a_offsets[group + 1]);
    FN(run_on)(&w, t, most, g, v);
    if (w.done)
        return;
    FN(run_load) now = FN(load_run)(&w, t, most, g, a_values, b_columns, b_values);
    while (!w.done) {
        FN(run_load) next = now;
        w.column += FN(slices_of)(most) * SPGEMM_RUNS_LANES;
        if (w.column >= w.length)
            FN(run_on)(&w, t, most, g, v);
        if (!w.done)
            next = FN(load_run)(&w, t, most, g, a_values, b_columns, b_values);
        FN(show_run)(&now, t, most, alpha, shown);
        if (v->ordered)
            FN(add_run)(&now, p, most, g->rows, kind, shown);
        else
            FN(add_run_in_turn)(&now, t, p, most, g->rows, kind, shown);
        now = next;
    }
}

DEVICE void FN(add_addend_runs)(const FN(positions) *p, const FN(team) *t, int kind,
                                const FN(run_rows) *g, const struct spgemm_values *v, int64_t group,
                                T beta)
{
    const P *d_offsets = (const P *)v->o.s.d_offsets;
    const P begin = d_offsets[group], from = ((const P *)v->j.d_offsets)[g->first];
    const int32_t length = (int32_t)(d_offsets[group + 1] - begin);
    const int together = v->ordered ? t->width : 1; /* lanes whose columns are known to differ */
    for (int32_t q = t->lane; t->lane < together && q < length; q += together) {
        const int32_t position = FN(position_of)(p, ((const I *)v->o.s.d_columns)[begin + q], kind);
        for (int r = 0; position >= 0 && r < g->rows; r++)
            p->sums[r * p->count + position] +=
                beta * ((const T *)v->o.d_values)[from + (P)r * length + q];
    }
}

/* Computes `count` columns of a group, from `begin` on in the structure of merged rows. */
DEVICE void FN(compute_runs)(const struct spgemm_values *v, const FN(team) *t,
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
        FN(add_runs)(&p, t, most, kind, &g, v, piece->row, alpha, shown);
    FN(team_sync)(t);
    if (beta != 0 && v->o.s.d_offsets)
        FN(add_addend_runs)(&p, t, kind, &g, v, piece->row, beta);
    FN(team_sync)(t);
    for (int r = 0; r < g.rows; r++)
        for (int32_t q = t->rank; q < p.count; q += t->size)
            out[r * length + q] = p.sums[r * p.count + q];
    FN(team_sync)(t);
}

DEVICE void FN(compute_groups)(const struct spgemm_values *v, unsigned char *shared, int most,
                               int kind)
{
    const FN(team) t = FN(team_of)(SPGEMM_RUNS_LANES, SPGEMM_RUNS_LANES);
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

KERNEL(spgemm_few_rows_values, SPGEMM_RUNS_THREADS, args)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    FN(compute_groups)(&args.v, shared, SPGEMM_FEW_RUNS, SPGEMM_NESTED);
}

KERNEL(spgemm_more_rows_values, SPGEMM_RUNS_THREADS, args)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    if (args.v.layout.kind == SPGEMM_NESTED)
        FN(compute_groups)(&args.v, shared, SPGEMM_MOST_RUNS, SPGEMM_NESTED);
    else
        FN(compute_groups)(&args.v, shared, SPGEMM_MOST_RUNS, SPGEMM_HASH);
}
#endif
