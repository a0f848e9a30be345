/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/symbolic/gpu/hash_compressed: the structure of C = A*B + D with hash tables from words of
 * 32 columns to their bits.
 *
 * B is compressed to words and bits. A team inserts the words of its row, OR-ing bits together,
 * counts the bits, sorts the words and writes their columns. Rows of many products are tried with a
 * small table, then with the largest one. Rows that overflow it are found in chunks of columns, one
 * bit per column, as many as fit shared memory: [S1]'s breakpoint. Where that would take many
 * chunks, tables in global memory are used.
 *
 * Cost: every pair of compressed B inserted once per use. Memory: 8 bytes per pair of B, 33
 * bytes a row, the stash of columns. Source: S1, symbolic phase for denser B and more than
 * 65,536 columns. Differs: words have 32 columns on every device; open addressing by a
 * multiplicative hash; chunks need no break points, since columns outside a chunk are skipped
 * when they are read, and one chunk of 227 KiB has 1.8 million columns. */
#include "spgemm/gpu/bins/row_work.h"
#include "spgemm/gpu/device_find.h"

static const spl__find_method parameters = {
    .shapes = SPL__ROW_SHAPES({SPGEMM_HASH, .team = 8, .threads = 256, .most = 32},
                              {SPGEMM_HASH, .team = 32, .threads = 256, .most = 128},
                              {SPGEMM_HASH, .team = 32, .threads = 128, .most = 512},
                              {SPGEMM_HASH, .team = 128, .threads = 128, .most = 1024}),
    .costs = {.product = 80, .row = 64, .launches = 14, .hashes_long = true},
    .attempts = true,
    .compresses = true};

const spl__method spl__spgemm_symbolic_gpu_hash_compressed = {
    .summary = "hash table of words of 32 columns, from compressed B",
    .source = "S1, symbolic phase for denser B",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .parameters = &parameters,
    .estimate = spl__device_find_estimate,
    .prepare = spl__device_find_prepare,
    .execute = spl__device_find_execute,
    .explain = spl__device_find_explain,
};
