/* SPDX-License-Identifier: Apache-2.0 */
/* A whole case: once, and where the bits must not depend on threads, once more with others, also of
 * the emulated devices. */
#include "random_run.h"

#include <stdio.h>
#include <stdlib.h>

static random_verdict run_once(const random_case *c, uint64_t *digest)
{
    random_run r;
    char schedule[16];
    snprintf(schedule, sizeof schedule, "%d", c->schedules[0]);
    setenv("SPARLOOM_EMU_SEED", schedule, 1);
    if (!run_start(&r, c))
        return r.verdict;
    if (c->operation == RANDOM_SPGEMM)
        run_sparse_case(&r);
    else
        run_dense_case(&r);
    run_stop(&r);
    *digest = r.digest;
    return r.verdict;
}

random_verdict random_case_run(const random_case *c)
{
    uint64_t digest = 0, again_digest = 0;
    random_verdict verdict = run_once(c, &digest);
    if (!c->again || verdict.outcome != OUTCOME_RIGHT ||
        c->fails_at >= 0) /* where memory is refused another method may serve */
        return verdict;
    random_case again = *c;
    again.threads = again.options.threads = c->again;
    again.schedules[0] = c->schedules[1];
    again.hooked = false;
    again.fails_at = -1;
    random_run r = {.verdict = run_once(&again, &again_digest)};
    if (r.verdict.outcome == OUTCOME_RIGHT && digest != again_digest)
        run_fault(&r, "%d threads gave other bits than %d", c->again, c->threads);
    return r.verdict.outcome == OUTCOME_WRONG ? r.verdict : verdict;
}
