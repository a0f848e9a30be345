/* SPDX-License-Identifier: Apache-2.0 */
/* closed_pages.h: memory that can be made unreadable or read-only: a forbidden access ends the
 * process by a signal. */
#ifndef SPARLOOM_TEST_CLOSED_PAGES_H
#define SPARLOOM_TEST_CLOSED_PAGES_H

#include <stddef.h>

typedef struct closed_pages {
    void *data; /* ends at the end of a page that is followed by an unreadable one */
    void *map;
    size_t map_bytes;
} closed_pages;

/* Readable copy of `bytes` bytes of `source`. Aborts if there are no pages. */
closed_pages closed_pages_copy(const void *source, size_t bytes);
void closed_pages_close(const closed_pages *pages);
void closed_pages_freeze(const closed_pages *pages);
void closed_pages_open(const closed_pages *pages);
void closed_pages_free(closed_pages *pages);

#endif
