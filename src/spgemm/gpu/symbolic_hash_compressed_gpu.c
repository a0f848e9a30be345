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
#include "spgemm/gpu/device_find.h"
#include "spgemm/gpu/row_work.h"

static const spl__row_shapes shapes =
    SPL__ROW_SHAPES({SPGEMM_HASH, .team = 8, .threads = 256, .most = 32},
                    {SPGEMM_HASH, .team = 32, .threads = 256, .most = 128},
                    {SPGEMM_HASH, .team = 32, .threads = 128, .most = 512},
                    {SPGEMM_HASH, .team = 128, .threads = 128, .most = 1024});

static void estimate(const spl__task *task, spl__estimate *e)
{
    spl__device_find_estimate(
        task, (spl__device_costs){.product = 24, .row = 64, .launches = 14, .hashes_long = true},
        e);
    e->bytes +=
        (double)sizeof(struct spgemm_pair) * (double)spl__device_product_of(task->plan)->form.b.nnz;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    (void)call;
    SPL__TRY(spl__compress_b(step->task.plan));
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
