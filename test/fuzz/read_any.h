/* SPDX-License-Identifier: Apache-2.0 */
/* read_any.h: what the fuzz targets of readers share: any bytes are a matrix that spl_validate
 * accepts, or a status with a detail, and memory stays within the budget. */
#ifndef SPARLOOM_FUZZ_READ_ANY_H
#define SPARLOOM_FUZZ_READ_ANY_H

#include "io/read.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_BUDGET = 24 << 20, FUZZ_THREADS = 2 };

static inline void fuzz_require(int condition)
{
    if (!condition)
        abort();
}

/* A byte of the input chooses the shape of the result, so that all of them are met. */
static inline spl_read_options fuzz_options(const uint8_t *data, size_t size)
{
    spl_read_options options = SPL_READ_OPTIONS_INIT;
    unsigned choice = size ? data[size / 2] : 0;
    options.format = (spl_format)(choice % 4); /* 0: default */
    options.type = (spl_type)(choice / 4 % 3);
    options.index_type = choice & 128 ? SPL_I64 : 0;
    return options;
}

static inline void fuzz_read(const uint8_t *data, size_t size, const char *name)
{
    spl_context *context;
    spl_matrix *matrix = NULL;
    spl_context_options context_options = SPL_CONTEXT_OPTIONS_INIT;
    spl_memory_info memory = SPL_MEMORY_INFO_INIT;
    spl_read_options options = fuzz_options(data, size);
    context_options.threads = FUZZ_THREADS;
    context_options.memory_budget = FUZZ_BUDGET;
    fuzz_require(spl_context_create(&context_options, &context) == SPL_OK);

    spl_status status = spl__read_memory(context, data, size, name, &options, &matrix);
    fuzz_require((status == SPL_OK) == (matrix != NULL));
    if (status == SPL_OK) {
        spl_sparse view = SPL_SPARSE_INIT;
        fuzz_require(spl_matrix_view(matrix, &view) == SPL_OK);
        fuzz_require(spl_validate(&view) == SPL_OK);
        spl_matrix_destroy(matrix);
    } else {
        fuzz_require(spl_error_detail()[0] != 0 && status != SPL_INTERNAL &&
                     status != SPL_INVALID_MATRIX);
    }
    fuzz_require(spl_memory(context, (spl_place){SPL_HOST, 0}, &memory) == SPL_OK);
    fuzz_require(memory.live == 0 && memory.peak <= FUZZ_BUDGET);
    spl_context_destroy(context);
}

#endif
