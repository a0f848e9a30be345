/* SPDX-License-Identifier: Apache-2.0 */
/* storage.h: the bytes of a matrix in each format, by the formulas of [S2].
 *
 * N rows, K entries in the longest, S_v bytes a value, S_i bytes an integer. All functions
 * saturate: SIZE_MAX means "more than can be addressed". */
#ifndef SPL_FORMAT_STORAGE_H
#define SPL_FORMAT_STORAGE_H

#include <stddef.h>
#include <stdint.h>

/* nnz*(S_v + 2*S_i) */
size_t spl__bytes_coo(int64_t nnz, size_t value, size_t index);
/* nnz*(S_v + S_i) + (N+1)*S_o: S_o is S_i in [S2]; our offsets may be wider than columns */
size_t spl__bytes_csr(int64_t rows, int64_t nnz, size_t value, size_t index, size_t offset);
/* N*K*(S_v + S_i) */
size_t spl__bytes_ell(int64_t rows, int64_t longest, size_t value, size_t index);
/* Sum over blocks of E*(S_v + S_i) + rows*S_i: a block is the `row_counts[b]` rows of `lengths[b]`
 * entries each. Rows without entries are in no block. */
size_t spl__bytes_rvs(const int64_t *lengths, const int64_t *row_counts, int64_t blocks,
                      size_t value, size_t index);
/* stored*(S_v + S_i) + lanes*slices*S_i + (2*slices + 1)*8: entries with padding, row numbers,
 * `begin` and `full` of slices */
size_t spl__bytes_sliced_ell(int64_t stored, int64_t slices, int lanes, size_t value, size_t index);

#endif
