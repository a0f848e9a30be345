/* SPDX-License-Identifier: Apache-2.0 */
/* read.c: spl_read: finds out what a file is. One format is one file of this folder and one line of the table. */
#include "io/entries.h"
#include "io/mm_header.h"
#include "io/mm_read.h"

typedef struct file_format {
    bool (*detect)(const spl__text_file *text); /* looks at the first batch, consumes nothing */
    spl_status (*read)(spl_context *context, spl__text_file *text, const spl_read_options *options,
                       spl_matrix **result);
} file_format;

static const file_format formats[] = {
    {spl__mm_detect, spl__mm_read},
};

static spl_status read_text(spl_context *context, spl__text_file *text, const spl_read_options *options,
                            spl_matrix **result)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].detect(text))
            return formats[i].read(context, text, options, result);
    return spl__mm_read(context, text, options, result); /* says what is missing */
}

spl_status spl_read(spl_context *context, const char *path, const spl_read_options *options, spl_matrix **result)
{
    spl_read_options taken;
    spl__text_file text;
    spl_matrix *matrix;
    if (!context || !path || !result)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", !context ? "context" : !path ? "path" : "result");
    SPL__TRY(spl__read_options_take(&taken, options));
    SPL__TRY(spl__text_file_open(&text, &context->account, path));
    spl_status status = read_text(context, &text, &taken, &matrix);
    spl__text_file_close(&text);
    if (status == SPL_OK)
        *result = matrix;
    return status;
}
