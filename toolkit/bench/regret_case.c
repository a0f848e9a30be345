/* SPDX-License-Identifier: Apache-2.0 */
#include "regret_case.h"

#include <math.h>

enum { EXECUTIONS = 100 };

double regret_seconds(const regret_case *result, const regret_contender *c)
{
    return result->operation == BENCH_SPGEMM || result->once ? c->run
                                                             : c->run + c->plan / EXECUTIONS;
}

int regret_best(const regret_case *result)
{
    int best = -1;
    for (int i = 0; i < result->count; i++) {
        double seconds = regret_seconds(result, &result->contenders[i]);
        if (seconds < INFINITY &&
            (best < 0 || seconds < regret_seconds(result, &result->contenders[best])))
            best = i;
    }
    return best;
}

double regret_of(const regret_case *result, int policy)
{
    int best = regret_best(result);
    for (int i = 0; i < result->count && best >= 0; i++)
        if (result->contenders[i].policy == policy) {
            double seconds = regret_seconds(result, &result->contenders[i]);
            return seconds < INFINITY ? seconds / regret_seconds(result, &result->contenders[best])
                                      : NAN;
        }
    return NAN;
}
