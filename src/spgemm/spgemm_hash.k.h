/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of SpGEMM with hash tables: counting work, grouping rows, finding the columns of C (symbolic_hash_gpu.c) and its values
 * (numeric_hash_gpu.c). A team of threads has a row of C: a group of lanes of one warp, or a whole block. */
#ifndef T
#ifndef SPL_SPGEMM_HASH_K_H
#define SPL_SPGEMM_HASH_K_H
#include "device/scalars.h"

enum { SPGEMM_ROWS_THREADS = 256, SPGEMM_MOST_THREADS = 512, SPGEMM_MOST_GROUPS = 8, SPGEMM_WORK_LANES = 8 };

/* Structures of C = A*B + D. d_offsets NULL: no D. */
struct spgemm_structures {
    int64_t rows, cols;                /* of C */
    const void *a_offsets, *a_columns; /* P, I */
    const void *b_offsets, *b_columns;
    const void *d_offsets, *d_columns;
};

/* Sums over rows, and the largest row, of products + entries of D; `bound`: the sum where no row has more than cols. */
struct spgemm_work {
    uint64_t products, longest, bound;
};

struct spgemm_count_work_args {
    struct spgemm_structures s;
    int64_t *work; /* [rows] */
    struct spgemm_work *sums;
};

/* The group of a row is the first whose bound is not less than its size; rows beyond the last bound are in group `groups`, rows of size 0 in the
 * first. */
struct spgemm_group_rows_args {
    int64_t rows, most;     /* sizes are cut off at `most` */
    const int64_t *sizes;   /* [rows]; NULL: differences of offsets */
    const int64_t *offsets; /* [rows+1] */
    int64_t bounds[SPGEMM_MOST_GROUPS];
    int32_t groups;
    uint32_t *keys, *ids; /* [rows]: group and row */
    uint32_t *counts;     /* [groups+1], from zero */
};

/* Finds the distinct columns of the listed rows of C. Without `columns` it counts them: counts[row]. With `columns` it writes them, from
 * offsets[row] on, sorted unless `unsorted`. */
struct spgemm_find_args {
    struct spgemm_structures s;
    const uint32_t *list; /* [list_count] rows */
    int64_t list_count;
    int32_t team, shift, unsorted;
    int64_t slots;   /* of one table, 2^(32-shift) */
    int32_t *tables; /* one per block in global memory; NULL: one per team in shared memory */
    int64_t *counts;
    const int64_t *offsets;
    int32_t *columns;
};

/* values of the listed rows of C = alpha*A*B + beta*D, whose columns are known */
struct spgemm_hash_values_args {
    struct spgemm_structures s;
    const void *a_values, *b_values, *d_values;
    spl__device_scalars scalars;
    const uint32_t *list;
    int64_t list_count;
    int32_t team, shift;
    int64_t slots;
    int32_t *tables; /* slots per block in global memory, with `sums`; NULL: both in shared memory */
    void *sums;
    const int64_t *offsets;
    const int32_t *columns;
    void *values;
};

/* values of all rows, one thread each, in the order of A's and B's entries */
struct spgemm_ordered_values_args {
    struct spgemm_structures s;
    const void *a_values, *b_values, *d_values;
    spl__device_scalars scalars;
    const int64_t *offsets;
    const int32_t *columns;
    int32_t unsorted;
    void *values;
};
#endif
#else

/* ---- work and groups ---- */

DEVICE int64_t FN(row_length)(const P *RESTRICT offsets, int64_t row)
{
    return offsets ? (int64_t)READ(&offsets[row + 1]) - (int64_t)READ(&offsets[row]) : 0;
}

/* products + entries of D of one row, summed by a group of lanes; all of them have it */
DEVICE int64_t FN(row_work)(int64_t row, const P *RESTRICT a_offsets, const I *RESTRICT a_columns,
                            const P *RESTRICT b_offsets, const P *RESTRICT d_offsets)
{
    int64_t work = LANE % SPGEMM_WORK_LANES == 0 ? FN(row_length)(d_offsets, row) : 0;
    for (P p = a_offsets[row] + LANE % SPGEMM_WORK_LANES; p < a_offsets[row + 1]; p += SPGEMM_WORK_LANES)
        work += FN(row_length)(b_offsets, READ(&a_columns[p]));
    for (int x = SPGEMM_WORK_LANES / 2; x > 0; x /= 2)
        work += SHUFFLE_XOR(GROUP_MASK(SPGEMM_WORK_LANES), work, x);
    return work;
}

KERNEL(spgemm_count_work, SPGEMM_ROWS_THREADS, args)
{
    const int64_t teams = THREADS / SPGEMM_WORK_LANES;
    uint64_t products = 0, longest = 0, bound = 0;
    for (int64_t row = BLOCK * teams + THREAD / SPGEMM_WORK_LANES; row < args.s.rows; row += BLOCKS * teams) {
        const int64_t work = FN(row_work)(row, (const P *)args.s.a_offsets, (const I *)args.s.a_columns,
                                          (const P *)args.s.b_offsets, (const P *)args.s.d_offsets);
        if (LANE % SPGEMM_WORK_LANES == 0)
            args.work[row] = work;
        products += (uint64_t)work;
        bound += (uint64_t)(work < args.s.cols ? work : args.s.cols);
        longest = (uint64_t)work > longest ? (uint64_t)work : longest;
    }
    if (LANE % SPGEMM_WORK_LANES != 0)
        return;
    ATOMIC_ADD(&args.sums->products, products);
    ATOMIC_ADD(&args.sums->bound, bound);
    ATOMIC_MAX(&args.sums->longest, longest);
}

KERNEL(spgemm_group_rows, SPGEMM_ROWS_THREADS, args)
{
    SHARED(uint32_t, counts, SPGEMM_MOST_GROUPS + 1);
    if (THREAD <= args.groups)
        counts[THREAD] = 0;
    SYNC();
    for (int64_t row = BLOCK * THREADS + THREAD; row < args.rows; row += BLOCKS * THREADS) {
        int64_t size = args.sizes ? args.sizes[row] : args.offsets[row + 1] - args.offsets[row];
        uint32_t group = 0;
        size = size < args.most ? size : args.most;
        while (group < (uint32_t)args.groups && size > args.bounds[group])
            group++;
        args.keys[row] = group;
        args.ids[row] = (uint32_t)row;
        ATOMIC_ADD(&counts[group], 1);
    }
    SYNC();
    if (THREAD <= args.groups)
        ATOMIC_ADD(&args.counts[THREAD], counts[THREAD]);
}

/* ---- tables ---- */

DEVICE void FN(team_sync)(int team)
{
    if (team > LANES)
        SYNC();
    else
        SYNC_WARP(GROUP_MASK(team));
}

/* The slot of `column`, which is put there if it is new: then *is_new. Open addressing, multiplicative hash (Knuth, volume 3, 6.4). */
DEVICE int64_t FN(table_insert)(int32_t *table, int64_t slots, int shift, int32_t column, bool *is_new)
{
    int64_t slot = ((uint32_t)column * 2654435761u) >> shift;
    for (;; slot = (slot + 1) & (slots - 1)) {
        int32_t there = LOAD_VOLATILE(&table[slot]);
        if (there == -1)
            there = ATOMIC_CAS(&table[slot], -1, column);
        *is_new = there == -1;
        if (there == -1 || there == column)
            return slot;
    }
}

/* The slot of a column that is in the table; nobody inserts meanwhile. */
DEVICE int64_t FN(table_find)(const int32_t *table, int64_t slots, int shift, int32_t column)
{
    int64_t slot = ((uint32_t)column * 2654435761u) >> shift;
    while (table[slot] != column)
        slot = (slot + 1) & (slots - 1);
    return slot;
}

/* Sorts keys[0..count), ascending: a bitonic network in which every comparison puts the smaller key first, so that what is missing to a power of
 * two may be imagined behind the end. K. Batcher, Sorting networks and their applications, AFIPS 1968. */
DEVICE void FN(team_sort)(int32_t *keys, int64_t count, int team)
{
    const int rank = THREAD % team;
    for (int64_t size = 2; size / 2 < count; size *= 2)
        for (int64_t step = size / 2; step > 0; step /= 2) {
            FN(team_sync)(team);
            for (int64_t i = rank;; i += team) {
                const int64_t low = i / step * 2 * step + i % step;
                const int64_t high = step == size / 2 ? i / step * 2 * step + 2 * step - 1 - i % step : low + step;
                if (low >= count)
                    break;
                if (high < count && keys[low] > keys[high]) {
                    const int32_t key = keys[low];
                    keys[low] = keys[high];
                    keys[high] = key;
                }
            }
        }
    FN(team_sync)(team);
}

/* ---- columns ---- */

/* A team's place: its table, how many columns it has found, and where they go (NULL: they are only counted). */
typedef struct FN(finder) {
    int32_t *table, *count, *out;
    int64_t slots;
    int shift;
} FN(finder);

DEVICE void FN(find_column)(const FN(finder) * f, int32_t column)
{
    bool is_new;
    FN(table_insert)(f->table, f->slots, f->shift, column, &is_new);
    if (!is_new)
        return;
    const int32_t position = ATOMIC_ADD(f->count, 1);
    if (f->out)
        f->out[position] = column;
}

/* Warps of the team (or the one group of lanes) take entries of A in turn, their lanes walk the row of B. */
DEVICE void FN(find_products)(const FN(finder) * f, int64_t row, int team, const P *RESTRICT a_offsets,
                              const I *RESTRICT a_columns, const P *RESTRICT b_offsets, const I *RESTRICT b_columns)
{
    const int width = team < LANES ? team : LANES, rank = THREAD % team;
    const P last = READ(&a_offsets[row + 1]);
    for (P p = READ(&a_offsets[row]) + rank / width; p < last; p += team / width) {
        const I k = READ(&a_columns[p]);
        const P end = READ(&b_offsets[k + 1]);
        for (P q = READ(&b_offsets[k]) + rank % width; q < end; q += width)
            FN(find_column)(f, READ(&b_columns[q]));
    }
}

DEVICE void FN(find_addend)(const FN(finder) * f, int64_t row, int team, const P *RESTRICT d_offsets,
                            const I *RESTRICT d_columns)
{
    if (d_offsets)
        for (P p = d_offsets[row] + THREAD % team; p < d_offsets[row + 1]; p += team)
            FN(find_column)(f, d_columns[p]);
}

/* The columns of a row, found in any order, in order. The table, in shared memory, is not needed any more and has room for them. */
DEVICE void FN(order_columns)(const FN(finder) * f, int64_t count, int team, bool in_table)
{
    if (!in_table) {
        FN(team_sort)(f->out, count, team);
        return;
    }
    for (int64_t i = THREAD % team; i < count; i += team)
        f->table[i] = f->out[i];
    FN(team_sort)(f->table, count, team);
    for (int64_t i = THREAD % team; i < count; i += team)
        f->out[i] = f->table[i];
}

KERNEL(spgemm_find, SPGEMM_MOST_THREADS, args)
{
    SHARED(int32_t, counts, SPGEMM_MOST_THREADS);
    SHARED_AT_LAUNCH(int32_t, shared_tables);
    const int team = args.team, rank = THREAD % team, number = THREAD / team;
    const int64_t teams = THREADS / team;
    FN(finder) f;
    f.table = args.tables ? args.tables + BLOCK * args.slots : shared_tables + number * args.slots;
    f.count = counts + number;
    f.slots = args.slots;
    f.shift = args.shift;
    for (int64_t k = BLOCK * teams + number; k < args.list_count; k += BLOCKS * teams) {
        const int64_t row = args.list[k];
        f.out = args.columns ? args.columns + args.offsets[row] : (int32_t *)0;
        for (int64_t slot = rank; slot < f.slots; slot += team)
            f.table[slot] = -1;
        if (rank == 0)
            *f.count = 0;
        FN(team_sync)(team);
        FN(find_products)
        (&f, row, team, (const P *)args.s.a_offsets, (const I *)args.s.a_columns, (const P *)args.s.b_offsets,
         (const I *)args.s.b_columns);
        FN(find_addend)(&f, row, team, (const P *)args.s.d_offsets, (const I *)args.s.d_columns);
        FN(team_sync)(team);
        const int64_t count = *f.count;
        if (!f.out && rank == 0)
            args.counts[row] = count;
        if (f.out && !args.unsorted)
            FN(order_columns)(&f, count, team, !args.tables);
        FN(team_sync)(team); /* the next row begins with the table */
    }
}

/* ---- values ---- */

typedef struct FN(adder) {
    int32_t *table;
    T *sums;
    int64_t slots;
    int shift;
} FN(adder);

DEVICE void FN(add_products)(const FN(adder) * s, int64_t row, int team, T alpha, const P *RESTRICT a_offsets,
                             const I *RESTRICT a_columns, const T *RESTRICT a_values, const P *RESTRICT b_offsets,
                             const I *RESTRICT b_columns, const T *RESTRICT b_values)
{
    const int width = team < LANES ? team : LANES, rank = THREAD % team;
    const P last = READ(&a_offsets[row + 1]);
    for (P p = READ(&a_offsets[row]) + rank / width; p < last; p += team / width) {
        const I k = READ(&a_columns[p]);
        const P end = READ(&b_offsets[k + 1]);
        const T a = alpha * READ(&a_values[p]);
        for (P q = READ(&b_offsets[k]) + rank % width; q < end; q += width)
            ATOMIC_ADD(&s->sums[FN(table_find)(s->table, s->slots, s->shift, READ(&b_columns[q]))],
                       a * READ(&b_values[q]));
    }
}

DEVICE void FN(add_addend)(const FN(adder) * s, int64_t row, int team, T beta, const P *RESTRICT d_offsets,
                           const I *RESTRICT d_columns, const T *RESTRICT d_values)
{
    for (P p = d_offsets[row] + THREAD % team; p < d_offsets[row + 1]; p += team)
        ATOMIC_ADD(&s->sums[FN(table_find)(s->table, s->slots, s->shift, d_columns[p])], beta * d_values[p]);
}

/* The known columns of the row into the empty table, with sums of zero. */
DEVICE void FN(place_columns)(const FN(adder) * s, int team, const int32_t *RESTRICT columns, int64_t count)
{
    bool is_new;
    for (int64_t slot = THREAD % team; slot < s->slots; slot += team) {
        s->table[slot] = -1;
        s->sums[slot] = 0;
    }
    FN(team_sync)(team);
    for (int64_t i = THREAD % team; i < count; i += team)
        FN(table_insert)(s->table, s->slots, s->shift, columns[i], &is_new);
    FN(team_sync)(team);
}

KERNEL(spgemm_hash_values, SPGEMM_MOST_THREADS, args)
{
    SHARED_AT_LAUNCH(T, shared_sums);
    const int team = args.team, rank = THREAD % team, number = THREAD / team;
    const int64_t teams = THREADS / team;
    const T alpha = SCALAR(T, args.scalars.alpha), beta = SCALAR(T, args.scalars.beta);
    FN(adder) s;
    s.slots = args.slots;
    s.shift = args.shift;
    s.sums = args.tables ? (T *)args.sums + BLOCK * args.slots : shared_sums + number * args.slots;
    s.table = args.tables ? args.tables + BLOCK * args.slots
                          : (int32_t *)(shared_sums + teams * args.slots) + number * args.slots;
    for (int64_t k = BLOCK * teams + number; k < args.list_count; k += BLOCKS * teams) {
        const int64_t row = args.list[k], begin = args.offsets[row], count = args.offsets[row + 1] - begin;
        FN(place_columns)(&s, team, args.columns + begin, count);
        if (alpha != 0)
            FN(add_products)
        (&s, row, team, alpha, (const P *)args.s.a_offsets, (const I *)args.s.a_columns, (const T *)args.a_values,
         (const P *)args.s.b_offsets, (const I *)args.s.b_columns, (const T *)args.b_values);
        if (beta != 0 && args.s.d_offsets)
            FN(add_addend)
        (&s, row, team, beta, (const P *)args.s.d_offsets, (const I *)args.s.d_columns, (const T *)args.d_values);
        FN(team_sync)(team);
        for (int64_t i = rank; i < count; i += team)
            ((T *)args.values)[begin + i] = s.sums[FN(table_find)(s.table, s.slots, s.shift, args.columns[begin + i])];
        FN(team_sync)(team);
    }
}

/* ---- in order ---- */

/* Where `column` is among those of a row: by halving if they are sorted. It is there. */
DEVICE int64_t FN(position)(const int32_t *RESTRICT columns, int64_t count, int32_t column, int unsorted)
{
    int64_t low = 0, high = count;
    while (unsorted && columns[low] != column)
        low++;
    while (!unsorted && high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (columns[middle] <= column)
            low = middle;
        else
            high = middle;
    }
    return low;
}

DEVICE void FN(ordered_row)(const struct spgemm_ordered_values_args *args, int64_t row, T alpha, T beta)
{
    const P *a_offsets = (const P *)args->s.a_offsets, *b_offsets = (const P *)args->s.b_offsets;
    const P *d_offsets = (const P *)args->s.d_offsets;
    const I *a_columns = (const I *)args->s.a_columns, *b_columns = (const I *)args->s.b_columns;
    const int64_t begin = args->offsets[row], count = args->offsets[row + 1] - begin;
    T *const out = (T *)args->values + begin;
    for (int64_t i = 0; i < count; i++)
        out[i] = 0;
    for (P p = a_offsets[row]; alpha != 0 && p < a_offsets[row + 1]; p++)
        for (P q = b_offsets[a_columns[p]]; q < b_offsets[a_columns[p] + 1]; q++)
            out[FN(position)(args->columns + begin, count, b_columns[q], args->unsorted)] +=
                alpha * ((const T *)args->a_values)[p] * ((const T *)args->b_values)[q];
    for (P p = beta != 0 && d_offsets ? d_offsets[row] : 0; beta != 0 && d_offsets && p < d_offsets[row + 1]; p++)
        out[FN(position)(args->columns + begin, count, ((const I *)args->s.d_columns)[p], args->unsorted)] +=
            beta * ((const T *)args->d_values)[p];
}

KERNEL(spgemm_ordered_values, SPGEMM_ROWS_THREADS, args)
{
    const T alpha = SCALAR(T, args.scalars.alpha), beta = SCALAR(T, args.scalars.beta);
    for (int64_t row = BLOCK * THREADS + THREAD; row < args.s.rows; row += BLOCKS * THREADS)
        FN(ordered_row)(&args, row, alpha, beta);
}
#endif
