/* SPDX-License-Identifier: Apache-2.0 */
/* mm_read.h: Matrix Market files. */
#ifndef SPL_IO_MATRIX_MARKET_MM_READ_H
#define SPL_IO_MATRIX_MARKET_MM_READ_H

#include "core/context.h"
#include "file/text_file.h"
#include "matrix/matrix.h"

/* Reads the rest of `text` as a Matrix Market file. `options` must have been taken (entries.h).
 * Statuses of spl_read. */
spl_status spl__mm_read(spl_context *context, spl__text_file *text, const spl_read_options *options,
                        spl_matrix **result);
/* The same for a file, plain or gzip, that lies in memory; `name` is what messages call it. */
spl_status spl__mm_read_text(spl_context *context, const void *bytes, size_t size, const char *name,
                             const spl_read_options *options, spl_matrix **result);

#endif
