/* SPDX-License-Identifier: Apache-2.0 */
/* policy_measure.c: takes the methods with the least predicted cost, executes each on the problem
 * itself with scratch operands, and keeps the fastest. The fastest method of a problem is stored
 * (wisdom.h) and not measured again. Methods close to the fastest are tried again in turns, and the
 * least time of each counts, because other load seldom disturbs all turns. The predicted best is
 * kept unless another method gains more than the noise.
 *
 * Cost: CONTENDERS preparations at most in the first of ROUNDS rounds, and for each some
 * executions (trial.c): five or 5 milliseconds of them, two if these take 0.05 seconds. Long
 * executions, which little disturbs, have one round. Memory: scratch operands, and the state of
 * one method at a time. Methods that do not fit the budget together with the scratch operands
 * are not tried. Source: M. Frigo, S. G. Johnson, The Design and Implementation of FFTW3, Proc.
 * IEEE 2005 (planning by measuring, wisdom). Differs: a model preselects the methods to measure,
 * and wisdom covers similar problems, not only the same one. */
#include "plan/policy/policy.h"
#include "plan/policy/trial.h"
#include "plan/policy/wisdom.h"

#include <math.h>

enum { CONTENDERS = 6, ROUNDS = 6 };
/* Methods with more than this multiple of the least predicted cost are not tried. */
static const double farthest = 6;
/* Methods with more than this multiple of the least time are not tried again; stricter after
 * more rounds. */
static const double close = 1.3, closer = 1.1;
enum { CLOSER_ROUND = 3 };
/* Longer executions (in seconds) have one round only. */
static const double long_run = 0.02;
/* Smaller ratios of times are noise. */
static const double noise = 1.05;

/* ---- wisdom ---- */

static bool recall(const spl__step *step, spl__candidate *c, int count)
{
    spl_context *context = step->task.plan->problem.context;
    spl__wisdom_entry known;
    spl__wisdom_about(&step->task, &known);
    if (!spl__wisdom_recall(context, &known))
        return false;
    for (int i = 0; i < count; i++)
        if (c[i].entry == known.method && !c[i].why_not)
            return c[i].remembered = true;
    return false; /* not applicable here, possibly for lack of memory */
}

/* A plan does not fail because its choice cannot be stored. */
static void remember(const spl__step *step, const spl__candidate *best, spl__wisdom_entry *entry)
{
    spl_context *context = step->task.plan->problem.context;
    entry->method = best->entry;
    entry->seconds = fmax(best->measured.seconds, 1e-9); /* the clock may be coarse */
    entry->measured_here = true;
    if (spl__wisdom_remember(context, entry, 1) != SPL_OK)
        spl__log(context, SPL_LOG_INFO, "a measured choice is not remembered: %s",
                 spl_error_detail());
}

/* ---- trials ---- */

static int fastest(const spl__task *task, const spl__candidate *c, int count)
{
    int best = -1;
    for (int i = 0; i < count; i++)
        if (!c[i].why_not && !isnan(c[i].measured.seconds) &&
            (best < 0 || spl__cost(task, &c[i].measured) < spl__cost(task, &c[best].measured)))
            best = i;
    return best;
}

/* The fastest method, or the predicted best if it is hardly slower. On devices the latter saves
 * a wait if it has enqueued work early (spl__plan_enqueue_early). */
static int preferred(const spl__task *task, const spl__candidate *c, int count)
{
    int best = fastest(task, c, count), predicted = spl__cheapest(task, c, count, NULL);
    bool enqueued = task->plan->problem.queue.device && predicted >= 0 &&
                    c[predicted].entry->method->enqueue_early;
    double limit = best < 0 ? 0
                            : noise * spl__cost(task, &c[best].measured) +
                                  (enqueued ? task->plan->gpu_machine->link_latency : 0);
    bool hardly = best >= 0 && spl__cost(task, &c[predicted].measured) <= limit;
    return hardly ? predicted : best; /* false for NaN, which means not tried */
}

/* Skips a method that does not fit together with the scratch operands; it may fit without them. */
static spl_status try_one(spl__trial *trial, spl__step *step, spl__candidate *c, double best)
{
    spl__timing timing;
    step->entry = c->entry;
    step->estimate = c->estimate;
    spl_status status = spl__trial_run(trial, step, best, &timing);
    if (status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY)
        return SPL_OK;
    SPL__TRY(status);
    c->measured =
        (spl__estimate){/* fmin ignores NaN */
                        .seconds = fmin(timing.run + c->estimate.post_seconds, c->measured.seconds),
                        .bytes = c->estimate.bytes,
                        .setup = fmin(timing.prepare, c->measured.setup),
                        .update = c->estimate.update};
    return SPL_OK;
}

static spl_status progress(const spl__step *step, int round, int number)
{
    return spl__progress(step->task.plan->problem.context, "measuring", round * CONTENDERS + number,
                         ROUNDS * CONTENDERS);
}

static spl_status try_contenders(spl__trial *trial, spl__step *step, spl__candidate *c, int count)
{
    const spl__task *task = &step->task;
    bool tried[SPL__MAX_CANDIDATES] = {false};
    double best = INFINITY,
           least = spl__cost(task, &c[spl__cheapest(task, c, count, NULL)].estimate);
    for (int n = 0; n < CONTENDERS; n++) {
        int next = spl__cheapest(task, c, count, tried);
        if (next < 0 || spl__cost(task, &c[next].estimate) > farthest * least)
            break;
        SPL__TRY(progress(step, 0, n));
        tried[next] = true;
        SPL__TRY(try_one(trial, step, &c[next], best));
        best = fmin(best, c[next].measured.seconds);
    }
    return SPL_OK;
}

static double width_of(int round)
{
    return round < CLOSER_ROUND ? close : closer;
}

/* Whether candidate i takes part in a round: if it is close to the fastest, or the predicted
 * best, which one bad turn does not rule out. */
static bool is_near(const spl__task *task, const spl__candidate *c, int count, int i, int round)
{
    int best = fastest(task, c, count);
    if (best < 0 || c[i].why_not || isnan(c[i].measured.seconds))
        return false;
    double limit = width_of(round) * spl__cost(task, &c[best].measured);
    return i == spl__cheapest(task, c, count, NULL) || spl__cost(task, &c[i].measured) <= limit;
}

static spl_status try_again(spl__trial *trial, spl__step *step, spl__candidate *c, int count,
                            int round)
{
    bool near[SPL__MAX_CANDIDATES];
    for (int i = 0; i < count; i++)
        near[i] = is_near(&step->task, c, count, i, round);
    for (int i = 0, n = 0; i < count; i++) {
        if (!near[i])
            continue;
        SPL__TRY(progress(step, round, n++));
        SPL__TRY(try_one(trial, step, &c[i], INFINITY));
    }
    return SPL_OK;
}

static bool is_contested(const spl__task *task, const spl__candidate *c, int count, int round)
{
    int best = fastest(task, c, count), near = 0;
    if (best < 0 || c[best].measured.seconds > long_run)
        return false;
    for (int i = 0; i < count; i++)
        near += is_near(task, c, count, i, round);
    return near > 1;
}

static spl_status try_rounds(spl__trial *trial, spl__step *step, spl__candidate *c, int count)
{
    SPL__TRY(try_contenders(trial, step, c, count));
    for (int round = 1; round < ROUNDS && !spl__trial_is_hasty(trial) &&
                        is_contested(&step->task, c, count, round);
         round++)
        SPL__TRY(try_again(trial, step, c, count, round));
    return SPL_OK;
}

static spl_status measure(spl__step *step, spl__candidate *c, int count)
{
    spl__trial trial;
    spl__wisdom_entry entry;
    spl__wisdom_about(&step->task, &entry); /* before the symbolic phase changes features */
    spl_status status = spl__trial_begin(&trial, step->task.plan, step->task.phase);
    if (status == SPL_OK)
        status = try_rounds(&trial, step, c, count);
    spl__trial_end(&trial);
    int best = preferred(&step->task, c, count);
    if (status == SPL_OK && best >= 0)
        remember(step, &c[best], &entry);
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
}

spl_status spl__measure(spl__step *step, spl__candidate *c, int count)
{
    int usable = 0;
    for (int i = 0; i < count; i++)
        usable += !c[i].why_not;
    return usable < 2 || recall(step, c, count) ? SPL_OK : measure(step, c, count);
}

/* ---- the choice ---- */

static void explain_times(const spl__task *task, const spl__candidate *c, int count, int best,
                          spl__text *reason)
{
    int tried = 0, second = -1;
    for (int i = 0; i < count; i++) {
        if (c[i].why_not || isnan(c[i].measured.seconds))
            continue;
        tried++;
        if (i != best &&
            (second < 0 || spl__cost(task, &c[i].measured) < spl__cost(task, &c[second].measured)))
            second = i;
    }
    spl__text_add(reason,
                  best == fastest(task, c, count)
                      ? "least measured time of %d methods: "
                      : "predicted to be the best of %d methods, none of which gained much: ",
                  tried);
    spl__text_seconds(reason, c[best].measured.seconds);
    if (second < 0)
        return;
    spl__text_add(reason, "; next %s with ", c[second].entry->id);
    spl__text_seconds(reason, c[second].measured.seconds);
}

int spl__policy_measure_choose(const spl__task *task, const spl__candidate *c, int count,
                               spl__text *reason)
{
    for (int i = 0; i < count; i++)
        if (c[i].remembered && !c[i].why_not) {
            if (reason)
                spl__text_add(reason, "remembered as the fastest for problems like this");
            return i;
        }
    int best = preferred(task, c, count);
    if (best >= 0) {
        if (reason)
            explain_times(task, c, count, best, reason);
        return best;
    }
    if (reason)
        spl__text_add(reason, "not measured; ");
    return spl__policy_cost_choose(task, c, count, reason);
}
