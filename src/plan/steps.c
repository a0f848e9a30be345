/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c: finds the applicable methods for a task, and chooses one. */
#include "core/threads/team.h"
#include "plan/forced.h"
#include "plan/policy/policy.h"
#include "plan/scratch.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- candidates ---- */

/* Questions change nothing in the plan, but methods that do the task may. */
static spl__task task_of(const spl_plan *plan, spl__phase phase, const spl__row_set *rows)
{
    return (spl__task){.plan = (spl_plan *)plan,
                       .phase = phase,
                       .rows = *rows,
                       .unmeasured = plan->problem.unmeasured};
}

static spl_policy policy_of(const spl__task *task)
{
    spl_policy wanted = task->plan->problem.options.policy;
    return wanted == SPL_POLICY_MEASURE && task->unmeasured ? SPL_POLICY_COST : wanted;
}

spl_policy spl__plan_policy(const spl_plan *plan)
{
    spl__task task = task_of(plan, SPL__PHASE_compute, &(spl__row_set){0});
    return policy_of(&task);
}

/* The task as the method's functions read it. */
static spl__task put_to(const spl__registry_entry *entry, const spl__task *task)
{
    spl__task of_method = *task;
    of_method.parameters = entry->method->parameters;
    return of_method;
}

/* Masks and semirings are properties of the problem that few methods know. The structure of C does
 * not depend on a semiring; what a complement has is taken out of it later on a device. */
static const char *why_not_algebra(const spl__task *task, unsigned attributes)
{
    const spl__problem *p = &task->plan->problem;
    const bool taken_out =
        p->mask.complement && p->queue.device && task->phase == SPL__PHASE_symbolic;
    if (p->mask.given && !taken_out && !(attributes & SPL__MASKS))
        return "knows no masks";
    if (p->options.semiring && task->phase != SPL__PHASE_symbolic && !(attributes & SPL__ALGEBRA))
        return "serves plus_times only";
    return NULL;
}

/* The structure of C does not depend on the type of values, unless it is made of blocks of them. */
static bool serves_integers(const spl__task *task, unsigned attributes)
{
    return attributes & SPL__INTEGERS ||
           (task->phase == SPL__PHASE_symbolic && !(attributes & SPL__OF_BLOCKS));
}

static const char another_is_forced[] = "another method is forced";

static const char *why_not(const spl__task *task, const spl__registry_entry *entry, bool forced)
{
    const spl_options *options = &task->plan->problem.options;
    const spl__task asked = put_to(entry, task);
    if (forced && !spl__method_listed(options->method, entry->id))
        return another_is_forced;
    if (options->deterministic && !(entry->method->attributes & SPL__DETERMINISTIC))
        return "not deterministic";
    if (!forced && policy_of(task) == SPL_POLICY_MEASURE &&
        (entry->method->attributes & SPL__DEFERS))
        return "what it defers to executions cannot be measured here";
    if (spl__type_is_half(task->plan->problem.a.csr.type) &&
        !(entry->method->attributes & SPL__HALVES))
        return "serves f32 and f64 only";
    if (spl__type_is_integer(task->plan->problem.a.csr.type) &&
        !serves_integers(task, entry->method->attributes))
        return "serves no integers";
    if (task->plan->problem.by_columns != ((entry->method->attributes & SPL__BY_COLUMNS) != 0))
        return task->plan->problem.by_columns ? "needs op(A) by rows" : "op(A) is stored by rows";
    if (!forced && spl__problem_is_single(&task->plan->problem) &&
        !(entry->method->attributes & (SPL__IN_PLACE | SPL__PAYS_ONCE)))
        return "copies values, which one execution does not pay back";
    const char *algebra = why_not_algebra(task, entry->method->attributes);
    if (algebra)
        return algebra;
    return entry->method->applicable ? entry->method->applicable(&asked) : NULL;
}

/* The method's estimate times its measured correction factor. */
static void estimate(const spl__task *task, const spl__registry_entry *entry,
                     spl__estimate *estimate)
{
    const spl_plan *plan = task->plan;
    const spl__task asked = put_to(entry, task);
    entry->method->estimate(&asked, estimate);
    if (plan->factors) {
        const double factor = plan->factors[entry - plan->problem.context->registry->entries];
        estimate->seconds *= factor;
        estimate->between *= factor;
    }
    spl__estimate_loops(plan, estimate);
    if (entry->method->update && estimate->update == 0)
        estimate->update = plan->machine->update_share * estimate->setup;
    spl__scratch_charge(task, estimate);
}

/* Reference methods are fallbacks: they are not candidates where another method is applicable,
 * unless forced. */
static void step_back(spl__candidate *c, int count)
{
    bool other = false;
    for (int i = 0; i < count; i++)
        other = other || (!c[i].why_not && !(c[i].entry->method->attributes & SPL__REFERENCE));
    for (int i = 0; i < count; i++)
        if (other && !c[i].why_not && (c[i].entry->method->attributes & SPL__REFERENCE))
            c[i].why_not = "a fallback for other methods";
}

/* Whether the entry is a method for the task's phase and the plan's processor. */
static bool is_candidate(const spl__task *task, const spl__registry_entry *entry)
{
    return entry->kind == task->plan->problem.kind && entry->phase == task->phase &&
           entry->processor == spl__processor_of(task->plan);
}

bool spl__plan_serves(const spl_plan *plan, spl__phase phase, const spl__row_set *rows)
{
    const struct spl__registry *registry = plan->problem.context->registry;
    spl__task task = task_of(plan, phase, rows);
    bool forced = spl__phase_is_forced(plan, phase), serves = false;
    for (int i = 0; i < registry->count; i++)
        serves = serves || (is_candidate(&task, &registry->entries[i]) &&
                            !why_not(&task, &registry->entries[i], forced));
    return serves;
}

/* Lists the candidates of the task as those of a step; *count becomes their number, at most
 * `room`. */
static spl_status collect(const spl__task *task, spl__candidate *list, int room, int *count)
{
    const struct spl__registry *registry = task->plan->problem.context->registry;
    bool forced = spl__phase_is_forced(task->plan, task->phase);
    *count = 0;
    for (int i = 0; i < registry->count; i++) {
        const spl__registry_entry *entry = &registry->entries[i];
        if (!is_candidate(task, entry))
            continue;
        if (*count == room)
            return spl__fail(SPL_INTERNAL, "more than %d candidates", SPL__MAX_CANDIDATES);
        spl__candidate *c = &list[(*count)++];
        *c = (spl__candidate){.entry = entry,
                              .step = task->plan->step_count,
                              .why_not = why_not(task, entry, forced),
                              .measured = {.seconds = NAN, .bytes = NAN, .setup = NAN}};
        estimate(task, entry, &c->estimate);
        if (!c->why_not && !forced)
            c->why_not = spl__scratch_refusal(&c->estimate);
    }
    if (!forced)
        step_back(list, *count);
    return SPL_OK;
}

/* The choice for a task that is not carried out; without an entry: none. */
static spl__candidate choose(const spl__task *task)
{
    spl__candidate list[SPL__MAX_CANDIDATES];
    int count, best = -1;
    if (collect(task, list, SPL__MAX_CANDIDATES, &count) == SPL_OK)
        best = spl__policy(policy_of(task))(task, list, count, NULL);
    return best < 0 ? (spl__candidate){.estimate = {.seconds = INFINITY}} : list[best];
}

static spl_status fail_without_method(const spl__task *task, const spl__candidate *c, int count)
{
    char buffer[SPL__DETAIL_BYTES];
    spl__text text = spl__text_begin(buffer, sizeof buffer);
    int said = 0;
    for (int i = 0; i < count; i++)
        if (c[i].why_not != another_is_forced) /* there is one that is not */
            spl__text_add(&text, "%s%s: %s", said++ ? "; " : "", c[i].entry->id, c[i].why_not);
    return spl__fail(SPL_UNSUPPORTED, "no method can serve %s %s: %s",
                     task->plan->problem.traits->name, spl__phase_name(task->phase), buffer);
}

/* ---- steps ---- */

/* Why the next candidate is tried after this status; NULL: it is not. Another method may need
 * less memory. What a form can save is only known once it is made. */
static const char *does_not_fit(const spl__task *task, spl_status status)
{
    if (status == SPL_UNSUPPORTED && task->phase == SPL__PHASE_form)
        return "saves less than expected";
    if (status == SPL_OVER_BUDGET)
        return "did not fit the memory budget";
    return status == SPL_OUT_OF_MEMORY ? "did not fit into memory" : NULL;
}

/* The policy's choice, and why. */
static int choose_and_say(const spl__step *step, const spl__candidate *c, int count,
                          spl__text *reason)
{
    if (spl__phase_is_forced(step->task.plan, step->task.phase))
        spl__text_add(reason, "forced; ");
    return spl__policy(policy_of(&step->task))(&step->task, c, count, reason);
}

/* Prepares the policy's choice; if it does not fit, the next choice. Why is said when somebody
 * asks, except by rules: they depend on features, which later steps change. */
static spl_status prepare_best(spl_plan *plan, spl__step *step, spl__candidate *c, int count)
{
    const bool by_rules = policy_of(&step->task) == SPL_POLICY_RULES;
    spl_status status = SPL_OK;
    spl__kept_failure least = {.needed = 0};
    for (;;) {
        spl__text reason = spl__text_begin(step->reason, sizeof step->reason);
        int best = by_rules ? choose_and_say(step, c, count, &reason)
                            : spl__policy(policy_of(&step->task))(&step->task, c, count, NULL);
        if (best < 0)
            return status == SPL_OK ? fail_without_method(&step->task, c, count)
                                    : spl__failure_restore(status, &least);
        step->entry = c[best].entry;
        step->estimate = c[best].estimate;
        status = spl__step_prepare(step);
        if (status == SPL_OK)
            c[best].chosen = true;
        c[best].why_not = does_not_fit(&step->task, status);
        if (!c[best].why_not)
            return status;
        if (!least.needed || spl_error_bytes() < least.needed)
            spl__failure_keep(&least);
        spl__log(plan->problem.context, SPL_LOG_INFO, "%s %s", c[best].entry->id, c[best].why_not);
    }
}

spl_status spl__plan_step(spl_plan *plan, spl__phase phase, const spl__row_set *rows)
{
    return spl__plan_step_unmeasured(plan, phase, rows, NULL);
}

spl_status spl__plan_step_unmeasured(spl_plan *plan, spl__phase phase, const spl__row_set *rows,
                                     const char *reason)
{
    spl__step *step = &plan->steps[plan->step_count];
    spl__candidate *list = plan->candidates + plan->candidate_count;
    int count;
    if (plan->step_count == SPL__MAX_STEPS) {
        spl__free(rows->list);
        return spl__fail(SPL_INTERNAL, "more than %d steps", SPL__MAX_STEPS);
    }
    step->task = task_of(plan, phase, rows);
    if (reason)
        step->task.unmeasured = reason;
    spl_status status =
        collect(&step->task, list, SPL__MAX_CANDIDATES - plan->candidate_count, &count);
    if (status == SPL_OK && policy_of(&step->task) == SPL_POLICY_MEASURE)
        status = spl__measure(step, list, count);
    if (status == SPL_OK)
        status = prepare_best(plan, step, list, count);
    if (status != SPL_OK) {
        spl__free(rows->list);
        return status;
    }
    plan->candidate_count += count;
    plan->step_count++;
    return SPL_OK;
}

/* ---- questions ---- */

/* Several threads may ask. */
const char *spl__step_reason(const spl_plan *plan, int number)
{
    spl__step *step = &((spl_plan *)plan)->steps[number];
    int first = 0, count = 0;
    while (first < plan->candidate_count && plan->candidates[first].step != number)
        first++;
    while (first + count < plan->candidate_count && plan->candidates[first + count].step == number)
        count++;
    spl__lock();
    if (!step->reason[0]) {
        spl__text reason = spl__text_begin(step->reason, sizeof step->reason);
        (void)choose_and_say(step, plan->candidates + first, count, &reason);
    }
    spl__unlock();
    return step->reason;
}

void spl__plan_assume(const spl_plan *plan, spl_plan *assumed)
{
    memcpy(assumed, plan, offsetof(spl_plan, steps));
    assumed->step_count = assumed->candidate_count = 0;
}

const spl__registry_entry *spl__plan_preview(const spl_plan *plan, spl__phase phase,
                                             const spl__row_set *rows)
{
    spl__task task = task_of(plan, phase, rows);
    return choose(&task).entry;
}

spl__estimate spl__plan_predict(const spl_plan *plan, spl__phase phase, const spl__row_set *rows,
                                const spl__registry_entry *entry)
{
    const spl__estimate never = {.seconds = INFINITY};
    spl__task task = task_of(plan, phase, rows);
    spl__estimate predicted = {0};
    bool forced = spl__phase_is_forced(plan, phase);
    if (!entry)
        return choose(&task).estimate;
    if (why_not(&task, entry, forced))
        return never;
    estimate(&task, entry, &predicted);
    return !forced && spl__scratch_refusal(&predicted) ? never : predicted;
}

spl_status spl__plan_enqueue_early(spl_plan *plan, spl__phase phase, const spl__row_set *rows)
{
    spl__task task = task_of(plan, phase, rows);
    task.unmeasured = "a guess: what was measured is found by features that are not known yet";
    if (policy_of(&task) == SPL_POLICY_RULES)
        return SPL_OK;
    const spl__registry_entry *entry = choose(&task).entry;
    task.unmeasured = plan->problem.unmeasured;
    task.parameters = entry ? entry->method->parameters : NULL;
    return entry && entry->method->enqueue_early ? entry->method->enqueue_early(&task) : SPL_OK;
}
