/* SPDX-License-Identifier: Apache-2.0 */
/* read.h: reads from memory. */
#ifndef SPL_IO_READ_H
#define SPL_IO_READ_H

#include "sparloom/sparloom.h"

/* spl_read of a file in memory, in any format. Messages use `name`; its ending determines the
 * format if the contents do not. */
spl_status spl__read_memory(spl_context *context, const void *bytes, size_t size, const char *name,
                            const spl_read_options *options, spl_matrix **result);

#endif
