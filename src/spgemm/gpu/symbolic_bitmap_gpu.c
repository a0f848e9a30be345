/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/symbolic/gpu/bitmap: the structure of C = A*B + D with one bit per column of C.
 *
 * B is compressed to words of 32 columns with their bits. A team of 8 or 32 lanes, or a block for
 * more work, computes a row of C: its bits are in shared memory; the words of B's rows are OR-ed
 * into them, counted, and read out in order. 65,536 columns take 8 KiB; with more, too few teams
 * would fit a multiprocessor.
 *
 * Cost: every pair of compressed B read once per use; the bits from a row's first column to its
 * last cleared and read. Memory: 8 bytes per pair of B, 33 bytes a row, the stash of columns.
 * Source: S1, symbolic phase for denser B and at most 65,536 columns.
 * Differs: words have 32 columns on every device, because OR of 64 bits in shared memory is a loop;
 * only the window of a row's columns, which is known, is cleared and read; columns are written at
 * once. */
#include "spgemm/gpu/bins/row_work.h"
#include "spgemm/gpu/device_find.h"

enum {
    MOST_COLUMNS = 65536,
    ANY = 1 << 16 /* no window is too sparse */
};

/* Teams by the products of rows. A bitmap has room for any row. */
static const spl__find_method parameters = {
    .shapes = SPL__ROW_SHAPES(
        {SPGEMM_WINDOW, .team = 8, .threads = 256, .most_work = 64, .sparsest = ANY},
        {SPGEMM_WINDOW, .team = 32, .threads = 256, .most_work = 1 << 12, .sparsest = ANY},
        {SPGEMM_WINDOW, .team = 128, .threads = 128, .most_work = 1 << 15, .sparsest = ANY},
        {SPGEMM_WINDOW, .team = 512, .threads = 512, .sparsest = ANY}),
    .costs = {.product = 16, .row = 64, .launches = 13},
    .compresses = true,
    .as_wide_as_c = true};

static const char *applicable(const spl__task *task)
{
    return spl__device_product_of(task->plan)->form.b.cols > MOST_COLUMNS
               ? "C has more than 65,536 columns"
               : NULL;
}

const spl__method spl__spgemm_symbolic_gpu_bitmap = {
    .summary = "a bit for every column of C",
    .source = "S1, symbolic phase for denser B",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .applicable = applicable,
    .parameters = &parameters,
    .estimate = spl__device_find_estimate,
    .prepare = spl__device_find_prepare,
    .enqueue_early = spl__device_find_enqueue_early,
    .execute = spl__device_find_execute,
    .explain = spl__device_find_explain,
};
