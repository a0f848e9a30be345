/* SPDX-License-Identifier: Apache-2.0 */
/* file_name.h: what the ending of a name says about a file. */
#ifndef SPL_IO_FILE_NAME_H
#define SPL_IO_FILE_NAME_H

#include <stdbool.h>
#include <string.h>

/* Does the name end so, a final ".gz" aside? */
static inline bool spl__name_ends(const char *name, const char *ending)
{
    size_t length = strlen(name), wanted = strlen(ending);
    if (length >= 3 && strcmp(name + length - 3, ".gz") == 0)
        length -= 3;
    return length > wanted && strncmp(name + length - wanted, ending, wanted) == 0;
}

/* One of the endings of edge lists. */
static inline bool spl__name_of_edges(const char *name)
{
    return spl__name_ends(name, ".txt") || spl__name_ends(name, ".edges") || spl__name_ends(name, ".tsv");
}

#endif
