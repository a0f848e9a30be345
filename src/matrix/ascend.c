/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "matrix/ascend.h"

#include "core/checked.h"
#include "core/combination.h"
#include "core/threads/parallel.h"
#include "core/threads/team.h"

enum { ROWS_AT_ONCE = 4096 };

#define SELF "matrix/ascend.c"
#include "core/each_type.h"

typedef bool (*ascend_fn)(const spl_sparse *csr, int64_t first, int64_t end);
static const ascend_fn rows_ascend[SPL__COMBINATIONS] = SPL__TABLE(rows_ascend);

bool spl__rows_ascend(const spl_sparse *csr, int threads)
{
    const ascend_fn ascend = rows_ascend[spl__combination_of_structure(csr)];
    const int64_t blocks = (csr->rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
    bool all = true;
    SPL__FOR_PARTS(b, blocks, threads, {
        if (!ascend(csr, b * ROWS_AT_ONCE, spl__min_i64((b + 1) * ROWS_AT_ONCE, csr->rows)))
            __atomic_store_n(&all, false, __ATOMIC_RELAXED);
    });
    return all;
}

#else

/* The entries first + 1..last that are not above the one before. */
static int64_t FN(count_descents)(const I *columns, int64_t first, int64_t last)
{
    enum { AT_ONCE = 65536 }; /* in numbers of 32 bits: twice as many in a register */
    int64_t sum = 0;
    for (int64_t p = first + 1; p < last; p += AT_ONCE) {
        const int64_t end = spl__min_i64(p + AT_ONCE, last);
        int32_t count = 0;
        for (int64_t q = p; q < end; q++)
            count += columns[q] <= columns[q - 1];
        sum += count;
    }
    return sum;
}

/* Whether each of the rows first..end ascends strictly: whether entries descend where rows begin
 * and nowhere else. Rows of a few entries one by one would take three times as long. */
static bool FN(rows_ascend)(const spl_sparse *csr, int64_t first, int64_t end)
{
    const P *offsets = csr->offsets, begin = offsets[first];
    const I *columns = csr->indices;
    int64_t between = 0;
    for (int64_t row = first; row < end; row++) {
        const P p = offsets[row];
        if (p > begin && p < offsets[row + 1])
            between += columns[p] <= columns[p - 1];
    }
    return FN(count_descents)(columns, (int64_t)begin, (int64_t)offsets[end]) == between;
}

#endif
