/* SPDX-License-Identifier: Apache-2.0 */
/* gen_job.h: what the families of gen.h are made with: parameters, a builder of CSR arrays, random
 * numbers that depend on their position and not on who computes them. */
#ifndef TOOL_GEN_JOB_H
#define TOOL_GEN_JOB_H

#include "gen.h"

typedef struct gen_job {
    double value[GEN_MOST_PARAMETERS]; /* in the order of the family's parameters */
    uint64_t seed;
    double fixed, nodes, values, holes; /* see gen.h */
    spl_type type;
    gen_message *message;
} gen_job;

/* Leaves the message and returns GEN_WRONG. */
gen_status gen_wrong(gen_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for more rows than a matrix may have. */
gen_status gen_too_many(gen_job *job, double rows);
/* Leaves a message about so many bytes and returns GEN_MEMORY. */
gen_status gen_no_memory(gen_job *job, double bytes);

/* A matrix row by row. Both functions are called for several rows at once. */
typedef struct gen_rows {
    int64_t rows, cols;
    const void *self;
    int64_t (*count)(const void *self, int64_t row);
    /* count(row) columns, ascending */
    void (*fill)(const void *self, int64_t row, int32_t *columns);
} gen_rows;

gen_status gen_build(gen_job *job, const gen_rows *source, gen_matrix *matrix);
/* Completes a matrix of known structure; takes both arrays over, also if it fails. */
gen_status gen_complete(gen_job *job, int64_t rows, int64_t cols, int64_t *offsets,
                        int32_t *indices, gen_matrix *matrix);
/* Fixes unknowns, leaves out entries and renumbers nodes, as the job says (0: not); takes the
 * matrix over, also if it fails. */
gen_status gen_change(gen_job *job, gen_matrix *matrix);
/* offsets[1..rows] hold counts and become offsets; returns the sum. */
int64_t gen_sum_counts(int64_t *offsets, int64_t rows);
/* Sorts, ascending. `scratch` has room for `count`. */
void gen_sort(int32_t *columns, int64_t count, int32_t *scratch);

/* ------------------------------------------------------------------------------- random numbers */

/* The finaliser of SplitMix64: G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number
 * Generators, OOPSLA 2014. */
static inline uint64_t gen_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 64 random bits that belong to (seed, a, b). */
static inline uint64_t gen_hash(uint64_t seed, uint64_t a, uint64_t b)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    return gen_mix(gen_mix(gen_mix(seed + golden) + a * golden) ^
                   (b * UINT64_C(0xd1342543de82ef95) + golden));
}

/* A sequence of random numbers, SplitMix64. */
typedef struct gen_stream {
    uint64_t state;
} gen_stream;

static inline uint64_t gen_next(gen_stream *stream)
{
    return gen_mix(stream->state += UINT64_C(0x9e3779b97f4a7c15));
}

/* Uniform in [0, 1), 53 bits. */
static inline double gen_unit(gen_stream *stream)
{
    return (double)(gen_next(stream) >> 11) * 0x1p-53;
}

/* Uniform in [0, bound), bound < 2^32: the bias is below 2^-32. */
static inline int64_t gen_below(gen_stream *stream, int64_t bound)
{
    return (int64_t)(((gen_next(stream) >> 32) * (uint64_t)bound) >> 32);
}

/* x^y for x > 0 from additions, multiplications and divisions alone: libraries' pow() differ in the
 * last bit. */
double gen_power(double x, double y);

/* The position of i after a random permutation of [0, count): a Feistel network on the next even
 * number of bits, applied until the result is in range. Source: J. Black, P. Rogaway, Ciphers with
 * Arbitrary Finite Domains, CT-RSA 2002. */
int64_t gen_permuted(uint64_t seed, int64_t count, int64_t i);
/* All of them; NULL if there is no memory. */
int32_t *gen_permutation(uint64_t seed, int64_t count);

/* --------------------------------------------------------------------------------- the families */

gen_status gen_make_box2d(gen_job *job, gen_matrix *matrix);
gen_status gen_make_box3d(gen_job *job, gen_matrix *matrix);
gen_status gen_make_stencil5(gen_job *job, gen_matrix *matrix);
gen_status gen_make_stencil9(gen_job *job, gen_matrix *matrix);
gen_status gen_make_stencil7(gen_job *job, gen_matrix *matrix);
gen_status gen_make_stencil27(gen_job *job, gen_matrix *matrix);
gen_status gen_make_prolong2d(gen_job *job, gen_matrix *matrix);
gen_status gen_make_prolong3d(gen_job *job, gen_matrix *matrix);
gen_status gen_make_lattice(gen_job *job, gen_matrix *matrix);
gen_status gen_make_periodic(gen_job *job, gen_matrix *matrix);
gen_status gen_make_powerlaw(gen_job *job, gen_matrix *matrix);
gen_status gen_make_rmat(gen_job *job, gen_matrix *matrix);
gen_status gen_make_random(gen_job *job, gen_matrix *matrix);
gen_status gen_make_banded(gen_job *job, gen_matrix *matrix);
gen_status gen_make_hypersparse(gen_job *job, gen_matrix *matrix);
gen_status gen_make_denserow(gen_job *job, gen_matrix *matrix);
gen_status gen_make_densecolumn(gen_job *job, gen_matrix *matrix);
gen_status gen_make_arrow(gen_job *job, gen_matrix *matrix);
gen_status gen_make_diagonal(gen_job *job, gen_matrix *matrix);
gen_status gen_make_empty(gen_job *job, gen_matrix *matrix);

#endif
