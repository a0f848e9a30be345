/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/symbolic/gpu/hash: the structure of C = A*B + D with a hash set per row.
 *
 * Rows are binned by their products; each bin has teams of threads and tables of one size. A
 * team inserts the columns of its row, gathers and sorts them in the table. They are stashed while
 * the lengths are summed to offsets: device_find.c. Rows of more than 512 products are tried with a
 * table for 1024 columns, because most products meet columns that are already present. Rows that
 * overflow it are listed and tried with the largest table; rows that overflow that one are found
 * with bitmaps in chunks, or with tables in global memory.
 *
 * Cost: every product inserted, some twice; n*log2(n)^2/4 comparisons for a row of n columns.
 * Memory: 33 bytes a row, C's columns twice, tables for long rows. Source: Y. Nagasaka, A.
 * Nukada, S. Matsuoka, High-performance and memory-saving sparse general matrix-matrix
 * multiplication for NVIDIA Pascal GPU, ICPP 2017 [S3]. Differs: columns are found in the plan,
 * not with the values, so that executions find none; a sorting network instead of ranks, which
 * are quadratic; sizes re-derived for devices with up to 227 KiB of shared memory a block
 * (Hopper) and 64 KiB (DCU): twice the slots, so that searches are short; attempts begin at 512
 * products, not at 8192, and there is a third: see device_find.c. */
#include "spgemm/gpu/device_find.h"

static const spl__find_method parameters = {
    .shapes = SPL__ROW_SHAPES({SPGEMM_HASH, .team = 8, .threads = 256, .most = 32},
                              {SPGEMM_HASH, .team = 32, .threads = 256, .most = 128},
                              {SPGEMM_HASH, .team = 32, .threads = 128, .most = 512},
                              {SPGEMM_HASH, .team = 128, .threads = 128, .most = 1024}),
    .costs = {.product = 80, .row = 64, .launches = 16, .hashes_long = true},
    .attempts = true,
    .unsorted = true};

const spl__method spl__spgemm_symbolic_gpu_hash = {
    .summary = "hash set per row",
    .source = "Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017",
    .revision = 2,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .parameters = &parameters,
    .estimate = spl__device_find_estimate,
    .prepare = spl__device_find_prepare,
    .enqueue_early = spl__device_find_enqueue_early,
    .execute = spl__device_find_execute,
    .explain = spl__device_find_explain,
};
