/* SPDX-License-Identifier: Apache-2.0 */
#include "regret_contenders.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is predicted to take that many times the least is not tried. */
static const double hopeless = 20;
/* Pairs whose times are expected to be within that of the best are tried. */
static const double close = 1.15;

/* ---- predictions ---- */

static regret_prediction *find(regret_predictions *p, const char *method)
{
    for (int i = 0; i < p->count; i++)
        if (!strcmp(p->list[i].method, method))
            return &p->list[i];
    if (p->count == REGRET_PREDICTIONS)
        return NULL;
    p->list[p->count] = (regret_prediction){.method = method, .can = 1};
    return &p->list[p->count++];
}

void regret_predict(regret_predictions *p, const spl_plan *plan, const char *prefix)
{
    for (int32_t i = 0; i < spl_plan_candidate_count(plan); i++) {
        spl_candidate candidate = SPL_CANDIDATE_INIT;
        if (spl_plan_candidate(plan, i, &candidate) != SPL_OK ||
            strncmp(candidate.method, prefix, strlen(prefix)) != 0)
            continue;
        regret_prediction *prediction = find(p, candidate.method);
        if (!prediction)
            continue;
        prediction->seconds += candidate.seconds;
        prediction->can = prediction->can && candidate.applicable;
    }
}

void regret_predict_others(regret_predictions *p, const regret_predictions *source)
{
    for (int i = 0; i < source->count; i++) {
        regret_prediction *own = find(p, source->list[i].method);
        if (own && source->list[i].can && !own->can)
            *own = source->list[i];
    }
}

static int is_of(const char *method, const char *prefix)
{
    return !strncmp(method, prefix, strlen(prefix)) && !strstr(method, "/reference");
}

const char *regret_misfit(const regret_predictions *p, const char *prefix)
{
    for (int i = 0; i < p->count; i++)
        if (!p->list[i].can && is_of(p->list[i].method, prefix))
            return p->list[i].method;
    return NULL;
}

/* On the CPU a bound defers work, so that neither phase can be predicted from plans with another
 * method. */
static int is_bound(const char *method)
{
    return strstr(method, "/cpu/upper_bound") != NULL;
}

/* The least predicted method whose id begins with `prefix`; NULL: there is none. */
static const regret_prediction *centre(const regret_predictions *p, const char *prefix)
{
    const regret_prediction *best = NULL;
    for (int i = 0; i < p->count; i++)
        if (p->list[i].can && is_of(p->list[i].method, prefix) && !is_bound(p->list[i].method) &&
            (!best || p->list[i].seconds < best->seconds))
            best = &p->list[i];
    return best;
}

const char *regret_centre(const regret_predictions *p, const char *prefix)
{
    const regret_prediction *best = centre(p, prefix);
    return best ? best->method : NULL;
}

/* ---- methods that are named ---- */

static const char *word_after(const char *word)
{
    word += strcspn(word, ",");
    return *word ? word + 1 : word;
}

/* Whether a word of the list begins with these characters. */
static int some_begins(const char *list, const char *begin, size_t length)
{
    for (; *list; list = word_after(list))
        if (!strncmp(list, begin, length))
            return 1;
    return 0;
}

static int is_named(const char *list, const char *method)
{
    const size_t length = strlen(method);
    for (; *list; list = word_after(list))
        if (strcspn(list, ",") == length && !strncmp(list, method, length))
            return 1;
    return 0;
}

void regret_keep(regret_predictions *p, const char *methods)
{
    int count = 0;
    for (int i = 0; i < p->count; i++) {
        const char *method = p->list[i].method;
        const size_t phase = (size_t)(strrchr(method, '/') + 1 - method);
        if (!some_begins(methods, method, phase) || is_named(methods, method))
            p->list[count++] = p->list[i];
    }
    p->count = count;
}

int regret_names(const char *methods, bench_operation operation, const char *processor)
{
    static const char *const phases[] = {"compute", "symbolic", "numeric"};
    const char *name = bench_operation_names[operation == BENCH_NUMERIC ? BENCH_SPGEMM : operation];
    char prefix[64];
    int named = 0;
    for (int i = 0; i < 3; i++) {
        snprintf(prefix, sizeof prefix, "%s/%s/%s/", name, phases[i], processor);
        named |= some_begins(methods, prefix, strlen(prefix));
    }
    return named;
}

/* ---- contenders ---- */

static void add(regret_case *c, int policy, const char *methods, double predicted)
{
    for (int i = 0; i < c->count; i++)
        if (policy < 0 && c->contenders[i].policy < 0 && !strcmp(c->contenders[i].methods, methods))
            return;
    if (c->count == REGRET_CONTENDERS)
        return;
    regret_contender *contender = &c->contenders[c->count++];
    *contender = (regret_contender){
        .policy = policy, .predicted = predicted, .plan = INFINITY, .run = INFINITY};
    snprintf(contender->methods, sizeof contender->methods, "%s", methods);
}

/* A method of either phase. */
static void add_pair(regret_case *c, const regret_prediction *symbolic,
                     const regret_prediction *numeric)
{
    char both[REGRET_METHODS];
    int bound = is_bound(symbolic->method);
    double first = c->operation == BENCH_NUMERIC ? 0 : symbolic->seconds;
    if (!bound && !(symbolic->can && numeric->can))
        return;
    snprintf(both, sizeof both, "%s,%s", symbolic->method, numeric->method);
    add(c, -1, both, bound ? NAN : first + numeric->seconds);
}

static const char *prefix_of(const char *phase, const char *processor, char prefix[64])
{
    snprintf(prefix, 64, "spgemm/%s/%s/", phase, processor);
    return prefix;
}

/* Pairs the centre's numeric method with every symbolic one, and every numeric method with the
 * centre's symbolic one and with a bound. */
static void add_star(regret_case *c, const regret_predictions *p, const char *processor)
{
    char symbolic[64], numeric[64];
    const regret_prediction *s = centre(p, prefix_of("symbolic", processor, symbolic));
    const regret_prediction *n = centre(p, prefix_of("numeric", processor, numeric));
    for (int i = 0; s && n && i < p->count; i++)
        if (is_of(p->list[i].method, numeric))
            add_pair(c, s, &p->list[i]);
    for (int i = 0; c->operation == BENCH_SPGEMM && i < p->count; i++) {
        const regret_prediction *own = &p->list[i];
        if (!is_of(own->method, symbolic))
            continue;
        if (n && !is_bound(own->method))
            add_pair(c, own, n);
        for (int k = 0; is_bound(own->method) && k < p->count; k++)
            if (is_of(p->list[k].method, numeric))
                add_pair(c, own, &p->list[k]);
    }
}

static void give_up_hopeless(regret_case *c)
{
    double least = INFINITY;
    for (int i = 0; i < c->count; i++)
        if (c->contenders[i].policy < 0)
            least = fmin(least, c->contenders[i].predicted); /* fmin of NaN is the other one */
    for (int i = 0; i < c->count; i++)
        c->contenders[i].hopeless =
            c->contenders[i].policy < 0 && c->contenders[i].predicted > hopeless * least;
}

void regret_add_contenders(regret_case *c, const regret_predictions *p, const char *processor)
{
    char prefix[64];
    c->count = 0;
    for (int policy = 0; policy < REGRET_POLICIES; policy++)
        add(c, policy, "", NAN);
    if (c->operation == BENCH_SPGEMM || c->operation == BENCH_NUMERIC)
        add_star(c, p, processor);
    snprintf(prefix, sizeof prefix, "%s/compute/%s/", bench_operation_names[c->operation],
             processor);
    for (int i = 0; i < p->count; i++)
        if (is_of(p->list[i].method, prefix))
            add(c, -1, p->list[i].method, p->list[i].seconds);
    give_up_hopeless(c);
}

/* ---- crossing ---- */

static double seconds_of(const regret_case *c, const regret_prediction *symbolic,
                         const regret_prediction *numeric)
{
    char both[REGRET_METHODS];
    snprintf(both, sizeof both, "%s,%s", symbolic->method, numeric->method);
    for (int i = 0; i < c->count; i++)
        if (c->contenders[i].policy < 0 && !strcmp(c->contenders[i].methods, both))
            return regret_seconds(c, &c->contenders[i]);
    return INFINITY;
}

void regret_add_crossed(regret_case *c, const regret_predictions *p)
{
    const regret_prediction *s = centre(p, "spgemm/symbolic/"), *n = centre(p, "spgemm/numeric/");
    int best = regret_best(c);
    double limit = best < 0 ? 0 : close * regret_seconds(c, &c->contenders[best]);
    for (int i = 0; s && n && i < p->count; i++)
        for (int k = 0; k < p->count; k++)
            if (is_of(p->list[i].method, "spgemm/symbolic/") && !is_bound(p->list[i].method) &&
                is_of(p->list[k].method, "spgemm/numeric/") &&
                seconds_of(c, &p->list[i], n) + seconds_of(c, s, &p->list[k]) -
                        seconds_of(c, s, n) <=
                    limit)
                add_pair(c, &p->list[i], &p->list[k]);
}
