/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "lib/closed_pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void protect(const closed_pages *pages, int mode)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (mprotect(pages->map, pages->map_bytes - page, mode) != 0)
        abort();
}

closed_pages closed_pages_copy(const void *source, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (bytes + page - 1) / page * page + page;
    closed_pages pages = {.map_bytes = used + page};
    pages.map = mmap(NULL, pages.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages.map == MAP_FAILED)
        abort();
    protect(&pages, PROT_READ | PROT_WRITE);
    pages.data = (char *)pages.map + used - bytes;
    memcpy(pages.data, source, bytes);
    return pages;
}

void closed_pages_close(const closed_pages *pages)
{
    protect(pages, PROT_NONE);
}

void closed_pages_freeze(const closed_pages *pages)
{
    protect(pages, PROT_READ);
}

void closed_pages_open(const closed_pages *pages)
{
    protect(pages, PROT_READ | PROT_WRITE);
}

void closed_pages_free(closed_pages *pages)
{
    munmap(pages->map, pages->map_bytes);
    *pages = (closed_pages){0};
}
