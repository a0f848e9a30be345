/* SPDX-License-Identifier: Apache-2.0 */
/* step.c: prepares and executes the method of a step.
 *
 * One thread executes it, or all do. Where waking others takes about as long as they gain, a
 * prediction cannot tell: it may be wrong by a factor of three. So the first executions of such a
 * step try both, and the faster way remains. Results do not depend on it: methods whose results
 * depend on the number of threads do not ask for one. */
#include "core/threads/team_seconds.h"
#include "plan/forced.h"

#include <math.h>
#include <omp.h>

/* ---- threads ---- */

void spl__estimate_team(double alone, double together, spl__estimate *e)
{
    e->one = alone;
    e->seconds = fmin(alone, together);
}

void spl__estimate_loops(const spl_plan *plan, spl__estimate *e)
{
    const double threads = spl__assumed_threads(&plan->problem),
                 start = spl__loop_seconds(plan->machine, threads),
                 shared = fmax(0, e->seconds - e->post_seconds),
                 rest = e->seconds - shared + e->between;
    if (e->loops == 0)
        return;
    e->together = shared + rest;
    e->one = shared / (e->share > 0 ? e->share : 1 / threads) + rest;
    e->seconds = threads > 1 ? fmin(e->one, e->together + e->loops * start) : e->one + start;
}

static bool is_sparse(const spl__step *step)
{
    return step->task.phase == SPL__PHASE_symbolic || step->task.phase == SPL__PHASE_numeric;
}

/* Seconds of an execution by one thread; 0: not known, all are to be used. Predictions of sparse
 * products share their work among threads. */
static double seconds_alone(const spl__step *step)
{
    const spl__estimate *e = &step->estimate;
    return is_sparse(step) && e->loops == 0 ? e->seconds * step->task.plan->problem.threads
                                            : e->one;
}

static void choose_team(spl__step *step)
{
    const spl_plan *plan = step->task.plan;
    const spl__machine *m = plan->machine;
    const double certain = 2e-3, wrong = 3, /* the factor by which predictions may be */
        alone = seconds_alone(step),
                 gain = alone - (step->estimate.loops > 0 ? step->estimate.together
                                                          : step->estimate.seconds);
    step->team = (spl__team_choice){.tried = 0};
    if (plan->problem.threads == 1 || plan->problem.queue.device || alone == 0)
        return;
    const double waking = gain < certain ? spl__team_seconds(plan->problem.threads) : 0,
                 least = !is_sparse(step) ? m->parallel_gain * m->parallel_start : 0;
    step->team.alone = gain <= fmax(least, 2 * waking);
    step->team.tries = step->team.in_doubt = wrong * alone > fmax(least, waking) &&
                                             gain < 20 * waking &&
                                             spl__executions(plan) > 2 * SPL__TEAM_TRIALS;
}

/* ---- the method ---- */

/* What does not fit is not begun: others may. Estimates of sparse products are of what they would
 * like to have; before C is known, the operation knows better what is to come. */
static spl_status expect(spl__step *step)
{
    enum { STATE = 512, ON_DEVICE = 8192 }; /* lists, shapes, and the notes of kernels */
    spl_plan *plan = step->task.plan;
    if (step->task.phase == SPL__PHASE_symbolic || step->task.phase == SPL__PHASE_form)
        return SPL_OK;
    bool device = plan->problem.queue.device;
    double bytes = step->estimate.bytes + STATE;
    spl__plan_expect(plan, device ? ON_DEVICE : bytes, device ? bytes + ON_DEVICE : 0);
    return step->task.phase == SPL__PHASE_compute && !spl__phase_is_forced(plan, step->task.phase)
               ? spl__account_check(device ? &plan->problem.queue.account : &plan->account,
                                    step->estimate.bytes)
               : SPL_OK;
}

void spl__step_free(spl__step *step)
{
    if (step->entry->method->destroy)
        step->entry->method->destroy(step);
    else
        spl__free(step->state);
    step->state = NULL;
}

spl_status spl__step_prepare(spl__step *step)
{
    spl_status status = expect(step);
    step->task.parameters = step->entry->method->parameters;
    choose_team(step);
    if (status == SPL_OK && step->entry->method->prepare)
        status = step->entry->method->prepare(step);
    if (status == SPL_OK && step->task.phase == SPL__PHASE_symbolic)
        status = step->entry->method->execute(step, NULL);
    if (status == SPL_OK && step->entry->method->update)
        step->entry->method->update(step);
    if (status == SPL_OK) /* candidates that are skipped are never executed */
        status = spl__watch_check(spl__account_watch(&step->task.plan->account));
    if (status != SPL_OK)
        spl__step_free(step);
    return status;
}

static double median(const double seconds[SPL__TEAM_TRIALS])
{
    for (int k = 0; k < SPL__TEAM_TRIALS; k++) {
        int less = 0, same = 0;
        for (int l = 0; l < SPL__TEAM_TRIALS; l++) {
            less += seconds[l] < seconds[k];
            same += seconds[l] == seconds[k];
        }
        if (less <= SPL__TEAM_TRIALS / 2 && SPL__TEAM_TRIALS / 2 < less + same)
            return seconds[k];
    }
    return INFINITY;
}

spl_status spl__step_execute(spl__step *step, const spl__call *call)
{
    spl__team_choice *team = &step->team;
    if (!team->in_doubt)
        return step->entry->method->execute(step, call);
    const double begin = omp_get_wtime();
    SPL__TRY(step->entry->method->execute(step, call));
    team->seconds[team->alone][team->tried++ % SPL__TEAM_TRIALS] = omp_get_wtime() - begin;
    if (team->tried == SPL__TEAM_TRIALS)
        team->alone = !team->alone;
    if (team->tried == 2 * SPL__TEAM_TRIALS) {
        const double worth = 1.1; /* a tenth is not worth a processor, and may be chance */
        team->alone = median(team->seconds[1]) <= worth * median(team->seconds[0]);
        team->in_doubt = false;
    }
    return SPL_OK;
}
