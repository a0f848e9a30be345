/* SPDX-License-Identifier: Apache-2.0 */
/* write.c: spl_write: the ending of the name decides the format. One format is one writer of this folder and one line of the table. */
#include "io/edges_write.h"
#include "io/file_name.h"
#include "io/graph_write.h"
#include "io/mm_write.h"
#include "io/npz_write.h"
#include "matrix/view.h"

typedef spl_status text_writer(spl_context *context, const spl_sparse *matrix, spl__output *output);

static bool named_graph(const char *path)
{
    return spl__name_ends(path, ".graph");
}

/* Anything else is Matrix Market. */
static const struct {
    bool (*named)(const char *path);
    text_writer *write;
} formats[] = {
    {spl__name_of_edges, spl__edges_write},
    {named_graph, spl__graph_write},
};

static text_writer *writer_for(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].named(path))
            return formats[i].write;
    return spl__mm_write;
}

/* Texts go through an output, which packs them if the name says so. */
static spl_status write_text(spl_context *context, const spl_sparse *view, const char *path)
{
    spl__output *output;
    SPL__TRY(spl__output_open(&context->account, path, &output));
    spl_status status = writer_for(path)(context, view, output);
    if (status == SPL_OK)
        return spl__output_commit(output);
    spl__output_abandon(output);
    return status;
}

spl_status spl_write(spl_context *context, const spl_sparse *matrix, const char *path)
{
    spl_sparse view;
    if (!context || !path)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", context ? "path" : "context");
    SPL__TRY(spl__view_take(&view, matrix, "matrix"));
    size_t length = strlen(path);
    bool npz = length > 4 && strcmp(path + length - 4, ".npz") == 0;
    return npz ? spl__npz_write(context, &view, path) : write_text(context, &view, path);
}
