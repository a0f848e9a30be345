/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that find the columns of rows of C = A*B + D as sets of bits, in a window or in a hash
 * table. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_FIND_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_FIND_K_H
#include "spgemm/kernels/spgemm_structures.h"

struct spgemm_window_find_args {
    struct spgemm_find f;
};
struct spgemm_listed_find_args {
    struct spgemm_find f;
};
struct spgemm_hash_find_args {
    struct spgemm_find f;
};
struct spgemm_attempt_find_args {
    struct spgemm_find f;
};
struct spgemm_global_hash_find_args {
    struct spgemm_find f;
};

#endif
#else

#include "spgemm/kernels/spgemm_team.h"

#include "spgemm/kernels/spgemm_room.h"

#include "spgemm/kernels/spgemm_find_rows.h"

KERNEL(spgemm_window_find, SPGEMM_MOST_THREADS, args)
{
    SHARED(int32_t, counts, SPGEMM_MOST_THREADS / SPGEMM_LEAST_WIDTH);
    SHARED(int64_t, positions, SPGEMM_FIND_MOST_TEAMS);
    SHARED_AT_LAUNCH(uint32_t, bits);
    FN(find_in_windows)(&args.f, bits, counts, positions);
}

/* A team is a whole block. */
KERNEL(spgemm_listed_find, SPGEMM_MOST_THREADS, args)
{
    SHARED(int32_t, counts, SPGEMM_MOST_THREADS / SPGEMM_LEAST_WIDTH);
    SHARED(int64_t, positions, 1);
    SHARED_AT_LAUNCH(uint32_t, bits);
    FN(team) t = FN(team_of)(args.f.layout.team, args.f.layout.width);
    t.long_row = args.f.layout.long_row;
    const FN(set) set = FN(set_in)(bits, args.f.layout.words);
    FN(clear_words)(&t, bits, args.f.layout.words + SPGEMM_SUMMARY_WORDS(args.f.layout.words));
    for (int64_t k = BLOCK; k < args.f.layout.list_count; k += BLOCKS) {
        const int64_t row = FN(row_at)(args.f.layout.list, k);
        if (!FN(is_settled)(&args.f, row))
            FN(find_in_window)(&args.f, &t, row, set, true, counts, positions);
    }
}

KERNEL(spgemm_hash_find, SPGEMM_MOST_THREADS, args)
{
    SHARED(int32_t, counts, SPGEMM_MOST_THREADS / SPGEMM_LEAST_WIDTH);
    SHARED(int32_t, words, SPGEMM_FIND_MOST_TEAMS);
    SHARED(int64_t, positions, SPGEMM_FIND_MOST_TEAMS);
    SHARED_AT_LAUNCH(int32_t, tables);
    FN(find_in_tables)(&args.f, tables, counts, words, positions, false);
}

/* One block per row, with a table in shared memory that the row may overflow: S3's first
 * attempt. */
KERNEL(spgemm_attempt_find, SPGEMM_MOST_THREADS, args)
{
    SHARED(int32_t, counts, SPGEMM_MOST_THREADS / SPGEMM_LEAST_WIDTH);
    SHARED(int32_t, words, 1);
    SHARED(int64_t, positions, 1);
    SHARED_AT_LAUNCH(int32_t, tables);
    FN(find_in_tables)(&args.f, tables, counts, words, positions, true);
}

KERNEL(spgemm_global_hash_find, SPGEMM_MOST_THREADS, args)
{
    SHARED(int32_t, counts, SPGEMM_MOST_THREADS / SPGEMM_LEAST_WIDTH);
    SHARED(int32_t, words, SPGEMM_FIND_MOST_TEAMS);
    SHARED(int64_t, positions, SPGEMM_FIND_MOST_TEAMS);
    FN(find_in_tables)(&args.f, args.f.tables + BLOCK * 2 * args.f.layout.slots, counts, words,
                       positions, false);
}
#endif
