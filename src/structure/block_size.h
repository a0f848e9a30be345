/* SPDX-License-Identifier: Apache-2.0 */
/* block_size.h: the size of node blocks (unknowns per mesh node) of a matrix. device_blocks.h
 * defines it and finds it for matrices on devices. */
#ifndef SPL_STRUCTURE_BLOCK_SIZE_H
#define SPL_STRUCTURE_BLOCK_SIZE_H

#include "core/types.h"
#include "core/watch.h"

/* Sizes from 2 to MOST are supported, all divisors of MULTIPLE; a gcd with a small number is
 * fast. */
enum { SPL__BLOCK_MOST = 6, SPL__BLOCK_MULTIPLE = 60 };

/* The largest block size of a CSR matrix on the host; 1: no blocks. Exact: one pass over its
 * structure, which stops at the first row that rules out all sizes. */
int32_t spl__block_size(spl__watch *watch, const spl_sparse *csr);

/* Relative steps per product of entries if blocks of `size` are multiplied and the share `fills`
 * of the products in blocks are products of entries: a row of a block of A times a row of a
 * block of B takes size multiplications and few memory accesses. INFINITY for fills = 0. */
double spl__block_steps(double size, double fills);

/* Greatest common divisor; 0 is a multiple of all numbers. */
int64_t spl__common_divisor(int64_t a, int64_t b);
/* The largest number up to `most` that divides `number`. */
int32_t spl__largest_divisor(int64_t number, int32_t most);

#endif
