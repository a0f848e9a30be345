/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE's sliced ELL: A in slices of 32 rows, made on the host when preparing, outside the
 * times: cuSPARSE converts nothing itself. Rows keep their order, as its format has it. */
#include "rival_cusparse.h"

#include <stdlib.h>
#include <string.h>

/* matrices that would be more than 4 times as large have no sliced ELL */
enum { SLICE = 32, MOST_PADDED = 4 };

typedef struct sell {
    int64_t slices, stored;
    int32_t *begin, *columns; /* slices + 1, stored */
    char *values;
} sell;

static int64_t longest_of_slice(const int32_t *offsets, int64_t rows, int64_t slice)
{
    int64_t longest = 0;
    for (int64_t i = slice * SLICE; i < (slice + 1) * SLICE && i < rows; i++)
        longest = offsets[i + 1] - offsets[i] > longest ? offsets[i + 1] - offsets[i] : longest;
    return longest;
}

/* Entry k of row r of a slice lies at begin + k*SLICE + r; the column of padding is -1. */
static void copy_row(const sell *s, const spl_sparse *a, int64_t i)
{
    const int32_t *offsets = a->offsets;
    size_t value = tool_type_bytes(a->type);
    int64_t position = s->begin[i / SLICE] + i % SLICE;
    for (int32_t p = offsets[i]; p < offsets[i + 1]; p++, position += SLICE) {
        s->columns[position] = ((const int32_t *)a->indices)[p];
        memcpy(s->values + (size_t)position * value, (const char *)a->values + (size_t)p * value,
               value);
    }
}

static int make(const spl_sparse *a, sell *s)
{
    s->slices = (a->rows + SLICE - 1) / SLICE;
    s->begin = tool_array(s->slices + 1, sizeof(int32_t));
    for (int64_t k = 0; s->begin && k < s->slices; k++) {
        s->begin[k] = (int32_t)s->stored;
        s->stored += SLICE * longest_of_slice(a->offsets, a->rows, k);
        if (s->stored > MOST_PADDED * a->nnz || s->stored > INT32_MAX)
            return nv_fail("sliced ELL would be mostly padding");
    }
    s->columns = tool_array(s->stored, sizeof(int32_t));
    s->values = tool_array(s->stored, tool_type_bytes(a->type));
    if (!s->begin || !s->columns || !s->values)
        return nv_fail("no memory for sliced ELL");
    s->begin[s->slices] = (int32_t)s->stored;
    memset(s->columns, 0xff, (size_t)s->stored * sizeof(int32_t));
    memset(s->values, 0, (size_t)s->stored * tool_type_bytes(a->type));
    for (int64_t i = 0; i < a->rows; i++)
        copy_row(s, a, i);
    return 1;
}

static void drop_csr(nv_base *base)
{
    nv_drop(&base->a);
}

static int put(nv_base *base, const sell *s)
{
    const spl_sparse *a = &base->problem.a;
    drop_csr(base);
    return nv_put(s->begin, (size_t)(s->slices + 1) * sizeof(int32_t), &base->a.offsets) &&
           nv_put(s->columns, (size_t)s->stored * sizeof(int32_t), &base->a.indices) &&
           nv_put(s->values, (size_t)s->stored * tool_type_bytes(a->type), &base->a.values) &&
           nv_sparse(cusparseCreateSlicedEll(&base->a.descriptor, a->rows, a->cols, a->nnz,
                                             s->stored, SLICE, base->a.offsets, base->a.indices,
                                             base->a.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                             CUSPARSE_INDEX_BASE_ZERO, base->type),
                     "cusparseCreateSlicedEll");
}

void *nv_sell_prepare(const bench_problem *problem)
{
    sell s = {0};
    nv_base *base = nv_dense_prepare(problem);
    int good = base && make(&problem->a, &s) && put(base, &s);
    free(s.begin);
    free(s.columns);
    free(s.values);
    if (base && !good)
        nv_dense_release(base);
    return good ? base : NULL;
}
