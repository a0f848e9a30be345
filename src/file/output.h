/* SPDX-License-Identifier: Apache-2.0 */
/* output.h: the destination of writers: an atomic file, through gzip if its name ends in ".gz". */
#ifndef SPL_FILE_OUTPUT_H
#define SPL_FILE_OUTPUT_H

#include "file/atomic_file.h"

typedef struct spl__output spl__output;

/* SPL_FILE_ERROR, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. Then any number of writes, then exactly one
 * of commit and abandon; both free the output. */
spl_status spl__output_open(spl__account *account, const char *path, spl__output **output);
spl_status spl__output_write(spl__output *output, const void *bytes, size_t count);
spl_status spl__output_commit(spl__output *output);
void spl__output_abandon(spl__output *output);

#endif
