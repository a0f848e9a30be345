/* SPDX-License-Identifier: Apache-2.0 */
/* once_products.h: one-shot products of two sparse matrices, with or without a plan. */
#ifndef SPARLOOM_TEST_ONCE_PRODUCTS_H
#define SPARLOOM_TEST_ONCE_PRODUCTS_H

#include "sparloom/sparloom.h"

#include <stdbool.h>

/* Those of a product that has no plan: C, its three arrays, two of them twice where an allocator
 * cannot make them shorter, blocks of rows, and workspaces. */
enum { ONCE_ALLOCATIONS = 8 };

/* Expects a product right, and the same bits from one thread and from three; with few allocations,
 * it has no plan. */
void expect_once_product(const spl_sparse *a, const spl_sparse *b, bool unsorted,
                         long long allocations);

/* The allocations of a one-shot product A*B by so many threads. */
long long once_allocations(const spl_sparse *a, const spl_sparse *b, int threads);

#endif
