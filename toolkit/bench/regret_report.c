/* SPDX-License-Identifier: Apache-2.0 */
/* regret_report.c: reports of many cases and of the policies' regret. */
#include "json_helpers.h"
#include "regret.h"
#include "shown_text.h"
#include "typed_array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double good_enough = 1.1;

int regret_add(regret_report *report, const regret_case *item)
{
    if (report->count == report->room) {
        int64_t room = report->room ? 2 * report->room : 16;
        regret_case *wider = realloc(report->cases, (size_t)room * sizeof *wider);
        if (!wider)
            return 0;
        report->cases = wider;
        report->room = room;
    }
    report->cases[report->count++] = *item;
    return 1;
}

void regret_free(regret_report *report)
{
    free(report->cases);
    *report = (regret_report){0};
}

regret_summary regret_summarise(const regret_report *report, bench_operation operation, int policy)
{
    regret_summary s = {0};
    double logarithms = 0;
    for (int64_t i = 0; i < report->count; i++) {
        const regret_case *item = &report->cases[i];
        double regret = item->operation == operation ? regret_of(item, policy) : NAN;
        if (isnan(regret))
            continue;
        s.cases++;
        s.within += regret <= good_enough;
        logarithms += log(regret);
        if (regret > s.worst) {
            s.worst = regret;
            s.worst_case = item;
        }
    }
    s.mean = s.cases ? exp(logarithms / s.cases) : NAN;
    return s;
}

/* ---- text ---- */

static const regret_contender *plan_of(const regret_case *item, int policy)
{
    for (int i = 0; i < item->count; i++)
        if (item->contenders[i].policy == policy)
            return &item->contenders[i];
    return NULL;
}

/* Names without what all methods of the operation have in common. */
static void print_methods(const char *methods, FILE *stream)
{
    for (const char *cursor = methods; cursor && *cursor;) {
        size_t length = strcspn(cursor, ",");
        const char *name = cursor + length;
        while (name > cursor && name[-1] != '/')
            name--;
        fprintf(stream, "%.*s%s", (int)(cursor + length - name), name, cursor[length] ? "+" : "");
        cursor = cursor[length] ? cursor + length + 1 : NULL;
    }
}

static void print_case(const regret_case *item, FILE *stream)
{
    int best = regret_best(item);
    fprintf(stream, "%-8s %3s %4lld %-44s", bench_operation_names[item->operation],
            tool_type_name(item->type), (long long)item->columns, tool_shown(item->matrix).text);
    for (int policy = 0; policy < REGRET_POLICIES; policy++)
        fprintf(stream, " %6.2f", regret_of(item, policy));
    fprintf(stream, "  ");
    print_methods(plan_of(item, SPL_POLICY_COST)->methods, stream);
    if (best >= 0 && regret_of(item, SPL_POLICY_COST) > 1) {
        fprintf(stream, " for ");
        print_methods(item->contenders[best].methods, stream);
    }
    fputc('\n', stream);
}

static void print_summary(const regret_report *report, bench_operation operation, int policy,
                          FILE *stream)
{
    regret_summary s = regret_summarise(report, operation, policy);
    if (s.cases)
        fprintf(stream, "%-8s %-8s geometric mean %.3f, worst %.2f (%s), %d of %d at most %.1f\n",
                bench_operation_names[operation], regret_policies[policy], s.mean, s.worst,
                tool_shown(s.worst_case->matrix).text, s.within, s.cases, good_enough);
}

void regret_write_text(const regret_report *report, FILE *stream)
{
    fprintf(stream, "%-8s %3s %4s %-44s", "", "", "K", "matrix");
    for (int policy = 0; policy < REGRET_POLICIES; policy++)
        fprintf(stream, " %6.6s", regret_policies[policy]);
    fprintf(stream, "  cost chose, if it was not the best, for\n");
    for (int64_t i = 0; i < report->count; i++)
        print_case(&report->cases[i], stream);
    fprintf(stream,
            "\nregret: time of the policy's plan / time of the best plan that was measured\n");
    for (int operation = 0; operation < BENCH_OPERATIONS; operation++)
        for (int policy = 0; policy < REGRET_POLICIES; policy++)
            print_summary(report, (bench_operation)operation, policy, stream);
}

/* ---- data ---- */

static const char *policy_name(const regret_contender *c)
{
    return c->policy < 0 ? "" : regret_policies[c->policy];
}

int regret_write_csv_head(FILE *stream)
{
    return fprintf(stream, "set,matrix,operation,type,columns,rows,nnz,turns,policy,methods,"
                           "predicted,trial,plan,run,regret\n") > 0;
}

/* Seconds that the policy measure saw; NaN: it did not try. */
static double trial_of(const regret_case *item, const char *method)
{
    for (int i = 0; i < item->trial_count; i++)
        if (!strcmp(item->trials[i].method, method))
            return item->trials[i].measured;
    return NAN;
}

int regret_write_csv(const regret_case *item, FILE *stream)
{
    double least =
        regret_seconds(item, &item->contenders[regret_best(item) < 0 ? 0 : regret_best(item)]);
    for (int k = 0; k < item->count; k++) {
        const regret_contender *c = &item->contenders[k];
        if (c->run < INFINITY)
            fprintf(stream,
                    "%s,\"%s\",%s,%s,%lld,%lld,%lld,%d,%s,\"%s\",%.6e,%.6e,%.6e,%.6e,%.4f\n",
                    item->set, item->matrix, bench_operation_names[item->operation],
                    tool_type_name(item->type), (long long)item->columns, (long long)item->rows,
                    (long long)item->nnz, item->turns, policy_name(c), c->methods, c->predicted,
                    trial_of(item, c->methods), c->plan, c->run, regret_seconds(item, c) / least);
    }
    return fflush(stream) == 0 && !ferror(stream);
}

static void add_plan(const regret_case *item, int policy, cJSON *plans)
{
    const regret_contender *c = plan_of(item, policy);
    cJSON *plan = cJSON_AddObjectToObject(plans, regret_policies[policy]);
    tool_json_text(plan, "methods", c->methods);
    tool_json_real(plan, "seconds", regret_seconds(item, c));
    tool_json_real(plan, "regret", regret_of(item, policy));
}

static void add_case(const regret_case *item, cJSON *cases)
{
    cJSON *object = cJSON_CreateObject();
    int best = regret_best(item);
    cJSON_AddItemToArray(cases, object);
    tool_json_text(object, "set", item->set);
    tool_json_text(object, "matrix", item->matrix);
    tool_json_text(object, "operation", bench_operation_names[item->operation]);
    tool_json_text(object, "type", tool_type_name(item->type));
    tool_json_integer(object, "columns", item->columns);
    tool_json_text(object, "best", best < 0 ? NULL : item->contenders[best].methods);
    cJSON *plans = cJSON_AddObjectToObject(object, "policies");
    for (int policy = 0; policy < REGRET_POLICIES; policy++)
        add_plan(item, policy, plans);
}

static void add_summary(const regret_report *report, bench_operation operation, int policy,
                        cJSON *array)
{
    regret_summary s = regret_summarise(report, operation, policy);
    if (!s.cases)
        return;
    cJSON *object = tool_json_object(array);
    tool_json_text(object, "operation", bench_operation_names[operation]);
    tool_json_text(object, "policy", regret_policies[policy]);
    tool_json_integer(object, "cases", s.cases);
    tool_json_real(object, "mean", s.mean);
    tool_json_real(object, "worst", s.worst);
    tool_json_text(object, "worst_matrix", s.worst_case->matrix);
}

void regret_write_json(const regret_report *report, cJSON *object)
{
    cJSON *cases = cJSON_AddArrayToObject(object, "cases");
    for (int64_t i = 0; i < report->count; i++)
        add_case(&report->cases[i], cases);
    cJSON *summary = cJSON_AddArrayToObject(object, "summary");
    for (int operation = 0; operation < BENCH_OPERATIONS; operation++)
        for (int policy = 0; policy < REGRET_POLICIES; policy++)
            add_summary(report, (bench_operation)operation, policy, summary);
}
