/* SPDX-License-Identifier: Apache-2.0 */
#include "structure/block_size.h"

#include <math.h>

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

double spl__block_steps(double size, double fills)
{
    return fills > 0 ? (2 + 6 / size) / fills : INFINITY;
}

/* ---- any mix of widths: matrices are described as they are ---- */

/* Whether row i has the columns of row i - 1, in the same order. */
static bool equals_previous(const spl_sparse *csr, int64_t i)
{
    int64_t begin = spl__offset_at(csr, i), length = spl__offset_at(csr, i + 1) - begin;
    bool same = i > 0 && begin - spl__offset_at(csr, i - 1) == length;
    for (int64_t p = begin; same && p < begin + length; p++)
        same = spl__entry_index(csr, p) == spl__entry_index(csr, p - length);
    return same;
}

/* The greatest divisor of `size` that divides every column where a run of neighbouring columns
 * of row i begins or ends; 1 if columns do not ascend. */
static int64_t cut_by_runs(const spl_sparse *csr, int64_t i, int64_t size)
{
    int64_t last = -1;
    for (int64_t p = spl__offset_at(csr, i); p < spl__offset_at(csr, i + 1) && size > 1; p++) {
        int64_t column = spl__entry_index(csr, p);
        if (column <= last)
            return 1;
        if (column != last + 1 || p == spl__offset_at(csr, i))
            size = spl__common_divisor(spl__common_divisor(size, column), last + 1);
        last = column;
    }
    return spl__common_divisor(size, last + 1);
}

/* The size that all rows allow: a row that differs from the previous one begins a row of blocks. */
int32_t spl__block_size(spl__watch *watch, const spl_sparse *csr)
{
    int64_t size =
        spl__common_divisor(SPL__BLOCK_MULTIPLE, spl__common_divisor(csr->rows, csr->cols));
    for (int64_t i = 0; i < csr->rows && size > 1 && spl__watch_goes_on_at(watch, i); i++)
        if (!equals_previous(csr, i))
            size = cut_by_runs(csr, i, spl__common_divisor(size, i));
    return csr->nnz > 0 ? spl__largest_divisor(size, SPL__BLOCK_MOST) : 1;
}
