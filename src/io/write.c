/* SPDX-License-Identifier: Apache-2.0 */
/* write.c: spl_write: the ending of the name decides the format. A format is one writer of this
 * folder and one line of the table. */
#include "file/atomic_file.h"
#include "file/file_name.h"
#include "io/graph/edges_write.h"
#include "io/graph/graph_write.h"
#include "io/matrix_market/mm_write.h"
#include "io/npz/npz_write.h"
#include "io/npz/zip_write.h"
#include "matrix/view.h"

/* Text formats are written through an output, which packs them if the name has the ending of
 * gzip. */
static const struct {
    spl__named named;
    spl_status (*write)(spl_context *context, const spl_sparse *matrix, spl__output *output);
} texts[] = {
    {SPL__NAMED_NOTHING, spl__mm_write}, /* pipes and /dev/stdout among others */
    {SPL__NAMED_MATRIX_MARKET, spl__mm_write},
    {SPL__NAMED_EDGES, spl__edges_write},
    {SPL__NAMED_GRAPH, spl__graph_write},
};

/* Can files of that name be written? */
static spl_status check_format(const char *path, spl__named named)
{
    char list[128];
    if (named == SPL__NAMED_NPZ)
        return spl__zip_available(path);
    if (named != SPL__NAMED_OTHER && named != SPL__NAMED_CSV)
        return SPL_OK;
    spl__text endings = spl__text_begin(list, sizeof list);
    spl__named_endings(&endings, SPL__NAMED_OTHER);
    return spl__fail(
        SPL_UNSUPPORTED,
        "%s: nothing is written under this ending; known are %s; .gz may follow but .npz", path,
        list);
}

static spl_status write_text(spl_context *context, const spl_sparse *view, const char *path,
                             spl__named named)
{
    spl__output *output;
    int i = 0;
    while (texts[i].named != named)
        i++;
    SPL__TRY(spl__output_open(&context->account, path, &output));
    spl_status status = texts[i].write(context, view, output);
    if (status == SPL_OK)
        return spl__output_commit(output);
    spl__output_abandon(output);
    return status;
}

spl_status spl_write(spl_context *context, const spl_sparse *matrix, const char *path)
{
    spl_sparse view;
    spl__watch watch;
    if (!context || !path)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", context ? "path" : "context");
    SPL__TRY(
        spl__view_take(spl__watch_begin(&watch, context, "write", 0), &view, matrix, "matrix"));
    spl__named named = spl__named_format(path);
    SPL__TRY(check_format(path, named));
    spl_status status = named == SPL__NAMED_NPZ ? spl__npz_write(context, &view, path)
                                                : write_text(context, &view, path, named);
    return spl__memory_for(status, path);
}

spl_status spl_write_check(const char *path)
{
    if (!path)
        return spl__fail(SPL_INVALID_ARGUMENT, "path is NULL");
    SPL__TRY(check_format(path, spl__named_format(path)));
    return spl__atomic_check(path);
}
