/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/symbolic/gpu/hybrid: the structure of C = A*B + D, with a method chosen per row.
 *
 * Rows of at most 128 products are sorted in the registers of a part of a warp, rows of at most 256
 * in those of a warp, unless their columns lie within a thousand. Longer rows whose columns lie
 * close together, as in meshes, set bits in a window, from which columns are read in order. Eight
 * lanes share a window of up to 64 words of 32 columns: a warp has as many lanes in the rows of B,
 * and clears, counts and writes four rows at once. In windows of more than four words per product,
 * the words in use are listed, so that the others are not read (spgemm_listed.h); this serves
 * windows of up to 16 words per product. In one-shot calls, rows of 257 to 768 products that are
 * expected to have few columns are hashed and summed at once (spgemm_summed_rows.h), instead of
 * windows of more than 256 words. Other rows use hash tables: up to 1536 products tables of
 * columns, as large as the products ask, sorted in runs (spgemm_slots.h). The longest rows use
 * windows again, with a whole block, in several turns if shared memory does not hold all bits. Work
 * and windows of rows have been computed before: spgemm_rows.k.h.
 *
 * Cost: every product sorted, marked or inserted once, twice for rows that do not fit the stash
 * (device_find.c); a 32nd of a window's columns cleared and read. Memory: 33 bytes a row, and
 * the stash of columns; for kept positions 8 bytes a row and one per term of sorted rows.
 * Source: hash tables and bins: Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017 [S3]; windows
 * as in bitmap_windowed for CPUs: own. */
#include "spgemm/gpu/device_find.h"

#include <math.h>

static const spl__find_method parameters = {
    .shapes = SPL__ROW_SHAPES(
        {SPGEMM_SORT, .team = 4, .threads = 256, .most = 4 * SPGEMM_RUN_KEYS,
         .most_work = 4 * SPGEMM_RUN_KEYS},
        {SPGEMM_SORT, .team = 8, .threads = 256, .most = 8 * SPGEMM_RUN_KEYS,
         .most_work = 8 * SPGEMM_RUN_KEYS},
        {SPGEMM_SORT, .team = 16, .threads = 256, .most = 16 * SPGEMM_RUN_KEYS,
         .most_work = 16 * SPGEMM_RUN_KEYS},
        {SPGEMM_WINDOW, .team = 8, .threads = 256, .most = 128, .most_work = 1 << 11,
         .sparsest = 2},
        {SPGEMM_SORT, .team = 32, .threads = 256, .most = SPGEMM_SORTED_PRODUCTS,
         .most_work = SPGEMM_SORTED_PRODUCTS},
        {SPGEMM_WINDOW, .team = 8, .threads = 256, .most = 256, .most_work = 1 << 10,
         .sparsest = 2},
        {SPGEMM_WINDOW, .team = 32, .threads = 256, .most = 1024, .most_work = 1 << 15,
         .sparsest = 2},
        {SPGEMM_SUMMED, .team = 32, .threads = 256, .most = 768, .most_work = 768},
        {SPGEMM_WINDOW, .team = 32, .threads = 128, .most = 4096, .most_work = 1 << 15,
         .sparsest = 2},
        {SPGEMM_WINDOW, .team = 32, .threads = 64, .most = 16384, .most_work = 1 << 15,
         .sparsest = 2},
        {SPGEMM_WINDOW, .team = 64, .threads = 64, .most = 16384, .most_work = 1 << 15,
         .sparsest = 4},
        {SPGEMM_LISTED, .team = 64, .threads = 64, .most = 16384, .most_work = 1 << 15,
         .sparsest = 16},
        {SPGEMM_SLOTS, .team = 32, .threads = 256, .most = 192, .most_work = 1 << 15},
        {SPGEMM_SLOTS, .team = 32, .threads = 256, .most = 384, .most_work = 1 << 15},
        {SPGEMM_SLOTS, .team = 32, .threads = 256, .most = 768, .most_work = 1 << 15},
        {SPGEMM_LISTED, .team = 256, .threads = 256, .most = 65536, .most_work = 1 << 18,
         .sparsest = 16},
        {SPGEMM_SLOTS, .team = 32, .threads = 128, .most = 1536, .most_work = 1 << 15},
        {SPGEMM_LISTED, .team = 512, .threads = 512, .sparsest = 16},
        {SPGEMM_HASH, .team = 256, .threads = 256, .most = 8192, .most_work = 1 << 18},
        {SPGEMM_WINDOW, .team = 512, .threads = 512}),
    .costs = {.product = 16, .row = 32, .launches = 12},
};

/* Seconds for the words of windows that are read whole, as those of all rows if the average row is
 * marked in one: clearing and reading them costs more than the products do. */
static double window_seconds(const spl__task *task)
{
    enum { COLUMNS_OF_WORD = 32, LISTED = 4 }; /* words per product from which they are listed */
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const spl__device_properties *p = &task->plan->problem.queue.device->properties;
    spl__form_times times = spl__form_of(task->plan)->times;
    double rows = f->rows / times.rows, products = f->products / times.products / fmax(1, rows),
           words = f->span_sampled / times.c * times.rows / COLUMNS_OF_WORD;
    if (products <= SPGEMM_SORTED_PRODUCTS || words > LISTED * products)
        return 0;
    return m->spgemm_bitmap_words * words / p->lanes * rows / m->warp_rate / p->units;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    spl__device_find_estimate(task, e);
    e->seconds += window_seconds(task);
    /* no cost where all rows are short */
    double uneven = fmin(1, fmax(0, f->variation_row_a - m->spgemm_uneven_from));
    double long_rows = fmin(1, f->products / fmax(1, f->rows) / m->spgemm_uneven_row);
    e->seconds += uneven * long_rows * fmin(f->products, m->spgemm_uneven_most) * m->spgemm_uneven;
}

const spl__method spl__spgemm_symbolic_gpu_hybrid = {
    .summary = "rows sorted in registers, marked in windows of bits, or hashed",
    .source = "Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017, for the hashed rows; own",
    .revision = 2,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .parameters = &parameters,
    .estimate = estimate,
    .prepare = spl__device_find_prepare,
    .enqueue_early = spl__device_find_enqueue_early,
    .execute = spl__device_find_execute,
    .explain = spl__device_find_explain,
};
