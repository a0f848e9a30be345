/* SPDX-License-Identifier: Apache-2.0 */
/* mm_piece.h: a run of lines of a Matrix Market body, the unit of work of one thread. */
#ifndef SPL_IO_MATRIX_MARKET_MM_PIECE_H
#define SPL_IO_MATRIX_MARKET_MM_PIECE_H

#include "io/entries.h"
#include "io/matrix_market/mm_header.h"

/* Kinds of faults of a line; spl__mm_fault describes them. */
typedef enum spl__mm_wrong {
    SPL__MM_FINE,
    SPL__MM_ROW,
    SPL__MM_COLUMN,
    SPL__MM_VALUE,
    SPL__MM_REST,     /* something follows the last number */
    SPL__MM_TOO_MANY, /* a line beyond the number claimed */
    SPL__MM_TRIANGLE, /* both triangles of a symmetric matrix */
    SPL__MM_DIAGONAL  /* nonzero diagonal of a skew-symmetric matrix */
} spl__mm_wrong;

enum { SPL__MM_NONE = 0, SPL__MM_LOWER = 1, SPL__MM_UPPER = 2 };

typedef struct spl__mm_piece {
    const char *begin, *end; /* whole lines */

    int64_t *rows, *cols; /* parsed, counted from 0 (coordinate files) */
    union {
        double *values;  /* NULL: all 1 (pattern) */
        int64_t *wholes; /* the same, of integers */
    };
    spl_type integers; /* their type; 0: values are floating-point numbers */
    int64_t count;     /* lines with data before the fault, if there is one */
    int64_t lines;     /* newlines */

    int64_t first;  /* how many lines with data precede the piece in the file */
    int64_t stored; /* entries it makes: mirrored ones count, zeros of arrays do not */
    int64_t to;     /* their position in spl__entries */
    /* of its first entry off the diagonal, SPL__MM_NONE without (symmetric coordinate files) */
    int triangle;
    int64_t first_off; /* that entry; -1: none */
    int64_t crossing;  /* the first entry in the other triangle; -1: none */

    spl__mm_wrong wrong;
    const char *fault; /* the faulty token */
} spl__mm_piece;

/* Parses the lines: fills count, lines and the arrays, or wrong and where. The thread must be in
 * the C locale. */
void spl__mm_piece_parse(spl__mm_piece *piece, const spl__mm_header *header);
/* Needs `first`. Fills stored, triangle, first_off, crossing; finds faults
 * that concern symmetry. */
void spl__mm_piece_measure(spl__mm_piece *piece, const spl__mm_header *header);
/* Needs `first` and `to`. Writes the entries. */
void spl__mm_piece_store(const spl__mm_piece *piece, const spl__mm_header *header,
                         spl__entries *entries);

/* Whether the n-th value is 0. */
static inline bool spl__mm_is_zero(const spl__mm_piece *piece, int64_t n)
{
    return piece->integers ? piece->wholes[n] == 0 : piece->values[n] == 0;
}
/* Makes the n-th line with data of the piece its fault. */
void spl__mm_piece_blame(spl__mm_piece *piece, int64_t n, spl__mm_wrong wrong);
/* The status for the piece's fault; `line` is the number of the piece's first line. */
spl_status spl__mm_piece_fault(const spl__mm_piece *piece, const spl__mm_header *header,
                               const spl__text_file *text, int64_t line);

/* The position of the k-th value of an array file: columns one after another, of one triangle if
 * there is symmetry. */
typedef struct spl__mm_position {
    int64_t row, col;
} spl__mm_position;
spl__mm_position spl__mm_array_position(const spl__mm_header *header, int64_t k);
/* The next one. */
static inline void spl__mm_array_advance(const spl__mm_header *header, spl__mm_position *p)
{
    if (++p->row < header->rows)
        return;
    p->col++;
    p->row = header->symmetry == SPL__MM_GENERAL ? 0 : p->col + (header->symmetry == SPL__MM_SKEW);
}

#endif
