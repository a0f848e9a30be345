/* SPDX-License-Identifier: Apache-2.0 */
/* explain.c: describes a plan as text. */
#include "plan/plan.h"

#include "problem/semiring_name.h"

#include <math.h>

static const char *policy_name(spl_policy policy)
{
    static const char *const names[] = {
        [SPL_POLICY_COST] = "cost", [SPL_POLICY_RULES] = "rules", [SPL_POLICY_MEASURE] = "measure"};
    return names[policy];
}

/* Why not all was measured: the reason of the last step that has one. */
static const char *unmeasured(const spl_plan *plan)
{
    const char *reason = plan->problem.unmeasured;
    for (int i = 0; i < plan->step_count; i++)
        if (plan->steps[i].task.unmeasured)
            reason = plan->steps[i].task.unmeasured;
    return reason;
}

/* Semiring and mask, in one line. */
static void explain_algebra(const spl__problem *p, spl__text *text)
{
    const spl__mask *mask = &p->mask;
    if (!p->options.semiring && !mask->given)
        return;
    spl__text_add(text, "  semiring %s", spl__semiring_name(p->options.semiring));
    if (mask->given)
        spl__text_add(text, "; %s",
                      mask->full         ? "all positions of a mask"
                      : mask->complement ? "positions that a mask has not"
                                         : "positions that a mask has");
    spl__text_add(text, "\n");
}

static void explain_problem(const spl_plan *plan, spl__text *text)
{
    const spl__problem *p = &plan->problem;
    const spl_sparse *a = &p->a.csr;
    spl__text_add(text, "%s: %s, %s, offsets %s and columns %s bits, %d threads, policy %s\n",
                  p->traits->name, p->traits->formula, spl__type_name(a->type),
                  spl__index_name(a->offset_type), spl__index_name(a->index_type), p->threads,
                  policy_name(p->options.policy));
    explain_algebra(p, text);
    if (p->options.policy == SPL_POLICY_MEASURE && unmeasured(plan))
        spl__text_add(text, "  not all is measured: %s\n", unmeasured(plan));
    const spl__operand *const operands[] = {&p->a, &p->b, &p->d};
    for (int i = 0; i < 3; i++)
        if (operands[i]->made_by)
            spl__text_add(text, "  %s was %s\n", operands[i]->name, operands[i]->made_by);
}

static void explain_features(const spl__features *features, spl__text *text)
{
    spl__text_add(text, "features\n");
    for (int i = 0; i < SPL__FEATURES; i++) {
        spl_feature f;
        spl__feature_get(features, i, &f);
        if (isnan(f.value))
            continue;
        if (f.value == floor(f.value) && fabs(f.value) < 9e15)
            spl__text_add(text, "  %-17s %16s  %s\n", f.name, spl__thousands((int64_t)f.value),
                          f.meaning);
        else
            spl__text_add(text, "  %-17s %16.6g  %s\n", f.name, f.value, f.meaning);
    }
}

static void explain_candidate(const spl__candidate *c, spl__text *text)
{
    spl__text_add(text, "    %c %-32s ", c->chosen ? '*' : ' ', c->entry->id);
    if (c->why_not) {
        spl__text_add(text, "no: %s\n", c->why_not);
        return;
    }
    spl__text_seconds(text, c->estimate.seconds);
    spl__text_add(text, ", ");
    spl__text_bytes(text, c->estimate.bytes);
    if (!isnan(c->measured.seconds)) {
        spl__text_add(text, "; measured ");
        spl__text_seconds(text, c->measured.seconds);
    }
    spl__text_add(text, "\n");
}

/* Where not all threads execute a step, or not for sure. Says the same while executions try. */
static void explain_threads(const spl__step *step, spl__text *text)
{
    const int all = step->task.plan->problem.threads;
    if (step->team.tries)
        spl__text_add(text,
                      "  threads 1 or %d, the first %d executions try which: waking takes about "
                      "what it gains\n",
                      all, 2 * SPL__TEAM_TRIALS);
    else if (spl__step_threads(step) < all)
        spl__text_add(
            text, "  threads 1 of %d: waking the others would take longer than it gains\n", all);
}

static void explain_step(const spl_plan *plan, int number, spl__text *text)
{
    const spl__step *step = &plan->steps[number];
    spl__text_add(text, "step %d: %s of rows: %s (%s)\n", number + 1,
                  spl__phase_name(step->task.phase), step->task.rows.words,
                  spl__thousands(step->task.rows.count));
    spl__text_add(text, "  chosen %s\n  reason %s\n", step->entry->id,
                  spl__step_reason(plan, number));
    explain_threads(step, text);
    if (step->entry->method->explain)
        step->entry->method->explain(step, text);
    spl__text_add(text, "  candidates, predicted time and bytes\n");
    for (int i = 0; i < plan->candidate_count; i++)
        if (plan->candidates[i].step == number)
            explain_candidate(&plan->candidates[i], text);
}

void spl__plan_explain(const spl_plan *plan, spl__text *text)
{
    explain_problem(plan, text);
    explain_features(&plan->features, text);
    for (int i = 0; i < plan->step_count; i++)
        explain_step(plan, i, text);
}
