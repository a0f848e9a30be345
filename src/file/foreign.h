/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.h: recognises files of other formats, for clear messages. */
#ifndef SPL_FILE_FOREIGN_H
#define SPL_FILE_FOREIGN_H

#include "file/text_file.h"

/* SPL_UNSUPPORTED if these first bytes of a file, gzip taken off, are those of a packed file, an
 * archive, a binary format. */
spl_status spl__foreign_check(const char *name, const char *bytes, size_t count);

/* Harwell-Boeing and its successor Rutherford-Boeing are text without magic bytes. Looks at the
 * first batch. */
bool spl__harwell_boeing_detect(const spl__text_file *text);
/* A reader (read.c) that refuses them. SPL_UNSUPPORTED. */
spl_status spl__harwell_boeing_refuse(spl_context *context, spl__text_file *text,
                                      const spl_read_options *options, spl_matrix **result);

#endif
