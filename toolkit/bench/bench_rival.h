/* SPDX-License-Identifier: Apache-2.0 */
/* bench_rival.h: the functions per operation that a library needs to be measured. Sparloom
 * itself is measured through the same ones. */
#ifndef TOOL_BENCH_RIVAL_H
#define TOOL_BENCH_RIVAL_H

#include <sparloom/sparloom.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_operation {
    BENCH_SPMV,    /* y = A*x after preparation */
    BENCH_SPMM,    /* C = A*B, dense, after preparation */
    BENCH_SPGEMM,  /* C = A*B, sorted, everything from the operands to the allocated result */
    BENCH_NUMERIC, /* the values of C = A*B again, its structure known from the preparation */
    BENCH_OPERATIONS
} bench_operation;

/* Most bytes of the texts of `start` and `failure`. */
enum { BENCH_REASON = 200 };

/* The number of executions of spmv and spmm that libraries are told to prepare for, ours too. */
enum { BENCH_EXPECTED_CALLS = 1000 };

/* "spmv", ... */
extern const char *const bench_operation_names[BENCH_OPERATIONS];

/* The processor. */
typedef struct bench_target {
    int threads;         /* of the CPU */
    const char *devices; /* as in spl_context_options: one device; NULL: the CPU */
    spl_place place;     /* that device */
} bench_target;

/* What is to be computed. A and B are CSR with 32-bit columns, sorted, without duplicates;
 * offsets have 32 or 64 bits. All arrays are on the host: libraries for devices copy them during
 * preparation. */
typedef struct bench_problem {
    bench_operation operation;
    spl_type type;
    int variant; /* the kernel's */
    int threads;
    int64_t columns; /* of x and y; 1 for spmv */
    spl_order order; /* of x and y, without gaps */
    spl_accuracy accuracy;
    spl_sparse a;
    const spl_sparse *b; /* spgemm, numeric: the right operand, of the same types; NULL: A itself */
    const void *x;       /* a.cols * columns */
    /* a.rows * columns, all NaN when it is prepared, to be written by `run` or `result` */
    void *y;
} bench_problem;

/* The right operand of spgemm and numeric. */
static inline const spl_sparse *bench_right(const bench_problem *problem)
{
    return problem->b ? problem->b : &problem->a;
}

/* A dense view of `rows` rows of x or y. */
spl_dense bench_dense(const bench_problem *problem, int64_t rows, const void *values);

/* Sizes and orders as in bench_problem. All that return an int return 0 for failure. */
typedef struct bench_kernel {
    /* Work that is done once per structure: conversion, analysis, hints, plan. NULL as a member:
     * the operation is not supported; as a result: failed. If there is `wait`, only copies to
     * the device and work that is done once per process: it is not timed. */
    void *(*prepare)(const bench_problem *problem);
    /* Only with `wait`: work on the device once per structure, after prepare; may be NULL. */
    int (*plan)(void *state);
    /* One execution, which is timed. */
    int (*run)(void *state);
    /* Waits for all enqueued work. NULL: run returns when it is done. */
    int (*wait)(void *state);
    /* After a run, outside the time. spgemm, numeric: the result, sorted, valid until the next
     * call. Others (c is NULL): brings a result that is kept elsewhere to problem->y;
     * may be NULL. */
    int (*result)(void *state, spl_sparse *c);
    /* Frees the result of a run, outside the time. NULL: the next run writes over it. */
    void (*discard)(void *state);
    void (*release)(void *state);
    /* Most bytes of device memory held at once until now, without operands, x and y. NULL: not
     * known. */
    double (*peak)(void *state);
    int variant; /* which algorithm, where a rival offers several; for bench_problem */
} bench_kernel;

typedef struct bench_rival {
    const char *name;
    /* Initialises the library for the target; called before all other functions, possibly
     * several times with the same target. Returns NULL, or the reason why it cannot compute
     * there. */
    const char *(*start)(const bench_target *target);
    const char *(*version)(void); /* after start */
    /* Which call failed last, and why, in words; NULL if the library does not tell. */
    const char *(*failure)(void);
    int halves;                             /* 1: SpMV and SpMM of f16 and bf16 too */
    int integers;                           /* 1: i32 and i64 too */
    bench_kernel kernels[BENCH_OPERATIONS]; /* prepare NULL: not offered */
} bench_rival;

/* What a shared object that contains a rival exports, with C linkage. `size` is
 * sizeof(bench_rival); NULL if the adapter has another. */
#define BENCH_RIVAL_ENTRY "sparloom_rival"
typedef const bench_rival *(*bench_rival_entry)(size_t size);

/* Bytes per second that a copy within the device reads and writes, the best of some runs; 0 if it
 * cannot be measured. */
double bench_device_copy(const bench_target *target);

/* Sparloom as a library to be measured, on the CPU, and on a device with resident operands. */
extern const bench_rival bench_own, bench_own_device;

/* The options of their plans of spmv and spmm. */
spl_options bench_own_options(const bench_problem *problem);

#ifdef __cplusplus
}
#endif

#endif
