/* SPDX-License-Identifier: Apache-2.0 */
/* explain.h: why a plan does what it does, what it has done, the methods of the library, and checks
 * of results. sparloom.h includes it.
 *
 * The conventions of sparloom.h hold. */
#ifndef SPARLOOM_EXPLAIN_H
#define SPARLOOM_EXPLAIN_H

#include <sparloom/sparloom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------- explanation */

/* The whole explanation as text for people: features, candidates with predicted time and bytes, the
 * choice, its reason, what would change it. Writes at most `capacity` bytes including the final 0;
 * `length` (may be NULL) gets the full length without it. */
SPARLOOM_API spl_status spl_plan_explain(const spl_plan *plan, char *text, size_t capacity,
                                         size_t *length);

/* The same as data. Strings live as long as the plan; those of spl_method are static. Numbers count
 * from 0; one too large is SPL_INVALID_ARGUMENT. */
typedef struct spl_step { /* one (row set, phase, method) of the plan, in order of execution */
    uint32_t size;
    const char *phase, *method, *reason;
    int64_t row_count; /* rows in the row set */
    const char *rows;  /* the row set in words: "all", "rows with 33 to 1024 products" */
    double seconds;    /* predicted */
    size_t bytes;      /* predicted: workspace and structure, without the caller's arrays */
    /* of the CPU in the next execution: 1 where waking others takes longer than they gain, which
     * executions may find out; 0: a device computes */
    int32_t threads;
} spl_step;
#define SPL_STEP_INIT SPL_SIZED(spl_step)
/* Number of steps of the plan. */
SPARLOOM_API int32_t spl_plan_step_count(const spl_plan *plan);
/* Describes step `number`. */
SPARLOOM_API spl_status spl_plan_step(const spl_plan *plan, int32_t number, spl_step *step);

typedef struct spl_candidate { /* a method that was considered for a step */
    uint32_t size;
    int32_t step; /* number of the step */
    const char *method;
    int32_t applicable; /* 0: `reason` says why not */
    int32_t chosen;
    double seconds; /* predicted */
    size_t bytes;   /* predicted */
    const char *reason;
    double measured; /* seconds of an execution, in a trial of the policy measure; NaN: not tried */
} spl_candidate;
#define SPL_CANDIDATE_INIT SPL_SIZED(spl_candidate)
/* Number of candidates of all steps. */
SPARLOOM_API int32_t spl_plan_candidate_count(const spl_plan *plan);
/* Describes candidate `number`. */
SPARLOOM_API spl_status spl_plan_candidate(const spl_plan *plan, int32_t number,
                                           spl_candidate *candidate);

typedef struct spl_feature { /* a cheap number describing the problem */
    uint32_t size;
    const char *name, *meaning;
    double value; /* NaN: not known (yet) */
} spl_feature;
#define SPL_FEATURE_INIT SPL_SIZED(spl_feature)
/* Number of features. */
SPARLOOM_API int32_t spl_plan_feature_count(const spl_plan *plan);
/* Describes feature `number`. */
SPARLOOM_API spl_status spl_plan_feature(const spl_plan *plan, int32_t number,
                                         spl_feature *feature);

typedef struct spl_counters {
    uint32_t size;
    int64_t executions;
    int64_t allocations;      /* made by the plan so far, on the host and on its device */
    size_t live, peak;        /* bytes of the plan on the host; spl_memory tells those on devices */
    int64_t launches;         /* device kernels */
    int64_t synchronisations; /* host waits for a device */
    int64_t fetched;          /* bytes copied from a device to the host */
} spl_counters;
#define SPL_COUNTERS_INIT SPL_SIZED(spl_counters)
/* What the plan has done so far. */
SPARLOOM_API spl_status spl_plan_counters(const spl_plan *plan, spl_counters *counters);

typedef struct spl_method_info {
    uint32_t size;
    const char *id;        /* "spgemm/numeric/cpu/hash" */
    const char *summary;   /* one line */
    const char *source;    /* authors, venue, year */
    int32_t revision;      /* grows when results or speed of the method change */
    int32_t deterministic; /* 1: bit-identical for any number of threads */
    int32_t in_place;      /* 1: reads the caller's values where they are */
    const char *processor; /* "cpu" or "gpu": what it runs on */
} spl_method_info;
#define SPL_METHOD_INFO_INIT SPL_SIZED(spl_method_info)
/* Number of methods of the library. */
SPARLOOM_API int32_t spl_method_count(void);
/* Describes method `number`. */
SPARLOOM_API spl_status spl_method(int32_t number, spl_method_info *info);

/* --------------------------------------------------------------------------------------- checks */

/* A result compared with the executable specification, element by element, against the error bound
 * at spl_plan. Its sums are f64 in units of a power of two that follows the terms: they neither
 * overflow nor underflow. */
typedef struct spl_check {
    uint32_t size;
    int32_t ok;                   /* 1: structure right and no element beyond its bound */
    int64_t compared, failed;     /* elements */
    int64_t worst_row, worst_col; /* where |err|/bound is largest; -1: nothing was decided */
    /* |err|/bound there; 0 if all exact, Inf for a structural fault */
    double worst_ratio;
    /* Elements of those compared about which the contract says nothing, see spl_plan: they are Inf
     * or NaN and partial sums may have overflowed, alpha is not finite or alpha*op(A) vanishes; or
     * their bound is above all numbers. They neither fail nor count for the worst. */
    int64_t undecided;
} spl_check;
#define SPL_CHECK_INIT SPL_SIZED(spl_check)

/* y_before is y before the product; it may be NULL if beta is NULL or 0. Of the options only op_a,
 * op_b, accuracy, unsorted, masks, semiring are used. Workspace: malloc's, not a context's. */
SPARLOOM_API spl_status spl_check_spmv(const void *alpha, const spl_sparse *a, const void *x,
                                       const void *beta, const void *y_before, const void *y,
                                       const spl_options *options, spl_check *check);
/* The same for C of SpMM. */
SPARLOOM_API spl_status spl_check_spmm(const void *alpha, const spl_sparse *a, const spl_dense *b,
                                       const void *beta, const spl_dense *c_before,
                                       const spl_dense *c, const spl_options *options,
                                       spl_check *check);
/* The same for C of SpGEMM, in CSR. Its pattern must be exactly that of spl_spgemm_plan's comment,
 * each position once, sorted unless options.unsorted. */
SPARLOOM_API spl_status spl_check_spgemm(const void *alpha, const spl_sparse *a,
                                         const spl_sparse *b, const void *beta, const spl_sparse *d,
                                         const spl_sparse *c, const spl_options *options,
                                         spl_check *check);

#ifdef __cplusplus
}
#endif
#endif
