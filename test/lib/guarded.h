/* SPDX-License-Identifier: Apache-2.0 */
/* guarded.h: output arrays that are poisoned with 0xFF (NaN as a number, -1 as an index) and lie
 * between guard zones. */
#ifndef SPARLOOM_TEST_GUARDED_H
#define SPARLOOM_TEST_GUARDED_H

#include <stdbool.h>
#include <stddef.h>

typedef struct guarded {
    void *data; /* `bytes` bytes, aligned to 64, all 0xFF at first */
    size_t bytes;
    unsigned char *block;
} guarded;

guarded guarded_new(size_t bytes);
/* Nothing was written before or after the data. */
bool guarded_intact(const guarded *array);
/* Nothing was written at all. */
bool guarded_untouched(const guarded *array);
void guarded_free(guarded *array);

#endif
