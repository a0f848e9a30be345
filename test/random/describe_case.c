/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a case in one line, and removes single special properties from it. */
#include "random_case.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const families[FAMILIES] = {
    "uniform",   "banded",      "nodes",       "holed nodes", "alike rows",
    "power law", "long row",    "long column", "half empty",  "no entries",
    "diagonal",  "permutation", "few entries", "full",
};
static const char *const values[VALUE_KINDS] = {
    "real",  "integers", "equal",     "few",  "signs", "single",
    "short", "wide",     "subnormal", "huge", "inf",   "nan",
};
static const char *const operations[RANDOM_OPERATIONS] = {"spmv", "spmm", "spgemm"};

/* ---- description ---- */

typedef struct line {
    char *text;
    size_t room, used;
} line;

static void __attribute__((format(printf, 2, 3))) say(line *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length =
        l->used < l->room ? vsnprintf(l->text + l->used, l->room - l->used, format, arguments) : 0;
    va_end(arguments);
    l->used += length > 0 ? (size_t)length : 0;
}

static void say_matrix(line *l, const char *name, const random_matrix *m)
{
    say(l, ", %s %s %lldx%lld %s~%lld %s%s%s%s", name, zoo_form_name(m->form), (long long)m->rows,
        (long long)m->cols, families[m->family], (long long)m->degree, values[m->values],
        m->duplicates ? " duplicates" : "", m->shuffled ? " unsorted" : "",
        m->zeros ? " zeros" : "");
}

static void say_scalar(line *l, const char *name, random_scalar scalar)
{
    if (scalar.null)
        say(l, " %s NULL", name);
    else
        say(l, " %s %g", name, scalar.number);
}

static void say_rounds(line *l, const random_case *c)
{
    static const char *const updates[UPDATES] = {"", " new values in place",
                                                 " new values elsewhere", " all arrays elsewhere"};
    for (int r = 0; r < c->rounds; r++) {
        say(l, ";%s", updates[c->update[r]]);
        say_scalar(l, "alpha", c->alpha[r]);
        say_scalar(l, "beta", c->beta[r]);
    }
}

static void say_dense(line *l, const random_case *c)
{
    if (c->operation == RANDOM_SPMM)
        say(l, ", B %s+%lld, C %s+%lld, %lld columns",
            c->order_b == SPL_ROW_MAJOR ? "rows" : "columns", (long long)c->pad_b,
            c->order_c == SPL_ROW_MAJOR ? "rows" : "columns", (long long)c->pad_c,
            (long long)c->columns);
    if (c->operation != RANDOM_SPGEMM)
        say(l, ", x %s, y %s", values[c->x_values], values[c->y_values]);
}

static void say_options(line *l, const random_case *c)
{
    const spl_options *o = &c->options;
    say(l, ", policy %d, op %d %d, threads %d/%d", o->policy, o->op_a, o->op_b, c->threads,
        o->threads);
    if (o->deterministic)
        say(l, ", deterministic, again with %d", c->again);
    if (c->setup->devices)
        say(l, ", schedule %d/%d", c->schedules[0], c->schedules[1]);
    say(l, "%s%s%s%s%s", o->unsorted ? ", unsorted" : "", o->keep_result ? ", kept" : "",
        c->take ? ", taken" : "", o->check_inputs ? ", checked inputs" : "",
        o->accuracy ? ", reduced" : "");
    if (o->result_offset_type)
        say(l, ", offsets of C %d", o->result_offset_type == SPL_I32 ? 32 : 64);
    if (o->executions)
        say(l, ", for %d executions", o->executions);
    if (o->updates)
        say(l, ", for %d updates", o->updates);
    if (o->exact)
        say(l, ", exact");
    if (*c->method)
        say(l, ", %s", c->method);
    if (o->memory_budget)
        say(l, ", budget %zu%s", o->memory_budget, c->context_budget ? " of the context" : "");
    if (c->hooked)
        say(l, ", hook");
    if (c->fails_at >= 0)
        say(l, " fails at %lld", (long long)c->fails_at);
}

static void say_processors(line *l, const random_case *c)
{
    const spl_options *o = &c->options;
    say(l, " on %s", c->setup->name);
    if (c->resident)
        say(l, ", resident on %d%s", c->resident, c->device_scalars ? " with scalars" : "");
    if (o->processors)
        say(l, ", processors 0x%llx, partition %d", (unsigned long long)o->processors,
            o->partition);
    for (int p = 0; p < RANDOM_MOST_PROCESSORS && o->processors && c->has_capabilities; p++)
        say(l, "%s%.2g", p ? ":" : " by ", c->capabilities[p]);
}

void random_case_describe(const random_case *c, char *text, size_t room)
{
    line l = {text, room, 0};
    say(&l, "%s %s", operations[c->operation], c->one_shot ? "one-shot" : "plan");
    say_processors(&l, c);
    say_matrix(&l, "A", &c->a);
    if (c->operation == RANDOM_SPGEMM)
        say_matrix(&l, "B", &c->b);
    if (c->operation == RANDOM_SPGEMM && c->has_d)
        say_matrix(&l, "D", &c->d);
    say_dense(&l, c);
    say_options(&l, c);
    say_rounds(&l, c);
}

/* ---- simplification ---- */

static void without_d(random_case *c)
{
    c->has_d = false;
}

static void without_refusal(random_case *c)
{
    c->fails_at = -1;
}

static void without_hook(random_case *c)
{
    c->hooked = false;
    c->fails_at = -1;
}

static void without_budget(random_case *c)
{
    c->options.memory_budget = 0;
    c->context_budget = false;
}

static void without_threads(random_case *c)
{
    c->threads = 1;
    c->options.threads = 0;
}

static void without_again(random_case *c)
{
    c->again = 0;
}

static void without_schedule(random_case *c)
{
    c->schedules[0] = c->schedules[1] = 0;
}

static void without_determinism(random_case *c)
{
    c->again = c->options.deterministic = 0;
}

static void without_method(random_case *c)
{
    c->method[0] = 0;
}

static void without_policy(random_case *c)
{
    c->options.policy = SPL_POLICY_COST;
}

static void without_updates(random_case *c)
{
    for (int r = 0; r < RANDOM_ROUNDS; r++)
        c->update[r] = UPDATE_NONE;
}

static void without_rounds(random_case *c)
{
    c->rounds = 1;
}

static void without_alpha(random_case *c)
{
    for (int r = 0; r < RANDOM_ROUNDS; r++)
        c->alpha[r] = (random_scalar){true, 0};
}

static void without_beta(random_case *c)
{
    for (int r = 0; r < RANDOM_ROUNDS; r++)
        c->beta[r] = (random_scalar){true, 0};
}

static void without_duplicates(random_case *c)
{
    c->a.duplicates = c->b.duplicates = c->d.duplicates = false;
}

static void without_shuffle(random_case *c)
{
    c->a.shuffled = c->b.shuffled = c->d.shuffled = false;
}

static void without_zeros(random_case *c)
{
    c->a.zeros = c->b.zeros = c->d.zeros = false;
}

static void without_values(random_case *c)
{
    c->a.values = c->b.values = c->d.values = c->x_values = c->y_values = VALUES_REAL;
}

static void without_odd_sparse_values(random_case *c)
{
    c->a.values = c->b.values = c->d.values = VALUES_REAL;
}

static void without_forms(random_case *c)
{
    c->a.form = c->b.form = c->d.form = (zoo_form){SPL_CSR, c->type, SPL_I32, SPL_I32};
}

static void without_processors(random_case *c)
{
    c->options.processors = 0;
}

static void without_residence(random_case *c)
{
    c->resident = 0;
    c->device_scalars = false;
}

static void without_device_scalars(random_case *c)
{
    c->device_scalars = false;
}

static void without_gaps(random_case *c)
{
    c->pad_b = c->pad_c = 0;
    c->order_b = c->order_c = SPL_ROW_MAJOR;
}

static void without_results(random_case *c)
{
    c->options.keep_result = c->options.unsorted = 0;
    c->take = false;
    c->options.result_offset_type = (spl_index)0;
}

static void without_checks(random_case *c)
{
    c->options.check_inputs = 0;
}

static void without_executions(random_case *c)
{
    c->options.executions = c->options.updates = c->options.exact = 0;
}

static void without_capabilities(random_case *c)
{
    c->has_capabilities = false;
    c->options.partition = (spl_partition_kind)0;
}

static const struct simplification {
    const char *name;
    void (*apply)(random_case *c);
} simplifications[] = {
    {"refusal", without_refusal},
    {"hook", without_hook},
    {"budget", without_budget},
    {"again", without_again},
    {"schedule", without_schedule},
    {"determinism", without_determinism},
    {"threads", without_threads},
    {"policy", without_policy},
    {"method", without_method},
    {"updates", without_updates},
    {"rounds", without_rounds},
    {"d", without_d},
    {"duplicates", without_duplicates},
    {"shuffle", without_shuffle},
    {"zeros", without_zeros},
    {"values", without_values},
    {"sparse-values", without_odd_sparse_values},
    {"forms", without_forms},
    {"alpha", without_alpha},
    {"beta", without_beta},
    {"processors", without_processors},
    {"capabilities", without_capabilities},
    {"residence", without_residence},
    {"device-scalars", without_device_scalars},
    {"gaps", without_gaps},
    {"results", without_results},
    {"checks", without_checks},
    {"executions", without_executions},
};

const char *random_simplification(int number)
{
    int count = (int)(sizeof simplifications / sizeof *simplifications);
    return number < count ? simplifications[number].name : NULL;
}

bool random_case_simplify(random_case *c, int number)
{
    random_case before = *c;
    simplifications[number].apply(c);
    return memcmp(&before, c, sizeof before) != 0;
}
