/* SPDX-License-Identifier: Apache-2.0 */
/* harwell_boeing.h: recognises text files of a format that is not read, for a clear message. */
#ifndef SPL_IO_HARWELL_BOEING_H
#define SPL_IO_HARWELL_BOEING_H

#include "file/text_file.h"

/* Harwell-Boeing and its successor Rutherford-Boeing are text without magic bytes. Looks at the
 * first batch. */
bool spl__harwell_boeing_detect(const spl__text_file *text);
/* A reader (read.c) that refuses them. SPL_UNSUPPORTED. */
spl_status spl__harwell_boeing_refuse(spl_context *context, spl__text_file *text,
                                      const spl_read_options *options, spl_matrix **result);

#endif
