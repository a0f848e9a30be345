/* SPDX-License-Identifier: Apache-2.0 */
/* method.h: what a method is to the planner. doc/adding-a-method.md walks through one. */
#ifndef SPL_PLAN_METHOD_H
#define SPL_PLAN_METHOD_H

#include "core/text.h"
#include "core/watch.h"
#include "plan/features.h"
#include "plan/machine.h"

/* Any set of rows of the result, in ascending order. The numbers are sums over the set. */
typedef struct spl__row_set {
    int64_t *list; /* owned by the plan; NULL: rows 0..count-1 */
    int64_t count;
    char words[64];                           /* "all", "33 to 1024 products" */
    double products, longest_products, nnz_c; /* spgemm only */
} spl__row_set;

/* What a method is asked to do: one phase of the plan's problem on one row set. */
typedef struct spl__task {
    struct spl_plan *plan;
    spl__phase phase;
    spl__row_set rows;
} spl__task;

typedef struct spl__estimate {
    double seconds; /* of one execution */
    double bytes;   /* allocated by prepare, and by execute for the symbolic phase; workspaces of
                       threads come on top, see spl__estimate_scratch */
    /* seconds of prepare that executions have to pay back: conversions; 0 if it is not left set */
    double setup;
    /* post-processing time that is part of `seconds` but invisible to trials; default 0 */
    double post_seconds;
    double scratch; /* bytes of one thread's workspace, ... */
    double touched; /* ... and of new memory that it makes ready */
} spl__estimate;

/* Every thread has a workspace of `bytes`, of which it touches `places` here and there; INFINITY:
 * all of it. All methods of the CPU say so what grows with the matrix, and nothing else of it: the
 * planner adds its bytes, and what new memory costs, to the estimate, and leaves out what no
 * machine has. */
void spl__estimate_scratch(double bytes, double slots, spl__estimate *estimate);

/* What an execution is given. Each operation uses its own part. */
typedef struct spl__call {
    const void *alpha, *beta; /* never NULL */
    const void *x;
    void *y;                /* spmv */
    const spl_dense *b, *c; /* spmm */
    void *values;           /* spgemm: values of C */
    spl__watch *watch;      /* what loops over pieces ask whether to go on; NULL: nobody watches */
} spl__call;

typedef struct spl__step spl__step;

/* What an execution on a device does, for a prediction. */
typedef struct spl__device_work {
    double streamed; /* bytes that are read or written once, in order */
    bool reused;     /* the next execution may find them in the cache */
    double busy;     /* seconds of one multiprocessor beside its traffic */
    double gathered; /* bytes that are read here and there */
    double reach;    /* bytes that these come from: where the cache holds them, gathering is fast */
    /* steps of warps that wait for each other: rounds of a warp's loop, summed over warps */
    double steps;
    double longest; /* steps of the one warp that has the most */
    double launches;
} spl__device_work;
/* Seconds of it on the plan's device: the largest of memory traffic, all steps and the longest
 * warp's, and the launches. */
double spl__device_seconds(const spl__task *task, const spl__device_work *work);

/* Attributes. A reference is only chosen if asked for, or if nothing else can serve. Methods of
 * SpMV that work by columns serve problems whose A is there by columns, and no other; see
 * spl__problem. A symbolic method that defers work to the numeric phase cannot be measured by
 * itself. Only methods that say so serve values of 16 bits. Methods that copy values are considered
 * for a single execution if they say that it can pay: their setup counts. */
enum {
    SPL__DETERMINISTIC = 1,
    SPL__IN_PLACE = 2,
    SPL__REFERENCE = 4,
    SPL__BY_COLUMNS = 8,
    SPL__DEFERS = 16,
    SPL__HALVES = 32,
    SPL__PAYS_ONCE = 64
};

/* One algorithm for one phase on one kind of processor. Every function but `applicable`, `ahead`,
 * `update` and `explain` is required. */
typedef struct spl__method {
    const char *summary, *source;
    int revision; /* grows when results or speed change: wisdom of older revisions is forgotten */
    unsigned attributes;
    /* NULL if the method can do the task, else why not (static text). */
    const char *(*applicable)(const spl__task *task);
    void (*estimate)(const spl__task *task, spl__estimate *estimate);
    /* Allocates step->state and everything execute needs. On failure destroy is called. Methods
     * with `update` copy no values here. */
    spl_status (*prepare)(spl__step *step);
    /* Enqueues on a device what prepare or a symbolic execute will look at, before features are
     * there that the choice depends on, so that their waits are one: spl__plan_enqueue_early. The
     * task has guesses for these; nothing may be waited for, and nothing happens where memory is
     * short. May be NULL. */
    spl_status (*enqueue_early)(const spl__task *task);
    /* Allocates nothing, except in the symbolic phase, which runs once inside the plan. */
    spl_status (*execute)(spl__step *step, const spl__call *call);
    /* Brings the method's own copy of the operands' values up to date: after prepare, and whenever
     * new values were announced. Allocates nothing. NULL for methods that read values in place, and
     * know nothing of them. */
    void (*update)(spl__step *step);
    /* Adds one line about parameters derived from the matrix; may be NULL. */
    void (*explain)(const spl__step *step, spl__text *text);
    /* Frees step->state (which may be NULL or half made). */
    void (*destroy)(spl__step *step);
} spl__method;

/* What a method runs on. Lower-case tails, because methods.def pastes them together. */
typedef enum spl__processor { SPL__PROCESSOR_cpu, SPL__PROCESSOR_gpu } spl__processor;

/* A line of some methods.def. */
typedef struct spl__registry_entry {
    const char *id;
    spl__kind kind;
    spl__phase phase;
    spl__processor processor;
    const spl__method *method;
} spl__registry_entry;

/* One (row set, phase, method) of a plan. */
struct spl__step {
    spl__task task;
    const spl__registry_entry *entry;
    spl__estimate estimate;
    char reason[256];
    void *state; /* the method's own */
};

#endif
