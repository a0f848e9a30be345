/* SPDX-License-Identifier: Apache-2.0 */
#include "tune.h"

#include <math.h>
#include <string.h>

/* Small: tuning takes seconds. */
const char *const tune_matrices[] = {"stencil5:300,200",
                                     "stencil27:15,16,18",
                                     "box2d:40,50,3",
                                     "box3d:8,9,10,4",
                                     "rmat:6000,40000,.57,.19",
                                     "rmat:30000,90000,.45,.22",
                                     "powerlaw:20000,120000,1.9,800,near=0.4,long=0.2",
                                     "random:15000,15000,8",
                                     "random:150000,150000,3",
                                     "banded:20000,6,6",
                                     "hypersparse:100000,20000",
                                     "random:1500,1500,25",
                                     NULL};

/* The library's own text, which stays valid; NULL: there is no such method. */
static const char *id_of(const char *methods)
{
    for (int32_t i = 0; i < spl_method_count(); i++) {
        spl_method_info info = SPL_METHOD_INFO_INIT;
        if (spl_method(i, &info) == SPL_OK && !strcmp(info.id, methods))
            return info.id;
    }
    return NULL;
}

static tune_method *find(tune_fit *fit, const char *id)
{
    for (int i = 0; i < fit->count; i++)
        if (fit->methods[i].id == id)
            return &fit->methods[i];
    if (fit->count == TUNE_METHODS)
        return NULL;
    fit->methods[fit->count] = (tune_method){.id = id};
    return &fit->methods[fit->count++];
}

/* A case of the method with that id, where the best one took `best` seconds. */
static void take(tune_fit *fit, const char *id, double predicted, double seconds, double best)
{
    tune_method *method =
        id && seconds > 0 && seconds < INFINITY && predicted > 0 ? find(fit, id) : NULL;
    if (!method)
        return;
    double share = best / seconds, weight = share < 1 ? share * share : 1;
    method->cases++;
    method->weights += weight;
    method->sum += weight * log(seconds / predicted);
}

static int is_symbolic(const regret_trial *trial)
{
    return strstr(trial->method, "/symbolic/") != NULL;
}

static void take_symbolic(tune_fit *fit, const regret_case *item)
{
    double best = INFINITY;
    for (int i = 0; i < item->trial_count; i++)
        if (is_symbolic(&item->trials[i]))
            best = fmin(best, item->trials[i].measured);
    for (int i = 0; i < item->trial_count; i++)
        if (is_symbolic(&item->trials[i]))
            take(fit, item->trials[i].method, item->trials[i].predicted, item->trials[i].measured,
                 best);
}

void tune_add(tune_fit *fit, const regret_case *item)
{
    int best = regret_best(item);
    for (int i = 0; i < item->count && best >= 0; i++) {
        const regret_contender *c = &item->contenders[i];
        if (c->policy < 0)
            take(fit, id_of(c->methods), c->predicted, c->run, item->contenders[best].run);
    }
    take_symbolic(fit, item);
}

double tune_factor(const tune_method *method)
{
    return method->cases >= TUNE_LEAST_CASES ? exp(method->sum / method->weights) : NAN;
}
