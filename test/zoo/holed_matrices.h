/* SPDX-License-Identifier: Apache-2.0 */
/* holed_matrices.h: matrices of dense blocks that have holes, and what tests of methods for them
 * share. */
#ifndef SPARLOOM_TEST_HOLED_MATRICES_H
#define SPARLOOM_TEST_HOLED_MATRICES_H

#include "lib/block_matrices.h"

/* Nodes whose blocks have holes, or are cut at the end. */
typedef struct holed_shape {
    const char *name;
    zoo_maker nodes;
    uint64_t one_in; /* of the entries is missing; 0: none */
    int cut;         /* rows and columns missing in the end */
} holed_shape;
enum { HOLED_MESH, HOLED_NOWHERE, HOLED_OFTEN, HOLED_CUT }; /* numbers of the first */
extern const holed_shape holed_shapes[];
extern const int holed_shape_count;
/* In blocks of `size`, in the form of that number. */
void holed_matrix(zoo_matrix *m, const holed_shape *shape, int size, int form);
/* The same, or if size is 7, entries at random: there are no blocks. */
void holed_or_scattered_matrix(zoo_matrix *m, const holed_shape *shape, int size);
/* A mesh in blocks of three; the columns of the first row, which no sample sees, do not ascend. */
void holed_matrix_in_no_order(zoo_matrix *m);

/* Whether the plan's explanation says that it computes by blocks of `size`; 0: of any. */
bool holed_plan(const spl_plan *plan, int size);
/* Both not a number, or equal, or nearly: two methods' results of the same sum. */
bool same_number(double x, double y);

#endif
