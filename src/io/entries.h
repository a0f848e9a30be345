/* SPDX-License-Identifier: Apache-2.0 */
/* entries.h: coordinates and values collected while a file is read, and the matrix made of them. */
#ifndef SPL_IO_ENTRIES_H
#define SPL_IO_ENTRIES_H

#include "core/context.h"
#include "matrix/matrix.h"

typedef struct spl__entries {
    spl_context *context;
    int64_t bytes;         /* of the file, all read when the matrix is made */
    spl__account *account; /* of the call; the matrix stays there */
    size_t before;         /* what it held when there were no entries */
    int threads;
    spl_index index_type; /* of rows and cols: the narrowest that fits both dimensions */
    spl_type type;        /* of values */
    void *rows, *cols, *values;
    int64_t count, capacity;
} spl__entries;

/* Checks the caller's options (NULL: all defaults) and fills in format and type.
 * SPL_INVALID_ARGUMENT, SPL_UNSUPPORTED. */
spl_status spl__read_options_take(spl_read_options *options, const spl_read_options *from);

/* The widths that taken options ask for, else the narrowest that fit a matrix in their format; also
 * format and type. */
void spl__read_options_shape(const spl_read_options *options, int64_t rows, int64_t cols,
                             int64_t nnz, spl_convert_options *shape);

/* No entries yet, for a matrix of these dimensions in a file of so many bytes. */
void spl__entries_init(spl__entries *entries, spl_context *context, spl__account *account,
                       int64_t rows, int64_t cols, spl_type type, int64_t bytes);
/* Tells the account that a matrix of `count` entries will be made, and that reading them takes
 * `staging` bytes beside them. */
void spl__entries_expect(const spl__entries *entries, int64_t rows, int64_t cols, double count,
                         const spl_read_options *options, double staging);
/* Reserves at least `capacity` entries; existing ones are kept. SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET. */
spl_status spl__entries_reserve(spl__entries *entries, int64_t capacity);
/* Makes rows and cols 64 bits wide. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__entries_widen(spl__entries *entries);
void spl__entries_free(spl__entries *entries);

/* The matrix of the shape that taken options ask for, entries in their order. Empties `entries` in
 * any case. SPL_INDEX_OVERFLOW, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED. */
spl_status spl__entries_matrix(spl__entries *entries, int64_t rows, int64_t cols,
                               const spl_read_options *options, spl_matrix **result);

#endif
