/* SPDX-License-Identifier: Apache-2.0 */
/* triple_products.h: products of three for tests: what they must be, and matrices for them. */
#ifndef SPARLOOM_TEST_TRIPLE_PRODUCTS_H
#define SPARLOOM_TEST_TRIPLE_PRODUCTS_H

#include "sparloom/triple.h"

#include "zoo/zoo.h"

/* alpha*op(P)'*op(A)*op(P) */
typedef struct triple_product {
    const spl_sparse *a, *p;
    spl_options options;
    double alpha;
} triple_product;

/* C of the plan, whose values are given, against the specification: its structure, and values
 * within the bound of triple.h. */
void triple_expect(const triple_product *x, spl_plan *plan, const void *values);
/* Values of C, for the caller to free. */
void *triple_execute(const triple_product *x, spl_plan *plan);
/* The same with a factor, and how many they are. */
void *triple_values(spl_plan *plan, double alpha, int64_t *count);
/* Both. */
void triple_expect_execution(const triple_product *x, spl_plan *plan);
/* The same of a plan of its own. */
void triple_try(spl_context *context, const triple_product *x);

/* A plan, and whether its explanation has these words. */
spl_plan *triple_plan(spl_context *context, const spl_sparse *a, const spl_sparse *p);
bool triple_explains(const spl_plan *plan, const char *words);

/* For hook_fail_each: makes a plan, and shows it to `look`, unless that is NULL. */
typedef struct triple_planning {
    spl_context *context;
    const spl_sparse *a, *p;
    void (*look)(spl_plan *plan, void *user);
    void *user;
} triple_planning;
spl_status triple_make_plan(void *planning);

/* makers: of A and of P, in nodes of `fine` and `coarse` unknowns. */
void triple_make(zoo_matrix *a, zoo_matrix *p, const zoo_maker *makers, int fine, int coarse,
                 int form, uint64_t seed);
/* 16 nodes, 5 coarse ones. */
void triple_make_nodes(zoo_matrix *a, zoo_matrix *p, int fine, int coarse, int form, uint64_t seed);
/* A mesh of edge^3 nodes of `fine` unknowns, and an interpolation of every second node of a line.
 */
void triple_make_mesh(zoo_matrix *a, zoo_matrix *p, int64_t edge, int fine, int coarse);

#endif
