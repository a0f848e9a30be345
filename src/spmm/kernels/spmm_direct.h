/* SPDX-License-Identifier: Apache-2.0 */
/* spmm_direct.h: the walk of lanes along a row of A if few lanes share an entry. Part of the
 * templates of kernel files: read once per combination of types, without a guard.
 *
 * Broadcasting entries takes one shuffle per multiplied entry, as many instructions as a
 * coalesced load; and most steps would be idle, since a team loads only one entry per lane at a
 * time. */

/* A lane's next entries of A, one per step. */
typedef struct FN(spmm_entries) {
    I column[SPMM_DIRECT_STEPS];
    ACC value[SPMM_DIRECT_STEPS];
} FN(spmm_entries);

DEVICE void FN(spmm_fetch_directly)(const I *RESTRICT columns, const T *RESTRICT values, P position,
                                    P length, int stride, FN(spmm_entries) *e)
{
    UNROLL for (int u = 0; u < SPMM_DIRECT_STEPS; u++)
    {
        const bool exists = position + u * stride < length;
        e->column[u] = exists ? READ(&columns[position + u * stride]) : 0;
        e->value[u] = exists ? WIDEN(READ(&values[position + u * stride])) : 0;
    }
}

/* From the first row of B to row k, in bytes; rows that are loaded in runs are less than 4 GiB
 * long. */
DEVICE int64_t FN(spmm_distance)(I k, int64_t row_bytes, const int run)
{
    return run > 1 ? (int64_t)((uint64_t)(uint32_t)k * (uint32_t)row_bytes)
                   : (int64_t)k * row_bytes;
}

/* sum += value * row of B, over the team's entries. Each lane loads the entries that it
 * multiplies, SPMM_DIRECT_STEPS at a time, and the next ones while the rows of B are being
 * loaded. */
DEVICE void FN(spmm_walk_directly)(struct spmm_lane lane, const I *RESTRICT columns,
                                   const T *RESTRICT values, P length, const char *b,
                                   int64_t row_bytes, ACC *sum, const int run)
{
    FN(spmm_entries) now, next;
    FN(spmm_fetch_directly)(columns, values, lane.entry, length, lane.entries, &now);
    for (P position = lane.entry; position < length; position += SPMM_DIRECT_STEPS * lane.entries) {
        T under_way[SPMM_DIRECT_STEPS * SPMM_MOST_SUMS];
        UNROLL for (int u = 0; u < SPMM_DIRECT_STEPS; u++)
        {
            const int64_t distance = FN(spmm_distance)(now.column[u], row_bytes, run);
            if (position + u * lane.entries < length)
                READ_RUN(under_way + u * run, (const T *)(b + distance), run);
        }
        FN(spmm_fetch_directly)(columns, values, position + SPMM_DIRECT_STEPS * lane.entries,
                                length, lane.entries, &next);
        UNROLL for (int u = 0; u < SPMM_DIRECT_STEPS; u++) if (position + u * lane.entries < length)
            UNROLL for (int i = 0; i < SPMM_MOST_SUMS; i++) if (i < run) sum[i] +=
            now.value[u] * WIDEN(under_way[u * run + i]);
        now = next;
    }
}
