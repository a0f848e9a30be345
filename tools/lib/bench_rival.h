/* SPDX-License-Identifier: Apache-2.0 */
/* bench_rival.h: what a library must offer to be measured: a few functions per operation. Sparloom itself is measured through the
 * same ones. */
#ifndef TOOL_BENCH_RIVAL_H
#define TOOL_BENCH_RIVAL_H

#include <sparloom/sparloom.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_operation {
    BENCH_SPMV,    /* y = A*x after preparation */
    BENCH_SPMM,    /* C = A*B, dense, row major, after preparation */
    BENCH_SPGEMM,  /* C = A*A, sorted, everything from the operands to the allocated result */
    BENCH_NUMERIC, /* the values of C = A*A again, its structure known from the preparation */
    BENCH_OPERATIONS
} bench_operation;

/* "spmv", ... */
extern const char *const bench_operation_names[BENCH_OPERATIONS];

/* What is to be computed. A is CSR with 32-bit columns, sorted, without duplicates; offsets have 32 or 64 bits. */
typedef struct bench_problem {
    bench_operation operation;
    spl_type type;
    int threads;
    int64_t columns; /* of x and y; 1 for spmv */
    spl_sparse a;
    const void *x; /* a.cols * columns */
    void *y;       /* a.rows * columns, to be written by `run` */
} bench_problem;

/* Sizes and orders as in bench_problem. All return 0 for failure. */
typedef struct bench_kernel {
    /* Everything that is done once per structure: conversion, analysis, hints, plan. NULL: cannot do this problem. */
    void *(*prepare)(const bench_problem *problem);
    /* One execution: what is timed. */
    int (*run)(void *state);
    /* After a run, outside the time. spgemm, numeric: the result, sorted, valid until the next call. Others (c is NULL): brings a
     * result that is kept elsewhere to problem->y; may be NULL. */
    int (*result)(void *state, spl_sparse *c);
    /* Frees the result of a run, outside the time; may be NULL. */
    void (*discard)(void *state);
    void (*release)(void *state);
} bench_kernel;

typedef struct bench_rival {
    const char *name;
    /* Makes the library ready to use so many threads; called once before anything else. */
    int (*start)(int threads);
    const char *(*version)(void);           /* after start */
    bench_kernel kernels[BENCH_OPERATIONS]; /* prepare NULL: not offered */
} bench_rival;

/* Sparloom as one of those to be measured. */
extern const bench_rival bench_own;

#ifdef __cplusplus
}
#endif

#endif
