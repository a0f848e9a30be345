/* SPDX-License-Identifier: Apache-2.0 */
/* write.c: spl_write: an output around the writer of the one format there is. */
#include "io/mm_write.h"
#include "matrix/view.h"

spl_status spl_write(spl_context *context, const spl_sparse *matrix, const char *path)
{
    spl_sparse view;
    spl__output *output;
    if (!context || !path)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", context ? "path" : "context");
    SPL__TRY(spl__view_take(&view, matrix, "matrix"));
    SPL__TRY(spl__output_open(&context->account, path, &output));
    spl_status status = spl__mm_write(context, &view, output);
    if (status == SPL_OK)
        return spl__output_commit(output);
    spl__output_abandon(output);
    return status;
}
