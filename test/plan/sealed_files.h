/* SPDX-License-Identifier: Apache-2.0 */
/* sealed_files.h: files of wisdom and of measured coefficients, made of lines. */
#ifndef SPARLOOM_TEST_SEALED_FILES_H
#define SPARLOOM_TEST_SEALED_FILES_H

#include "file/sealed_text.h"
#include "io/io_files.h"

/* Writes a file of that kind ("wisdom", "machine") with the lines, of which the last is NULL;
 * returns its path. */
static inline const char *write_sealed(const char *name, const char *kind, const char *const *lines)
{
    spl__sealed_writer writer;
    const char *path = io_path(name);
    EXPECT_OK(spl__sealed_open(&writer, path, kind));
    for (; *lines; lines++)
        EXPECT_OK(spl__sealed_line(&writer, *lines));
    EXPECT_OK(spl__sealed_commit(&writer));
    return path;
}

#endif
