/* SPDX-License-Identifier: Apache-2.0 */
/* sized.h: public structs begin with their size, so that callers built against another version
 * still work. */
#ifndef SPL_CORE_SIZED_H
#define SPL_CORE_SIZED_H

#include "core/error.h"

/* Copies the caller's struct `from` (NULL: all defaults) into `to` of `known` bytes, filling
 * members that an older caller lacks with zero. SPL_INVALID_ARGUMENT, with `name` and both
 * sizes, if its size was not set or a newer caller uses bytes that this library does not know.
 * `name` is that of the argument, or of the struct where arguments of several have the same. */
spl_status spl__sized_read(void *to, size_t known, const void *from, const char *name);

/* Copies the library's struct `from` of `known` bytes into the caller's `to`, up to the size
 * that `to` states. */
spl_status spl__sized_write(void *to, const void *from, size_t known, const char *name);

#endif
