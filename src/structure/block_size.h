/* SPDX-License-Identifier: Apache-2.0 */
/* block_size.h: how many unknowns a node has: the size of the dense blocks that a matrix is made
 * of. device_blocks.h says what that means, and finds them in matrices on devices. */
#ifndef SPL_STRUCTURE_BLOCK_SIZE_H
#define SPL_STRUCTURE_BLOCK_SIZE_H

#include "core/types.h"
#include "core/watch.h"

/* Sizes from 2 to MOST count, so that divisors of MULTIPLE do: those of small numbers are found
 * fast. */
enum { SPL__BLOCK_MOST = 6, SPL__BLOCK_MULTIPLE = 60 };

/* The largest size of a CSR matrix on the host; 1: it is not made of blocks. Exact; one pass over
 * its structure, which ends with the first row that rules all sizes out. */
int32_t spl__block_size(spl__watch *watch, const spl_sparse *csr);

/* Steps that a product of entries takes where blocks of `size` are multiplied, relative to each
 * other, if `fills` of the places of products are products of entries: a row of a block of A and a
 * row of one of B take size multiplications and few accesses. INFINITY for fills = 0. */
double spl__block_steps(double size, double fills);

/* Arithmetic of sizes: 0 is a multiple of all numbers. */
int64_t spl__common_divisor(int64_t a, int64_t b);
/* The largest number up to `most` that divides `number`. */
int32_t spl__largest_divisor(int64_t number, int32_t most);

#endif
