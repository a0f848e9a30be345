/* SPDX-License-Identifier: Apache-2.0 */
#include "output_file.h"

#include "failure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of `path`: everything up to the last slash, or ".". */
static int folder_of(const char *path, char *folder, size_t capacity)
{
    const char *slash = strrchr(path, '/');
    int length =
        slash ? snprintf(folder, capacity, "%.*s", (int)(slash - path + 1), path) : snprintf(folder, capacity, ".");
    return length >= 0 && (size_t)length < capacity;
}

int cli_output_check(const char *path)
{
    char folder[4096];
    struct stat status;
    if (!folder_of(path, folder, sizeof folder))
        return cli_fail_output("%s: the path is too long", path);
    if (stat(folder, &status) || (S_ISDIR(status.st_mode) && access(folder, W_OK)))
        return cli_fail_output("%s: cannot write into %s: %s", path, folder, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return cli_fail_output("%s: %s is not a folder", path, folder);
    if (stat(path, &status))
        return errno == ENOENT ? CLI_OK : cli_fail_output("%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return cli_fail_output("%s: is not a regular file", path);
    return access(path, W_OK) ? cli_fail_output("%s: %s", path, strerror(errno)) : CLI_OK;
}

int cli_output_write(const char *path, const tool_buffer *bytes)
{
    if (bytes->failed)
        return cli_fail(SPL_OUT_OF_MEMORY, "no memory for what is to be written to %s", path);
    return tool_write_file(path, bytes) ? CLI_OK : cli_fail_output("%s: %s", path, strerror(errno));
}
