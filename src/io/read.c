/* SPDX-License-Identifier: Apache-2.0 */
/* read.c: spl_read: detects the format of a file. A format is one reader of this folder and one
 * line of the table. */
#include "io/read.h"

#include "file/file_name.h"
#include "io/entries.h"
#include "io/graph/edges_read.h"
#include "io/graph/graph_read.h"
#include "io/harwell_boeing.h"
#include "io/matrix_market/mm_header.h"
#include "io/matrix_market/mm_read.h"
#include "io/npz/npz_read.h"

/* Ordered: detection by content precedes detection by name. */
typedef struct file_format {
    bool (*detect)(const spl__text_file *text); /* looks at the first batch, consumes nothing */
    spl_status (*read)(spl_context *context, spl__text_file *text, const spl_read_options *options,
                       spl_matrix **result);
} file_format;

static const file_format formats[] = {
    {spl__mm_detect, spl__mm_read},
    {spl__harwell_boeing_detect, spl__harwell_boeing_refuse},
    {spl__edges_detect, spl__edges_read},
    {spl__graph_detect, spl__graph_read},
};

static spl_status none_of_them(const spl__text_file *text)
{
    char list[128];
    spl__text endings = spl__text_begin(list, sizeof list);
    if (text->begin == text->end)
        return spl__text_file_fail(text, 1, "the file is empty");
    if (spl__named_format(text->source.name) == SPL__NAMED_NPZ)
        return spl__text_file_fail(text, 1, "no ZIP archive, which an .npz file is");
    spl__named_endings(&endings, SPL__NAMED_EDGES);
    return spl__text_file_fail(text, 1,
                               "the first line does not begin with %%%%MatrixMarket; edge lists "
                               "begin with #, or are named "
                               "%s, .csv, METIS graphs .graph",
                               list);
}

static spl_status read_text(spl_context *context, spl__text_file *text,
                            const spl_read_options *options, spl_matrix **result)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].detect(text))
            return formats[i].read(context, text, options, result);
    return none_of_them(text);
}

/* Before anything is read: what parsing a batch takes, and the matrix of a file that is one. */
static void expect_text(const spl__byte_source *source)
{
    enum { TIMES = 6 };
    double begin = spl__source_begin_bytes(source);
    spl__account_expect(source->account, begin + TIMES * (spl__text_file_bytes(source) - begin));
}

/* Takes the source over. The result is the context's. */
static spl_status read_source(spl_context *context, spl__byte_source *source,
                              const spl_read_options *options, spl_matrix **result)
{
    spl__text_file text;
    spl_matrix *matrix;
    spl_status status;
    if (spl__npz_detect(source)) {
        status = spl__npz_read(context, source, options, &matrix);
        spl__source_close(source);
    } else {
        expect_text(source);
        SPL__TRY(spl__text_file_begin(&text, source));
        status = read_text(context, &text, options, &matrix);
        spl__text_file_close(&text);
    }
    if (status != SPL_OK)
        return status;
    spl__matrix_move(matrix, &context->account);
    *result = matrix;
    return SPL_OK;
}

spl_status spl_read(spl_context *context, const char *path, const spl_read_options *options,
                    spl_matrix **result)
{
    spl_read_options taken;
    spl__byte_source source;
    spl__account call;
    if (!context || !path || !result)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL",
                         !context ? "context"
                         : !path  ? "path"
                                  : "result");
    if (!*path)
        return spl__fail(SPL_FILE_ERROR, "the path is empty");
    SPL__TRY(spl__read_options_take(&taken, options));
    spl__account_init(&call, &context->allocator, &context->account, 0);
    SPL__TRY(spl__source_open(&source, &call, path));
    return spl__memory_for(read_source(context, &source, &taken, result), path);
}

spl_status spl__read_memory(spl_context *context, const void *bytes, size_t size, const char *name,
                            const spl_read_options *options, spl_matrix **result)
{
    spl_read_options taken;
    spl__byte_source source;
    spl__account call;
    SPL__TRY(spl__read_options_take(&taken, options));
    spl__account_init(&call, &context->allocator, &context->account, 0);
    SPL__TRY(spl__source_memory(&source, &call, bytes, size, name));
    return spl__memory_for(read_source(context, &source, &taken, result), name);
}
