/* SPDX-License-Identifier: Apache-2.0 */
/* read.h: reads from memory. */
#ifndef SPL_IO_READ_H
#define SPL_IO_READ_H

#include "sparloom/sparloom.h"

/* spl_read of a file that lies in memory, whatever its format; `name` is what messages call it, and
 * its ending tells what the contents cannot. */
spl_status spl__read_memory(spl_context *context, const void *bytes, size_t size, const char *name,
                            const spl_read_options *options, spl_matrix **result);

#endif
