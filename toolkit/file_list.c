/* SPDX-License-Identifier: Apache-2.0 */
#include "file_list.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int ends_with(const char *name, const char *const *endings)
{
    size_t length = strlen(name);
    for (; *endings; endings++)
        if (length >= strlen(*endings) && !strcmp(name + length - strlen(*endings), *endings))
            return 1;
    return 0;
}

/* Takes the path over. */
static int add(tool_files *files, char *path)
{
    if (files->count == files->room) {
        size_t room = 2 * files->room + 16;
        char **paths = realloc(files->paths, room * sizeof *paths);
        if (!paths) {
            free(path);
            return 0;
        }
        files->paths = paths;
        files->room = room;
    }
    files->paths[files->count++] = path;
    return 1;
}

static int collect(tool_files *files, const char *folder, const char *const *endings);

/* Links to folders are not followed: they could go round. */
static int take(tool_files *files, char *path, const char *const *endings)
{
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        int good = collect(files, path, endings);
        free(path);
        return good;
    }
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && ends_with(path, endings))
        return add(files, path);
    free(path);
    return 1;
}

static int collect(tool_files *files, const char *folder, const char *const *endings)
{
    DIR *stream = opendir(folder);
    int good = stream != NULL;
    for (struct dirent *entry; good && (entry = readdir(stream));) {
        if (entry->d_name[0] == '.')
            continue;
        size_t bytes = strlen(folder) + strlen(entry->d_name) + 2;
        char *path = malloc(bytes);
        if (path)
            snprintf(path, bytes, "%s/%s", folder, entry->d_name);
        good = path && take(files, path, endings);
    }
    if (stream)
        closedir(stream);
    return good;
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

int tool_files_below(tool_files *files, const char *folder, const char *const *endings)
{
    int good = collect(files, folder, endings);
    if (files->count)
        qsort(files->paths, files->count, sizeof *files->paths, by_text);
    return good;
}

void tool_files_free(tool_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
    *files = (tool_files){0};
}
