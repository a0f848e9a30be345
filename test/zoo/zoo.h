/* SPDX-License-Identifier: Apache-2.0 */
/* zoo.h: matrices for tests: makers by name, seeded, buildable in every format and type. Nothing
 * here uses the library. */
#ifndef SPARLOOM_TEST_ZOO_H
#define SPARLOOM_TEST_ZOO_H

#include "sparloom/sparloom.h"

#include <stdbool.h>

/* ------------------------------------------------------------------------------- random numbers */

/* xoshiro256** of D. Blackman and S. Vigna, seeded through splitmix64. */
typedef struct zoo_random {
    uint64_t state[4];
} zoo_random;

void zoo_random_seed(zoo_random *random, uint64_t seed);
uint64_t zoo_random_next(zoo_random *random);
/* 0 .. below-1; below >= 1. */
int64_t zoo_random_below(zoo_random *random, int64_t below);
/* In [-1, 1). */
double zoo_random_unit(zoo_random *random);

/* -------------------------------------------------------------------------------------- triples */

/* A matrix as a list of entries (i, j, v) in any order, repeats allowed. */
typedef struct zoo_triples {
    int64_t rows, cols, nnz, capacity;
    int64_t *i, *j;
    double *v;
} zoo_triples;

void zoo_triples_start(zoo_triples *triples, int64_t rows, int64_t cols);
void zoo_triples_add(zoo_triples *triples, int64_t i, int64_t j, double v);
void zoo_triples_shuffle(zoo_triples *triples, uint64_t seed);
void zoo_triples_transpose(zoo_triples *triples);
void zoo_triples_free(zoo_triples *triples);
/* The entries of a valid view, in stored order. */
void zoo_triples_of_view(zoo_triples *triples, const spl_sparse *view);

/* What the values are; the structure stays. */
typedef enum zoo_values { ZOO_REAL, ZOO_INTEGERS, ZOO_ONES, ZOO_SIGNS, ZOO_NAN } zoo_values;
void zoo_triples_fill(zoo_triples *triples, zoo_values values, uint64_t seed);

/* --------------------------------------------------------------------------------------- makers */

/* One matrix of the zoo. */
typedef struct zoo_maker {
    const char *name;
    void (*make)(zoo_triples *triples, const int64_t *args, uint64_t seed);
    int64_t args[4];
    bool nonfinite; /* values contain NaN and Inf */
} zoo_maker;

void zoo_make(zoo_triples *triples, const zoo_maker *maker, uint64_t seed);

/* Matrices with less than about 50 rows, for exhaustive tests; and with up to a
 * few thousand rows. */
extern const zoo_maker zoo_tiny[], zoo_large[];
extern const int zoo_tiny_count, zoo_large_count;
/* The maker of that name from either table; aborts if there is none. */
const zoo_maker *zoo_find(const char *name);

/* The families; arguments in `args`. */
void zoo_empty(zoo_triples *triples, const int64_t *args, uint64_t seed);    /* rows, cols */
void zoo_diagonal(zoo_triples *triples, const int64_t *args, uint64_t seed); /* n */
void zoo_dense(zoo_triples *triples, const int64_t *args, uint64_t seed);    /* rows, cols */
/* rows, cols, which, others have */
void zoo_dense_row(zoo_triples *triples, const int64_t *args, uint64_t seed);
/* rows, cols, which */
void zoo_dense_column(zoo_triples *triples, const int64_t *args, uint64_t seed);
void zoo_arrow(zoo_triples *triples, const int64_t *args, uint64_t seed);       /* n */
void zoo_tridiagonal(zoo_triples *triples, const int64_t *args, uint64_t seed); /* n */
/* nx, ny, nz, unknowns a node */
void zoo_box(zoo_triples *triples, const int64_t *args, uint64_t seed);
/* rows, cols, entries a row */
void zoo_uniform(zoo_triples *triples, const int64_t *args, uint64_t seed);
/* rows, cols, entries a row */
void zoo_half_empty(zoo_triples *triples, const int64_t *args, uint64_t seed);
/* log2 vertices, edges */
void zoo_rmat(zoo_triples *triples, const int64_t *args, uint64_t seed);
/* n, half width */
void zoo_banded(zoo_triples *triples, const int64_t *args, uint64_t seed);
/* rows, cols, entries */
void zoo_hypersparse(zoo_triples *triples, const int64_t *args, uint64_t seed);
/* rows, cols, entries */
void zoo_duplicates(zoo_triples *triples, const int64_t *args, uint64_t seed);
/* rows, cols, entries a row */
void zoo_unsorted(zoo_triples *triples, const int64_t *args, uint64_t seed);
/* rows, cols, entries a row */
void zoo_explicit_zeros(zoo_triples *triples, const int64_t *args, uint64_t seed);
void zoo_cancelling(zoo_triples *triples, const int64_t *args, uint64_t seed); /* rows, cols */
/* rows, cols, entries a row */
void zoo_nonfinite(zoo_triples *triples, const int64_t *args, uint64_t seed);

/* ---------------------------------------------------------------------------------------- forms */

/* A way to store a matrix. */
typedef struct zoo_form {
    spl_format format;
    spl_type type;
    spl_index offset_type, index_type;
} zoo_form;

/* All 18: three formats, two value types, widths 32/32, 64/32, 64/64. Number 0 is CSR f64 32/32. */
enum { ZOO_FORMS = 18 };
zoo_form zoo_form_number(int number);
/* "csr f64 32/32" in one of a few static buffers. */
const char *zoo_form_name(zoo_form form);

/* A stored matrix: `view` points into the arrays, each of exactly the size needed. */
typedef struct zoo_matrix {
    spl_sparse view;
    void *offsets, *indices, *values;
} zoo_matrix;

/* Entries of a row (CSR) or column (CSC) keep the order of the triples. */
void zoo_build(zoo_matrix *matrix, const zoo_triples *triples, zoo_form form);
void zoo_matrix_free(zoo_matrix *matrix);
/* Make and build in one call, with random real values. */
void zoo_matrix_make(zoo_matrix *matrix, const zoo_maker *maker, zoo_form form, uint64_t seed);
/* The caller's arrays as CSR with 32-bit indices, offsets[rows] entries. */
spl_sparse zoo_csr(spl_type type, int64_t rows, int64_t cols, const int32_t *offsets,
                   const int32_t *columns, const void *values);

/* Elements of arrays whose type is known at run time. */
int64_t zoo_index_at(const void *array, spl_index type, int64_t position);
void zoo_index_set(void *array, spl_index type, int64_t position, int64_t value);
double zoo_value_at(const void *array, spl_type type, int64_t position);
void zoo_value_set(void *array, spl_type type, int64_t position, double value);
size_t zoo_index_bytes(spl_index type);
size_t zoo_type_bytes(spl_type type);
/* f16 and bf16 by their definition: the number that 16 bits stand for, and the bits of the nearest
 * number, of two the even one. */
double zoo_half_value(uint16_t bits, spl_type type);
uint16_t zoo_half_bits(double value, spl_type type);
/* malloc of at least one byte that aborts instead of failing. */
void *zoo_allocate(size_t bytes);

#endif
