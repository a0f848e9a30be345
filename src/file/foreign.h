/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.h: recognises files of other formats, for clear messages. */
#ifndef SPL_FILE_FOREIGN_H
#define SPL_FILE_FOREIGN_H

#include "core/error.h"

#include <stddef.h>

/* SPL_UNSUPPORTED if these first bytes of a file, gzip taken off, are those of a packed file, an
 * archive, a binary format. */
spl_status spl__foreign_check(const char *name, const char *bytes, size_t count);

#endif
