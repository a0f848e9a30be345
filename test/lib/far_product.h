/* SPDX-License-Identifier: Apache-2.0 */
/* far_product.h: random products whose inner dimension is far longer than their operands have
 * entries. The far operands are near ones with their inner indices moved, so that C is the same.
 * Values are whole numbers: all sums are exact. */
#ifndef SPARLOOM_TEST_FAR_PRODUCT_H
#define SPARLOOM_TEST_FAR_PRODUCT_H

#include "lib/testing.h"

/* Inner indices that may have entries; beta of the products. */
enum { FAR_POOL = 40, FAR_BETA = 2 };

/* An operand, near and far. */
typedef struct far_operand {
    zoo_triples near_triples, far_triples;
    zoo_matrix near, far;
} far_operand;

typedef struct far_product {
    far_operand a, b;
    zoo_matrix d;
    bool has_d;
    spl_options options;
    int64_t inner, rows, cols, positions[FAR_POOL];
} far_product;

/* Two operands without offsets along the inner dimension, and perhaps D;
 * options ask for any transposition. */
far_product far_product_draw(zoo_random *random, int64_t inner);
void far_product_free(far_product *p);
/* Its parts: the inner indices that may have entries; */
void far_product_draw_places(zoo_random *random, far_product *p);
/* an operand whose columns (or rows) are the inner dimension. */
void far_product_draw_operand(zoo_random *random, const far_product *p, int64_t outer,
                              bool by_columns, far_operand *o);
void far_operand_free(far_operand *o);

/* Says that it is being tried: testing_case. */
void far_product_say(const far_product *p);
/* D on the host, NULL: none. */
const spl_sparse *far_product_d(const far_product *p);
/* C of the near operands, alpha 1. */
spl_matrix *far_product_of_near(spl_context *context, const far_product *p);
/* Fails the test unless both are the same in CSR on the host, bit by bit. */
void far_product_expect(const spl_sparse *c, const spl_sparse *expected);

#endif
