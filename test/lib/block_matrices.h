/* SPDX-License-Identifier: Apache-2.0 */
/* block_matrices.h: matrices of dense blocks, as nodes with several unknowns give them, and
 * others that only look like that. */
#ifndef SPARLOOM_TEST_BLOCK_MATRICES_H
#define SPARLOOM_TEST_BLOCK_MATRICES_H

#include "zoo/zoo.h"

/* Every entry of `nodes` becomes a block of `size` rows and columns. In the order of canonical CSR,
 * without values. */
void block_matrix(zoo_triples *t, const zoo_maker *nodes, int64_t size, uint64_t seed);
/* Every entry becomes a block of so many rows and columns. */
void block_matrix_rectangular(zoo_triples *t, const zoo_maker *nodes, int64_t rows, int64_t cols,
                              uint64_t seed);
/* The same for nodes of sizes[0], [1], [2], [0], ... unknowns. */
void block_matrix_mixed(zoo_triples *t, const zoo_maker *nodes, const int sizes[3], uint64_t seed);
/* Every unknown in ten, drawn by the seed, has nothing left but its diagonal, in rows and columns,
 * as boundary conditions do. For square ones. */
void block_matrix_fix(zoo_triples *t, uint64_t seed);
/* Removes one entry in `one_in`, drawn by the seed. */
void block_matrix_holes(zoo_triples *t, uint64_t one_in, uint64_t seed);
/* By rows, columns ascending. */
void block_matrix_sort(zoo_triples *t);
/* Random values; builds the form of that number, and frees the triples. */
void block_matrix_build(zoo_matrix *m, zoo_triples *t, int form);

/* Faults of a matrix of blocks of three, 40 x 40 nodes. */
typedef struct block_fault {
    const char *name;
    void (*spoil)(zoo_triples *t);
    bool blocks;   /* it is still made of blocks */
    bool in_order; /* columns still ascend in each row */
} block_fault;
extern const block_fault block_faults[];
extern const int block_fault_count;
/* 40 x 40 nodes, drawn by the seed, with that fault, in form 0. */
void block_fault_build(zoo_matrix *m, const block_fault *fault);

#endif
