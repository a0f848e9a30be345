/* SPDX-License-Identifier: Apache-2.0 */
/* spmm_short_rows.h: short rows, several of each team side by side. Part of the templates of kernel
 * files: read once per combination of types, without a guard.
 *
 * A row of one entry is a chain of three loads: its offsets, its entry, a row of B. A team that
 * computes one row at a time has one row of B under way, and most of the time none. */

/* The entries of the rows of a team. */
typedef struct FN(spmm_abreast) {
    P begin[SPMM_ABREAST];
    int length[SPMM_ABREAST]; /* -1: not a row of this team */
} FN(spmm_abreast);

/* An entry of each row. */
typedef struct FN(spmm_front) {
    I column[SPMM_ABREAST];
    ACC value[SPMM_ABREAST];
} FN(spmm_front);

/* Rows first, first + stride, ... of fewer than 2^31; long ones are left out. Without alpha, no
 * entry is read. */
DEVICE FN(spmm_abreast) FN(spmm_rows_of_team)(const struct spmm_parts_args *args,
                                              const P *RESTRICT offsets, uint32_t first,
                                              uint32_t stride)
{
    const bool zero = SCALAR(ACC, args->rows.scalars.alpha) == 0;
    FN(spmm_abreast) rows;
    UNROLL for (int m = 0; m < SPMM_ABREAST; m++)
    {
        const uint32_t row = first + (uint32_t)m * stride;
        const bool has = row < (uint32_t)args->rows.tasks;
        rows.begin[m] = has ? READ(&offsets[row]) : 0;
        const P length = has ? READ(&offsets[row + 1]) - rows.begin[m] : 0;
        rows.length[m] = !has || (int64_t)length > args->limit ? -1 : zero ? 0 : (int)length;
    }
    return rows;
}

DEVICE void FN(spmm_fetch_front)(const I *RESTRICT columns, const T *RESTRICT values,
                                 const FN(spmm_abreast) *rows, int e, FN(spmm_front) *front)
{
    UNROLL for (int m = 0; m < SPMM_ABREAST; m++)
    {
        const bool exists = e < rows->length[m];
        front->column[m] = exists ? READ(&columns[rows->begin[m] + e]) : 0;
        front->value[m] = exists ? WIDEN(READ(&values[rows->begin[m] + e])) : 0;
    }
}

/* sum += value * row of B for the first entries of each row: rows of B of all rows are under way at
 * once, and so are the next entries. */
DEVICE void FN(spmm_walk_abreast)(const I *RESTRICT columns, const T *RESTRICT values,
                                  const FN(spmm_abreast) *rows, const char *b, int64_t row_bytes,
                                  ACC *sum, const int run)
{
    int most = 0;
    UNROLL for (int m = 0; m < SPMM_ABREAST; m++) most =
        rows->length[m] > most ? rows->length[m] : most;
    most = most < SPMM_ABREAST_ENTRIES ? most : SPMM_ABREAST_ENTRIES;
    FN(spmm_front) now, next;
    FN(spmm_fetch_front)(columns, values, rows, 0, &now);
    for (int e = 0; e < most; e++) {
        T under_way[SPMM_ABREAST * SPMM_MOST_SUMS];
        UNROLL for (int m = 0; m < SPMM_ABREAST; m++) if (e < rows->length[m])
            READ_RUN(under_way + m * run,
                     (const T *)(b + FN(spmm_distance)(now.column[m], row_bytes, run)), run);
        FN(spmm_fetch_front)(columns, values, rows, e + 1, &next);
        UNROLL for (int m = 0; m < SPMM_ABREAST; m++) if (e < rows->length[m])
            UNROLL for (int i = 0; i < SPMM_MOST_SUMS; i++) if (i < run) sum[m * run + i] +=
            now.value[m] * WIDEN(under_way[m * run + i]);
        now = next;
    }
}

/* The next row becomes the first one, and its sums the first ones: what is indexed by a variable
 * would leave the registers. */
DEVICE void FN(spmm_turn_rows)(FN(spmm_abreast) *rows, ACC *sum, const int run)
{
    const P begin = rows->begin[0];
    const int length = rows->length[0];
    ACC first[SPMM_MOST_SUMS];
    UNROLL for (int i = 0; i < SPMM_MOST_SUMS; i++) if (i < run) first[i] = sum[i];
    UNROLL for (int m = 0; m + 1 < SPMM_ABREAST; m++)
    {
        rows->begin[m] = rows->begin[m + 1];
        rows->length[m] = rows->length[m + 1];
        UNROLL for (int i = 0; i < SPMM_MOST_SUMS; i++) if (i < run) sum[m * run + i] =
            sum[(m + 1) * run + i];
    }
    rows->begin[SPMM_ABREAST - 1] = begin;
    rows->length[SPMM_ABREAST - 1] = length;
    UNROLL for (int i = 0; i < SPMM_MOST_SUMS; i++) if (i < run) sum[(SPMM_ABREAST - 1) * run + i] =
        first[i];
}

/* sum += value * row of B for some entries of one row, whose rows of B are under way at once. */
DEVICE void FN(spmm_multiply_some)(const I *RESTRICT columns, const T *RESTRICT values, int count,
                                   const char *b, int64_t row_bytes, ACC *sum, const int run)
{
    T under_way[SPMM_ABREAST * SPMM_MOST_SUMS];
    ACC value[SPMM_ABREAST];
    UNROLL for (int u = 0; u < SPMM_ABREAST; u++) if (u < count)
    {
        const I column = READ(&columns[u]);
        value[u] = WIDEN(READ(&values[u]));
        READ_RUN(under_way + u * run, (const T *)(b + FN(spmm_distance)(column, row_bytes, run)),
                 run);
    }
    UNROLL for (int u = 0; u < SPMM_ABREAST; u++) if (u < count)
        UNROLL for (int i = 0; i < SPMM_MOST_SUMS; i++) if (i < run) sum[i] +=
        value[u] * WIDEN(under_way[u * run + i]);
}

/* What is left of each row, row by row. */
DEVICE void FN(spmm_walk_rest)(const I *RESTRICT columns, const T *RESTRICT values,
                               FN(spmm_abreast) *rows, const char *b, int64_t row_bytes, ACC *sum,
                               const int run)
{
    for (int m = 0; m < SPMM_ABREAST; m++) {
        for (int e = SPMM_ABREAST_ENTRIES; e < rows->length[0]; e += SPMM_ABREAST) {
            const P from = rows->begin[0] + e;
            FN(spmm_multiply_some)(columns + from, values + from, rows->length[0] - e, b, row_bytes,
                                   sum, run);
        }
        FN(spmm_turn_rows)(rows, sum, run);
    }
}

/* Teams of a warp take neighbouring rows, so that they store to neighbouring memory. Teams have the
 * lanes of an entry. */
DEVICE void FN(spmm_short_rows)(const struct spmm_parts_args *args, const I *RESTRICT columns,
                                int64_t block, const struct spmm_form form)
{
    const struct spmm_rows_args *const r = &args->rows;
    const T *RESTRICT values = (const T *)r->values;
    const struct spmm_lane lane = FN(spmm_lane_of)(r->across_bits, r->across_bits);
    const int64_t tile = block / r->blocks;
    const uint32_t teams = LANES >> r->across_bits,
                   warp = (uint32_t)(block - tile * r->blocks) * (THREADS / LANES) + WARP,
                   first = warp * teams * SPMM_ABREAST + (LANE >> r->across_bits);
    FN(spmm_abreast) rows = FN(spmm_rows_of_team)(args, (const P *)r->offsets, first, teams);
    FN(spmm_b) b;
    int64_t column[SPMM_MOST_RUNS];
    ACC sum[SPMM_ABREAST * SPMM_MOST_SUMS];
    bool long_row = false;
    UNROLL for (int i = 0; i < SPMM_ABREAST * SPMM_MOST_SUMS; i++) sum[i] = 0;
    UNROLL for (int m = 0; m < SPMM_ABREAST; m++) long_row |= rows.length[m] > SPMM_ABREAST_ENTRIES;
    FN(spmm_begin_tile)(r, lane, tile, column, &b, form);
    FN(spmm_walk_abreast)(columns, values, &rows, b.column[0], b.row_bytes, sum, form.run);
    if (long_row)
        FN(spmm_walk_rest)(columns, values, &rows, b.column[0], b.row_bytes, sum, form.run);
    UNROLL for (int m = 0; m < SPMM_ABREAST; m++) if (rows.length[m] >= 0)
        FN(spmm_write_row)(r, first + (uint32_t)m * teams, column, sum + m * form.run, form);
}

/* A part of a long row, or short rows. */
DEVICE void FN(spmm_short_rows_and_parts)(const struct spmm_parts_args args,
                                          const I *RESTRICT columns, const struct spmm_form form)
{
    const int64_t block = FN(spmm_short_block)(&args);
    if (block >= 0) {
        FN(spmm_short_rows)(&args, columns, block, form);
        return;
    }
    const FN(spmm_share) s = FN(spmm_share_of)(&args, 1 << args.rows.across_bits);
    const struct spmm_lane lane = FN(spmm_lane_of_share)(&args.rows, &s);
    int64_t column[SPMM_MOST_RUNS];
    ACC sum[SPMM_MOST_SUMS * SPMM_MOST_ROWS];
    FN(spmm_sum_share)(&args.rows, &s, lane, columns, column, sum, form);
    FN(spmm_store_part)(&args, &s, lane, sum, form);
}
