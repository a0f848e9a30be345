/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_mm_read.c: any bytes, plain or gzip, are a matrix that spl_validate accepts, or a status with a detail. */
#include "io/mm_read.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUDGET = 24 << 20, THREADS = 2 };

/* A byte of the input chooses the shape of the result, so that all of them are met. */
static spl_read_options options_from(const uint8_t *data, size_t size)
{
    spl_read_options options = SPL_READ_OPTIONS_INIT;
    unsigned choice = size ? data[size / 2] : 0;
    options.format = (spl_format)(choice % 4); /* 0: default */
    options.type = (spl_type)(choice / 4 % 3);
    options.index_type = choice & 128 ? SPL_I64 : 0;
    return options;
}

static void require(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spl_context *context;
    spl_matrix *matrix = NULL;
    spl_context_options context_options = SPL_CONTEXT_OPTIONS_INIT;
    spl_memory_info memory = SPL_MEMORY_INFO_INIT;
    spl_read_options options = options_from(data, size);
    context_options.threads = THREADS;
    context_options.memory_budget = BUDGET;
    require(spl_context_create(&context_options, &context) == SPL_OK);

    spl_status status = spl__mm_read_text(context, data, size, "input", &options, &matrix);
    require((status == SPL_OK) == (matrix != NULL));
    if (status == SPL_OK) {
        spl_sparse view = SPL_SPARSE_INIT;
        require(spl_matrix_view(matrix, &view) == SPL_OK);
        require(spl_validate(&view) == SPL_OK);
        spl_matrix_destroy(matrix);
    } else {
        require(spl_error_detail()[0] != 0 && status != SPL_INTERNAL && status != SPL_INVALID_MATRIX);
    }
    require(spl_memory(context, (spl_place){SPL_HOST, 0}, &memory) == SPL_OK);
    require(memory.live == 0 && memory.peak <= BUDGET);
    spl_context_destroy(context);
    return 0;
}
