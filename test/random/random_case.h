/* SPDX-License-Identifier: Apache-2.0 */
/* random_case.h: one random use of the products, as data: operands, options, calls. A case follows
 * from three things: where it computes, a seed, and its number. It can be described, made simpler,
 * run and judged. */
#ifndef SPARLOOM_TEST_RANDOM_CASE_H
#define SPARLOOM_TEST_RANDOM_CASE_H

#include "zoo/zoo.h"

/* ---- where cases compute ---- */

typedef struct random_setup {
    const char *name;    /* of the option --on */
    const char *devices; /* of the context; NULL: none */
    int devices_count;
    int64_t rows, rare_rows, products; /* most of them; emulated devices are slow */
} random_setup;
extern const random_setup random_setups[];
extern const int random_setup_count;

/* ---- matrices ---- */

typedef enum random_family {
    FAMILY_UNIFORM,
    FAMILY_BANDED,
    FAMILY_NODES,
    FAMILY_HOLED_NODES,
    FAMILY_ALIKE_ROWS,
    FAMILY_POWER_LAW,
    FAMILY_LONG_ROW,
    FAMILY_LONG_COLUMN,
    FAMILY_HALF_EMPTY,
    FAMILY_NO_ENTRIES,
    FAMILY_DIAGONAL,
    FAMILY_PERMUTATION,
    FAMILY_FEW_ENTRIES,
    FAMILY_FULL,
    FAMILIES
} random_family;

typedef enum random_values {
    VALUES_REAL,
    VALUES_INTEGERS,
    VALUES_EQUAL,
    VALUES_FEW,
    VALUES_SIGNS,
    VALUES_SINGLE, /* f64 that f32 holds */
    VALUES_SHORT,  /* whole numbers of 16 bits times a power of two */
    VALUES_WIDE,   /* of any size whose square is in range */
    VALUES_SUBNORMAL,
    VALUES_HUGE,
    VALUES_WITH_INF,
    VALUES_WITH_NAN,
    VALUE_KINDS
} random_values;

typedef struct random_matrix {
    random_family family;
    int64_t rows, cols, degree; /* about so many entries a row */
    zoo_form form;
    random_values values;
    bool duplicates, shuffled, zeros;
    uint64_t seed;
} random_matrix;

void random_matrix_make(zoo_triples *triples, const random_matrix *recipe);
/* Draws the next number of a kind of values, before it is rounded to the type. */
double random_value(zoo_random *random, random_values kind, spl_type type);

/* ---- calls ---- */

typedef enum random_operation {
    RANDOM_SPMV,
    RANDOM_SPMM,
    RANDOM_SPGEMM,
    RANDOM_OPERATIONS
} random_operation;

typedef struct random_scalar {
    bool null;
    double number; /* of the type of scalars */
} random_scalar;

/* How values are announced before a call. */
typedef enum random_update {
    UPDATE_NONE,
    UPDATE_IN_PLACE,
    UPDATE_ELSEWHERE,
    UPDATE_MOVED,
    UPDATES
} random_update;

enum {
    RANDOM_ROUNDS = 3,
    RANDOM_MOST_PROCESSORS = 4,
    RANDOM_METHOD_BYTES = 128,
    RANDOM_METHODS = 8
};

typedef struct random_case {
    const random_setup *setup;
    uint64_t seed, number;
    random_operation operation;
    bool one_shot;
    spl_type type;
    random_matrix a, b, d; /* b, d: SpGEMM */
    bool has_d;
    int64_t columns, pad_b, pad_c; /* SpMM */
    spl_order order_b, order_c;
    random_values x_values, y_values;
    int rounds; /* executions */
    random_scalar alpha[RANDOM_ROUNDS], beta[RANDOM_ROUNDS];
    random_update update[RANDOM_ROUNDS];
    int resident; /* number of the processor where operands live; 0: the host */
    bool device_scalars;
    int threads;      /* of the context */
    int again;        /* threads of a second run that must give the same bits; 0: none */
    int schedules[2]; /* of the emulators' threads, in both runs */
    bool hooked;      /* memory by way of the hook */
    int64_t fails_at; /* the hook's first refusal, counted from the first call; -1: none */
    bool context_budget;
    bool take; /* SpGEMM that keeps its result: also a copy of it */
    double capabilities[RANDOM_MOST_PROCESSORS];
    bool has_capabilities;
    char method[RANDOM_METHOD_BYTES]; /* "": none */
    spl_options options;              /* but for its pointers */
} random_case;

random_case random_case_draw(const random_setup *setup, uint64_t seed, uint64_t number);
/* One line. */
void random_case_describe(const random_case *c, char *text, size_t room);
/* Removes one special property of the case. `name` is one of a list that ends with NULL; false:
 * the case did not have it. */
const char *random_simplification(int number);
bool random_case_simplify(random_case *c, int number);

/* ---- verdicts ---- */

typedef enum random_outcome { OUTCOME_RIGHT, OUTCOME_REFUSED, OUTCOME_WRONG } random_outcome;

typedef struct random_verdict {
    random_outcome outcome;
    spl_status status; /* of the call that was refused */
    /* of the plan, if one was made: the first ones, then NULL */
    const char *methods[RANDOM_METHODS];
    char fault[512]; /* what is wrong */
} random_verdict;

random_verdict random_case_run(const random_case *c);

#endif
