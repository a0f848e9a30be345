/* SPDX-License-Identifier: Apache-2.0 */
/* mm_measure.c: counts the entries of parsed lines, and checks the file's symmetry.
 *
 * A symmetric coordinate file may use the lower triangle, as the definition says, or the upper, as
 * some programs write; not both, because then every value would silently count twice. */
#include "file/number.h"
#include "io/matrix_market/mm_piece.h"

/* Entries of the first `cols` columns of a triangle of `height` rows: exact, because all of them
 * were counted in the header. */
static int64_t triangle_before(int64_t height, int64_t cols)
{
    /* lengths of the first and the last of these columns, added */
    int64_t twice_mean = 2 * height - cols + 1;
    return cols % 2 ? cols * (twice_mean / 2) : cols / 2 * twice_mean;
}

spl__mm_position spl__mm_array_position(const spl__mm_header *header, int64_t k)
{
    if (header->rows == 0 || header->symmetry == SPL__MM_GENERAL)
        return header->rows ? (spl__mm_position){k % header->rows, k / header->rows}
                            : (spl__mm_position){0, 0};
    /* rows between the diagonal and the first value of a column */
    int64_t below = header->symmetry == SPL__MM_SKEW;
    int64_t height = header->rows - below, low = 0, high = height;
    while (low + 1 < high) { /* the last column that begins at or before k */
        int64_t middle = low + (high - low) / 2;
        if (triangle_before(height, middle) <= k)
            low = middle;
        else
            high = middle;
    }
    return (spl__mm_position){low + below + k - triangle_before(height, low), low};
}

void spl__mm_piece_blame(spl__mm_piece *piece, int64_t n, spl__mm_wrong wrong)
{
    const char *p = spl__skip_blanks(piece->begin);
    while (n > 0 || *p == '\n') {
        n -= *p != '\n';
        while (*p != '\n')
            p++;
        p = spl__skip_blanks(p + 1);
    }
    piece->wrong = wrong;
    piece->fault = p;
}

static void measure_array(spl__mm_piece *piece, const spl__mm_header *header)
{
    bool general = header->symmetry == SPL__MM_GENERAL;
    spl__mm_position position = spl__mm_array_position(header, piece->first);
    piece->stored = 0;
    for (int64_t n = 0; n < piece->count; n++, spl__mm_array_advance(header, &position))
        if (!spl__mm_is_zero(piece, n)) /* NaN is stored */
            piece->stored += general || position.row == position.col ? 1 : 2;
}

static void note_triangle(spl__mm_piece *piece, int64_t n, int triangle)
{
    if (piece->triangle == SPL__MM_NONE) {
        piece->triangle = triangle;
        piece->first_off = n;
    } else if (triangle != piece->triangle && piece->crossing < 0) {
        piece->crossing = n;
    }
}

static void measure_triangles(spl__mm_piece *piece, bool skew)
{
    int64_t diagonal = 0;
    for (int64_t n = 0; n < piece->count; n++) {
        int64_t row = piece->rows[n], col = piece->cols[n];
        if (row != col) {
            note_triangle(piece, n, row > col ? SPL__MM_LOWER : SPL__MM_UPPER);
            continue;
        }
        if (skew && !spl__mm_is_zero(piece, n)) {
            spl__mm_piece_blame(piece, n, SPL__MM_DIAGONAL);
            piece->count = n;
            break;
        }
        diagonal++;
    }
    piece->stored = 2 * piece->count - diagonal;
}

void spl__mm_piece_measure(spl__mm_piece *piece, const spl__mm_header *header)
{
    piece->triangle = SPL__MM_NONE;
    piece->first_off = piece->crossing = -1;
    piece->stored = piece->count;
    if (header->array)
        measure_array(piece, header);
    else if (header->symmetry != SPL__MM_GENERAL)
        measure_triangles(piece, header->symmetry == SPL__MM_SKEW);
}
