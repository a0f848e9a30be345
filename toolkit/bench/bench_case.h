/* SPDX-License-Identifier: Apache-2.0 */
/* bench_case.h: one operation on one matrix by several libraries in turn.
 *
 * Each prepares (timed), runs once (timed: the first call), and that result is checked against the
 * reference; libraries that fail are not timed further. Then all run in turns, A B C A B C ..., so
 * that disturbances affect all equally. SpMV, SpMM and numeric: each turn is one run untimed and
 * one timed (warm). SpMV also: the caches emptied before a timed run (cold).
 *
 * On a device a run enqueues and returns. The time of `batch` consecutive runs and one wait is
 * divided by `batch`: from the first launch to the end of the last, so that the host's work is
 * hidden unless it takes longer than the device. The batch is the same for all libraries of a
 * case. SpGEMM is one run and one wait, since it waits inside. There are no cold measurements on
 * devices: consecutive runs find data of the previous one in the cache. */
#ifndef TOOL_BENCH_CASE_H
#define TOOL_BENCH_CASE_H

#include "bench_machine.h"
#include "bench_rival.h"
#include "stopwatch.h"

enum { BENCH_MOST_RIVALS = 8, BENCH_NAME = 96 };

typedef struct bench_setup {
    /* the first one is Sparloom: ratios refer to it */
    const bench_rival *rivals[BENCH_MOST_RIVALS];
    int count, threads;
    /* seconds of repetitions; at least three turns are made, one if that takes six times as long */
    double time_limit;
    double triad; /* bytes per second of the CPU; 0: not measured */
    double copy;  /* bytes per second of a copy within the device; 0: not measured */
    bench_flusher *flusher;
    spl_order order;          /* of the dense matrices of spmm; 0: row major */
    spl_accuracy accuracy;    /* of spmm */
    const char *device;       /* name of the device that computes; NULL: the CPU */
    int (*interrupted)(void); /* may be NULL; non-zero ends the case */
} bench_setup;

typedef enum bench_verdict {
    BENCH_GOOD,
    BENCH_WRONG,  /* the check found a wrong result */
    BENCH_FAILED, /* a call failed */
    BENCH_ABSENT  /* not offered for this problem */
} bench_verdict;
/* "good", "wrong", "failed", "absent" */
extern const char *const bench_verdict_names[];

typedef struct bench_entry {
    bench_verdict verdict;
    double prepare, first;     /* seconds; NaN if there are none */
    tool_quantiles warm, cold; /* of executions; runs 0 if there are none */
    double peak;               /* bytes of device memory beside the operands; NaN: not known */
    spl_check check;
    char reason[BENCH_REASON]; /* failed: which call and why; "" if the library does not tell */
} bench_entry;

typedef struct bench_case {
    char set[BENCH_NAME], matrix[BENCH_NAME];
    bench_operation operation;
    spl_type type;
    int64_t columns;
    int64_t rows, cols, nnz;
    int64_t b_rows, b_cols, b_nnz; /* spgemm, numeric: of B; -1 if B is A */
    double flop, bytes;            /* of an execution; bytes NaN for spgemm */
    int batch;                     /* runs between two waits */
    int count;
    bench_entry entries[BENCH_MOST_RIVALS];
} bench_case;

/* Measures. Names, operation, type and columns of `result` are set by the caller; A and B must fit
 * bench_problem and have that type; b NULL: A itself. SPL_OUT_OF_MEMORY, SPL_CANCELLED. */
spl_status bench_run(const bench_setup *setup, const spl_sparse *a, const spl_sparse *b,
                     bench_case *result);
/* Intermediate products of A*B. */
double bench_products(const spl_sparse *a, const spl_sparse *b);

#endif
