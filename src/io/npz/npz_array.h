/* SPDX-License-Identifier: Apache-2.0 */
/* npz_array.h: the arrays of an .npz archive as indices and values. */
#ifndef SPL_IO_NPZ_NPZ_ARRAY_H
#define SPL_IO_NPZ_NPZ_ARRAY_H

#include "core/types.h"
#include "io/npz/npy_header.h"

/* The header of a member alone. Statuses of spl__npy_enter. */
spl_status spl__npz_look(spl__zip *zip, const char *member, spl__npy_header *header);
/* The same for an array of one dimension that holds indices. SPL_FILE_INVALID. */
spl_status spl__npz_look_indices(spl__zip *zip, const char *member, int64_t *count);

/* Reads a member of `count` indices, each from 0 to below `below`, which must fit `type`.
 * SPL_FILE_INVALID with the position of the first that does not, statuses of spl__zip_read. */
spl_status spl__npz_indices(spl__zip *zip, const char *member, void *to, spl_index type,
                            int64_t count, int64_t limit);
/* The same for a member of two rows, the rows of `count` entries and their columns. `count` is what
 * look_coordinates says. */
typedef struct spl__npz_target {
    void *to;
    int64_t limit;
} spl__npz_target;
spl_status spl__npz_look_coordinates(spl__zip *zip, const char *member, int64_t *count);
spl_status spl__npz_coordinates(spl__zip *zip, const char *member, const spl__npz_target *rows,
                                const spl__npz_target *cols, spl_index type, int64_t count);
/* Reads a member of `count` offsets: from 0, never less than the one before, to `end`.
 * SPL_FILE_INVALID as above. */
spl_status spl__npz_offsets(spl__zip *zip, const char *member, void *to, spl_index type,
                            int64_t count, int64_t end);
/* Reads a member of `count` numbers, rounded to the type. */
spl_status spl__npz_values(spl__zip *zip, const char *member, void *to, spl_type type,
                           int64_t count);
/* Reads a member of few whole numbers. */
spl_status spl__npz_numbers(spl__zip *zip, const char *member, int64_t *to, int64_t count);
/* Reads a member that is one word in ASCII, shorter than `capacity`. */
spl_status spl__npz_word(spl__zip *zip, const char *member, char *word, size_t capacity);

#endif
