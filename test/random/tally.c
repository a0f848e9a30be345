/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

#include <stdio.h>
#include <string.h>

static const char *method_id(int32_t number)
{
    spl_method_info info = SPL_METHOD_INFO_INIT;
    return spl_method(number, &info) == SPL_OK ? info.id : "";
}

static void add_methods(tally *t, const random_verdict *verdict)
{
    for (int32_t m = 0; m < spl_method_count() && m < TALLY_METHODS; m++)
        for (int k = 0; k < RANDOM_METHODS && verdict->methods[k]; k++)
            if (strcmp(verdict->methods[k], method_id(m)) == 0) {
                t->methods[m]++;
                break;
            }
}

void tally_add(tally *t, const random_case *c, const random_verdict *verdict)
{
    int kind = c->operation, single = c->one_shot;
    add_methods(t, verdict);
    if (verdict->outcome == OUTCOME_RIGHT)
        t->right[kind][single]++;
    else if (verdict->outcome == OUTCOME_WRONG)
        t->wrong[kind][single]++;
    else
        t->refused[kind][single][verdict->status]++;
}

static void print_kind(const tally *t, const random_setup *setup, int kind, int single)
{
    static const char *const names[] = {"spmv", "spmm", "spgemm"};
    printf("%-8s%-8s%-10s%8lld right%6lld wrong", names[kind], setup->name,
           single ? "one-shot" : "plan", t->right[kind][single], t->wrong[kind][single]);
    for (int status = 0; status < TALLY_STATUSES; status++)
        if (t->refused[kind][single][status])
            printf("%8lld %s", t->refused[kind][single][status],
                   spl_status_name((spl_status)status));
    printf("\n");
}

static void print_methods(const tally *t)
{
    printf("plans by method:");
    for (int32_t m = 0; m < spl_method_count() && m < TALLY_METHODS; m++)
        if (t->methods[m])
            printf(" %s %lld", method_id(m), t->methods[m]);
    printf("\n");
}

void tally_print(const tally *t, const random_setup *setup)
{
    for (int kind = 0; kind < RANDOM_OPERATIONS; kind++)
        for (int single = 0; single < 2; single++)
            print_kind(t, setup, kind, single);
    print_methods(t);
}
