/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_FILE_LIST_H
#define TOOL_FILE_LIST_H

#include <stddef.h>

/* Paths, sorted. All zero at first. */
typedef struct tool_files {
    char **paths;
    size_t count, room;
} tool_files;

/* Adds the regular files in `folder` and below it whose names end with one of `endings` (NULL ends
 * the list); folders whose name begins with a dot are left out. 0 with errno set if the folder
 * cannot be read or there is no memory. */
int tool_files_below(tool_files *files, const char *folder, const char *const *endings);
void tool_files_free(tool_files *files);

#endif
