/* SPDX-License-Identifier: Apache-2.0 */
/* text_entries.h: what a short text holds as a file, or what is wrong with it. */
#ifndef SPARLOOM_TEST_TEXT_ENTRIES_H
#define SPARLOOM_TEST_TEXT_ENTRIES_H

#include "io_files.h"

#include "io/read.h"

/* Reads a text as a file of that name into COO and compares with "row column value" triples as
 * text. */
static inline void expect_entries(const char *name, const char *text, int64_t size,
                                  const char *triples)
{
    char found[512] = "";
    size_t length = 0;
    io_context c;
    spl_matrix *matrix;
    spl_read_options options = io_coo();
    io_begin(&c, 2, 0);
    testing_case("%s: \"%s\"", name, text);
    EXPECT_OK(spl__read_memory(c.context, text, strlen(text), name, &options, &matrix));
    spl_sparse view = io_view(matrix);
    EXPECT(view.rows == size && view.cols == size);
    for (int64_t k = 0; k < view.nnz; k++)
        length += (size_t)snprintf(found + length, sizeof found - length, "%lld %lld %g;",
                                   (long long)io_index(view.offsets, view.index_type, k),
                                   (long long)io_index(view.indices, view.index_type, k),
                                   ((const double *)view.values)[k]);
    testing_case("%s: \"%s\" gives \"%s\"", name, text, found);
    EXPECT(strcmp(found, triples) == 0);
    spl_matrix_destroy(matrix);
    io_end(&c);
}

/* Reading fails with the name and the line in front and the message in the detail, packed or not.
 */
static inline void expect_fault(const char *name, const char *text, int line, const char *message)
{
    char begin[64];
    size_t length;
    unsigned char *packed = io_gzip(text, strlen(text), &length);
    snprintf(begin, sizeof begin, "%s:%d: ", name, line);
    for (int gz = 0; gz < 2; gz++) {
        io_context c;
        spl_matrix *matrix = NULL;
        io_begin(&c, 2, 0);
        EXPECT_STATUS(SPL_FILE_INVALID,
                      spl__read_memory(c.context, gz ? (const void *)packed : text,
                                       gz ? length : strlen(text), name, NULL, &matrix));
        testing_case("\"%s\": detail \"%s\" must begin with \"%s\" and have \"%s\"", text,
                     spl_error_detail(), begin, message);
        EXPECT(strncmp(spl_error_detail(), begin, strlen(begin)) == 0 &&
               strstr(spl_error_detail(), message) != NULL);
        EXPECT(matrix == NULL && c.hook.peak < 1 << 20);
        io_end(&c);
    }
    free(packed);
}

#endif
