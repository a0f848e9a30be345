/* SPDX-License-Identifier: Apache-2.0 */
/* semirings.h: the semirings of sparloom/algebra.h in double precision, one operation at a time. */
#ifndef TEST_LIB_SEMIRINGS_H
#define TEST_LIB_SEMIRINGS_H

#include "sparloom/algebra.h"
#include "zoo/zoo.h"

enum { TEST_SEMIRINGS = SPL_MAX_TIMES + 1 };

/* One that serves numbers of the type. */
int test_semiring_draw(zoo_random *draws, spl_type type);

/* The sum of no terms. */
double test_semiring_none(int semiring);
double test_semiring_add(int semiring, double sum, double value);
double test_semiring_multiply(int semiring, double a, double b);

#endif
