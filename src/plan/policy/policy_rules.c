/* SPDX-License-Identifier: Apache-2.0 */
/* policy_rules.c: the published rules of the sources, from the table rules.def. */
#include "plan/policy/policy.h"

#include <string.h>

typedef struct rule {
    spl__kind kind;
    spl__phase phase;
    bool (*holds)(const spl__features *f);
    const char *condition, *leaf, *methods, *source;
} rule;

/* One predicate per rule, named after its line. */
#define RULE_JOIN_(line) holds_##line
#define RULE_NAME(line)  RULE_JOIN_(line)
#define RULE(kind, phase, condition, leaf, methods, source)                                        \
    static bool RULE_NAME(__LINE__)(const spl__features *f)                                        \
    {                                                                                              \
        return (void)f, (condition);                                                               \
    }
#include "plan/policy/rules.def"
#undef RULE

static const rule rules[] = {
#define RULE(kind, phase, condition, leaf, methods, source)                                        \
    {SPL__KIND_##kind, SPL__PHASE_##phase, RULE_NAME(__LINE__), #condition, leaf, methods, source},
#include "plan/policy/rules.def"
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

/* The index of the candidate of that name; -1: the processor has no such method. */
static int find(const spl__candidate *c, int count, const char *name, size_t length)
{
    for (int i = 0; i < count; i++) {
        const char *id = strrchr(c[i].entry->id, '/') + 1;
        if (strlen(id) == length && strncmp(id, name, length) == 0)
            return i;
    }
    return -1;
}

/* The first applicable method of the rule; the reason says which one the rule prefers if that is
 * another. */
static int find_listed(const rule *r, const spl__candidate *c, int count, spl__text *reason)
{
    bool said = false;
    for (const char *cursor = r->methods; *cursor; cursor += strspn(cursor, " ")) {
        size_t length = strcspn(cursor, " ");
        int found = find(c, count, cursor, length);
        cursor += length;
        if (found >= 0 && !c[found].why_not)
            return found;
        if (found >= 0 && !said && reason)
            spl__text_add(reason, " (%s cannot serve here)", c[found].entry->id);
        said = said || found >= 0;
    }
    return -1;
}

/* Adds the condition in readable form: features without the pointer. */
static void add_condition(spl__text *text, const char *condition)
{
    static const char pointer[] = "f->";
    for (const char *cursor = condition; *cursor; cursor++) {
        if (strncmp(cursor, pointer, sizeof pointer - 1) == 0)
            cursor += sizeof pointer - 1;
        spl__text_add(text, "%c", *cursor);
    }
}

static void add_rule(const rule *r, spl__text *text)
{
    spl__text_add(text, "rule of %s: %s", r->source, r->leaf);
    if (strcmp(r->condition, "1") != 0) {
        spl__text_add(text, " because ");
        add_condition(text, r->condition);
    }
}

static int choose_by_rules(const spl__task *task, const spl__candidate *c, int count,
                           spl__text *reason)
{
    const rule *r = first_match(task);
    if (!r)
        return spl__policy_cost_choose(task, c, count, reason);
    if (reason)
        add_rule(r, reason);
    int chosen = find_listed(r, c, count, reason);
    if (chosen >= 0)
        return chosen;
    if (reason)
        spl__text_add(reason, "; ");
    return spl__policy_cost_choose(task, c, count, reason);
}

spl__policy_fn spl__policy(spl_policy policy)
{
    static const spl__policy_fn policies[] = {[SPL_POLICY_COST] = spl__policy_cost_choose,
                                              [SPL_POLICY_RULES] = choose_by_rules,
                                              [SPL_POLICY_MEASURE] = spl__policy_measure_choose};
    return policies[policy];
}
