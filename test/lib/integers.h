/* SPDX-License-Identifier: Apache-2.0 */
/* integers.h: matrices of i32 and i64 drawn afresh, and what their products are: numbers that are
 * small, anything, or at the limits of the type. */
#ifndef SPARLOOM_TEST_INTEGERS_H
#define SPARLOOM_TEST_INTEGERS_H

#include "lib/testing.h"
#include "sparloom/algebra.h"

/* How numbers are drawn, all of a case. */
typedef enum integers_kind { INTEGERS_SMALL, INTEGERS_ANY, INTEGERS_LIMITS } integers_kind;

typedef struct integers_draw {
    zoo_random random;
    spl_type type;
    integers_kind kind;
} integers_draw;

int64_t integers_below(integers_draw *draw, int64_t n);
/* A number of the type. */
int64_t integers_number(integers_draw *draw);

int64_t integers_at(const void *array, spl_type type, int64_t i);
void integers_set(void *array, spl_type type, int64_t i, int64_t value);

/* A matrix in a form drawn from all, some of them with unordered or repeated entries. */
typedef struct integers_matrix {
    zoo_triples triples; /* as multiplied; v is the number of an entry */
    int64_t *numbers;    /* of entries */
    zoo_matrix stored;   /* of op = SPL_TRANSPOSE the transpose */
    void *values;
    spl_sparse view;
    spl_operator op;
} integers_matrix;
/* `transposed`: perhaps. */
void integers_make(integers_matrix *m, integers_draw *draw, int64_t rows, int64_t cols,
                   bool transposed);
void integers_free(integers_matrix *m);

/* The semirings of integers, in an order of their own. */
enum { INTEGERS_SEMIRINGS = 9 };
extern const int integers_semirings[INTEGERS_SEMIRINGS];
bool integers_reads_a(int semiring);
bool integers_reads_b(int semiring);
int64_t integers_none(int semiring, spl_type type);
int64_t integers_multiply(int semiring, spl_type type, int64_t a, int64_t b);
int64_t integers_add(int semiring, spl_type type, int64_t sum, int64_t value);

#endif
