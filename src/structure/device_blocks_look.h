/* SPDX-License-Identifier: Apache-2.0 */
/* device_blocks_look.h: device code that searches a matrix for the size of its node blocks: see
 * device_blocks.h. Included once per instance of csr_survey.k.h. */
DEVICE uint32_t FN(common_divisor)(uint32_t a, uint32_t b)
{
    while (b != 0) {
        const uint32_t remainder = a % b;
        a = b;
        b = remainder;
    }
    return a;
}

/* The greatest divisor of `size` that divides the boundary. */
DEVICE uint32_t FN(cut_at)(uint32_t size, int64_t boundary)
{
    const uint32_t dividend = (uint32_t)boundary;
    return dividend % size == 0 ? size : FN(common_divisor)(size, dividend);
}

/* The positions that a lane of a team reads together, from p on; after `end` p again. */
DEVICE P FN(look_position)(P p, int k, P end)
{
    const P position = p + (P)(k * DEVICE_BLOCKS_LANES);
    return position < end ? position : p;
}

/* Whether the lanes' row differs from the previous row; both have `length` entries. */
DEVICE bool FN(row_differs)(const I *RESTRICT columns, P previous, P begin, P length)
{
    uint32_t differs = 0;
    for (P p = LANE % DEVICE_BLOCKS_LANES; p < length;
         p += DEVICE_BLOCKS_LANES * DEVICE_BLOCKS_AT_ONCE)
        UNROLL for (int k = 0; k < DEVICE_BLOCKS_AT_ONCE; k++)
        {
            const P at = FN(look_position)(p, k, length);
            differs |= (uint32_t)(READ(&columns[previous + at]) ^ READ(&columns[begin + at]));
        }
    return BALLOT(GROUP_MASK(DEVICE_BLOCKS_LANES), differs != 0) != 0;
}

/* Whether other teams have found that there are no blocks; the same for all lanes of a team. */
DEVICE bool FN(is_over)(const uint32_t *all)
{
    return SHUFFLE(GROUP_MASK(DEVICE_BLOCKS_LANES), LOAD_VOLATILE(all),
                   LANE - LANE % DEVICE_BLOCKS_LANES) == 1;
}

/* Tests an entry, for the begin and the end of a run of columns; `last` is the column before it in
 * its row, or -1. 1 if they do not ascend. */
DEVICE uint32_t FN(look_at_entry)(int32_t column, int32_t last, bool begins, bool ends,
                                  uint32_t size)
{
    if (column <= last)
        return 1;
    if (column != last + 1 || begins)
        size = FN(cut_at)(FN(cut_at)(size, column), (int64_t)last + 1);
    return ends ? FN(cut_at)(size, (int64_t)column + 1) : size;
}

/* Tests this lane's entries in a stretch of a row. */
DEVICE uint32_t FN(look_at_runs)(const I *RESTRICT columns, P begin, P end, P from, P to,
                                 uint32_t size)
{
    for (P p = from + LANE % DEVICE_BLOCKS_LANES; p < to && size > 1;
         p += DEVICE_BLOCKS_LANES * DEVICE_BLOCKS_AT_ONCE) {
        int32_t column[DEVICE_BLOCKS_AT_ONCE], last[DEVICE_BLOCKS_AT_ONCE];
        UNROLL for (int k = 0; k < DEVICE_BLOCKS_AT_ONCE; k++)
        {
            const P at = FN(look_position)(p, k, to);
            column[k] = READ(&columns[at]);
            last[k] = at > begin ? READ(&columns[at - 1]) : -1;
        }
        UNROLL for (int k = 0; k < DEVICE_BLOCKS_AT_ONCE; k++)
        {
            const P at = FN(look_position)(p, k, to);
            size = FN(look_at_entry)(column[k], last[k], at == begin, at == end - 1, size);
        }
    }
    return size;
}

/* The common divisor of the lanes of a team. */
DEVICE uint32_t FN(divisor_of_team)(uint32_t size)
{
    for (int x = DEVICE_BLOCKS_LANES / 2; x > 0; x /= 2) {
        const uint32_t other = SHUFFLE_XOR(GROUP_MASK(DEVICE_BLOCKS_LANES), size, x);
        size = other == size ? size : FN(common_divisor)(size, other);
    }
    return size;
}

/* Tests a long row in stretches, as long as the result can change. differs: its columns are not
 * those of the previous row. */
DEVICE uint32_t FN(look_at_long_row)(const struct csr_survey_task *args, int64_t row, P previous,
                                     P begin, P end, bool differs, uint32_t size)
{
    const I *columns = (const I *)args->columns;
    P remaining = end - begin;
    for (; !differs && remaining > 0; remaining -= DEVICE_BLOCKS_STRETCH) {
        const P position = end - remaining,
                stretch = remaining < DEVICE_BLOCKS_STRETCH ? remaining : DEVICE_BLOCKS_STRETCH;
        differs = FN(row_differs)(columns, position - (begin - previous), position, stretch) ||
                  FN(is_over)(args->block);
    }
    if (!differs)
        return size;
    size = (uint32_t)row % size != 0 ? FN(cut_at)(size, row) : size;
    for (P from = begin; from < end && size > 1; from += DEVICE_BLOCKS_STRETCH) {
        const P to = end - from < DEVICE_BLOCKS_STRETCH ? end : from + DEVICE_BLOCKS_STRETCH;
        size = FN(divisor_of_team)(FN(look_at_runs)(columns, begin, end, from, to, size));
        if (FN(is_over)(args->block))
            return 1;
    }
    return size;
}

/* A row inside a block that equals the previous row has the same runs and is skipped: most rows
 * are. All lanes of a row have the same size. */
DEVICE uint32_t FN(look_at_row)(const struct csr_survey_task *args, int64_t row, uint32_t size)
{
    const P *offsets = (const P *)args->offsets;
    const I *columns = (const I *)args->columns;
    const P begin = READ(&offsets[row]), end = READ(&offsets[row + 1]),
            previous = row > 0 ? READ(&offsets[row - 1]) : begin;
    if (begin < 0 || previous < 0 || previous > begin || end < begin || end > args->nnz)
        return 1;
    const bool valid = (uint32_t)row % size != 0; /* at a block boundary rows may differ */
    const bool comparable = valid && begin - previous == end - begin;
    if (end - begin > DEVICE_BLOCKS_STRETCH)
        return FN(look_at_long_row)(args, row, previous, begin, end, !comparable, size);
    if (comparable && !FN(row_differs)(columns, previous, begin, end - begin))
        return size;
    return FN(look_at_runs)(columns, begin, end, begin, end, valid ? FN(cut_at)(size, row) : size);
}

/* The row of a team. The rows of a warp are a multiple of all block sizes apart, so that all or
 * none are the first of a block: no divergence. Later turns of a team have later rows. */
DEVICE int64_t FN(row_of_team)(int64_t team)
{
    enum { FN(OF_WARP) = LANES / DEVICE_BLOCKS_LANES };
    const uint32_t t = (uint32_t)team, turn = t / (FN(OF_WARP) * DEVICE_BLOCKS_APART);
    const uint32_t position = t % (FN(OF_WARP) * DEVICE_BLOCKS_APART);
    return ((int64_t)turn * FN(OF_WARP) + position % FN(OF_WARP)) * DEVICE_BLOCKS_APART +
           position / FN(OF_WARP);
}

DEVICE void FN(add_divisor)(uint32_t *all, uint32_t size)
{
    uint32_t stored = LOAD_VOLATILE(all), common = FN(common_divisor)(stored, size);
    while (stored != common) {
        const uint32_t found = ATOMIC_CAS(all, stored, common);
        if (found == stored)
            return;
        stored = found;
        common = FN(common_divisor)(stored, size);
    }
}

/* *result, initially 0, becomes the greatest common divisor of itself, `multiple`, and all numbers
 * that a block size must divide: rows whose columns differ from those of the previous row, and
 * columns where runs of neighbouring columns begin or end. 1 if columns of a row do not ascend.
 * By `blocks` blocks, of which this is number `block`. of_block: shared. Warps access the common
 * result seldom, because all contend for it. */
DEVICE void FN(look_for_blocks)(const struct csr_survey_task *m, int64_t block, int64_t blocks,
                                uint32_t *of_block)
{
    const int64_t teams = THREADS / DEVICE_BLOCKS_LANES;
    if (THREAD == 0)
        *of_block = FN(common_divisor)(LOAD_VOLATILE(m->block), m->multiple);
    SYNC();
    uint32_t size = *of_block;
    int rounds = 0;
    SYNC();
    for (int64_t t = block * teams + THREAD / DEVICE_BLOCKS_LANES;
         FN(row_of_team)(t) < m->rows && size > 1; t += blocks * teams) {
        size = FN(divisor_of_team)(FN(look_at_row)(m, FN(row_of_team)(t), size));
        if ((++rounds == 1 || rounds % DEVICE_BLOCKS_LOOK == 0) && FN(is_over)(m->block))
            size = 1;
    }
    for (int x = LANES / 2; x > 0; x /= 2) {
        const uint32_t other = SHUFFLE_XOR(GROUP_MASK(LANES), size, x);
        size = other == size ? size : FN(common_divisor)(size, other);
    }
    if (LANE == 0)
        FN(add_divisor)(of_block, size);
    SYNC();
    if (THREAD == 0)
        FN(add_divisor)(m->block, *of_block);
}
