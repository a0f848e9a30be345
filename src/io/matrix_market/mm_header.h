/* SPDX-License-Identifier: Apache-2.0 */
/* mm_header.h: the banner and the size line of a Matrix Market file. */
#ifndef SPL_IO_MATRIX_MARKET_MM_HEADER_H
#define SPL_IO_MATRIX_MARKET_MM_HEADER_H

#include "file/text_file.h"

typedef enum spl__mm_field {
    SPL__MM_REAL,
    SPL__MM_INTEGER,
    SPL__MM_PATTERN,
    SPL__MM_COMPLEX,
    SPL__MM_UNSIGNED
} spl__mm_field;
typedef enum spl__mm_symmetry {
    SPL__MM_GENERAL,
    SPL__MM_SYMMETRIC,
    SPL__MM_SKEW,
    SPL__MM_HERMITIAN
} spl__mm_symmetry;

typedef struct spl__mm_header {
    bool array;
    spl__mm_field field;
    spl__mm_symmetry symmetry;
    int64_t rows, cols;
    int64_t entries; /* lines with data that must follow */
} spl__mm_header;

/* Does the batch begin as a Matrix Market file? */
bool spl__mm_detect(const spl__text_file *text);
/* Reads up to and with the size line and checks what can be checked: known words that go together,
 * plausible numbers. SPL_FILE_INVALID, SPL_UNSUPPORTED (complex),
 * statuses of spl__text_file_more. */
spl_status spl__mm_read_header(spl__text_file *text, spl__mm_header *header);
/* The fewest bytes of a line with data, its newline included. */
int spl__mm_shortest_line(const spl__mm_header *header);

#endif
