/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "matrix/block_size.h"

#include "core/combination.h"

#define SELF "matrix/block_size.c"
#include "core/each_type.h"

typedef int64_t (*cut_fn)(const spl_sparse *csr, int64_t size);
static const cut_fn cut_table[SPL__COMBINATIONS] = SPL__TABLE(cut_by_rows);

int64_t spl__common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int32_t spl__largest_divisor(int64_t number, int32_t most)
{
    int32_t divisor = most;
    while (divisor > 1 && number % divisor != 0)
        divisor--;
    return divisor;
}

int32_t spl__block_size(const spl_sparse *csr)
{
    int64_t size = spl__common_divisor(SPL__BLOCK_MULTIPLE, spl__common_divisor(csr->rows, csr->cols));
    if (size > 1 && csr->rows > 0)
        size = cut_table[spl__combination(csr->type, csr->offset_type, csr->index_type)](csr, size);
    return csr->rows > 0 ? spl__largest_divisor(size, SPL__BLOCK_MOST) : 1;
}

#else
#include "matrix/row_repeats.h"

/* What of `size` divides every column where a run of neighbouring columns of row i begins or ends; 1 if columns do not ascend. */
static int64_t FN(cut_by_runs)(const spl_sparse *csr, int64_t i, int64_t size)
{
    const P *offsets = csr->offsets;
    const I *columns = csr->indices;
    int64_t last = -1;
    for (P p = offsets[i]; p < offsets[i + 1] && size > 1; p++) {
        int64_t here = columns[p];
        if (here <= last)
            return 1;
        if (here != last + 1 || p == offsets[i])
            size = spl__common_divisor(spl__common_divisor(size, here), last + 1);
        last = here;
    }
    return spl__common_divisor(size, last + 1);
}

/* What of `size` is left by all rows: one that is not as the row before begins a row of blocks. */
static int64_t FN(cut_by_rows)(const spl_sparse *csr, int64_t size)
{
    for (int64_t i = 0; i < csr->rows && size > 1; i++)
        if (i == 0 || !FN(row_repeats)(csr, i))
            size = FN(cut_by_runs)(csr, i, spl__common_divisor(size, i));
    return size;
}

#endif
