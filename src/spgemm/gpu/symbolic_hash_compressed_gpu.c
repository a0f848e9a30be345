/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/symbolic/gpu/hash_compressed: the structure of C = A*B + D with hash tables from words of
 * 32 columns to their bits.
 *
 * B is compressed to words and bits. A team inserts the words of its row, OR-ing bits together,
 * counts the bits, sorts the words and writes their columns. Rows of many products attempt it with
 * a small table, then with the largest; what overflows that is found in chunks of columns, a bit
 * for each, as many columns at a time as bits fit shared memory: breakpoint, [S1]'s way out. Where
 * that would take many turns, with tables in global memory.
 *
 * Cost: every pair of compressed B inserted once per use. Memory: 8 bytes per pair of B, 33 bytes a
 * row, columns that are put aside. Source: S1, symbolic phase for denser B and more than 65,536
 * columns. Differs: words have 32 columns on every device; open addressing by a multiplicative
 * hash; chunks need no break points, since those that do not fall into one are dropped when they
 * are there, and one chunk of 227 KiB has 1.8 million columns. */
#include "spgemm/gpu/device_product.h"

static const spl__row_shapes shapes = {
    .shape = {{SPGEMM_HASH, 8, 256, 32, INT64_MAX, 0, 0},
              {SPGEMM_HASH, 32, 256, 128, INT64_MAX, 0, 0},
              {SPGEMM_HASH, 32, 128, 512, INT64_MAX, 0, 0},
              {SPGEMM_HASH, 128, 128, 1024, INT64_MAX, 0, 0}},
    .count = 4,
};

static void estimate(const spl__task *task, spl__estimate *e)
{
    spl__device_find_estimate(task, (spl__device_costs){24, 64, 14, true}, e);
    e->bytes += (double)sizeof(struct spgemm_pair) *
                (double)spl__product_of(task->plan)->device_c->factors.b.nnz;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    (void)call;
    SPL__TRY(spl__device_compress_b(step->task.plan));
    return spl__device_find(step, &shapes, SPL__FIND_ATTEMPT);
}

const spl__method spl__spgemm_symbolic_gpu_hash_compressed = {
    .summary = "hash table of words of 32 columns, from compressed B",
    .source = "S1, symbolic phase for denser B",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .estimate = estimate,
    .prepare = spl__device_find_prepare,
    .execute = execute,
    .explain = spl__device_find_explain,
    .destroy = spl__device_find_destroy,
};
