/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h: a problem, what is known about it, and the steps that were chosen. Knows planning; of the
 * operations only which there are. */
#ifndef SPL_PLAN_PLAN_H
#define SPL_PLAN_PLAN_H

#include "plan/method.h"
#include "plan/staging.h"

#include <stdatomic.h>

enum { SPL__MAX_STEPS = 12, SPL__MAX_CANDIDATES = 96 };

/* A method that was considered for a step, as explanations show it. */
typedef struct spl__candidate {
    const spl__registry_entry *entry;
    int step;
    bool chosen;
    const char *why_not; /* NULL: it could have been chosen */
    spl__estimate estimate;
    spl__estimate measured; /* seconds and setup as they were in a trial; NaN: it was not tried */
    bool remembered;        /* by wisdom, as the best for such problems */
} spl__candidate;

/* An operation: how its phases follow each other. One constant per operation, in its own folder. */
typedef struct spl__operation {
    /* Fills features, chooses and prepares all steps. On failure spl__plan_free cleans up. */
    spl_status (*plan)(spl_plan *plan);
    /* Notes what a successful execution has made known. The plan is still claimed. */
    void (*finish)(spl_plan *plan, const spl__call *call);
    /* Frees what the symbolic phase has found, so that it can run again; NULL for operations
     * without one. */
    void (*forget)(spl_plan *plan);
    /* Undoes what executions of a trial have made known, so that the next one is the first again;
     * NULL: they make nothing known. */
    void (*unlearn)(spl_plan *plan);
    /* Frees plan->state. */
    void (*destroy)(spl_plan *plan);
} spl__operation;

/* The methods and operations, handed down by the API layer. */
struct spl__registry {
    const spl__registry_entry *entries;
    int count;
    const spl__operation *operations[SPL__KINDS];
};

struct spl_plan {
    spl__account account;
    spl__problem problem;
    spl__features features;
    /* what was measured on this machine; NULL: nothing, or it does not count */
    const struct spl__tuning *tuning;
    /* ... as it holds for the plan's processor: spl__plan_rate_by */
    const spl__machine *machine;
    const spl__gpu_machine *gpu_machine;
    const double *factors; /* of predicted seconds, for each entry of the registry; NULL: all 1 */
    const spl__operation *operation;
    spl__step steps[SPL__MAX_STEPS];
    int step_count;
    spl__candidate candidates[SPL__MAX_CANDIDATES];
    int candidate_count;
    void *state;                /* the operation's own */
    struct spl__spread *spread; /* several processors: their parts, partition/spread.h; NULL: one */
    spl__staging staging;
    void *event; /* on a device: the end of what was enqueued last, ... */
    /* ... for plans with memory there: executions share it, and it goes when they are done */
    bool ordered;
    atomic_flag busy;
    atomic_llong executions;
};

/* What is to be planned. `b` only in spgemm, `cols` only in spmm. */
typedef struct spl__request {
    spl__kind kind;
    const spl_sparse *a, *b, *d;
    int64_t cols;
    const spl_options *options;
    /* the plan is executed once: methods that copy values need SPL__PAYS_ONCE, unless forced */
    bool once;
    /* For plans within plans, all NULL else: */
    /* plans instead of the kind's own; the operands are made ready where they live */
    const spl__operation *operation;
    spl__account *account, *on_device; /* above the plan's accounts instead of the context's */
} spl__request;

/* Makes a plan: checks everything, then lets the operation plan itself. *plan is only written on
 * success. */
spl_status spl__plan_make(spl_context *context, const spl__request *request, spl_plan **plan);
void spl__plan_free(spl_plan *plan);
/* From now on predictions are those for that device, or, if it is NULL, for the CPU: the table of
 * what was measured of it. */
void spl__plan_rate_by(spl_plan *plan, const spl__device *device);

/* Whether its memory on the host is bounded, by its own budget or one above it. */
bool spl__plan_has_budget(const spl_plan *plan);
/* Executions that the plan is made for. */
double spl__executions(const spl_plan *plan);

/* All rows of the result as a row set. */
spl__row_set spl__all_rows(const spl_plan *plan);

/* Chooses a method for the task, prepares it and appends the step. Methods that turn out not to fit
 * the budget give way to the next best. Takes ownership of rows.list. SPL_UNSUPPORTED if none is
 * left, else the last resource failure. */
spl_status spl__plan_step(spl_plan *plan, spl__phase phase, const spl__row_set *rows);

/* Prepares step->entry for step->task: in the symbolic phase it runs, too. On failure nothing is
 * left. */
spl_status spl__step_prepare(spl__step *step);

/* The policy that chooses: that of the options, but `cost` where a problem is not measured
 * (problem.unmeasured). */
spl_policy spl__plan_policy(const spl_plan *plan);

/* Undoes the last steps, down to `steps` of them: their states are freed, their candidates
 * forgotten. */
void spl__plan_forget(spl_plan *plan, int steps);

/* The method that the policy would choose for the task, without preparing it; NULL if none. Leaves
 * no trace. */
const spl__registry_entry *spl__plan_preview(spl_plan *plan, spl__phase phase,
                                             const spl__row_set *rows);

/* Whether any method can do the task. Estimates nothing. */
bool spl__plan_serves(spl_plan *plan, spl__phase phase, const spl__row_set *rows);

/* Lets the method that would be chosen, going by features that may be guesses, begin with what it
 * does `ahead`. Under the policy `measure` the model guesses, too; what a wrong guess began is
 * given back. Not under `rules`, whose plans would be charged with what they do not use. */
spl_status spl__plan_enqueue_early(spl_plan *plan, spl__phase phase, const spl__row_set *rows);

/* What a method is predicted to take for the task; INFINITY seconds if it cannot serve. */
spl__estimate spl__plan_predict(spl_plan *plan, spl__phase phase, const spl__row_set *rows,
                                const spl__registry_entry *entry);

/* Dense operands of a call. */
void spl__call_dense(spl__call *call, const spl_dense *b, const spl_dense *c);
/* Executes all steps of a phase in order. */
spl_status spl__plan_run(spl_plan *plan, spl__phase phase, const spl__call *call);

/* New values of operands A, B, D, each unless NULL, of the structure that they were planned with,
 * in any arrays. Allocates nothing. Refused (spl__operand_accept), it changes nothing. */
spl_status spl__plan_update(spl_plan *plan, const spl_sparse *const operands[3]);

/* On a device, lets work go to `stream` (NULL: the default one) from here on, behind what the plan
 * has enqueued elsewhere. SPL_INVALID_ARGUMENT: a stream of another kind. */
spl_status spl__plan_turn(spl_plan *plan, const spl_stream *stream);
/* Notes the end of what the plan has enqueued, for the next turn. */
void spl__plan_mark(spl_plan *plan);
/* Claims the plan for one execution, checks inputs if asked to, turns to the stream;
 * spl__plan_leave ends it. SPL_BUSY, SPL_STALE. */
spl_status spl__plan_enter(spl_plan *plan, const spl_stream *stream);
void spl__plan_leave(spl_plan *plan);
/* Runs a phase of a plan that was entered; counts. */
spl_status spl__plan_execute_entered(spl_plan *plan, spl__phase phase, const spl__call *call);
/* Enters the plan, runs a phase, leaves. */
spl_status spl__plan_execute(spl_plan *plan, spl__phase phase, const spl__call *call,
                             const spl_stream *stream);

/* alpha and beta as kernels take them, wherever options.scalar_place says they are. */
spl__device_scalars spl__plan_scalars(const spl_plan *plan, const spl__call *call);

#endif
