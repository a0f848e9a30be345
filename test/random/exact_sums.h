/* SPDX-License-Identifier: Apache-2.0 */
/* exact_sums.h: the permitted values of an element of a product, from the definition: sums in
 * long double, whose exponent holds each product of three f64 numbers, and the rules for numbers
 * that are not finite. Shares nothing with the library. */
#ifndef SPARLOOM_TEST_EXACT_SUMS_H
#define SPARLOOM_TEST_EXACT_SUMS_H

#include "zoo/zoo.h"

/* A sum of numbers, apart from those that are not finite. */
typedef struct exact_part {
    long double value, size; /* the same over absolute values */
    int64_t terms;
    bool nan, plus, minus; /* NaN, Inf and -Inf are among them */
} exact_part;

/* alpha * products + old, each of them a sum. */
typedef struct exact_sum {
    exact_part products, old;
    long double of_a, of_b; /* of finite products the largest |a|, and the sum of |b| */
    long double of_inf;     /* the largest 1/|a| among products with an infinite b */
} exact_sum;

void exact_add_product(exact_sum *sum, double a, double b);
/* beta times an old value, or a value of D; none if beta is 0. */
void exact_add_old(exact_sum *sum, double beta, double old);

typedef struct exact_rule {
    double alpha;
    spl_type type;
    bool reduced; /* SPL_ACCURACY_REDUCED */
    bool sparse;  /* SpGEMM, which may round alpha*a first */
    /* read on a device: if it is not finite, it is nothing where products sum to 0 */
    bool device_alpha;
} exact_rule;

/* Whether a result may be `actual`:
 *   NaN where a term is NaN or both infinities are among them, Inf where one is, else a number
 * within the error bound of spl_plan; where alpha is not finite anything that is not, and so, too,
 * where sums of some of the terms may overflow, or where alpha*a may be 0 and b is infinite. */
bool exact_accepts(const exact_sum *sum, const exact_rule *rule, double actual);

#endif
