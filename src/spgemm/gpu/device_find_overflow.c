/* SPDX-License-Identifier: Apache-2.0 */
/* device_find_overflow.c: the symbolic phase on a device: rows that overflow their hash table. They
 * are tried with the largest table of shared memory, then in a few windows over all columns, or
 * with tables in global memory. */
#include "spgemm/gpu/device_find_state.h"

#include "core/checked.h"
#include "spgemm/gpu/bins/row_work.h"

/* Tables in global memory for all blocks that run at once, or for fewer if the budget does not
 * suffice. */
static spl_status make_tables(spl__finding *f, int64_t rows, int64_t slots, int64_t *blocks,
                              spl__device_array *tables)
{
    enum { BLOCKS_PER_UNIT = 2 };
    spl__queue *queue = &f->plan->problem.queue;
    *blocks = spl__min_i64(rows, (int64_t)queue->device->properties.units * BLOCKS_PER_UNIT);
    for (;; *blocks = (*blocks + 1) / 2) {
        spl_status status = spl__queue_alloc(queue, *blocks * slots, SPL__FIND_SLOT, tables);
        if ((status != SPL_OVER_BUDGET && status != SPL_OUT_OF_MEMORY) || *blocks <= 1)
            return status;
    }
}

/* Fetches how many rows overflowed. Their list becomes the input of the next attempt and is
 * replaced by an empty one. */
static spl_status take_overflowed(spl__finding *f, struct spgemm_find *args, int64_t *rows)
{
    spl__queue *queue = &f->plan->problem.queue;
    uint32_t found;
    SPL__TRY(spl__queue_fetch(queue, &found, args->overflows, sizeof found));
    SPL__TRY(spl__queue_fill(queue, args->overflows, 0, sizeof found));
    args->layout.list = args->overflowed;
    args->layout.list_count = *rows = found;
    args->overflowed += f->most_overflowed;
    return SPL_OK;
}

static void set_slots(struct spgemm_find *args, int64_t slots)
{
    args->layout.slots = slots;
    args->layout.shift = spl__table_shift(slots);
}

/* One block per row. */
static spl_status launch_blocks(const spl__finding *f, struct spgemm_find *args, const char *name,
                                int64_t blocks, int64_t shared)
{
    const spl__kernel *kernel;
    SPL__TRY(spl__product_kernel(f->plan, name, &kernel));
    args->layout.blocks = blocks;
    return SPL__LAUNCH_SHARED(&f->plan->problem.queue, args, kernel, blocks, args->layout.team,
                              (size_t)shared);
}

/* Second attempt, with the largest table that fits shared memory. */
static spl_status attempt_again(const spl__finding *f, struct spgemm_find *args)
{
    int64_t slots = args->layout.team;
    while (2 * slots * SPL__FIND_SLOT <= f->block_bytes)
        slots *= 2;
    set_slots(args, slots);
    return launch_blocks(f, args, "spgemm_attempt_find", args->layout.list_count,
                         slots * SPL__FIND_SLOT);
}

/* Whether a few turns of a window in shared memory cover all columns of C. Rows that are stored
 * at their bounds need a single turn. */
static bool few_turns(const spl__finding *f)
{
    enum { FEW = 4 };
    return spl__finding_words(f) * SPL__FIND_WORD <= f->block_bytes * (f->bounded ? 1 : FEW);
}

static spl_status find_in_turns(const spl__finding *f, struct spgemm_find *args)
{
    args->layout.words =
        (int32_t)spl__min_i64(f->block_bytes / SPL__FIND_WORD, spl__finding_words(f));
    return launch_blocks(f, args, "spgemm_window_find", args->layout.list_count,
                         (int64_t)args->layout.words * SPL__FIND_WORD);
}

/* Last attempt, with tables in global memory that hold all words of a row. */
static spl_status find_globally(spl__finding *f, struct spgemm_find *args)
{
    int64_t longest = f->bins.longest[f->shapes.count - 1], blocks;
    spl__device_array tables = {NULL, 0};
    set_slots(args,
              spl__table_slots(spl__min_i64(longest, spl__finding_words(f)), args->layout.team));
    SPL__TRY(make_tables(f, args->layout.list_count, args->layout.slots, &blocks, &tables));
    args->tables = tables.data;
    spl_status status = launch_blocks(f, args, "spgemm_global_hash_find", blocks, 0);
    spl__queue_free(&f->plan->problem.queue, &tables);
    return status;
}

/* The second attempt is S3's; the third is ours. */
spl_status spl__finding_retry(spl__finding *f, struct spgemm_find *args)
{
    enum { WIDTH = 16 };
    int last = f->shapes.count - 1;
    if (!spl__finding_attempts(f, last) || f->bins.first[last] == f->bins.first[last + 1])
        return SPL_OK;
    SPL__TRY(take_overflowed(f, args, &f->overflowed_first));
    if (f->overflowed_first == 0)
        return SPL_OK;
    args->layout.team = SPGEMM_MOST_THREADS;
    args->layout.width = WIDTH;
    args->layout.long_row = spl__long_row(f->plan, args->layout.team, args->layout.width);
    SPL__TRY(attempt_again(f, args));
    SPL__TRY(take_overflowed(f, args, &f->overflowed_all));
    if (f->overflowed_all == 0)
        return SPL_OK;
    return few_turns(f) ? find_in_turns(f, args) : find_globally(f, args);
}
