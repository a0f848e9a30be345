/* SPDX-License-Identifier: Apache-2.0 */
/* method.h: the planner's interface to methods. doc/adding-a-method.md walks through one. */
#ifndef SPL_PLAN_METHOD_H
#define SPL_PLAN_METHOD_H

#include "core/text.h"
#include "core/watch.h"
#include "machine/machine.h"
#include "problem/features.h"

#include <stdatomic.h>

/* Any set of rows of the result, in ascending order. The numbers are sums over the set. */
typedef struct spl__row_set {
    int64_t *list; /* owned by the plan; NULL: rows 0..count-1 */
    int64_t count;
    char words[64];                                  /* "all", "33 to 1024 products" */
    double products, longest_products, nnz_a, nnz_c; /* spgemm only */
} spl__row_set;

/* The task of a method: one phase of the plan's problem on one row set. */
typedef struct spl__task {
    struct spl_plan *plan;
    spl__phase phase;
    spl__row_set rows;
    const char *unmeasured; /* why the policy measure uses cost instead; NULL: it measures */
    const void *parameters; /* of the method that is asked, or does it */
} spl__task;

typedef struct spl__estimate {
    double seconds; /* of one execution */
    /* allocated by prepare, and by execute in the symbolic phase; without workspaces of threads,
     * see spl__estimate_scratch */
    double bytes;
    /* seconds of prepare that executions must amortise (conversions); default 0 */
    double setup;
    /* seconds of one update; default: of methods that have one, a share of `setup` */
    double update;
    /* post-processing time that is part of `seconds` but invisible to trials; default 0 */
    double post_seconds;
    double one; /* seconds of one execution by one thread: spl__estimate_team */
    /* Of sparse products on CPUs: loops of all threads in an execution, or 0: one thread works;
     * the part of what they compute that the busiest thread does, 0: an equal one; seconds that are
     * not part of `seconds`, of what one thread does in between. spl__estimate_loops makes `one`
     * and `seconds` of them. */
    int loops;
    double share, between;
    double together; /* seconds by all threads, without waking them; 0: not known */
    double scratch;  /* bytes of one thread's workspace, ... */
    double touched;  /* ... and of new memory that is touched in it */
} spl__estimate;

/* Declares that every thread has a workspace of `bytes`, of which it touches `slots` scattered
 * numbers; INFINITY: all of it. CPU methods declare workspaces that grow with the matrix this
 * way and in no other: the planner adds their bytes and the cost of touching new memory to the
 * estimate, and rejects what no machine has. */
void spl__estimate_scratch(double bytes, double slots, spl__estimate *estimate);

/* Declares the seconds of an execution by one thread and by all: the fewer count. All are woken
 * only where that gains enough (step.c). Results do not depend on it. */
void spl__estimate_team(double alone, double together, spl__estimate *estimate);

/* Turns the seconds that loops compute into those of an execution by one thread or by all,
 * whichever takes less. Waking all takes what the machine table says, also where threads spin:
 * choices of methods depend on no timings. */
void spl__estimate_loops(const struct spl_plan *plan, spl__estimate *estimate);

/* The arguments of an execution. Each operation uses its own part. */
typedef struct spl__call {
    const void *alpha, *beta; /* never NULL */
    bool scalars_on_device;   /* else alpha and beta are on the host */
    const void *x;
    void *y;                /* spmv */
    const spl_dense *b, *c; /* spmm */
    /* spmv, spmm: which rows are computed; NULL: all. Methods get it that work by columns. */
    const spl_row_mask *rows;
    void *values; /* spgemm: values of C */
    /* polled by loops over pieces to see whether to continue; NULL: not watched */
    spl__watch *watch;
    /* spmm: the rows of B that won, row-major with lines of winners_ld; NULL: nobody asks */
    int64_t *winners;
    int64_t winners_ld;
    struct spl__frontier_call *frontier; /* of a product with a sparse vector: its operands */
} spl__call;

typedef struct spl__step spl__step;

/* The work of an execution on a device, for predictions. */
typedef struct spl__device_work {
    double streamed; /* bytes that are read or written once, consecutively */
    bool reused;     /* the next execution may find streamed bytes in the cache */
    double busy;     /* seconds of one multiprocessor in addition to its traffic */
    double gathered; /* bytes that are gathered */
    double reach;    /* bytes of the array that they are gathered from: fast if it fits the cache */
    /* dependent steps: iterations of a warp's loop, summed over warps */
    double steps;
    double longest; /* steps of the longest warp */
    double launches;
} spl__device_work;
/* Seconds of that work on the plan's device: the largest of memory traffic, all steps, the
 * longest warp's steps, and the launches. */
double spl__device_seconds(const spl__task *task, const spl__device_work *work);

/* Attributes. OF_BLOCKS, OF_IDENTICAL_ROWS: of a structure that is looked for, whatever that
 * costs, if such a method is forced. A reference is only chosen if forced or if nothing else is
 * applicable. SpMV methods that work by columns serve only problems whose A is stored by columns;
 * see spl__problem. A symbolic method that defers work to the numeric phase cannot be measured by
 * itself. 16-bit values and integers need an attribute. Methods that copy values are considered for
 * a single execution only if they declare that this can pay; their setup then counts. Under a mask
 * only methods with MASKS are chosen: symbolic ones leave out what the mask does, numeric ones drop
 * products for which C has no position. ALGEBRA: numeric methods for all semirings. */
enum {
    SPL__DETERMINISTIC = 1,
    SPL__IN_PLACE = 2,
    SPL__REFERENCE = 4,
    SPL__BY_COLUMNS = 8,
    SPL__DEFERS = 16,
    SPL__HALVES = 32,
    SPL__PAYS_ONCE = 64,
    SPL__OF_BLOCKS = 128,
    SPL__OF_IDENTICAL_ROWS = 256,
    SPL__MASKS = 512,
    SPL__ALGEBRA = 1024,
    SPL__INTEGERS = 2048
};

/* One algorithm for one phase on one kind of processor. Only `estimate` and `execute` are required.
 */
typedef struct spl__method {
    const char *summary, *source;
    int revision; /* increased when results or speed change: wisdom of older revisions is ignored */
    unsigned attributes;
    /* Constants in which the method differs from others that share its functions; the functions
     * know their type. Tasks have them while the method is asked. NULL: none. */
    const void *parameters;
    /* NULL if the method can do the task, else why not (static text). */
    const char *(*applicable)(const spl__task *task);
    void (*estimate)(const spl__task *task, spl__estimate *estimate);
    /* Allocates step->state and all that execute needs. On failure destroy is called. Methods
     * with `update` copy no values here. */
    spl_status (*prepare)(spl__step *step);
    /* On a device: enqueues work that prepare or a symbolic execute will need, before the
     * features are known on which the choice depends, so that one wait serves both:
     * spl__plan_enqueue_early. The task has estimates of these features. Must not wait; does
     * nothing where memory is short. May be NULL. */
    spl_status (*enqueue_early)(const spl__task *task);
    /* Allocates nothing, except in the symbolic phase, which runs once inside the plan. NULL in the
     * phase `form`. */
    spl_status (*execute)(spl__step *step, const spl__call *call);
    /* Updates the method's copies of values: after prepare, and whenever new values are
     * announced. Allocates nothing. NULL for methods that read values in place. */
    void (*update)(spl__step *step);
    /* Adds one line about parameters derived from the matrix; may be NULL. */
    void (*explain)(const spl__step *step, spl__text *text);
    /* Frees step->state, which may be NULL or incomplete. NULL: the state is one block of memory,
     * or there is none. */
    void (*destroy)(spl__step *step);
} spl__method;

/* Kinds of processors. Lower-case suffixes, because methods.def pastes them. */
typedef enum spl__processor { SPL__PROCESSOR_cpu, SPL__PROCESSOR_gpu } spl__processor;

/* A line of some methods.def. */
typedef struct spl__registry_entry {
    const char *id;
    spl__kind kind;
    spl__phase phase;
    spl__processor processor;
    const spl__method *method;
} spl__registry_entry;

/* Executions that are tried one way, one after the other, and then the other way, since each finds
 * in caches what the one before left there; and threads come after 6 us or after 45. */
enum { SPL__TEAM_TRIALS = 5 };

/* Whether one thread executes a step, or all do: step.c. */
typedef struct spl__team_choice {
    atomic_bool alone;                   /* one thread is to execute; others may ask meanwhile */
    bool tries;                          /* the first executions are to try both, */
    bool in_doubt;                       /* and have not done so yet */
    int tried;                           /* executions that were timed, */
    double seconds[2][SPL__TEAM_TRIALS]; /* by all threads and by one */
} spl__team_choice;

/* One (row set, phase, method) of a plan. */
struct spl__step {
    spl__task task;
    const spl__registry_entry *entry;
    spl__estimate estimate;
    char reason[256]; /* spl__step_reason; empty: nobody has asked */
    void *state;      /* owned by the method */
    spl__team_choice team;
};

#endif
