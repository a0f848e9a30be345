/* SPDX-License-Identifier: Apache-2.0 */
#include "io/matrix_market/mm_write.h"

#include "core/types.h"
#include "io/entry_lines.h"

#include <stdio.h>

spl_status spl__mm_write(spl_context *context, const spl_sparse *matrix, spl__output *output)
{
    static const spl__line_style style = {.first = 1, .separator = ' ', .values = true};
    char text[256];
    int length = snprintf(text, sizeof text,
                          "%%%%MatrixMarket matrix coordinate %s general\n%lld %lld %lld\n",
                          spl__type_is_integer(matrix->type) ? "integer" : "real",
                          (long long)matrix->rows, (long long)matrix->cols, (long long)matrix->nnz);
    SPL__TRY(spl__output_write(output, text, (size_t)length));
    return spl__entry_lines(context, matrix, &style, output);
}
