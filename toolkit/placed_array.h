/* SPDX-License-Identifier: Apache-2.0 */
/* placed_array.h: arrays and matrices where a context computes: on a device, or on the host. */
#ifndef TOOL_PLACED_ARRAY_H
#define TOOL_PLACED_ARRAY_H

#include <sparloom/sparloom.h>

/* A copy of `bytes` bytes at the place; `from` NULL: not initialised. No bytes get
 * an array, too. */
spl_status tool_put(spl_context *context, spl_place place, const void *from, size_t bytes,
                    void **array);
/* NULL is allowed. */
void tool_drop(spl_context *context, spl_place place, const void *array, size_t bytes);

/* The arrays of a matrix, in the order of its view. */
enum { TOOL_OFFSETS, TOOL_INDICES, TOOL_VALUES, TOOL_ARRAYS };
typedef struct tool_placed_matrix {
    spl_sparse view;
    size_t bytes[TOOL_ARRAYS];
} tool_placed_matrix;

/* Arrays at the place for a matrix in CSR with the header of `like` and, unless they are NULL, its
 * contents. Drop it after a failure, too. */
spl_status tool_put_matrix(spl_context *context, spl_place place, const spl_sparse *like,
                           tool_placed_matrix *matrix);
void tool_drop_matrix(spl_context *context, tool_placed_matrix *matrix);

#endif
