/* SPDX-License-Identifier: Apache-2.0 */
/* policy_rules.c: the published rules of the sources, as the table rules.def. */
#include "plan/policy.h"

#include <string.h>

typedef struct rule {
    spl__kind kind;
    spl__phase phase;
    bool (*holds)(const spl__features *f);
    const char *condition, *leaf, *wanted, *stand_in, *source;
} rule;

/* One predicate per rule, named after its line. */
#define RULE_JOIN_(line) holds_##line
#define RULE_NAME(line)  RULE_JOIN_(line)
#define RULE(kind, phase, condition, leaf, wanted, stand_in, source)                                                   \
    static bool RULE_NAME(__LINE__)(const spl__features *f)                                                            \
    {                                                                                                                  \
        return (void)f, (condition);                                                                                   \
    }
#include "plan/rules.def"
#undef RULE

static const rule rules[] = {
#define RULE(kind, phase, condition, leaf, wanted, stand_in, source)                                                   \
    {SPL__KIND_##kind, SPL__PHASE_##phase, RULE_NAME(__LINE__), #condition, leaf, wanted, stand_in, source},
#include "plan/rules.def"
#undef RULE
};

static const rule *first_match(const spl__task *task)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].kind == task->plan->problem.kind && rules[i].phase == task->phase &&
            rules[i].holds(&task->plan->features))
            return &rules[i];
    return NULL;
}

static int find(const spl__candidate *c, int count, const char *id)
{
    for (int i = 0; i < count; i++)
        if (!c[i].why_not && strcmp(c[i].entry->id, id) == 0)
            return i;
    return -1;
}

/* The condition as people read it: features without the pointer they are reached by. */
static void add_condition(spl__text *text, const char *condition)
{
    static const char pointer[] = "f->";
    for (const char *at = condition; *at; at++) {
        if (strncmp(at, pointer, sizeof pointer - 1) == 0)
            at += sizeof pointer - 1;
        spl__text_add(text, "%c", *at);
    }
}

int spl__policy_rules_choose(const spl__task *task, const spl__candidate *c, int count, spl__text *reason)
{
    const rule *r = first_match(task);
    int chosen = r ? find(c, count, r->wanted) : -1;
    if (!r)
        return spl__policy_cost_choose(task, c, count, reason);
    spl__text_add(reason, "rule of %s: %s", r->source, r->leaf);
    if (strcmp(r->condition, "1") != 0) {
        spl__text_add(reason, " because ");
        add_condition(reason, r->condition);
    }
    if (chosen >= 0)
        return chosen;
    spl__text_add(reason, " (%s cannot serve here)", r->wanted);
    chosen = find(c, count, r->stand_in);
    if (chosen >= 0)
        return chosen;
    spl__text_add(reason, "; ");
    return spl__policy_cost_choose(task, c, count, reason);
}

spl__policy_fn spl__policy(spl_policy policy)
{
    return policy == SPL_POLICY_RULES ? spl__policy_rules_choose : spl__policy_cost_choose;
}
