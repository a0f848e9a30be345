/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_lane_rows.h: the values of short rows of C whose terms have kept positions, one thread per
 * row: teams of several lanes have idle ones and synchronise. A block has the sums of its rows in
 * shared memory; if its rows follow each other in C, so do their sums, and all threads write them.
 * Part of the templates of kernel files: read once per combination of types, without a guard. */

/* Adds a row of B, SPGEMM_AT_ONCE entries at a time so that their loads overlap. Returns the first
 * position after those of its products. */
DEVICE const uint8_t *FN(add_row_of_b)(const FN(factors) *f, P begin, P end, T factor,
                                       const uint8_t *kept, T *sums)
{
    for (; begin < end; begin += SPGEMM_AT_ONCE) {
        T value[SPGEMM_AT_ONCE];
        uint8_t position[SPGEMM_AT_ONCE];
        UNROLL
        for (int u = 0; u < SPGEMM_AT_ONCE; u++) {
            const bool any = begin + u < end;
            position[u] = any ? READ(&kept[u]) : 0;
            value[u] = any ? READ(&f->b.values[begin + u]) : (T)0;
        }
        UNROLL
        for (int u = 0; u < SPGEMM_AT_ONCE; u++)
            if (begin + u < end)
                sums[position[u]] += factor * value[u];
        kept += begin + SPGEMM_AT_ONCE < end ? SPGEMM_AT_ONCE : end - begin;
    }
    return kept;
}

/* Adds alpha*A*B and beta*D of a row; operands with a factor of zero are not read. */
DEVICE void FN(add_row_alone)(const struct spgemm_values *v, int64_t row, T *sums)
{
    const FN(factors) f = FN(factors_of)(&v->o);
    const T beta = SCALAR(T, v->o.scalars.beta);
    const P *d_offsets = (const P *)v->o.s.d_offsets;
    const P d_first = d_offsets ? READ(&d_offsets[row]) : 0,
            d_count = d_offsets ? READ(&d_offsets[row + 1]) - d_first : 0;
    const uint8_t *const first = v->kept.slots + READ(&v->kept.starts[row]),
                         *kept = first + d_count;
    const P last = f.alpha != 0 ? READ(&f.a.offsets[row + 1]) : 0;
    for (P from = f.alpha != 0 ? READ(&f.a.offsets[row]) : 0; from < last; from += SPGEMM_AT_ONCE) {
        const spgemm_team lane = spgemm_team_of(1, 1);
        const FN(single_rows) r = FN(single_rows_from)(&lane, &f, from, last);
        UNROLL
        for (int u = 0; u < SPGEMM_AT_ONCE; u++)
            kept = FN(add_row_of_b)(&f, r.begin[u], r.end[u], r.value[u], kept, sums);
    }
    for (P i = 0; beta != 0 && i < d_count; i++)
        sums[READ(&first[i])] += beta * READ(&((const T *)v->o.d_values)[d_first + i]);
}

/* The rows of a block from number `first` on, one per thread, if they follow each other in C. */
DEVICE void FN(add_neighbours)(const struct spgemm_values *v, int64_t first, T *sums)
{
    const int64_t rows = v->layout.list_count - first, row = first + THREAD;
    const int64_t begin = READ(&v->o.offsets[first]),
                  count = READ(&v->o.offsets[first + (rows < THREADS ? rows : THREADS)]) - begin;
    for (int64_t i = THREAD; i < count; i += THREADS)
        sums[i] = 0;
    SYNC();
    if (THREAD < rows)
        FN(add_row_alone)(v, row, sums + (READ(&v->o.offsets[row]) - begin));
    SYNC();
    for (int64_t i = THREAD; i < count; i += THREADS)
        ((T *)v->o.values)[begin + i] = sums[i];
    SYNC();
}

/* The same of a listed row, whose thread writes it. */
DEVICE void FN(add_listed)(const struct spgemm_values *v, int64_t row, T *sums)
{
    const int64_t begin = READ(&v->o.offsets[row]), count = READ(&v->o.offsets[row + 1]) - begin;
    for (int64_t i = 0; i < count; i++)
        sums[i] = 0;
    FN(add_row_alone)(v, row, sums);
    for (int64_t i = 0; i < count; i++)
        ((T *)v->o.values)[begin + i] = sums[i];
}

/* Shared memory: THREADS times team_bytes, an odd number of sums each. */
DEVICE void FN(compute_rows_alone)(const struct spgemm_values *v, unsigned char *shared)
{
    T *const own = (T *)(shared + (int64_t)THREAD * v->layout.team_bytes);
    for (int64_t first = BLOCK * (int64_t)THREADS; first < v->layout.list_count;
         first += v->layout.blocks * THREADS)
        if (!v->layout.list)
            FN(add_neighbours)(v, first, (T *)shared);
        else if (first + THREAD < v->layout.list_count)
            FN(add_listed)(v, spgemm_row_at(v->layout.list, first + THREAD), own);
}
