/* SPDX-License-Identifier: Apache-2.0 */
#include "output_file.h"

#include "failure.h"

#include <errno.h>
#include <limits.h>
#include <plot_scene.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of `path`: everything up to the last slash, or ".". 0 with errno set. */
static int folder_of(const char *path, char folder[PATH_MAX])
{
    if (!tool_link_target(path, folder))
        return 0;
    char *slash = strrchr(folder, '/');
    strcpy(slash ? slash + 1 : folder, slash ? "" : ".");
    return 1;
}

int cli_output_check(const char *path)
{
    char folder[PATH_MAX];
    struct stat status;
    if (!folder_of(path, folder))
        return cli_fail_output("%s: %s", path, strerror(errno));
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

int cli_output_check_matrix(const char *path)
{
    int code = cli_check_written(spl_write_check(path), path);
    return code ? code : cli_output_check(path);
}

int cli_output_check_picture(const char *path)
{
    if (!plot_available(plot_format_of(path)))
        return cli_fail(SPL_UNSUPPORTED,
                        "%s: a PNG needs libcairo, which this tool was built without; an SVG "
                        "does not",
                        path);
    return cli_output_check(path);
}

int cli_output_write(const char *path, const tool_buffer *bytes)
{
    if (bytes->failed)
        return cli_fail(SPL_OUT_OF_MEMORY, "no memory for what is to be written to %s", path);
    return tool_write_file(path, bytes) ? CLI_OK : cli_fail_output("%s: %s", path, strerror(errno));
}
