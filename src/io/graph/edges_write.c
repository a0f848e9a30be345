/* SPDX-License-Identifier: Apache-2.0 */
#include "io/graph/edges_write.h"

#include "core/types.h"
#include "io/entry_lines.h"

#include <stdio.h>

static bool all_ones(const spl_sparse *m)
{
    int64_t k = 0;
    while (k < m->nnz && spl__value_at(m->values, m->type, k) == 1)
        k++;
    return k == m->nnz;
}

spl_status spl__edges_write(spl_context *context, const spl_sparse *matrix, spl__output *output)
{
    char text[128];
    spl__line_style style = {.first = 0, .separator = '\t', .values = !all_ones(matrix)};
    if (matrix->rows != matrix->cols)
        return spl__fail(SPL_UNSUPPORTED,
                         "an edge list is a square matrix, this one is %lld x %lld",
                         (long long)matrix->rows, (long long)matrix->cols);
    int length =
        snprintf(text, sizeof text, "# Nodes: %lld Edges: %lld\n# FromNodeId\tToNodeId%s\n",
                 (long long)matrix->rows, (long long)matrix->nnz, style.values ? "\tValue" : "");
    SPL__TRY(spl__output_write(output, text, (size_t)length));
    return spl__entry_lines(context, matrix, &style, output);
}
