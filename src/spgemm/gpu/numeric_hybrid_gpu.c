/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/hybrid: the values of C = alpha*A*B + beta*D, with a lookup of positions that
 * is chosen per row.
 *
 * For rows that the symbolic phase sorted, the position of every product is kept: one byte per
 * product is read instead of a column; many rows of at most 32 products have a thread each
 * (spgemm_lane_rows.h). In other rows the columns of C are known and ascend. Short rows use binary
 * search. Rows whose columns lie close together have one word per 32 columns, with their bits and
 * the position of the first: a product's position is that plus the number of lower bits. Other rows
 * use chained hash tables; the longest are split into chunks of columns, one block each, with open
 * addressing.
 *
 * Cost: a lookup and an addition per product; C's columns entered, its values written. Memory: 4
 * bytes a row; for kept positions 8 bytes a row and one per product of sorted rows. Source: hash
 * tables and bins: Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017 [S3]; own. */
#include "spgemm/gpu/device_values.h"

static const spl__values_method parameters = {
    .shapes = SPL__ROW_SHAPES(
        {SPGEMM_KEPT, .team = 32, .threads = 256, .most = 32, .most_work = 1 << 7},
        {SPGEMM_KEPT, .team = 32, .threads = 256, .most = 64, .most_work = 1 << 7},
        {SPGEMM_KEPT, .team = 32, .threads = 256, .most = 128, .most_work = 1 << 7},
        {SPGEMM_SEARCH, .team = 32, .threads = 256, .most = 32, .most_work = 1 << 12},
        {SPGEMM_WINDOW, .team = 32, .threads = 256, .most = 1536, .most_work = 1 << 16,
         .sparsest = 2},
        {SPGEMM_CHAIN, .team = 32, .threads = 256, .most = 128, .most_work = 1 << 18},
        {SPGEMM_WINDOW, .team = 32, .threads = 256, .most = 2048, .most_work = 1 << 18,
         .sparsest = 2},
        {SPGEMM_WINDOW, .team = 32, .threads = 256, .most = 4096, .most_work = 1 << 18,
         .sparsest = 2},
        {SPGEMM_WINDOW, .team = 32, .threads = 128, .most = 6144, .most_work = 1 << 18,
         .sparsest = 2},
        {SPGEMM_WINDOW, .team = 32, .threads = 128, .most = 8192, .most_work = 1 << 18,
         .sparsest = 2},
        {SPGEMM_WINDOW, .team = 32, .threads = 128, .most = 11264, .most_work = 1 << 18,
         .sparsest = 2},
        {SPGEMM_CHAIN, .team = 32, .threads = 128, .most = 512, .most_work = 1 << 18},
        {SPGEMM_CHAIN, .team = 64, .threads = 64, .most = 1024, .most_work = 1 << 18},
        {SPGEMM_WINDOW, .team = 256, .threads = 256, .most = 57344, .most_work = 1 << 20,
         .sparsest = 4},
        {SPGEMM_CHAIN, .team = 128, .threads = 128, .most = 2048, .most_work = 1 << 20},
        {SPGEMM_SPREAD, .team = 256, .threads = 256, .most = 65536, .sparsest = 4},
        {SPGEMM_SPREAD, .team = 512, .threads = 512, .sparsest = 16},
        {SPGEMM_HASH, .team = 512, .threads = 512, .most = 4096}),
    .costs = {.product = 12, .row = 32, .launches = 5},
    .kernels = &spl__entry_values};

const spl__method spl__spgemm_numeric_gpu_hybrid = {
    .summary = "positions searched, counted in windows of bits, or hashed",
    .source = "Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017, for the hashed rows; own",
    .revision = 1,
    .attributes = SPL__IN_PLACE,
    .parameters = &parameters,
    .applicable = spl__device_values_applicable,
    .estimate = spl__device_values_estimate,
    .prepare = spl__device_values_prepare,
    .enqueue_early = spl__device_values_enqueue_early,
    .execute = spl__device_values_execute,
    .explain = spl__device_values_explain,
    .destroy = spl__device_values_destroy,
};
