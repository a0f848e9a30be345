/* SPDX-License-Identifier: Apache-2.0 */
/* view.h: views of matrices: reading them from callers, checking them. */
#ifndef SPL_MATRIX_VIEW_H
#define SPL_MATRIX_VIEW_H

#include "core/types.h"
#include "core/watch.h"

#include <stdbool.h>

/* Number of elements of the arrays of a view whose header is valid. */
static inline int64_t spl__offsets_count(const spl_sparse *view)
{
    if (view->format == SPL_COO)
        return view->nnz;
    return (view->format == SPL_CSR ? view->rows : view->cols) + 1;
}
/* Width of the first array: index_type for COO, else offset_type. */
static inline spl_index spl__offsets_type(const spl_sparse *view)
{
    return view->format == SPL_COO ? view->index_type : view->offset_type;
}

/* Checks an array of a caller, at any place, with `count` elements of `size` bytes (a power of
 * two): SPL_INVALID_ARGUMENT if it is not aligned to their size, or (spl__check_array) if it is
 * NULL; without elements any pointer is valid. The detail names `array_name`, of `owner` unless
 * that is NULL. Inline, since each execution of a plan asks. */
spl_status spl__fail_array(const char *owner, const char *array_name, const void *array,
                           size_t size) __attribute__((cold));
static inline spl_status spl__check_aligned(const char *owner, const char *array_name,
                                            const void *array, int64_t count, size_t size)
{
    return count > 0 && ((uintptr_t)array & (size - 1)) != 0
               ? spl__fail_array(owner, array_name, array, size)
               : SPL_OK;
}
static inline spl_status spl__check_array(const char *owner, const char *array_name,
                                          const void *array, int64_t count, size_t size)
{
    return count > 0 && (!array || ((uintptr_t)array & (size - 1)) != 0)
               ? spl__fail_array(owner, array_name, array, size)
               : SPL_OK;
}

/* SPL_UNSUPPORTED for reserved types of values, SPL_INVALID_ARGUMENT for invalid ones. */
spl_status spl__check_type(spl_type type, const char *name);

/* The same for what options ask of a matrix that is made; 0: the usual. */
spl_status spl__check_layout(spl_format format, spl_type type, spl_index offset_type,
                             spl_index index_type);

/* Copies the caller's view into `view` and checks everything that costs O(1): size, format, types,
 * place, counts, arrays NULL or misaligned. `name` is what messages call it. Coordinates of COO
 * have offset_type set to index_type. SPL_INVALID_ARGUMENT, SPL_UNSUPPORTED, SPL_INVALID_MATRIX. */
spl_status spl__view_read(spl_sparse *view, const spl_sparse *from, const char *name);
/* The same, but values are not looked at: a pattern. Also on devices. */
spl_status spl__pattern_read_anywhere(spl_sparse *view, const spl_sparse *from, const char *name);
/* On the host. */
spl_status spl__pattern_read(spl_sparse *view, const spl_sparse *from, const char *name);
/* The same for operands of plans: places on devices are accepted. */
spl_status spl__view_read_anywhere(spl_sparse *view, const spl_sparse *from, const char *name);
/* Checks the arrays of a view that spl__view_read accepted: O(rows + nnz). SPL_INVALID_MATRIX
 * with the position of the first fault, SPL_CANCELLED. */
spl_status spl__view_check(spl__watch *watch, int threads, const spl_sparse *view,
                           const char *name);
/* Checks only that offsets (not of COO) stay within the arrays: O(rows). */
spl_status spl__view_check_offsets(int threads, const spl_sparse *view, const char *name);
/* Whether indices `from` to from + count - 1 are not negative and less than `bound`: by one thread.
 */
bool spl__indices_within(const void *indices, spl_index type, int64_t from, int64_t count,
                         int64_t bound);
/* Reports a fault of arrays, found on the host or on a device: SPL_INVALID_MATRIX. Line i of CSR
 * or CSC goes from offset `begin` to `end`; its entry p has that index; entry p of COO is at
 * (row,col). */
spl_status spl__fail_offsets(const spl_sparse *view, const char *name, int64_t i, int64_t begin,
                             int64_t end);
spl_status spl__fail_index(const spl_sparse *view, const char *name, int64_t i, int64_t p,
                           int64_t index);
spl_status spl__fail_position(const spl_sparse *view, const char *name, int64_t p, int64_t row,
                              int64_t col);
/* spl__view_read and spl__view_check. */
spl_status spl__view_take(spl__watch *watch, spl_sparse *view, const spl_sparse *from,
                          const char *name);

/* The same for a dense view that a call reads or writes. */
spl_status spl__dense_read(spl_dense *view, const spl_dense *from, const char *name);
spl_status spl__dense_read_anywhere(spl_dense *view, const spl_dense *from, const char *name);

/* Whether two views read the same arrays as the same structure; values may differ. */
bool spl__view_same_structure(const spl_sparse *a, const spl_sparse *b);
/* Arrays of `view` that are `from`'s offsets or indices become those of `to`, which has the same
 * structure elsewhere. */
void spl__view_move_structure(spl_sparse *view, const spl_sparse *from, const spl_sparse *to);
/* The CSR view of the transpose that reads the same arrays: CSC of a matrix is CSR of its
 * transpose. Only for CSC. */
spl_sparse spl__view_csc_as_csr(const spl_sparse *csc);

/* A fingerprint, which changes (nearly always) when the bytes change; chain calls through
 * `seed`. */
uint64_t spl__fingerprint(uint64_t seed, const void *bytes, size_t count);

#endif
