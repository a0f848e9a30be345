/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h: a problem, its features, and the chosen steps. Knows planning, and operations only as
 * tables. */
#ifndef SPL_PLAN_PLAN_H
#define SPL_PLAN_PLAN_H

#include "plan/operation.h"
#include "problem/staging.h"

#include <stdatomic.h>

enum { SPL__MAX_STEPS = 12, SPL__MAX_CANDIDATES = 96 };

/* A method that was considered for a step, for explanations. */
typedef struct spl__candidate {
    const spl__registry_entry *entry;
    int step;
    bool chosen;
    const char *why_not; /* why it is not applicable; NULL: it is */
    spl__estimate estimate;
    spl__estimate measured; /* seconds and setup in a trial; NaN: not tried */
    bool remembered;        /* wisdom has it as the best for such problems */
} spl__candidate;

/* The tables of an operation: one per kind of processor, and one for several processors. */
enum { SPL__TABLE_SEVERAL = SPL__PROCESSOR_gpu + 1, SPL__TABLES };

/* The methods and operations, provided by the API layer. */
struct spl__registry {
    const spl__registry_entry *entries;
    int count;
    const spl__traits *traits[SPL__KINDS];
    const spl__operation *operations[SPL__KINDS][SPL__TABLES];
};

struct spl_plan {
    spl__account account;
    spl__problem problem;
    spl__features features;
    /* measured coefficients of this machine; NULL: none, or not to be used */
    const struct spl__tuning *tuning;
    /* ... for the plan's processor: spl__plan_rate_by */
    const spl__machine *machine;
    const spl__gpu_machine *gpu_machine;
    /* corrections of predicted seconds per entry of the registry; NULL: all 1 */
    const double *factors;
    const spl__operation *operation;
    void *state;                /* owned by the operation */
    struct spl__spread *spread; /* several processors: their parts, partition/spread.h; NULL: one */
    spl__staging staging;
    void *event; /* on a device: the end of the work enqueued last, ... */
    /* ... for plans with device memory: executions share it, and it is freed after they end */
    bool ordered;
    bool stays; /* all work is in one stream, after what the default stream had at first */
    atomic_flag busy;
    atomic_llong executions;
    /* what has been decided: last, because questions leave it out (spl__plan_assume) */
    int step_count, candidate_count;
    spl__step steps[SPL__MAX_STEPS];
    spl__candidate candidates[SPL__MAX_CANDIDATES];
};

/* A request for a plan. `b` only in spgemm, `cols` only in spmm. */
typedef struct spl__request {
    spl__kind kind;
    const spl_sparse *a, *b, *d;
    int64_t cols;
    const spl_options *options;
    /* a single execution: methods that copy values need SPL__PAYS_ONCE, unless forced */
    bool once;
    /* once: whether `factor`, the alpha of the call (NULL: 1), is known; read while planning */
    bool factor_known;
    const void *factor;
    bool alone;   /* once: the call waits for the execution, which may stay in the plan's stream */
    bool several; /* for several processors; operands are prepared on the one that holds them */
    /* for inner plans: parents of the plan's accounts instead of the context's; else NULL */
    spl__account *account, *on_device;
} spl__request;

/* Makes a plan: checks everything, then lets the operation plan itself. *plan is only written on
 * success. Where there is a choice: spl__make_plan of the entry points. */
spl_status spl__plan_make(spl_context *context, const spl__request *request, spl_plan **plan);
void spl__plan_free(spl_plan *plan);
/* Uses the coefficients measured on that device for predictions from now on; NULL: those of the
 * CPU. */
void spl__plan_rate_by(spl_plan *plan, const spl__device *device);
/* Those coefficients of a device. */
const spl__gpu_machine *spl__plan_gpu_machine(const spl_plan *plan, const spl__device *device);

/* Sets a lower bound of the bytes that the plan will hold on the host and on its device in
 * addition to those held now. A failure includes them in spl_error_bytes. */
void spl__plan_expect(spl_plan *plan, double host, double device);
/* Whether host memory is limited, by the plan's budget or a parent's. */
bool spl__plan_has_budget(const spl_plan *plan);
/* The number of executions that the plan assumes. */
double spl__executions(const spl_plan *plan);
/* Seconds of an execution, with its part of those of setup and of updates. */
double spl__amortised(const spl_plan *plan, const spl__estimate *estimate);

/* All rows of the result as a row set. */
spl__row_set spl__all_rows(const spl_plan *plan);

/* Chooses a method for the task, prepares it and appends the step. If a method turns out not to
 * fit the budget, the next best is tried. Takes ownership of rows.list. SPL_UNSUPPORTED if none
 * is left, else the last resource failure. */
spl_status spl__plan_step(spl_plan *plan, spl__phase phase, const spl__row_set *rows);
/* The same for a task that is not measured for a reason of its own, unless NULL. */
spl_status spl__plan_step_unmeasured(spl_plan *plan, spl__phase phase, const spl__row_set *rows,
                                     const char *reason);

/* Prepares step->entry for step->task; in the symbolic phase also executes it. On failure frees
 * everything. */
spl_status spl__step_prepare(spl__step *step);
/* Executes the step, and learns from it how many threads are best while that is in doubt. */
spl_status spl__step_execute(spl__step *step, const spl__call *call);
/* Frees the step's state. */
void spl__step_free(spl__step *step);

/* The policy in effect: that of the options, but `cost` where nothing is measured. */
spl_policy spl__plan_policy(const spl_plan *plan);

/* Removes all but the first `steps` steps: frees their states and removes their candidates. */
void spl__plan_forget(spl_plan *plan, int steps);

/* ---- features that depend on how often the plan will be executed ---- */

/* value_bytes and the operand's value form. On a device only if executions can gain more than
 * the scan costs; waits once. On the host only where values may be narrow and choices may depend
 * on values. */
spl_status spl__features_of_values(spl_plan *plan);
/* Whether CPU methods should store values in fewer bytes: for several executions on values that
 * do not fit a cache. */
bool spl__values_may_be_narrow(const spl_plan *plan);

/* Relative seconds of one thread per entry of A in blocks of `size`, of whose slots the share
 * `fill` are entries. */
typedef double (*spl__block_seconds)(const spl_plan *plan, double size, double fill);
/* holed_block_size (the size with the least seconds) and block_fill_a, for methods
 * that copy A into blocks (SPL__OF_BLOCKS). 1 if there are no blocks or they do not pay: on
 * devices, for a single execution, for rows as short as a diagonal's. Cost: a sample of A's rows;
 * if blocks are found, one pass over all columns. */
void spl__features_of_blocks(spl_plan *plan, spl__block_seconds seconds);

/* ---- questions: they change nothing ---- */

/* Why the step's method was chosen, and what would change the choice; lives as long as the plan. */
const char *spl__step_reason(const spl_plan *plan, int number);

/* A copy of the plan without steps and candidates, which owns nothing: what a question assumes is
 * written there, and the plan stays as it is. */
void spl__plan_assume(const spl_plan *plan, spl_plan *assumed);
/* The method that the policy would choose for the task; NULL: none. */
const spl__registry_entry *spl__plan_preview(const spl_plan *plan, spl__phase phase,
                                             const spl__row_set *rows);
/* Whether any method can do the task. Estimates nothing. */
bool spl__plan_serves(const spl_plan *plan, spl__phase phase, const spl__row_set *rows);
/* The estimate of a method for the task (NULL: of the one that the policy would choose); INFINITY
 * seconds if it is not applicable. */
spl__estimate spl__plan_predict(const spl_plan *plan, spl__phase phase, const spl__row_set *rows,
                                const spl__registry_entry *entry);

/* ---- plans ---- */

/* Calls `enqueue_early` of the method that would be chosen by features that may be estimates.
 * With the policy `measure` the cost model decides; work of a wrong guess is freed. Not with
 * `rules`, whose plans would be charged for unused work. */
spl_status spl__plan_enqueue_early(spl_plan *plan, spl__phase phase, const spl__row_set *rows);

/* Sets the dense operands of a call. */
void spl__call_dense(spl__call *call, const spl_dense *b, const spl_dense *c);
/* Takes new values of the operands A, B, D, each unless NULL, in any arrays but with the planned
 * structure. Allocates nothing. If refused (spl__operand_accept), it changes nothing. */
spl_status spl__plan_update(spl_plan *plan, const spl_sparse *const operands[3]);

/* On a device: sends further work to `stream` (NULL: the default one), after all work that the
 * plan has enqueued on other streams; plans that stay do not turn. SPL_INVALID_ARGUMENT: a stream
 * of another kind. */
spl_status spl__plan_turn(spl_plan *plan, const spl_stream *stream);
/* Records the end of the plan's enqueued work, for the next turn. */
void spl__plan_mark(spl_plan *plan);
/* Claims the plan for one execution, checks inputs if requested, and turns to the stream;
 * spl__plan_leave ends it. SPL_BUSY, SPL_STALE. */
spl_status spl__plan_enter(spl_plan *plan, const spl_stream *stream);
void spl__plan_leave(spl_plan *plan);
/* Runs a phase of an entered plan, and counts the execution. */
spl_status spl__plan_execute_entered(spl_plan *plan, spl__phase phase, const spl__call *call);
/* Enters the plan, runs a phase, leaves. */
spl_status spl__plan_execute(spl_plan *plan, spl__phase phase, const spl__call *call,
                             const spl_stream *stream);

/* ---- for tables of one processor ---- */

/* The defaults of functions that all operations need. */
#define SPL__ON_ONE_PROCESSOR                                                                      \
    .update = spl__plan_update, .wait = spl__plan_wait, .explain = spl__plan_explain,              \
    .count = spl__plan_count, .inner = spl__plan_itself
spl_status spl__plan_wait(spl_plan *plan);
void spl__plan_explain(const spl_plan *plan, spl__text *text);
void spl__plan_count(const spl_plan *plan, spl_counters *counters);
const spl_plan *spl__plan_itself(const spl_plan *plan, int32_t k);
/* `execute` of products with dense operands: dense_call.c. */
spl_status spl__dense_execute(spl_plan *plan, spl__call *call, const spl_stream *stream);

/* alpha and beta as kernel arguments. */
spl__device_scalars spl__plan_scalars(const spl_plan *plan, const spl__call *call);

/* The threads of a step's next execution. */
static inline int spl__step_threads(const spl__step *step)
{
    const bool alone = atomic_load_explicit(&step->team.alone, memory_order_relaxed);
    return alone ? 1 : step->task.plan->problem.threads;
}

#endif
