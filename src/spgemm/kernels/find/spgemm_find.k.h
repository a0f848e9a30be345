/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that find the columns of rows of C = A*B + D as sets of bits, in a window or in a hash
 * table. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_FIND_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_FIND_K_H
#include "spgemm/kernels/spgemm_structures.h"

#endif
#else

#include "spgemm/kernels/spgemm_factors.h"

#include "spgemm/kernels/find/spgemm_block_room.h"

#include "spgemm/kernels/find/spgemm_find_rows.h"

KERNEL_OF(struct spgemm_find, spgemm_window_find, SPGEMM_MOST_THREADS, f)
{
    SHARED(int32_t, counts, SPGEMM_MOST_THREADS / SPGEMM_LEAST_WIDTH);
    SHARED(int64_t, positions, SPGEMM_FIND_MOST_TEAMS);
    SHARED(spgemm_found, found, 1);
    SHARED_AT_LAUNCH(uint32_t, bits);
    FN(find_in_windows)(&f, bits, counts, positions, found);
}

/* A team is a whole block. */
KERNEL_OF(struct spgemm_find, spgemm_listed_find, SPGEMM_MOST_THREADS, f)
{
    SHARED(int32_t, counts, SPGEMM_MOST_THREADS / SPGEMM_LEAST_WIDTH);
    SHARED(int64_t, positions, 1);
    SHARED_AT_LAUNCH(uint32_t, bits);
    spgemm_team t = spgemm_team_of(f.layout.team, f.layout.width);
    t.long_row = f.layout.long_row;
    const spgemm_set set = spgemm_set_in(bits, f.layout.words, counts, positions);
    spgemm_clear_words(&t, bits, f.layout.words + SPGEMM_SUMMARY_WORDS(f.layout.words));
    for (int64_t k = BLOCK; k < f.layout.list_count; k += BLOCKS) {
        const int64_t row = spgemm_row_at(f.layout.list, k);
        if (!spgemm_is_settled(&f, row))
            FN(find_in_window)(&f, &t, row, set, true);
    }
}

KERNEL_OF(struct spgemm_find, spgemm_hash_find, SPGEMM_MOST_THREADS, f)
{
    SHARED(int32_t, counts, SPGEMM_MOST_THREADS / SPGEMM_LEAST_WIDTH);
    SHARED(int32_t, words, SPGEMM_FIND_MOST_TEAMS);
    SHARED(int64_t, positions, SPGEMM_FIND_MOST_TEAMS);
    SHARED_AT_LAUNCH(int32_t, tables);
    FN(find_in_tables)(&f, tables, counts, words, positions, false);
}

/* One block per row, with a table in shared memory that the row may overflow: S3's first
 * attempt. */
KERNEL_OF(struct spgemm_find, spgemm_attempt_find, SPGEMM_MOST_THREADS, f)
{
    SHARED(int32_t, counts, SPGEMM_MOST_THREADS / SPGEMM_LEAST_WIDTH);
    SHARED(int32_t, words, 1);
    SHARED(int64_t, positions, 1);
    SHARED_AT_LAUNCH(int32_t, tables);
    FN(find_in_tables)(&f, tables, counts, words, positions, true);
}

KERNEL_OF(struct spgemm_find, spgemm_global_hash_find, SPGEMM_MOST_THREADS, f)
{
    SHARED(int32_t, counts, SPGEMM_MOST_THREADS / SPGEMM_LEAST_WIDTH);
    SHARED(int32_t, words, SPGEMM_FIND_MOST_TEAMS);
    SHARED(int64_t, positions, SPGEMM_FIND_MOST_TEAMS);
    FN(find_in_tables)(&f, f.tables + BLOCK * 2 * f.layout.slots, counts, words, positions, false);
}
#endif
